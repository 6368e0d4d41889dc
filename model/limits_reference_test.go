package model

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stampede-sim/stampede/policies"
)

// entry is something that happened to a limiter.
type entry struct {
	at      time.Duration
	cost    int64
	refused bool
	amends  int // which entry this one corrects by cost; -1: none
}

// reference is a limiter as anybody would write it who has all the time and memory
// there is: it keeps every entry and computes each answer from them.
type reference interface {
	admits(history []entry, at time.Duration, need int64) bool
	used(history []entry, at time.Duration) *big.Rat
}

// stamps are the charges with their corrections.
func stamps(history []entry) []entry {
	var out []entry
	at := map[int]int{}
	for i, e := range history {
		if e.amends >= 0 {
			out[at[e.amends]].cost += e.cost
			continue
		}
		at[i] = len(out)
		out = append(out, e)
	}
	return out
}

func fits(used *big.Rat, need, limit int64) bool {
	return new(big.Rat).Add(used, big.NewRat(need, 1)).Cmp(big.NewRat(limit, 1)) <= 0
}

type referenceLog struct {
	limit  int64
	window time.Duration
}

func (r referenceLog) used(history []entry, at time.Duration) *big.Rat {
	var sum int64
	for _, s := range stamps(history) {
		if at-s.at < r.window {
			sum += s.cost
		}
	}
	return big.NewRat(sum, 1)
}

func (r referenceLog) admits(history []entry, at time.Duration, need int64) bool {
	return fits(r.used(history, at), need, r.limit)
}

type referenceWindows struct {
	limit     int64
	per, lead time.Duration
	last      bool // the last window counts in part
}

func (r referenceWindows) used(history []entry, at time.Duration) *big.Rat {
	var count, last int64
	now := (at + r.lead) / r.per
	for _, s := range stamps(history) {
		switch now - (s.at+r.lead)/r.per {
		case 0:
			count += s.cost
		case 1:
			last += s.cost
		}
	}
	sum := big.NewRat(count, 1)
	if r.last {
		weight := big.NewRat(int64(r.per-(at+r.lead)%r.per), int64(r.per))
		sum.Add(sum, weight.Mul(weight, big.NewRat(last, 1)))
	}
	return sum
}

func (r referenceWindows) admits(history []entry, at time.Duration, need int64) bool {
	return fits(r.used(history, at), need, r.limit)
}

type referenceBucket struct {
	limit, capacity int64
	per             time.Duration
	empty, leaky    bool
}

func (r referenceBucket) used(history []entry, at time.Duration) *big.Rat {
	level, last := new(big.Rat), time.Duration(0)
	full := big.NewRat(r.capacity, 1)
	if r.empty {
		level.Set(full)
	}
	to := func(now time.Duration) {
		out := big.NewRat(r.limit, int64(r.per))
		level.Sub(level, out.Mul(out, big.NewRat(int64(now-last), 1)))
		if level.Sign() < 0 {
			level.SetInt64(0)
		}
		last = now
	}
	for _, e := range history {
		to(e.at)
		was := new(big.Rat).Set(level)
		level.Add(level, big.NewRat(e.cost, 1))
		switch {
		case e.refused && was.Cmp(full) >= 0:
			level.Set(was)
		case e.refused && level.Cmp(full) > 0:
			level.Set(full)
		case level.Sign() < 0:
			level.SetInt64(0)
		}
	}
	to(at)
	return level
}

func (r referenceBucket) admits(history []entry, at time.Duration, need int64) bool {
	if r.leaky {
		need = 0
	}
	return fits(r.used(history, at), need, r.capacity)
}

// drawLimit draws a limiter, small so that instants meet, or as great as can be.
func drawLimit(t *rapid.T, algorithm Algorithm) LimitConfig {
	c := LimitConfig{Axis: LimitTokens, Algorithm: algorithm}
	if rapid.Bool().Draw(t, "small") {
		c.Limit = rapid.Int64Range(1, 12).Draw(t, "limit")
		c.Per = time.Duration(rapid.Int64Range(1, 40).Draw(t, "per"))
	} else {
		c.Limit = rapid.Int64Range(1, 1_000_000_000_000).Draw(t, "limit")
		c.Per = time.Duration(rapid.Int64Range(1, int64(400*day)).Draw(t, "per"))
	}
	if algorithm.isAligned() {
		c.Phase = time.Duration(rapid.Int64Range(0, int64(c.Per)-1).Draw(t, "phase"))
	}
	if !algorithm.isWindow() {
		if rapid.Bool().Draw(t, "starts empty") {
			c.Start = StartEmpty
		}
		if rapid.Bool().Draw(t, "has burst") {
			c.Burst = rapid.Int64Range(1, 3*c.Limit).Draw(t, "burst")
		}
	}
	if rapid.Bool().Draw(t, "settles") {
		c.Settle = SettleCompletion
	} else {
		c.Settle = SettleNever
	}
	return c
}

func referenceOf(c *LimitConfig) reference {
	switch c.Algorithm {
	case SlidingLogAlgorithm:
		return referenceLog{c.Limit, c.Per}
	case FixedWindowAlgorithm, TwoWindowAlgorithm:
		return referenceWindows{c.Limit, c.Per, (c.Per - c.Phase) % c.Per, c.Algorithm == TwoWindowAlgorithm}
	}
	return referenceBucket{c.Limit, c.capacity(), c.Per, c.Start == StartEmpty, c.Algorithm == LeakyAlgorithm}
}

// Each limiter against its reference: what it admits, how long it makes wait (to the
// nanosecond, also were a refusal charged), what is used and when nothing is any more.
func TestLimitersAgainstReferences(t *testing.T) {
	for _, name := range Algorithm("").Words() {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				c := drawLimit(t, Algorithm(name))
				m, ref := c.newMeter(), referenceOf(&c)
				var history []entry
				var receipts []int64
				var charged []int // entries that may be corrected
				now := time.Duration(0)
				some := rapid.Int64Range(1, c.capacity())
				for range rapid.IntRange(1, 40).Draw(t, "steps") {
					if rapid.Bool().Draw(t, "time passes") {
						now += time.Duration(rapid.Int64Range(0, int64(c.Per)+int64(c.Per)/2).Draw(t, "for"))
					}
					need, cost := some.Draw(t, "need"), some.Draw(t, "cost")
					exact := func(kind string, wait time.Duration, history []entry) {
						if !ref.admits(history, now+wait, need) {
							t.Fatalf("at %d: %s of %d is not enough for %d", now, kind, wait, need)
						}
						if wait > 0 && ref.admits(history, now+wait-1, need) {
							t.Fatalf("at %d: %s of %d for %d is too long", now, kind, wait, need)
						}
					}
					wait := m.wait(now, need)
					exact("a wait", wait, history)
					refusal := entry{at: now, cost: cost, refused: true, amends: -1}
					exact("a wait after a refusal", m.waitRefused(now, need, cost), append(slices.Clone(history), refusal))
					switch rapid.IntRange(0, 3).Draw(t, "what") {
					case 0:
						m.refuse(now, cost)
						history = append(history, refusal)
						receipts = append(receipts, 0)
					case 1: // counted, whether or not there is room
						if rapid.Bool().Draw(t, "nothing") {
							cost = 0
						}
						receipts = append(receipts, m.add(now, cost))
						charged = append(charged, len(history))
						history = append(history, entry{at: now, cost: cost, amends: -1})
					case 2:
						if wait == 0 {
							receipts = append(receipts, m.add(now, need))
							charged = append(charged, len(history))
							history = append(history, entry{at: now, cost: need, amends: -1})
						}
					case 3:
						if c.Settle == SettleNever || len(charged) == 0 {
							break
						}
						i := rapid.IntRange(0, len(charged)-1).Draw(t, "which")
						of := charged[i]
						charged = slices.Delete(charged, i, i+1)
						change := cost - history[of].cost
						m.amend(now, receipts[of], change)
						history = append(history, entry{at: now, cost: change, amends: of})
						receipts = append(receipts, 0)
					}
					used, reset := m.use(now)
					want := ref.used(history, now)
					if log, dropped := m.(*slidingLog); dropped && !log.amends && used >= c.Limit {
						continue // stamps that count for nothing are dropped
					}
					if got := big.NewRat(used, 1); got.Cmp(want) < 0 || got.Sub(got, big.NewRat(1, 1)).Cmp(want) >= 0 {
						t.Fatalf("at %d: used %d, want %v rounded up", now, used, want)
					}
					if ref.used(history, now+reset).Sign() != 0 {
						t.Fatalf("at %d: something is used when reset after %d", now, reset)
					}
				}
			})
		})
	}
}

// The stamps that have to leave are found in blocks; here by walking.
func TestSlidingLogFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newSlidingLog(&LimitConfig{Axis: LimitTokens, Limit: 1 << 40, Per: 1000, Settle: SettleCompletion})
		n := rapid.IntRange(1, 20_000).Draw(t, "stamps")
		costs := rapid.Int64Range(0, 9).Draw(t, "costs")
		for i := range n {
			l.add(time.Duration(i), (int64(i)*7919+costs)%10)
		}
		for range 20 {
			l.amend(time.Duration(n), rapid.Int64Range(0, int64(n)-1).Draw(t, "which"), rapid.Int64Range(0, 5000).Draw(t, "change"))
		}
		l.expire(time.Duration(n))
		if l.total == 0 {
			return
		}
		much := rapid.Int64Range(1, l.total).Draw(t, "much")
		if last := rapid.Uint64Range(0, l.tail-l.head).Draw(t, "or all up to"); rapid.Bool().Draw(t, "exactly") {
			much = 0
			for i := l.head; i < l.tail && (i < l.head+last || much == 0); i++ {
				much += l.stamps[l.slot(i)].cost
			}
		}
		want := l.head
		for left := much - l.stamps[l.slot(want)].cost; left > 0; left -= l.stamps[l.slot(want)].cost {
			want++
		}
		if got := l.find(much); got != want {
			t.Fatalf("%d of %d leave with stamp %d, want %d", much, l.total, got, want)
		}
	})
}

func TestSlopeAgainstReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.Int64Range(1, 20).Draw(t, "unit")
		c := SlopeConfig{Axis: LimitInputTokens, Above: policies.Rate{N: rapid.Int64Range(1, 30).Draw(t, "above"), Per: time.Duration(unit)}, Grow: Share(rapid.Int64Range(1, 3*int64(Whole)).Draw(t, "grow"))}
		c.Per = time.Duration(unit * rapid.Int64Range(1, 5).Draw(t, "units"))
		s := newSlope(&c)
		var history []entry
		sum := func(width, index time.Duration) (n int64) {
			for _, e := range history {
				if e.at/width == index {
					n += e.cost
				}
			}
			return n
		}
		admits := func(at time.Duration, need int64) bool {
			ceiling := c.Above.N
			if span := at / c.Per; span > 0 {
				mean := sum(c.Per, span-1) * unit / int64(c.Per)
				grown := new(big.Int).Mul(big.NewInt(mean), big.NewInt(int64(Whole+c.Grow)))
				ceiling = max(ceiling, grown.Div(grown, big.NewInt(int64(Whole))).Int64())
			}
			count := sum(c.Above.Per, at/c.Above.Per)
			return count == 0 || count+need <= ceiling
		}
		now := time.Duration(0)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += time.Duration(rapid.Int64Range(0, 2*unit).Draw(t, "for"))
			need := rapid.Int64Range(1, 40).Draw(t, "need")
			wait := s.wait(now, need)
			if !admits(now+wait, need) || wait > 0 && admits(now+wait-1, need) {
				t.Fatalf("at %d: a wait of %d for %d is not exact", now, wait, need)
			}
			if wait == 0 {
				s.add(now, need)
				history = append(history, entry{at: now, cost: need})
			}
		}
	})
}

func TestArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := rapid.Uint64().Draw(t, "a"), rapid.Uint64().Draw(t, "b"), rapid.Uint64().Draw(t, "c")
		d := rapid.Uint64Min(1).Draw(t, "d")
		whole, rest := new(big.Int).DivMod(new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)), new(big.Int).SetUint64(d), new(big.Int))
		q, r, ok := policies.MulDiv(a, b, d)
		if ok != whole.IsUint64() || ok && (q != whole.Uint64() || r != rest.Uint64()) {
			t.Fatalf("mulDiv says %d, %d, %v; want %v, %v", q, r, ok, whole, rest)
		}
		up := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
		up.Add(up, new(big.Int).SetUint64(c)).Add(up, new(big.Int).SetUint64(d-1)).Div(up, new(big.Int).SetUint64(d))
		want := fmt.Sprint(up)
		if !up.IsInt64() {
			want = fmt.Sprint(int64(1<<63 - 1))
		}
		if got := fmt.Sprint(policies.CeilMulDiv(a, b, c, d)); got != want {
			t.Fatalf("ceilMulDiv says %s, want %s", got, want)
		}
	})
}
