package keys

import (
	"fmt"
	"slices"
	"strings"
)

// Free says why a key cannot be given to something of the user's own while a
// line is written: it is no key, it is text or moves in the text, terminals send
// another for it, or it means an action already. It is nil where it can.
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

// editing reports whether a key moves or deletes in a text, as those do that have
// a name and no ctrl+ or alt+.
func editing(k string) bool {
	return slices.Contains(strings.Fields("enter tab esc backspace up down left right pgup pgdown home end delete"),
		strings.TrimPrefix(k, "shift+"))
}
