// Package keys is the one table of what the user can do: each action with its
// name, its words and the keys that lead to it in each mode. Routing, help,
// palette and remapping all read this table, so none of them can disagree.
package keys

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mode says who gets a key first.
type Mode int

const (
	Write  Mode = 1 << iota // the composer
	Browse                  // the selected message
	Pane                    // the pane at the side
	Any    = Write | Browse | Pane
)

// String is the mode's name as the status line shows it.
func (m Mode) String() string {
	switch m {
	case Write:
		return "write"
	case Browse:
		return "browse"
	case Pane:
		return "pane"
	}
	return "any"
}

// Action names something that the user can do. Names are what the config file
// and the palette use; they never change.
type Action string

// Binding is one action with the keys that lead to it.
type Binding struct {
	Action Action
	Help   string // a few words, lower case
	Group  string // heading in the help
	Modes  Mode
	Keys   []string // as Bubble Tea writes keystrokes
	Hidden bool     // not worth a line in the palette (movement)
	About
}

// Map is the table in use.
type Map struct {
	bindings []Binding
	index    map[Mode]map[string]Action
	known    map[Action]*known // as they are looked for, once they were
	chosen   map[Action]bool   // the user gave it its keys
	taken    []string          // what the user's keys were taken from, in words
}

// New returns the table of the actions that stand here and of those that are
// declared elsewhere, with the user's changes: action name to keys.
// Unknown actions and keys, keys that the user gives to two actions of one mode or that
// would be typed as text are reported and left as they were. A key that an action came with
// is taken from it where the user gives it to another one; Taken tells.
func New(changes map[string][]string, declared ...Binding) (*Map, []error) {
	m := &Map{bindings: ordered(append(defaults(), declared...))}
	describe(m.bindings)
	var errs []error
	for _, name := range sortedKeys(changes) {
		if err := m.rebind(Action(name), changes[name]); err != nil {
			errs = append(errs, err)
		}
	}
	m.reindex()
	return m, errs
}

// ordered puts actions into the order of the help.
func ordered(list []Binding) []Binding {
	place := map[Action]int{}
	for i, name := range order {
		place[Action(name)] = i - len(order)
	}
	slices.SortStableFunc(list, func(x, y Binding) int { return place[x.Action] - place[y.Action] })
	return list
}

func sortedKeys(m map[string][]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func (m *Map) rebind(a Action, keys []string) error {
	i := m.find(a)
	if i < 0 {
		return fmt.Errorf("keys: there is no action %q", a)
	}
	for _, k := range keys {
		if strings.TrimSpace(k) == "" {
			return fmt.Errorf("keys: %s: an empty key", a)
		}
		if !sendable(k) {
			return fmt.Errorf("keys: %s: there is no key %q; keys look like f5, pgup, G, ctrl+g or ctrl+alt+shift+x", a, k)
		}
		if m.bindings[i].Modes == Write && Printable(k) {
			return fmt.Errorf("keys: %s: %q is text while you write; choose one with ctrl+ or alt+, or one like f5", a, k)
		}
		for j, b := range m.bindings {
			if m.chosen[b.Action] && j != i && b.Modes&m.bindings[i].Modes != 0 && contains(b.Keys, k) {
				return fmt.Errorf("keys: %s: %q already means %s", a, k, b.Action)
			}
		}
	}
	m.bindings[i].Keys = keys
	for _, k := range keys {
		m.takeFrom(i, k)
	}
	if m.chosen == nil {
		m.chosen = map[Action]bool{}
	}
	m.chosen[a] = true
	return nil
}

// takeFrom takes a key that the user gave to an action from those that had it.
func (m *Map) takeFrom(i int, k string) {
	for j, b := range m.bindings {
		if j != i && b.Modes&m.bindings[i].Modes != 0 && contains(b.Keys, k) {
			m.bindings[j].Keys = slices.DeleteFunc(slices.Clone(b.Keys), func(x string) bool { return x == k })
			m.taken = append(m.taken, fmt.Sprintf("your key %s is now %s; it no longer does %s", Label(k), m.bindings[i].Action, b.Action))
		}
	}
}

// Taken says which keys of the user's were taken from other actions.
func (m *Map) Taken() []string { return m.taken }

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

func (m *Map) find(a Action) int {
	for i, b := range m.bindings {
		if b.Action == a {
			return i
		}
	}
	return -1
}

func (m *Map) reindex() {
	m.index = map[Mode]map[string]Action{}
	for _, mode := range []Mode{Write, Browse, Pane} {
		in := map[string]Action{}
		for _, b := range m.bindings {
			if b.Modes&mode == 0 {
				continue
			}
			for _, k := range b.Keys {
				// A character typed while writing is text, never a command.
				if mode != Write || !Printable(k) {
					in[k] = b.Action
				}
			}
		}
		m.index[mode] = in
	}
}

// Match is the action that a keystroke means in a mode.
func (m *Map) Match(mode Mode, keystroke string) (Action, bool) {
	a, ok := m.index[mode][keystroke]
	return a, ok
}

// Bindings is the table, in its own order. The caller must not change it.
func (m *Map) Bindings() []Binding { return m.bindings }

// Binding is an action's row of the table; ok is false where there is none.
func (m *Map) Binding(a Action) (b Binding, ok bool) {
	if i := m.find(a); i >= 0 {
		return m.bindings[i], true
	}
	return b, false
}

// Key is how the action's first key reads on the screen in a mode, "" where it
// has none.
func (m *Map) Key(a Action, mode Mode) string {
	i := m.find(a)
	if i < 0 || m.bindings[i].Modes&mode == 0 || len(m.bindings[i].Keys) == 0 {
		return ""
	}
	b := m.bindings[i]
	for _, k := range b.Keys {
		if mode != Write || !Printable(k) {
			return Label(k)
		}
	}
	return ""
}

// AnyKey is the key that leads to an action from the composer, or else one that does so
// elsewhere, behind the name of its mode.
func (m *Map) AnyKey(a Action) string {
	if k := m.Key(a, Write); k != "" {
		return k
	}
	for _, mode := range []Mode{Browse, Pane} {
		if k := m.Key(a, mode); k != "" {
			return mode.String() + " " + k
		}
	}
	return ""
}

// Printable tells whether a key writes something where text is written.
func Printable(k string) bool {
	k = strings.TrimPrefix(k, "shift+")
	return utf8.RuneCountInString(k) == 1 || k == "space"
}

// sendable tells whether Bubble Tea has a keystroke of that name: a character as
// it is typed, or a key's name or character behind ctrl+, alt+ and shift+, in
// this order.
func sendable(k string) bool {
	if r, n := utf8.DecodeRuneInString(k); n == len(k) && unicode.IsPrint(r) {
		return true
	}
	for _, mod := range []string{"ctrl+", "alt+", "shift+"} {
		k = strings.TrimPrefix(k, mod)
	}
	if r, n := utf8.DecodeRuneInString(k); n == len(k) && n > 0 {
		return unicode.IsPrint(r) && !unicode.IsUpper(r) && r != ' ' // those are shift+ and space
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(k, "f")); err == nil && k == "f"+strconv.Itoa(n) {
		return n >= 1 && n <= 63
	}
	return slices.Contains(strings.Fields(named), k)
}

// named are Bubble Tea's names of keys, besides f1 to f63.
const named = "enter tab esc backspace space up down left right pgup pgdown home end insert delete begin find select " +
	"menu pause printscreen capslock scrolllock numlock mediaplay mediapause mediaplaypause mediareverse mediastop " +
	"mediafastforward mediarewind medianext mediaprev mediarecord lowervol raisevol mute " +
	"equal mul plus comma minus period div sep"

// Label is how a keystroke reads on the screen.
func Label(k string) string {
	switch k {
	case "left":
		return "←"
	case "right":
		return "→"
	case "up":
		return "↑"
	case "down":
		return "↓"
	case "pgup":
		return "PgUp"
	case "pgdown":
		return "PgDn"
	}
	if strings.HasPrefix(k, "ctrl+") && len(k) == 6 {
		return "^" + strings.ToUpper(k[5:])
	}
	return k
}
