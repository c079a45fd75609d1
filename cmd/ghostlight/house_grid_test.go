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

// Whoever looks for a subject finds it by the names of folders alone: a column has
// the same name on every floor.
func TestHouse_TheSameWordOnEveryFloor(t *testing.T) {
	root := open(t).root
	for _, floor := range []string{"cmd/ghostlight", "tui", "engine"} {
		for _, c := range columns {
			if c == "settings" && floor != "tui" {
				c = "house" // which also has what no screen shows: backups, the servers' health
			}
			info, err := os.Stat(filepath.Join(root, floor, c))
			if err != nil || !info.IsDir() {
				t.Errorf("%s has no folder %s", floor, c)
			}
		}
	}
}

// Names of files that begin alike want to be a folder.
func TestHouse_FoldersNotPrefixes(t *testing.T) {
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

// mostMethods is how many methods a type may have: about two screens of them.
const mostMethods = 115

// No type is so large that everything hangs on it.
func TestHouse_NoTypeIsAHall(t *testing.T) {
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
		if n > mostMethods {
			t.Errorf("%s has %d methods, more than %d", name, n, mostMethods)
		}
	}
}
