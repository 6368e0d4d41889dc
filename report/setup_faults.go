package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// faultText says what a fault does to whom, in words that follow the provider's name.
func faultText(f *model.Fault) string {
	whom, after := faultWhom(f), " before the first token"
	if f.AfterTokens > 0 {
		after = " after " + plural(f.AfterTokens, "token", "tokens")
	}
	switch {
	case f.Status != 0:
		return fmt.Sprintf("answers %s with a %d", whom, f.Status)
	case f.Hang:
		return "leaves " + whom + " without an answer"
	case f.Stall:
		text := "falls silent" + after + " of the answer to " + whom
		if f.KeepAlive > 0 {
			text += ", but for a sign of life every " + duration(f.KeepAlive)
		}
		return text
	case f.Ending != "":
		return fmt.Sprintf("ends the stream of %s %s", whom, endings[f.Ending])
	case f.Cut == model.CutClose:
		return "ends the answer to " + whom + after + ", as though all were said"
	case f.Cut != "":
		return "breaks the connection of " + whom + after
	default:
		return fmt.Sprintf("ends the stream of %s with an error (%s)%s", whom, name(f.InStream), after)
	}
}

// endings says how a stream ends whose tokens have all come.
var endings = map[model.StreamEnding]string{
	model.FinishClose: "with a finish_reason and without [DONE]",
	model.DoneOpen:    "with [DONE], and leaves the connection open",
	model.CloseOnly:   "with neither a finish_reason nor [DONE]",
	model.UsageClose:  "with its usage, and neither a finish_reason nor [DONE]",
	model.ResetEnd:    "with a broken connection, after its last token",
}

// faultWhom says which attempts a fault can happen to.
func faultWhom(f *model.Fault) string {
	part := ""
	if f.Probability > 0 && f.Probability < model.Whole {
		part = strings.TrimSuffix(f.Probability.String(), "%") + " % of "
	}
	of := "every attempt"
	switch {
	case f.First == 1:
		of = "the first attempt of every operation"
	case f.First != policies.Unlimited:
		of = "the first " + plural(int64(f.First), "attempt", "attempts") + " of every operation"
	case part != "":
		of = "all attempts"
	}
	if len(f.Keys) == 0 {
		return part + of
	}
	var keys []string
	for _, key := range f.Keys[:min(len(f.Keys), mostNamed)] {
		keys = append(keys, name(key))
	}
	if more := len(f.Keys) - mostNamed; more > 0 {
		keys = append(keys, fmt.Sprintf("%d more", more))
	}
	if len(f.Keys) == 1 {
		return part + of + " with the key " + keys[0]
	}
	return part + of + " with the keys " + listed(keys, "and")
}

// weatherText says what changes with time; "" where nothing does.
func weatherText(periods []model.Weather) string {
	var each []string
	for _, w := range periods[:min(len(periods), mostNamed)] {
		text := strings.ReplaceAll(w.String(), "%", " %") + " from " + duration(w.At) + " to " + duration(w.Until())
		if w.Ramp > 0 {
			text += ", coming and going over " + duration(w.Ramp)
		}
		each = append(each, text)
	}
	if more := len(periods) - mostNamed; more > 0 {
		each = append(each, fmt.Sprintf("%d more", more))
	}
	if each == nil {
		return ""
	}
	return "Weather: " + strings.Join(each, "; ") + "."
}

// queueText says, in brackets, who is next in a queue and how long it holds anybody;
// "" where that is as usual.
func queueText(q *model.QueueConfig) string {
	var out []string
	switch q.Order {
	case model.LIFO:
		out = append(out, "last in, first out")
	case model.RandomOrder:
		out = append(out, "in random order")
	case model.PriorityOrder:
		out = append(out, "by priority")
	}
	if limit := time.Duration(q.WaitLimit); limit > 0 && limit != policies.Never {
		out = append(out, "for "+duration(limit)+" at most")
	}
	if q.RefuseLate {
		out = append(out, "refused on arrival if that is too short")
	}
	if out == nil {
		return ""
	}
	return " (" + strings.Join(out, ", ") + ")"
}

// heardBy says what a client waits for that a stream has fallen silent to.
func heardBy(reset policies.IdleReset) string {
	if reset == policies.ResetByAnyByte {
		return "a byte"
	}
	return "a token"
}

// patience says what a group sends along and when it gives up.
func patience(g *model.Group) string {
	text := ""
	switch g.Idempotency {
	case model.KeyPerOperation:
		text = ", with an idempotency key for each operation"
	case model.KeyPerAttempt:
		text = ", with an idempotency key for each attempt"
	}
	var gives []string
	for _, limit := range []struct {
		of   string
		wait time.Duration
	}{
		{"an attempt without a first event", g.Timeouts.FirstEvent},
		{"a stream without " + heardBy(g.Timeouts.IdleReset), g.Timeouts.Idle},
		{"an attempt", g.Timeouts.Attempt},
		{"an operation", g.Timeouts.Operation},
	} {
		if limit.wait > 0 {
			gives = append(gives, limit.of+" after "+duration(limit.wait))
		}
	}
	if gives != nil {
		text += ", and give up " + listed(gives, "and")
	}
	for i := len(g.Layers) - 2; i >= 0; i-- {
		text += fmt.Sprintf("; %s tries again what %s has given up", name(g.Layers[i]), name(g.Layers[i+1]))
	}
	if c := g.Cancel; c != nil {
		of := "every operation"
		if c.Probability < model.Whole {
			of = strings.TrimSuffix(c.Probability.String(), "%") + " % of all operations"
		}
		text += "; the user takes back " + of + " that is not over in time"
	}
	switch g.Stream.Retry {
	case policies.NeverRetry:
		text += "; a stream that broke is not asked for again"
	case policies.AlwaysRetry:
		text += "; a stream that broke is asked for again from its beginning"
	}
	if g.Stream.Completeness == policies.NaiveCompleteness {
		text += "; every stream that ends without an error is taken for whole"
	}
	if g.Stream.Partial == policies.KeepPartial {
		text += "; what came of a broken stream is kept"
	}
	if g.Count == 1 || g.Arrive.Open() {
		text = strings.Replace(text, ", and give up", ", and each client gives up", 1)
	}
	return text
}
