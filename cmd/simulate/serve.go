package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"

	"github.com/benbjohnson/clock"
	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/live"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

func serveVerb() verb {
	var f common
	listen := "127.0.0.1:8787"
	steer := false
	return verb{
		name: "serve", args: "SCENARIO", does: "the scenario's provider as an HTTP server, for any client",
		help: "It speaks OpenAI's chat completions (POST /v1/chat/completions), Anthropic's messages (POST\n" +
			"/v1/messages) and the reference chapter's GET /v1/chat?max_tokens=&delay=&cut=&how=, with the\n" +
			"scenario's limits, seats, weather and faults; the weather counts from its start. A request is\n" +
			"charged for its own max_tokens and the characters of its prompt, to the API key it brings; how\n" +
			"long an answer gets and takes is drawn as the scenario says. GET /stampede/summary is what was\n" +
			"served so far, GET /metrics the same for Prometheus. Ctrl-C or SIGTERM ends it within 5 s, with\n" +
			"exit code 0, and summary.json is written; each request is an operation there, each key a group.",
		examples: []string{
			"simulate serve herd-20",
			"simulate serve two-axes --listen 127.0.0.1:0 --out off",
			"simulate serve streaming --steer --set provider.seats=2",
			`curl -N http://127.0.0.1:8787/v1/chat/completions -d '{"model": "m", "stream": true, "messages": [{"role": "user", "content": "hello"}]}'`,
		},
		flags: func(flags *pflag.FlagSet) {
			flags.Var(&text{to: &listen}, "listen", "`HOST:PORT` to listen at; port 0 takes a free one")
			flags.BoolVar(&steer, "steer", false, "a request may force a fault on itself: X-Stampede-Fault: status=500, status=429 retry_after=5s, hang, stall after_tokens=5 keep_alive=1s, cut=reset after_tokens=5, in_stream=overloaded_error")
			f.bindScenario(flags)
			f.bindJSON(flags)
			flags.Var(&text{to: &f.out}, "out", "`DIR` for summary.json; off writes none (default out/<scenario>-served)")
			flags.BoolVar(&f.quiet, "quiet", false, "no notices on stderr")
		},
		run: func(ctx context.Context, c command, args []string) error {
			src, err := given(ctx, "serve", args)
			if err != nil {
				return err
			}
			s, err := f.load(src)
			if err != nil {
				return err
			}
			if err := c.checkPlaces(&f, servedFolder(s), &pictures{}); err != nil {
				return err
			}
			return c.serve(ctx, &f, s, listen, steer)
		},
	}
}

func servedFolder(s *scenarios.Scenario) string { return s.Name + "-served" }

func (c command) serve(ctx context.Context, f *common, s *scenarios.Scenario, listen string, steer bool) error {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) && op.Err != nil {
			err = op.Err
		}
		return badInput("--listen %s: %w; write HOST:PORT, such as 127.0.0.1:8787, or port 0 for a free one", listen, err)
	}
	server, err := live.NewServer(&s.Config, s.Seed, live.NewServedBooks(&s.Config, clock.New()))
	if err != nil {
		return errors.Join(err, l.Close())
	}
	server.Name, server.Steer = s.Name, steer
	if !f.quiet {
		fmt.Fprintf(c.stderr, "serving %s at http://%s (Ctrl-C ends it)\n", printable(s.Name), l.Addr())
		if at, is := l.Addr().(*net.TCPAddr); is && !at.IP.IsLoopback() {
			fmt.Fprintln(c.stderr, "warning: whoever reaches this machine can ask it, without a password; 127.0.0.1 keeps it to this machine")
		}
	}
	if err := server.Serve(ctx, l); err != nil {
		return fmt.Errorf("serving at %s: %w", l.Addr(), err)
	}
	sum := server.Summary()
	// What was served cannot be served again, so it is told though it could not be written.
	wrong := c.write(f, servedFolder(s), func(dir string) error { return writeDocument(filepath.Join(dir, "summary.json"), sum) })
	if wrong == nil {
		c.tell(f, servedFolder(s))
	}
	if f.json {
		return errors.Join(report.Document(c.stdout, sum), wrong)
	}
	fmt.Fprintln(c.stdout, sum.Says)
	for _, w := range sum.Warnings {
		fmt.Fprintln(c.stdout, "warning: "+printable(w))
	}
	return wrong
}
