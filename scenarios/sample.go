package scenarios

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
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

// sampleNear is a list that an array would read, of the value that stands there alone.
func sampleNear(n *yaml.Node, t reflect.Type) string {
	one := reflect.New(t.Elem()).Elem()
	if n.Kind != yaml.ScalarNode || readScalar(n, one) != nil || !one.CanInt() || one.Int() <= 0 || one.Int() > 1<<50 {
		return sample(t)
	}
	return fmt.Sprintf("[%s, %s]", encode(one).Value, encode(reflect.ValueOf(2*one.Int()).Convert(t.Elem())).Value)
}

// sampleNames are the first few plain values of a list, as a list would have them.
func sampleNames(list *yaml.Node) string {
	var names []string
	for _, item := range list.Content[:min(3, len(list.Content))] {
		if item = resolve(item); item.Kind == yaml.ScalarNode && item.Value != "" {
			names = append(names, bareWord(item.Value))
		}
	}
	if names == nil {
		return "full-jitter, none"
	}
	return strings.Join(names, ", ")
}

// whole says what to write where there is nothing: one value, or the keys of a mapping.
func (f field) whole(t reflect.Type) string {
	if f.example != "" {
		return "one such as " + f.example
	}
	t = bare(t)
	if s := sample(t); len(s) <= 30 && !strings.Contains(s, "...") {
		return "one such as " + s
	}
	of, list := t, ""
	if t.Kind() == reflect.Slice {
		of, list = bare(t.Elem()), "a list, each item "
	}
	switch {
	case of.Kind() == reflect.Map:
		return list + "names, each with what it stands for"
	case of.Kind() == reflect.Struct && len(keysOf(fieldsOf(of))) > 0:
		return list + "a mapping with " + either(keysOf(fieldsOf(of)))
	}
	return "one"
}

// isPlain says whether a plain value can be read as a t.
func isPlain(t reflect.Type) bool {
	t = bare(t)
	return t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) || shapeOf(t).short != nil
}

// plainly names the plain value that may stand for a mapping.
func plainly(t reflect.Type) string {
	switch t = bare(t); {
	case t == reflect.TypeFor[time.Duration]():
		return "a time such as 5ms"
	case t.Kind() == reflect.Int64:
		return "a number such as 100"
	}
	return "a plain value"
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
