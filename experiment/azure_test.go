package experiment

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
)

// sampled is a row of the conversation trace, read here apart from package scenarios.
type sampled struct {
	at     time.Duration // since the first row
	tokens int64
}

func azureSample(t *testing.T) []sampled {
	t.Helper()
	f, err := os.Open("../scenarios/traces/azure-conv.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []sampled
	var first time.Time
	for i, line := range lines[1:] {
		at, err := time.Parse("2006-01-02 15:04:05.0000000", line[0])
		input, errIn := strconv.ParseInt(line[1], 10, 64)
		output, errOut := strconv.ParseInt(line[2], 10, 64)
		if err != nil || errIn != nil || errOut != nil {
			t.Fatal(line)
		}
		if i == 0 {
			first = at
		}
		rows = append(rows, sampled{at.Sub(first), input + output})
	}
	return rows
}

// The replay keeps the sample's counts per minute exactly, and its sizes row by row.
func TestTheReplayIsTheSample(t *testing.T) {
	rows := azureSample(t)
	s := load(t, "azure-conv", "clients.0.arrive.speed=1")
	r, lines := recorded(t, s)
	if len(lines) != len(rows) || len(rows) != 5985 {
		t.Fatalf("%d attempts of %d rows, want 5,985", len(lines), len(rows))
	}
	got, want := make([]float64, 20), make([]float64, 20)
	for i, line := range lines {
		if line.Sent != rows[i].at {
			t.Fatalf("operation %d starts at %v, its row at %v", i, line.Sent, rows[i].at)
		}
		got[line.Sent/time.Minute]++
		want[rows[i].at/time.Minute]++
	}
	if !slices.Equal(got, want) {
		t.Errorf("operations a minute: %v, the sample has %v", got, want)
	}
	mean, squares := 0.0, 0.0
	for _, n := range got {
		mean += n / 20
	}
	for _, n := range got {
		squares += (n - mean) * (n - mean) / 19
	}
	// facts/providers-and-clients.md 4.2, of the sample
	between(t, "operations a second", model.Number(mean/60), 4.985, 4.995)
	between(t, "variance to mean of the minutes", model.Number(squares/mean), 5.05, 5.15)
	tokens := int64(0)
	for _, row := range rows {
		tokens += row.tokens
	}
	between(t, "tokens charged for each", r.Summary.Provider.Limits[1].MeanCharge, float64(tokens)/5985-1e-6, float64(tokens)/5985+1e-6)
}

// What a trace brings within the warm-up is in the series and in no figure.
func TestTheReplayHasAWarmUp(t *testing.T) {
	rows := azureSample(t)
	for _, warmUp := range []time.Duration{0, 5 * time.Minute, 10 * time.Minute} {
		counted := 0
		for _, row := range rows {
			if row.at >= warmUp {
				counted++
			}
		}
		r := run(t, load(t, "azure-conv", "clients.0.arrive.speed=1", "warm_up="+warmUp.String()), 1)
		var series int64
		for i := range r.Tally.Slots() {
			series += r.Tally.Slot(i).First
		}
		if got := r.Summary.Operations.Total; got != int64(counted) || series != int64(len(rows)) {
			t.Errorf("after %v %d operations are counted and %d in the series, want %d and %d", warmUp, got, series, counted, len(rows))
		}
	}
}

// refusedByABucket counts whom a bucket of 450,000 tokens, filled with as many a minute,
// refuses: in tokens times nanoseconds, so that nothing is rounded but the instants, which
// are those of the sample divided by 1.15.
func refusedByABucket(rows []sampled) (refused int64) {
	const size, minute = int64(450_000), int64(time.Minute)
	level, last := size*minute, int64(0)
	for _, row := range rows {
		at := int64(row.at) * 100 / 115
		level = min(size*minute, level+(at-last)*size)
		last = at
		if cost := row.tokens * minute; cost <= level {
			level -= cost
		} else {
			refused++
		}
	}
	return refused
}

// A real trace meets many more refusals than a Poisson process of the same mean and sizes.
func TestTheTraceIsBurstierThanPoisson(t *testing.T) {
	refused := refusedByABucket(azureSample(t))
	between(t, "rejections counted apart", model.Number(refused), 133, 133)
	trace := run(t, load(t, "azure-conv"), 1)
	between(t, "rejections of the replay", model.Number(trace.Summary.Attempts.Rejected), 128, 138)
	if axis := trace.Summary.Provider.BindingAxis; axis == nil || *axis != "tokens" {
		t.Errorf("the axis that binds is %v, want tokens", axis)
	}
	if says := trace.Summary.Says; !strings.Contains(says, "tokens bind") {
		t.Errorf("the report does not say which axis binds: %s", says)
	}

	s := load(t, "azure-conv",
		// 5,985 x 1.15 in 20 minutes
		"clients.0.arrive={rate: 5.735625/s, process: poisson, for: 1043.478s}",
		"clients.0.request={input_tokens: {empirical: azure-conv.csv#ContextTokens}, output_tokens: {empirical: azure-conv.csv#GeneratedTokens}}",
		"expect=[]")
	seeds := 200
	if raceDetector || testing.Short() {
		seeds = 40
	}
	poisson, err := Replicate(context.Background(), s, seeds, runtime.GOMAXPROCS(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	median := poisson.Figure("attempts.rejected").Median
	t.Logf("%d refused of the sample, %v of Poisson arrivals in the median of %d seeds", refused, median, seeds)
	between(t, fmt.Sprintf("rejections of Poisson arrivals, median of %d seeds", seeds), median, 48, 70)
	off := 5 * math.Sqrt(5985*math.Pi/2/float64(seeds)) // five standard errors of a median
	between(t, "operations of Poisson arrivals, median", poisson.Figure("operations.total").Median, 5985-off, 5985+off)
}
