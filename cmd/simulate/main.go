// Command simulate answers what a fleet of LLM clients will do to a rate-limited
// provider. Run `simulate help` for its verbs.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		stop(interrupted{(<-signals).(syscall.Signal)})
		signal.Stop(signals) // a second one ends the process at once
	}()
	os.Exit(command{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		styled: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(os.Stdout),
		live:   os.Getenv("TERM") != "dumb" && isTerminal(os.Stderr),
		asks:   isTerminal(os.Stdin) && isTerminal(os.Stderr),
	}.run(ctx, os.Args[1:]))
}
