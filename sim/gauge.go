package sim

import "time"

// Gauge samples a level, such as the number in flight, at the end of slots of
// equal width: slot i is [i*width, (i+1)*width), so a level set at the very end
// of a slot belongs to the next. The level is 0 until it is set. It takes 8
// bytes a slot. It is not safe for concurrent use.
type Gauge struct {
	width   time.Duration
	level   int64
	max     int64
	samples []int64
}

// NewGauge returns a gauge at level 0. It panics if width is not positive.
func NewGauge(width time.Duration) *Gauge {
	if width <= 0 {
		panic("sim: a slot of a gauge must have a positive width")
	}
	return &Gauge{width: width}
}

// Set changes the level at time t, which must not be less than in the call
// before: a level of the past is not corrected.
func (g *Gauge) Set(t time.Duration, v int64) {
	if i := int(t / g.width); i > len(g.samples) {
		g.samples = extend(g.samples, i, g.level)
	}
	g.level = v
	g.max = max(g.max, v)
}

// Close samples the slots that have begun before t, the end of the run. The
// last one may be cut short; its sample is the level at t.
func (g *Gauge) Close(t time.Duration) {
	i := int(t / g.width)
	if t%g.width > 0 {
		i++
	}
	g.samples = extend(g.samples, i, g.level)
}

// Width returns the width of a slot.
func (g *Gauge) Width() time.Duration { return g.width }

// Len returns the number of slots sampled.
func (g *Gauge) Len() int { return len(g.samples) }

// At returns the level at the end of slot i, 0 outside of the slots sampled.
func (g *Gauge) At(i int) int64 { return at(g.samples, i) }

// Level returns the level set last.
func (g *Gauge) Level() int64 { return g.level }

// Max returns the highest level ever set, 0 if none was above 0. It may have
// lasted no time at all.
func (g *Gauge) Max() int64 { return g.max }

// Reset forgets samples and level and keeps the memory.
func (g *Gauge) Reset() { g.level, g.max, g.samples = 0, 0, g.samples[:0] }
