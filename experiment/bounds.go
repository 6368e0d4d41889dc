package experiment

import (
	"fmt"
	"math"
	"time"

	"github.com/stampede-sim/stampede/model"
	"github.com/stampede-sim/stampede/policies"
	"github.com/stampede-sim/stampede/scenarios"
)

// Bound is what arithmetic alone says: how many requests a limit or the seats let through
// for ever.
type Bound struct {
	Name      string       // TPM, RPM, seats
	PerSecond model.Number // requests
	Text      string       // how it comes about
}

// Use is what of the provider was used at one value, over all runs.
type Use struct {
	Binding    string       // what bound: TPM, seats; "" where nothing was refused or full
	Rejections int64        // of all runs
	Attempts   int64        // of all runs
	Limit      *limitUse    // the binding one, where it is a limit
	Load       model.Number // offered to the seats or the tightest limit, as a share; null for closed populations
	Busy       model.Number // share of the seats' time
	Success    model.Number // share of the operations
	SendRate   model.Number // attempts a second
	InSystem   model.Number // mean number being served or queued
	Arrivals   model.Number // operations a second that are answered
	Bounds     []Bound
}

type limitUse struct {
	limit   model.LimitSummary
	refused int64
}

// useOf gathers what the runs of one value say of the provider.
func useOf(s *scenarios.Scenario, runs *Replicates) Use {
	u := Use{Load: model.Undefined(), Busy: model.Undefined(), Success: model.Undefined(), SendRate: model.Undefined(), InSystem: model.Undefined(), Arrivals: model.Undefined()}
	var limits []limitUse
	var seats int64
	var busy, answers, inSystem, goodput, sent float64
	for i := range runs.Runs {
		sum := runs.Runs[i].Summary
		u.Attempts += sum.Attempts.Total
		u.Rejections += sum.Attempts.Rejected
		seats += sum.Attempts.RejectedBy.Seats + sum.Attempts.RejectedBy.Queue
		busy += zero(sum.Provider.UsefulBusy)
		answers += float64(sum.Operations.Succeeded)
		inSystem += zero(sum.Provider.MeanInFlight) + zero(sum.Provider.MeanQueue)
		goodput += zero(sum.Provider.Goodput)
		if sum.Wall > 0 {
			sent += float64(sum.Attempts.Total) / float64(sum.Wall)
		} else {
			sent += float64(sum.Attempts.Total) / s.Stop.After.Seconds()
		}
		for l, limit := range sum.Provider.Limits {
			if l == len(limits) {
				limits = append(limits, limitUse{limit: limit})
			}
			limits[l].refused += limit.Rejected - limit.TooLarge
			if !limits[l].limit.Bound.Defined() {
				limits[l].limit = limit
			}
		}
	}
	n := float64(len(runs.Runs))
	if n == 0 {
		return u
	}
	u.SendRate, u.InSystem, u.Arrivals = model.Number(sent/n), model.Number(inSystem/n), model.Number(goodput/n)
	u.Busy, u.Success = runs.Figure("provider.utilisation").Mean, runs.Figure("success").Mean
	u.bind(s, limits, seats)
	if s.Provider.Seats != policies.Unlimited && answers > 0 && busy > 0 {
		each := busy / answers
		u.Bounds = append(u.Bounds, Bound{"seats", model.Number(float64(s.Provider.Seats) / each), fmt.Sprintf("%s / %s a request", plural(int64(s.Provider.Seats), "seat"), seconds(each))})
	}
	for _, l := range limits {
		if b := l.limit.Bound; b.Defined() {
			u.Bounds = append(u.Bounds, Bound{LimitName(&l.limit), b, fmt.Sprintf("limit / mean charge: %s / %s a request", limitText(&l.limit), digits(float64(l.limit.MeanCharge)))})
		}
	}
	if arrivals := offered(s); arrivals > 0 {
		for _, b := range u.Bounds {
			load := model.Number(arrivals / float64(b.PerSecond))
			if !u.Load.Defined() || load > u.Load {
				u.Load = load
			}
		}
	}
	return u
}

// bind finds what stood in the way: what refused most, or else seats that were full.
func (u *Use) bind(s *scenarios.Scenario, limits []limitUse, seats int64) {
	most := int64(0)
	for i := range limits {
		if l := &limits[i]; l.refused > most {
			most, u.Limit, u.Binding = l.refused, l, LimitName(&l.limit)
		}
	}
	switch {
	case seats > most:
		u.Limit, u.Binding = nil, "seats"
	case most == 0 && u.Busy > fullSeats:
		u.Binding = "seats"
	}
}

// fullSeats is the share of their time from which on seats that refuse nobody bind.
const fullSeats = 0.8

func zero(n model.Number) float64 {
	if !n.Defined() {
		return 0
	}
	return float64(n)
}

// offered is how many operations a second arrive at an open population.
func offered(s *scenarios.Scenario) float64 {
	all := 0.0
	for i := range s.Clients {
		a := &s.Clients[i].Arrive
		if !a.Open() {
			return 0
		}
		all += a.MeanRate(s.Stop.After)
	}
	return all
}

// LimitName is a limit as providers name it: TPM is tokens per minute.
func LimitName(l *model.LimitSummary) string {
	letters := map[string]string{"requests": "R", "tokens": "T", "input_tokens": "IT", "output_tokens": "OT"}[l.Axis]
	times := map[time.Duration]string{time.Second: "PS", time.Minute: "PM", time.Hour: "PH", 24 * time.Hour: "PD"}
	switch per := times[perOf(l)]; {
	case l.Algorithm == model.SlopeAlgorithm:
		return "slope"
	case letters != "" && per != "":
		return letters + per
	case !l.Per.Defined():
		return l.Axis
	}
	return fmt.Sprintf("%s per %v", l.Axis, perOf(l))
}

func perOf(l *model.LimitSummary) time.Duration {
	if !l.Per.Defined() {
		return 0
	}
	return time.Duration(math.Round(float64(l.Per) * 1e9))
}

// limitText writes a limit: 1,000,000 tokens a minute.
func limitText(l *model.LimitSummary) string {
	per := map[time.Duration]string{time.Second: " a second", time.Minute: " a minute", time.Hour: " an hour", 24 * time.Hour: " a day"}[perOf(l)]
	if per == "" {
		per = fmt.Sprintf(" in %v", perOf(l))
	}
	return grouped(l.Limit) + " " + l.Axis + per
}

// isRate says whether a limit counts by time, so that no number of permits holds it.
func (l *limitUse) isRate() bool { return l != nil && l.limit.Per.Defined() }
