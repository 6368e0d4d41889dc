package experiment

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
	"github.com/stampede-sim/stampede/sim"
)

// TooManyError says that a scenario asks for more operations than a run can hold, as can
// be known before it begins.
type TooManyError struct{ text string }

func (e TooManyError) Error() string { return e.text }

// newWorld makes a scenario ready to run, unless its arrivals are known to be too many.
func newWorld(s *scenarios.Scenario) (*model.World, error) {
	for i := range s.Clients {
		if err := arrivalsFit(s, i); err != nil {
			return nil, err
		}
	}
	return model.NewWorld(&s.Config)
}

// arrivalsFit checks that an open group's operations can be counted, and, where nothing
// refuses them or lets them end early, that those in flight at once can be held.
func arrivalsFit(s *scenarios.Scenario, i int) error {
	g := &s.Clients[i]
	if !g.Arrive.Open() {
		return nil
	}
	path := fmt.Sprintf("%s: clients.%d.arrive", s.Name, i)
	ends := s.Stop.After
	if g.Arrive.For > 0 {
		ends = min(ends, g.Arrive.At+g.Arrive.For)
	}
	if n := g.Arrive.Expected(ends); n > math.MaxInt32 {
		return TooManyError{fmt.Sprintf("%s: about %.3g operations of group %q are more than the %d a run can number; write a lower rate, a shorter for, or an earlier stop.after", path, n, g.Name, math.MaxInt32)}
	}
	p := &s.Provider
	endsEarly := p.Seats != policies.Unlimited || p.Limits != nil || p.Slope != nil || p.Faults != nil || p.Weather != nil ||
		g.Gate != nil || g.Timeouts != policies.Timeouts{} || p.Service.FirstToken.Constant == nil
	if endsEarly {
		return nil
	}
	// Of those that came within one service time, the last ones say how many are in flight.
	service := *p.Service.FirstToken.Constant
	if n := g.Arrive.Expected(ends) - g.Arrive.Expected(ends-service); n > model.MostInFlight {
		return TooManyError{fmt.Sprintf("%s: about %.3g operations of group %q are in flight at once, as each is served for %v, and a run holds %d; write a lower rate, a shorter for, or seats for the provider", path, n, g.Name, service, model.MostInFlight)}
	}
	return nil
}

// stuck names the group behind a run that stands still, and what to write.
func stuck(err error, s *scenarios.Scenario, summary *model.Summary) error {
	if !errors.As(err, new(*sim.Runaway)) {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	var worst *model.Group
	most := int64(0)
	for i := range s.Clients {
		if n := summary.Groups[s.Clients[i].Name].Attempts.Total; n > most {
			worst, most = &s.Clients[i], n
		}
	}
	if worst == nil {
		return fmt.Errorf("%s: %w", s.Name, err)
	}
	advice := fmt.Sprintf("write a backoff that waits, or fewer attempts, for policy %q", strings.Join(worst.Stack(), " > "))
	if o := summary.Groups[worst.Name].Operations; o.Total > int64(worst.Count) && most < 2*o.Total {
		advice = "write a gap under its repeat, or a first_token for the provider's service"
	}
	return fmt.Errorf("%s: %w: group %q, under policy %q, had sent %d attempts by then; %s", s.Name, err, worst.Name, strings.Join(worst.Stack(), " > "), most, advice)
}
