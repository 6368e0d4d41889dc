package report

import (
	"slices"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// leastWaste is the share of the seat time from which the sentence tells of its waste.
const leastWaste = 0.25

// aftermath says whether goodput came back after the weather, and what the provider did
// for nobody; nothing where there was neither.
func aftermath(s *model.Summary) (parts []string) {
	p := &s.Provider
	switch {
	case p.Recovery > 0: // and so defined
		parts = append(parts, "the weather was over at "+seconds(p.TriggerEnd)+" and goodput back at "+seconds(p.Recovery))
	case collapsed(s):
		parts = append(parts, "the weather was over at "+seconds(p.TriggerEnd)+", but goodput did not recover within the run")
	}
	if p.Busy > 0 && p.WastedBusy >= leastWaste*p.Busy {
		text := "the seats were busy " + percent(p.Utilisation) + " of the time, " + percent(p.WastedBusy/p.Busy) + " of that for answers nobody received"
		if !p.Utilisation.Defined() {
			text = percent(p.WastedBusy/p.Busy) + " of the provider's work was for nobody"
		}
		parts = append(parts, text)
	}
	return parts
}

// collapsed says whether goodput stayed away after the weather, which is more than that
// nothing is known of it.
func collapsed(s *model.Summary) bool {
	return slices.ContainsFunc(s.Warnings, func(text string) bool { return strings.HasPrefix(text, model.DidNotRecover) })
}

// recovery is a line of the figures: the ends of the weather and of its consequences.
func recovery(s *model.Summary) (string, bool) {
	p := &s.Provider
	switch {
	case p.Recovery > 0:
		return seconds(p.TriggerEnd) + ", " + seconds(p.Recovery), true
	case collapsed(s):
		return seconds(p.TriggerEnd) + ", never", true
	}
	return seconds(p.TriggerEnd) + ", " + dash, p.TriggerEnd > 0
}
