package policies

import "math/bits"

// MulDiv returns a*b/d rounded down and the remainder; ok is false where the
// quotient does not fit. d must not be 0.
func MulDiv(a, b, d uint64) (quotient, rest uint64, ok bool) {
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

// CeilMulDiv returns (a*b + c) / d rounded up, at most Never. d must not be 0.
func CeilMulDiv(a, b, c, d uint64) int64 {
	hi, lo := bits.Mul64(a, b)
	lo, carry := bits.Add64(lo, c, 0)
	hi += carry
	if hi >= d {
		return int64(Never)
	}
	quotient, rest := bits.Div64(hi, lo, d)
	if rest > 0 && quotient < uint64(Never) {
		quotient++
	}
	return int64(min(quotient, uint64(Never)))
}
