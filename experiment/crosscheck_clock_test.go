package experiment

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// Where nothing is late, the ticks see no pause; what they see is the worst where no timer is as late.
func TestWitness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWitness()
		stop := w.watch()
		<-w.Timer(10 * time.Millisecond).C
		stop()
		if got, want := w.lateness(), (Lateness{Timers: 1}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		w.pause(4 * time.Millisecond)
		w.pause(3 * time.Millisecond)
		w.note(2 * time.Millisecond)
		if got, want := w.lateness(), (Lateness{Timers: 2, P90: 2 * time.Millisecond, Worst: 4 * time.Millisecond}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	})
}

// Ticks that are held up, as a machine does it, are a pause.
func TestWitnessSeesPauses(t *testing.T) {
	const held = 20 * time.Millisecond
	w := newWitness()
	stop := w.watch()
	defer stop()
	w.mu.Lock() // the ticks wait for it
	<-time.After(held)
	w.mu.Unlock()
	for begun := time.Now(); w.lateness().Worst < held/2; runtime.Gosched() {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("the worst of them is %v", w.lateness().Worst)
		}
	}
}

// By hand, of a loopback of 1 ms (median), 2 ms (mean) and 0.5 ms (jitter), whose latest crowd took 10 ms.
func TestWhatATimeMayBeOff(t *testing.T) {
	l := Loopback{Delay: time.Millisecond, Mean: 2 * time.Millisecond, Jitter: time.Millisecond / 2, Crowded: 4 * time.Millisecond, CrowdedMost: 10 * time.Millisecond}
	if got, want := l.Calm(3), 16*time.Millisecond; got != want { // 3 x (1 + 1) + 10
		t.Errorf("the earliest: %v, want %v", got, want)
	}
	if got, want := l.Allowance(3), 20*time.Millisecond; got != want { // 3 x (1 + 2) + 2 x 0.5 + 10
		t.Errorf("all: %v, want %v", got, want)
	}
}
