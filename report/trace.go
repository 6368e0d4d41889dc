package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// Trace writes the attempts of each client, operation by operation, as the client
// saw them:
//
//	client 17 of herd: 6 attempts, 200 after 6.852 s
//	t+   26 ms  429 seats  sleep 1000 ms
//	t+ 6852 ms  200
//
// t is when the answer reached the client, counted from the start of the run.
func Trace(w io.Writer, trace *model.Trace) error {
	var b strings.Builder
	if len(trace.Lines) == 0 {
		b.WriteString("no attempts\n")
	}
	for i, op := range operationsOf(trace) {
		if i > 0 {
			b.WriteByte('\n')
		}
		traceOperation(&b, &op)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

// tracedOperation is an operation that made attempts.
type tracedOperation struct {
	model.TraceOperation
	lines []model.TraceLine
}

// operationsOf puts the lines of a trace together by operation, client by client in the
// order in which they first appear.
func operationsOf(trace *model.Trace) []tracedOperation {
	type client struct {
		group string
		n     int
	}
	type operation struct {
		client
		n int
	}
	var clients []client
	of := map[client][]int{}
	at := map[operation]int{}
	var ops []tracedOperation
	for _, l := range trace.Lines {
		c := client{l.Group, l.Client}
		id := operation{c, l.Operation}
		i, known := at[id]
		if !known {
			i = len(ops)
			at[id] = i
			if of[c] == nil {
				clients = append(clients, c)
			}
			of[c] = append(of[c], i)
			ops = append(ops, tracedOperation{})
		}
		ops[i].lines = append(ops[i].lines, l)
	}
	for _, o := range trace.Operations {
		if i, known := at[operation{client{o.Group, o.Client}, o.Operation}]; known {
			ops[i].TraceOperation = o
		}
	}
	var out []tracedOperation
	for _, c := range clients {
		for _, i := range of[c] {
			out = append(out, ops[i])
		}
	}
	return out
}

func traceOperation(b *strings.Builder, op *tracedOperation) {
	first := op.lines[0]
	fmt.Fprintf(b, "client %d of %s: %s, %s", first.Client, name(first.Group), plural(int64(len(op.lines)), "attempt", "attempts"), op.ending())
	if op.Why != policies.NotEnded {
		fmt.Fprintf(b, " after %s s", exactSeconds((op.Ended-first.Sent).Round(time.Millisecond), 3))
	}
	if first.Sent > 0 {
		fmt.Fprintf(b, " (first sent at t+%s ms)", milliseconds(first.Sent))
	}
	b.WriteString("\n(t: when the answer reached the client, from the start of the run)\n")

	digits, verdicts := 4, 0
	for _, l := range op.lines {
		if l.Answered != policies.Never {
			digits = max(digits, len(milliseconds(l.Answered)))
		}
		verdicts = max(verdicts, utf8.RuneCountInString(verdict(l)))
	}
	for _, l := range op.lines {
		at := dash
		if l.Answered != policies.Never {
			at = milliseconds(l.Answered)
		}
		line := fmt.Sprintf("t+%s ms  %s  %s", padLeft(at, digits+1), pad(verdict(l), verdicts), next(l))
		b.WriteString(strings.TrimRight(line, " "))
		b.WriteByte('\n')
	}
}

// verdict says how an attempt ended: its status, and the axis or the end's word where
// the status does not tell all.
func verdict(l model.TraceLine) string {
	a := l.Answer
	switch {
	case a.End == policies.InFlight:
		return "in flight"
	case a.Status == 0:
		return a.End.String()
	case a.End == policies.Rejected:
		return status(a) + " " + l.Axis.String()
	case a.End == policies.Succeeded, a.End == policies.Errored && a.Status >= 400:
		return status(a)
	}
	return status(a) + " " + a.End.String()
}

// next says when output was first seen, and what followed an attempt.
func next(l model.TraceLine) string {
	follows := after(l)
	if l.Hedge && l.Answered != policies.Never {
		follows = strings.TrimSuffix("hedge, sent at t+"+milliseconds(l.Sent)+" ms  "+follows, "  ")
	}
	if l.FirstSeen == policies.Never || l.FirstSeen >= l.Answered {
		return follows
	}
	first := "first token at t+" + milliseconds(l.FirstSeen) + " ms"
	if follows == "" {
		return first
	}
	return first + "  " + follows
}

func after(l model.TraceLine) string {
	switch {
	case l.Answered == policies.Never:
		return fmt.Sprintf("sent at t+%s ms", milliseconds(l.Sent))
	case l.Why.Failed():
		return "gave up: " + l.Why.String()
	case l.Why == policies.UserCancelled:
		return l.Why.String()
	case l.Again:
		return "sleep " + milliseconds(l.Wait) + " ms"
	}
	return ""
}

// ending says how an operation ended: by the status of the attempt that decided it, or in
// a word where that says more.
func (op *tracedOperation) ending() string {
	for _, l := range op.lines {
		if l.Why == op.Why && l.Answer.Status != 0 && l.Answered == op.Ended {
			return status(l.Answer)
		}
	}
	if op.Why == policies.NotEnded {
		return "still in flight"
	}
	return op.Why.String()
}

func status(a policies.Answer) string { return strconv.Itoa(int(a.Status)) }

func milliseconds(d time.Duration) string {
	return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10)
}
