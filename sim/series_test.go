package sim

import (
	"testing"
	"time"
)

type stamp struct {
	t time.Duration
	n int64
}

func TestSeries(t *testing.T) {
	for _, c := range []struct {
		name  string
		adds  []stamp
		want  []int64
		max   int64
		where int
	}{
		{"nothing counted: no slots", nil, nil, 0, -1},
		{"a slot includes its start and not its end", []stamp{{0, 1}, {99, 2}, {100, 4}}, []int64{3, 4}, 4, 1},
		{"slots skipped count 0", []stamp{{350, 5}}, []int64{0, 0, 0, 5}, 5, 3},
		{"times may come in any order", []stamp{{250, 1}, {10, 2}}, []int64{2, 0, 1}, 2, 0},
		{"of equal maxima the first is named", []stamp{{110, 3}, {210, 3}}, []int64{0, 3, 3}, 3, 1},
		{"counts may be taken back", []stamp{{0, 2}, {0, -2}}, []int64{0}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewSeries(100)
			for range 2 { // again after Reset
				for _, a := range c.adds {
					s.Add(a.t, a.n)
				}
				if s.Len() != len(c.want) || s.Width() != 100 {
					t.Fatalf("%d slots of %d, want %d", s.Len(), s.Width(), len(c.want))
				}
				for i, n := range c.want {
					if s.At(i) != n {
						t.Errorf("slot %d: %d, want %d", i, s.At(i), n)
					}
				}
				if s.At(-1) != 0 || s.At(len(c.want)) != 0 {
					t.Error("a slot outside counts something")
				}
				if n, i := s.Max(); n != c.max || i != c.where {
					t.Errorf("maximum %d in slot %d, want %d in %d", n, i, c.max, c.where)
				}
				s.Reset()
			}
		})
	}
}

func TestGauge(t *testing.T) {
	for _, c := range []struct {
		name string
		sets []stamp
		end  time.Duration
		want []int64
		max  int64
	}{
		{"never set: level 0", nil, 250, []int64{0, 0, 0}, 0},
		{"a run of no length has no slots", nil, 0, nil, 0},
		{"the sample is the level at the end of the slot", []stamp{{10, 5}, {90, 2}}, 100, []int64{2}, 5},
		{"a level set at the very end belongs to the next slot", []stamp{{10, 5}, {100, 7}}, 200, []int64{5, 7}, 7},
		{"a level lasts", []stamp{{10, 5}, {310, 1}}, 400, []int64{5, 5, 5, 1}, 5},
		{"the end of the run may cut the last slot short", []stamp{{10, 5}, {120, 3}}, 130, []int64{5, 3}, 5},
		{"the end on a slot's edge begins no slot", []stamp{{10, 5}, {100, 9}}, 100, []int64{5}, 9},
		{"a peak within one instant is the maximum and in no sample", []stamp{{50, 9}, {50, 1}}, 100, []int64{1}, 9},
		{"levels below 0 are kept", []stamp{{50, -3}}, 100, []int64{-3}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewGauge(100)
			for range 2 {
				for _, s := range c.sets {
					g.Set(s.t, s.n)
				}
				g.Close(c.end)
				if g.Len() != len(c.want) || g.Width() != 100 {
					t.Fatalf("%d slots of %d, want %d", g.Len(), g.Width(), len(c.want))
				}
				for i, n := range c.want {
					if g.At(i) != n {
						t.Errorf("slot %d: %d, want %d", i, g.At(i), n)
					}
				}
				if g.Max() != c.max || g.At(-1) != 0 || g.At(g.Len()) != 0 {
					t.Errorf("maximum %d, want %d", g.Max(), c.max)
				}
				g.Reset()
			}
		})
	}
}

func BenchmarkSeriesAdd(b *testing.B) {
	s, t := NewSeries(100*time.Millisecond), time.Duration(0)
	b.ReportAllocs()
	for b.Loop() {
		s.Add(t%time.Hour, 1)
		t += time.Millisecond
	}
}

func BenchmarkGaugeSet(b *testing.B) {
	g, t := NewGauge(100*time.Millisecond), time.Duration(0)
	b.ReportAllocs()
	for b.Loop() {
		if t == time.Hour {
			g.Reset()
			t = 0
		}
		g.Set(t, int64(t))
		t += time.Millisecond
	}
}
