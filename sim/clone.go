package sim

import "slices"

// Clone returns a copy that shares nothing with the series.
func (s *Series) Clone() *Series { return &Series{s.width, slices.Clone(s.counts)} }

// Clone returns a copy that shares nothing with the sample.
func (s *Sample) Clone() Sample { return *s.clone() }
