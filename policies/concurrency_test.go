package policies

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestConcurrencyGate(t *testing.T) {
	g := NewConcurrencyGate(2)
	expect := func(says string, want ...Ticket) {
		t.Helper()
		got, wake := g.Poll(0, nil)
		if !slices.Equal(got, want) || wake != Never {
			t.Fatalf("%s: granted %v (wake %v), want %v", says, got, wake, want)
		}
	}
	for id := range Ticket(5) {
		g.Enter(0, id, 0, 0)
	}
	expect("the first two get in", 0, 1)
	expect("nobody is granted twice")
	g.Enter(0, 3, 0, 0)
	g.Leave(0, 2, Cancelled)
	g.Leave(0, 9, Succeeded)
	expect("a withdrawal, a second Enter and a stranger free nothing")
	g.Leave(0, 1, Succeeded)
	expect("who withdrew is passed over", 3)
	g.Enter(0, 2, 0, 0)
	g.Leave(0, 0, Succeeded)
	g.Leave(0, 3, Rejected)
	expect("who came back stands at the end", 4, 2)
	g.Leave(0, 4, Succeeded)
	g.Leave(0, 4, Succeeded)
	g.Leave(0, 2, Succeeded)
	if g.Free() != 2 || g.Waiting() != 0 {
		t.Errorf("%d permits free and %d waiting at the end, want 2 and 0: leaving twice frees once", g.Free(), g.Waiting())
	}
}

// The gate against a plain list, over random calls.
func TestConcurrencyGateAgainstAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		permits := rapid.Int64Range(1, 4).Draw(t, "permits")
		g := NewConcurrencyGate(permits)
		var line, holders []Ticket
		for range rapid.IntRange(1, 200).Draw(t, "calls") {
			id := Ticket(rapid.IntRange(0, 40).Draw(t, "ticket"))
			waits, holds := slices.Index(line, id), slices.Index(holders, id)
			if rapid.Bool().Draw(t, "enter") {
				g.Enter(0, id, 0, 0)
				if waits < 0 && holds < 0 {
					line = append(line, id)
				}
			} else {
				g.Leave(0, id, Succeeded)
				if waits >= 0 {
					line = slices.Delete(line, waits, waits+1)
				}
				if holds >= 0 {
					holders = slices.Delete(holders, holds, holds+1)
				}
			}
			if rapid.Bool().Draw(t, "poll") {
				var want []Ticket
				for len(line) > 0 && int64(len(holders)) < permits {
					want = append(want, line[0])
					holders = append(holders, line[0])
					line = line[1:]
				}
				if got, _ := g.Poll(0, nil); !slices.Equal(got, want) {
					t.Fatalf("granted %v, want %v", got, want)
				}
				if g.Free() > 0 && g.Waiting() > 0 {
					t.Fatalf("%d permits are free while %d wait", g.Free(), g.Waiting())
				}
			}
			if g.Free() != permits-int64(len(holders)) || g.Waiting() != len(line) {
				t.Fatalf("%d free and %d waiting, want %d and %d", g.Free(), g.Waiting(), permits-int64(len(holders)), len(line))
			}
		}
	})
}

func TestConcurrencyGateKeepsNoMemoryOfThoseWhoWithdrew(t *testing.T) {
	g := NewConcurrencyGate(1)
	g.Enter(0, 0, 0, 0)
	g.Poll(0, nil)
	for i := range 100_000 {
		id := Ticket(1 + i%7)
		g.Enter(0, id, 0, 0)
		g.Leave(0, id, Cancelled)
	}
	if len(g.ring) > 32 || len(g.place) != 1 {
		t.Errorf("the line has room for %d and %d are known, after everybody but one withdrew", len(g.ring), len(g.place))
	}
}

func BenchmarkConcurrencyGate(b *testing.B) {
	g := NewConcurrencyGate(3)
	var buf []Ticket
	for id := range Ticket(100) {
		g.Enter(0, id, 0, 0)
	}
	buf, _ = g.Poll(0, buf)
	holders := slices.Clone(buf)
	b.ReportAllocs()
	for b.Loop() {
		id := holders[0]
		g.Leave(0, id, Succeeded)
		g.Enter(0, id, 0, 0)
		buf, _ = g.Poll(0, buf[:0])
		holders = append(holders[:0], holders[1:]...)
		holders = append(holders, buf...)
	}
}
