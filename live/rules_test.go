package live

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The package decides nothing: no random numbers, no engine, no wall but the clock's,
// no word of a decision, and one loop that comes to the sending of a request.
func TestDecidesNothing(t *testing.T) {
	set := token.NewFileSet()
	var files []*ast.File
	names, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	if len(files) < 10 {
		t.Fatalf("found %d files: this tests nothing", len(files))
	}
	for _, f := range files {
		checkImports(t, set, f)
		checkNames(t, set, f)
	}
	checkLoops(t, set, files)
}

func checkImports(t *testing.T, set *token.FileSet, f *ast.File) {
	const ours = "github.com/stampede-sim/stampede/"
	for _, i := range f.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		within, is := strings.CutPrefix(path, ours)
		switch {
		case is && within != "model" && within != "policies":
			t.Errorf("%v: imports %s; live speaks for model and policies alone", set.Position(i.Pos()), path)
		case strings.HasPrefix(path, "math"), path == "crypto/rand":
			t.Errorf("%v: imports %s; what needs it is a decision", set.Position(i.Pos()), path)
		}
	}
}

// words of decisions, which no name may have.
var words = []string{"retr", "backoff", "jitter", "budget", "breaker", "triage", "deadline", "elapsed", "attempts"}

// names that sound like one and are none.
var allowed = []string{
	"WithDeadline",                              // of the clock: the horizon
	"SetReadDeadline",                           // lifted, never set
	"SetWriteDeadline",                          // of a connection whose client does not read
	"ErrDeadlineExceeded",                       // of a connection whose client does not write
	"Backoff",                                   // Draws.Backoff: the number that the loop is handed
	"RetryAfter", "RetryAfterMS", "ShouldRetry", // of policies.HintText: headers as they are
}

// wall is what package time does by itself.
var wall = []string{"Now", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "Since", "Until"}

// askers are net/http's other ways to send a request.
var askers = []string{"Client", "DefaultClient", "Get", "Head", "Post", "PostForm"}

func checkNames(t *testing.T, set *token.FileSet, f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			of, isName := n.X.(*ast.Ident)
			switch {
			case isName && of.Name == "time" && slices.Contains(wall, n.Sel.Name):
				t.Errorf("%v: time.%s is the wall; ask the clock", set.Position(n.Pos()), n.Sel.Name)
			case isName && of.Name == "http" && slices.Contains(askers, n.Sel.Name):
				t.Errorf("%v: http.%s follows redirects, which are requests of its own", set.Position(n.Pos()), n.Sel.Name)
			case isName && of.Name == "context" && (strings.HasPrefix(n.Sel.Name, "WithTimeout") || strings.HasPrefix(n.Sel.Name, "WithDeadline")):
				t.Errorf("%v: context.%s is the wall; ask the clock", set.Position(n.Pos()), n.Sel.Name)
			}
		case *ast.Ident:
			for _, word := range words {
				if strings.Contains(strings.ToLower(n.Name), word) && !slices.Contains(allowed, n.Name) {
					t.Errorf("%v: %s: a decision belongs to policies or model", set.Position(n.Pos()), n.Name)
				}
			}
		}
		return true
	})
}

// checkLoops follows the calls, by name, that end in RoundTrip. One loop may make
// them: the one that hands everything that happens to Step.
func checkLoops(t *testing.T, set *token.FileSet, files []*ast.File) {
	bodies := map[string][]*ast.FuncDecl{}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, is := d.(*ast.FuncDecl); is {
				bodies[d.Name.Name] = append(bodies[d.Name.Name], d)
			}
		}
	}
	sends := map[string]bool{"RoundTrip": true}
	for grown := true; grown; {
		grown = false
		for name, decls := range bodies {
			for _, d := range decls {
				if !sends[name] && callsOne(d.Body, sends) {
					sends[name], grown = true, true
				}
			}
		}
	}
	var loops []string
	for _, decls := range bodies {
		for _, d := range decls {
			ast.Inspect(d, func(n ast.Node) bool {
				var body *ast.BlockStmt
				switch n := n.(type) {
				case *ast.ForStmt:
					body = n.Body
				case *ast.RangeStmt:
					body = n.Body
				default:
					return true
				}
				if callsOne(body, sends) {
					loops = append(loops, d.Name.Name)
				}
				return true
			})
		}
	}
	slices.Sort(loops)
	// Play, begin and come start each operation once; live is the interpreter.
	if want := []string{"Play", "begin", "come", "live"}; !slices.Equal(loops, want) {
		t.Errorf("the loops that come to a request are in %v, want %v", loops, want)
	}
	for _, name := range []string{"RoundTrip", "Step"} {
		count := 0
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				if s, is := n.(*ast.SelectorExpr); is && s.Sel.Name == name {
					count++
				}
				return true
			})
		}
		if count != 1 {
			t.Errorf("%s is called in %d places, want 1", name, count)
		}
	}
	if d := bodies["live"][0]; !callsOne(d.Body, map[string]bool{"step": true}) {
		t.Errorf("%v: live does not ask the policies' loop", set.Position(d.Pos()))
	}
}

func callsOne(body ast.Node, of map[string]bool) (found bool) {
	if body == nil {
		return false
	}
	ast.Inspect(body, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is {
			switch f := call.Fun.(type) {
			case *ast.Ident:
				found = found || of[f.Name]
			case *ast.SelectorExpr:
				found = found || of[f.Sel.Name]
			}
		}
		return !found
	})
	return found
}
