package main

import (
	"context"
	"html"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestCompareWritesPages(t *testing.T) {
	mine := writeFile(t, "mine.yaml", "name: mine\nabout: A hundred at three seats.\nprovider: {seats: 3, service: {first_token: 30ms}}\nclients: [{name: herd, count: 100, policy: full-jitter}]\npolicies: {full-jitter: {attempts: unlimited, backoff: {exponential: {base: 200ms}, jitter: full}}}\n")
	tests := []struct {
		says  string
		args  []string
		shown []string
	}{
		{
			"two policies",
			[]string{"herd-100", "--vary", "policy=naive,full-jitter", "--seeds", "5"},
			[]string{"full-jitter is better than naive in wall, attempts, busiest retry slot", "The differences", "How sure", "When attempts were sent", "How long callers waited", "seats: 3", "simulate compare herd-100 --vary policy=naive,full-jitter --seed 1 --seeds 5</pre>", "simulate " + version()},
		},
		{
			"a file's name, not its path, and none of the flags that change no figure",
			[]string{mine, "--vary", "provider.seats=3,4", "--seed", "7", "--set", "policy=naive", "--set", "expect=[wall > 9s]", "--quiet", "--jobs", "1", "--seeds", "3"},
			[]string{"seats=4", "simulate compare mine.yaml --vary provider.seats=3,4 --seed 7 --seeds 3 --set policy=naive --set 'expect=[wall > 9s]'</pre>"},
		},
		{
			"more arms than can be told apart",
			[]string{mine, "--vary", "provider.seats=3,4,5,6,7,8,9,10,11", "--seeds", "2"},
			[]string{"Of 9 arms the first 8 are drawn", "seats=11", "--seeds 2</pre>"},
		},
		{
			"two arms that are one",
			[]string{"herd-100", "--vary", "provider.seats=200,300", "--seeds", "2"},
			[]string{"seats=300 and seats=200 are identical, seed by seed"},
		},
		{
			"nothing happens in any",
			[]string{"herd-100", "--vary", "policy=naive,full-jitter", "--set", "stop.after=0", "--set", "expect=[]", "--seeds", "2"},
			[]string{"cannot be compared", "No attempt was sent."},
		},
	}
	for _, test := range tests {
		t.Run(test.says, func(t *testing.T) {
			out := t.TempDir()
			chart := filepath.Join(out, "herds.svg")
			args := append([]string{"compare"}, append(test.args, "--out", out, "--chart", chart)...)
			if code, _, stderr := simulate(t, args...); code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr)
			}
			for _, file := range []string{"report.html", "charts.html", "compare.csv", "compare.md", "compare.json", "herds.svg"} {
				b, err := os.ReadFile(filepath.Join(out, file))
				if err != nil {
					t.Error(err)
				}
				if file != "report.html" {
					continue
				}
				page := strings.ReplaceAll(html.UnescapeString(string(b)), "\u00a0", " ")
				for _, want := range test.shown {
					if !strings.Contains(page, want) {
						t.Errorf("the page does not say %q", want)
					}
				}
				for _, bad := range []string{"NaN", out, filepath.Dir(mine)} {
					if strings.Contains(page, bad) {
						t.Errorf("the page says %q", bad)
					}
				}
			}
		})
	}
}

func TestCompareFindsMistakesFirst(t *testing.T) {
	for _, test := range []struct {
		says string
		args []string
		want string
	}{
		{"a picture of no known kind", []string{"--vary", "policy=naive,none", "--chart", "herd.gif"}, "ends in .svg or .png"},
		{"another script than ECharts", []string{"--vary", "policy=naive,none", "--echarts", writeFile(t, "e.js", "alert(1)")}, "echarts@5.6.0"},
		{"nothing to vary", nil, "--vary"},
		{"one value", []string{"--vary", "policy=naive"}, "nothing to be compared with"},
	} {
		code, stdout, stderr := simulate(t, append([]string{"compare", "herd-100", "--out", "out"}, test.args...)...)
		if code != exitBadInput || stdout != "" || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: exit code %d, %s", test.says, code, stderr)
		}
	}
}

func TestAnInterruptedComparisonHasNoPage(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, stop := context.WithCancelCause(context.Background())
	stop(interrupted{syscall.SIGINT})
	code, _, _ := call(ctx, "compare", "herd-100", "--vary", "policy=naive,full-jitter", "--out", "cut")
	if code != 130 {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(filepath.Join("cut", "report.html")); err == nil {
		t.Error("a page was made of what was not finished")
	}
}
