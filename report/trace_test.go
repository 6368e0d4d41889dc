package report

import (
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// answered is a line of client 17 of the herd.
func answered(attempt int, sent, at time.Duration, end policies.AttemptEnd, status int16, wait time.Duration, why policies.EndReason) model.TraceLine {
	return model.TraceLine{
		Group: "herd", Client: 17, Attempt: attempt, Sent: sent, Arrived: sent, FirstSeen: policies.Never, Answered: at,
		Answer: policies.Answer{End: end, Status: status}, Wait: wait, Why: why, Again: why == policies.NotEnded && at != policies.Never,
	}
}

// traced is the trace of lines, with the operations that one of them ended.
func traced(lines ...model.TraceLine) *model.Trace {
	trace := &model.Trace{Lines: lines}
	for _, l := range lines {
		if l.Why != policies.NotEnded {
			trace.Operations = append(trace.Operations, model.TraceOperation{Group: l.Group, Client: l.Client, Operation: l.Operation, Ended: l.Answered, Why: l.Why})
		}
	}
	return trace
}

func TestTrace(t *testing.T) {
	unanswered := answered(0, 20*ms, policies.Never, policies.InFlight, 0, 0, policies.NotEnded)
	tokens := answered(0, 0, 5*ms, policies.Rejected, 429, 0, policies.Impossible)
	tokens.Axis = model.InputTokens
	streamed := answered(0, 0, 792*ms, policies.Succeeded, 200, 0, policies.Success)
	streamed.FirstSeen = 65 * ms
	cut := answered(0, 0, 400*ms, policies.Incomplete, 200, 200*ms, policies.NotEnded)
	cut.FirstSeen = 65 * ms
	unseen := answered(0, 0, 60*ms, policies.TimedOut, 0, 0, policies.OperationTimedOut)
	unseen.FirstSeen = 65 * ms
	other := answered(0, 3*ms, 9*ms, policies.Succeeded, 200, 0, policies.Success)
	other.Group, other.Client = "batch\x1b[2J", 0
	second := answered(0, 8*ms, 12*ms, policies.Succeeded, 200, 0, policies.Success)
	second.Operation = 1
	slow := answered(0, 0, 3000*ms, policies.Succeeded, 200, 0, policies.Success)
	hedge := answered(1, 1000*ms, 1001*ms, policies.Rejected, 429, 0, policies.NotEnded)
	hedge.Hedge, hedge.Again = true, false
	const (
		succeeded = policies.Succeeded
		rejected  = policies.Rejected
		errored   = policies.Errored
		more      = policies.NotEnded
	)
	about := "(t: when the answer reached the client, from the start of the run)"
	for _, c := range []struct {
		says  string
		lines []model.TraceLine
		want  []string
	}{
		{"E3: the unluckiest of the herd of 20", []model.TraceLine{
			answered(0, 0, 26*ms, rejected, 429, 1000*ms, more),
			answered(1, 1026*ms, 1032*ms, rejected, 429, 1000*ms, more),
			answered(2, 2032*ms, 2034*ms, rejected, 429, 1000*ms, more),
			answered(3, 3034*ms, 3046*ms, rejected, 429, 1000*ms, more),
			answered(4, 4046*ms, 4047*ms, rejected, 429, 2782*ms, more),
			answered(5, 6829*ms, 6852*ms, succeeded, 200, 0, policies.Success),
		}, []string{
			"client 17 of herd: 6 attempts, 200 after 6.852 s", about,
			"t+   26 ms  429 seats  sleep 1000 ms",
			"t+ 1032 ms  429 seats  sleep 1000 ms",
			"t+ 2034 ms  429 seats  sleep 1000 ms",
			"t+ 3046 ms  429 seats  sleep 1000 ms",
			"t+ 4047 ms  429 seats  sleep 2782 ms",
			"t+ 6852 ms  200",
		}},
		{"a failure says why", []model.TraceLine{
			answered(0, 0, 4*ms, errored, 401, 200*ms, more),
			answered(1, 204*ms, 208*ms, errored, 401, 0, policies.AttemptsExhausted),
		}, []string{
			"client 17 of herd: 2 attempts, 401 after 0.208 s", about,
			"t+    4 ms  401  sleep 200 ms",
			"t+  208 ms  401  gave up: attempts_exhausted",
		}},
		{"the axis is named", []model.TraceLine{tokens}, []string{
			"client 17 of herd: 1 attempt, 429 after 0.005 s", about,
			"t+    5 ms  429 input_tokens  gave up: impossible",
		}},
		{"no status: the end's word, and the start of a later operation", []model.TraceLine{
			answered(0, 99*time.Second, 100*time.Second, policies.TimedOut, 0, time.Second, more),
			answered(1, 101*time.Second, 104*time.Second, policies.Cancelled, 0, 0, policies.UserCancelled),
		}, []string{
			"client 17 of herd: 2 attempts, cancelled after 5.000 s (first sent at t+99000 ms)", about,
			"t+ 100000 ms  timed_out  sleep 1000 ms",
			"t+ 104000 ms  cancelled  cancelled",
		}},
		{"an answer that stopped half way", []model.TraceLine{
			answered(0, 0, 5*ms, policies.Incomplete, 200, 0, policies.Unfinished),
		}, []string{
			"client 17 of herd: 1 attempt, 200 after 0.005 s", about,
			"t+    5 ms  200 incomplete  gave up: incomplete",
		}},
		{"the first token of a stream", []model.TraceLine{streamed}, []string{
			"client 17 of herd: 1 attempt, 200 after 0.792 s", about,
			"t+  792 ms  200  first token at t+65 ms",
		}},
		{"of one that broke off", []model.TraceLine{cut}, []string{
			"client 17 of herd: 1 attempt, still in flight", about,
			"t+  400 ms  200 incomplete  first token at t+65 ms  sleep 200 ms",
		}},
		{"not of one that was on its way when nobody listened any more", []model.TraceLine{unseen}, []string{
			"client 17 of herd: 1 attempt, timed_out after 0.060 s", about,
			"t+   60 ms  timed_out  gave up: timed_out",
		}},
		{"cut short in flight", []model.TraceLine{unanswered}, []string{
			"client 17 of herd: 1 attempt, still in flight (first sent at t+20 ms)", about,
			"t+    – ms  in flight  sent at t+20 ms",
		}},
		{"cut short asleep", []model.TraceLine{answered(0, 0, 4*ms, rejected, 429, time.Second, more)}, []string{
			"client 17 of herd: 1 attempt, still in flight", about,
			"t+    4 ms  429 seats  sleep 1000 ms",
		}},
		{"two clients mixed, one with two operations, one with a name to beware of", []model.TraceLine{
			answered(0, 0, 4*ms, succeeded, 200, 0, policies.Success),
			other,
			second,
		}, []string{
			"client 17 of herd: 1 attempt, 200 after 0.004 s", about, "t+    4 ms  200", "",
			"client 17 of herd: 1 attempt, 200 after 0.004 s (first sent at t+8 ms)", about, "t+   12 ms  200", "",
			`client 0 of batch\x1b[2J: 1 attempt, 200 after 0.006 s (first sent at t+3 ms)`, about, "t+    9 ms  200",
		}},
		{"a hedge that was refused, beside an attempt that succeeded", []model.TraceLine{slow, hedge}, []string{
			"client 17 of herd: 2 attempts, 200 after 3.000 s", about,
			"t+ 3000 ms  200",
			"t+ 1001 ms  429 seats  hedge, sent at t+1000 ms",
		}},
		{"nothing to tell", nil, []string{"no attempts"}},
	} {
		var b strings.Builder
		if err := Trace(&b, traced(c.lines...)); err != nil {
			t.Fatal(err)
		}
		if want := strings.Join(c.want, "\n") + "\n"; b.String() != want {
			t.Errorf("%s: got\n%swant\n%s", c.says, &b, want)
		}
	}
}

// An operation that its user took back while it waited has no attempt that ended it.
func TestTraceOfWhatEndedWhileItWaited(t *testing.T) {
	trace := traced(answered(0, 0, 2*ms, policies.Errored, 500, time.Second, policies.NotEnded))
	trace.Operations = []model.TraceOperation{{Group: "herd", Client: 17, Ended: 500 * ms, Why: policies.UserCancelled}}
	var b strings.Builder
	if err := Trace(&b, trace); err != nil {
		t.Fatal(err)
	}
	if want := "client 17 of herd: 1 attempt, cancelled after 0.500 s\n"; !strings.HasPrefix(b.String(), want) {
		t.Errorf("got %q, want it to begin with %q", &b, want)
	}
	if got := NewTraced("s", "1", trace).Operations[0].End; got != "cancelled" {
		t.Errorf("the document says %q, want cancelled", got)
	}
}
