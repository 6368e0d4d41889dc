package scenarios

import (
	"encoding/json"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

var (
	spelledRate  = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)(?:/|per|[rtq]?p)([a-z]+)$`)
	spelledShare = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)(?:percent|pct|%)$`)
	shortened    = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?)([km])((?:/|[rt]?pm|per).*)?$`)
	thousands    = regexp.MustCompile(`([0-9])[,_]([0-9]{3})\b`)
	spelledTime  = regexp.MustCompile(`([0-9.]+)([a-z]+)`)
)

// respell returns what someone meant who wrote a number with its unit, or a word,
// in another way than the language does (20 sec, 5 /s, 500 rpm, 20 %, Unlimited):
// the first spelling that can be read, or "".
func respell(text string, words []string, reads func(string) bool) string {
	if len(text) > mostText || strings.ContainsAny(text, "=<>") {
		return ""
	}
	joined := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	joined = strings.ReplaceAll(thousands.ReplaceAllString(joined, "$1$2"), ",", ".")
	tries := []string{joined, closest(text, words)}
	tries = append(tries, spelledTime.ReplaceAllStringFunc(joined, func(part string) string {
		of := spelledTime.FindStringSubmatch(part)
		if unit := unitOf(of[2]); unit != "" {
			return of[1] + unit
		}
		return part
	}))
	long := joined
	if of := shortened.FindStringSubmatch(joined); of != nil {
		if n, err := strconv.ParseFloat(of[1], 64); err == nil {
			long = strconv.FormatFloat(n*map[string]float64{"k": 1e3, "m": 1e6}[of[2]], 'f', -1, 64) + of[3]
			tries = append(tries, long)
		}
	}
	if of := spelledRate.FindStringSubmatch(long); of != nil {
		tries = append(tries, of[1]+"/"+rateUnitOf(of[2]))
	}
	if of := spelledShare.FindStringSubmatch(joined); of != nil {
		tries = append(tries, of[1]+"%")
	}
	for _, try := range tries {
		if try != text && try != "" && reads(try) {
			return try
		}
	}
	return ""
}

// rateUnitOf says which unit of a rate is meant: there, m is a minute too.
func rateUnitOf(unit string) string {
	if u := unitOf(unit); u != "" {
		unit = u
	}
	if unit == "m" {
		return "min"
	}
	return unit
}

// schemer is a type that reads its own text and says in JSON Schema what it reads.
// It may refer to #/$defs/Duration.
type schemer interface{ Schema() string }

// textWords lists the words that a type which reads its own text knows.
func textWords(t reflect.Type) []string {
	s, ok := reflect.Zero(bare(t)).Interface().(schemer)
	if !ok {
		return nil
	}
	var schema any
	if err := json.Unmarshal([]byte(s.Schema()), &schema); err != nil {
		panic(err) // a slip in our own types
	}
	return wordsIn(schema)
}

// wordsIn lists the words that a schema names as values.
func wordsIn(schema any) []string {
	var words []string
	switch x := schema.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			if values, ok := x[key].([]any); ok && key == "enum" {
				for _, v := range values {
					if word, ok := v.(string); ok {
						words = append(words, word)
					}
				}
				continue
			}
			words = append(words, wordsIn(x[key])...)
		}
	case []any:
		for _, below := range x {
			words = append(words, wordsIn(below)...)
		}
	}
	return words
}
