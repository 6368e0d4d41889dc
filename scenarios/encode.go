package scenarios

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/stampede-sim/stampede/policies"
)

// encode writes a policy as the language does, leaving out what is zero.
func encode(v reflect.Value) *yaml.Node {
	if v.Kind() == reflect.Pointer {
		return encode(v.Elem())
	}
	switch x := v.Interface().(type) {
	case encoding.TextMarshaler:
		text, err := x.MarshalText()
		if err != nil {
			panic(err) // only our own values are encoded
		}
		return word(string(text))
	case time.Duration:
		return word(policies.FormatDuration(x))
	}
	switch v.Kind() {
	case reflect.Struct:
		m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, f := range fieldsOf(v.Type()) {
			switch of := v.FieldByIndex(f.index); {
			case of.IsZero():
			case f.key == "":
				return encode(of)
			default:
				m.Content = append(m.Content, word(f.key), encode(of))
			}
		}
		return m
	case reflect.Slice, reflect.Array:
		s := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for i := range v.Len() {
			s.Content = append(s.Content, encode(v.Index(i)))
		}
		return s
	case reflect.Float64:
		return word(strconv.FormatFloat(v.Float(), 'g', -1, 64))
	}
	return word(fmt.Sprint(v.Interface()))
}
