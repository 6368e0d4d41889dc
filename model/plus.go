package model

// plus adds a charge to a sum, which stops far above any limit.
func plus(sum, cost int64) int64 { return min(sum+cost, 1<<60) }
