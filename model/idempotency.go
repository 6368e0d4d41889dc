package model

import (
	"time"

	"github.com/stampede-sim/stampede/policies"
)

// IdempotencyConfig says what becomes of a request whose key the provider has seen.
//
//	mode    key of an answer that is whole   key of one in the making
//	off     made again                       made twice
//	replay  told again at once               refused with the conflict status
//	attach  told again at once               joined: told to both when it is made
//
// A key belongs to a request from its admission on: one that is refused by the limits,
// the seats or the queue, on arrival or after its wait, leaves it free, and so does an
// answer that is cut, stopped or ends in an error. A duplicate never frees a key.
// Weather's outage and faults that answer or hang come before; other faults
// cannot happen to what is made already.
type IdempotencyConfig struct {
	Mode     IdempotencyMode `yaml:"mode,short"`                   // default off
	Expires  time.Duration   `yaml:"expires" above:"0"`            // so long after its end an answer is forgotten; default 24h
	Conflict int             `yaml:"conflict" min:"400" max:"599"` // of replay; default 409
}

const (
	usualExpiry   = 24 * time.Hour
	usualConflict = 409
)

// SetDefaults fills what a scenario leaves out.
func (c *IdempotencyConfig) SetDefaults() {
	*c = IdempotencyConfig{Mode: IdempotencyOff, Expires: usualExpiry, Conflict: usualConflict}
}

// Check finds settings without effect.
func (c IdempotencyConfig) Check() []policies.Problem {
	switch {
	case c.Mode == IdempotencyOff && c.Expires != usualExpiry:
		return []policies.Problem{{Key: "expires", Text: "has no effect while keys are not looked at; write mode: replay"}}
	case c.Mode != IdempotencyReplay && c.Conflict != usualConflict:
		return []policies.Problem{{Key: "conflict", Text: "has no effect where no key conflicts; write mode: replay, or remove it"}}
	}
	return nil
}

// IdempotencyMode is what a provider does with keys.
type IdempotencyMode string

// The modes.
const (
	IdempotencyOff    IdempotencyMode = "off"
	IdempotencyReplay IdempotencyMode = "replay"
	IdempotencyAttach IdempotencyMode = "attach"
)

// Words lists the modes a scenario may name.
func (IdempotencyMode) Words() []string {
	return words(IdempotencyOff, IdempotencyReplay, IdempotencyAttach)
}

// keyring is the keys a provider remembers: those of requests it has, and for a time
// those of answers it has made.
type keyring struct {
	config IdempotencyConfig
	most   int // answers that are kept; 0: all
	known  map[uint64]keyed
	made   []madeKey // in order of their ends, from old
	old    int
	of     []listener // by ticket
}

// keyed is what a key stands for.
type keyed struct {
	owner  policies.Ticket // while it is being made
	whole  bool
	tokens int64
	work   time.Duration // seat time
	answer uint64
	length int64 // of the answer, were it not cut
}

type madeKey struct {
	at  time.Duration
	key uint64
}

// listener is a ticket that has a key, or joined one that has.
type listener struct {
	key   uint64          // of an owner; 0: none
	owner policies.Ticket // of one that joined
	next  uint32          // who else joined, 1 more than the ticket; 0: nobody
	ears  int32           // of an owner: those who have not left
	told  int32           // of an owner: tokens that have been told of
}

func newKeyring(c IdempotencyConfig) *keyring {
	if c.Mode == IdempotencyOff || c.Mode == "" {
		return nil
	}
	return &keyring{config: c, known: map[uint64]keyed{}}
}

func (k *keyring) reset() {
	clear(k.known)
	clear(k.of)
	k.made, k.old = k.made[:0], 0
}

// forget drops the answers whose time is over.
func (k *keyring) forget(now time.Duration) {
	for k.old < len(k.made) && (now >= policies.Later(k.made[k.old].at, k.config.Expires) || k.most > 0 && len(k.made)-k.old > k.most) {
		delete(k.known, k.made[k.old].key)
		k.old++
	}
	if k.old > len(k.made)/2 {
		k.made = k.made[:copy(k.made, k.made[k.old:])]
		k.old = 0
	}
}

// KeepAtMost bounds how many answers the provider keeps for their keys. Beyond it the oldest
// are forgotten before they expire.
func (p *Provider) KeepAtMost(answers int) {
	if p.keys != nil {
		p.keys.most = answers
	}
}

// duplicate decides on a request whose key is known; false where it is not.
func (k *keyring) duplicate(d *Decision, now time.Duration, p *Provider, id policies.Ticket, q *Request) bool {
	k.forget(now)
	seen, known := k.known[q.Idempotency]
	switch {
	case !known:
		return false
	case seen.whole:
		d.Verdict, d.Answer, d.Tokens, d.Length, d.Work = Replay, seen.answer, seen.tokens, seen.length, seen.work
	case k.config.Mode == IdempotencyReplay:
		d.Verdict, d.Status = Fail, int16(k.config.Conflict)
	default:
		d.Verdict, d.Answer, d.Length = Join, seen.answer, seen.length
		k.join(now, p, id, seen.owner)
	}
	return true
}

func (k *keyring) join(now time.Duration, p *Provider, id, owner policies.Ticket) {
	k.grow(id)
	o := &k.of[owner]
	k.of[id] = listener{owner: owner, next: o.next}
	o.next = uint32(id) + 1
	o.ears++
	me := p.row(id)
	a := &p.answers[owner]
	me.state, me.fault = joined, a.fault
	p.steer(id, p.steers[owner])
	if a.leaving {
		a.leaving = false
		p.left.remove(owner)
	}
	for told, kind := int32(0), FirstToken; told < o.told; told, kind = told+1, NextToken {
		p.effects = append(p.effects, Effect{At: now, Ticket: id, Kind: kind, Copy: true})
	}
	if a.state == stalled {
		p.effects = append(p.effects, Effect{At: now, Ticket: id, Kind: Stalled, Tokens: a.tokens, Copy: true})
	}
}

func (k *keyring) grow(id policies.Ticket) {
	for int(id) >= len(k.of) {
		k.of = append(k.of, listener{})
	}
}

// own notes that a request with a key is admitted.
func (k *keyring) own(id policies.Ticket, q *Request, answer uint64) {
	k.grow(id)
	k.of[id] = listener{key: q.Idempotency, ears: 1}
	if q.Idempotency != 0 {
		k.known[q.Idempotency] = keyed{owner: id, answer: answer, length: q.Output}
	}
}

func (k *keyring) owner(id policies.Ticket) policies.Ticket { return k.of[id].owner }

// heard notes that one of those who listen to an answer has left, and says whether
// any is still there.
func (k *keyring) heard(owner policies.Ticket) bool {
	k.of[owner].ears--
	return k.of[owner].ears > 0
}

// tell tells those who joined an answer what happened to it, in order of their joining.
func (k *keyring) tell(p *Provider, e Effect) {
	owner, work := e.Ticket, e.Busy
	if e.Kind == FirstToken || e.Kind == NextToken {
		k.of[owner].told++
	}
	from := len(p.effects)
	for at := k.of[owner].next; at != 0; {
		e.Ticket, e.Copy, e.Busy, e.Work = policies.Ticket(at-1), true, 0, work
		e.Gone = p.answers[e.Ticket].gone
		p.effects = append(p.effects, e)
		at = k.of[e.Ticket].next
		if e.Kind.Last() {
			p.answers[e.Ticket].state = absent
			k.of[e.Ticket] = listener{}
		}
	}
	for to := len(p.effects) - 1; from < to; from, to = from+1, to-1 {
		p.effects[from], p.effects[to] = p.effects[to], p.effects[from]
	}
}

// ended notes how an answer ended: a whole one is remembered, the key of any other is
// free again.
func (k *keyring) ended(p *Provider, e Effect) {
	k.forget(e.At)
	k.grow(e.Ticket)
	k.tell(p, e)
	key := k.of[e.Ticket].key
	k.of[e.Ticket] = listener{}
	switch {
	case key == 0:
	case e.Kind == Finish:
		made := k.known[key]
		made.whole, made.tokens, made.work = true, e.Tokens, e.Busy
		k.known[key] = made
		k.made = append(k.made, madeKey{e.At, key})
	default:
		delete(k.known, key)
	}
}
