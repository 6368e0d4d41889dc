package live

import (
	"context"
	"hash/fnv"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// Server is a scenario's provider as an HTTP handler: POST /v1/chat/completions in
// OpenAI's shape. A model.Provider decides who is served, and when each token
// leaves; the server says it over HTTP.
//
// Our own clients name their draws in a header, so a seed gives them the service
// times and lengths of virtual time. Any other client gets names from a counter, and
// is drawn and counted as one of the first group by name.
type Server struct {
	books    *Books
	config   *model.ProviderConfig
	seed     uint64
	cohorts  []model.Cohort
	stranger *model.Draws
	flavour  model.Flavour
	closing  chan struct{}
	handlers sync.WaitGroup

	mu        sync.Mutex
	closed    bool
	strangers int
	asked     uint64 // requests
	provider  *model.Provider
	alarm     alarm
	answers   []*answer         // by ticket; nil where the ticket is free
	free      []policies.Ticket // of answers
	effects   []model.Effect
}

// answer is an answer in the making, as its handler sees it.
type answer struct {
	ticket policies.Ticket
	group  int
	joined time.Duration // the provider's queue
	length int64         // in tokens, were it not cut
	q      model.Request
	errand errand        // of our own clients
	news   chan struct{} // holds one where progress has changed
	progress
}

// progress is how far an answer has come.
type progress struct {
	number uint64       // over all answers, from 1
	tokens int64        // that may be told by now
	end    ending       // of all
	says   said         // of one that is declined
	fault  *model.Fault // of one that is broken or stalled, or ends in another way
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

// NewServer returns the server of a scenario's provider; its books are those of the
// run. Close it.
func NewServer(c *model.Config, seed uint64, books *Books) (*Server, error) {
	crowd, err := c.Crowd()
	if err != nil {
		return nil, err
	}
	s := &Server{
		books: books, config: &c.Provider, seed: seed, cohorts: crowd.Cohorts, flavour: c.Provider.Flavour,
		provider: model.NewProvider(c.Provider), closing: make(chan struct{}),
	}
	if len(s.cohorts) > 0 {
		s.stranger = s.cohorts[0].Draws
	} else {
		var g model.Group
		g.SetDefaults()
		s.stranger = model.NewDraws(&g, &c.Provider)
	}
	s.alarm = newAlarm(books.timeline, s.ring)
	return s, nil
}

// HTTP returns an http.Server for the handler, with bounds on what a slow or
// talkative client may take.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       30 * time.Second, // of header and body; lifted while an answer is made
		IdleTimeout:       idle,
		MaxHeaderBytes:    64 << 10,
	}
}

// Close ends what is still being answered, unfinished, and returns when no handler
// is left.
func (s *Server) Close() {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
	s.alarm.set(policies.Never)
	s.mu.Unlock()
	s.handlers.Wait()
}

// Busy returns how long seats have been taken until an instant, all together.
func (s *Server) Busy(now time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.poll(now)
	s.books.note(func(_ time.Duration, t *model.Tally) { t.WatchEnd(now, s.provider) })
	return s.provider.Busy(now)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, open := s.enter()
	if name := s.flavour.RequestID(); name != "" {
		w.Header().Set(name, "req_"+strconv.FormatUint(id, 10))
	}
	if !open {
		s.refuse(w, http.StatusServiceUnavailable, "the server is closing")
		return
	}
	defer s.handlers.Done()
	switch {
	case r.URL.Path != "/v1/chat/completions":
		s.refuse(w, http.StatusNotFound, "there is nothing at this path; POST to /v1/chat/completions")
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		s.refuse(w, http.StatusMethodNotAllowed, "this path takes POST alone")
	default:
		if q, ok := s.readChat(w, r); ok {
			s.chat(w, r, q)
		}
	}
}

// enter counts a handler in, unless the server is closed, and numbers its request.
func (s *Server) enter() (id uint64, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if !s.closed {
		s.handlers.Add(1)
	}
	return s.asked, !s.closed
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request, chat *chatRequest) {
	errand, group, q := s.draw(r.Header.Get(drawHeader))
	q.Stream, q.EachToken, q.MaxTokens = chat.Stream, chat.Stream, policies.Unlimited
	if chat.MaxTokens != nil {
		q.MaxTokens = policies.Count(*chat.MaxTokens)
	}
	if chat.MaxCompletionTokens != nil {
		q.MaxTokens = policies.Count(*chat.MaxCompletionTokens)
	}
	if key := r.Header.Get("Idempotency-Key"); key != "" {
		h := fnv.New64a()
		_, _ = h.Write([]byte(key))
		q.Idempotency = max(1, h.Sum64())
	}
	a, says := s.offer(errand, group, &q)
	for _, h := range says.headers {
		w.Header().Set(h.Name, h.Value)
	}
	if a == nil {
		s.decline(w, &says)
		return
	}
	defer s.leave(a)
	t := telling{model: chat.Model, created: s.books.clock.Now().Unix(), prompt: q.Input}
	if chat.Stream {
		s.stream(w, r, a, &t)
	} else {
		s.whole(w, r, a, &t)
	}
}

// draw finds a request's names and draws what they name.
func (s *Server) draw(header string) (e errand, group int, q model.Request) {
	if e, ok := parseErrand(header); ok {
		for i := range s.cohorts {
			if co := &s.cohorts[i]; co.Name == e.group {
				operation := model.OperationKey(model.ClientKey(s.seed, e.group, e.client), e.operation)
				return e, i, co.Draws.Request(operation, e.attempt)
			}
		}
	}
	s.mu.Lock()
	n := s.strangers
	s.strangers++
	s.mu.Unlock()
	// No group's name begins with a zero byte: YAML cannot say it.
	operation := model.OperationKey(model.ClientKey(s.seed, "\x00stranger", n), 0)
	return e, 0, s.stranger.Request(operation, 0)
}

// said is what the provider says of a request before there is an answer: of its limits,
// and why it is refused.
type said struct {
	decision model.Decision
	headers  []model.Header
	body     model.ErrorBody // where there is no answer
}

// offer puts a request before the provider. Without an answer, what is said tells why.
func (s *Server) offer(errand errand, group int, q *model.Request) (*answer, said) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.books.now()
	ticket := policies.Ticket(len(s.answers))
	if n := len(s.free); n > 0 {
		ticket, s.free = s.free[n-1], s.free[:n-1]
	} else {
		s.answers = append(s.answers, nil)
	}
	s.watch(now)
	d := s.provider.Offer(now, ticket, q)
	s.books.note(func(_ time.Duration, t *model.Tally) { t.Decided(now, s.provider, q, &d) })
	says := s.saying(now, q, &d)
	a := &answer{ticket: ticket, group: group, errand: errand, joined: now, length: q.Output, q: *q, news: make(chan struct{}, 1)}
	a.number = d.Answer
	switch d.Verdict {
	case model.Reject, model.Fail:
		s.free, a = append(s.free, ticket), nil
	case model.Replay:
		s.free = append(s.free, ticket)
		a.tokens, a.end = d.Tokens, whole
		s.hadSeat(a, &model.Effect{Work: d.Work})
		a.news <- struct{}{}
	default:
		s.answers[ticket] = a
		if d.Verdict == model.Serve {
			s.seated(a, now)
		}
	}
	s.poll(now)
	return a, says
}

// saying is what is said of a decision on a request.
func (s *Server) saying(now time.Duration, q *model.Request, d *model.Decision) said {
	says := said{decision: *d, headers: s.provider.Headers(now, s.books.clock.Now(), q, d)}
	if d.Verdict == model.Reject || d.Verdict == model.Fail {
		says.body = s.provider.Refusal(now, q, d)
	}
	return says
}

// seated counts how long an answer stood in the queue.
func (s *Server) seated(a *answer, at time.Duration) {
	if len(s.cohorts) > 0 {
		s.books.note(func(_ time.Duration, t *model.Tally) { t.Waited(a.group, at-a.joined) })
	}
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
			a.tokens, a.end, a.fault = e.Tokens, whole, s.provider.Fault(e.Ticket)
			s.hadSeat(a, e)
		case model.Cut, model.StreamError:
			a.tokens, a.end, a.fault = e.Tokens, broken, s.provider.Fault(e.Ticket)
			s.hadSeat(a, e)
		case model.Stopped:
			a.end = given
		case model.Dropped:
			a.end, a.says = declined, s.saying(now, &a.q, s.provider.Decision(e))
			s.books.note(func(_ time.Duration, t *model.Tally) { t.Refused(now) })
		case model.Decided:
			s.decided(now, a, s.provider.Decision(e))
		}
		if e.Kind.Last() && e.Kind != model.Dropped && !e.Copy && len(s.cohorts) > 0 {
			s.books.note(func(_ time.Duration, t *model.Tally) {
				t.Generated(a.group, s.config.MadeBy(e, &a.q), e.Kind == model.Finish)
			})
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
	s.alarm.set(wake)
}

// decided notes what came of a request that a freeze held back.
func (s *Server) decided(now time.Duration, a *answer, d *model.Decision) {
	s.books.note(func(_ time.Duration, t *model.Tally) { t.Decided(now, s.provider, &a.q, d) })
	a.number, a.joined = d.Answer, now
	switch d.Verdict {
	case model.Serve:
		s.seated(a, now)
	case model.Reject, model.Fail:
		a.end, a.says = declined, s.saying(now, &a.q, d)
	case model.Replay:
		a.tokens, a.end = d.Tokens, whole
		s.hadSeat(a, &model.Effect{Work: d.Work})
	}
}

// hadSeat notes for one of our own clients, if it has not left, how long its answer had a
// seat.
func (s *Server) hadSeat(a *answer, e *model.Effect) {
	if a.errand.group != "" && !e.Gone {
		s.books.hadSeat(a.errand, e.Busy+e.Work) // one of which is 0
	}
}
