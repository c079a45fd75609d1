package main_test

import (
	"bufio"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestStructure_EveryPackageSaysWhatItIs(t *testing.T) {
	docs := map[string]string{}
	for _, s := range open(t).sources {
		if s.test {
			continue
		}
		docs[s.pkg] += s.file.Doc.Text()
	}
	for pkg, doc := range docs {
		if len(strings.Fields(doc)) < 5 {
			t.Errorf("package %s has no doc comment that says what it is", pkg)
		}
	}
}

func TestStructure_EveryExportedNameIsDocumented(t *testing.T) {
	p := open(t)
	for _, s := range p.sources {
		if s.test || s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no doc comment", p.at(name.Pos()), name.Name)
			}
		}
	}
}

// undocumented names what a declaration exports without a word.
func undocumented(d ast.Decl) (names []*ast.Ident) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) && !saysItself(d) {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if spec.Name.IsExported() && spec.Doc == nil && d.Doc == nil {
					names = append(names, spec.Name)
				}
			case *ast.ValueSpec:
				if spec.Doc == nil && spec.Comment == nil && d.Doc == nil && !typed(d) {
					names = append(names, exported(spec.Names)...)
				}
			}
		}
	}
	return names
}

func exported(names []*ast.Ident) (list []*ast.Ident) {
	for _, n := range names {
		if n.IsExported() {
			list = append(list, n)
		}
	}
	return list
}

func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	is := true
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			is = id.IsExported()
			return false
		}
		return true
	})
	return is
}

// saysItself reports whether a function is a method of an error type, whose contract is known.
func saysItself(f *ast.FuncDecl) bool {
	return f.Recv != nil && (f.Name.Name == "Error" || f.Name.Name == "Unwrap")
}

// typed reports whether a declaration is a list of constants of one type. The type's own comment
// describes them.
func typed(d *ast.GenDecl) bool {
	if d.Tok != token.CONST || len(d.Specs) == 0 {
		return false
	}
	first, ok := d.Specs[0].(*ast.ValueSpec)
	return ok && first.Type != nil
}

// The top level of the project is its map: nothing gathers there.
func TestStructure_TopLevel(t *testing.T) {
	p := open(t)
	want := []string{".ci", ".gitignore", ".golangci.yml", ".goreleaser.yaml", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "README.md",
		"cmd", "engine", "go.mod", "go.sum", "prompts", "storage", "themes", "tui"}
	for _, name := range want {
		if _, err := os.Stat(filepath.Join(p.root, name)); err != nil {
			t.Error(err)
		}
	}
	git := exec.Command("git", "ls-files", "-z")
	git.Dir = p.root
	out, err := git.Output()
	if err != nil {
		t.Skipf("what belongs to the project is not known without git: %v", err)
	}
	var extra []string
	for name := range strings.SplitSeq(string(out), "\x00") {
		top, _, _ := strings.Cut(name, "/")
		if name != "" && !slices.Contains(want, top) && !slices.Contains(extra, top) {
			extra = append(extra, top)
			t.Errorf("%s does not belong at the top level", top)
		}
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(open(t).root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Every library that the project asks for itself is a decision, and decisions
// have a reason.
func TestStructure_EveryDependencyHasAReason(t *testing.T) {
	why := readFile(t, "ARCHITECTURE.md")
	_, named, _ := strings.Cut(why, "## Dependencies")
	named, _, _ = strings.Cut(named, "\n## ")
	have, in := map[string]bool{}, false
	lines := bufio.NewScanner(strings.NewReader(readFile(t, "go.mod")))
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case strings.HasPrefix(line, "require ("):
			in = true
			continue
		case line == ")":
			in = false
		case strings.HasPrefix(line, "require "):
			line = strings.TrimPrefix(line, "require ")
		case !in:
			continue
		}
		name, _, ok := strings.Cut(line, " ")
		if !ok || strings.HasSuffix(line, "// indirect") {
			continue
		}
		have[name] = true
		if !strings.Contains(named, "\n| `"+name+"` |") {
			t.Errorf("ARCHITECTURE.md does not say what %s is for", name)
		}
	}
	if len(have) < 10 {
		t.Errorf("only %d direct dependencies found in go.mod", len(have))
	}
	for _, row := range regexp.MustCompile("\n\\| `([^`]+)`").FindAllStringSubmatch(named, -1) {
		if !have[row[1]] {
			t.Errorf("ARCHITECTURE.md names %s, which go.mod does not ask for", row[1])
		}
	}
}

// Links between the documents must lead somewhere.
func TestStructure_DocumentsLinkToFiles(t *testing.T) {
	p := open(t)
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, doc := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"} {
		for _, m := range link.FindAllStringSubmatch(readFile(t, doc), -1) {
			if _, err := os.Stat(filepath.Join(p.root, filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s links to %s: %v", doc, m[1], err)
			}
		}
	}
}

// Every package is named: by its whole path, or in the chapter of its layer by the path from
// there.
func TestStructure_ArchitectureNamesEveryPackage(t *testing.T) {
	text := readFile(t, "ARCHITECTURE.md")
	named := func(pkg string) bool {
		layer, rest, below := strings.Cut(pkg, "/")
		_, chapter, _ := strings.Cut(text, "\n### `"+layer+"`\n")
		chapter, _, _ = strings.Cut(chapter, "\n#")
		return strings.Contains(text, "`"+pkg+"`") || below && strings.Contains(chapter, "`"+rest+"`")
	}
	seen := map[string]bool{}
	for _, s := range open(t).sources {
		if !seen[s.pkg] && !named(s.pkg) {
			t.Errorf("ARCHITECTURE.md does not mention the package %s", s.pkg)
		}
		seen[s.pkg] = true
	}
}
