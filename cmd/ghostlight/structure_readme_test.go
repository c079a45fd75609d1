package main

import (
	"fmt"
	"io"
	"os"
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

// The README tells how to run the program and its tests, and CI runs just that.
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
	text := readme(t) + docFile(t, "tui/guide/commands.md") + docFile(t, "tui/guide/memory.md") + docFile(t, "tui/guide/trouble.md") + docFile(t, "tui/guide/data.md")
	root := newRoot(cli.New(strings.NewReader(""), io.Discard, io.Discard, ""))
	for _, c := range root.Commands() {
		if name := c.Name(); !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "ghostlight "+name) {
			t.Errorf("the guide does not name the command %s", name)
		}
	}
	for _, name := range []string{"data", "rehearse", "json", "debug", "ollama"} {
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

// The table of all keys is the program's own; go test -update writes it.
func TestGuide_Keys(t *testing.T) {
	text := docFile(t, "tui/guide/keys.md")
	m, errs := tui.Keys(nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	const head = "| name | keys | what it does |\n|---|---|---|\n"
	before, old, ok := strings.Cut(text, head)
	if !ok {
		t.Fatal("tui/guide/keys.md has no table of all actions")
	}
	var rows strings.Builder
	for _, b := range m.Bindings() {
		var list []string
		for _, k := range b.Keys() {
			list = append(list, "`"+k+"`")
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", b.Action, strings.Join(list, " "), b.Words())
	}
	if *update {
		if err := os.WriteFile("../../tui/guide/keys.md", []byte(before+head+rows.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old != rows.String() {
		t.Errorf("the guide's table of keys should be\n%s", rows.String())
	}
}
