package live

import (
	"context"
	"sync"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// client drives one operation's loop, policies.Client.Step: it tells the loop what
// happened and does what the loop answers. Whatever is a decision is not here.
type client struct {
	call
	provider *model.ProviderConfig
	books    *Books
	row      int // of the tally: its group, or the warm-up
	ticket   policies.Ticket
	gate     *Gate // nil where nothing holds it back

	state   policies.State
	first   time.Duration     // when its first attempt was sent
	side    *policies.Side    // nil where the loop needs none
	flights map[int32]*flight // attempts in flight, by number
	last    report            // of the attempt that ended last
	over    time.Duration     // when it ended
	gone    func(policies.Ticket)

	// What may happen next; nil is never.
	granted <-chan struct{}
	refused <-chan struct{}
	news    chan news
	timer   *clock.Timer
	means   policies.InputKind // what the timer tells when it is due
	user    *clock.Timer       // its user's patience
}

// flight is an attempt in flight.
type flight struct {
	up      time.Duration      // its way to the server
	cancel  context.CancelFunc // ends the request
	ignored chan struct{}      // closed when nobody listens any more, or there is no more to hear

	mu     sync.Mutex
	come   int64           // tokens that have come
	coming []time.Duration // when those come that are on their way

	onWay chan struct{} // a place for each event on its way back
}

// mostOnWay bounds the events that are on their way to a client at once; a server that sends more
// waits for the client to take some.
const mostOnWay = 4096

// news is something that happened to an attempt: an event, or its end.
type news struct {
	attempt int32
	event   policies.Input
	end     *report // nil of an event
}

// live is a client's life: from when its operation is meant to start to its end, or that of
// ctx, which is the run; ended says which. Its requests may outlive it: they end with the wire.
func (c *client) live(ctx context.Context, w *wire, arrival time.Duration) (end time.Duration, ended bool) {
	defer c.drop()
	if after := c.Draws.Cancel(c.key); after != policies.Never {
		c.user = c.books.until(policies.Later(arrival, after))
	}
	a := c.step(policies.Input{Kind: policies.Start}, arrival)
	for a.Do != policies.End {
		c.obey(w, a)
		in, ok := c.await(ctx)
		if !ok {
			return 0, false
		}
		a = c.step(in, 0)
	}
	return c.over, true
}

// await is the next thing to happen; ok is false when the run is over.
func (c *client) await(ctx context.Context) (in policies.Input, ok bool) {
	for {
		in, matters := c.next(ctx)
		if matters || ctx.Err() != nil {
			return in, ctx.Err() == nil
		}
	}
}

// next waits for the next thing to happen; it may be of an attempt that nobody listens to
// any more.
func (c *client) next(ctx context.Context) (in policies.Input, matters bool) {
	var due, enough <-chan time.Time
	if c.timer != nil {
		due = c.timer.C
	}
	if c.user != nil {
		enough = c.user.C
	}
	select {
	case <-ctx.Done():
		return in, false
	case <-c.granted:
		c.granted = nil
		return policies.Input{Kind: policies.Granted}, true
	case <-c.refused:
		c.refused = nil
		return policies.Input{Kind: policies.Refused}, true
	case <-due:
		c.timer = nil
		return c.timed(c.means), true
	case <-enough:
		c.user = nil
		return c.timed(policies.UserCancel), true
	case n := <-c.news:
		f := c.flights[n.attempt]
		switch {
		case f == nil:
			return in, false
		case n.end == nil:
			in = n.event
			in.Attempt = n.attempt
			return in, true
		}
		delete(c.flights, n.attempt)
		close(f.ignored)
		c.last = *n.end
		in = policies.Input{Kind: policies.Answered, Attempt: n.attempt, Answer: c.last.answer}
		if in.Answer.End != policies.Succeeded {
			in.U = c.Draws.Backoff(c.key, n.attempt)
		}
		return in, true
	}
}

// timed is the input of a timer, with the most that an attempt in flight has brought by now.
func (c *client) timed(kind policies.InputKind) policies.Input {
	in := policies.Input{Kind: kind, U: c.Draws.Backoff(c.key, c.state.Attempt())}
	for _, f := range c.flights {
		in.Answer.Tokens = max(in.Answer.Tokens, f.tokens(c.books.now()))
	}
	return in
}

// tokens is how many have come by an instant.
func (f *flight) tokens(now time.Duration) int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count(now)
	return f.come
}

// token notes that one is on its way, which takes so long.
func (f *flight) token(now, down time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count(now)
	f.coming = append(f.coming, now+down)
}

// count counts those that have come.
func (f *flight) count(now time.Duration) {
	for len(f.coming) > 0 && f.coming[0] <= now {
		f.come++
		f.coming = f.coming[1:]
	}
}

// errand names an attempt.
func (c *client) errand(attempt int32) errand {
	return errand{c.Name, int(c.client), int(c.number), attempt, c.cold}
}

// step tells the loop, and the books, what happened. An operation starts when it was
// meant to, however late its goroutine woke.
func (c *client) step(in policies.Input, meant time.Duration) (a policies.Action) {
	c.books.note(func(now time.Duration, t *model.Tally) {
		at := now
		switch in.Kind {
		case policies.Start:
			at = meant
			t.Started(c.row)
		case policies.Granted:
			t.Permits(at, 1)
		case policies.WaitOver:
			t.BackedOff(c.row, int(c.state.Layer), now-c.state.Since())
		case policies.Answered:
			c.last.made.Busy = c.books.busyOf(c.errand(in.Attempt))
			t.AttemptEnded(c.row, &in.Answer, c.last.axis)
			t.Heard(now, in.Answer.End)
			if !c.last.opened || c.SeenAtEnd(&in.Answer) {
				c.last.firstSeen = now
			}
		}
		a = c.Loop.Step(at, &c.state, c.side, &in)
		if a.Leave {
			t.Permits(at, -1)
		}
		if in.Kind == policies.Answered {
			t.Delivered(c.row, c.Shown(&in.Answer), a.Do == policies.WaitUntil)
		}
		if a.Abandon != policies.InFlight {
			c.abandon(now, t, a)
		}
		switch a.Do {
		case policies.WaitUntil:
			if a.Alike != policies.NotAlike {
				t.WaitsAlike(c.row, int(c.state.Layer), a.At-at, a.Alike)
			}
		case policies.Send:
			t.Sent(now, c.row, c.state.Attempt() > 0)
			if c.state.Attempt() == 0 {
				c.first = at
			}
			if c.side != nil && c.state.Attempt() > 0 {
				t.ByLayer(c.row, int(c.state.Layer), a.Hedge)
			}
		case policies.End:
			if c.gate != nil && a.Why == policies.Success {
				t.FromSend(c.row, at-c.first)
			}
			c.ended(now, t, a.Why, in)
		}
	})
	if a.Leave || a.Withdraw {
		c.gate.Leave(c.ticket, a.Left(&in))
	}
	return a
}

// abandon stops listening to attempts in flight; the server learns of it after the way
// there.
func (c *client) abandon(now time.Duration, t *model.Tally, a policies.Action) {
	for number, f := range c.flights {
		if a.Of != policies.EveryAttempt && a.Of != number {
			continue
		}
		answer := a.Abandoned(f.tokens(now))
		t.AttemptEnded(c.row, &answer, 0)
		t.Delivered(c.row, c.Shown(&answer), a.Do == policies.WaitUntil)
		delete(c.flights, number)
		close(f.ignored)
		c.books.clock.AfterFunc(f.up, f.cancel)
	}
}

// ended notes the end of the operation.
func (c *client) ended(now time.Duration, t *model.Tally, why policies.EndReason, in policies.Input) {
	c.over = now
	made := model.Making{}
	switch {
	case why == policies.Success:
		made = c.last.made
	case c.Loop.Keeps(&in.Answer):
		q := c.Draws.RequestOfRow(c.key, 0, c.traced())
		t.Kept(c.row, c.provider.Making(&q, in.Answer.Tokens, 0))
	}
	t.OperationEnded(now, c.row, &c.state, why, c.last.firstSeen, made, why == policies.Success && in.Answer.Truncated)
}

// obey sets going what the loop asked for.
func (c *client) obey(w *wire, a policies.Action) {
	switch a.Do {
	case policies.Enter:
		tokens := c.Estimate(c.key, c.traced())
		if c.state.Attempt() < 0 {
			c.books.note(func(_ time.Duration, t *model.Tally) { t.Entered(c.row, tokens) })
		}
		door, in := c.gate.Enter(c.ticket, tokens, c.Priority)
		if !in {
			refused := make(chan struct{})
			close(refused)
			c.refused = refused
		}
		c.granted = door
		c.set(a.At, policies.TimerDue)
	case policies.WaitUntil:
		c.granted = nil // it has left the line, where it stood in one
		c.set(a.At, policies.WaitOver)
	case policies.Stay:
		c.set(a.At, policies.TimerDue)
	case policies.Send:
		number := c.state.Attempt()
		f := &flight{up: c.Draws.Up(c.key, number), ignored: make(chan struct{}), onWay: make(chan struct{}, mostOnWay)}
		c.flights[number] = f
		at := attempt{client: c, errand: c.errand(number), flight: f, down: c.Draws.Down(c.key, number)}
		f.cancel = w.carry(func(ctx context.Context) { at.send(ctx, w) })
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
	for _, timer := range []*clock.Timer{c.timer, c.user} {
		if timer != nil {
			timer.Stop()
		}
	}
	for _, f := range c.flights {
		close(f.ignored)
	}
	if c.gate != nil {
		c.gate.Leave(c.ticket, policies.InFlight)
	}
	c.gone(c.ticket)
}
