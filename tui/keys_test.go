package tui_test

import (
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/tui"
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
		if b.Help == "" || b.Group == "" {
			t.Errorf("%s has no words", b.Action)
		}
	}
	for _, mode := range []keys.Mode{keys.Write, keys.Browse, keys.Pane} {
		taken := map[string]keys.Action{}
		for _, b := range m.Bindings() {
			if b.Modes&mode == 0 {
				continue
			}
			for _, k := range b.Keys {
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
		if _, errs := tui.Keys(map[string][]string{string(b.Action): b.Keys}); len(b.Keys) > 0 && len(errs) > 0 {
			t.Error(errs)
		}
	}
}
