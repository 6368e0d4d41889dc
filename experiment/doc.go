// Package experiment runs scenarios: once ([Run]), as replicates over many seeds on
// all cores ([Replicate]), or several beside each other on the same seeds ([Compare]).
//
// A replicate is one [Result]. Replicate 0 uses the scenario's seed and replicate r
// a hash of (seed, r), see [Seed], so any one of them can be run again alone. What
// comes out never depends on the number of jobs or on who finished first.
package experiment
