package live

import (
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// Server is a scenario's provider as an HTTP handler, in three dialects: POST
// /v1/chat/completions as OpenAI has it, POST /v1/messages as Anthropic does, and the
// reference chapter's own GET /v1/chat. A model.Provider decides who is served, and when
// each token leaves; the server says it over HTTP. Of load-dependent pace the tokens on the
// wire are never more than one behind the provider's own count, since they are told when
// they are made.
//
// Our own clients name their draws in a header, so a seed gives them the service
// times and lengths of virtual time. Any other client gets names from a counter, and
// is drawn as one of the group that has its API key, else of the first by name.
type Server struct {
	Name  string // of the scenario, for its summary
	Steer bool   // requests may force a fault on themselves, by X-Stampede-Fault

	books    *Books
	config   *model.ProviderConfig
	seed     uint64
	cohorts  []model.Cohort
	stranger *model.Draws
	flavour  model.Flavour
	closing  chan struct{}
	handlers sync.WaitGroup
	room     atomic.Int64 // that bodies take

	unsteered atomic.Int64 // requests that asked for a fault in vain

	mu        sync.Mutex
	closed    bool
	guests    *guests
	strangers int
	asked     uint64 // requests
	provider  *model.Provider
	alarm     alarm
	answers   []*answer         // by ticket; nil where the ticket is free
	most      int               // of answers
	free      []policies.Ticket // of answers
	effects   []model.Effect
}

// NewServer returns the server of a scenario's provider; its books are those of the
// run. Close it.
func NewServer(c *model.Config, seed uint64, books *Books) (*Server, error) {
	crowd, err := c.Crowd()
	if err != nil {
		return nil, err
	}
	s := &Server{
		books: books, config: &c.Provider, seed: seed, cohorts: crowd.Cohorts, flavour: c.Provider.Flavour,
		provider: model.NewProvider(c.Provider), closing: make(chan struct{}), most: mostAnswers,
	}
	if len(s.cohorts) > 0 {
		s.stranger = s.cohorts[0].Draws
	} else {
		var g model.Group
		g.SetDefaults()
		s.stranger = model.NewDraws(&g, &c.Provider)
	}
	s.provider.KeepAtMost(mostKept)
	s.guests = newGuests(crowd, nil)
	if books.served {
		s.guests.tally = func(row string) (n int) {
			books.note(func(_ time.Duration, t *model.Tally) { n = t.Visitor(row) })
			return n
		}
	}
	s.alarm = newAlarm(books.timeline, s.ring)
	return s, nil
}

// HTTP returns an http.Server for the handler, with bounds on what a slow or
// talkative client may take.
func (s *Server) HTTP() *http.Server {
	return &http.Server{
		Handler:           s,
		ReadHeaderTimeout: toReadHeader,
		ReadTimeout:       toRead, // until the body is read, after which net/http lifts it
		IdleTimeout:       idle,
		MaxHeaderBytes:    64 << 10,
	}
}

// How long the server waits for a client.
const (
	toReadHeader = 10 * time.Second
	toRead       = 30 * time.Second // of header and body
	toWrite      = 30 * time.Second // until a client has read what was written
)

// Close ends what is still being answered, unfinished, and returns when no handler
// is left.
func (s *Server) Close() {
	s.bar()
	s.handlers.Wait()
}

// bar ends what is still being answered, unfinished.
func (s *Server) bar() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
	s.alarm.set(policies.Never)
}

// Busy returns how long seats have been taken until an instant, all together.
func (s *Server) Busy(now time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.poll(now)
	s.books.note(func(_ time.Duration, t *model.Tally) { t.WatchEnd(now, s.provider) })
	return s.provider.Busy(now)
}
