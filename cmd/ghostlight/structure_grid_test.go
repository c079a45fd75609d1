package main_test

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// A subject is a folder of the same name in every layer.
func TestStructure_SubjectsAreFolders(t *testing.T) {
	root := open(t).root
	for _, layer := range []string{"cmd/ghostlight", "tui", "engine"} {
		for _, subject := range subjects {
			info, err := os.Stat(filepath.Join(root, layer, subject))
			if err != nil || !info.IsDir() {
				t.Errorf("%s has no folder %s", layer, subject)
			}
		}
	}
}

// Names of files that begin alike want to be a folder.
func TestStructure_FoldersNotPrefixes(t *testing.T) {
	const most = 3
	seen := map[string]map[string]string{}
	for _, s := range open(t).sources {
		name := strings.TrimSuffix(path.Base(s.path), ".go")
		if s.test || strings.HasSuffix(name, "_unix") || strings.HasSuffix(name, "_other") {
			continue
		}
		if seen[s.pkg] == nil {
			seen[s.pkg] = map[string]string{}
		}
		seen[s.pkg][name] = s.path
	}
	for pkg, files := range seen {
		for name := range files {
			n := 0
			for other := range files {
				if other != name && strings.HasPrefix(other, name) && unicode.IsLower(rune(other[len(name)])) {
					n++
				}
			}
			if n >= most {
				t.Errorf("%s: %d files begin with %q: give them a folder, or the subjects names of their own", pkg, n+1, name)
			}
		}
	}
}

// maxMethods is the maximum number of methods of a type: about two screens of them.
const maxMethods = 115

// A type with more methods has several jobs.
func TestStructure_MethodsOfAType(t *testing.T) {
	count := map[string]int{}
	for _, s := range open(t).sources {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv == nil {
				continue
			}
			of := f.Recv.List[0].Type
			if star, ok := of.(*ast.StarExpr); ok {
				of = star.X
			}
			if id, ok := of.(*ast.Ident); ok {
				count[s.pkg+"."+id.Name]++
			}
		}
	}
	for name, n := range count {
		if n > maxMethods {
			t.Errorf("%s has %d methods, more than %d", name, n, maxMethods)
		}
	}
}
