package model

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// steered stands for the fault that a request brings along in [Request.Steer].
const steered = noFault - 1

// leastKeepAlive bounds how busy a steered stall may keep the server.
const leastKeepAlive = 10 * time.Millisecond

// errorType is what may stand for the type of an error event.
var errorType = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// ParseFault reads the fault that a request forces on itself, in the words of a scenario:
//
//	status=500
//	status=429 retry_after=5s
//	hang
//	stall after_tokens=5 keep_alive=1s
//	cut=reset after_tokens=5
//	in_stream=overloaded_error after_tokens=2
//	ending=done-open
func ParseFault(text string) (*Fault, error) {
	var f Fault
	f.SetDefaults()
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("names no fault; write one, such as status=500, or leave it out")
	}
	seen := map[string]bool{}
	whats := 0
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		if seen[key] {
			return nil, fmt.Errorf("%q is given twice; write it once", key)
		}
		seen[key] = true
		if err := f.put(key, value); err != nil {
			return nil, err
		}
		if key != "after_tokens" && key != "keep_alive" && key != "retry_after" {
			whats++
		}
	}
	if whats != 1 {
		return nil, errors.New("write one of status, hang, stall, cut, in_stream and ending, such as status=500 or stall after_tokens=5")
	}
	if f.RetryAfter > 0 && f.Status == 0 {
		return nil, errors.New("retry_after is of a status; write status=429 retry_after=5s")
	}
	for _, p := range f.Check() {
		return nil, fmt.Errorf("%s %s", p.Key, p.Text)
	}
	return &f, nil
}

// put sets a key to what its word says.
func (f *Fault) put(key, value string) error {
	wrong := func(write string) error { return fmt.Errorf("%s=%q is not understood; write %s", key, value, write) }
	var err error
	switch key {
	case "status":
		if f.Status, err = strconv.Atoi(value); err != nil || f.Status < 400 || f.Status > 599 {
			return wrong("an error status, such as status=500")
		}
	case "hang", "stall":
		if value != "" && value != "true" {
			return wrong(key + " alone")
		}
		f.Hang, f.Stall = f.Hang || key == "hang", f.Stall || key == "stall"
	case "cut":
		for _, known := range CutKind("").Words() {
			if value == known {
				f.Cut = CutKind(value)
				return nil
			}
		}
		return wrong("cut= and one of " + strings.Join(CutKind("").Words(), ", "))
	case "ending":
		for _, known := range StreamEnding("").Words() {
			if value == known {
				f.Ending = StreamEnding(value)
				return nil
			}
		}
		return wrong("ending= and one of " + strings.Join(StreamEnding("").Words(), ", "))
	case "in_stream":
		if !errorType.MatchString(value) {
			return wrong("the type of an error, such as in_stream=overloaded_error")
		}
		f.InStream = value
	case "after_tokens":
		if f.AfterTokens, err = strconv.ParseInt(value, 10, 64); err != nil || f.AfterTokens < 0 || f.AfterTokens > 1e12 {
			return wrong("a number of tokens from 0, such as after_tokens=5")
		}
	case "keep_alive":
		if f.KeepAlive, err = time.ParseDuration(value); err != nil || f.KeepAlive < leastKeepAlive {
			return wrong("a time of at least 10ms, such as keep_alive=1s")
		}
	case "retry_after":
		if f.RetryAfter, err = time.ParseDuration(value); err != nil || f.RetryAfter < time.Second || f.RetryAfter%time.Second != 0 {
			return wrong("whole seconds, such as retry_after=5s")
		}
	default:
		return fmt.Errorf("%q is no part of a fault; write one of status, hang, stall, cut, in_stream and ending, with after_tokens, keep_alive and retry_after", key)
	}
	return nil
}

// OfStreams says whether the fault happens to streams alone.
func (f *Fault) OfStreams() bool { return f.ofStreams() }

// fault is the fault of a number, or the one that a request brought along.
func (p *Provider) fault(number int, id policies.Ticket) *Fault {
	if number == steered {
		return p.steers[id]
	}
	return p.faults[number].Fault
}

// steer remembers, or forgets, what fault a ticket's request brought along.
func (p *Provider) steer(id policies.Ticket, f *Fault) {
	switch {
	case f != nil && p.steers == nil:
		p.steers = map[policies.Ticket]*Fault{id: f}
	case f != nil:
		p.steers[id] = f
	case p.steers != nil:
		delete(p.steers, id)
	}
}

// leavesItsSeat says whether a steered stall is over with its client: it was made for that
// one alone, so that it takes a seat from nobody else for longer.
func (p *Provider) leavesItsSeat(a *answer) bool { return a.fault == steered && a.fate == Stalled }
