package experiment

import (
	"strings"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// Two files a connection, and 50 besides.
func TestEnoughFiles(t *testing.T) {
	for _, row := range []struct {
		says                     string
		busiest, inFlight, queue int64
		allowed                  uint64
		want                     string // what the refusal says; "" for none
	}{
		{"a hundred at once, and 250 are allowed", 100, 3, 0, 250, ""},
		{"one fewer is allowed", 100, 3, 0, 249, "needs 250 open files, two for each of 100 connections at once and 50 besides, and this machine allows 249: write `ulimit -n 250`"},
		{"more wait than come at once", 10, 30, 90, 200, "`ulimit -n 290`"},
		{"one", 1, 1, 0, 52, ""},
	} {
		runs := []observed{{Summary: &model.Summary{}}, {Summary: &model.Summary{}}}
		runs[1].Herd.Busiest, runs[1].Provider.MaxInFlight, runs[1].Provider.MaxQueue = row.busiest, row.inFlight, row.queue
		err := enoughFiles("herd", connections(runs, nil), row.allowed)
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", row.says, err)
		}
	}
}

// From arrival to answer a connection is open; and what hangs has no seat.
func TestOpenAtOnce(t *testing.T) {
	line := func(arrived, answered time.Duration) model.TraceLine {
		return model.TraceLine{Arrived: arrived, Answered: answered}
	}
	for _, row := range []struct {
		says     string
		attempts []model.TraceLine
		want     int
	}{
		{"none", nil, 0},
		{"one after the other", []model.TraceLine{line(1, 2), line(3, 4), line(5, 6)}, 1},
		{"one comes as another goes", []model.TraceLine{line(1, 3), line(3, 4)}, 2},
		{"three of four", []model.TraceLine{line(1, 9), line(2, 3), line(4, 8), line(5, 6)}, 3},
		{"two that are never answered", []model.TraceLine{line(1, policies.Never), line(5, policies.Never), line(2, 3)}, 2},
		{"one that has not arrived", []model.TraceLine{line(policies.Never, policies.Never), line(2, 3)}, 1},
	} {
		if got := openAtOnce(row.attempts); got != row.want {
			t.Errorf("%s: %d, want %d", row.says, got, row.want)
		}
	}
	hang := inline(t, "provider: {faults: [{probability: 100%, hang: true}]}\nclients: [{count: 120, timeouts: {attempt: 3s}, policy: none}]\n")
	if result, lines := recorded(t, hang); connections([]observed{{Summary: result.Summary}}, lines) != 120 || openAtOnce(lines) != 120 {
		t.Errorf("120 that hang: %d, want 120", openAtOnce(lines))
	}
}
