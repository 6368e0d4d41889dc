package model

import (
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

func TestParseFault(t *testing.T) {
	of := func(f Fault) Fault {
		f.First, f.Probability = policies.Unlimited, Whole
		return f
	}
	for _, row := range []struct {
		text string
		want Fault
		err  string // a part of it
	}{
		{"status=500", of(Fault{Status: 500}), ""},
		{"status=429 retry_after=5s", of(Fault{Status: 429, RetryAfter: 5 * time.Second}), ""},
		{"hang", of(Fault{Hang: true}), ""},
		{"hang=true", of(Fault{Hang: true}), ""},
		{" stall   after_tokens=5 keep_alive=1s ", of(Fault{Stall: true, AfterTokens: 5, KeepAlive: time.Second}), ""},
		{"after_tokens=5 cut=reset", of(Fault{Cut: CutReset, AfterTokens: 5}), ""},
		{"cut=close", of(Fault{Cut: CutClose}), ""},
		{"in_stream=overloaded_error", of(Fault{InStream: "overloaded_error"}), ""},
		{"ending=done-open", of(Fault{Ending: DoneOpen}), ""},
		{"", Fault{}, "names no fault"},
		{"after_tokens=5", Fault{}, "write one of"},
		{"hang status=500", Fault{}, "write one of"},
		{"status=200", Fault{}, "an error status"},
		{"status=five", Fault{}, "an error status"},
		{"status=600", Fault{}, "an error status"},
		{"status=429 retry_after=5", Fault{}, "whole seconds"},
		{"status=429 retry_after=1500ms", Fault{}, "whole seconds"},
		{"hang retry_after=5s", Fault{}, "is of a status"},
		{"hang=false", Fault{}, "write hang alone"},
		{"cut=maybe", Fault{}, "reset, close"},
		{"ending=well", Fault{}, "done-open"},
		{"in_stream=\"", Fault{}, "the type of an error"},
		{"in_stream=" + strings.Repeat("x", 101), Fault{}, "the type of an error"},
		{"stall after_tokens=-1", Fault{}, "a number of tokens"},
		{"stall keep_alive=1ns", Fault{}, "at least 10ms"},
		{"stall keep_alive=1", Fault{}, "at least 10ms"},
		{"status=500 after_tokens=5", Fault{}, "after_tokens has no effect"},
		{"cut=reset keep_alive=1s", Fault{}, "keep_alive has no effect"},
		{"status=500 status=501", Fault{}, "given twice"},
		{"probability=1%", Fault{}, "no part of a fault"},
	} {
		got, err := ParseFault(row.text)
		switch {
		case row.err != "":
			if err == nil || !strings.Contains(err.Error(), row.err) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v, want one sentence with %q", row.text, err, row.err)
			}
		case err != nil:
			t.Errorf("%q: %v", row.text, err)
		case got.Keys != nil, got.Status != row.want.Status, got.Hang != row.want.Hang, got.Stall != row.want.Stall, got.Cut != row.want.Cut,
			got.InStream != row.want.InStream, got.Ending != row.want.Ending, got.AfterTokens != row.want.AfterTokens, got.KeepAlive != row.want.KeepAlive, got.RetryAfter != row.want.RetryAfter,
			got.First != row.want.First, got.Probability != row.want.Probability:
			t.Errorf("%q: %+v, want %+v", row.text, got, row.want)
		}
	}
}

func FuzzParseFault(f *testing.F) {
	for _, s := range []string{"status=500", "stall after_tokens=5 keep_alive=1s", "hang", "=", "cut="} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if fault, err := ParseFault(text); (fault == nil) == (err == nil) {
			t.Errorf("%q: %v, %v", text, fault, err)
		} else if err == nil && fault.Check() != nil {
			t.Errorf("%q: %v", text, fault.Check())
		}
	})
}

// A request's own fault, at 100 ms a token.
func TestSteeredFaults(t *testing.T) {
	steers := func(q *Request, f Fault) *Request { return with(q, func(q *Request) { q.Steer = &f }) }
	runServing(t, []servingCase{
		{
			"it comes before those of the provider",
			faultsOf(Fault{Status: 401}),
			[]call{{0, 1, steers(tokens(5), Fault{Status: 503}), "fail 503"}, {0, 1, tokens(5), "fail 401"}},
			nil,
		},
		{
			"it ends an answer, and the next of its ticket ends well",
			faultsOf(),
			[]call{{0, 1, steers(tokens(5), Fault{Cut: CutReset, AfterTokens: 2}), "serve"}, {time.Second, 1, tokens(2), "serve"}},
			[]string{"100ms first token 1", "200ms cut 1: 2 tokens, 200ms", "1.1s first token 1", "1.2s finish 1: 2 tokens, 200ms"},
		},
		{
			"its stall leaves the seat with its client, though others would be served to the end",
			faultsOf(),
			[]call{{0, 1, steers(tokens(5), Fault{Stall: true, AfterTokens: 1}), "serve"}, {time.Second, 1, nil, ""}, {time.Second, 2, tokens(1), "serve"}},
			[]string{"100ms first token 1", "100ms stalled 1: 1 tokens", "1s stopped unheard 1: 1 tokens, 1s", "1.1s first token 2", "1.1s finish 2: 1 tokens, 100ms"},
		},
		{
			"a client that leaves before the stall comes leaves the seat when it does",
			faultsOf(),
			[]call{{0, 1, steers(tokens(5), Fault{Stall: true, AfterTokens: 3}), "serve"}, {150 * ms, 1, nil, ""}},
			[]string{"100ms first token 1", "300ms stopped unheard 1: 3 tokens, 300ms"},
		},
	})
}
