package experiment

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/scenarios"
)

// Until says when there are replicates enough: when a statistic of a figure is known to
// within a share of itself. It looks after 20 seeds, and then whenever there are half as
// many more; it stops at the second look in a row at which half the 95 % interval is
// narrow enough. One look alone would stop most readily where a run of like seeds makes
// the interval too narrow, and so would hold the truth less often than it says.
type Until struct {
	Figure  string
	Share   float64
	percent int // of the statistic; 0 for the mean
	text    string
}

// UntilMost is how many seeds --until takes at most, unless --seeds says.
const UntilMost = 1000

const (
	firstLook  = 20
	looksInRow = 2
)

var untilForm = regexp.MustCompile(`^\s*([a-z0-9]+)\s*\((.+)\)\s*within\s+(\S+)\s*$`)

const howToSayUntil = "write STATISTIC(FIGURE) within SHARE, such as 'median(wall_s) within 2%'"

// ParseUntil reads a condition: median(wall_s) within 2%.
func ParseUntil(text string) (*Until, error) {
	m := untilForm.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("%q is no condition; %s", text, howToSayUntil)
	}
	u := &Until{Figure: strings.TrimSpace(m[2]), text: text}
	percentile, isPercentile := strings.CutPrefix(m[1], "p")
	switch n, err := strconv.Atoi(percentile); {
	case m[1] == "mean":
	case m[1] == "median":
		u.percent = 50
	case isPercentile && err == nil && 0 < n && n < 100:
		u.percent = n
	default:
		near := scenarios.Closest(m[1], []string{"mean", "median", "p10", "p90"})
		if near != "" {
			near = "; did you mean " + near + "?"
		} else {
			near = "; write mean, median, or p1 to p99"
		}
		return nil, fmt.Errorf("%q is no statistic%s", m[1], near)
	}
	share, isShare := strings.CutSuffix(m[3], "%")
	v, err := strconv.ParseFloat(share, 64)
	switch {
	case !isShare || err != nil:
		return nil, fmt.Errorf("%q is no share; write one such as 2%%", m[3])
	case !(v > 0 && v <= 100):
		return nil, fmt.Errorf("%q: write a share above 0%%, and up to 100%%", m[3])
	}
	u.Share = v / 100
	return u, nil
}

// String is the condition as it was written.
func (u *Until) String() string { return u.text }

// isLook says whether the condition is looked at after so many seeds.
func isLook(n int) bool {
	look := firstLook
	for look < n {
		look += look / 2
	}
	return look == n
}

// lookBefore returns the look before one; 0 before the first.
func lookBefore(n int) int {
	before, look := 0, firstLook
	for look < n {
		before, look = look, look+look/2
	}
	return before
}

// enough says whether these values of the figure, a seed each in order, are just so many
// that the condition holds.
func (u *Until) enough(values []model.Number) bool {
	n := len(values)
	if !isLook(n) {
		return false
	}
	for range looksInRow {
		if n == 0 || !u.narrow(values[:n]) {
			return false
		}
		n = lookBefore(n)
	}
	return true
}

// narrow says whether the interval of these values is narrow enough.
func (u *Until) narrow(values []model.Number) bool {
	value, interval := u.estimate(values)
	half := max(interval[1]-value, value-interval[0])
	return half <= model.Number(u.Share)*max(value, -value) // false where one is undefined
}

func (u *Until) estimate(values []model.Number) (model.Number, [2]model.Number) {
	if u.percent == 0 {
		s := Describe(values)
		return s.Mean, s.CI95
	}
	return percentileOf(sortedKnown(values), u.percent)
}
