package main_test

import (
	"go/ast"
	"regexp"
	"strings"
	"testing"
)

// Each promise names tests that exist.
func TestStructure_PromisesAreHeld(t *testing.T) {
	tests := map[string]bool{}
	for _, s := range open(t).sources {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && s.test && f.Recv == nil {
				tests[s.pkg+" "+f.Name.Name] = true
			}
		}
	}
	_, chapter, _ := strings.Cut(readFile(t, "CONTRIBUTING.md"), "\n## Promises\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	promises, span := 0, regexp.MustCompile("`([^`]+)`")
	for line := range strings.SplitSeq(chapter, "\n") {
		cells := strings.Split(line, " | ")
		if len(cells) != 2 || !strings.HasPrefix(line, "| ") || !strings.Contains(line, "`Test") {
			continue
		}
		promises++
		pkg := ""
		for _, m := range span.FindAllStringSubmatch(cells[1], -1) {
			if !strings.HasPrefix(m[1], "Test") {
				pkg = m[1]
			} else if !tests[pkg+" "+m[1]] {
				t.Errorf("CONTRIBUTING.md: %q is held by %s in %s, which there is not", strings.TrimPrefix(cells[0], "| "), m[1], pkg)
			}
		}
	}
	if promises < 16 {
		t.Errorf("the chapter has %d promises", promises)
	}
}
