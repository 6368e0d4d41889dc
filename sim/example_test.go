package sim_test

import (
	"fmt"
	"time"

	"github.com/stampede-sim/stampede/sim"
)

// Three clients want the one seat of a provider at the same instant. Who is
// turned away waits at random and comes again.
func Example() {
	const ( // in order of rank: what frees the seat comes before who wants it
		finish sim.Kind = iota
		arrive
	)
	q := sim.NewQueue([]string{finish: "provider", arrive: "client"}, nil)
	q.Lane(finish, 60*time.Millisecond)
	clients := sim.NewKey(42, "clients")
	attempts := make([]uint64, 3)
	var waits sim.Sample
	for c := range attempts {
		q.At(0, arrive, uint32(c))
	}
	busy := false
	for {
		e, ok := q.Next(time.Minute)
		if !ok {
			break
		}
		c := e.Slot()
		switch {
		case e.Kind() == finish:
			busy = false
			fmt.Printf("%v: client %d is served\n", q.Now().Round(time.Microsecond), c)
		case busy:
			attempts[c]++
			u := clients.At(uint64(c)).At(attempts[c]).Uniform()
			wait := time.Duration(u * float64(200*time.Millisecond))
			waits.Add(int64(wait))
			q.After(wait, arrive, c)
		default:
			busy = true
			q.After(60*time.Millisecond, finish, c)
		}
	}
	longest, _ := waits.Max()
	fmt.Println(waits.N(), "waits, the longest", time.Duration(longest).Round(time.Microsecond), q.Err())
	// Output:
	// 60ms: client 0 is served
	// 132.63ms: client 1 is served
	// 192.809ms: client 2 is served
	// 2 waits, the longest 132.809ms <nil>
}
