package scenarios

import (
	"encoding"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/stampede-sim/stampede/model"
)

// Part is a section of the language's reference, and an example for it.
type Part struct{ Title, Example string }

// GenerateLanguage writes the language as a page for people, from what
// [GenerateSchema] reads and the comments beside the words that a key may take.
func GenerateLanguage() (page string, parts []Part, err error) {
	opening, err := os.ReadFile("testdata/language-opening.md")
	if err != nil {
		return "", nil, err
	}
	var comments jsonschema.Reflector
	words := map[string]string{}
	for _, folder := range []string{".", "../model", "../policies"} {
		if err := comments.AddGoComments(module+"scenarios", folder); err != nil {
			return "", nil, err
		}
		if err := wordComments(words, folder); err != nil {
			return "", nil, err
		}
	}
	l := language{comments: comments.CommentMap, words: words, titles: map[string]string{}}
	l.visit(reflect.TypeFor[Scenario](), "scenario", reflect.Value{})
	l.visit(reflect.TypeFor[model.DurationDist](), "distributions", reflect.Value{})

	var out strings.Builder
	out.Write(opening)
	for _, p := range l.parts {
		example := examples[p.title]
		parts = append(parts, Part{p.title, example})
		short, long := "", ""
		switch strings.Count(example, "\n") {
		case 0:
		case 1:
			short = " Example: `" + strings.TrimSuffix(example, "\n") + "`."
		default:
			long = fenced(example)
		}
		fmt.Fprintf(&out, "\n## %s\n%s%s\n%s%s", p.title, l.about(p), short, l.table(p), long)
	}
	example := examples["expect"]
	parts = append(parts, Part{"expect", example})
	out.WriteString("\n## expect\n" + figures() + fenced(example))
	return out.String(), parts, nil
}

func fenced(example string) string { return "```yaml\n" + example + "```\n" }

// meanings are those of the short names, in their order.
var meanings = []string{
	"share of the operations that succeeded",
	"of the operations that succeeded, from the intended start to the whole answer: half took no longer",
	"nine of ten took no longer",
	"99 of 100 took no longer",
	"99 of 100 callers that saw output first saw it no later; without streaming, that is the answer",
	"when the last operation ended",
	"requests sent",
	"attempts per operation",
	"share of the output tokens billed that no caller used",
	"of all tokens billed, in the currency of `provider.price`",
}

// figures says what may stand on the left of an expectation.
func figures() string {
	paths := 0
	new(model.Summary).EachFigure(func([]string, model.Number) { paths++ })
	names := model.FigureNames()
	text := "`FIGURE OP VALUE`: a short name, or a path in `summary.json`; one of `" + strings.Join(operators, "` `") +
		"`; a number, a share such as `20%`, or a time such as `30s`.\n\n| short name | what it means |\n|---|---|\n"
	for i, name := range names[:len(names)-paths] {
		of := meanings[i]
		if model.InSeconds(name) {
			of = "time: " + of
		}
		text += "| `" + name + "` | " + of + " |\n"
	}
	return text + "\nWho fails is in no `latency_s` (which the short names are of): `failure_latency_s` has those alone, and in `all_latency_s` a failure never ends, which is null and meets nothing.\n"
}

type language struct {
	comments map[string]string // by package, type and field
	words    map[string]string // by package, type and word
	titles   map[string]string // by definition
	parts    []*part
}

// part is a struct that has a section of its own.
type part struct {
	title    string
	of       reflect.Type
	defaults reflect.Value
}

// visit gives a struct a section, then those below it.
func (l *language) visit(t reflect.Type, title string, v reflect.Value) {
	name := section(t)
	if _, known := l.titles[name]; known {
		return
	}
	p := &part{title, t, defaultsOf(t, v)}
	l.titles[name], l.parts = title, append(l.parts, p)
	l.below(p.of, title, p.defaults)
}

func (l *language) below(t reflect.Type, title string, v reflect.Value) {
	if title == "scenario" {
		title = ""
	}
	for _, f := range fieldsOf(t) {
		held := heldBy(f.typ)
		if held.Kind() != reflect.Struct || isText(held) || isInPlace(held) || section(held) == "Dist" {
			continue
		}
		at := strings.TrimPrefix(title+"."+f.key, ".")
		_, other := inlineBeside(held)
		switch {
		case other: // has the section of what it holds
		case f.one:
			l.below(held, at, reflect.Value{})
		default:
			l.visit(held, at, childOf(f, v))
		}
	}
}

// childOf is what a field that is itself a struct holds by default.
func childOf(f field, v reflect.Value) reflect.Value {
	if f.typ.Kind() == reflect.Struct {
		return v.FieldByIndex(f.index)
	}
	return reflect.Value{}
}

// about says what a part is, and what it may be other than a mapping with all its keys.
func (l *language) about(p *part) string {
	is, text := shapeOf(p.of), sentence(l.comments[typeName(p.of)])
	if short := is.short; short != nil && short.key != "" {
		text += fmt.Sprintf(" A plain value is its `%s`.", short.key)
	} else if short != nil && wordsOf(short.typ) != nil {
		text += " In short: " + l.takes(*short) + "."
	}
	if keys := keysOf(is.ones); len(keys) > 1 {
		text += " One of `" + strings.Join(keys, "`, `") + "`."
	}
	var alone []string
	for _, one := range is.ones {
		if one.needsNothing() {
			alone = append(alone, one.key)
		}
	}
	if alone != nil {
		text += " As a bare word with all its defaults: `" + strings.Join(alone, "`, `") + "`."
	}
	return text
}

func (l *language) table(p *part) string {
	var out strings.Builder
	out.WriteString("\n| key | what it takes | default | what it means |\n|---|---|---|---|\n")
	l.rows(&out, p.of, p.defaults, "")
	return out.String()
}

// rows writes a struct's keys, those of an alternative's mapping below its own.
func (l *language) rows(out *strings.Builder, t reflect.Type, v reflect.Value, before string) {
	cell := strings.NewReplacer("|", `\|`, "*", `\*`, "\n", " ").Replace
	for _, f := range fieldsOf(t) {
		if f.key == "" {
			continue
		}
		meaning, byDefault := l.means(t, f, v)
		held := heldBy(f.typ)
		nested := f.one && held.Kind() == reflect.Struct && !isText(held) && !isInPlace(held) && section(held) != "Dist"
		takes := "a mapping"
		switch {
		case nested && held.NumField() == 0:
			takes = "nothing"
		case !nested:
			takes = l.takes(f)
		}
		if section(t) == "Dist" {
			takes = strings.TrimSuffix(takes, " of times")
		}
		if meaning == strings.ReplaceAll(takes, "`", "") {
			meaning = ""
		}
		fmt.Fprintf(out, "| `%s` | %s | %s | %s |\n", before+f.key, cell(takes), cell(byDefault), cell(meaning))
		if nested {
			l.rows(out, held, defaultsOf(held, reflect.Value{}), before+f.key+".")
		}
	}
}

// means splits a field's comment into what the key means and what it is when it is left out.
func (l *language) means(t reflect.Type, f field, v reflect.Value) (meaning, byDefault string) {
	var says []string
	comment := strings.ReplaceAll(l.comments[fieldName(t, f)], " (default)", "")
	for said := range strings.SplitSeq(comment, "; ") {
		before, rest, ok := strings.Cut(": "+said, ": default")
		switch {
		case said == "the default":
			byDefault, said = said, ""
		case ok && byDefault == "" && !f.required:
			byDefault, said = strings.TrimPrefix(strings.TrimLeft(rest, ": "), "and "), strings.TrimPrefix(before, ": ")
		}
		if said != "" {
			says = append(says, said)
		}
	}
	held := heldBy(f.typ)
	named := held.Kind() == reflect.Struct && section(held) != "Dist" || wordsOf(held) != nil || isText(held)
	if len(says) == 0 && named && (held.Kind() == reflect.Struct && !isText(held) || wordsOf(held) != nil || f.required) {
		said := ownKey.ReplaceAllString(strings.TrimSuffix(sentence(l.comments[typeName(held)]), "."), "")
		if said, _, _ = strings.Cut(said, `; "" is`); said != "" {
			says = append(says, strings.ToLower(said[:1])+said[1:])
		}
	}
	for _, word := range wordsOf(held) {
		if said := l.words[typeName(held)+"."+word]; said != "" {
			says = append(says, "`"+word+"`: "+said)
		}
	}
	switch {
	case f.required:
		byDefault = "required"
	case byDefault == "" && !f.one:
		byDefault = plainDefault(v.FieldByIndex(f.index), f)
	}
	return strings.Join(says, "; "), byDefault
}

func plainDefault(v reflect.Value, f field) string {
	switch d := defaultOf(v, f).(type) {
	case nil, []any:
		return ""
	default:
		return fmt.Sprint(d)
	}
}

// takes says what may be written for a key.
func (l *language) takes(f field) string {
	t := bare(f.typ)
	if m := shapeOfRest(t); m != nil {
		return l.value(shapeOf(t).short.typ, f) + ", or steps such as `" + m.sample() + "`"
	}
	switch {
	case isText(t):
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct && !isText(t.Elem()):
		return "a list of " + l.value(t.Elem(), f)
	case t.Kind() == reflect.Slice:
		return "a list, each item " + l.value(t.Elem(), f)
	case t.Kind() == reflect.Array:
		return "`" + sample(t) + "`"
	case t.Kind() == reflect.Map:
		return "names, each with " + l.value(t.Elem(), f)
	}
	return l.value(t, f)
}

// shapeOfRest is the field of the keys that are no fields; nil where they are mistakes.
func shapeOfRest(t reflect.Type) *field {
	if t.Kind() != reflect.Struct || isText(t) {
		return nil
	}
	return shapeOf(t).rest
}

func (l *language) value(t reflect.Type, f field) string {
	t = bare(t)
	if words := wordsOf(t); words != nil {
		return "`" + strings.Join(words, "`, `") + "`"
	}
	switch {
	case isText(t):
		return ownText(t)
	case t == reflect.TypeFor[time.Duration]():
		return "a duration" + limits(f)
	case t.Kind() == reflect.Struct && section(t) == "Dist":
		return link("distribution", "distributions") + map[bool]string{true: " of times", false: " of numbers"}[t == reflect.TypeFor[model.DurationDist]()]
	case t.Kind() == reflect.Struct && isInPlace(t):
		return "`" + sample(t) + "`"
	case t.Kind() == reflect.Struct:
		if inner, ok := inlineBeside(t); ok {
			return "a name, or " + l.link(inner)
		}
		return l.link(t)
	}
	switch t.Kind() {
	case reflect.Bool:
		if f.one {
			return "`true`"
		}
		return "`true` or `false`"
	case reflect.String:
		return "text"
	case reflect.Float64:
		return "a number" + limits(f)
	case reflect.Uint8:
		return "a whole number, 0 to 255"
	case reflect.Uint64:
		return "a whole number from 0"
	}
	if f.noun != "" {
		return f.span()
	}
	return "a whole number" + limits(f)
}

func limits(f field) string {
	switch {
	case f.min != "" && f.max != "":
		return ", " + f.min + " to " + f.max
	case f.min != "" && f.min != "0":
		return " from " + f.min
	case f.above != "":
		return " above " + f.above
	}
	return ""
}

func (l *language) link(t reflect.Type) string {
	title, ok := l.titles[section(t)]
	if !ok {
		panic(fmt.Sprintf("%v has no section", t))
	}
	return link(title, title)
}

func link(text, title string) string {
	return "[" + text + "](#" + strings.ReplaceAll(title, ".", "") + ")"
}

// mends is what a message says about a text that a type cannot read.
var mends = regexp.MustCompile(`^"\?" is (?:no|not an?|neither) (.*); write (one )?(.*)$`)

// ownText is what a type that reads its own text says to write.
func ownText(t reflect.Type) string {
	err := reflect.New(t).Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte("?"))
	if err == nil {
		return "text"
	}
	m := mends.FindStringSubmatch(err.Error())
	switch {
	case m == nil:
		_, write, _ := strings.Cut(err.Error(), "; write ")
		return orElse(write, "text")
	case strings.Contains(m[1], " nor "):
		return strings.Replace(m[1], " nor ", ", or ", 1)
	case m[2] == "":
		return m[3]
	case strings.Contains("aeiou", m[1][:1]):
		return "an " + m[1] + " " + m[3]
	}
	return "a " + m[1] + " " + m[3]
}

// heldBy is the type in a list, a map or behind a pointer.
func heldBy(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || !isText(t) && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Array) {
		t = t.Elem()
	}
	if rest := shapeOfRest(t); rest != nil {
		return bare(shapeOf(t).short.typ)
	}
	return t
}

func isText(t reflect.Type) bool {
	_, is := reflect.Zero(t).Interface().(schemer)
	return is
}

// isInPlace tells a struct of so few plain keys, all of them required, that a sample says all.
func isInPlace(t reflect.Type) bool {
	for _, f := range fieldsOf(t) {
		if !f.required || !f.typ.ConvertibleTo(reflect.TypeFor[float64]()) {
			return false
		}
	}
	return len(fieldsOf(t)) == 1 || len(fieldsOf(t)) == 2
}

// inlineBeside is the struct whose keys t has beside a short form without a key.
func inlineBeside(t reflect.Type) (reflect.Type, bool) {
	is := shapeOf(t)
	if is.short == nil || is.short.key != "" {
		return nil, false
	}
	for i := range t.NumField() {
		if f := t.Field(i); strings.HasSuffix(f.Tag.Get("yaml"), ",inline") {
			return f.Type, true
		}
	}
	return nil, false
}

// section is what names a struct's section: its type, whatever numbers it is of.
func section(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.String()
	}
	name := typeName(t)
	return strings.TrimPrefix(name, map[bool]string{true: module + "model.", false: ""}[strings.HasSuffix(name, "model.Dist")])
}

var subject = regexp.MustCompile(`^[A-Z]\w* ((is|are|says) )?`)

// sentence is a Go comment without the name it begins with.
func sentence(comment string) string {
	comment = subject.ReplaceAllString(strings.Join(strings.Fields(comment), " "), "")
	if comment == "" {
		return ""
	}
	return strings.ToUpper(comment[:1]) + comment[1:]
}

// ownKey is how a comment names the key it is about.
var ownKey = regexp.MustCompile("^An? \\w+'s `\\w+`(: )?")

var seeGo = regexp.MustCompile(`^see \w+: `)

// wordComments finds what stands beside the constants of a folder.
func wordComments(into map[string]string, folder string) error {
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), folder+"/"+file.Name(), nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, s := range g.Specs {
					wordComment(into, module+f.Name.Name, s.(*ast.ValueSpec))
				}
			}
		}
	}
	return nil
}

func wordComment(into map[string]string, pkg string, s *ast.ValueSpec) {
	typ, typed := s.Type.(*ast.Ident)
	if !typed || len(s.Values) != 1 {
		return
	}
	value, ok := s.Values[0].(*ast.BasicLit)
	if !ok || value.Kind != token.STRING {
		return
	}
	word, _ := strconv.Unquote(value.Value)
	said := seeGo.ReplaceAllString(strings.TrimSpace(s.Comment.Text()), "")
	if said == "" {
		said = strings.TrimSuffix(sentence(s.Doc.Text()), ".")
		said, _, _ = strings.Cut(said, ". Source:")
		if said != "" {
			said = strings.ToLower(said[:1]) + said[1:]
		}
	}
	into[pkg+"."+typ.Name+"."+word] = said
}
