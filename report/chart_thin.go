package report

import (
	"cmp"
	"fmt"
)

// buckets is how many stretches a series is thinned to.
const buckets = 800

// selection is which of many places are drawn.
type selection struct {
	kept []int // in order

	leasts, mosts []int // of a thinned series, where each bucket is least and greatest
}

func (s *selection) thinned() bool { return s.leasts != nil }

// extremes selects of the places 0..n-1 all, if that is at most two for each bucket;
// else of each bucket where the value is least and where it is greatest.
func extremes[T cmp.Ordered](n, buckets int, value func(i int) T) selection {
	var s selection
	if n <= 2*buckets {
		for i := range n {
			s.kept = append(s.kept, i)
		}
		return s
	}
	for b := range buckets {
		start, end := n*b/buckets, n*(b+1)/buckets
		least, most := start, start
		low, high := value(start), value(start)
		for i := start + 1; i < end; i++ {
			switch v := value(i); {
			case v < low:
				least, low = i, v
			case v > high:
				most, high = i, v
			}
		}
		s.leasts, s.mosts = append(s.leasts, least), append(s.mosts, most)
		s.kept = append(s.kept, min(least, most))
		if least != most {
			s.kept = append(s.kept, max(least, most))
		}
	}
	return s
}

// thinNote says that a series was thinned, and what is drawn instead of everything.
func thinNote(what string, n int, drawn string) string {
	stretch := count(int64(n / buckets))
	if n%buckets != 0 {
		stretch += " or " + count(int64(n/buckets+1))
	}
	return fmt.Sprintf("%s: its %s slots are more than fit side by side, so they are drawn in stretches of %s. %s.", what, count(int64(n)), stretch, drawn)
}

// linesOfExtremes says what a thinned line joins.
const linesOfExtremes = "The line joins the least and the greatest of each"
