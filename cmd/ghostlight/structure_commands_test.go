package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// The commands that the palette shows beside its actions are there, with the flags that
// they are shown with. Each action that is offered is known by other words too.
func TestStructure_CommandsOfThePalette(t *testing.T) {
	m, errs := tui.Keys(nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	word := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	with := 0
	for _, b := range m.Bindings() {
		if !b.Offered() {
			continue
		}
		if b.Also == "" && b.Pane == "" {
			t.Errorf("%s has no row in the table of what is known of actions", b.Action)
		}
		if b.Command == "" {
			continue
		}
		with++
		parts := strings.Fields(b.Command)
		n := slices.IndexFunc(parts, func(p string) bool { return !word.MatchString(p) })
		if n < 0 {
			n = len(parts)
		}
		root := newRoot(&cli.App{})
		root.InitDefaultHelpCmd()
		c, left, err := root.Find(parts[:n])
		if err != nil || len(left) > 0 || !c.Runnable() {
			t.Errorf("%s: there is no command %q (%v)", b.Action, b.Command, err)
			continue
		}
		for _, p := range parts[n:] {
			if name, ok := strings.CutPrefix(p, "--"); ok && c.Flags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil {
				t.Errorf("%s: %q has no flag %s", b.Action, b.Command, p)
			}
		}
	}
	t.Logf("%d actions have a command", with)
	if b, _ := m.Binding(keys.SceneRecap); b.Command == "" {
		t.Error("the recap of a scene has no command")
	}
}
