package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/experiment"
	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// chapterProvider starts the chapter's own provider, which shares nothing with us, with what
// stands where a request says nothing (a delay in ms before each token, after how many an answer
// is cut, and how), and returns where it listens.
func chapterProvider(t *testing.T, defaults ...string) string {
	t.Helper()
	args := append([]string{filepath.Join(sdks(t, "node"), "chapter", "provider.mjs"), "0"}, defaults...)
	program := exec.CommandContext(t.Context(), "node", args...)
	program.Stderr = os.Stderr
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// loaded is what `load` says of a run against the chapter's provider.
type loaded struct {
	Wall       float64 `json:"wall_s"`
	Operations struct{ Total, Succeeded int }
	Attempts   struct {
		Total, Rejected float64
		ByStatus        map[string]int `json:"by_status"`
	}
	Herd struct {
		BusiestRetry float64 `json:"busiest_retry"`
	}
	Groups map[string]loadedGroup
}

type loadedGroup struct {
	Operations struct {
		Succeeded, Truncated int64
		Failures             struct{ Incomplete int64 }
	}
	Tokens struct{ Delivered int64 }
}

func loadChapter(t *testing.T, url, scenario string, flags ...string) (r loaded) {
	t.Helper()
	args := append([]string{"load", scenario, "--base-url", url, "--wire", "chapter", "--json", "--out", "off", "--set", "expect=[]"}, flags...)
	code, stdout, stderr := call(context.Background(), args...)
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// serviceOf is the service of a chapter's provider, as a scenario has it: of seven rounds of three answers
// of 13 tokens, as the gate lets them through.
func serviceOf(t *testing.T, url string) string {
	t.Helper()
	begun := time.Now()
	for range 7 {
		var three sync.WaitGroup
		for range 3 {
			three.Go(func() {
				r, err := http.Get(url + "/v1/chat")
				if err != nil {
					t.Error(err)
					return
				}
				defer r.Body.Close()
				if _, err := io.Copy(io.Discard, r.Body); err != nil {
					t.Error(err)
				}
			})
		}
		three.Wait()
	}
	return fmt.Sprintf("provider.service={first_token: %[1]v, per_token: %[1]v}", time.Since(begun)/7/13)
}

// E2, E7 (jitter) and E8: our clients before the chapter's provider. The median of three runs
// lies within the virtual 99 % interval; of the gate, which has no chance in it, within 0.03 s
// of a service as long as the provider's is here: Node's 9 ms were 9.7 in the chapter's runs. One that is 10 % longer adds 0.087 s.
func TestLoadAgainstChapterProvider(t *testing.T) {
	for _, row := range []struct {
		scenario, delay string
		clients         int
		late            float64 // seconds
	}{{"herd-20", "9", 20, 0}, {"herd-100", "2", 100, 0}, {"gate-20", "9", 20, 0.03}} {
		t.Run(row.scenario, func(t *testing.T) {
			var set []string
			if row.late > 0 {
				set = []string{serviceOf(t, chapterProvider(t, row.delay))}
			}
			figures := map[string][]float64{}
			for range 3 {
				r := loadChapter(t, chapterProvider(t, row.delay), row.scenario)
				if r.Operations.Succeeded != row.clients || r.Attempts.ByStatus["200"] != row.clients || int(r.Attempts.Total-r.Attempts.Rejected) != row.clients {
					t.Errorf("%+v", r)
				}
				figures["requests"] = append(figures["requests"], r.Attempts.Total)
				figures["wall"] = append(figures["wall"], r.Wall)
				figures["busiest retry slot"] = append(figures["busiest retry slot"], r.Herd.BusiestRetry)
			}
			for name, of := range map[string]func(*model.Summary) float64{
				"requests":           func(s *model.Summary) float64 { return float64(s.Attempts.Total) },
				"wall":               func(s *model.Summary) float64 { return float64(s.Wall) },
				"busiest retry slot": func(s *model.Summary) float64 { return float64(s.Herd.BusiestRetry) },
			} {
				if name == "busiest retry slot" && row.clients < 100 {
					continue // all 17 in virtual time, unless a slot begins among them
				}
				least, most := virtualInterval(t, row.scenario, of, set...)
				slices.Sort(figures[name])
				t.Logf("%s: %v, virtual 99 %%: %v to %v", name, figures[name], least, most)
				if m := figures[name][1]; m < least-row.late || m > most+row.late {
					t.Errorf("%s: the median of %v is not within %v to %v", name, figures[name], least, most)
				}
			}
		})
	}
}

// E4: three endings, as a strict client and a naive one of ours see them: what virtual time
// says of the same clients before a provider of our own.
func TestLoadEndingsAgainstChapterProvider(t *testing.T) {
	endings, err := scenarios.Load("endings")
	if err != nil {
		t.Fatal(err)
	}
	virtual, err := experiment.Run(context.Background(), endings, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		ending, most string // as the scenario's groups are called, and what they ask for
		provider     []string
	}{
		{"length", ", max_tokens: 5", []string{"20"}},
		{"closed", "", []string{"20", "5", "close"}},
		{"reset", "", []string{"20", "5"}},
	} {
		request := "request: {input_tokens: 20, output_tokens: 13, stream: true" + row.most + "}"
		clients := fmt.Sprintf("clients=[{name: strict, %s}, {name: naive, %s, stream: {completeness: naive}}]", request, request)
		r := loadChapter(t, chapterProvider(t, row.provider...), "endings", "--set", "provider.faults=[]", "--set", clients)
		for _, client := range []string{"strict", "naive"} {
			told := virtual.Summary.Groups[client+"-"+row.ending]
			var want loadedGroup
			want.Operations.Succeeded, want.Operations.Truncated = told.Operations.Succeeded, told.Operations.Truncated
			want.Operations.Failures.Incomplete, want.Tokens.Delivered = told.Operations.Failures.Incomplete, told.Tokens.Delivered
			if got := r.Groups[client]; got != want {
				t.Errorf("%s, a %s client: %+v, in virtual time %+v", row.ending, client, got, want)
			}
		}
	}
}

// E14: with a key the second attempt is told the answer that the first did not wait for, and
// it is made once; without one two are made, and none is received.
func TestLoadWithKeysAgainstChapterProvider(t *testing.T) {
	url := chapterProvider(t, "60")
	r := loadChapter(t, url, "idempotency")
	if r.Groups["keyed"].Operations.Succeeded != 1 || r.Groups["keyless"].Operations.Succeeded != 0 || r.Attempts.Total != 4 {
		t.Errorf("%+v", r)
	}
	response, err := http.Get(url + "/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var made struct{ Requests, Refused, Generated int }
	if err := json.NewDecoder(response.Body).Decode(&made); err != nil || made.Requests != 4 || made.Refused != 0 || made.Generated != 3 {
		t.Errorf("%v: %+v, want 4 requests and 3 answers", err, made)
	}
}
