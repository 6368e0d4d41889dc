package live

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// guest is who makes a request.
type guest struct {
	errand
	named  bool   // the errand is the scenario's
	cohort int    // whose draws it gets
	secret string // its API key
	key    number // its limits'
	tenant number
	row    int   // of the tally
	tries  int32 // before this one, as far as it is known
}

// number is a key's or a tenant's, where it has one.
type number struct {
	n     uint32
	known bool
}

// guests are those who come to a server whose clients keep no books: whoever they are. It
// knows them by their API keys, and remembers a bounded number of those. Guarded by the
// server's mutex.
type guests struct {
	crowd   *model.Crowd
	tally   func(row string) int    // makes a row; nil where the clients keep the books, by group
	numbers map[string]uint32       // of keys and tenants that are not the scenario's
	rows    map[string]int          // of the tally
	others  int                     // of them, those that no scenario names
	tries   map[uint64]int32        // by idempotency key
	order   []uint64                // of tries, a ring
	oldest  int                     // of order
	untold  map[uint64]model.Making // answers with a key that nobody has had whole, by number
	made    []uint64                // of untold, in a ring
	first   int                     // the oldest of made
}

// What is remembered at most. Who comes later shares what is left.
const (
	mostKeys  = 1000 // keys and tenants with limits of their own
	mostRows  = 32   // keys with figures of their own; each takes up to 4 MB, after a million requests
	mostTries = 1 << 16
	mostKept  = 1 << 18 // answers that are told again to who has their key
)

func newGuests(crowd *model.Crowd, row func(string) int) *guests {
	return &guests{
		crowd: crowd, tally: row, numbers: map[string]uint32{}, rows: map[string]int{},
		tries: map[uint64]int32{}, untold: map[uint64]model.Making{},
	}
}

// know finds out who makes a request.
func (g *guests) know(h http.Header) guest {
	v := guest{secret: secretOf(h)}
	v.errand, v.cohort, v.named = errandOf(h.Get(drawHeader), g.crowd.Cohorts)
	row := v.group
	if v.named {
		v.tries = v.attempt
	} else {
		row = g.drawn(&v)
		if v.secret != "" {
			v.key = g.number(g.crowd.KeyNumber, "key ", v.secret, 0)
			if _, named := g.crowd.KeyNumber(v.secret); !named {
				v.tenant = v.key // of its own
			}
		}
		if org := h.Get("OpenAI-Organization"); org != "" {
			v.tenant = g.number(g.crowd.TenantNumber, "tenant ", org, 1)
		}
		v.tries = g.triesOf(h, v.secret)
	}
	v.row = v.cohort
	if v.cold {
		v.row = len(g.crowd.Cohorts) // the warm-up's
	}
	if g.tally != nil {
		v.row = g.rowOf(row)
	}
	return v
}

// drawn finds whose draws a stranger gets, the first group's that has its key or else the
// first of all, and under what name it is counted.
func (g *guests) drawn(v *guest) (row string) {
	_, named := g.crowd.KeyNumber(v.secret)
	for i := range g.crowd.Cohorts {
		if v.secret != "" && g.crowd.Cohorts[i].Key == v.secret {
			v.cohort = i
			break
		}
	}
	switch {
	case v.secret == "":
		return "no-key"
	case named:
		return v.secret
	}
	return "key-" + fingerprint(v.secret)
}

// fingerprint tells keys apart without saying them: the first 8 digits of the SHA-256.
func fingerprint(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:4])
}

// number is that of a key or a tenant, which a scenario may name; those who come when all
// are given share the one after the last.
func (g *guests) number(named func(string) (uint32, bool), kind, name string, after uint32) number {
	if n, is := named(name); is {
		return number{n, true}
	}
	keys, tenants := g.crowd.Numbered()
	first := max(keys, tenants)
	n, known := g.numbers[kind+name]
	if !known {
		if len(g.numbers) >= mostKeys {
			return number{first + mostKeys + after, true}
		}
		n = first + uint32(len(g.numbers))
		g.numbers[kind+name] = n
	}
	return number{n, true}
}

// rowOf is the tally's row for a name.
func (g *guests) rowOf(name string) int {
	row, known := g.rows[name]
	if known {
		return row
	}
	if _, named := g.crowd.KeyNumber(name); !named && !g.isGroup(name) {
		if g.others >= mostRows && name != otherKeys {
			return g.rowOf(otherKeys)
		}
		g.others++
	}
	row = g.tally(name)
	g.rows[name] = row
	return row
}

// otherKeys are those that came when there were too many.
const otherKeys = "other-keys"

func (g *guests) isGroup(name string) bool {
	for i := range g.crowd.Cohorts {
		if g.crowd.Cohorts[i].Name == name {
			return true
		}
	}
	return false
}

// triesOf is how often a request was made before: OpenAI's and Anthropic's clients say so,
// and an idempotency key is counted.
func (g *guests) triesOf(h http.Header, secret string) int32 {
	if n, err := strconv.ParseUint(h.Get("X-Stainless-Retry-Count"), 10, 31); err == nil {
		return int32(n)
	}
	key := h.Get("Idempotency-Key")
	if key == "" {
		return 0
	}
	id := idempotency(secret, key)
	before, known := g.tries[id]
	switch {
	case known:
	case len(g.order) < mostTries:
		g.order = append(g.order, id)
	default:
		delete(g.tries, g.order[g.oldest])
		g.order[g.oldest] = id
		g.oldest = (g.oldest + 1) % mostTries
	}
	g.tries[id] = before + 1
	return before
}

// finished notes an answer that is whole and has a key.
func (g *guests) finished(answer uint64, m model.Making) {
	if len(g.made) < mostKept {
		g.made = append(g.made, answer)
	} else {
		delete(g.untold, g.made[g.first])
		g.made[g.first] = answer
		g.first = (g.first + 1) % mostKept
	}
	g.untold[answer] = m
}

// useful is what was made for who has an answer whole: nothing where somebody had it before.
func (g *guests) useful(a *answer) model.Making {
	if a.q.Idempotency == 0 {
		return a.made
	}
	m := g.untold[a.number]
	delete(g.untold, a.number)
	return m
}

// draw draws a request: what its errand names, or what a stranger asks for.
func (s *Server) draw(g *guest, a *asked) model.Request {
	if g.named {
		operation := model.OperationKey(model.ClientKey(s.seed, g.group, g.client), g.operation)
		co := &s.cohorts[g.cohort]
		return co.Draws.RequestOfRow(operation, g.attempt, co.Row(int32(g.client), int32(g.operation)))
	}
	s.mu.Lock()
	n := s.strangers
	s.strangers++
	s.mu.Unlock()
	draws := s.stranger
	if len(s.cohorts) > 0 {
		draws = s.cohorts[g.cohort].Draws
	}
	// No group's name begins with a zero byte: YAML cannot say it.
	operation := model.OperationKey(model.ClientKey(s.seed, "\x00stranger", n), 0)
	q := draws.Stranger(operation, g.tries, n, a.prompt)
	if g.key.known {
		q.Key = g.key.n
	}
	if g.tenant.known {
		q.Tenant = g.tenant.n
	}
	if pool := s.guests.crowd.Pool(a.model); pool > 0 {
		q.Pool = pool
	}
	return q
}

// secretOf is the API key of a request, "" without.
func secretOf(h http.Header) string {
	if bearer := h.Get("Authorization"); bearer != "" {
		scheme, key, _ := strings.Cut(bearer, " ")
		if strings.EqualFold(scheme, "Bearer") {
			return strings.TrimSpace(key)
		}
	}
	for _, name := range []string{"X-Api-Key", "Api-Key"} { // Anthropic's, Azure's
		if key := h.Get(name); key != "" {
			return key
		}
	}
	return ""
}
