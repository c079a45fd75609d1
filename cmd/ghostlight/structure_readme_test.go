package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/tui"
)

func readme(t *testing.T) string { return docFile(t, "README.md") }

func docFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The README says how to run the program and its tests, and CI runs the same commands.
func TestReadme_TellsHowToRunAndTest(t *testing.T) {
	ci, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"\ngo run ./cmd/ghostlight\n", "\ngo test ./...\n"} {
		if !strings.Contains(readme(t), command) {
			t.Errorf("the README does not say%s", command)
		}
	}
	if !strings.Contains(string(ci), " tests go test ./...; }") {
		t.Error(".ci/run does not run the README's test command")
	}
}

func TestGuide_NamesEveryCommandAndFlag(t *testing.T) {
	text := readme(t) + docFile(t, "tui/guide/commands.md")
	root := newRoot(cli.New(strings.NewReader(""), io.Discard, io.Discard, ""))
	for _, c := range root.Commands() {
		if name := c.Name(); !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "ghostlight "+name) {
			t.Errorf("the guide does not name the command %s", name)
		}
	}
	for _, name := range []string{"data", "demo", "json", "debug", "ollama"} {
		if root.PersistentFlags().Lookup(name) == nil || !strings.Contains(text, "--"+name) {
			t.Errorf("--%s is not both in the guide and in the program", name)
		}
	}
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Usage == "" {
			t.Errorf("--%s says nothing about itself", f.Name)
		}
	})
}

// The tables of keys in the guide have each action once. go test -update corrects their rows;
// the row of a new action is added by hand, to the page of its subject.
func TestGuide_Keys(t *testing.T) {
	m, errs := tui.Keys(nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := map[string]string{}
	for _, b := range m.Bindings() {
		var list []string
		for _, k := range b.Keys() {
			list = append(list, "`"+k+"`")
		}
		want[string(b.Action)] = fmt.Sprintf("| `%s` | %s | %s |", b.Action, strings.Join(list, " "), b.Description())
	}
	pages, err := filepath.Glob("../../tui/guide/keys-*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, page := range pages {
		text := docFile(t, "tui/guide/"+filepath.Base(page))
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			if !strings.HasPrefix(line, "| `") {
				continue
			}
			name := strings.Split(line, "`")[1]
			if seen[name] || want[name] == "" {
				t.Errorf("%s: the action %q does not exist, or has a row already", page, name)
			}
			seen[name] = true
			if line != want[name] && !*update {
				t.Errorf("%s: the row of %q should be\n%s", page, name, want[name])
			}
			lines[i] = want[name]
		}
		if changed := strings.Join(lines, "\n"); *update && changed != text {
			if err := os.WriteFile(page, []byte(changed), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, row := range want {
		if !seen[name] {
			t.Errorf("no page tui/guide/keys-*.md has the row\n%s", row)
		}
	}
}
