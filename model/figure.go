package model

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// short are the figures that have a name of their own beside their path.
var short = [...]struct {
	name    string
	seconds bool
	of      func(*Summary) Number
}{
	{"success", false, func(s *Summary) Number { return ratio(s.Operations.Succeeded, s.Operations.Total) }},
	{"p50_latency", true, func(s *Summary) Number { return s.Latency.P50 }},
	{"p90_latency", true, func(s *Summary) Number { return s.Latency.P90 }},
	{"p99_latency", true, func(s *Summary) Number { return s.Latency.P99 }},
	{"p99_first_token", true, func(s *Summary) Number { return s.FirstToken.P99 }},
	{"wall", true, func(s *Summary) Number { return s.Wall }},
	{"attempts", false, func(s *Summary) Number { return Number(s.Attempts.Total) }},
	{"amplification", false, func(s *Summary) Number { return s.Amplify }},
	{"waste", false, func(s *Summary) Number { return ratio(s.Tokens.Wasted, s.Tokens.Billed) }},
	{"cost", false, func(s *Summary) Number { return s.Cost.Total }},
}

// Figure returns a figure by its short name (success) or its path in summary.json
// (latency_s.p99, groups["a.b"].attempts.total), and whether there is one of that
// name. A status that no attempt got is 0. Lists and `against` have no figures.
func (s *Summary) Figure(name string) (Number, bool) {
	for _, f := range short {
		if f.name == name {
			return f.of(s), true
		}
	}
	path, err := SplitPath(name)
	if err != nil {
		return Undefined(), false
	}
	v := reflect.ValueOf(s).Elem()
	for _, step := range path {
		switch v.Kind() {
		case reflect.Struct:
			i := slices.IndexFunc(reflect.VisibleFields(v.Type()), func(f reflect.StructField) bool { return jsonKey(f) == step })
			if i < 0 {
				return Undefined(), false
			}
			if v.Type().Implements(reflect.TypeFor[unknowing]()) && v.Interface().(unknowing).unknown(step) {
				return Undefined(), true
			}
			v = v.Field(i)
		case reflect.Map:
			item := v.MapIndex(reflect.ValueOf(step))
			if !item.IsValid() {
				if v.Type().Elem().Kind() != reflect.Int64 || !isStatus(step) {
					return Undefined(), false
				}
				item = reflect.Zero(v.Type().Elem())
			}
			v = item
		default:
			return Undefined(), false
		}
	}
	return number(v)
}

func number(v reflect.Value) (Number, bool) {
	switch {
	case v.Type() == reflect.TypeFor[Number]():
		return Number(v.Float()), true
	case v.Kind() == reflect.Int64:
		return Number(v.Int()), true
	}
	return Undefined(), false
}

func jsonKey(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return key
}

func isStatus(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && len(s) == 3 && n >= 100
}

// EachFigure calls f with the path and value of every figure, in the order of
// summary.json. The path may be kept only when cloned.
func (s *Summary) EachFigure(f func(path []string, n Number)) {
	each(nil, reflect.ValueOf(s).Elem(), f)
}

func each(path []string, v reflect.Value, f func([]string, Number)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				each(append(path, jsonKey(v.Type().Field(i))), v.Field(i), f)
			}
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			each(append(path, k.String()), v.MapIndex(k), f)
		}
	default:
		if n, ok := number(v); ok {
			f(path, n)
		}
	}
}

// FigureNames lists every figure that a run has whatever its groups and statuses:
// short names first, then paths.
func FigureNames() []string {
	var names []string
	for _, f := range short {
		names = append(names, f.name)
	}
	new(Summary).EachFigure(func(path []string, _ Number) { names = append(names, JoinPath(path)) })
	return names
}

// InSeconds says whether a figure is a time.
func InSeconds(name string) bool {
	for _, f := range short {
		if f.name == name {
			return f.seconds
		}
	}
	path, err := SplitPath(name)
	if err == nil && len(path) > 2 && path[0] == "groups" {
		path = path[2:] // a group may have any name
	}
	return err == nil && slices.ContainsFunc(path, func(step string) bool {
		return strings.HasSuffix(step, "_s") && !strings.HasSuffix(step, "_per_s")
	})
}

// JoinPath writes a path as scenarios, flags and summaries do: clients.0.count,
// groups["a.b"].attempts.total.
func JoinPath(path []string) string {
	var b strings.Builder
	for i, step := range path {
		switch {
		case !plainStep(step):
			fmt.Fprintf(&b, "[%s]", strconv.Quote(step))
		case i > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return b.String()
}

func plainStep(step string) bool {
	return step != "" && !strings.ContainsFunc(step, func(r rune) bool {
		return strings.ContainsRune(`.[]"'=:<>!, `, r) || !unicode.IsPrint(r)
	})
}

// SplitPath reads what [JoinPath] writes.
func SplitPath(s string) ([]string, error) {
	var path []string
	for rest := s; ; {
		if strings.HasPrefix(rest, "[") {
			quoted, err := strconv.QuotedPrefix(rest[1:])
			if err != nil || !strings.HasPrefix(rest[1+len(quoted):], "]") {
				return nil, errors.New(`a name in brackets is written ["name"]`)
			}
			step, err := strconv.Unquote(quoted)
			if err != nil {
				return nil, fmt.Errorf("the name in brackets: %w", err)
			}
			path, rest = append(path, step), rest[len(quoted)+2:]
		} else {
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			if end == 0 {
				return nil, errors.New("a key is missing; keys are joined by single dots")
			}
			path, rest = append(path, rest[:end]), rest[end:]
		}
		switch {
		case rest == "":
			return path, nil
		case rest[0] == '.':
			rest = rest[1:]
		case rest[0] != '[':
			return nil, errors.New("a dot is missing after ]")
		}
	}
}
