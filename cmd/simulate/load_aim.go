package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"github.com/stampede-sim/stampede/live"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

// aim is what the flags of `load` say of whom it asks.
type aim struct {
	base, wire, model string
	keyEnv            []string
	cap               rateCap
	yes               bool
}

func (a *aim) bind(flags *pflag.FlagSet) {
	flags.Var(&text{to: &a.base, once: true}, "base-url", "`URL` of the server, with its /v1 or without")
	flags.Var(&text{to: &a.wire}, "wire", "`API` to speak: openai, anthropic, or the reference chapter's own, chapter")
	flags.Var(&text{to: &a.model}, "model", "`NAME` of the model to ask for")
	flags.StringArrayVar(&a.keyEnv, "key-env", nil, "`VARIABLE` of the environment that holds the API key, or GROUP=VARIABLE for the key of one group; repeatable")
	flags.Var(&a.cap, "rate-cap", "`N/s`: never send more requests than that, whatever the scenario says; who is held back waits (a hundredth of a second's worth may go at once)")
	flags.BoolVar(&a.yes, "yes", false, "do not ask before aiming at anything but this machine")
}

// rateCap is a flag that takes a rate.
type rateCap struct {
	policies.Rate
	text string
}

func (r *rateCap) Set(value string) error {
	if err := r.UnmarshalText([]byte(value)); err != nil {
		return err
	}
	if r.N == 0 {
		return errors.New("0 sends nothing; write a rate such as 20/s")
	}
	r.text = value
	return nil
}

func (r *rateCap) String() string { return r.text }
func (r *rateCap) Type() string   { return "rate" }

// keys are API keys by the group; "" stands for the others.
type keys map[string]string

func (k keys) of(group string) string {
	if key, own := k[group]; own {
		return key
	}
	return k[""]
}

// check finds what is wrong with the flags, without a word that may be secret.
func (a *aim) check(s *scenarios.Scenario) (t target, err error) {
	if a.base == "" {
		return t, badInput("load needs --base-url, such as `simulate load %s --base-url http://127.0.0.1:8787`", s.Name)
	}
	if t.base, err = live.ParseBase(a.base); err != nil {
		return t, badInput("--base-url %w", err)
	}
	if t.wire, err = live.ParseWire(a.wire); err != nil {
		return t, badInput("--wire %w", err)
	}
	t.model, t.cap = a.model, a.cap
	t.keys, err = a.readKeys(s)
	return t, err
}

// readKeys reads the keys from the environment. What it says of a mistake does not repeat the
// flag: whoever takes it for the key itself shall not find that in a log.
func (a *aim) readKeys(s *scenarios.Scenario) (keys, error) {
	out := keys{}
	for _, flag := range a.keyEnv {
		group, variable, own := strings.Cut(flag, "=")
		if !own {
			group, variable = "", flag
		}
		if own && !slices.ContainsFunc(s.Clients, func(g model.Group) bool { return g.Name == group }) {
			return nil, badInput("--key-env: what stands before the = is no group of the scenario; write one of %s", strings.Join(groupNames(s), ", "))
		}
		key := strings.TrimSpace(os.Getenv(variable))
		switch {
		case variable == "" || strings.ContainsFunc(variable, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }):
			return nil, badInput("--key-env takes the name of a variable, such as OPENAI_API_KEY, and never the key itself")
		case key == "":
			return nil, badInput("--key-env: the variable that it names is not set, or empty")
		case strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }):
			return nil, badInput("--key-env: what the variable holds is no API key: it has a character that no header may have")
		}
		out[group] = key
	}
	return out, nil
}

// groupNames are the names of a scenario's groups, quoted.
func groupNames(s *scenarios.Scenario) []string {
	var names []string
	for i := range s.Clients {
		names = append(names, strconv.Quote(s.Clients[i].Name))
	}
	return names
}

// mayAim asks before it aims at anything but this machine.
func (c command) mayAim(ctx context.Context, a *aim, t target, s *scenarios.Scenario) error {
	if a.yes || live.IsLoopback(t.base) {
		return nil
	}
	if !c.asks {
		return badInput("--base-url %s is not this machine, and what is sent there may cost money; write --yes to mean it", t.base.Host)
	}
	capped := "as fast as the scenario says"
	if t.cap.N > 0 {
		capped = "at most " + t.cap.text
	}
	fmt.Fprintf(c.stderr, "%s will send real requests to %s, %s, which may cost money. Go on? [y/N] ", printable(s.Name), printable(t.base.Host), capped)
	answer, err := awaitLine(ctx, c)
	if err != nil {
		return err
	}
	if answer != "y" && answer != "yes" {
		return badInput("nothing was sent to %s", t.base.Host)
	}
	return nil
}

// awaitLine reads what is answered to a question, unless a signal comes first.
func awaitLine(ctx context.Context, c command) (string, error) {
	line := make(chan string, 1)
	go func() {
		text, _ := bufio.NewReader(c.stdin).ReadString('\n') // no answer is no
		line <- strings.ToLower(strings.TrimSpace(text))
	}()
	select {
	case text := <-line:
		return text, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
