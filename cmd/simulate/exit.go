package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/scenarios"
)

// The exit codes; an interrupted run ends with 128 and the signal's number.
const (
	exitDone     = 0 // done, and every expectation held
	exitExpect   = 1 // an expectation failed
	exitBadInput = 2 // flags, scenario or files
	exitStuck    = 3 // the run could not go on
)

// inputError is a mistake of the user's.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

func badInput(format string, args ...any) error { return inputError{fmt.Errorf(format, args...)} }

// expectError says which expectations failed.
type expectError struct{ error }

// interrupted is the context's cause after a signal.
type interrupted struct{ syscall.Signal }

func (i interrupted) Error() string { return "interrupted: " + i.Signal.String() }

// isInterrupted says whether an error is that a signal ended the work.
func isInterrupted(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
}

// keptError is an interruption, or a run that could not go on, that left something: how says where.
type keptError struct {
	error
	how string
}

func (k keptError) Unwrap() error { return k.error }

// emptyError is an interruption that left nothing: why says so.
type emptyError struct {
	error
	why string
}

func (e emptyError) Unwrap() error { return e.error }

// outcome turns an error into an exit code and the text for stderr.
func outcome(err error) (int, string) {
	var signal interrupted
	if errors.As(err, &signal) {
		var kept keptError
		var empty emptyError
		switch {
		case errors.As(err, &empty):
			return 128 + int(signal.Signal), "simulate: interrupted " + empty.why
		case !errors.As(err, &kept):
			return 128 + int(signal.Signal), "simulate: interrupted"
		}
		return 128 + int(signal.Signal), "simulate: interrupted; what was finished is " + kept.how + " and marked partial"
	}
	var kept keptError
	if errors.As(err, &kept) {
		return exitStuck, "simulate: " + kept.Error() + "; what was finished is " + kept.how + " and marked partial"
	}
	if errors.As(err, new(expectError)) {
		return exitExpect, err.Error()
	}
	if errors.As(err, new(scenarios.Mistakes)) {
		return exitBadInput, err.Error()
	}
	var path *fs.PathError
	switch {
	case errors.As(err, new(inputError)), errors.As(err, new(experiment.TooManyError)), errors.As(err, new(experiment.FolderError)):
		return exitBadInput, "simulate: " + err.Error()
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return exitStuck, "simulate: " + err.Error()
	case errors.As(err, &path):
		return exitBadInput, "simulate: " + err.Error()
	}
	return exitStuck, "simulate: " + err.Error()
}
