package model

import (
	"fmt"
	"sort"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// TraceColumns says where a trace's file has what: a layout by its name, or the names of
// its columns.
type TraceColumns struct {
	Layout TraceLayout `yaml:",short"`
	Time   string      `yaml:"time,required,filled" example:"timestamp"` // date-times, or numbers since any instant
	Unit   TimeUnit    `yaml:"unit"`                                     // of times that are numbers; default s
	Input  string      `yaml:"input,filled" example:"ContextTokens"`     // tokens of the prompt; default none: request.input_tokens
	Output string      `yaml:"output,filled" example:"GeneratedTokens"`  // tokens of the answer; default none: request.output_tokens
}

// SetDefaults fills what a scenario leaves out.
func (c *TraceColumns) SetDefaults() { *c = TraceColumns{Unit: "s"} }

// TraceLayout is a layout by name.
type TraceLayout string

// AzureLayout is that of the Azure LLM inference traces of 2023 and 2024: TIMESTAMP,
// ContextTokens and GeneratedTokens.
const AzureLayout TraceLayout = "azure"

// Words lists the layouts a scenario may name.
func (TraceLayout) Words() []string { return words(AzureLayout) }

// Named writes the layout out.
func (c TraceColumns) Named() TraceColumns {
	if c.Layout == AzureLayout {
		return TraceColumns{Time: "TIMESTAMP", Input: "ContextTokens", Output: "GeneratedTokens", Unit: "s"}
	}
	return c
}

// TimeUnit is the unit of times that are plain numbers.
type TimeUnit string

// timeUnits are those there are.
var timeUnits = [...]struct {
	unit TimeUnit
	is   time.Duration
}{{"s", time.Second}, {"ms", time.Millisecond}, {"us", time.Microsecond}, {"ns", time.Nanosecond}}

// Words lists the units a scenario may name.
func (TimeUnit) Words() []string {
	var all []string
	for _, u := range timeUnits {
		all = append(all, string(u.unit))
	}
	return all
}

// Duration is how long one of it is; 0 where it is none.
func (t TimeUnit) Duration() time.Duration {
	for _, u := range timeUnits {
		if u.unit == t {
			return u.is
		}
	}
	return 0
}

// Playback is what is replayed of a trace. Whoever reads the file puts it there: this
// package reads none.
type Playback struct {
	Rows   []TraceRow // not before the one above
	Input  bool       // the rows say how long prompts are, and not the request
	Output bool       // the rows say how long answers are, and not the request
	Speed  Share      // the trace goes so many times as fast; 0 is as it was
}

// TraceRow is an operation of a trace.
type TraceRow struct {
	At            time.Duration // since the beginning of what is replayed, at the trace's own speed
	Input, Output int32         // tokens
}

// cutTraces says which rows of traces come after the horizon, and so never.
func (c *Config) cutTraces() (found []string) {
	for i := range c.Clients {
		a := &c.Clients[i].Arrive
		if a.Trace == "" {
			continue
		}
		rows := len(a.Playback.Rows)
		played := a.Playback.before(a.At, c.Stop.After)
		if played < rows {
			found = append(found, fmt.Sprintf("clients.%d.arrive.trace: %d of its %d rows come after the run's end; write a later stop.after, a shorter slice, or a greater speed", i, rows-played, rows))
		}
	}
	return found
}

// before is how many rows come before an instant.
func (r *Playback) before(from, instant time.Duration) int {
	return sort.Search(len(r.Rows), func(row int) bool {
		at, comes := r.at(from, row)
		return !comes || at >= instant
	})
}

// at is when a row's operation starts, and whether there is such a row: cut to the
// nanosecond, never rounded through a binary fraction, so that a speed of 1.15 is that.
func (r *Playback) at(from time.Duration, row int) (time.Duration, bool) {
	if row >= len(r.Rows) {
		return 0, false
	}
	at := r.Rows[row].At
	if r.Speed != 0 && r.Speed != Whole {
		after, _, fits := policies.MulDiv(uint64(at), uint64(Whole), uint64(r.Speed))
		if !fits || after > uint64(policies.Never) {
			return 0, false // after the end of time
		}
		at = time.Duration(after)
	}
	if at >= policies.Never-from {
		return 0, false
	}
	return from + at, true
}
