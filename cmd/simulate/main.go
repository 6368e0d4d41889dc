// Command simulate answers what a fleet of LLM clients will do to a rate-limited
// provider. Run `simulate help` for its verbs.
package main

import (
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	// net/http logs what a server sends unasked: raw, and so perhaps a key that it was told.
	log.SetOutput(io.Discard)
	ctx, stop := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		stop(interrupted{(<-signals).(syscall.Signal)})
		// timeout(1) sends a signal to the process and then to its group: that is one.
		for same := time.After(500 * time.Millisecond); ; {
			select {
			case <-signals:
				continue
			case <-same:
			}
			signal.Stop(signals) // a second one ends the process at once
			return
		}
	}()
	os.Exit(command{
		stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr,
		styled: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(os.Stdout),
		live:   os.Getenv("TERM") != "dumb" && isTerminal(os.Stderr),
		asks:   isTerminal(os.Stdin) && isTerminal(os.Stderr),
	}.run(ctx, os.Args[1:]))
}
