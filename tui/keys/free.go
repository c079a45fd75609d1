package keys

import (
	"fmt"
	"slices"
	"strings"
)

// Free returns an error if a key cannot be bound to something of the user's own while writing: it
// is not a key, it is text or moves within the text, terminals send another key for it, or it is
// bound to an action.
func (m *Map) Free(k string) error {
	switch {
	case strings.TrimSpace(k) == "" || !sendable(k):
		return fmt.Errorf("there is no key %q; keys look like alt+1, f11 or ctrl+alt+x", k)
	case Printable(k):
		return fmt.Errorf("%q is text while you write; choose one with ctrl+ or alt+, or one like f11", k)
	case slices.Contains([]string{"ctrl+i", "ctrl+m", "ctrl+["}, k):
		return fmt.Errorf("terminals cannot tell %q from tab, enter or esc; choose one with alt+, or one like f11", k)
	case editing(k):
		return fmt.Errorf("%q edits what you write; choose one with ctrl+ or alt+, or one like f11", k)
	}
	if a, ok := m.Match(Write, k); ok {
		return fmt.Errorf("%q already means %s", k, a)
	}
	return nil
}

// editing reports whether a key moves or deletes within a text: a named key without ctrl+ or alt+.
func editing(k string) bool {
	return slices.Contains(strings.Fields("enter tab esc backspace up down left right pgup pgdown home end delete"),
		strings.TrimPrefix(k, "shift+"))
}
