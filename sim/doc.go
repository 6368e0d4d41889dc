// Package sim is the engine of Stampede's virtual world: a clock that is an
// integer, a queue of small events in an exact order, named random draws, and
// the counts and percentiles a run leaves behind. It knows nothing of clients.
//
// A model pushes events with [Queue.After] and runs them in a loop around
// [Queue.Next]. Equal times are ordered by the rank of the event's [Kind], then
// by the order of pushing, so a run is the same on every machine. Random
// numbers come from a [Key], a pure function of what they are for; nothing is
// drawn from a shared stream. Times are nanoseconds since the start.
//
// Nothing here is safe for concurrent use, but a [Key], which is a value. Run
// one queue a goroutine.
package sim
