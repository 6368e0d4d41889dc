package policies

import (
	"strings"
	"time"
)

// FormatDuration writes a duration as a scenario does, in the shortest way: 15m, 1h30m.
func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
