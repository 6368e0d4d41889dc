package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stampede-sim/stampede/model"
)

// Expectation is a line of `expect`: FIGURE OP VALUE.
type Expectation struct {
	Figure  string // a short name, or a path in summary.json
	Op      string // == != < <= > >=
	Value   float64
	text    string // as written
	isTime  bool   // Value was written with a unit
	isShare bool   // Value was written with %
}

var operators = []string{"==", "!=", "<=", ">=", "<", ">"}

// String is the expectation as it was written.
func (e Expectation) String() string { return e.text }

// MarshalText writes the expectation as it was written.
func (e Expectation) MarshalText() ([]byte, error) { return []byte(e.text), nil }

// Schema says in JSON Schema what UnmarshalText reads.
func (Expectation) Schema() string {
	const (
		figure = `\s*([^"=!<>~\s]|"([^"\\]|\\.)*")([^"=!<>~]|"([^"\\]|\\.)*")*`
		number = `[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?`
	)
	pattern := "^" + figure + "(==|!=|<=|>=|<|>)" + `\s*(` + number + `(\s*%)?|-?` + durationForm + `)\s*$`
	text, _ := json.Marshal(map[string]string{"type": "string", "pattern": pattern}) // texts alone, so it cannot fail
	return string(text)
}

// UnmarshalText reads FIGURE OP VALUE.
func (e *Expectation) UnmarshalText(text []byte) error {
	figure, op, value := cutOperator(string(text))
	e.Figure, e.Op, e.text = figure, op, strings.Join([]string{figure, op, value}, " ")
	switch {
	case op == "" || figure == "" || value == "":
		return fmt.Errorf("%s is no expectation; write FIGURE OP VALUE, such as success >= 0.999", quote(string(text)))
	case !slices.Contains(operators, op):
		if right := map[string]string{"=": "==", "=>": ">=", "=<": "<=", "<>": "!="}[op]; right != "" {
			return fmt.Errorf("%s is not an operator; write %s", quote(op), right)
		}
		return fmt.Errorf("%s is not an operator; write one of %s", quote(op), either(operators))
	}
	if share, ok := strings.CutSuffix(value, "%"); ok {
		x, err := parseFloat(strings.TrimSpace(share))
		e.Value, e.isShare = x/100, true
		return err
	}
	if numberForm.MatchString(value) {
		x, err := parseFloat(value)
		e.Value = x
		return err
	}
	d, err := parseDuration(value)
	if err != nil {
		meant := respell(value, nil, func(text string) bool { _, err := parseDuration(text); return err == nil })
		if meant != "" {
			return fmt.Errorf("%s is no value to compare with; write %s", quote(value), meant)
		}
		return fmt.Errorf("%s is no value to compare with; write a number, a share such as 20%%, or a time such as 30s", quote(value))
	}
	e.Value, e.isTime = d.Seconds(), true
	return nil
}

// cutOperator splits at the first operator that is not inside a quoted name.
func cutOperator(s string) (figure, op, value string) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			if quoted, err := strconv.QuotedPrefix(s[i:]); err == nil {
				i += len(quoted) - 1
			}
		case '=', '!', '<', '>', '~':
			rest := strings.TrimLeft(s[i:], "=!<>~")
			return strings.TrimSpace(s[:i]), s[i : len(s)-len(rest)], strings.TrimSpace(rest)
		}
	}
	return strings.TrimSpace(s), "", ""
}

// Check returns an error that says what came out where the summary does not hold
// the expectation. A figure that is not defined holds none.
func (e Expectation) Check(s *model.Summary) error {
	n, ok := s.Figure(e.Figure)
	switch {
	case !ok:
		return fmt.Errorf("expect failed: %s, but there is no figure %s", printable(e.text), quote(e.Figure))
	case !n.Defined():
		return fmt.Errorf("expect failed: %s, but %s is not defined (null)", printable(e.text), printable(e.Figure))
	case e.Holds(float64(n)):
		return nil
	}
	return fmt.Errorf("expect failed: %s, but %s is %s", printable(e.text), printable(e.Figure), e.Shown(float64(n)))
}

// Holds says whether a figure of that value meets the expectation.
func (e Expectation) Holds(x float64) bool {
	switch e.Op {
	case "==":
		return x == e.Value
	case "!=":
		return x != e.Value
	case "<":
		return x < e.Value
	case "<=":
		return x <= e.Value
	case ">":
		return x > e.Value
	case ">=":
		return x >= e.Value
	}
	return false
}

// Shown writes a figure in the unit of the expectation, with as many digits as
// it takes to tell it from the value.
func (e Expectation) Shown(x float64) string {
	write := func(x float64, digits int) string { return strconv.FormatFloat(x, 'g', digits, 64) }
	value, unit := e.Value, ""
	switch {
	case e.isTime:
		unit = "s"
	case e.isShare:
		x, value, unit = 100*x, 100*value, "%"
	}
	const digits = 9
	if text := write(x, digits); text != write(value, digits) || x == value {
		return text + unit
	}
	return write(x, -1) + unit
}

// check says what is wrong with an expectation of a run with these groups, whose
// summary has the figures of the one given.
func (e Expectation) check(groups []string, s *model.Summary) error {
	if _, ok := s.Figure(e.Figure); !ok {
		return noFigure(e.Figure, groups, s)
	}
	if e.isTime && !model.InSeconds(e.Figure) {
		return fmt.Errorf("%s is not a time; write a number without a unit", quote(e.Figure))
	}
	if e.isShare && model.InSeconds(e.Figure) {
		return fmt.Errorf("%s is a time; write one such as 30s", quote(e.Figure))
	}
	if e.Value > 1 && slices.Contains([]string{"success", "waste", "provider.utilisation"}, e.Figure) {
		if e.Value > 100 {
			return fmt.Errorf("%s is a share, 1 at most; write one such as 99%%", quote(e.Figure))
		}
		return fmt.Errorf("%s is a share, 1 at most; write %s %s %v%%", quote(e.Figure), e.Figure, e.Op, e.Value)
	}
	return nil
}

// ParseTargets reads expectations with commas between them, as `plan --slo` takes them, and
// says what is wrong with them for a run of the scenario.
func (s *Scenario) ParseTargets(text string) ([]Expectation, error) {
	parts, closed := splitOutside(text, ',')
	if !closed {
		return nil, fmt.Errorf("%s: a bracket or a quote is not closed", quote(text))
	}
	groups, summary := s.emptySummary()
	var targets []Expectation
	for _, part := range parts {
		var e Expectation
		if err := e.UnmarshalText([]byte(part)); err != nil {
			return nil, err
		}
		if err := e.check(groups, summary); err != nil {
			return nil, err
		}
		targets = append(targets, e)
	}
	return targets, nil
}

// CheckFigure says what is wrong with the name of a figure of the scenario's summary.
func (s *Scenario) CheckFigure(name string) error {
	groups, summary := s.emptySummary()
	if _, ok := summary.Figure(name); !ok {
		return noFigure(name, groups, summary)
	}
	return nil
}

// emptySummary has the figures that a run of the scenario will have.
func (s *Scenario) emptySummary() (groups []string, summary *model.Summary) {
	groups, summary = make([]string, len(s.Clients)), &model.Summary{Groups: map[string]model.GroupSummary{}}
	for i, g := range s.Clients {
		groups[i] = g.Name
		summary.Groups[g.Name] = model.GroupSummary{}
	}
	return groups, summary
}

func noFigure(name string, groups []string, s *model.Summary) error {
	known := model.FigureNames()
	if at, err := model.SplitPath(name); err == nil && len(at) > 1 && at[0] == "groups" {
		g, ok := s.Groups[at[1]]
		if !ok {
			return fmt.Errorf("there is no group %s%s", quote(at[1]), groupsInstead(at[1], groups))
		}
		only := &model.Summary{Groups: map[string]model.GroupSummary{at[1]: g}}
		only.EachFigure(func(p []string, _ model.Number) { known = append(known, model.JoinPath(p)) })
	}
	if near := closest(name, known); near != "" {
		return fmt.Errorf("there is no figure %s; did you mean %s?", quote(name), printable(near))
	}
	return fmt.Errorf("there is no figure %s; write a path from summary.json such as latency_s.p99, or one of success, p99_latency, wall or attempts", quote(name))
}

// groupsInstead says which groups there are.
func groupsInstead(name string, groups []string) string {
	const most = 12
	near := didYouMean(name, groups)
	switch quoted := make([]string, len(groups)); {
	case near != "":
		return near
	case len(groups) == 1:
		return "; the only group is " + quote(groups[0])
	case len(groups) > most:
		return "; write the name of one under clients"
	default:
		for i, g := range groups {
			quoted[i] = quote(g)
		}
		return "; the groups are " + listed(quoted, "and")
	}
}
