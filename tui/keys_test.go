package tui_test

import (
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// In each mode a key means one thing; what would be text is typed while one writes.
func TestKeys_NoKeyMeansTwoThings(t *testing.T) {
	m, errs := tui.Keys(nil)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	seen := map[keys.Action]bool{}
	for _, b := range m.Bindings() {
		if seen[b.Action] {
			t.Errorf("%s stands twice", b.Action)
		}
		seen[b.Action] = true
		if b.Words() == "" || b.Group == "" {
			t.Errorf("%s has no words", b.Action)
		}
	}
	for _, mode := range []keys.Mode{keys.Write, keys.Browse, keys.Pane} {
		taken := map[string]keys.Action{}
		for _, b := range m.Bindings() {
			if b.Modes&mode == 0 {
				continue
			}
			for _, k := range b.Keys() {
				if mode == keys.Write && utf8.RuneCountInString(k) == 1 {
					continue
				}
				if other, ok := taken[k]; ok {
					t.Errorf("%s: %q means %s and %s", mode, k, other, b.Action)
				}
				taken[k] = b.Action
			}
		}
	}
}

// The keys that the program comes with are such as a user may choose.
func TestKeys_CanBeChosen(t *testing.T) {
	m, _ := tui.Keys(nil)
	for _, b := range m.Bindings() {
		if _, errs := tui.Keys(map[string][]string{string(b.Action): b.Keys()}); len(b.Keys()) > 0 && len(errs) > 0 {
			t.Error(errs)
		}
	}
}

// A key means what it does on a US keyboard, whatever the layout writes there; what the user has
// chosen means that before.
func TestKeys_OnOtherLayouts(t *testing.T) {
	t.Parallel()
	keys := map[string][]string{"guide": {"ctrl+ж"}}
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Screen: tui.Options{Keys: keys}})
	s.See("‹1/3›")
	s.Write("\x1b[1079;5u") // ctrl+з, as a terminal with Kitty's protocol says it
	s.See("Commands").Press("esc").NotSee("Commands")
	s.Write("\x1b[27;5;1078~") // ctrl+ж, as xterm says it
	s.See("Getting started").Press("esc").NotSee("Getting started").Press("esc").See("BROWSE")
	s.Write("ш") // i
	s.NotSee("BROWSE")
}
