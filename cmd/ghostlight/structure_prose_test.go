package main_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// prose counts a package's own means of understanding prose.
type prose struct {
	words int // in its lists of ordinary words
	scans int // functions that look for words or take endings off them
}

// Words and sentences are engine/text's matter, and what they mean is the model's. This is what
// of the packages' own is still there: lists of words, which are wrong in every language that
// they do not list, and tokenizers and stemmers. A number that has fallen is written down here;
// none rises, and a package that is not listed has nothing.
//
// A list is eight or more words of small letters in a slice, in the keys of a map of constants or
// in one case of a switch, or twelve or more in a string that has nothing else and is no error: a
// message of that length has a sign somewhere. Words with digits, capitals or underscores are names of fields and
// nodes; where they are a quarter of a list, it is one of names. Prompts are files, and tests are
// not read.
//
// A scan is a function that asks unicode.IsLetter, or takes an English ending or a genitive off
// a string.
var ownProse = map[string]prose{
	"cmd/ghostlight":           {0, 1},
	"engine/boards":            {12, 0},
	"engine/boards/storyboard": {30, 1},
	"engine/comfy":             {0, 1},
	"engine/director/rules":    {128, 2},
	"engine/formats":           {0, 1},
	"engine/library":           {17, 2},
	"engine/library/novel":     {54, 5},
	"engine/memory":            {0, 1},
	"engine/pictures/capture":  {0, 3},
	"engine/play":              {0, 1},
	"engine/play/beats":        {0, 2},
	"engine/play/passage":      {0, 1},
	"engine/play/voice":        {0, 3},
	"engine/demo":              {32, 5},
	"engine/scenes/scene":      {33, 3},
	"engine/taste/lessons":     {0, 1},
	"engine/words":             {0, 1},
	"tui":                      {0, 1},
	"tui/keys":                 {0, 2},
	"tui/library":              {0, 1},
	"tui/prose":                {0, 3},
	"tui/widget":               {0, 1},
}

// technical are packages whose lists are the vocabulary of a format, a server, a command or the
// screen, and not of what anybody writes. Their scans count.
var technical = []string{"cmd/*", "cmd/ghostlight/*", "tui", "tui/*", "storage", "themes", "prompts",
	"engine/comfy", "engine/config", "engine/formats", "engine/formats/folder", "engine/ecmascript", "engine/media", "engine/ollama"}

// How many words make a list, by themselves and in one string.
const minListed, leastInText = 8, 12

func TestStructure_ProseIsNotReadByRules(t *testing.T) {
	p := open(t)
	have := map[string]prose{}
	for pkg, files := range productionFiles(p) {
		if pkg == "engine/text" {
			continue
		}
		n := prose{scans: countScans(files)}
		if !matches(technical, pkg) {
			n.words = countListed(files)
		}
		if n != (prose{}) {
			have[pkg] = n
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(have)) {
		if n, most := have[pkg], ownProse[pkg]; n.words > most.words || n.scans > most.scans {
			t.Errorf("%s lists %d words and has %d functions that scan for words, more than the %d and %d that it had: use engine/text, or ask the model",
				pkg, n.words, n.scans, most.words, most.scans)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(ownProse)) {
		n, most := have[pkg], ownProse[pkg]
		if (n.words < most.words || n.scans < most.scans) && n.words <= most.words && n.scans <= most.scans {
			t.Errorf("%s is better than it was, so that ownProse has to say so: %s", pkg, proseRow(pkg, n))
		}
	}
}

func proseRow(pkg string, n prose) string {
	if n == (prose{}) {
		return "no row"
	}
	return fmt.Sprintf("%q: {%d, %d},", pkg, n.words, n.scans)
}

// productionFiles are the files of each package that go into the program.
func productionFiles(p *project) map[string][]*ast.File {
	files := map[string][]*ast.File{}
	for _, s := range p.sources {
		if !s.test {
			files[s.pkg] = append(files[s.pkg], s.file)
		}
	}
	return files
}

// countScans counts the functions that look for letters or for endings of words.
func countScans(files []*ast.File) (n int) {
	for _, f := range files {
		for _, d := range f.Decls {
			if scansProse(d) {
				n++
			}
		}
	}
	return n
}

// endings are the endings that stemmers take off.
var endings = []string{"es", "ies", "ing", "ed", "'s", "’s", "n't", "n’t", "ly"}

func scansProse(d ast.Decl) (found bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			found = found || isIdent(n.X, "unicode") && n.Sel.Name == "IsLetter"
		case *ast.CallExpr:
			if isSelector(n.Fun, "strings", "TrimSuffix", "CutSuffix", "HasSuffix") && len(n.Args) == 2 {
				end, ok := literal(n.Args[1])
				found = found || ok && slices.Contains(endings, end)
			}
		}
		return !found
	})
	return found
}

// countListed counts the words of the lists of a package.
func countListed(files []*ast.File) (n int) {
	for _, f := range files {
		ast.Inspect(f, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.CompositeLit:
				n += listed(wordsOfLit(node))
			case *ast.CaseClause:
				n += listed(literals(node.List))
			case *ast.CallExpr:
				sel, ok := node.Fun.(*ast.SelectorExpr) // what these are given is a message
				return !ok || !isIdent(sel.X, "errors") && !isIdent(sel.X, "failure") && !isIdent(sel.X, "fmt")
			case *ast.BasicLit, *ast.BinaryExpr:
				text, ok := literal(node.(ast.Expr))
				if list := strings.Fields(text); len(list) >= leastInText && !slices.ContainsFunc(list, isName) {
					n += len(list)
				}
				return !ok
			}
			return true
		})
	}
	return n
}

// listed returns the number of ordinary words in a list, 0 for a list that is not one of words.
func listed(list []string) int {
	ordinary := 0
	for _, w := range list {
		if !isName(w) {
			ordinary++
		}
	}
	if ordinary < minListed || ordinary*4 < len(list)*3 {
		return 0
	}
	return ordinary
}

// isName reports whether w is something other than a word, or some, as prose has them, in small
// letters.
func isName(w string) bool {
	letters := 0
	for _, r := range w {
		switch {
		case unicode.IsLetter(r) && !unicode.IsUpper(r):
			letters++
		case !unicode.IsMark(r) && !strings.ContainsRune(" '’-", r):
			return true
		}
	}
	return letters == 0
}

// wordsOfLit are the strings in a literal of a slice, or the keys in one of a map whose values
// are constants: the keys of others are the names of what a prompt is filled with.
func wordsOfLit(lit *ast.CompositeLit) []string {
	_, isMap := lit.Type.(*ast.MapType)
	if _, isList := lit.Type.(*ast.ArrayType); !isMap && !isList {
		return nil
	}
	var elements []ast.Expr
	for _, e := range lit.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok && isMap {
			if !isConstant(pair.Value) {
				return nil
			}
			e = pair.Key
		}
		elements = append(elements, e)
	}
	return literals(elements)
}

func isConstant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit, *ast.Ident:
		return true
	case *ast.CompositeLit:
		return !slices.ContainsFunc(e.Elts, func(e ast.Expr) bool { return !isConstant(e) })
	}
	return false
}

func literals(list []ast.Expr) (out []string) {
	for _, e := range list {
		if text, ok := literal(e); ok {
			out = append(out, text)
		}
	}
	return out
}

// literal returns the value of a string constant in the code, concatenated or not.
func literal(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		a, ok := literal(e.X)
		b, both := literal(e.Y)
		return a + b, ok && both && e.Op == token.ADD
	}
	return "", false
}

// isSelector reports whether e is one of some names of a package.
func isSelector(e ast.Expr, pkg string, names ...string) bool {
	sel, ok := e.(*ast.SelectorExpr)
	return ok && isIdent(sel.X, pkg) && slices.Contains(names, sel.Sel.Name)
}
