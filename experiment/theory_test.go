package experiment

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/exp/stats"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// system is one of the textbook's queues as a scenario. The mean service is 1 s, and
// customers come at load * servers a second.
type system struct {
	name     string
	servers  int
	provider string
	theory   func(arrivals float64) []prediction
}

// prediction is a figure that a closed form gives, and where a run has it.
type prediction struct {
	figure string
	want   float64
	of     func(*model.Summary) float64
}

var systems = []system{
	{"M/M/1", 1, "{seats: 1, queue: unlimited, service: {first_token: {exponential: {mean: 1s}}}}", func(a float64) []prediction {
		return mmc(1, a).predictions()
	}},
	{"M/M/4", 4, "{seats: 4, queue: unlimited, service: {first_token: {exponential: {mean: 1s}}}}", func(a float64) []prediction {
		return mmc(4, a).predictions()
	}},
	{"M/M/4/10", 4, "{seats: 4, queue: 6, service: {first_token: {exponential: {mean: 1s}}}}", func(a float64) []prediction {
		s := birthDeath(4, 10, a)
		return append(s.predictions(), prediction{"loss", s.lost, func(s *model.Summary) float64 {
			return float64(s.Attempts.Rejected) / float64(s.Attempts.Total)
		}})
	}},
	{"M/D/1", 1, "{seats: 1, queue: unlimited, service: {first_token: 1s}}", func(a float64) []prediction {
		return pollaczekKhinchine(a, 1).predictions()
	}},
	{"M/M/1-PS", 1, "{service: {first_token: {exponential: {mean: 1s}}, pace: {full_speed_to: 1}}}", func(a float64) []prediction {
		inSystem, number := processorSharing(a)
		return []prediction{
			{"mean time in system, s", inSystem, func(s *model.Summary) float64 { return float64(s.Latency.Mean) }},
			{"mean number", number, numberInSystem},
		}
	}},
}

func (s steady) predictions() []prediction {
	return []prediction{
		{"mean wait, s", s.wait, func(s *model.Summary) float64 { return float64(s.Provider.QueueWait.Mean) }},
		{"P(wait)", s.queued, func(s *model.Summary) float64 { return float64(s.Provider.QueuedShare) }},
		{"mean number", s.number, numberInSystem},
	}
}

func numberInSystem(s *model.Summary) float64 {
	return float64(s.Provider.MeanInFlight + s.Provider.MeanQueue)
}

// effort is how much is simulated of each system.
type effort struct {
	loads     []float64
	seeds     int
	customers int // of each seed, at least, after the warm-up
	warmUp    int // seconds with one server; with c, which forget c times as fast, 1/c of it
}

// fullEffort's warm-up is 13 times the slowest relaxation, 1/(1-sqrt(0.9))^2 = 380 s of
// M/M/1 at load 0.9: of the bias of the empty start e^-13 is left.
var fullEffort = effort{loads: []float64{0.5, 0.8, 0.9}, seeds: 20, customers: 200_000, warmUp: 5000}

// shortEffort is without load 0.9, at which means over so few customers are too skewed for
// a bound in standard errors: where the rare long jam is missing from all of the seeds,
// it is missing from their spread too.
var shortEffort = effort{loads: []float64{0.5, 0.8}, seeds: 10, customers: 5_000, warmUp: 500}

// scenario is a system at a load. Arrivals stop and the run goes on until it is empty, so
// no customer is cut off. Time averages include that tail: of M/M/1 at 0.9, where it is
// longest, it adds 90 customer-seconds in 9 s to 9 * 224,700.
func (y *system) scenario(load float64, e effort) string {
	arrivals, seed := load*float64(y.servers), 0
	for _, letter := range y.name {
		seed = 31*seed + int(letter)
	}
	n, warmUp := float64(e.customers), e.warmUp/y.servers
	seconds := warmUp + int(math.Ceil((n+5*math.Sqrt(n))/arrivals)) // 5 standard deviations more
	return fmt.Sprintf(`
name: theory
seed: %d
stop: {after: 10000h}
warm_up: %ds
slot: 10h
provider: %s
clients: [{name: customers, arrive: {rate: %s/s, process: poisson, for: %ds}}]
`, seed+int(100*load), warmUp, y.provider, strconv.FormatFloat(arrivals, 'g', 6, 64), seconds)
}

// decoded reads a scenario, or skips the test where it needs retry budgets, which this
// version does not have yet.
func decoded(t testing.TB, text string) *scenarios.Scenario {
	t.Helper()
	s, err := scenarios.Decode("theory.yaml", []byte(text))
	if err != nil && strings.Contains(err.Error(), ".budget: is not supported by this version yet") {
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return s
}

// Queues that the textbook has solved, at three loads: each figure's mean over 20 seeds is
// within 5 of its standard errors (by Student's t with 19 degrees of freedom a right
// model fails one in 12,000 of them), and each system obeys Little's law.
//
//	THEORY=1 go test ./experiment -run TestTheory    # writes the table to out/theory.md
func TestTheory(t *testing.T) {
	e, full := fullEffort, !testing.Short() && !raceDetector
	if !full {
		e = shortEffort
	}
	var table strings.Builder
	fmt.Fprintf(&table, "Mean service 1 s; %d seeds of at least %d customers after a warm-up of %d s / servers.\n\n", e.seeds, e.customers, e.warmUp)
	table.WriteString("| system | load | figure | theory | mean over seeds | standard error | distance in standard errors |\n|---|---|---|---|---|---|---|\n")
	for _, y := range systems {
		for _, load := range e.loads {
			t.Run(fmt.Sprintf("%s at %g", y.name, load), func(t *testing.T) {
				r, err := Replicate(context.Background(), decoded(t, y.scenario(load, e)), e.seeds, runtime.GOMAXPROCS(0), nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, run := range r.Runs {
					if o := run.Summary.Operations; o.Total < int64(e.customers) || o.InFlight != 0 {
						t.Errorf("seed %d: %d customers, of them %d in the system at the end; want %d and none", run.Seed, o.Total, o.InFlight, e.customers)
					}
				}
				for _, p := range y.theory(load * float64(y.servers)) {
					mean, se := r.meanAndError(p.of)
					off := (mean - p.want) / se
					fmt.Fprintf(&table, "| %s | %g | %s | %.5f | %.5f | %.5f | %+.2f |\n", y.name, load, p.figure, p.want, mean, se, off)
					if !(math.Abs(off) <= 5) {
						t.Errorf("%s is %.5f, in theory %.5f: %+.2f standard errors off", p.figure, mean, p.want, off)
					}
				}
				if full {
					fmt.Fprintf(&table, "| %s | %g | Little's law: L / (lambda W) | 1 | %s |\n", y.name, load, r.checkLittle(t, e.warmUp/y.servers))
				}
			})
		}
	}
	t.Log("\n" + table.String())
	if os.Getenv("THEORY") != "" {
		if err := os.WriteFile(filepath.Join("..", "out", "theory.md"), []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// meanAndError is a figure's mean over the runs, and the standard error of that mean.
func (r *Replicates) meanAndError(of func(*model.Summary) float64) (mean, standardError float64) {
	var values []float64
	for _, run := range r.Runs {
		values = append(values, of(run.Summary))
	}
	mean = stats.Mean(values)
	return mean, sampleSD(values, mean) / math.Sqrt(float64(len(values)))
}

// checkLittle holds the runs together to Little's law within 0.1 %: L is lambda W, with
// the rate of those let in as it was measured. One run alone may be further off, by what
// [TestLittlesLawIsExact] knows to the nanosecond: whoever is in the system when the
// warm-up ends counts in L and not in W. The worst of M/M/1-PS at 0.9 has 42 of them, who
// stay for 2,654.570344458 s more; area and times differ by just that, 0.135 %.
func (r *Replicates) checkLittle(t *testing.T, warmUp int) string {
	ratio := func(s *model.Summary) float64 {
		rate := float64(s.Operations.Succeeded) / (float64(s.Wall) - float64(warmUp))
		return numberInSystem(s) / (rate * float64(s.Latency.Mean))
	}
	worst := 0.0
	for _, run := range r.Runs {
		worst = max(worst, math.Abs(ratio(run.Summary)-1))
	}
	mean, se := r.meanAndError(ratio)
	if !(math.Abs(mean-1) <= 0.001) {
		t.Errorf("Little's law is %+.4f %% off", 100*(mean-1))
	}
	return fmt.Sprintf("%.6f | %.6f | worst seed %.4f %%", mean, se, 100*worst)
}

// Little's law as the identity it is: from the end of the warm-up until the system is
// empty, the area under the number in it is the sum of everybody's time in it, cut at
// the warm-up's end, but for the rounding of floating point.
func TestLittlesLawIsExact(t *testing.T) {
	for _, y := range systems {
		for _, warmUp := range []int{0, 1000} {
			t.Run(fmt.Sprintf("%s after %d s", y.name, warmUp), func(t *testing.T) {
				s := decoded(t, y.scenario(0.9, effort{customers: 2_000, warmUp: warmUp}))
				for seed := range uint64(5) {
					trace := &model.Trace{Client: model.AllClients}
					r, err := Run(context.Background(), s, seed, trace)
					if err != nil {
						t.Fatal(err)
					}
					var times time.Duration
					for _, line := range trace.Lines {
						times += max(0, line.Answered-max(line.Sent, s.WarmUp))
					}
					area := numberInSystem(r.Summary) * (r.Tally.End() - s.WarmUp).Seconds()
					if off := area/times.Seconds() - 1; !(math.Abs(off) <= 1e-12) {
						t.Errorf("seed %d: the area is %v, the times are %v, %v off", seed, area, times, off)
					}
				}
			})
		}
	}
}
