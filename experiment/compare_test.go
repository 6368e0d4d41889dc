package experiment

import (
	"context"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

func compare(t *testing.T, n int, arms ...*scenarios.Scenario) *Comparison {
	t.Helper()
	all := make([]Arm, len(arms))
	for i := range arms {
		all[i].Scenario = arms[i]
	}
	c, err := Compare(context.Background(), all, n, runtime.GOMAXPROCS(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCompareNaiveAndFullJitter(t *testing.T) {
	c := compare(t, 5, load(t, "herd-100", "policy=naive"), load(t, "herd-100", "policy=full-jitter"))
	want := map[string]Verdict{"wall_s": Better, "attempts.total": Better, "herd.busiest_retry": Better, "success": Identical}
	for _, d := range c.Differences {
		if verdict, known := want[d.Figure.Name]; known && d.Verdict != verdict {
			t.Errorf("%s: %s (difference %v, p %v), want %s", d.Figure.Name, d.Verdict, d.Mean, d.Adjusted, verdict)
		}
	}
}

func TestCompareAScenarioWithItself(t *testing.T) {
	c := compare(t, 4, load(t, "herd-100"), load(t, "herd-100"))
	for _, d := range c.Differences {
		if d.Verdict != Identical || d.Pairs != 4 {
			t.Errorf("%s: %s over %d pairs, want %s over 4", d.Figure.Name, d.Verdict, d.Pairs, Identical)
		}
	}
}

func TestCompareWhatIsNeverDefined(t *testing.T) {
	broken := load(t, "herd-100", "provider.faults=[{status: 500}]", "policy=none")
	for _, d := range compare(t, 3, broken, load(t, "herd-100")).Differences {
		if d.Figure.Name == "latency_s.p50" && d.Verdict != Incomparable {
			t.Errorf("%s: %s, though nothing succeeded in one arm", d.Figure.Name, d.Verdict)
		}
	}
}

func TestDifferenceByHand(t *testing.T) {
	// Differences 1, 2, 3, 4, 5: mean 3, standard deviation sqrt(2.5), t = 3/(1.5811/sqrt 5) =
	// 4.2426 with 4 degrees of freedom; t(0.975) = 2.7764 (tables), so the interval is 3 -+ 1.9632.
	// With 4 degrees of freedom F(t) = 1/2 + 3/8 s (1 - s²/12) where s = t/sqrt(1 + t²/4); t² is 18,
	// so s = 4.2426/sqrt 5.5 = 1.80907 and p = 2 (1 - F) = 0.0132356.
	d := difference(Compared{}, 1, []float64{10, 10, 10, 10, 10}, []float64{11, 12, 13, 14, 15})
	if math.Abs(float64(d.Mean)-3) > 1e-12 || math.Abs(float64(d.CI95[0])-1.0368) > 1e-4 || math.Abs(float64(d.CI95[1])-4.9632) > 1e-4 {
		t.Errorf("mean %v in %v, want 3 in 1.0368 to 4.9632", d.Mean, d.CI95)
	}
	if math.Abs(float64(d.P)-0.0132356) > 1e-7 {
		t.Errorf("p is %v, want 0.0132356", d.P)
	}
}

func TestHolm(t *testing.T) {
	// The textbook's four: 0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02.
	all := []Difference{{P: 0.01}, {P: 0.04}, {P: 0.03}, {P: 0.005}}
	holm(all)
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		if math.Abs(all[i].Adjusted-want) > 1e-12 {
			t.Errorf("p %v becomes %v, want %v", all[i].P, all[i].Adjusted, want)
		}
	}
}

// mirror is a backoff that sees every draw from the other end: equally random,
// equally distributed, and different in every seed.
type mirror struct{ of policies.Backoff }

func (m mirror) Wait(r policies.Retry) time.Duration {
	r.U = math.Nextafter(1-r.U, 0)
	return m.of.Wait(r)
}

// Two policies that differ by chance alone must be told apart in about 5 % of all
// comparisons and hardly more: 1,000 of 10 seeds each.
func TestCompareSeldomSeesWhatIsNotThere(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("20,000 runs, which share nothing")
	}
	plain, mirrored := load(t, "herd-100"), load(t, "herd-100")
	p, err := mirrored.ResolvePolicy("full-jitter")
	if err != nil {
		t.Fatal(err)
	}
	p.Backoff.Custom = mirror{p.Backoff.New()}
	mirrored.Policies = policies.Registry{"full-jitter": p}
	const repetitions = 1000
	seen := 0
	for i := range repetitions {
		plain.Seed = Seed(99, i)
		mirrored.Seed = plain.Seed
		for _, d := range compare(t, 10, plain, mirrored).Differences {
			if d.Verdict == Better || d.Verdict == Worse {
				seen++
				break
			}
		}
	}
	t.Logf("%d of %d comparisons see a difference", seen, repetitions)
	between(t, "comparisons that see a difference between full jitter and its mirror, %",
		model.Number(float64(seen)/repetitions*100), 1.5, 7.5) // of 5 % that are to be expected one standard deviation is 0.69
}
