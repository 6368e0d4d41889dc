package experiment

import (
	"context"
	"math"
	"slices"

	"github.com/stampede-sim/stampede/model"
)

const (
	// curvePoints are simulated between the ends before anything is halved, so that what
	// is not monotone is seen.
	curvePoints = 7
	// fineness is to what part of the range a place is found.
	fineness = 1.0 / 2000
	// wideSpan is from how many times the least end on places are halved by ratio.
	wideSpan = 20
)

// PlanRuns is about how many runs a plan takes, for who waits for it.
func (p *Plan) PlanRuns() int { return (curvePoints + 2 + 3*8) * p.Seeds }

// Run looks for the answer on so many jobs; done, which may be nil, is called with the
// number of runs finished.
func (p *Plan) Run(ctx context.Context, jobs int, done func(int)) (*PlanResult, error) {
	p.jobs, p.done = jobs, done
	r := &PlanResult{SE: model.Undefined()}
	err := p.search(ctx, r)
	r.Points = p.sorted()
	if err != nil {
		return r, err
	}
	p.words(r)
	return r, nil
}

func (p *Plan) search(ctx context.Context, r *PlanResult) error {
	from, to := p.Between.Numbers()
	if from > to {
		from, to = to, from
	}
	var curve []*PlanPoint
	for i := range curvePoints + 2 {
		point, err := p.measure(ctx, p.between(from, to, float64(i)/(curvePoints+1)))
		if err != nil {
			return err
		}
		if !slices.Contains(curve, point) {
			curve = append(curve, point)
		}
	}
	first, last := curve[0], curve[len(curve)-1]
	if first.Verdict == last.Verdict {
		return nil // no place where it crosses once; words say what there is
	}
	r.Greatest = first.Verdict == Meets
	if !r.Greatest {
		slices.Reverse(curve)
	}
	// From the end that meets the targets on, the first stretch in which a test fails.
	cross := func(inside func(*PlanPoint) bool) (in, out *PlanPoint, err error) {
		i := slices.IndexFunc(curve, func(point *PlanPoint) bool { return !inside(point) })
		if i <= 0 {
			if i == 0 {
				return nil, curve[0], nil
			}
			return curve[len(curve)-1], nil, nil
		}
		return p.halve(ctx, curve[i-1], curve[i], inside)
	}
	var err error
	if r.Answer, r.Beyond, err = cross(func(point *PlanPoint) bool { return point.Verdict == Meets }); err != nil {
		return err
	}
	surely, doubtful, err := cross(func(point *PlanPoint) bool { return point.Verdict == Meets && point.Decided })
	if err != nil {
		return err
	}
	maybe, never, err := cross(func(point *PlanPoint) bool { return point.Verdict == Meets || !point.Decided })
	if err != nil {
		return err
	}
	r.Found = true
	r.Lo, r.Hi = surely, never
	switch {
	case p.whole: // the interval's ends are answers themselves
		r.Hi = maybe
	case never == nil:
		r.Hi = maybe
	}
	if surely == nil {
		r.Lo = doubtful
	}
	openNear, openFar := surely == nil, never == nil
	r.OpenLo, r.OpenHi = openNear, openFar
	if !r.Greatest {
		r.Lo, r.Hi, r.OpenLo, r.OpenHi = r.Hi, r.Lo, openFar, openNear
	}
	if !p.whole && p.Seeds > 1 {
		r.SE = model.Number((r.Hi.Value - r.Lo.Value) / 2 / studentT(p.Seeds-1))
	}
	return nil
}

// between is the value a part of the way from one to another.
func (p *Plan) between(from, to, part float64) float64 {
	if p.Wide() {
		return from * math.Pow(to/from, part)
	}
	return from + float64((to-from)*part)
}

// Wide says whether the ends lie so far apart that values between them go by ratio.
func (p *Plan) Wide() bool {
	from, to := p.Between.Numbers()
	return min(from, to) > 0 && max(from, to) >= wideSpan*min(from, to)
}

// halve finds where a test ceases to hold between a value where it does and one where it
// does not: to the next whole number, or as finely as [fineness] says.
func (p *Plan) halve(ctx context.Context, in, out *PlanPoint, inside func(*PlanPoint) bool) (*PlanPoint, *PlanPoint, error) {
	from, to := p.Between.Numbers()
	for {
		apart := math.Abs(out.Value-in.Value) / math.Abs(to-from)
		if p.Wide() {
			apart = math.Abs(math.Log(out.Value/in.Value)) / math.Abs(math.Log(to/from))
		}
		if p.whole && math.Abs(out.Value-in.Value) <= 1 || !p.whole && apart <= fineness {
			return in, out, nil
		}
		middle, err := p.measure(ctx, p.between(in.Value, out.Value, 0.5))
		if err != nil {
			return nil, nil, err
		}
		if middle == in || middle == out {
			if !p.whole {
				return in, out, nil
			}
			// Rounded onto an end: the whole number beside it is left.
			if middle, err = p.measure(ctx, in.Value+math.Copysign(1, out.Value-in.Value)); err != nil {
				return nil, nil, err
			}
		}
		if inside(middle) {
			in = middle
		} else {
			out = middle
		}
	}
}
