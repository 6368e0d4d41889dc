package scenarios

import (
	"encoding"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// sample is text that t would read, to show what to write.
func sample(t reflect.Type) string {
	t = bare(t)
	if t == reflect.TypeFor[time.Duration]() {
		return "1s"
	}
	if words := wordsOf(t); len(words) > 0 {
		return words[0]
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint8, reflect.Uint64, reflect.Float64:
		return "1"
	case reflect.Bool:
		return "true"
	case reflect.Array:
		items := make([]string, t.Len())
		for i := range items {
			items[i] = strings.Replace(sample(t.Elem()), "1", strconv.Itoa(i+1), 1)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Slice:
		return "[" + sample(t.Elem()) + "]"
	case reflect.Struct:
		if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
			return "..."
		}
		is := shapeOf(t)
		if is.short != nil {
			return sample(is.short.typ)
		}
		var parts []string
		for _, f := range is.fields {
			parts = append(parts, f.key+": "+sample(f.typ))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "..."
}

// such is " such as X" where an example helps.
func such(t reflect.Type) string {
	switch s := sample(t); {
	case len(s) > 30, strings.Contains(s, "..."):
		return ""
	default:
		return " such as " + s
	}
}

// wanted names what a plain value of type t is.
func wanted(t reflect.Type) string {
	if words := wordsOf(t); len(words) > 0 {
		return either(words)
	}
	switch t = bare(t); {
	case t == reflect.TypeFor[time.Duration]():
		return "a duration, such as 1s"
	case t.Kind() == reflect.String:
		return "text"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float64:
		return "a number, such as 0.5"
	case t.Kind() == reflect.Struct:
		return "one plain value"
	}
	return "a whole number, such as 10"
}

func wordsOf(t reflect.Type) []string {
	if w, ok := reflect.Zero(bare(t)).Interface().(interface{ Words() []string }); ok {
		return w.Words()
	}
	return nil
}
