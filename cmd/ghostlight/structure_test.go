package main_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The rules of the code that a compiler does not hold. ARCHITECTURE.md and
// CONTRIBUTING.md give them in words, with their reasons.

const (
	module   = "github.com/ghostlight-theatre/ghostlight"
	longFile = 500 // lines of a file that is no test
	longFunc = 80  // lines of a function that is no test
)

// testOnly reports whether a package exists for tests only: its name, or that of a folder above it,
// ends in test, as in net/http/httptest.
func testOnly(pkg string) bool {
	return slices.ContainsFunc(strings.Split(pkg, "/"), func(part string) bool { return strings.HasSuffix(part, "test") })
}

// source is one Go file of the project.
type source struct {
	path  string // from the root of the project, with slashes
	pkg   string // its folder, likewise
	test  bool
	lines int
	file  *ast.File
}

type project struct {
	root    string
	fset    *token.FileSet
	sources []source
}

// wholeProject reads all Go files of the project, whatever system they are for.
var wholeProject = sync.OnceValues(func() (*project, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return nil, err
	}
	p := &project{root: root, fset: token.NewFileSet()}
	return p, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch base := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (base == "testdata" || strings.HasPrefix(base, ".") && name != root):
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(base) != ".go":
			return nil
		}
		return p.read(name)
	})
})

func (p *project) read(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	f, err := parser.ParseFile(p.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(p.root, name)
	if err != nil {
		return err
	}
	rel = filepath.ToSlash(rel)
	p.sources = append(p.sources, source{path: rel, pkg: path.Dir(rel), test: strings.HasSuffix(rel, "_test.go") || testOnly(path.Dir(rel)),
		lines: bytes.Count(text, []byte{'\n'}), file: f})
	return nil
}

func open(t *testing.T) *project {
	t.Helper()
	if testing.Short() {
		t.Skip("reads all sources and runs nothing")
	}
	p, err := wholeProject()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.sources) < 50 {
		t.Fatalf("only %d Go files found below %s", len(p.sources), p.root)
	}
	return p
}

func (p *project) at(pos token.Pos) string {
	at := p.fset.Position(pos)
	rel, err := filepath.Rel(p.root, at.Filename)
	if err != nil {
		rel = at.Filename
	}
	return fmt.Sprintf("%s:%d", filepath.ToSlash(rel), at.Line)
}

func imports(f *ast.File) (list []string) {
	for _, spec := range f.Imports {
		if name, err := strconv.Unquote(spec.Path.Value); err == nil {
			list = append(list, name)
		}
	}
	return list
}

// importRule says what packages may import of ours. The first whose from matches a
// package counts.
type importRule struct {
	from string   // a pattern of path.Match
	to   []string // likewise
	why  string
}

// subjects name a folder in every layer.
var subjects = []string{"play", "scenes", "lore", "memory", "director", "pictures", "boards", "taste", "library", "settings"}

// services are the services of the engine, from the bottom up: each may import those before it, and
// none beside or above it.
var services = []string{"engine/models", "engine/settings", "engine/backup", "engine/health", "engine/play/chats", "engine/scenes", "engine/lore", "engine/memory", "engine/director", "engine/pictures",
	"engine/taste", "engine/boards", "engine/library", "engine/library/movein", "engine/play"}

var (
	// foundations are the packages that all services use.
	foundations = []string{"engine/config", "engine/core", "engine/event", "engine/failure", "engine/file"}
	// libraries know no subject.
	libraries = []string{"engine/answer", "engine/comfy", "engine/coverage", "engine/crash", "engine/ecmascript", "engine/formats", "engine/field", "engine/media", "engine/ollama", "engine/process", "engine/queue", "engine/text", "engine/words"}
	// rules are the pure parts of a subject: they read no store and call no server.
	rules = []string{"engine/*/*", "engine/play/voice/phrases"}
)

// values are the packages of the engine that a front end may import: the services, the types of
// their arguments and results, and pure functions of these.
var values = slices.Concat([]string{"engine", "engine/config", "engine/crash", "engine/formats", "engine/event", "engine/failure", "engine/field", "engine/file", "engine/media", "engine/process", "engine/queue", "engine/text", "engine/tip"}, services, rules)

var importRules = slices.Concat([]importRule{
	{"cmd/tinyollama", []string{"engine/crash"}, "it starts a server for tests and knows nothing of the program"},
	{"cmd/ghostlight", []string{"cmd/ghostlight/*", "tui", "tui/*", "engine", "engine/*", "storage", "prompts", "themes"}, "it wires everything together"},
	{"cmd/ghostlight/settings", slices.Concat([]string{"tui", "tui/*", "engine/ollama", "storage"}, values), "the settings are values for those that go by them"},
	{"cmd/ghostlight/cli", slices.Concat([]string{"cmd/ghostlight/settings", "cmd/ghostlight/socket", "tui/guide", "tui/safetext", "engine/comfy", "engine/demo", "engine/demo/tove", "engine/ollama", "storage"}, values), "what all commands stand on knows none of them"},
	{"cmd/ghostlight/socket", []string{"engine/crash"}, "it carries words and streams, and knows nothing of commands"},
	{"cmd/ghostlight/*", slices.Concat([]string{"cmd/ghostlight/cli", "cmd/ghostlight/settings", "tui", "tui/*", "engine/*", "storage", "prompts", "themes"}, values),
		"the commands of one subject know nothing of those of another"},

	{"tui", slices.Concat([]string{"tui/*", "storage", "themes"}, values), "the screen calls use cases and reads values"},
	{"tui/plain", slices.Concat([]string{"tui/safetext", "storage"}, values), "it converses in lines, and knows nothing of the screen but how text is made safe"},
	{"tui/prose", []string{"tui/safetext", "themes"}, "it styles cleaned text"},
	{"tui/painter", []string{"tui/safetext"}, "it paints cells, and measures them as cleaned text is"},
	{"tui/draw", []string{"tui/prose", "tui/safetext", "themes"}, "it draws with a theme's colours"},
	{"tui/markdown", slices.Concat([]string{"tui/draw", "tui/prose", "tui/safetext", "themes"}, rules), "it lays cleaned text out in the theme's styles, and numbers bullets as recaps do"},
	{"tui/widget", []string{"tui/keys", "tui/draw", "tui/painter", "tui/safetext"}, "forms and lists know nothing of the play"},
	{"tui/pane", slices.Concat([]string{"tui/keys", "tui/draw", "tui/painter", "tui/safetext", "tui/widget", "storage"}, values), "it is what parts of the screen may ask of the frame"},
	{"tui/internal/tuitest", slices.Concat([]string{"tui", "tui/*", "engine/*", "storage", "themes"}, values), "it runs the whole screen in tests"},
}, parts(), []importRule{
	{"tui/picture", []string{"engine/media"}, "it knows pictures as files"},
	{"tui/*", nil, "parts of the screen know nothing of the play"},

	{"engine", slices.Concat(foundations, libraries, services, []string{"storage"}), "the root of the engine wires its services"},
	{"engine/internal/enginetest", slices.Concat(foundations, libraries, services, rules, []string{"engine", "engine/demo", "storage", "prompts"}), "it runs the whole engine in tests"},
	{"engine/config", []string{"engine/lore/activation", "storage"}, "it is values"},
	{"engine/core", []string{"engine/config", "engine/event", "engine/failure", "engine/queue", "storage", "prompts"}, "what services stand on knows none of them"},
	{"engine/event", []string{"storage"}, "it carries what it does not know"},
	{"engine/tip", []string{"engine/event", "storage"}, "its tips are the front ends'"},
	{"engine/queue", []string{"engine/crash", "engine/event", "storage"}, "it knows operations, and no kind of them"},
	{"engine/file", []string{"engine/failure"}, "it says what the user can do where a file cannot be written"},
	{"engine/failure", []string{"engine/comfy", "engine/ollama", "engine/play/prompt", "storage"}, "it has words for the errors of the libraries"},
}, serviceRules(), []importRule{
	{"engine/crash", nil, "everybody may use it, so it uses nobody"},
	{"engine/demo/tove", []string{"engine/demo", "storage", "prompts"}, "it is what the stand-ins play"},
	{"engine/text", nil, "everybody may use it, so it uses nobody"},
	{"engine/lore/fill", []string{"engine/coverage", "engine/crash", "engine/lore/plist", "engine/text", "storage", "prompts"}, "it writes lore in the form that plist reads, and forgets nothing"},
	{"engine/scenes/scene", []string{"engine/coverage", "engine/crash", "engine/text", "storage", "prompts"}, "pure rules know no service; recaps forget nothing"},
	{"engine/memory/facts", []string{"engine/crash", "engine/text", "engine/words", "storage", "prompts"}, "pure rules know no service; words of facts are words of messages"},
	{"engine/boards/storyboard", []string{"engine/answer", "engine/crash", "engine/field", "engine/text", "storage", "prompts"}, "pure rules know no service; parameters are read by their schema as answers are"},
	{"engine/lore/linter", []string{"engine/crash", "engine/lore/activation", "engine/lore/plist", "engine/lore/fill", "engine/text", "storage", "prompts"}, "it checks what fill writes, in the form that plist reads, and whether activation finds it"},
	{"engine/pictures/capture", []string{"engine/crash", "engine/field", "engine/pictures/camera", "engine/text", "storage", "prompts"}, "pure rules know no service; prompts say what the camera chose"},
	{"engine/lore/activation", []string{"engine/crash", "engine/ecmascript", "engine/text", "storage", "prompts"}, "pure rules know no service; a key may be a pattern of JavaScript"},
	{"engine/play/regex", []string{"engine/crash", "engine/ecmascript", "engine/text", "storage", "prompts"}, "pure rules know no service; a script's pattern is one of JavaScript"},
	{"engine/formats/folder", []string{"engine/crash", "engine/formats", "engine/text"}, "it finds what the readers read"},
	{"engine/play/voice/phrases", nil, "a set of phrases is text"},
	{"engine/ollama", []string{"engine/answer", "engine/crash", "engine/text", "storage", "prompts"}, "it reads answers by their schema"},
	{"engine/*/*", []string{"engine/crash", "engine/text", "storage", "prompts"}, "pure rules know no service"},
	{"engine/*", []string{"engine/crash", "engine/text", "storage", "prompts"}, "libraries of the engine talk to each other through values"},

	{"storage", nil, "what is kept knows nothing of models and screens"},
	{"prompts", nil, "prompts are text"},
	{"tui/guide", nil, "the guide is text"},
	{"themes", nil, "themes are colours"},
})

// parts says that a part of the screen knows no other part, and not the frame.
func parts() (list []importRule) {
	to := slices.Concat([]string{"tui/pane", "tui/keys", "tui/draw", "tui/markdown", "tui/painter", "tui/picture", "tui/prose", "tui/safetext", "tui/widget", "storage", "themes"}, values)
	for _, c := range subjects {
		list = append(list, importRule{"tui/" + c, to, "a part of the screen asks its host, and knows neither the frame nor another part"})
	}
	return list
}

// serviceRules says that a service knows only those below it.
func serviceRules() (list []importRule) {
	for i, s := range services {
		list = append(list, importRule{s, slices.Concat(foundations, libraries, rules, services[:i], []string{"storage", "prompts"}), "a service knows none that stands beside or above it"})
	}
	return list
}

// forTests are the packages that tests may import in addition: packages for tests only, simulated
// servers, the play that these perform, and parsers of their answers.
var forTests = []string{"themes", "tui", "tui/internal/tuitest", "engine", "engine/*", "engine/*/*", "engine/play/voice/phrases"}

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := path.Match(p, name); return ok })
}

func TestStructure_ImportsRunOneWay(t *testing.T) {
	for _, s := range open(t).sources {
		i := slices.IndexFunc(importRules, func(a importRule) bool { return matches([]string{a.from}, s.pkg) })
		if i < 0 {
			t.Errorf("%s: no rule says what the package %s may import", s.path, s.pkg)
			continue
		}
		for _, name := range imports(s.file) {
			ours, ok := strings.CutPrefix(name, module+"/")
			if !ok || ours == s.pkg || s.test && matches(forTests, ours) {
				continue
			}
			if matches(importRules[i].to, ours) && !(slices.Contains(services, ours) && !slices.Contains(importRules[i].to, ours) && slices.Contains(services, s.pkg)) {
				continue
			}
			t.Errorf("%s imports %s: %s", s.path, ours, importRules[i].why)
		}
	}
}

func TestStructure_WhoMayImportWhat(t *testing.T) {
	for _, rule := range []struct {
		name    string // of a foreign package
		allowed []string
	}{
		{"net/http", []string{"engine/ollama", "engine/comfy", "engine/demo", "cmd/tinyollama"}},
		{"net", []string{"engine/ollama", "engine/comfy", "engine/demo", "cmd/tinyollama", "cmd/ghostlight/cli", "cmd/ghostlight/socket"}},
		{"go.etcd.io/bbolt", []string{"storage"}},
		{"github.com/ollama/ollama/api", []string{"engine/ollama", "engine/demo", "cmd/tinyollama"}},
		{"github.com/coder/websocket", []string{"engine/comfy", "engine/demo"}},
		{"charm.land/bubbletea/v2", []string{"tui", "tui/*"}},
		{"github.com/spf13/cobra", []string{"cmd/ghostlight", "cmd/ghostlight/*"}},
		{"unsafe", nil},
		{"testing", nil},
		// They call methods by names that nobody knows before: the program then keeps all
		// methods of all types, which was 6 MB of 46.
		{"text/template", nil},
		{"html/template", nil},
	} {
		for _, s := range open(t).sources {
			if !s.test && slices.Contains(imports(s.file), rule.name) && !matches(rule.allowed, s.pkg) {
				t.Errorf("%s imports %s, which is for %s alone", s.path, rule.name, rule.allowed)
			}
		}
	}
}

// What is for tests stays there, on every system that the program is built for.
func TestStructure_OnlyTestsImportTestPackages(t *testing.T) {
	for _, s := range open(t).sources {
		if s.test {
			continue
		}
		for _, name := range imports(s.file) {
			if testOnly(name) {
				t.Errorf("%s imports %s, which is for tests", s.path, name)
			}
		}
	}
}

// The testing package adds flags and weight to a program that links it, and so
// may any library.
func TestStructure_TestingIsNotLinked(t *testing.T) {
	list := exec.Command("go", "list", "-deps", ".")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, module+"/engine") {
		t.Fatalf("the program is not among its own %d packages", len(deps))
	}
	for _, name := range deps {
		ours, isOurs := strings.CutPrefix(name, module+"/")
		if name == "testing" || strings.HasPrefix(name, "testing/") || name == "net/http/httptest" || isOurs && testOnly(ours) {
			t.Errorf("the program links %s", name)
		}
	}
}

// Only services and the queue open transactions: whoever else wants something kept
// calls them.
func TestStructure_OnlyTheEngineOpensTransactions(t *testing.T) {
	p := open(t)
	may := slices.Concat(services, []string{"storage", "engine", "engine/core", "engine/event", "engine/queue"})
	for _, s := range p.sources {
		if s.test || slices.Contains(may, s.pkg) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if ok && isIdent(sel.X, "storage") && slices.Contains([]string{"Tx", "Store", "Open"}, sel.Sel.Name) {
				t.Errorf("%s: storage.%s is for services of the engine", p.at(n.Pos()), sel.Sel.Name)
			}
			if call, isCall := n.(*ast.CallExpr); isCall {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Core" && len(call.Args) == 0 {
					t.Errorf("%s: what the services stand on is for tests; front ends have the services", p.at(n.Pos()))
				}
			}
			return true
		})
	}
}

func isIdent(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// A panic in a goroutine of its own kills the program with the terminal in raw
// mode; crash.Go gives the terminal back first.
func TestStructure_GoroutinesStartThroughCrash(t *testing.T) {
	p := open(t)
	for _, s := range p.sources {
		if s.test || s.pkg == "engine/crash" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a bare go statement; use crash.Go", p.at(n.Pos()))
			case *ast.CallExpr:
				sel, ok := n.Fun.(*ast.SelectorExpr)
				if ok && sel.Sel.Name == "Go" && !isIdent(sel.X, "crash") {
					t.Errorf("%s: a goroutine that crash does not know of; use crash.Go", p.at(n.Pos()))
				}
				if ok && sel.Sel.Name == "AfterFunc" && !recovers(n) {
					t.Errorf("%s: a function given to AfterFunc runs on its own goroutine: begin it with defer crash.Recover", p.at(n.Pos()))
				}
			}
			return true
		})
	}
}

// recovers reports whether a call's last argument, where it is a function
// literal, begins by deferring crash.Recover.
func recovers(call *ast.CallExpr) bool {
	f, ok := call.Args[len(call.Args)-1].(*ast.FuncLit)
	if !ok {
		return true
	}
	if len(f.Body.List) == 0 {
		return false
	}
	d, ok := f.Body.List[0].(*ast.DeferStmt)
	if !ok {
		return false
	}
	sel, ok := d.Call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Recover" && isIdent(sel.X, "crash")
}

func TestStructure_Sizes(t *testing.T) {
	p := open(t)
	for _, s := range p.sources {
		if s.test {
			continue
		}
		if s.lines > longFile {
			t.Errorf("%s has %d lines, more than %d", s.path, s.lines, longFile)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := p.fset.Position(f.End()).Line - p.fset.Position(f.Pos()).Line; n > longFunc {
				t.Errorf("%s: %s has %d lines, more than %d", p.at(f.Pos()), f.Name.Name, n, longFunc)
			}
		}
	}
}

// A test that sleeps is slow on a fast machine and fails on a slow one. In a
// package that tests under testing/synctest, sleeping costs no time.
func TestStructure_TestsDoNotSleep(t *testing.T) {
	p := open(t)
	bubbles := map[string]bool{}
	for _, s := range p.sources {
		bubbles[s.pkg] = bubbles[s.pkg] || s.test && slices.Contains(imports(s.file), "testing/synctest")
	}
	for _, s := range p.sources {
		if s.test && bubbles[s.pkg] {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && isIdent(sel.X, "time") && sel.Sel.Name == "Sleep" {
				t.Errorf("%s: time.Sleep; wait for what is to happen", p.at(n.Pos()))
			}
			return true
		})
	}
}

// Work that remains belongs where work is tracked, not in the code.
func TestStructure_NoLooseEnds(t *testing.T) {
	loose := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|X` + `XX)\b`)
	p := open(t)
	for _, s := range p.sources {
		for _, group := range s.file.Comments {
			for _, c := range group.List {
				if m := loose.FindString(c.Text); m != "" {
					t.Errorf("%s: %s", p.at(c.Pos()), m)
				}
			}
		}
	}
}

// One place on the screen says where something was written, and with that whether it is
// encrypted.
func TestStructure_WhatIsWrittenIsSaidInOnePlace(t *testing.T) {
	p := open(t)
	for _, s := range p.sources {
		if s.test || s.pkg == "tui/pane" || !strings.HasPrefix(s.pkg, "tui") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && strings.Contains(lit.Value, "written to ") {
				t.Errorf("%s: pane.Written says that", p.at(n.Pos()))
			}
			return true
		})
	}
}

// A pattern is compiled when it is first needed: those of a whole program were most of a
// millisecond of every start.
func TestStructure_PatternsWaitUntilNeeded(t *testing.T) {
	p := open(t)
	for _, s := range p.sources {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			ast.Inspect(g, func(n ast.Node) bool {
				if f, ok := n.(*ast.SelectorExpr); ok && f.Sel.Name == "MustCompile" {
					t.Errorf("%s: a pattern is compiled at every start; sync.OnceValue does so when it is needed", p.at(n.Pos()))
				}
				_, later := n.(*ast.FuncLit)
				return !later
			})
		}
	}
}
