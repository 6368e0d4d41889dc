package model

import (
	"reflect"
	"slices"
)

// FigureReader returns a function that takes a figure from summaries, by the name that
// [Summary.Figure] knows it by. The name is resolved once, which makes the function many
// times as fast; it returns an undefined Number where a summary has no such figure.
func FigureReader(name string) func(*Summary) Number {
	for _, f := range short {
		if f.name == name {
			return f.of
		}
	}
	if index, plain := fieldIndex(name); plain {
		return func(s *Summary) Number {
			n, _ := number(reflect.ValueOf(s).Elem().FieldByIndex(index))
			return n
		}
	}
	return func(s *Summary) Number {
		n, _ := s.Figure(name) // by way of a map, or not there
		return n
	}
}

// fieldIndex finds a figure that is in structs all the way.
func fieldIndex(name string) (index []int, found bool) {
	path, err := SplitPath(name)
	if err != nil {
		return nil, false
	}
	t := reflect.TypeFor[Summary]()
	for _, step := range path {
		if t.Kind() != reflect.Struct {
			return nil, false
		}
		fields := reflect.VisibleFields(t)
		i := slices.IndexFunc(fields, func(f reflect.StructField) bool { return jsonKey(f) == step })
		if i < 0 {
			return nil, false
		}
		index, t = append(index, fields[i].Index...), fields[i].Type
	}
	return index, t == reflect.TypeFor[Number]() || t.Kind() == reflect.Int64
}
