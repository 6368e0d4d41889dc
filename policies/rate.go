package policies

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Rate is a number of things in a time, exactly: 0.5/s is 5 in 10 s. The zero value
// is no rate at all.
type Rate struct {
	N   int64
	Per time.Duration
}

// rateUnits are the times a rate may be over.
var rateUnits = [...]struct {
	name string
	per  time.Duration
}{{"s", time.Second}, {"min", time.Minute}, {"h", time.Hour}, {"d", 24 * time.Hour}}

// UnmarshalText reads NUMBER/UNIT: 20/s, 0.5/s, 500/min, 100/h, 1000/d.
func (r *Rate) UnmarshalText(text []byte) error {
	number, unit, parted := strings.Cut(string(text), "/")
	whole, decimals, _ := strings.Cut(number, ".")
	n, err := strconv.ParseInt(whole+decimals, 10, 64)
	if !parted || err != nil || n < 0 || whole == "" || strings.HasSuffix(number, ".") || strings.ContainsAny(number, "+-_") {
		return fmt.Errorf("%q is not a rate; write NUMBER/UNIT, such as 20/s or 500/min", text)
	}
	for _, u := range rateUnits {
		if u.name != unit {
			continue
		}
		*r = Rate{n, u.per}
		for range decimals {
			if r.Per > Never/10 {
				return fmt.Errorf("%q has too many decimals; write a rate over a longer unit", text)
			}
			r.Per *= 10
		}
		for r.N%10 == 0 && r.N > 0 && r.Per > u.per {
			r.N, r.Per = r.N/10, r.Per/10
		}
		return nil
	}
	return fmt.Errorf("%q has no unit that is known; write /s, /min, /h or /d", text)
}

// Schema says in JSON Schema what UnmarshalText reads.
func (Rate) Schema() string {
	return `{"type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?/(s|min|h|d)$"}`
}

// MarshalText writes the rate as a scenario does.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// String writes the rate as a scenario does.
func (r Rate) String() string {
	for i := len(rateUnits) - 1; i >= 0; i-- {
		if u := rateUnits[i]; r.Per >= u.per && r.Per%u.per == 0 {
			places, over := 0, r.Per/u.per
			for over > 1 && over%10 == 0 {
				over /= 10
				places++
			}
			if over == 1 {
				return decimal(r.N, places) + "/" + u.name
			}
		}
	}
	return strconv.FormatInt(r.N, 10) + "/" + r.Per.String()
}

// decimal writes n with its last digits after the point.
func decimal(n int64, places int) string {
	digits := strconv.FormatInt(n, 10)
	if places == 0 {
		return digits
	}
	for len(digits) <= places {
		digits = "0" + digits
	}
	return digits[:len(digits)-places] + "." + digits[len(digits)-places:]
}

// Time is how long n things take at this rate, rounded up to the nanosecond; Never
// at a rate of 0, or where it is beyond time's end.
func (r Rate) Time(n int64) time.Duration {
	if n <= 0 {
		return 0
	}
	if r.N <= 0 {
		return Never
	}
	return time.Duration(CeilMulDiv(uint64(n), uint64(r.Per), 0, uint64(r.N)))
}
