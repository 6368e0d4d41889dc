package scenarios

import (
	"reflect"
	"testing"
	"time"

	"go.yaml.in/yaml/v4"
)

type steps struct {
	Steady int                   `yaml:",short" min:"1"`
	Ramp   bool                  `yaml:"ramp"`
	At     map[time.Duration]int `yaml:",rest" min:"1"`
}

func TestKeysThatAreNoFieldsGoToTheRest(t *testing.T) {
	rows := []struct {
		sentence, text string
		want           steps
		mistake        string
	}{
		{"a plain value is the short form", "of: 5", steps{Steady: 5}, ""},
		{"keys are read as the map's keys are", "of: {0s: 40, 1m30s: 80}", steps{At: map[time.Duration]int{0: 40, 90 * time.Second: 80}}, ""},
		{"fields keep their keys", "of: {0s: 40, ramp: true}", steps{Ramp: true, At: map[time.Duration]int{0: 40}}, ""},
		{"a key that is no duration", "of: {soon: 40}", steps{}, "x:1:6: of.soon: \"soon\" is not a duration; write a number with its unit, such as 250ms, 1.5s or 2m"},
		{"a negative key", "of: {-1s: 40}", steps{}, "x:1:6: of.-1s: \"-1s\" is too small; write at least 0"},
		{"one key written in two ways", "of: {60s: 1, 1m: 2}", steps{}, "x:1:14: of.1m: is given already, written in another way; keep one"},
		{"a value out of range", "of: {0s: 0}", steps{}, "x:1:10: of.0s: \"0\" is too small; write at least 1"},
	}
	for _, row := range rows {
		doc, mistakes := parse("x", []byte(row.text))
		if mistakes != nil {
			t.Fatal(mistakes)
		}
		var got struct {
			Of steps `yaml:"of"`
		}
		d := newDecoder("x", doc, reflect.TypeOf(got), overrides{})
		d.value(doc, reflect.ValueOf(&got).Elem(), field{}, nil)
		switch {
		case row.mistake != "":
			if text := d.mistakes.Error(); text != row.mistake {
				t.Errorf("%s: got %s, want %s", row.sentence, text, row.mistake)
			}
		case len(d.mistakes) > 0:
			t.Errorf("%s: %v", row.sentence, d.mistakes)
		case !reflect.DeepEqual(got.Of, row.want):
			t.Errorf("%s: got %v, want %v", row.sentence, got.Of, row.want)
		}
	}
}

// What a policy is encoded to is read as the same policy.
func TestEncodedPoliciesAreReadBack(t *testing.T) {
	s, err := Load("herd-100")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range s.PolicyNames() {
		want, err := s.ResolvePolicy(name)
		if err != nil {
			t.Fatal(err)
		}
		got := reflect.New(reflect.TypeOf(want)).Elem()
		d := newDecoder("x", &yaml.Node{}, got.Type(), overrides{})
		d.value(encode(reflect.ValueOf(want)), got, field{}, nil)
		if len(d.mistakes) > 0 || !reflect.DeepEqual(got.Interface(), want) {
			t.Errorf("%s: got %+v, want %+v, mistakes %v", name, got, want, d.mistakes)
		}
	}
}
