package main

import (
	"context"
	"os"

	"github.com/stampede-sim/stampede/scenarios"
)

// source is a scenario's text. It is read once, so that a pipe will do.
type source struct {
	name string // as the user wrote it
	file string // what its mistakes call it
	text []byte
}

// given reads the one scenario that a verb is given.
func given(ctx context.Context, verb string, args []string) (source, error) {
	name, err := one(args, verb, "a scenario")
	if err != nil {
		return source{}, err
	}
	return readSource(ctx, name)
}

func readSource(ctx context.Context, name string) (source, error) {
	if _, builtin := scenarios.Source(name); builtin {
		return readNow(name)
	}
	return awaited(ctx, name, func() (source, error) { return readNow(name) })
}

func readNow(name string) (source, error) {
	file, text, err := scenarios.Read(name)
	return source{name, file, text}, err
}

// awaited reads a file. What is no ordinary one, such as a pipe, may never end: then the
// context ends the waiting.
func awaited[T any](ctx context.Context, path string, read func() (T, error)) (T, error) {
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		return read()
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := read()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
