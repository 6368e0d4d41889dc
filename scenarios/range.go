package scenarios

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// Range is the values between two ends, both included: FROM..TO/POINTS, evenly apart,
// or log:FROM..TO/POINTS, each the same multiple of the one before. Without /POINTS it
// is for samples to draw from.
type Range struct {
	Log    bool
	Whole  bool // samples are whole numbers: set by who knows the key
	Points int  // 0 where it does not say
	from   quantity
	to     quantity
	text   string
}

// quantity is a number with what stands after it.
type quantity struct {
	n    *big.Rat // of a duration, in nanoseconds
	kind quantityKind
	unit string // of a rate: s, min, h, d
	text string
}

type quantityKind uint8

const (
	plainNumber quantityKind = iota
	aDuration
	aRate
	aShare
)

const mostPoints = 1_000_000

var (
	rangeForm  = regexp.MustCompile(`^(log:)?[^"'\[\]{},]*\.\.[^"'\[\]{},]*$`)
	pointsForm = regexp.MustCompile(`^(.*)/([0-9]+)$`)
	rateForm   = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)/(s|min|h|d)$`)
)

func isRange(text string) bool { return rangeForm.MatchString(text) || strings.HasPrefix(text, "log:") }

// parseRange reads a range.
func parseRange(text string) (*Range, error) {
	r := &Range{text: text}
	rest, isLog := strings.CutPrefix(text, "log:")
	r.Log = isLog
	from, to, both := strings.Cut(rest, "..")
	if m := pointsForm.FindStringSubmatch(to); m != nil {
		points, err := strconv.Atoi(m[2])
		switch {
		case err != nil || points > mostPoints:
			return nil, fmt.Errorf("%s has more points than %s, the most there can be", quote(text), grouped(mostPoints))
		case points < 2:
			return nil, fmt.Errorf("%s has %d points, and both ends are included; write at least 2", quote(text), points)
		}
		to, r.Points = m[1], points
	}
	if from, to = strings.TrimSpace(from), strings.TrimSpace(to); !both || from == "" || to == "" {
		return nil, fmt.Errorf("%s lacks an end; write FROM..TO/POINTS, such as 1..9/5", quote(text))
	}
	var err error
	if r.from, err = parseQuantity(from); err != nil {
		return nil, err
	}
	if r.to, err = parseQuantity(to); err != nil {
		return nil, err
	}
	return r, r.fit()
}

// fit makes the ends of one kind, and says what is wrong with them together.
func (r *Range) fit() error {
	for _, ends := range [][2]*quantity{{&r.from, &r.to}, {&r.to, &r.from}} {
		if zero, other := ends[0], ends[1]; zero.kind == plainNumber && zero.n.Sign() == 0 {
			zero.kind, zero.unit = other.kind, other.unit
		}
	}
	switch order := r.from.n.Cmp(r.to.n); {
	case r.from.kind != r.to.kind || r.from.unit != r.to.unit:
		return fmt.Errorf("%s and %s have different units; write both with the same", quote(r.from.text), quote(r.to.text))
	case order == 0:
		return fmt.Errorf("%s begins where it ends; write one value, or two ends", quote(r.text))
	case r.Log && (r.from.n.Sign() <= 0 || r.to.n.Sign() <= 0):
		return fmt.Errorf("%s: a logarithmic range has both ends above 0", quote(r.text))
	}
	return nil
}

func parseQuantity(text string) (quantity, error) {
	q := quantity{text: text}
	number := text
	if m := rateForm.FindStringSubmatch(text); m != nil {
		number, q.kind, q.unit = m[1], aRate, m[2]
	} else if share, is := strings.CutSuffix(text, "%"); is {
		number, q.kind = strings.TrimSpace(share), aShare
	} else if !numberForm.MatchString(text) {
		d, err := parseDuration(text)
		if err != nil {
			return q, fmt.Errorf("%s is no end of a range; write a number, a time such as 250ms, a rate such as 20/s, or a share such as 20%%", quote(text))
		}
		q.kind, q.n = aDuration, new(big.Rat).SetInt64(int64(d))
		return q, nil
	}
	if _, err := parseFloat(number); err != nil {
		return q, err
	}
	n, ok := new(big.Rat).SetString(number)
	if !ok {
		return q, fmt.Errorf("%s is no number", quote(number))
	}
	q.n = n
	return q, nil
}

// Point returns point i of those the range says it has.
func (r *Range) Point(i int) string {
	switch last := r.Points - 1; {
	case i == 0:
		return r.write(r.from.n)
	case i == last:
		return r.write(r.to.n)
	case r.Log:
		return r.write(rational(r.power(float64(i) / float64(last))))
	default:
		step := new(big.Rat).Sub(r.to.n, r.from.n)
		step.Mul(step, big.NewRat(int64(i), int64(last)))
		return r.write(step.Add(step, r.from.n))
	}
}

// At returns the value that lies a share u, from 0 up to but not 1, of the way between
// the ends; of whole numbers, each has the same part of the way.
func (r *Range) At(u float64) string {
	from, to := float64Of(r.from.n), float64Of(r.to.n)
	if from > to {
		from, to = to, from
	}
	end := to
	if r.Whole {
		end++
	}
	v := from + float64((end-from)*u)
	if r.Log {
		v = from * math.Pow(end/from, u)
	}
	if v = significant(v); r.Whole {
		v = math.Floor(v)
	}
	return r.write(rational(min(max(v, from), to)))
}

func (r *Range) power(u float64) float64 {
	from, to := float64Of(r.from.n), float64Of(r.to.n)
	return significant(from * math.Pow(to/from, u))
}

// Between returns a number near the middle that is not whole: what tells whether a key
// takes only whole ones. It is "" where the ends are no whole numbers themselves.
func (r *Range) Between() string {
	if r.from.kind != plainNumber || !r.from.n.IsInt() || !r.to.n.IsInt() {
		return ""
	}
	middle := new(big.Rat).Add(r.from.n, r.to.n)
	middle.Mul(middle, big.NewRat(1, 2))
	if middle.IsInt() {
		middle.Add(middle, big.NewRat(1, 2))
	}
	return middle.FloatString(1) // all digits, or a large one would be rounded to a whole
}

// CheckWhole says which point is not whole, for a key that takes only whole numbers, and
// what to write.
func (r *Range) CheckWhole() error {
	for i := range r.Points {
		text := r.Point(i)
		if wholeForm.MatchString(text) {
			continue
		}
		if r.Log {
			return fmt.Errorf("point %s of %s is not a whole number, and the key takes no others; write a list", text, r.text)
		}
		from, to := float64Of(r.from.n), float64Of(r.to.n)
		steps := float64(r.Points - 1)
		step := math.Round((to - from) / steps)
		switch {
		case step == 0 && to > from:
			step = 1
		case to < from: // down, but not beyond the end, which may be the least that there is
			step = min(-1, math.Trunc((to-from)/steps))
			steps = min(steps, math.Floor(from-to))
		}
		return fmt.Errorf("point %s of %s is not a whole number, and the key takes no others; write %s..%.0f/%d", text, r.text, r.from.text, from+steps*step, int(steps)+1)
	}
	return nil
}

// Numbers returns the ends as numbers, of a duration in seconds, and whether values that
// are not whole are meant too.
func (r *Range) Numbers() (from, to float64) { return r.from.number(), r.to.number() }

// Write returns the text of a number between the ends, as [Range.Numbers] counts.
func (r *Range) Write(v float64) string {
	n := rational(significant(v))
	if r.from.kind == aDuration {
		n.Mul(n, big.NewRat(1e9, 1))
	}
	return r.write(n)
}

func (q *quantity) number() float64 {
	f := float64Of(q.n)
	if q.kind == aDuration {
		return f / 1e9
	}
	return f
}

func (r *Range) write(n *big.Rat) string {
	switch r.from.kind {
	case aDuration:
		f := new(big.Float).SetRat(n)
		f.Add(f, new(big.Float).SetFloat64(math.Copysign(0.5, float64(n.Sign()))))
		ns, _ := f.Int64()
		return policies.FormatDuration(time.Duration(ns))
	case aRate:
		return decimalOf(n) + "/" + r.from.unit
	case aShare:
		return decimalOf(n) + "%"
	}
	return decimalOf(n)
}

// decimalOf writes a number without an exponent: a whole one with all its digits, others
// with nine.
func decimalOf(n *big.Rat) string {
	if n.IsInt() {
		return n.Num().String()
	}
	return strconv.FormatFloat(significant(float64Of(n)), 'f', -1, 64)
}

// significant rounds to nine digits: beyond them machines differ.
func significant(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 9, 64), 64)
	if err != nil {
		return v
	}
	return r
}

func rational(v float64) *big.Rat {
	n, ok := new(big.Rat).SetString(strconv.FormatFloat(v, 'f', -1, 64))
	if !ok {
		return new(big.Rat)
	}
	return n
}

func float64Of(n *big.Rat) float64 {
	f, _ := n.Float64()
	return f
}

// Number reads a value of a key as a number for an axis of a chart: a time in seconds, a
// rate per second, a share of 1; false where it is a word.
func Number(text string) (v float64, isTime, ok bool) {
	q, err := parseQuantity(text)
	if err != nil {
		return 0, false, false
	}
	switch q.kind {
	case aShare:
		return q.number() / 100, false, true
	case aRate:
		var r policies.Rate
		if err := r.UnmarshalText([]byte(text)); err != nil || r.Per == 0 {
			return 0, false, false
		}
		return float64(r.N) / r.Per.Seconds(), false, true
	}
	return q.number(), q.kind == aDuration, true
}

// ParseRange reads FROM..TO, as `plan --between` takes it.
func ParseRange(text string) (*Range, error) {
	if !isRange(text) {
		return nil, fmt.Errorf("%s is no range; write FROM..TO, such as 1..200", quote(text))
	}
	r, err := parseRange(text)
	if err == nil && (r.Points != 0 || r.Log) {
		return nil, errors.New("write the two ends alone, such as 1..200")
	}
	return r, err
}
