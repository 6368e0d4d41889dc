package live

import (
	"net/url"
	"strconv"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
)

// drawHeader names a request's draws, so that a seed draws on sockets what it draws in
// virtual time: group=herd&client=3&operation=0&attempt=1, all numbers from 0, and
// warm-up=true where the operation began in it.
const drawHeader = "X-Stampede-Draw"

// axisHeader says that a limit, the seats or the queue refused a request, and which; none,
// that it failed for another reason, whatever its status.
const (
	axisHeader = "X-Stampede-Rejected-By"
	noAxis     = "none"
)

// kindHeader says what waiting can do for it.
const kindHeader = "X-Stampede-Rejected-As"

// errand is an attempt by its names.
type errand struct {
	group             string
	client, operation int
	attempt           int32
	cold              bool // its operation began in the warm-up
}

func (e errand) String() string {
	v := url.Values{
		"group": {e.group}, "client": {strconv.Itoa(e.client)},
		"operation": {strconv.Itoa(e.operation)}, "attempt": {strconv.Itoa(int(e.attempt))},
	}
	if e.cold {
		v.Set("warm-up", "true")
	}
	return v.Encode()
}

// parseErrand reads what String wrote; ok is false for anything else.
func parseErrand(s string) (e errand, ok bool) {
	v, err := url.ParseQuery(s)
	if err != nil || !v.Has("group") {
		return e, false
	}
	number := func(key string) int {
		n, err := strconv.ParseUint(v.Get(key), 10, 31)
		if err != nil {
			return -1
		}
		return int(n)
	}
	e = errand{v.Get("group"), number("client"), number("operation"), int32(number("attempt")), v.Get("warm-up") == "true"}
	return e, e.client >= 0 && e.operation >= 0 && e.attempt >= 0
}

// errandOf reads an errand of one of the groups, if that has such an operation, and finds it.
func errandOf(s string, groups []model.Cohort) (e errand, group int, ok bool) {
	e, ok = parseErrand(s)
	for i := range groups {
		if ok && groups[i].Name == e.group {
			return e, i, groups[i].Plays(e.client, e.operation)
		}
	}
	return errand{}, 0, false
}

// kindOf reads the header that says what waiting can do; what nobody says is Temporary.
func kindOf(name string) policies.RefusalKind {
	for k := range policies.RefusalKinds {
		if k.String() == name {
			return k
		}
	}
	return policies.Temporary
}

// axisOf reads the header that names what refused a request.
func axisOf(name string) (axis model.Axis, ok bool) {
	for a := range model.Axes {
		if a.String() == name {
			return a, true
		}
	}
	return 0, false
}
