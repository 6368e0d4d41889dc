package live

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// hinted is a client that waits its own time where it does not follow a hint.
func hinted(mode policies.HintMode, own time.Duration) *model.Config {
	c := chapterConfig(1, "told")
	c.Clients[0].Network = model.NetworkConfig{}
	told := policies.Default()["naive"]
	told.Backoff = policies.BackoffConfig{Constant: &policies.Constant{Delay: own}}
	told.Hint.Mode = mode
	c.Policies = policies.Registry{"told": told}
	return c
}

// refusal is a server that refuses once, with a hint in these words.
type refusal struct {
	after, ms, body string
	came            []time.Time
}

func (f *refusal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.came = append(f.came, time.Now()); len(f.came) > 1 {
		sse(false, part, finish, done)(w, r)
		return
	}
	for name, value := range map[string]string{"Retry-After": f.after, "Retry-After-Ms": f.ms} {
		if value != "" {
			w.Header().Set(name, value)
		}
	}
	says(http.StatusTooManyRequests, "application/json", `{"error": {"message": "`+f.body+`"}}`)(w, r)
}

// waited is how long the client took to come back, by the server's clock.
func (f *refusal) waited(t *testing.T) time.Duration {
	t.Helper()
	if len(f.came) != 2 {
		t.Fatalf("%d attempts came, want 2", len(f.came))
	}
	return f.came[1].Sub(f.came[0])
}

// RS-D1, the client's side: a server answers once with each form of a hint, and the client's
// wait is as the table has it. Its own wait is 3 s; the wall of a bubble is 2000-01-01 00:00:00 UTC.
func TestHintFormsAsMeasured(t *testing.T) {
	const own = 3 * time.Second
	for _, row := range []struct {
		says          string
		after, ms     string
		body          string
		obey          time.Duration
		given, broken int64
	}{
		{"a date two minutes ahead, against the client's own clock", "Sat, 01 Jan 2000 00:02:00 GMT", "", "", 2 * time.Minute, 1, 0},
		{"a date in the form of RFC 850", "Saturday, 01-Jan-00 00:00:30 GMT", "", "", 30 * time.Second, 1, 0},
		{"a date that is past: at once", "Fri, 31 Dec 1999 23:59:59 GMT", "", "", 0, 1, 0},
		{"0: at once", "0", "", "", 0, 1, 0},
		{"whole seconds", "2", "", "", 2 * time.Second, 1, 0},
		{"seconds with a fraction", "1.25", "", "", 1250 * time.Millisecond, 1, 0},
		{"milliseconds", "", "1250", "", 1250 * time.Millisecond, 1, 0},
		{"both: the finer", "2", "1250", "", 1250 * time.Millisecond, 1, 0},
		{"in the text alone", "", "", "Please try again in 1.25s.", 1250 * time.Millisecond, 1, 0},
		{"negative: the policy's own", "-5", "", "", own, 0, 1},
		{"no number: the policy's own", "NaN", "", "", own, 0, 1},
		{"junk: the policy's own", "soon", "", "", own, 0, 1},
		{"a date of another zone: the policy's own", "Sat, 01 Jan 2000 00:02:00 CET", "", "", own, 0, 1},
		{"nothing: the policy's own", "", "", "", own, 0, 0},
	} {
		for _, mode := range []policies.HintMode{policies.ObeyHint, policies.FloorHint, policies.IgnoreHint} {
			want := map[policies.HintMode]time.Duration{policies.ObeyHint: row.obey, policies.FloorHint: max(own, row.obey), policies.IgnoreHint: own}[mode]
			hint := refusal{after: row.after, ms: row.ms, body: row.body}
			s := against(t, hinted(mode, own), &hint)
			if wait, h := hint.waited(t), s.Attempts.Hints; wait != want || h.Given != row.given || h.Malformed != row.broken {
				t.Errorf("%s; %s: the client waits %v, hints %+v; want %v", row.says, mode, wait, h, want)
			}
		}
	}
}

// RS-D1 over TCP: no client comes before its time, nor more than 50 ms after it. The machine
// may hold each up, but not three times in a row.
func TestHintFormsOverTCP(t *testing.T) {
	if raced || testing.Short() {
		t.Skip("seconds of real time, and the race detector takes more than 50 ms of it")
	}
	const own, most, tries = 600 * time.Millisecond, 50 * time.Millisecond, 3
	for _, row := range []struct {
		says  string
		hint  refusal
		ahead time.Duration // a date that lies so far ahead, or less to the whole second
		obey  time.Duration
	}{
		{"a date ahead", refusal{}, 2 * time.Second, 0},
		{"a date that is past: at once", refusal{after: "Fri, 31 Dec 1999 23:59:59 GMT"}, 0, 0},
		{"0: at once", refusal{after: "0"}, 0, 0},
		{"whole seconds", refusal{after: "1"}, 0, time.Second},
		{"seconds with a fraction", refusal{after: "0.75"}, 0, 750 * time.Millisecond},
		{"milliseconds", refusal{ms: "750"}, 0, 750 * time.Millisecond},
		{"in the text alone", refusal{body: "Please try again in 0.75s."}, 0, 750 * time.Millisecond},
		{"negative: the policy's own", refusal{after: "-5"}, 0, own},
		{"no number: the policy's own", refusal{after: "NaN"}, 0, own},
		{"junk: the policy's own", refusal{after: "soon"}, 0, own},
	} {
		for _, mode := range []policies.HintMode{policies.ObeyHint, policies.FloorHint} {
			t.Run(fmt.Sprintf("%s; %s", row.says, mode), func(t *testing.T) {
				t.Parallel()
				for try := 1; ; try++ {
					hint, due := row.hint, row.obey
					var date time.Time
					if row.ahead > 0 {
						date = time.Now().Add(row.ahead).Truncate(time.Second)
						hint.after = date.UTC().Format(http.TimeFormat)
					}
					n, err := Loopback()
					if err != nil {
						t.Fatal(err)
					}
					over(t, n, hinted(mode, own), &hint)
					waited := hint.waited(t)
					if row.ahead > 0 {
						due = date.Sub(hint.came[0])
					}
					if mode == policies.FloorHint {
						due = max(due, own)
					}
					switch late := waited - due; {
					case late < 0:
						t.Fatalf("came back after %v, %v too early", waited, -late)
					case late <= most:
						return
					case try == tries:
						t.Fatalf("came back after %v, %v too late, and so each time", waited, late)
					}
				}
			})
		}
	}
}
