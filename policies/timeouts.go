package policies

import "time"

// Timeouts are how long a client waits. One that is left out never fires.
type Timeouts struct {
	Attempt   time.Duration `yaml:"attempt" above:"0"`   // from sending an attempt to its whole answer; then it is abandoned, and tried again as the policy says
	Operation time.Duration `yaml:"operation" above:"0"` // from the intended start to the end of the last attempt; no retry begins that could not before it
}

// Check finds a time-out that can never fire.
func (t Timeouts) Check() []Problem {
	if t.Operation > 0 && t.Attempt >= t.Operation {
		return []Problem{{"attempt", "never fires before the operation's; write less than " + FormatDuration(t.Operation) + ", or remove it"}}
	}
	return nil
}
