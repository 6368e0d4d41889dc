package live

import (
	"context"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// client drives one operation's loop, policies.Client.Step: it tells the loop what
// happened and does what the loop answers. Whatever is a decision is not here.
type client struct {
	*model.Cohort
	provider *model.ProviderConfig
	books    *Books
	group    int
	number   int // within its group
	ticket   policies.Ticket
	key      model.Key
	gate     *Gate // nil where nothing holds it back

	state policies.State
	last  report // of the attempt that ended last

	// What may happen next; nil is never.
	granted <-chan struct{}
	refused <-chan struct{}
	answers <-chan report
	timer   *clock.Timer
	means   policies.InputKind // what the timer tells when it is due
	cancel  context.CancelFunc // of the attempt in flight
	up      time.Duration      // its way to the server
}

// live is a client's life: from its arrival to the end of its operation, or of ctx, which
// is the run. Its requests may outlive it: they end with the wire.
func (c *client) live(ctx context.Context, w *wire) {
	defer c.drop()
	arrival := c.Draws.Arrival(c.key)
	if !c.books.pause(ctx, arrival-c.books.now()) {
		return
	}
	a := c.step(policies.Input{Kind: policies.Start}, arrival)
	for a.Do != policies.End {
		c.obey(w, a)
		in, ok := c.await(ctx)
		if !ok {
			return
		}
		a = c.step(in, 0)
	}
}

// await is the next thing to happen; ok is false when the run is over.
func (c *client) await(ctx context.Context) (in policies.Input, ok bool) {
	var due <-chan time.Time
	if c.timer != nil {
		due = c.timer.C
	}
	select {
	case <-ctx.Done():
		return in, false
	case <-c.granted:
		c.granted = nil
		in.Kind = policies.Granted
	case <-c.refused:
		c.refused = nil
		in.Kind = policies.Refused
	case <-due:
		c.timer = nil
		in = policies.Input{Kind: c.means, U: c.Draws.Backoff(c.key, c.state.Attempt())}
	case c.last = <-c.answers:
		c.cancel()
		c.cancel, c.answers = nil, nil
		in = policies.Input{Kind: policies.Answered, Answer: c.last.answer}
		if in.Answer.End != policies.Succeeded {
			in.U = c.Draws.Backoff(c.key, c.state.Attempt())
		}
	}
	return in, ctx.Err() == nil
}

// step tells the loop, and the books, what happened. An operation starts when it was
// meant to, however late its goroutine woke.
func (c *client) step(in policies.Input, meant time.Duration) (a policies.Action) {
	c.books.note(func(now time.Duration, t *model.Tally) {
		at := now
		switch in.Kind {
		case policies.Start:
			at = meant
			t.Started(c.group)
		case policies.Granted:
			t.Permits(at, 1)
		case policies.Answered:
			t.AttemptEnded(c.group, in.Answer, c.last.axis)
			if !c.last.opened {
				c.last.firstSeen = now
			}
		}
		a = c.Loop.Step(at, &c.state, nil, in)
		if a.Leave {
			t.Permits(at, -1)
		}
		if a.Abandon != policies.InFlight {
			t.AttemptEnded(c.group, policies.Answer{End: a.Abandon}, 0)
		}
		switch a.Do {
		case policies.Send:
			t.Sent(now, c.group, c.state.Attempt() > 0)
		case policies.End:
			t.OperationEnded(now, c.group, &c.state, a.Why, c.last.firstSeen, c.last.made, false)
		}
	})
	if a.Abandon != policies.InFlight {
		c.books.clock.AfterFunc(c.up, c.cancel) // the server learns of it after the way there
		c.cancel, c.answers = nil, nil
	}
	if a.Leave || a.Withdraw {
		c.gate.Leave(c.ticket, a.Left(in))
	}
	return a
}

// obey sets going what the loop asked for.
func (c *client) obey(w *wire, a policies.Action) {
	switch a.Do {
	case policies.Enter:
		tokens := c.Estimate(c.key)
		if c.state.Attempt() < 0 {
			c.books.note(func(_ time.Duration, t *model.Tally) { t.Entered(c.group, tokens) })
		}
		door, in := c.gate.Enter(c.ticket, tokens, 0)
		if !in {
			refused := make(chan struct{})
			close(refused)
			c.refused = refused
		}
		c.granted = door
		c.set(a.At, policies.TimerDue)
	case policies.WaitUntil:
		c.set(a.At, policies.WaitOver)
	case policies.Send:
		answers := make(chan report, 1)
		c.answers = answers
		at := attempt{client: c, errand: errand{c.Name, c.number, 0, c.state.Attempt()}}
		c.up = c.Draws.Up(c.key, at.attempt)
		c.cancel = w.carry(func(ctx context.Context) { answers <- at.send(ctx, w) })
		c.set(a.At, policies.TimerDue)
	}
}

// set sets the client's one timer, instead of the one it had.
func (c *client) set(at time.Duration, means policies.InputKind) {
	if c.timer != nil {
		c.timer.Stop()
		c.timer = nil
	}
	if at != policies.Never {
		c.timer, c.means = c.books.until(at), means
	}
}

// drop lets go of whatever a run that is over has left in hand.
func (c *client) drop() {
	if c.timer != nil {
		c.timer.Stop()
	}
	if c.gate != nil {
		c.gate.Leave(c.ticket, policies.InFlight)
	}
}
