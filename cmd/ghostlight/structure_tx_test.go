package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// A transaction is good until the function ends that it was given to. What holds one, which
// is the transaction itself, a function that uses it, or a value with either in it, may be
// returned to a caller that has the transaction. It may not be put where it stays: into a
// variable from outside of the function that has the transaction, or into a field of a receiver
// or a parameter. The rule is checked by names, without types: a holder that is reached through
// a method's result is not found; storage.ErrTxClosed is what catches that one when it runs.
//
// These may, for the reason given. "package.function".
var keepTx = map[string]string{
	"engine/play.gather": "what it keeps comes from memory.RecapStates and StageNotes, which read all that is needed at once",
}

func TestStructure_NoValueKeepsATransaction(t *testing.T) {
	p := open(t)
	returning := txReturning(p)
	found := map[string]bool{}
	for _, s := range p.sources {
		if s.test {
			continue
		}
		for _, f := range functions(s.file) {
			_, kept := txUse(f, s.pkg, returning)
			for _, pos := range kept {
				name := s.pkg + "." + f.Name.Name
				if keepTx[name] == "" {
					t.Errorf("%s: %s keeps a transaction beyond its end", p.at(pos), name)
				}
				found[name] = true
			}
		}
	}
	for name := range keepTx {
		if !found[name] {
			t.Errorf("%s keeps no transaction: take it off the list", name)
		}
	}
	for _, name := range []string{"PathsOf", "EndIndexAt", "gatherFacts"} {
		if !returning[name] {
			t.Errorf("%s returns what holds a transaction, and is not found to", name)
		}
	}
}

func functions(f *ast.File) (list []*ast.FuncDecl) {
	for _, d := range f.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			list = append(list, f)
		}
	}
	return list
}

// txReturning are the names of the functions that return what holds a transaction of theirs.
func txReturning(p *project) map[string]bool {
	names := map[string]bool{}
	for before := -1; before != len(names); {
		before = len(names)
		for _, s := range p.sources {
			if s.test {
				continue
			}
			for _, f := range functions(s.file) {
				if returns, _ := txUse(f, s.pkg, names); returns {
					names[f.Name.Name] = true
				}
			}
		}
	}
	return names
}

// txUse reports whether a function returns what holds a transaction that it was given, and
// where it, or a function in it that is given one, puts such a value where it stays.
func txUse(f *ast.FuncDecl, pkg string, returning map[string]bool) (returns bool, kept []token.Pos) {
	look := func(of *ast.FuncType, body *ast.BlockStmt) bool {
		returns := false
		for _, name := range txParams(of, pkg) {
			h := txHolders{tx: name, local: map[string]bool{}, holding: map[string]bool{name: true}, returning: returning}
			results := namesIn(of.Results)
			for _, r := range results {
				h.local[r] = true
			}
			h.block(body)
			returns = returns || h.returns || slices.ContainsFunc(results, func(r string) bool { return h.holding[r] })
			kept = append(kept, h.kept...)
		}
		return returns
	}
	returns = look(f.Type, f.Body)
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if lit, ok := n.(*ast.FuncLit); ok {
			look(lit.Type, lit.Body)
		}
		return true
	})
	return returns, kept
}

// txParams are the names of the parameters that are transactions.
func txParams(of *ast.FuncType, pkg string) (names []string) {
	for _, field := range of.Params.List {
		star, ok := field.Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		sel, ok := star.X.(*ast.SelectorExpr)
		if ok && isIdent(sel.X, "storage") && sel.Sel.Name == "Tx" || pkg == "storage" && isIdent(star.X, "Tx") {
			for _, n := range field.Names {
				names = append(names, n.Name)
			}
		}
	}
	return names
}

// txHolders follows what holds a transaction through the body of the function that has it.
type txHolders struct {
	tx        string
	local     map[string]bool // variables that were made in the body
	holding   map[string]bool // names of what holds the transaction
	returning map[string]bool
	returns   bool
	kept      []token.Pos
}

func (h *txHolders) block(body *ast.BlockStmt) {
	inner := 0 // how many functions deep, whose results are not those of this one
	var stack []ast.Node
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil {
			if _, ok := stack[len(stack)-1].(*ast.FuncLit); ok {
				inner--
			}
			stack = stack[:len(stack)-1]
			return false
		}
		switch n := n.(type) {
		case *ast.FuncLit:
			if slices.Contains(namesIn(n.Type.Params), h.tx) { // it has one of its own
				return false
			}
			for _, name := range namesIn(n.Type.Params) {
				h.local[name] = true
			}
			inner++
		case *ast.ValueSpec:
			for i, id := range n.Names {
				h.local[id.Name] = true
				if i < len(n.Values) {
					h.put(id, n.Values[i])
				}
			}
		case *ast.RangeStmt:
			for _, e := range []ast.Expr{n.Key, n.Value} {
				if id, ok := e.(*ast.Ident); ok {
					h.local[id.Name] = true
				}
			}
		case *ast.AssignStmt:
			h.assign(n)
		case *ast.ReturnStmt:
			h.returns = h.returns || inner == 0 && slices.ContainsFunc(n.Results, h.holds)
		}
		stack = append(stack, n)
		return true
	})
}

func (h *txHolders) assign(a *ast.AssignStmt) {
	for i, to := range a.Lhs {
		if id, ok := to.(*ast.Ident); ok && a.Tok == token.DEFINE {
			h.local[id.Name] = true
		}
		if len(a.Rhs) == len(a.Lhs) {
			h.put(to, a.Rhs[i])
		} else if !isIdent(to, "err") && !isIdent(to, "ok") {
			h.put(to, a.Rhs[0])
		}
	}
}

// put takes in that a value goes to a place.
func (h *txHolders) put(to, value ast.Expr) {
	if isIdent(to, "_") || !h.holds(value) {
		return
	}
	root := to
	for {
		switch x := root.(type) {
		case *ast.SelectorExpr:
			root = x.X
			continue
		case *ast.IndexExpr:
			root = x.X
			continue
		case *ast.StarExpr:
			root = x.X
			continue
		}
		break
	}
	if id, ok := root.(*ast.Ident); ok && (h.local[id.Name] || h.holding[id.Name]) {
		h.holding[id.Name] = true
		return
	}
	h.kept = append(h.kept, to.Pos())
}

// holds reports whether a value is or has in it the transaction or a function that uses it.
func (h *txHolders) holds(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return h.holding[e.Name]
	case *ast.ParenExpr:
		return h.holds(e.X)
	case *ast.UnaryExpr:
		return h.holds(e.X)
	case *ast.StarExpr:
		return h.holds(e.X)
	case *ast.KeyValueExpr:
		return h.holds(e.Value)
	case *ast.CompositeLit:
		return slices.ContainsFunc(e.Elts, h.holds)
	case *ast.CallExpr:
		name := ""
		switch f := e.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = f.Sel.Name
		}
		return (name == "append" || h.returning[name]) && slices.ContainsFunc(e.Args, h.holds)
	case *ast.FuncLit:
		return h.uses(e)
	}
	return false
}

// uses reports whether a function in this one uses what holds the transaction.
func (h *txHolders) uses(f *ast.FuncLit) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit: // it may have a transaction of its own
			return !slices.Contains(namesIn(n.Type.Params), h.tx)
		case *ast.SelectorExpr: // a field may be called like the transaction
			if isVariable(n.X) {
				found = found || h.holds(n.X)
				return false
			}
		case *ast.KeyValueExpr: // likewise
			if isVariable(n.Key) && isVariable(n.Value) {
				found = found || h.holds(n.Value)
				return false
			}
		case *ast.Ident:
			found = found || h.holding[n.Name]
		}
		return !found
	})
	return found
}

func isVariable(e ast.Expr) bool {
	_, ok := e.(*ast.Ident)
	return ok
}

func namesIn(list *ast.FieldList) (names []string) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
	}
	return names
}

// What the rule finds, and what it lets pass.
func TestStructure_TransactionRule(t *testing.T) {
	const lit = "func() { tx.Node() }"
	for _, tt := range []struct {
		name, body    string
		returns, kept bool
	}{
		{"a function", "return " + lit, true, false},
		{"a variable with one", "f := " + lit + "; return f", true, false},
		{"a value with one", "x := &T{a: 1}; x.f = " + lit + "; return x", true, false},
		{"the transaction in a value", "return &T{tx: tx}", true, false},
		{"a named result", "out = append(out, T{" + lit + "}); return", true, false},
		{"of one that returns it", "p := keeper(tx); return p", true, false},
		{"what was read", "n := tx.Node(); f := func() { use(n) }; return f", false, false},
		{"an argument", "use(" + lit + "); return nil", false, false},
		{"in a receiver", "s.f = " + lit, false, true},
		{"in a receiver's map", "s.m[1] = keeper(tx)", false, true},
		{"in the receiver of who has another one", "s.f = func(tx *storage.Tx) { tx.Node() }", false, false},
		{"in a variable from outside",
			"var g *T; s.View(func(tx *storage.Tx) { var err error; g, err = keeper(tx) })", false, true},
		{"what was read in one", "var g *T; s.View(func(tx *storage.Tx) { g = keeper(tx).list() })", false, false},
		{"a field of its name", "s.f = func() { s.tx = nil }", false, false},
	} {
		text := "package x\nfunc (s *S) x(tx *storage.Tx) (out []T) {\n" + tt.body + "\n}"
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		returns, kept := txUse(functions(f)[0], "x", map[string]bool{"keeper": true})
		if returns != tt.returns || len(kept) > 0 != tt.kept {
			t.Errorf("%s: returns it %v, keeps it %d times", tt.name, returns, len(kept))
		}
	}
}
