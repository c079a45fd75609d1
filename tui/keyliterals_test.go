package tui_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// keyName matches the name of a key where it is matched or shown. Phrases such as "enter a name"
// are not keys, but "enter saves" and "esc close" are.
var keyName = regexp.MustCompile(`\b(?:ctrl|alt)\+[a-z]|\^[A-Z]\b|(?i:\besc\b)|\bpgup\b|\bpgdn\b|\bpgdown\b|\bf1\b|` +
	`\b(?:enter|tab|space) (?:saves|sends|closes|opens|goes|selects|accepts|shows|choose|save|send|close|again)\b`)

// matched is the name of a key in a comparison.
var matched = regexp.MustCompile(`^(?:enter|tab|shift\+tab|space|up|down|left|right|home|end|backspace|delete)$`)

// keysOfTheirOwn are files that know keys by name: the text area, which has those of every text
// area, and what a terminal calls its keys.
var keysOfTheirOwn = []string{"widget/textkeys.go", "widget/text.go", "widget/input.go", "widget/undo.go", "terminalquery.go", "letters.go"}

// Only declarations of actions name keys: everything else asks the user's table, for what a key
// does and for how it reads.
func TestKeys_AreNamedByDeclarationsOnly(t *testing.T) {
	t.Parallel()
	files, declared := 0, 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(path)
		if d.IsDir() {
			if name == "keys" || name == "internal" || name == "plain" || strings.HasSuffix(name, "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		for _, f := range keysOfTheirOwn {
			if name == f {
				return nil
			}
		}
		files++
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		var stack []ast.Node
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(lit.Value)
			if !keyName.MatchString(text) && !(compared(stack) && matched.MatchString(text)) {
				return true
			}
			if declares(stack) {
				declared++
				return true
			}
			t.Errorf("%s: %q names a key", fset.Position(lit.Pos()), text)
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if t.Logf("%d files, %d keys in declarations", files, declared); files < 200 || declared < 40 {
		t.Error("too little was looked at")
	}
}

// compared reports whether a literal is in a comparison, or in a case of a key switch.
func compared(stack []ast.Node) bool {
	switch n := stack[len(stack)-2].(type) {
	case *ast.BinaryExpr:
		return n.Op == token.EQL || n.Op == token.NEQ
	case *ast.CaseClause:
		of, ok := stack[len(stack)-4].(*ast.SwitchStmt)
		if !ok {
			return false
		}
		_, asked := of.Tag.(*ast.CallExpr) // as in widget.Keystroke(msg)
		return asked
	}
	return false
}

// declares reports whether a literal gives an action its keys: it is in the field Keys of a
// literal, or an argument of a call that names an action.
func declares(stack []ast.Node) bool {
	for i := len(stack) - 2; i >= 0; i-- {
		switch n := stack[i].(type) {
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Keys" {
				return true
			}
		case *ast.CallExpr:
			for _, a := range n.Args {
				if s, ok := a.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "keys" {
						return true
					}
				}
			}
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "PaneAction" || s.Sel.Name == "NewPaneAction") {
				return true
			}
		case *ast.FuncLit, *ast.BlockStmt:
			return false
		}
	}
	return false
}
