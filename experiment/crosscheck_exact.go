package experiment

import (
	"math"
	"slices"
)

// exactRanks is an exact two-sample test by ranks, which assumes no distribution: if the
// few values and the many are drawn alike, every choice of len(few) among all of them is as
// likely as the one that was seen. It returns the probability that the few would be so far
// to the right (greater) or to the left (less) of the many, or farther, by the sum of their
// scores: mid-ranks (ties share theirs), rounded down to at most 1,000 steps over all
// few, so that the distribution of the sum can be counted out. Any scores make such a
// test exact; fewer steps cost a little power. NaN, which is a time that never came, is
// the greatest value.
//
// Source: Lehmann, Nonparametrics (1975), 1.2 and 1.4; Wilcoxon's test for coarse scores.
func exactRanks(few, many []float64) (greater, less float64) {
	all := slices.Concat(few, many)
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, compareLast)
	steps := max(20, 1000/max(1, len(few)))
	score := func(v float64) int {
		from, _ := slices.BinarySearchFunc(sorted, v, compareLast)
		to, _ := slices.BinarySearchFunc(sorted, v, func(e, t float64) int {
			if compareLast(e, t) <= 0 {
				return -1
			}
			return 1
		})
		return (from + to - 1) * steps / (2 * len(sorted)) // midrank from 0, in steps
	}
	counts := make([]int, steps+1) // values of each score
	for _, v := range all {
		counts[score(v)]++
	}
	sum := 0
	for _, v := range few {
		sum += score(v)
	}
	return tails(counts, len(few), sum)
}

// tails returns the probabilities that so many values, chosen of those counted by score,
// have a sum of at least and of at most the given one.
func tails(counts []int, n, sum int) (atLeast, atMost float64) {
	most := n * (len(counts) - 1)
	ways := make([][]float64, n+1) // of choosing k of the values so far with a sum, as shares of all ways to choose k
	for k := range ways {
		ways[k] = make([]float64, most+1)
	}
	ways[0][0] = 1
	total := 0
	for s, c := range counts {
		if c == 0 {
			continue
		}
		total += c
		for k := min(n, total); k > 0; k-- {
			of := logBinomial(total, k)
			none := math.Exp(logBinomial(total-c, k) - of) // of the k are of this score
			for at := range ways[k] {
				ways[k][at] *= none
			}
			for j := 1; j <= min(k, c); j++ {
				share := math.Exp(logBinomial(total-c, k-j) + logBinomial(c, j) - of)
				for at := j * s; at <= k*(len(counts)-1); at++ {
					if w := ways[k-j][at-j*s]; w > 0 {
						ways[k][at] += w * share
					}
				}
			}
		}
	}
	for at, w := range ways[n] {
		if at >= sum {
			atLeast += w
		}
		if at <= sum {
			atMost += w
		}
	}
	return min(1, atLeast), min(1, atMost)
}

// logBinomial is the logarithm of how many ways there are to choose k of n, -Inf for none: the number
// itself is beyond a float64 where some hundreds are chosen of a thousand.
func logBinomial(n, k int) float64 {
	if k > n {
		return math.Inf(-1)
	}
	of := func(n int) float64 {
		v, _ := math.Lgamma(float64(n + 1))
		return v
	}
	return of(n) - of(k) - of(n-k)
}

func compareLast(a, b float64) int {
	switch an, bn := math.IsNaN(a), math.IsNaN(b); {
	case an && bn:
		return 0
	case an:
		return 1
	case bn:
		return -1
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// leastP is the least two-sided probability that the exact test can give.
func leastP(few, many int) float64 { return 2 * math.Exp(-logBinomial(few+many, few)) }

// shifted adds a number to each value.
func shifted(values []float64, by float64) []float64 {
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = v + by
	}
	return out
}

// byRanks is the two-sided test of the few against the many, where each of the few may have
// been moved by at most the allowance: the least evidence of all such movements. The sum
// of ranks grows with the values, so it is each side's at its end.
func byRanks(few, many []float64, allowance float64) float64 {
	greater, _ := exactRanks(shifted(few, -allowance), many)
	_, less := exactRanks(shifted(few, allowance), many)
	return min(1, 2*min(greater, less))
}
