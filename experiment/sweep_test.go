package experiment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

func vary(t testing.TB, texts ...string) []scenarios.Vary {
	t.Helper()
	var out []scenarios.Vary
	for _, text := range texts {
		var v scenarios.Vary
		if err := v.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// sweepOf is a sweep of a built-in scenario.
func sweepOf(t testing.TB, name string, seeds int, shard Shard, axes ...string) *Sweep {
	t.Helper()
	text, known := scenarios.Source(name)
	if !known {
		t.Fatalf("there is no %s", name)
	}
	s, err := NewSweep(SweepSpec{
		Scenario: name, File: name + ".yaml", Text: string(text), Set: []string{"expect=[]"}, Figures: []string{},
		Vary: vary(t, axes...), Seed: 1, Seeds: seeds,
	}, shard)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// swept runs a sweep into a folder and returns it.
func swept(t testing.TB, s *Sweep, jobs int) string {
	t.Helper()
	dir := t.TempDir()
	folder, err := s.OpenFolder(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Run(context.Background(), folder, jobs, nil); err != nil {
		t.Fatal(err)
	}
	return dir
}

// files are a folder's files.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(b)
	}
	return out
}

func sameFiles(t *testing.T, says string, a, b map[string]string) {
	t.Helper()
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s: %s differs", says, name)
		}
	}
	if len(a) != len(b) {
		t.Errorf("%s: %d files and %d", says, len(a), len(b))
	}
}

var someAxes = []string{"provider.seats=2..8/4", "policy=full-jitter,naive,decorrelated"}

func TestSweepsAreTheSameWhateverTheJobs(t *testing.T) {
	one := files(t, swept(t, sweepOf(t, "herd-100", 3, Shard{}, someAxes...), 1))
	if lines := strings.Count(one[cellsFile], "\n"); lines != 1+12*3 {
		t.Errorf("%d lines in %s", lines, cellsFile)
	}
	if lines := strings.Count(one[summaryFile], "\n"); lines != 1+12 {
		t.Errorf("%d lines in %s", lines, summaryFile)
	}
	for _, jobs := range []int{2, 7} {
		sameFiles(t, fmt.Sprintf("%d jobs", jobs), one, files(t, swept(t, sweepOf(t, "herd-100", 3, Shard{}, someAxes...), jobs)))
	}
}

func TestMergedShardsAreTheWholeSweep(t *testing.T) {
	whole := files(t, swept(t, sweepOf(t, "herd-100", 3, Shard{}, someAxes...), 2))
	for _, n := range []int{1, 3, 8, 15} { // of fifteen, three have no cell
		var dirs []string
		for i := range n {
			dirs = append(dirs, swept(t, sweepOf(t, "herd-100", 3, Shard{i + 1, n}, someAxes...), 2))
		}
		slices.Reverse(dirs)
		s, shards, err := OpenShards(dirs)
		if err != nil {
			t.Fatal(err)
		}
		out := t.TempDir()
		if _, err := s.Merge(out, shards); err != nil {
			t.Fatal(err)
		}
		sameFiles(t, fmt.Sprintf("%d shards", n), whole, files(t, out))
	}
}

// runsByValue are the lines of cells.csv without the cell's number, by the cell's values.
func runsByValue(t *testing.T, cells string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for line := range strings.Lines(cells) {
		fields := strings.Split(line, ",")
		out[strings.Join(fields[1:5], ",")] = strings.Join(fields[5:], ",")
	}
	return out
}

func TestACellIsTheSameInEverySweep(t *testing.T) {
	all := runsByValue(t, files(t, swept(t, sweepOf(t, "herd-100", 3, Shard{}, someAxes...), 2))[cellsFile])
	for says, axes := range map[string][]string{
		"the points reversed": {"provider.seats=8..2/4", "policy=decorrelated,naive,full-jitter"},
		"one cell alone":      {"provider.seats=6", "policy=naive"},
		"a list, and more":    {"provider.seats=2,4,6,8,100", "policy=full-jitter,naive,decorrelated"},
	} {
		other := runsByValue(t, files(t, swept(t, sweepOf(t, "herd-100", 3, Shard{}, axes...), 2))[cellsFile])
		same := 0
		for values, figures := range other {
			if all[values] == figures {
				same++
			} else if _, there := all[values]; there {
				t.Errorf("%s: %s differs", says, values)
			}
		}
		if same < 1+3 && says != "one cell alone" || same != 1+3 && says == "one cell alone" {
			t.Errorf("%s: %d lines are the same", says, same)
		}
	}
}

// A replicate of a cell is the run that `run --seed` gives.
func TestACellsRunsAreRuns(t *testing.T) {
	s := sweepOf(t, "herd-100", 3, Shard{}, someAxes...)
	cells := strings.Split(files(t, swept(t, s, 2))[cellsFile], "\n")
	scenario := load(t, "herd-100", "provider.seats=6", "policy=naive", "expect=[]")
	for r := range 3 {
		run, err := Run(context.Background(), scenario, Seed(1, r), nil)
		if err != nil {
			t.Fatal(err)
		}
		line := string(appendFigures(s.appendPrefix(nil, 7, r, s.keyFields(7)), s.figuresOf(nil, run.Summary)))
		if got := cells[1+7*3+r] + "\n"; got != line {
			t.Errorf("replicate %d is\n%s and the run\n%s", r, got, line)
		}
	}
}

// stopping ends a sweep after so many runs.
func stopping(t *testing.T, s *Sweep, dir string, after, jobs int) {
	t.Helper()
	folder, err := s.OpenFolder(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	_, err = s.Run(ctx, folder, jobs, func(n int) {
		if n == after {
			cancel(stop)
		}
	})
	if err != nil && !errors.Is(err, stop) {
		t.Fatal(err)
	}
}

// What a sweep that was stopped leaves is whole lines, and it goes on to the same bytes,
// wherever it was stopped and whatever was torn off after.
func TestAnInterruptedSweepGoesOn(t *testing.T) {
	whole := files(t, swept(t, sweepOf(t, "herd-100", 3, Shard{}, someAxes...), 2))
	for after := 1; after < 36; after += 5 {
		for _, tear := range []int{0, 1, 40, 400} {
			dir := t.TempDir()
			s := sweepOf(t, "herd-100", 3, Shard{}, someAxes...)
			stopping(t, s, dir, after, 2)
			d, err := ReadSweepDocument(dir)
			if err != nil || !d.Partial {
				t.Fatalf("after %d: %+v, %v", after, d, err)
			}
			left := files(t, dir)
			if !strings.HasPrefix(whole[cellsFile], left[cellsFile]) || !strings.HasSuffix(left[cellsFile], "\n") {
				t.Errorf("after %d: what is left is no beginning of the whole in whole lines", after)
			}
			if !strings.HasPrefix(whole[summaryFile], left[summaryFile]) {
				t.Errorf("after %d: the summary is no beginning of the whole", after)
			}
			runs := strings.Count(left[cellsFile], "\n") - 1 + max(0, strings.Count(left[aheadFile], "\n")-1)
			if runs < after {
				t.Errorf("%d runs were finished, and %d are on the disk", after, runs)
			}
			path := filepath.Join(dir, cellsFile)
			if err := os.Truncate(path, int64(max(0, len(left[cellsFile])-tear))); err != nil {
				t.Fatal(err)
			}
			stopping(t, sweepOf(t, "herd-100", 3, Shard{}, someAxes...), dir, 3, 2) // and again
			stopping(t, sweepOf(t, "herd-100", 3, Shard{}, someAxes...), dir, -1, 2)
			sameFiles(t, fmt.Sprintf("after %d runs and %d bytes torn off", after, tear), whole, files(t, dir))
		}
	}
}

func TestUntilSurvivesAnInterruption(t *testing.T) {
	of := func() *Sweep {
		text, _ := scenarios.Source("herd-100")
		s, err := NewSweep(SweepSpec{
			Scenario: "herd-100", File: "herd-100.yaml", Text: string(text), Set: []string{"expect=[]"}, Figures: []string{},
			Vary: vary(t, "provider.seats=3,9"), Seed: 1, Seeds: 200, Until: "mean(attempts.total) within 2%",
		}, Shard{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	whole := files(t, swept(t, of(), 2))
	if n := strings.Count(whole[cellsFile], "\n"); n < 1+2*30 || n > 1+2*150 {
		t.Errorf("%d runs", n-1)
	}
	for _, after := range []int{1, 21, 31, 47} {
		dir := t.TempDir()
		stopping(t, of(), dir, after, 2)
		stopping(t, of(), dir, -1, 1)
		sameFiles(t, fmt.Sprintf("after %d", after), whole, files(t, dir))
	}
}

func TestFoldersOfOtherSweepsAreRefused(t *testing.T) {
	s := func() *Sweep { return sweepOf(t, "herd-100", 2, Shard{}, "provider.seats=2,3") }
	foreign := t.TempDir()
	if err := os.WriteFile(filepath.Join(foreign, cellsFile), []byte("mine\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	changed := swept(t, s(), 1)
	b := []byte(files(t, changed)[cellsFile])
	if err := os.WriteFile(filepath.Join(changed, cellsFile), bytes.Replace(b, []byte("\n1,0,"), []byte("\n1,1,"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	done := swept(t, s(), 1)
	other := s()
	other.Spec.Text += "\n# another\n"
	version := s()
	version.Spec.Version = "9"
	for _, test := range []struct {
		says string
		s    *Sweep
		dir  string
		want string
	}{
		{"another scenario", sweepOf(t, "herd-20", 2, Shard{}, "provider.seats=2,3"), done, "of scenario herd-100"},
		{"another text of it", other, done, "another text"},
		{"other values", sweepOf(t, "herd-100", 2, Shard{}, "provider.seats=2,4"), done, "--vary [provider.seats=2,3]"},
		{"other seeds", sweepOf(t, "herd-100", 3, Shard{}, "provider.seats=2,3"), done, "--seeds 2"},
		{"a shard", sweepOf(t, "herd-100", 2, Shard{1, 2}, "provider.seats=2,3"), done, "the whole and not shard 1/2"},
		{"another version", version, done, "another version"},
		{"a table of something else", s(), foreign, "no sweep.json"},
		{"a table that was changed", s(), changed, "cells.csv:4: is not replicate 0 of cell 1"},
	} {
		_, err := test.s.OpenFolder(test.dir, false)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "--fresh") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", test.says, err)
		}
	}
	folder, err := s().OpenFolder(changed, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := folder.sweep.Run(context.Background(), folder, 1, nil); err != nil {
		t.Fatal(err)
	}
	sameFiles(t, "fresh", files(t, done), files(t, changed))
}

func TestMergeRefusesWhatIsNotWhole(t *testing.T) {
	shard := func(i, n int, seats string) string {
		return swept(t, sweepOf(t, "herd-100", 2, Shard{i, n}, "provider.seats="+seats), 1)
	}
	one, two, three := shard(1, 3, "2,3,4,5"), shard(2, 3, "2,3,4,5"), shard(3, 3, "2,3,4,5")
	partial := t.TempDir()
	stopping(t, sweepOf(t, "herd-100", 2, Shard{2, 3}, "provider.seats=2,3,4,5"), partial, 1, 1)
	for _, test := range []struct {
		says string
		dirs []string
		want string
	}{
		{"one is missing", []string{one, three}, "shards are missing: 2/3"},
		{"one is given twice", []string{one, two, one}, "are both shard 1/3"},
		{"one is not finished", []string{one, partial, three}, "is not finished"},
		{"one is of other values", []string{one, shard(2, 3, "2,3,4,6"), three}, "different sweeps"},
		{"one is of another number", []string{one, shard(2, 4, "2,3,4,5"), three}, "one of 3 shards"},
		{"one is no folder of a sweep", []string{one, t.TempDir()}, "no sweep.json"},
	} {
		if _, _, err := OpenShards(test.dirs); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", test.says, err)
		}
	}
	for _, damage := range []struct{ says, is, becomes, want string }{
		{"fewer shards than none", `"of": 3`, `"of": -1`, "there is no shard 1/-1"},
		{"more than can be", `"of": 3`, `"of": 9999999999`, "there is no shard 1/9999999999"},
		{"a key that is none", `"vary": [`, `"vary": [null, `, "no key"},
		{"a name that leads elsewhere", `"scenario": "herd-100"`, `"scenario": "../../zz"`, `"../../zz" is no name`},
		{"a rule that is none", `"seeds": 2`, `"seeds": 2, "until": "x"`, "until: "},
	} {
		dir := t.TempDir()
		b, err := os.ReadFile(filepath.Join(one, sweepFile))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(b, []byte(damage.is)) {
			t.Fatalf("%s: there is no %s in\n%s", damage.says, damage.is, b)
		}
		b = bytes.Replace(b, []byte(damage.is), []byte(damage.becomes), 1)
		b = bytes.Replace(b, []byte(`"of": 3`), []byte(`"of": 1`), 1)
		if err := os.WriteFile(filepath.Join(dir, sweepFile), b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := OpenShards([]string{dir}); !errors.As(err, new(FolderError)) || !strings.Contains(err.Error(), damage.want) {
			t.Errorf("%s: %v", damage.says, err)
		}
	}
	path := filepath.Join(two, cellsFile)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for says, text := range map[string][]byte{"cut short": b[:len(b)-20], "a line more": append(slices.Clone(b), "9,9,9\n"...), "a line changed": bytes.Replace(b, []byte("\n1,1,"), []byte("\n1,7,"), 1)} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, shards, err := OpenShards([]string{one, two, three})
		if err != nil {
			t.Fatal(err)
		}
		absent := filepath.Join(t.TempDir(), "absent")
		there := swept(t, sweepOf(t, "herd-20", 1, Shard{}, "provider.seats=3,4"), 1)
		before := files(t, there)
		for _, dir := range []string{there, absent} {
			if _, err := s.Merge(dir, shards); err == nil || !strings.Contains(err.Error(), two) {
				t.Errorf("%s: %v", says, err)
			}
		}
		if _, err := os.Stat(absent); err == nil || !maps.Equal(files(t, there), before) {
			t.Errorf("%s: the folder it should have been merged into is not as it was (%v)", says, err)
		}
	}
}

// A disk that is full is said, and what was on it before stays and can be gone on from.
func TestAFullDiskLosesNothing(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	whole := files(t, swept(t, sweepOf(t, "herd-100", 3, Shard{}, someAxes...), 2))
	dir := t.TempDir()
	stopping(t, sweepOf(t, "herd-100", 3, Shard{}, someAxes...), dir, 8, 1)
	summary := filepath.Join(dir, summaryFile)
	if err := errors.Join(os.Remove(summary), os.Symlink("/dev/full", summary)); err != nil {
		t.Fatal(err)
	}
	s := sweepOf(t, "herd-100", 3, Shard{}, someAxes...)
	folder, err := s.OpenFolder(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	var path *fs.PathError
	if _, err := s.Run(context.Background(), folder, 2, nil); !errors.As(err, &path) || path.Path != summary {
		t.Errorf("a full disk: %v", err)
	}
	if err := os.Remove(summary); err != nil {
		t.Fatal(err)
	}
	stopping(t, sweepOf(t, "herd-100", 3, Shard{}, someAxes...), dir, -1, 2)
	sameFiles(t, "after a full disk", whole, files(t, dir))
}

// What does not fit is taken away to the last whole line.
func TestLinesAreWholeOrNotThere(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "lines")
	if err != nil {
		t.Fatal(err)
	}
	g := &growing{f: f}
	if err := errors.Join(g.write([]byte("one\n")), g.flush()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("two\nthr"); err != nil { // as a write that was cut short does
		t.Fatal(err)
	}
	if err := f.Truncate(g.size); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(f.Name())
	if string(b) != "one\n" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

func TestParquetHoldsWhatCSVDoes(t *testing.T) {
	s := sweepOf(t, "herd-100", 3, Shard{}, someAxes...)
	dir := swept(t, s, 2)
	if err := s.WriteParquet(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cells", "summary"} {
		lines := strings.Split(strings.TrimSpace(files(t, dir)[name+".csv"]), "\n")
		head := strings.Split(lines[0], ",")
		f, err := os.Open(filepath.Join(dir, name+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		table, err := parquet.OpenFile(f, info.Size())
		if err != nil {
			t.Fatal(err)
		}
		reader := parquet.NewReader(table)
		rows := make([]parquet.Row, len(lines)-1)
		if n, _ := reader.ReadRows(rows); n != len(lines)-1 {
			t.Fatalf("%s: %d rows, want %d", name, n, len(lines)-1)
		}
		columns := table.Schema().Columns()
		for i, row := range rows {
			want := strings.Split(lines[1+i], ",")
			for c, v := range row {
				text := want[slices.Index(head, columns[c][0])]
				got := v.String()
				if v.IsNull() {
					got = ""
				} else if columns[c][0] == "seed" {
					got = strconv.FormatUint(uint64(v.Int64()), 10) // the column says that it is unsigned
				} else if v.Kind() == parquet.Double {
					got = string(appendNumber(nil, model.Number(v.Double())))
				}
				if got != text {
					t.Errorf("%s, row %d, %s: %q, want %q", name, i, columns[c][0], got, text)
				}
			}
		}
	}
}

func TestSamplesCoverTheirRanges(t *testing.T) {
	text, _ := scenarios.Source("herd-100")
	of := func(method scenarios.SampleMethod, axes ...string) *Sweep {
		s, err := NewSweep(SweepSpec{Scenario: "herd-100", File: "x", Text: string(text), Vary: vary(t, axes...), Seed: 7, Seeds: 1, Sample: 40, Method: method}, Shard{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	lhs := of(scenarios.LatinHypercube, "clients.0.arrive.over=0s..40s", "provider.seats=1..40", "policy=naive,full-jitter", "policies.full-jitter.backoff.exponential.base=log:1ms..1s")
	strata := make([]map[int]int, 2)
	for i := range strata {
		strata[i] = map[int]int{}
	}
	policies := map[string]int{}
	below := 0
	for cell := range lhs.Cells() {
		v := lhs.Values(cell)
		over, _, _ := scenarios.Number(v[0])
		seats, _, _ := scenarios.Number(v[1])
		base, _, _ := scenarios.Number(v[3])
		strata[0][int(over)]++
		strata[1][int(seats)-1]++
		policies[v[2]]++
		if base < 0.0316227766 { // the middle, by ratio
			below++
		}
	}
	for i, hits := range strata {
		for s := range 40 {
			if hits[s] != 1 {
				t.Errorf("key %d: %d cells in part %d of 40, want 1", i, hits[s], s)
			}
		}
	}
	if policies["naive"] != 20 || policies["full-jitter"] != 20 || below != 20 {
		t.Errorf("policies %v, and %d bases below the middle", policies, below)
	}
	a, b := of(scenarios.RandomSample, "provider.seats=1..40"), of(scenarios.RandomSample, "policy=naive,none", "provider.seats=1..40")
	for cell := range 40 {
		if a.Values(cell)[0] != b.Values(cell)[1] {
			t.Errorf("cell %d: %v, and with another axis %v", cell, a.Values(cell), b.Values(cell))
		}
	}
}

func TestShards(t *testing.T) {
	for _, test := range []struct {
		says, text string
		env        map[string]string
		want       Shard
		wrong      string
	}{
		{"plain", "2/7", nil, Shard{2, 7}, ""},
		{"an array from 1", "slurm", map[string]string{"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "4", "SLURM_ARRAY_TASK_COUNT": "4"}, Shard{3, 4}, ""},
		{"an array from 0", "slurm", map[string]string{"SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_COUNT": "4"}, Shard{1, 4}, ""},
		{"an array with gaps", "slurm", map[string]string{"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_MAX": "7", "SLURM_ARRAY_TASK_COUNT": "4"}, Shard{}, "leave some out"},
		{"an indexed job", "k8s/5", map[string]string{"JOB_COMPLETION_INDEX": "4"}, Shard{5, 5}, ""},
		{"an indexed job of fewer", "k8s/4", map[string]string{"JOB_COMPLETION_INDEX": "4"}, Shard{}, "goes from 1 to 4"},
		{"no array", "slurm", nil, Shard{}, "no SLURM_ARRAY_TASK_ID"},
		{"no job", "k8s/5", nil, Shard{}, "no JOB_COMPLETION_INDEX"},
		{"a job of unknown size", "k8s", nil, Shard{}, "k8s/N"},
		{"from 0", "0/4", nil, Shard{}, "goes from 1 to 4"},
		{"beyond", "5/4", nil, Shard{}, "goes from 1 to 4"},
		{"of none", "1/0", nil, Shard{}, "N is 1 to"},
		{"a word", "first", nil, Shard{}, "write I/N"},
	} {
		got, err := ParseShard(test.text, func(name string) (string, bool) { v, ok := test.env[name]; return v, ok })
		if test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) || test.wrong == "" && (err != nil || got != test.want) {
			t.Errorf("%s: %v, %v", test.says, got, err)
		}
	}
	for _, of := range []int{1, 2, 3, 8, 100} {
		all := 0
		for i := range of {
			all += (Shard{i + 1, of}).cells(37)
		}
		if all != 37 {
			t.Errorf("%d shards have %d of 37 cells", of, all)
		}
	}
}

// A whole sweep's events a second, to be compared with BenchmarkRun's in the same run.
func BenchmarkSweep(b *testing.B) {
	for b.Loop() {
		s := sweepOf(b, "herd-100", 10, Shard{}, "provider.seats=3..98/20", "policies.full-jitter.backoff.exponential.base=100ms..1090ms/20")
		if _, err := s.Run(context.Background(), nil, 1, nil); err != nil {
			b.Fatal(err)
		}
	}
}
