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
func Trace(w io.Writer, lines []model.TraceLine) error {
	var b strings.Builder
	if len(lines) == 0 {
		b.WriteString("no attempts\n")
	}
	for i, op := range operationsOf(lines) {
		if i > 0 {
			b.WriteByte('\n')
		}
		traceOperation(&b, op)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

// operationsOf sorts lines by client, in the order in which clients first appear,
// and cuts each client's at its operations' first attempts.
func operationsOf(lines []model.TraceLine) [][]model.TraceLine {
	type client struct {
		group string
		n     int
	}
	var clients []client
	of := make(map[client][]model.TraceLine)
	for _, l := range lines {
		c := client{l.Group, l.Client}
		if _, seen := of[c]; !seen {
			clients = append(clients, c)
		}
		of[c] = append(of[c], l)
	}
	var ops [][]model.TraceLine
	for _, c := range clients {
		mine, start := of[c], 0
		for i := 1; i <= len(mine); i++ {
			if i == len(mine) || mine[i].Attempt == 0 {
				ops = append(ops, mine[start:i])
				start = i
			}
		}
	}
	return ops
}

func traceOperation(b *strings.Builder, op []model.TraceLine) {
	first, last := op[0], op[len(op)-1]
	fmt.Fprintf(b, "client %d of %s: %s, %s", first.Client, name(first.Group), plural(int64(len(op)), "attempt", "attempts"), ending(last))
	if last.Why != policies.NotEnded {
		fmt.Fprintf(b, " after %s s", exactSeconds((last.Answered-first.Sent).Round(time.Millisecond), 3))
	}
	if first.Sent > 0 {
		fmt.Fprintf(b, " (first sent at t+%s ms)", milliseconds(first.Sent))
	}
	b.WriteString("\n(t: when the answer reached the client, from the start of the run)\n")

	digits, verdicts := 4, 0
	for _, l := range op {
		if l.Answered != policies.Never {
			digits = max(digits, len(milliseconds(l.Answered)))
		}
		verdicts = max(verdicts, utf8.RuneCountInString(verdict(l)))
	}
	for _, l := range op {
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
	case l.Why == policies.NotEnded:
		return "sleep " + milliseconds(l.Wait) + " ms"
	}
	return ""
}

func ending(l model.TraceLine) string {
	switch {
	case l.Why == policies.NotEnded:
		return "still in flight"
	case l.Answer.Status != 0:
		return status(l.Answer)
	}
	return l.Why.String()
}

func status(a policies.Answer) string { return strconv.Itoa(int(a.Status)) }

func milliseconds(d time.Duration) string {
	return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10)
}
