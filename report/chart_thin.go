package report

import "fmt"

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
func extremes(n, buckets int, value func(i int) int64) selection {
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

// thinNote says that a series was thinned.
func thinNote(what string, n int) string {
	return fmt.Sprintf("%s: %s slots are too many to draw; of each of %s equal stretches the slots with the least and the greatest value are shown.", what, count(int64(n)), count(buckets))
}
