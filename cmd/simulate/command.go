package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/stampede-sim/stampede/scenarios"
)

// command is one call of the program: where it writes, and how.
type command struct {
	stdout, stderr io.Writer
	styled         bool // stdout shows colours
	live           bool // stderr can redraw a line
	stdin          io.Reader
	asks           bool // stdin can answer a question, and stderr show it
}

// verb is one thing the program does.
type verb struct {
	name, args string
	does       string // one line
	help       string // what the flags do not say
	examples   []string
	flags      func(*pflag.FlagSet)
	run        func(ctx context.Context, c command, args []string) error
}

func verbs() []verb {
	return []verb{
		runVerb(), compareVerb(), sweepVerb(), mergeVerb(), planVerb(), crosscheckVerb(), traceVerb(), serveVerb(), loadVerb(),
		listVerb(), showVerb(), checkVerb(), schemaVerb(), versionVerb(),
	}
}

// run does what the arguments say and returns the exit code.
func (c command) run(ctx context.Context, args []string) int {
	out := &outlet{w: c.stdout}
	c.stdout = out
	code, text := exitDone, ""
	if err := c.dispatch(ctx, args); err != nil && !errors.Is(err, errHelped) {
		code, text = outcome(err)
	}
	if out.err != nil && code < 128 {
		code, text = exitStuck, "simulate: writing the results: "+out.err.Error()
	}
	if text != "" {
		fmt.Fprintln(c.stderr, printable(text))
	}
	return code
}

// outlet is stdout. It keeps the first error, so that none is overlooked.
type outlet struct {
	w   io.Writer
	err error
}

func (o *outlet) Write(b []byte) (n int, err error) {
	if o.err != nil {
		return 0, o.err
	}
	n, o.err = o.w.Write(b)
	return n, o.err
}

// printable writes what could steer a terminal as Go escapes it; lines stay lines.
func printable(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}

var errHelped = errors.New("help was shown")

func (c command) dispatch(ctx context.Context, args []string) error {
	if len(args) == 0 {
		c.overview(c.stderr)
		return badInput("say what to do: `simulate run herd-100` is a good first command")
	}
	if args[0] == "help" || args[0] == "--help" || args[0] == "-h" {
		if args[0] == "help" && len(args) > 1 {
			return c.dispatch(ctx, []string{args[1], "--help"})
		}
		c.overview(c.stdout)
		return errHelped
	}
	var names []string
	for _, v := range verbs() {
		if v.name == args[0] {
			return c.perform(ctx, v, args[1:])
		}
		names = append(names, v.name)
	}
	if near := scenarios.Closest(args[0], append(names, "help")); near != "" {
		return badInput("there is no verb %q; did you mean %s?", args[0], near)
	}
	return badInput("there is no verb %q; write one of %s", args[0], strings.Join(names, ", "))
}

func (c command) perform(ctx context.Context, v verb, args []string) error {
	flags := pflag.NewFlagSet(v.name, pflag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.SortFlags = false
	if v.flags != nil {
		v.flags(flags)
	}
	err := flags.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		c.help(v, flags)
		return errHelped
	case err != nil:
		return flagMistake(err, v.name, flags)
	}
	return v.run(ctx, c, flags.Args())
}

func (c command) overview(w io.Writer) {
	fmt.Fprint(w, "simulate: what a fleet of LLM clients will do to a rate-limited provider\n\nUsage: simulate VERB [ARGS]\n\n")
	for _, v := range verbs() {
		fmt.Fprintf(w, "  %-22s %s\n", v.name+" "+v.args, v.does)
	}
	fmt.Fprint(w, "\n`simulate VERB --help` says more. First: simulate run herd-100\n"+
		"In the source tree, `go install ./cmd/simulate` puts it where Go keeps programs\n"+
		"(`go env GOPATH` says where: its bin), and `go run ./cmd/simulate VERB` needs no installing.\n")
}

func (c command) help(v verb, flags *pflag.FlagSet) {
	fmt.Fprintf(c.stdout, "simulate %s %s\n\n%s\n", v.name, v.args, v.does)
	if v.help != "" {
		fmt.Fprintf(c.stdout, "\n%s\n", v.help)
	}
	if usage := flags.FlagUsages(); usage != "" {
		fmt.Fprintf(c.stdout, "\nFlags:\n%s", usage)
	}
	fmt.Fprint(c.stdout, "\nExamples:\n")
	for _, e := range v.examples {
		fmt.Fprintf(c.stdout, "  %s\n", e)
	}
}

// one returns the only argument.
func one(args []string, verb, what string) (string, error) {
	switch len(args) {
	case 1:
		return args[0], nil
	case 0:
		return "", badInput("%s needs %s, such as `simulate %s herd-100`", verb, what, verb)
	}
	_, thing, _ := strings.Cut(what, " ") // without its article
	return "", badInput("%s takes one %s, but got %d: %s", verb, thing, len(args), strings.Join(args, " "))
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
