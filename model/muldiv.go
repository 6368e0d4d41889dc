package model

import (
	"math/bits"

	"github.com/stampede-sim/stampede/policies"
)

// plus adds a charge to a sum, which stops far above any limit.
func plus(sum, cost int64) int64 { return min(sum+cost, 1<<60) }

// mulDiv returns a*b/d rounded down and the remainder; ok is false where the
// quotient does not fit.
func mulDiv(a, b, d uint64) (quotient, rest uint64, ok bool) {
	hi, lo := bits.Mul64(a, b)
	if hi == 0 {
		return lo / d, lo % d, true
	}
	if hi >= d {
		return 0, 0, false
	}
	quotient, rest = bits.Div64(hi, lo, d)
	return quotient, rest, true
}

// ceilMulDiv returns (a*b + c) / d rounded up, at most policies.Never.
func ceilMulDiv(a, b, c, d uint64) int64 {
	hi, lo := bits.Mul64(a, b)
	lo, carry := bits.Add64(lo, c, 0)
	hi += carry
	if hi >= d {
		return int64(policies.Never)
	}
	quotient, rest := bits.Div64(hi, lo, d)
	if rest > 0 {
		quotient++
	}
	return int64(min(quotient, uint64(policies.Never)))
}
