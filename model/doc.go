// Package model is what is simulated: the provider, the workload, and the virtual
// world that joins them with the policies on the engine.
//
// The provider ([Provider]) is a state machine that knows no engine, clock or
// socket: time is passed in, and [Provider.Poll] says what is due and when to ask
// again. [World] drives it in virtual time; package live speaks HTTP for it. Both
// feed one [Tally], from which [Summarise] takes the figures of summary.json.
//
// Config structs are the scenario language: a field's yaml tag is its key.
package model
