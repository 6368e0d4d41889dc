package policies

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Jitter spreads a backoff, so that clients that failed together do not come
// back together: a word, a share, a range of shares, or a time. For a backoff of v:
//
//	none        v                     (default)
//	full        U(0, v)               AWS, "Exponential Backoff And Jitter"
//	equal       v/2 + U(0, v/2)       the same
//	added       v + U(0, v)           p-retry; the same as +100%
//	25%         v * U(0.75, 1.25)     Polly, DesCartes
//	-25%        v * U(0.75, 1)        the SDKs of OpenAI and Anthropic
//	+100%       v * U(1, 2)           @langchain/core
//	80%..130%   v * U(0.8, 1.3)       azcore
//	1s          v + U(0, 1s)          tenacity's wait_exponential_jitter, google-genai
type Jitter string

// The jitters that have a name.
const (
	NoJitter    Jitter = "none"  // v
	FullJitter  Jitter = "full"  // U(0, v)
	EqualJitter Jitter = "equal" // v/2 + U(0, v/2)
	AddedJitter Jitter = "added" // v + U(0, v)
)

// whole is 100% where shares are whole numbers, as they are so that no rounding hangs on
// the machine.
const whole = 1_000_000_000

// span is a jitter as numbers: v * U(least, most) + U(0, more).
type span struct {
	least, most uint64 // billionths
	more        time.Duration
}

// span reads the jitter; false where it is none that is known.
func (j Jitter) span() (s span, known bool) {
	switch j {
	case NoJitter, "":
		return span{whole, whole, 0}, true
	case FullJitter:
		return span{0, whole, 0}, true
	case EqualJitter:
		return span{whole / 2, whole, 0}, true
	case AddedJitter:
		return span{whole, 2 * whole, 0}, true
	}
	if from, to, ranges := strings.Cut(string(j), ".."); ranges {
		least, known := billionths(from)
		most, also := billionths(to)
		return span{min(least, most), max(least, most), 0}, known && also
	}
	if strings.HasSuffix(string(j), "%") {
		number := string(j)
		if number[0] == '+' || number[0] == '-' {
			number = number[1:]
		}
		n, known := billionths(number)
		switch {
		case !known:
			return span{}, false
		case j[0] == '+':
			return span{whole, whole + n, 0}, true
		case n > whole:
			return span{}, false
		case j[0] == '-':
			return span{whole - n, whole, 0}, true
		}
		return span{whole - n, whole + n, 0}, true
	}
	more, err := time.ParseDuration(string(j))
	return span{whole, whole, more}, err == nil && more >= 0
}

// Range is a jitter in percent of the backoff, from least to most, and what is added to
// that at most.
func (j Jitter) Range() (least, most float64, more time.Duration) {
	s, _ := j.span()
	return float64(s.least) / (whole / 100), float64(s.most) / (whole / 100), s.more
}

// shareForm is the pattern, in JSON, of what billionths reads.
const shareForm = `(1000(\\.0{1,7})?|[0-9]{1,3}(\\.[0-9]{1,7})?)%`

// billionths reads a share such as 25% or 12.5%, up to 1000%.
func billionths(text string) (n uint64, known bool) {
	number, percent := strings.CutSuffix(text, "%")
	units, decimals, pointed := strings.Cut(number, ".")
	if !percent || units == "" || len(units) > 4 || pointed && decimals == "" || len(decimals) > 7 || strings.Trim(units+decimals, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseUint(units+decimals+strings.Repeat("0", 7-len(decimals)), 10, 64)
	return n, err == nil && n <= 10*whole
}

// formatShare writes billionths as a scenario does.
func formatShare(n uint64) string {
	return strconv.FormatFloat(float64(n)/(whole/100), 'f', -1, 64) + "%"
}

// UnmarshalText reads a jitter.
func (j *Jitter) UnmarshalText(text []byte) error {
	*j = Jitter(text)
	if from, to, ranges := strings.Cut(string(text), ".."); ranges {
		least, known := billionths(from)
		most, also := billionths(to)
		if known && also && least > most {
			return fmt.Errorf("%q runs down; write %s..%s", text, to, from)
		}
	}
	if _, known := j.span(); !known || *j == "" {
		return fmt.Errorf("%q is no jitter; write none, full, equal, added, a share such as 25%%, -25%% or +100%%, a range such as 80%%..130%%, or a time such as 1s", text)
	}
	return nil
}

// Schema says in JSON Schema what UnmarshalText reads.
func (Jitter) Schema() string {
	return `{"oneOf": [{"enum": ["none", "full", "equal", "added"]}, {"$ref": "#/$defs/Duration"}, {"type": "string", "pattern": "^(-?(100(\\.0{1,7})?|[0-9]{1,2}(\\.[0-9]{1,7})?)%|\\+` + shareForm + `|` + shareForm + `\\.\\.` + shareForm + `)$"}]}`
}

type fullJitter struct{ of Backoff }

func (j fullJitter) Wait(r Retry) time.Duration {
	return time.Duration(r.U * float64(j.of.Wait(r)))
}

type equalJitter struct{ of Backoff }

func (j equalJitter) Wait(r Retry) time.Duration {
	v := j.of.Wait(r)
	return v/2 + time.Duration(r.U*float64(v-v/2))
}

// spanJitter is any other, and the bounds of a wait.
type spanJitter struct {
	of Backoff
	span
	floor, ceiling time.Duration // ceiling 0: none
}

func (j spanJitter) Wait(r Retry) time.Duration {
	v := j.of.Wait(r)
	least := max(part(v, j.least), j.floor)
	most := max(Later(part(v, j.most), j.more), least)
	wait := least + time.Duration(r.U*float64(most-least))
	if j.ceiling > 0 {
		return min(wait, j.ceiling)
	}
	return wait
}

// part is a share of v in billionths, rounded down; at most Never.
func part(v time.Duration, share uint64) time.Duration {
	if share == whole {
		return v
	}
	much, _, fits := MulDiv(uint64(v), share, whole)
	if !fits || much > uint64(Never) {
		return Never
	}
	return time.Duration(much)
}
