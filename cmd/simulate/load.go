package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/benbjohnson/clock"
	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/live"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/report"
	"github.com/stampede-sim/stampede/scenarios"
)

func loadVerb() verb {
	var f common
	var p pictures
	aim := aim{wire: string(live.OpenAIWire)}
	return verb{
		name: "load", args: "SCENARIO", does: "the scenario's clients as real HTTP clients, against any server",
		help: "It asks the server at --base-url (with its /v1 or without) for real, in real time, with the\n" +
			"scenario's clients, gates and policies, and writes what `run` writes. The scenario's network delay\n" +
			"comes on top of the real one, prompts are made of filler, and a piece of text in a stream counts as\n" +
			"a token where the server does not say how many there were. A 429 is a rejection, by the axis that\n" +
			"its body or headers name, else by requests; any other failure is an error. What only the server\n" +
			"knows (seats, queue, limits, tokens billed, cost) is null, also of `simulate serve`, whose own\n" +
			"figures are at /stampede/summary; expectations of such figures are not checked, and the others hold\n" +
			"where the server serves the same scenario (`simulate serve SCENARIO`, or one like it). Anything but\n" +
			"loopback is asked about first. Ctrl-C ends it within 2 s and keeps what there is; a second one, later, kills it.\n" +
			"Where requests fail and none has any answer, the exit code is 3. It is also where this machine cannot go on.",
		examples: []string{
			"simulate load herd-20 --base-url http://127.0.0.1:8787",
			"simulate load herd-20 --base-url http://127.0.0.1:8787/v1 --wire anthropic --out off",
			"simulate load herd-20 --base-url http://127.0.0.1:8787 --rate-cap 50/s --model gpt-4o-mini --set expect=[]",
		},
		flags: func(flags *pflag.FlagSet) {
			aim.bind(flags)
			f.bindScenario(flags)
			f.bindJSON(flags)
			flags.Var(&text{to: &f.out}, "out", "`DIR` for the files; off writes none (default out/<scenario>-loaded)")
			flags.BoolVar(&f.quiet, "quiet", false, "no progress and no notices on stderr")
			p.bind(flags)
		},
		run: func(ctx context.Context, c command, args []string) error {
			src, err := given(ctx, "load", args)
			if err != nil {
				return err
			}
			s, err := f.load(src)
			if err != nil {
				return err
			}
			l := loadCommand{command: c, common: &f, pictures: &p, source: src, scenario: s}
			if err := errors.Join(p.check(ctx), c.checkPlaces(&f, l.folder(), &p)); err != nil {
				return err
			}
			if l.target, err = aim.check(s); err != nil {
				return err
			}
			if err := c.mayAim(ctx, &aim, l.target, s); err != nil {
				return err
			}
			return l.once(ctx)
		},
	}
}

// loadCommand is one call of `load`.
type loadCommand struct {
	command
	*common
	*pictures
	target
	source   source
	scenario *scenarios.Scenario
	troubled bool // the first trouble is told
}

// target is what a call aims at, checked.
type target struct {
	base  *url.URL
	wire  live.Wire
	model string
	keys  keys
	cap   rateCap
}

func (l *loadCommand) folder() string { return l.scenario.Name + "-loaded" }

// once plays the scenario's clients once.
func (l *loadCommand) once(ctx context.Context) error {
	s := l.scenario
	books := live.NewClientsBooks(&s.Config, clock.New())
	fleet, err := live.NewFleet(&s.Config, s.Seed, books)
	if err != nil {
		return err
	}
	fleet.Wire, fleet.Model, fleet.Key, fleet.Cap = l.wire, l.model, l.keys.of, l.cap.Rate
	fleet.Salt = uint64(time.Now().UnixNano())
	transport := live.Outgoing()
	defer transport.CloseIdleConnections()
	answered := &answering{RoundTripper: transport}
	free := spareFiles()
	defer free()
	cut, played := l.play(ctx, fleet, answered)
	defer cut() // when what was finished is on disk
	tally := books.Close()
	if played != nil {
		switch {
		case errors.As(played, new(live.StuckError)):
			free() // its connections may be all the other files there are
		case errors.Is(played, ctx.Err()):
			played = context.Cause(ctx)
		default:
			return played
		}
		tally.CutShort()
	}
	sum := model.Summarise(tally)
	sum.Scenario, sum.Seed, sum.Partial, sum.Says = s.Name, strconv.FormatUint(s.Seed, 10), played != nil, report.Says(sum)
	sum.Warnings = append(sum.Warnings, l.warnings(fleet, sum.Partial)...)
	var unanswered error
	if played == nil && answered.n.Load() == 0 {
		unanswered = l.unanswered(fleet)
	}
	l.notice(fleet, unanswered == nil)
	// What was asked is not asked again, so it is shown though it could not be written.
	wrong := l.write(l.common, l.folder(), func(dir string) error {
		return errors.Join(writeDocument(filepath.Join(dir, "summary.json"), sum), writeSlots(dir, tally))
	})
	if played == nil && wrong == nil {
		wrong = l.draw(l.common, l.folder(), l.pictures, func() (report.PageInput, error) { return l.page(sum, tally), nil })
	}
	var shown error
	if l.json {
		shown = report.Document(l.stdout, sum)
	} else {
		shown = report.Terminal(l.stdout, report.Style{Color: l.styled}, report.Run{Policy: policyOf(s), Summary: sum, Tally: tally}, nil)
	}
	if wrong != nil {
		return errors.Join(shown, wrong)
	}
	l.tell(l.common, l.folder())
	if unanswered != nil {
		return errors.Join(shown, unanswered)
	}
	return errors.Join(shown, l.kept(l.common, l.folder(), played), l.expected(sum))
}

// spareFiles keeps some files open, so that there are some to write to when they are freed.
func spareFiles() (free func()) {
	var spare []*os.File
	for range 4 {
		if f, err := os.Open(os.DevNull); err == nil {
			spare = append(spare, f)
		}
	}
	return func() {
		for _, f := range spare {
			f.Close()
		}
	}
}

// answering counts the requests that had a response, whatever it said.
type answering struct {
	http.RoundTripper
	n atomic.Int64
}

func (a *answering) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := a.RoundTripper.RoundTrip(r)
	if err == nil {
		a.n.Add(1)
	}
	return response, err
}

// unanswered says why there was no response at all, where requests failed; that clients gave up
// waiting says nothing of the kind. What was expected of who answers is then not asked.
func (l *loadCommand) unanswered(fleet *live.Fleet) error {
	why := fleet.Trouble()
	if why == "" {
		return nil
	}
	return fmt.Errorf("no request had any answer from %s: %s", l.base.Host, why)
}

// play lets the fleet live, and tells how far it is.
func (l *loadCommand) play(ctx context.Context, fleet *live.Fleet, transport http.RoundTripper) (cut func(), err error) {
	ended := make(chan struct{})
	told := make(chan struct{})
	go func() {
		defer close(told)
		l.progress(fleet, ended)
	}()
	defer func() { <-told }()
	defer close(ended)
	return fleet.Play(ctx, transport, l.base.String())
}

// progress tells on stderr how far a fleet is, as [progress] does of work whose size is known.
func (l *loadCommand) progress(fleet *live.Fleet, ended <-chan struct{}) {
	if l.quiet {
		return
	}
	every := 5 * time.Second
	if l.live {
		every = 200 * time.Millisecond
	}
	began := time.Now()
	told := began
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	for drawn := false; ; {
		select {
		case <-ended:
			if drawn {
				fmt.Fprint(l.stderr, "\r\x1b[K")
			}
			return
		case <-tick.C:
		}
		if why := fleet.Trouble(); why != "" && !l.troubled {
			if drawn {
				fmt.Fprint(l.stderr, "\r\x1b[K")
			}
			l.trouble(why)
		} else if time.Since(told) < every {
			continue
		}
		told = time.Now()
		p := fleet.Progress()
		line := fmt.Sprintf("%v: %d of %d operations ended that began, %d requests sent", time.Since(began).Round(time.Second), p.Ended, p.Started, p.Sent)
		if p.Held > 0 {
			line += fmt.Sprintf(", %d held back by the cap", p.Held)
		}
		if l.live {
			fmt.Fprintf(l.stderr, "\r%s\x1b[K", line)
			drawn = true
		} else {
			fmt.Fprintln(l.stderr, line)
		}
	}
}

// warnings are those of what no tally knows.
func (l *loadCommand) warnings(fleet *live.Fleet, partial bool) (out []string) {
	if all, known := l.scenario.OperationsAtMost(); partial && known {
		if never := all - fleet.Progress().Started; never > 0 {
			out = append(out, fmt.Sprintf("the run was interrupted before %d of %d operations had begun; they are in no figure", never, all))
		}
	}
	for i := range l.scenario.Clients {
		if l.wire == live.AnthropicWire && l.scenario.Clients[i].Request.MaxTokens == policies.Unlimited {
			out = append(out, fmt.Sprintf("clients.%d.request.max_tokens is not set and --wire anthropic needs one, so %d was asked for: limits may charge that for each request, and longer answers were cut there; write how many tokens an answer may have", i, live.AnthropicMaxTokens))
		}
	}
	if p := fleet.Progress(); p.Held > 0 {
		text := fmt.Sprintf("--rate-cap %s held requests back (%d): herd and slots have them where they were meant to be sent, and their time-outs and latencies count from there", l.cap.text, p.Held)
		if never := p.Held - p.Late; never > 0 {
			text += fmt.Sprintf(", so some ended before they were sent (%d)", never)
		}
		out = append(out, text)
	}
	return out
}

// trouble tells, once, what kept a request from an answer.
func (l *loadCommand) trouble(why string) {
	l.troubled = true
	fmt.Fprintln(l.stderr, printable("the first request without a whole answer: "+why))
}

// notice says what no figure does.
func (l *loadCommand) notice(fleet *live.Fleet, some bool) {
	if l.quiet {
		return
	}
	if why := fleet.Trouble(); why != "" && some && !l.troubled {
		l.trouble(why)
	}
	if p := fleet.Progress(); l.cap.N > 0 {
		fmt.Fprintf(l.stderr, "--rate-cap %s: requests held back: %d, and %d of them sent in the end\n", l.cap.text, p.Held, p.Late)
	}
}

// page is what the pages show.
func (l *loadCommand) page(sum *model.Summary, tally *model.Tally) report.PageInput {
	s := l.scenario
	return report.PageInput{
		Scenario: s.Name, About: s.About, Source: string(l.source.text), Version: version(),
		Command: commandOf(l.common, s.Seed, "load", l.source.name, l.words()...),
		Arms:    []report.PageArm{{Run: report.Run{Policy: policyOf(s), Summary: sum, Tally: tally}, Config: &s.Config}},
	}
}

// words are the flags that say what was aimed at.
func (l *loadCommand) words() []string {
	words := []string{"--base-url", l.base.String()}
	if l.wire != live.OpenAIWire {
		words = append(words, "--wire", string(l.wire))
	}
	if l.model != "" {
		words = append(words, "--model", l.model)
	}
	if l.cap.N > 0 {
		words = append(words, "--rate-cap", l.cap.text)
	}
	return words
}

// expected checks the scenario's expectations of what a client can know.
func (l *loadCommand) expected(sum *model.Summary) error {
	s := *l.scenario
	s.Expect = nil
	for _, e := range l.scenario.Expect {
		if sum.Hides(e.Figure) {
			if !l.quiet {
				fmt.Fprintln(l.stderr, printable("not checked, since only the server knows: "+e.String()))
			}
			continue
		}
		s.Expect = append(s.Expect, e)
	}
	return expect(&s, []experiment.Result{{Seed: s.Seed, Summary: sum}})
}
