package sim

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

const (
	keyClients = 1000
	keyDraws   = 10
)

var keySeeds = []uint64{0, 1, 2, 42}

// firstDraws has ten draws of a client in a row: five operations, two attempts.
func firstDraws(seed uint64) (u [keyClients][keyDraws]float64) {
	group := NewKey(seed, "batch")
	for c := range u {
		for j := range u[c] {
			u[c][j] = group.At(uint64(c)).At(uint64(j / 2)).At(uint64(j % 2)).At(3).Uniform()
		}
	}
	return u
}

// kolmogorovSmirnov returns sqrt(n) times the greatest distance between the
// distribution of u and the uniform one.
func kolmogorovSmirnov(u []float64) float64 {
	slices.Sort(u)
	n, d := float64(len(u)), 0.0
	for i, x := range u {
		d = max(d, float64(i+1)/n-x, x-float64(i)/n)
	}
	return d * math.Sqrt(n)
}

func TestDrawsAreUniform(t *testing.T) {
	const critical = 1.95 // Kolmogorov-Smirnov at the level of 0.1 %
	for _, seed := range keySeeds {
		u := firstDraws(seed)
		var all []float64
		for j := range keyDraws {
			var one []float64
			for c := range u {
				one = append(one, u[c][j])
			}
			all = append(all, one...)
			if d := kolmogorovSmirnov(one); d > critical {
				t.Errorf("seed %d, draw %d of all clients: distance %.3f, want below %v", seed, j, d, critical)
			}
		}
		if d := kolmogorovSmirnov(all); d > critical {
			t.Errorf("seed %d, all draws: distance %.3f, want below %v", seed, d, critical)
		}
	}
}

// correlation of pairs of numbers that are uniform in [0,1).
type correlation struct{ n, sum float64 }

func (c *correlation) add(x, y float64) {
	c.n++
	c.sum += (x - 0.5) * (y - 0.5)
}

func (c *correlation) check(t *testing.T, what string) {
	t.Helper()
	if r, bound := 12*c.sum/c.n, 4/math.Sqrt(c.n); math.Abs(r) >= bound {
		t.Errorf("%s: r = %.4f of %.0f pairs, want below %.4f", what, r, c.n, bound)
	}
}

func TestDrawsAreUncorrelated(t *testing.T) {
	for _, seed := range keySeeds {
		u := firstDraws(seed)
		var clients, draws correlation
		for c := range u {
			for j := range u[c] {
				if c > 0 {
					clients.add(u[c-1][j], u[c][j])
				}
				if j > 0 {
					draws.add(u[c][j-1], u[c][j])
				}
			}
		}
		clients.check(t, fmt.Sprintf("seed %d, neighbouring clients", seed))
		draws.check(t, fmt.Sprintf("seed %d, neighbouring draws", seed))
		for _, other := range keySeeds {
			if other <= seed {
				continue
			}
			var seeds correlation
			v := firstDraws(other)
			for c := range u {
				for j := range u[c] {
					seeds.add(u[c][j], v[c][j])
				}
			}
			seeds.check(t, fmt.Sprintf("seeds %d and %d", seed, other))
		}
	}
}

func TestKeysDiffer(t *testing.T) {
	seen := map[Key]string{}
	see := func(k Key, path string) {
		if other, ok := seen[k]; ok {
			t.Errorf("%s and %s are one key", path, other)
		}
		seen[k] = path
	}
	for _, seed := range []uint64{0, 1, 2, 1 << 63, 1<<64 - 1} {
		for _, name := range []string{"", "a", "b", "ab", "ba", "batch", "chat"} {
			k := NewKey(seed, name)
			see(k, fmt.Sprintf("%d %q", seed, name))
			for i := range uint64(20) {
				see(k.At(i), fmt.Sprintf("%d %q %d", seed, name, i))
				for j := range uint64(20) {
					see(k.At(i).At(j), fmt.Sprintf("%d %q %d %d", seed, name, i, j))
				}
			}
		}
	}
}

// The numbers are part of every result, so they must never change.
func TestDrawsStayTheSame(t *testing.T) {
	k := NewKey(42, "chat").At(7).At(0).At(1)
	if got, want := uint64(k), uint64(0x796d55b3809db4d5); got != want {
		t.Errorf("key %#x, want %#x", got, want)
	}
	for _, c := range []struct {
		name string
		key  Key
		want float64
	}{
		{"the least key draws 0", 0, 0},
		{"the greatest key draws just less than 1", 1<<64 - 1, 1 - 0x1p-53},
		{"the middle key draws a half", 1 << 63, 0.5},
	} {
		if got := c.key.Uniform(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func BenchmarkKey(b *testing.B) {
	k, n, sum := NewKey(1, "batch"), uint64(0), 0.0
	for b.Loop() {
		sum += k.At(n).Uniform()
		n++
	}
	_ = sum
}
