package experiment

import (
	"math"
	"testing"
)

// The closed forms of queueing theory, typed from a textbook (Gross, Shortle, Thompson
// and Harris, Fundamentals of Queueing Theory) and knowing nothing of our code. The mean
// service is 1 s, so the arrival rate is the offered load: a = load * servers.

// steady is a queue in its steady state.
type steady struct {
	wait   float64 // mean wait of those that are served, in seconds
	queued float64 // share of them that wait at all
	lost   float64 // share of arrivals that are turned away
	number float64 // mean number in the system
}

// erlangC is Erlang's second formula: the probability that an arrival at M/M/c finds
// all c servers busy,
//
//	C(c, a) = A / (sum of a^k/k!, k = 0 .. c-1, + A), A = a^c/c! * c/(c-a)
func erlangC(c int, a float64) float64 {
	sum, term := 0.0, 1.0 // term = a^k/k!
	for k := range c {
		sum += term
		term *= a / float64(k+1)
	}
	all := term * float64(c) / (float64(c) - a)
	return all / (sum + all)
}

// mmc is M/M/c: Wq = C(c, a) / (c - a), and Little's law.
func mmc(c int, a float64) steady {
	queued := erlangC(c, a)
	wait := queued / (float64(c) - a)
	return steady{wait: wait, queued: queued, number: a*wait + a}
}

// birthDeath is M/M/c/K, at most K in the system, from the balance of its birth-death
// chain: p(n) = p(0) * a^n/n! up to n = c, and p(n) = p(n-1) * a/c above. Those that
// are let in see p(n) / (1 - p(K)), n < K.
func birthDeath(c, most int, a float64) steady {
	p := make([]float64, most+1)
	p[0] = 1
	sum := 1.0
	for n := 1; n <= most; n++ {
		p[n] = p[n-1] * a / float64(min(n, c))
		sum += p[n]
	}
	var s steady
	line := 0.0 // mean number that wait
	for n := range p {
		p[n] /= sum
		s.number += float64(n) * p[n]
		line += float64(max(0, n-c)) * p[n]
		if n >= c && n < most {
			s.queued += p[n]
		}
	}
	s.lost = p[most]
	s.queued /= 1 - s.lost
	s.wait = line / (a * (1 - s.lost))
	return s
}

// pollaczekKhinchine is M/G/1 of mean service 1: Wq = a * E[S^2] / (2 * (1 - a)). An
// arrival waits where the server is busy, which it is a share a of the time.
func pollaczekKhinchine(a, secondMoment float64) steady {
	wait := a * secondMoment / (2 * (1 - a))
	return steady{wait: wait, queued: a, number: a*wait + a}
}

// processorSharing is M/G/1-PS: the number is geometric whatever the distribution of
// the service, and the mean time in the system is 1 / (1 - a).
func processorSharing(a float64) (inSystem, number float64) { return 1 / (1 - a), a / (1 - a) }

// The closed forms against values that textbooks print, and against each other where
// one is a special case of another.
func TestClosedForms(t *testing.T) {
	for _, c := range []struct {
		says      string
		got, want float64
	}{
		{"Erlang C, 2 servers, 1 erlang: 1/3", erlangC(2, 1), 1. / 3},
		{"Erlang C, 3 servers, 2 erlangs: 4/9", erlangC(3, 2), 4. / 9},
		{"Erlang C with one server is its load", erlangC(1, 0.8), 0.8},
		{"M/M/1 at 0.8: 4 s of waiting", mmc(1, 0.8).wait, 4},
		{"M/M/1 at 0.8: 4 in the system", mmc(1, 0.8).number, 4},
		{"M/M/1 by Pollaczek and Khinchine, E[S^2] = 2", pollaczekKhinchine(0.9, 2).wait, mmc(1, 0.9).wait},
		{"M/D/1 waits half of M/M/1", pollaczekKhinchine(0.9, 1).wait, mmc(1, 0.9).wait / 2},
		{"M/M/2/2 is Erlang B, 1 erlang: 1/5", birthDeath(2, 2, 1).lost, 0.2},
		{"M/M/3/3 is Erlang B, 2 erlangs: 4/19", birthDeath(3, 3, 2).lost, 4. / 19},
		{"M/M/1/K loses (1-r) r^K / (1 - r^(K+1))", birthDeath(1, 5, 0.5).lost, 0.5 * math.Pow(0.5, 5) / (1 - math.Pow(0.5, 6))},
		{"M/M/4/K for a great K loses none", birthDeath(4, 1000, 3.2).lost, 0},
		{"M/M/4/K for a great K queues as M/M/4", birthDeath(4, 1000, 3.2).queued, mmc(4, 3.2).queued},
		{"M/M/4/K for a great K waits as M/M/4", birthDeath(4, 1000, 3.2).wait, mmc(4, 3.2).wait},
		{"M/M/4/K for a great K holds as many as M/M/4", birthDeath(4, 1000, 3.2).number, mmc(4, 3.2).number},
	} {
		if math.Abs(c.got-c.want) > 1e-12*(1+c.want) {
			t.Errorf("%s: %v, want %v", c.says, c.got, c.want)
		}
	}
}
