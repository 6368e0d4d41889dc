package live

import (
	"net/http"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// measured is how long a client waits, by the server's clock, that is refused once with a
// hint in these words.
func measured(t *testing.T, mode policies.HintMode, own time.Duration, after, ms, body string) (time.Duration, *model.Summary) {
	t.Helper()
	c := chapterConfig(1, "told")
	c.Clients[0].Network = model.NetworkConfig{}
	told := policies.Default()["naive"]
	told.Backoff = policies.BackoffConfig{Constant: &policies.Constant{Delay: own}}
	told.Hint.Mode = mode
	c.Policies = policies.Registry{"told": told}
	var came []time.Time
	s := against(t, c, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if came = append(came, time.Now()); len(came) > 1 {
			sse(false, part, finish, done)(w, r)
			return
		}
		for name, value := range map[string]string{"Retry-After": after, "Retry-After-Ms": ms} {
			if value != "" {
				w.Header().Set(name, value)
			}
		}
		says(http.StatusTooManyRequests, "application/json", `{"error": {"message": "`+body+`"}}`)(w, r)
	}))
	if len(came) != 2 {
		t.Fatalf("%d attempts came, want 2", len(came))
	}
	return came[1].Sub(came[0]), s
}
