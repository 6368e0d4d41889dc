package model

import (
	"testing"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// By hand: the first token takes 50 ms and each after it 10. Twenty answers of six tokens take 100 ms, so a
// hedge of the next is due 100 ms after it is sent at 200 ms, give or take the histogram's 1/32. By 255 ms there are 800 answers of
// one token more, and the percentile is 50 ms: had the client looked again at its next token, the hedge would have been late.
func TestAHedgeIsDueByThePercentileOfItsAttemptsSending(t *testing.T) {
	rows := make([]TraceRow, 20)
	for i := range rows {
		rows[i].Output = 6
	}
	rows = append(rows, TraceRow{At: 200 * ms, Output: 30})
	for range 800 {
		rows = append(rows, TraceRow{At: 205 * ms, Output: 1})
	}
	policy := policies.Policy{}
	policy.SetDefaults()
	policy.Hedge = &policies.Hedge{After: policies.HedgeAfter{Percent: 95}, AtMost: 1}
	c := config(policies.Unlimited, 50*ms, Group{})
	c.Clients = []Group{group("c", 1, func(g *Group) {
		g.Arrive.Trace, g.Arrive.Playback = "rows.csv", Playback{Rows: rows, Output: true, Speed: Whole}
		g.Request.Stream, g.Timeouts.Idle, g.Policy = true, time.Second, "p"
	})}
	c.Provider.Service.PerToken = value(10 * ms)
	c.Provider.Weather = []Weather{{At: time.Hour, For: time.Hour, Freeze: true}} // so that every token is told of
	c.Policies = policies.Registry{"p": policy}
	_, _, lines := play(t, c, 1)
	var hedges []TraceLine
	for _, l := range lines {
		if l.Hedge {
			hedges = append(hedges, l)
		}
	}
	if len(hedges) != 1 || hedges[0].Sent < 300*ms || hedges[0].Sent > 304*ms {
		t.Errorf("hedges %+v, want one, sent at 300 to 304 ms", hedges)
	}
}
