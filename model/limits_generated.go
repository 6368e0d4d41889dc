package model

// meters says whether a limit charges tokens as they are generated.
func (l *Limits) meters() bool {
	for i := range l.limiters {
		if l.limiters[i].tokens {
			return true
		}
	}
	return false
}
