package live

import "testing"

func TestLabelsAreText(t *testing.T) {
	for _, row := range []struct{ says, label, want string }{
		{"as it is", "a b é", `x{key="a b é"} 1`},
		{"what the format escapes", "a\\b\"c\nd", `x{key="a\\b\"c\nd"} 1`},
		{"what a terminal obeys", "\x1b[31m\u009b2J\r", "x{key=\"\uFFFD[31m\uFFFD2J\uFFFD\"} 1"},
	} {
		m := exposition{name: "x"}
		m.value(1, "key", row.label)
		if got := m.String(); got != row.want+"\n" {
			t.Errorf("%s: %q, want %q", row.says, got, row.want)
		}
	}
}
