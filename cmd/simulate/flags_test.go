package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestFlagsThatAreWrongSaySo(t *testing.T) {
	file := writeFile(t, "file", "")
	compare := []string{"compare", "herd-100", "--vary", "policy=naive,none"}
	for _, test := range []struct {
		says string
		args []string
		want string
	}{
		{"an empty seed", []string{"run", "herd-100", "--seed", ""}, "--seed has no value; write one"},
		{"an empty folder", []string{"run", "herd-100", "--out="}, "--out has no value; write one"},
		{"an empty chart", []string{"run", "herd-100", "--chart", " "}, "--chart has no value; write one"},
		{"an empty client", []string{"trace", "herd-100", "--client", ""}, "--client has no value; write one"},
		{"a seed with a zero before it, as in a file", []string{"run", "herd-100", "--seed", "010"}, `--seed: "010" begins with a zero, which some read as octal; write 10`},
		{"a count with a zero before it", []string{"run", "herd-100", "--seeds", "010"}, `--seeds "010": write a whole number from 1`},
		{"a count of another base", []string{"run", "herd-100", "--seeds", "0x10"}, `--seeds "0x10": write a whole number from 1`},
		{"jobs below 1", []string{"run", "herd-100", "--jobs", "-1"}, `--jobs "-1": write a whole number from 1`},
		{"a switch with a value", []string{"run", "herd-100", "--json=maybe"}, `--json "maybe": write true or false`},
		{"a flag without its value", []string{"run", "herd-100", "--seed"}, "--seed needs a value"},
		{"a misspelled flag", []string{"run", "herd-100", "--sed", "3"}, "there is no flag --sed; did you mean --seed?"},
		{"a misspelled verb", []string{"rnu", "herd-100"}, `there is no verb "rnu"; did you mean run?`},
		{"two scenarios", []string{"run", "a", "b"}, "run takes one scenario, but got 2: a b"},
		{"two names", []string{"show", "a", "b"}, "show takes one built-in scenario, but got 2: a b"},
		{"two charts", []string{"run", "herd-100", "--chart", "a.svg", "--chart", "b.svg"}, "--chart is given twice; write it once"},
		{"two keys to vary", append(compare, "--vary", "provider.seats=1,2"), "--vary is given twice; write it once"},
		{"a value twice", []string{"compare", "herd-100", "--vary", "policy=naive,none,naive"}, `--vary policy: "naive" and "naive" are the same value`},
		{"a value twice, written otherwise", []string{"compare", "herd-100", "--vary", `policy=naive,"naive"`}, "are the same value"},
		{"a misspelled key to vary", []string{"compare", "herd-100", "--vary", "polcy=naive,none"}, "--vary: polcy: unknown key; did you mean policy?"},
		{"values to vary that are wrong, all of them", []string{"compare", "herd-100", "--vary", "policy=niave,nono"}, "did you mean none?"},
		{"a wrong key that is not the varied one", append(compare, "--set", "provider.seat=3"), "--set: provider.seat"},
		{"a key without values", []string{"compare", "herd-100", "--vary", "polcy="}, `--vary "polcy="`},
		{"a folder that is a file", []string{"run", "herd-100", "--out", file}, "--out " + file + ": is a file"},
		{"a folder in a file", []string{"run", "herd-100", "--out", filepath.Join(file, "a", "b")}, "--out " + filepath.Join(file, "a", "b") + ": cannot be written"},
		{"a chart in a file", append(compare, "--out", "off", "--chart", filepath.Join(file, "a.svg")), "cannot be written"},
		{"a chart that is a folder", []string{"run", "herd-100", "--chart", "d.svg"}, "--chart d.svg: is a folder"},
		{"a million seeds of each arm", []string{"compare", "herd-100", "--vary", "policy=naive,none", "--seeds", "1000000"}, "GB of memory, and at most 2 GB may be used; write --seeds "},
		{"more seeds than a disk has room for", []string{"run", "herd-100", "--seeds", "1000000000"}, "thousands of GB on the disk; write --seeds "},
		{"as many seeds as there are numbers", []string{"compare", "herd-100", "--vary", "policy=naive,none", "--seeds", "9223372036854775807"}, "thousands of GB"},
		{"more seeds than there are numbers", []string{"run", "herd-100", "--seeds", "99999999999999999999"}, "--seeds 99999999999999999999 is far too large"},
	} {
		t.Run(test.says, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.Mkdir("d.svg", 0o755); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			code, stdout, stderr := call(context.Background(), test.args...)
			if code != exitBadInput || stdout != "" || !strings.Contains(stderr, test.want) {
				t.Errorf("exit code %d; stderr, which should hold %q:\n%s", code, test.want, stderr)
			}
			if strings.Count(stderr, test.want) != 1 || strings.Count(stderr, "\n") > 2 {
				t.Errorf("it is said more than once:\n%s", stderr)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %v", took)
			}
			if left, err := os.ReadDir("."); err != nil || len(left) != 1 {
				t.Errorf("files were left: %v", left)
			}
		})
	}
}

func TestTheFlagSaysTheSameAsTheFile(t *testing.T) {
	for _, seed := range []string{"010", "x", "-1", "1.5", "18446744073709551616", "[1]"} {
		_, _, byFlag := simulate(t, "run", "herd-100", "--seed", seed)
		_, _, bySet := simulate(t, "run", "herd-100", "--set", "seed="+seed)
		if byFlag == "" || byFlag != strings.Replace(bySet, "--set: seed: ", "--seed: ", 1) {
			t.Errorf("--seed %s is told %sand --set seed=%s %s", seed, byFlag, seed, bySet)
		}
	}
}

// UX-D6: an expectation that fails in any arm fails the comparison.
func TestCompareChecksExpectations(t *testing.T) {
	args := []string{"compare", "herd-100", "--vary", "policy=full-jitter,none", "--seeds", "5", "--out", "off"}
	code, stdout, stderr := simulate(t, args...)
	if code != exitExpect || stdout == "" || !strings.Contains(stderr, "(in 5 of 5 seeds under none)") || strings.Contains(stderr, "under full-jitter") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if code, _, stderr := simulate(t, append(args, "--set", "expect=[]")...); code != 0 {
		t.Errorf("without expectations: exit code %d: %s", code, stderr)
	}
	args[3] = "provider.seats=3,4"
	if _, _, stderr := simulate(t, append(args, "--set", "expect=[attempts == 1]")...); !strings.Contains(stderr, "(in 5 of 5 seeds under provider.seats=4)") {
		t.Errorf("another key than policy: %s", stderr)
	}
}

func TestTheSameSeedGivesTheSameBytesHoweverItIsGiven(t *testing.T) {
	t.Chdir(t.TempDir())
	ways := [][]string{nil, {"--seed", "1"}, {"--set", "seed=1"}}
	for i, way := range ways {
		args := append([]string{"run", "herd-100", "--out", string(rune('a' + i))}, way...)
		if code, _, stderr := call(context.Background(), args...); code != 0 {
			t.Fatal(stderr)
		}
	}
	for _, file := range append([]string{"summary.json", "slots.csv"}, pages...) {
		first, err := os.ReadFile(filepath.Join("a", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{"b", "c"} {
			if other, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !bytes.Equal(first, other) {
				t.Errorf("%s/%s differs (%v)", dir, file, err)
			}
		}
	}
}

// broken is an output that takes so many bytes and no more.
type broken struct{ room int }

func (b *broken) Write(p []byte) (int, error) {
	if b.room -= len(p); b.room < 0 {
		return 0, syscall.EBADF
	}
	return len(p), nil
}

func TestAnOutputThatFailsIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"list"},
		{"list", "--providers"},
		{"list", "--policies"},
		{"list", "--json"},
		{"show", "herd-100"},
		{"check", "herd-100"},
		{"schema"},
		{"version"},
		{"help"},
		{"run", "--help"},
		{"help", "run"},
		{"trace", "herd-100"},
		{"run", "gate-20", "--out", "off"},
		{"run", "gate-20", "--out", "off", "--json"},
		{"run", "gate-20", "--seeds", "2", "--json", "--out", "off"},
		{"compare", "herd-100", "--vary", "policy=naive,full-jitter", "--seeds", "2", "--out", "off"},
	} {
		for _, room := range []int{0, 12} {
			var stderr bytes.Buffer
			code := command{stdout: &broken{room}, stderr: &stderr}.run(context.Background(), args)
			if code != exitStuck || !strings.Contains(stderr.String(), "writing the results: bad file descriptor") || strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("%v: exit code %d: %s", args, code, &stderr)
			}
		}
	}
}

func TestDocumentsOfListCheckAndTrace(t *testing.T) {
	wrong := writeFile(t, "wrong.yaml", "name: wrong\nclients: [{name: a, cuont: 3}]\n")
	for _, test := range []struct {
		args []string
		code int
		want []string // keys on the way, then what the value's text holds
	}{
		{[]string{"list", "--json"}, 0, []string{"scenarios", "herd-100"}},
		{[]string{"list", "--json", "--policies"}, 0, []string{"policies", "full-jitter"}},
		{[]string{"list", "--json", "--providers"}, 0, []string{"providers", "openai"}},
		{[]string{"check", "herd-100", "--json", "--set", "provider.seats=9"}, 0, []string{"valid", "true"}},
		{[]string{"check", wrong, "--json"}, exitBadInput, []string{"mistakes", "count"}},
		{[]string{"check", "herd-100", "--json", "--set", "provider.seat=9"}, exitBadInput, []string{"mistakes", "--set"}},
		{[]string{"check", "nothing-here", "--json"}, exitBadInput, []string{"valid", "false"}},
		{[]string{"trace", "herd-20", "--json"}, 0, []string{"operations", "first_token_s"}},
		{[]string{"trace", "herd-20", "--json"}, 0, []string{"seed", `"1"`}},
		{[]string{"trace", "herd-20", "--json"}, 0, []string{"operations", `"axis":"seats"`}},
	} {
		code, stdout, _ := simulate(t, test.args...)
		var document map[string]json.RawMessage
		if err := json.Unmarshal([]byte(stdout), &document); err != nil || code != test.code {
			t.Errorf("%v: exit code %d, %v", test.args, code, err)
			continue
		}
		var value bytes.Buffer
		if err := json.Compact(&value, document[test.want[0]]); err != nil || !strings.Contains(value.String(), test.want[1]) {
			t.Errorf("%v: %s is %.300s", test.args, test.want[0], &value)
		}
	}
}

func TestCheckAnswersWithTheFilesName(t *testing.T) {
	mine := writeFile(t, "mine.yaml", "name: other\nclients: [{name: a}]\n")
	if _, stdout, _ := simulate(t, "check", mine); stdout != mine+": no mistakes\n" {
		t.Errorf("it says %s", stdout)
	}
	if code, _, stderr := simulate(t, "check", "herd-100", "--set", "provider.seat=9"); code != exitBadInput || !strings.Contains(stderr, "did you mean seats?") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}

func TestNoticesStayPlain(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := "a\x1b[2Jb"
	code, _, stderr := call(context.Background(), "run", "gate-20", "--out", dir)
	if code != 0 || !strings.Contains(stderr, `a\x1b[2Jb`) {
		t.Errorf("exit code %d: %q", code, stderr)
	}
	staysPlain(t, "stderr", stderr)
	_, _, stderr = call(context.Background(), "run", "gate-20", "--out", filepath.Join(dir, "summary.json", "x"))
	staysPlain(t, "stderr of a mistake", stderr)
}

func TestOneSeedIsOne(t *testing.T) {
	_, stdout, _ := simulate(t, "compare", "herd-100", "--vary", "policy=naive,full-jitter", "--seeds", "1", "--out", "off")
	if !strings.Contains(stdout, ", 1 seed\n") || strings.Contains(stdout, "1 seeds") {
		t.Errorf("it says\n%s", stdout)
	}
}

// The time that is left is that of all runs, under whatever policy.
func TestProgressCountsAllArms(t *testing.T) {
	var stderr bytes.Buffer
	p := command{stderr: &stderr, live: true}.progress(&common{}, "runs", 80)
	p.began = p.began.Add(-10 * time.Second)
	p.told = p.began
	p.at(20)
	p.end()
	if !strings.Contains(stderr.String(), "20 of 80 runs, about 30s left") {
		t.Errorf("it says %q", &stderr)
	}
}

func TestTheTerminalPointsToThePage(t *testing.T) {
	_, _, stderr := simulate(t, "run", "gate-20")
	if want := "open " + filepath.Join("out", "gate-20", "report.html"); !strings.Contains(stderr, want) {
		t.Errorf("stderr does not say %q: %s", want, stderr)
	}
	if _, help, _ := simulate(t, "compare", "--help"); !strings.Contains(help, "out/<scenario>-compared") {
		t.Errorf("the help of compare does not say where its files go:\n%s", help)
	}
	if _, help, _ := simulate(t, "help"); !strings.Contains(help, "go install ./cmd/simulate") {
		t.Errorf("help does not say how to install:\n%s", help)
	}
}

// Written a run at a time, a document is what it would be at once.
func TestRunsDocument(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		file string
		args []string
		runs int
	}{
		{"summary.json", []string{"run", "herd-100", "--seeds", "3"}, 6},
		{"compare.json", []string{"compare", "herd-100", "--vary", "policy=naive,full-jitter,none", "--seeds", "2", "--set", "expect=[]"}, 6},
		{"compare.json", []string{"compare", "herd-100", "--vary", "policy=naive,full-jitter", "--seeds", "1"}, 2},
	} {
		if code, _, stderr := call(context.Background(), append(test.args, "--out", "out")...); code != 0 {
			t.Fatal(stderr)
		}
		got, err := os.ReadFile(filepath.Join("out", test.file))
		if err != nil {
			t.Fatal(err)
		}
		var again bytes.Buffer
		if err := json.Indent(&again, got, "", "  "); err != nil || !bytes.Equal(again.Bytes(), got) {
			t.Errorf("%v: not indented as JSON is (%v)", test.args, err)
		}
		if n := bytes.Count(got, []byte(`"says":`)); n != test.runs {
			t.Errorf("%v: %d runs, want %d", test.args, n, test.runs)
		}
	}
}
