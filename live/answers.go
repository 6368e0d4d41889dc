package live

import (
	"context"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// mostAnswers bounds a server's answers that are unfinished at once, with those whose clients
// have left.
const mostAnswers = 1 << 18

// answer is an answer in the making, as its handler sees it.
type answer struct {
	ticket  policies.Ticket
	group   int           // in the tally
	joined  time.Duration // the provider's queue
	length  int64         // in tokens, were it not cut
	q       model.Request
	errand  errand        // of our own clients
	flavour model.Flavour // in which it is refused
	made    model.Making
	news    chan struct{} // holds one where progress has changed
	progress
}

// progress is how far an answer has come.
type progress struct {
	number uint64             // over all answers, from 1
	tokens int64              // that may be told by now
	end    ending             // of all
	says   said               // of one that is declined
	fault  *model.Fault       // that it met
	sees   policies.StreamEnd // what the client of a stream is shown of the end
}

// ending is how an answer ended.
type ending uint8

const (
	unended ending = iota
	whole
	declined // after a wait
	broken   // by a fault
	given    // up, since its client had left
)

// said is what the provider says of a request before there is an answer: of its limits,
// and why it is refused.
type said struct {
	decision model.Decision
	headers  []model.Header
	body     model.ErrorBody // where there is no answer
}

// offer puts a request before the provider. Without an answer, what is said tells why; full
// is true where the server itself has no room for another.
func (s *Server) offer(v *visit, q *model.Request) (a *answer, says said, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.books.now()
	if len(s.answers)-len(s.free) >= s.most {
		return nil, said{}, true
	}
	ticket := policies.Ticket(len(s.answers))
	if n := len(s.free); n > 0 {
		ticket, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.answers = append(s.answers, nil)
	}
	s.watch(now)
	d := s.provider.Offer(now, ticket, q)
	s.books.note(func(_ time.Duration, t *model.Tally) { t.Decided(now, s.provider, q, &d) })
	says = s.saying(now, v.flavour, q, &d)
	a = &answer{
		ticket: ticket, group: v.guest.row, errand: v.guest.errand, flavour: v.flavour,
		joined: now, length: q.Output, q: *q, news: make(chan struct{}, 1),
	}
	a.number = d.Answer
	switch d.Verdict {
	case model.Reject, model.Fail:
		s.free, a = append(s.free, ticket), nil
	case model.Replay:
		s.free = append(s.free, ticket)
		s.replays(a, &d)
		a.news <- struct{}{}
	default:
		s.answers[ticket] = a
		s.begins(a, &d, now)
	}
	s.poll(now)
	return a, says, false
}

// saying is what is said of a decision on a request.
func (s *Server) saying(now time.Duration, f model.Flavour, q *model.Request, d *model.Decision) said {
	says := said{decision: *d, headers: s.provider.Headers(now, s.books.clock.Now(), f, q, d)}
	if d.Verdict == model.Reject || d.Verdict == model.Fail {
		says.body = s.provider.Refusal(now, f, q, d)
	}
	return says
}

// seated counts how long an answer stood in the queue.
func (s *Server) seated(a *answer, at time.Duration) {
	if s.counted() {
		s.books.note(func(_ time.Duration, t *model.Tally) { t.Waited(a.group, at-a.joined) })
	}
}

// counted says whether the tally has a row for who comes.
func (s *Server) counted() bool { return s.books.served || len(s.cohorts) > 0 }

// receive is what was made for who has an answer whole, where the server counts it.
func (s *Server) receive(a *answer) model.Making {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.books.served {
		return model.Making{}
	}
	return s.guests.useful(a)
}

// leave tells the provider that the client of an unfinished answer is gone.
func (s *Server) leave(a *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.end != unended {
		return
	}
	now := s.books.now()
	s.poll(now)
	if a.end == unended {
		s.provider.Leave(now, a.ticket)
		s.poll(now)
	}
}

// next waits until more of an answer may be told, and returns how far it has come. ok
// is false when there is nobody left to tell it to. Where a stall keeps the connection
// alive, it returns in time to.
func (s *Server) next(ctx context.Context, a *answer, stalls *model.Fault) (p progress, ok bool) {
	var alive <-chan time.Time
	if stalls != nil && stalls.KeepAlive > 0 {
		timer := s.books.clock.Timer(stalls.KeepAlive)
		defer timer.Stop()
		alive = timer.C
	}
	select {
	case <-a.news:
	case <-alive:
	case <-ctx.Done():
		return p, false
	case <-s.closing:
		return p, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return a.progress, true
}

func (s *Server) ring() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alarm.rang()
	if !s.closed {
		s.poll(s.books.now())
	}
}

// watch notes what of the limits was used before anything happens now.
func (s *Server) watch(now time.Duration) {
	s.books.note(func(_ time.Duration, t *model.Tally) { t.Watch(now, s.provider) })
}

// poll passes on what has come due.
func (s *Server) poll(now time.Duration) {
	s.watch(now)
	var wake time.Duration
	s.effects, wake = s.provider.Poll(now, s.effects[:0])
	for i := range s.effects {
		e := &s.effects[i]
		a := s.answers[e.Ticket]
		switch e.Kind {
		case model.Served:
			s.seated(a, e.At)
			continue
		case model.FirstToken, model.NextToken:
			a.tokens++
		case model.Stalled:
			a.tokens, a.fault = e.Tokens, s.provider.Fault(e.Ticket)
		case model.Finish:
			a.tokens, a.end = e.Tokens, whole
			a.fault, a.sees = s.provider.Fault(e.Ticket), s.provider.StreamEnd(e)
			s.hadSeat(a, e)
		case model.Cut, model.StreamError:
			a.tokens, a.end = e.Tokens, broken
			a.fault, a.sees = s.provider.Fault(e.Ticket), s.provider.StreamEnd(e)
			s.hadSeat(a, e)
		case model.Stopped:
			a.end = given
		case model.Dropped:
			a.end, a.says = declined, s.saying(now, a.flavour, &a.q, s.provider.Decision(e))
			s.books.note(func(_ time.Duration, t *model.Tally) { t.Refused(now) })
		case model.Decided:
			s.decided(now, a, s.provider.Decision(e))
		}
		if e.Kind.Last() && e.Kind != model.Dropped && !e.Copy && s.counted() {
			a.made = s.config.MadeBy(e, &a.q)
			s.books.note(func(_ time.Duration, t *model.Tally) { t.Generated(a.group, a.made, e.Kind == model.Finish) })
			if e.Kind == model.Finish && a.q.Idempotency != 0 && s.books.served {
				s.guests.finished(a.number, a.made)
			}
		}
		if a.end != unended {
			s.answers[e.Ticket] = nil
			s.free = append(s.free, e.Ticket)
		}
		select {
		case a.news <- struct{}{}:
		default: // it has not looked at the last news yet
		}
	}
	s.books.note(func(_ time.Duration, t *model.Tally) { t.Level(now, s.provider.Serving(), s.provider.Queued()) })
	if s.closed {
		wake = policies.Never
	}
	s.alarm.set(wake)
}

// decided notes what came of a request that a freeze held back.
func (s *Server) decided(now time.Duration, a *answer, d *model.Decision) {
	s.books.note(func(_ time.Duration, t *model.Tally) { t.Decided(now, s.provider, &a.q, d) })
	a.number, a.joined = d.Answer, now
	switch d.Verdict {
	case model.Reject, model.Fail:
		a.end, a.says = declined, s.saying(now, a.flavour, &a.q, d)
	case model.Replay:
		s.replays(a, d)
	default:
		s.begins(a, d, now)
	}
}

// begins notes what is known of an answer that is to be made.
func (s *Server) begins(a *answer, d *model.Decision, now time.Duration) {
	switch d.Verdict {
	case model.Serve:
		s.seated(a, now)
	case model.Join:
		a.length = d.Length
	}
}

// hadSeat notes for one of our own clients, if it has not left, how long its answer had a
// seat.
func (s *Server) hadSeat(a *answer, e *model.Effect) {
	if a.errand.group != "" && !e.Gone && !s.books.served {
		s.books.hadSeat(a.errand, e.Busy+e.Work) // one of which is 0
	}
}

// replays makes an answer one that was made before.
func (s *Server) replays(a *answer, d *model.Decision) {
	a.length = d.Length
	a.tokens, a.end, a.sees = d.Tokens, whole, policies.StreamEnd{Finished: true, Done: true}
	s.hadSeat(a, &model.Effect{Work: d.Work})
}
