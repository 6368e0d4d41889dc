package sim

import "time"

// Kind says what an event is: 0 to 63. Its order is the rank: of two events
// pending at one instant, the one of the lower kind runs first.
type Kind uint8

const (
	kinds = 64

	// MaxSlots is the number of different slots: a slot is 0 to MaxSlots-1.
	MaxSlots = 1 << slotBits

	slotBits = 24
	seqBits  = 34
	maxSeq   = 1<<seqBits - 1

	never = time.Duration(1<<63 - 1)
)

// Event is something due at time T, nanoseconds since the start. K packs
// kind:6 | seq:34 | slot:24, so that comparing (T, K) gives the total order.
type Event struct {
	T time.Duration
	K uint64
}

// Kind returns what the event is.
func (e Event) Kind() Kind { return Kind(e.K >> (slotBits + seqBits)) }

// Seq returns the event's number: 1 for the first one pushed into its queue, so
// that 0 can stand for no event.
func (e Event) Seq() uint64 { return e.K >> slotBits & maxSeq }

// Slot returns the number the event was pushed with: the index of the client,
// operation or attempt it concerns.
func (e Event) Slot() uint32 { return uint32(e.K & (MaxSlots - 1)) }

func (e Event) before(o Event) bool { return e.T < o.T || e.T == o.T && e.K < o.K }
