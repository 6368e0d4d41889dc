package report

import (
	"fmt"
	"regexp"
	"strings"
)

// pageColours are the roles' colours as variables, for light and for dark, and the
// classes that charts use them by.
func pageColours() string {
	light, dark, classes := strings.Builder{}, strings.Builder{}, strings.Builder{}
	for role := range roles {
		look := role.look()
		fmt.Fprintf(&light, "--%s:#%06x;", look.name, look.light)
		fmt.Fprintf(&dark, "--%s:#%06x;", look.name, look.dark)
		fmt.Fprintf(&classes, ".f-%[1]s{fill:var(--%[1]s)}.s-%[1]s{stroke:var(--%[1]s);fill:none}\n", look.name)
	}
	return fmt.Sprintf(":root{color-scheme:light;%s}\n@media (prefers-color-scheme:dark){:root:not([data-theme=light]){color-scheme:dark;%s}}\n:root[data-theme=dark]{color-scheme:dark;%s}\n%s",
		light.String(), dark.String(), dark.String(), classes.String())
}

var units = regexp.MustCompile(`(\d) (s|ms|µs|ns|min|h|%)([ ,.;:)]|$)`)

// tight keeps numbers and their units on one line.
func tight(s string) string { return units.ReplaceAllString(s, "$1\u00a0$2$3") }
