package report

import (
	"math"
	"testing"
	"time"

	"github.com/stampede-sim/stampede/model"
)

func TestDuration(t *testing.T) {
	for _, c := range []struct {
		says string
		d    time.Duration
		want string
	}{
		{"nothing", 0, "0 s"},
		{"a nanosecond", 1, "1 ns"},
		{"microseconds", 12_345, "12.3 µs"},
		{"three digits of milliseconds", 126_049 * time.Microsecond, "126 ms"},
		{"a slot", 50 * ms, "50 ms"},
		{"rounding up to the next unit", 999_600 * time.Microsecond, "1 s"},
		{"seconds", 2314 * ms, "2.31 s"},
		{"just under a minute, rounded to it", 59_960 * ms, "1 min"},
		{"minutes", 225_625 * ms, "3 min 45.6 s"},
		{"just under an hour, rounded to it", time.Hour - ms, "1 h"},
		{"hours", 2*time.Hour + 3*time.Minute + 29*time.Second, "2 h 3 min"},
		{"all there is", math.MaxInt64, "2,562,047 h 47 min"},
		{"before", -2 * time.Second, "-2 s"},
	} {
		if got := duration(c.d); got != c.want {
			t.Errorf("%s: got %q, want %q", c.says, got, c.want)
		}
	}
}

func TestFigures(t *testing.T) {
	for _, c := range []struct{ says, got, want string }{
		{"thousands are grouped", count(10_000), "10,000"},
		{"so are negative ones", count(-1_234_567), "-1,234,567"},
		{"no group before the first digit", count(-123), "-123"},
		{"the least number", count(math.MinInt64), "-9,223,372,036,854,775,808"},
		{"an undefined time", seconds(model.Undefined()), "–"},
		{"a time beyond nanoseconds", seconds(1e12), "1e+12 s"},
		{"no time at all", seconds(0), "0 s"},
		{"three digits", decimal(3.5549), "3.55"},
		{"no needless zeros", decimal(2.5), "2.5"},
		{"small", decimal(0.012345), "0.0123"},
		{"tiny", decimal(1.234e-9), "1.23e-09"},
		{"large: all of the whole part", decimal(123456.7), "123,457"},
		{"rounded to a round number", decimal(99.97), "100"},
		{"vast", decimal(1e20), "1e+20"},
		{"negative", decimal(-12.34), "-12.3"},
		{"zero", decimal(0), "0"},
		{"an undefined figure", decimal(model.Undefined()), "–"},
		{"four digits", digits(1225.64, 5), "1,225.6"},
		{"a share", percent(0.4321), "43.2 %"},
		{"an undefined share", percent(model.Undefined()), "–"},
		{"whole seconds, exactly", exactSeconds(3*time.Second, 0), "3"},
		{"a slot, exactly", exactSeconds(150*ms, 0), "0.15"},
		{"a nanosecond, exactly", exactSeconds(1, 0), "0.000000001"},
		{"places to align by", exactSeconds(3*time.Second, 2), "3.00"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.says, c.got, c.want)
		}
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ says, got, want string }{
		{"plain text stays", clean("chat users, größer"), "chat users, größer"},
		{"an escape sequence is shown, not obeyed", clean("\x1b[31mred"), `\x1b[31mred`},
		{"so are line breaks, tabs and bells", clean("a\nb\tc\a\r\x00"), `a\nb\tc\a\r\x00`},
		{"and the 8-bit kind", clean("\u009b31m"), `\u009b31m`},
		{"and what turns the direction of writing", clean("a\u202eb\u2066c\u200f"), `a\u202eb\u2066c\u200f`},
		{"and what can't be seen", clean("a\u200bb\ufeff"), `a\u200bb\ufeff`},
		{"broken UTF-8 is marked", clean("a\xffb"), "a\ufffdb"},
		{"quotes and backslashes stay", clean(`"it's" \x`), `"it's" \x`},
		{"long names are cut", name("a-name-that-goes-on-and-on-and-on"), "a-name-that-goes-on-and…"},
		{"a name of the full length is not", name("a-name-of-24-characters!"), "a-name-of-24-characters!"},
		{"what the report draws, in ASCII", toASCII("█▒ – · … × µ"), "#= - . ~ x u"},
		{"what a user wrote, in ASCII", toASCII("größer"), `gr\u00f6\u00dfer`},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.says, c.got, c.want)
		}
	}
}
