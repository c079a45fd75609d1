// Package keys has the table of all actions: each with its name, its words and its keys in each
// mode. Routing, help, palette and remapping all use this table, so they cannot disagree.
package keys

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
)

// Mode says what receives a key first.
type Mode int

const (
	Write  Mode = 1 << iota // the composer
	Browse                  // the selected message
	Pane                    // the pane at the side
	Dialog                  // the dialog on top
	Any    = Write | Browse | Pane
)

// String returns the mode's name in the status line.
func (m Mode) String() string {
	switch m {
	case Write:
		return "write"
	case Browse:
		return "browse"
	case Pane:
		return "pane"
	case Dialog:
		return "dialog"
	}
	return "any"
}

// Name identifies an action. The config file and the palette use names; they never change.
type Name string

// Binding is one action with its keys, as Bubble Tea writes keystrokes, and a description in lower
// case for the help.
type Binding struct {
	Action Name
	key.Binding
	Group string // heading in the help
	Modes Mode
	// Pane is the name of the only pane with the action, "" for all. Its keys come before those
	// that every pane has.
	Pane     string
	OldNames []Name // its names in config files of earlier versions
	Hidden   bool   // not worth a line in the palette (movement)
	About
}

// NewBinding returns the binding of an action.
func NewBinding(a Name, group, words string, modes Mode, keys ...string) Binding {
	b := Binding{Action: a, Group: group, Modes: modes, Binding: key.NewBinding(key.WithHelp("", words))}
	b.SetKeys(keys...)
	return b
}

// Description returns the description of the action.
func (b *Binding) Description() string { return b.Help().Desc }

// meets reports whether two actions cannot share a key, because both may receive it in the same
// place.
func (b *Binding) meets(x *Binding) bool {
	return b.Modes&x.Modes != 0 && (b.Pane == x.Pane || b.Pane == "" || x.Pane == "")
}

// place is a mode and the name of a pane in it. Each place has its own keys.
type place struct {
	mode Mode
	pane string
}

// Map is the table in use.
type Map struct {
	bindings []Binding
	index    map[place]map[string][]Name
	at       map[Name]int    // index of each action in bindings
	known    map[Name]*known // prepared for searching, filled on demand
	chosen   map[Name]bool   // the user gave it its keys
	taken    []string        // descriptions of the actions that lost a key to the user's choice
}

// New returns a table of the package's own actions and the declared ones, with the user's changes:
// action name to keys. Unknown actions and keys, keys that the user gives to two actions of one
// mode, and keys that would be typed as text are reported and left unchanged. A default key is
// taken from its action if the user gives it to another one; Taken lists these.
func New(changes map[string][]string, declared ...Binding) (*Map, []error) {
	m := &Map{bindings: ordered(slices.Concat(thePane(), theDialogs(), declared))}
	describe(m.bindings)
	m.at = make(map[Name]int, len(m.bindings))
	for i := len(m.bindings) - 1; i >= 0; i-- {
		m.at[m.bindings[i].Action] = i
	}
	var errs []error
	for _, name := range sortedKeys(changes) {
		if err := m.rebind(Name(name), changes[name]); err != nil {
			errs = append(errs, err)
		}
	}
	m.reindex()
	return m, errs
}

// ordered sorts actions into the order of the help.
func ordered(list []Binding) []Binding {
	place := map[Name]int{}
	for i, name := range order {
		place[Name(name)] = i - len(order)
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

// rebind gives an action the user's keys. A name from an earlier version may mean several actions:
// each of them gets the keys.
func (m *Map) rebind(name Name, keys []string) error {
	list := m.named(name)
	if len(list) == 0 {
		return fmt.Errorf("keys: there is no action %q", name)
	}
	list = slices.DeleteFunc(list, func(i int) bool { // an action whose keys were set by its current name keeps them
		return m.bindings[i].Action != name && m.chosen[m.bindings[i].Action]
	})
	for _, i := range list {
		if err := m.check(i, keys); err != nil {
			return err
		}
	}
	if m.chosen == nil {
		m.chosen = map[Name]bool{}
	}
	for _, i := range list {
		m.bindings[i].SetKeys(keys...)
		for _, k := range keys {
			m.takeFrom(i, k)
		}
		m.chosen[m.bindings[i].Action] = true
	}
	return nil
}

// named returns the indexes of the actions with a name, current or from an earlier version.
func (m *Map) named(name Name) (list []int) {
	for i := range m.bindings {
		if m.bindings[i].Action == name || slices.Contains(m.bindings[i].OldNames, name) {
			list = append(list, i)
		}
	}
	return list
}

// check returns an error if an action cannot have the user's keys.
func (m *Map) check(i int, keys []string) error {
	b := &m.bindings[i]
	if b.Modes == Dialog && b.Action != DialogMark &&
		!slices.ContainsFunc(keys, func(k string) bool { return !Printable(k) }) {
		return fmt.Errorf("keys: %s: this action also works in text fields, so its key cannot be a character: choose "+
			"one with ctrl+ or alt+, or one like f5", b.Action)
	}
	for _, k := range keys {
		switch {
		case strings.TrimSpace(k) == "":
			return fmt.Errorf("keys: %s: an empty key", b.Action)
		case !sendable(k):
			return fmt.Errorf("keys: %s: there is no key %q; keys look like f5, pgup, G, ctrl+g or ctrl+alt+shift+x",
				b.Action, k)
		case b.Modes == Write && Printable(k):
			return fmt.Errorf("keys: %s: %q is text while you write; choose one with ctrl+ or alt+, or one like f5",
				b.Action, k)
		}
		for j := range m.bindings {
			if x := &m.bindings[j]; m.chosen[x.Action] && j != i && b.meets(x) && slices.Contains(x.Keys(), k) {
				return fmt.Errorf("keys: %s: %q already means %s", b.Action, k, x.Action)
			}
		}
	}
	return nil
}

// takeFrom removes a key that the user gave to an action from the actions that had it. An action of
// every pane keeps a key that a single pane uses.
func (m *Map) takeFrom(i int, k string) {
	b := &m.bindings[i]
	for j := range m.bindings {
		x := &m.bindings[j]
		if j == i || !b.meets(x) || x.Pane == "" && b.Pane != "" || !slices.Contains(x.Keys(), k) {
			continue
		}
		x.SetKeys(slices.DeleteFunc(slices.Clone(x.Keys()), func(s string) bool { return s == k })...)
		m.taken = append(m.taken, fmt.Sprintf("your key %s is now %s; it no longer does %s", Label(k),
			b.Action, x.Action))
	}
}

// Taken describes the keys that the user's changes took from other actions.
func (m *Map) Taken() []string { return m.taken }

func (m *Map) find(a Name) int {
	if i, ok := m.at[a]; ok {
		return i
	}
	return -1
}

func (m *Map) reindex() {
	m.index = map[place]map[string][]Name{}
	for _, mode := range []Mode{Write, Browse, Pane} {
		for i := range m.bindings {
			b := &m.bindings[i]
			if b.Modes&mode == 0 {
				continue
			}
			at := place{mode, b.Pane}
			if m.index[at] == nil {
				m.index[at] = map[string][]Name{}
			}
			for _, k := range b.Keys() {
				// A character typed while writing is text, never a command.
				if mode != Write || !Printable(k) {
					m.index[at][k] = append(m.index[at][k], b.Action)
				}
			}
		}
	}
}

// Match returns the action of a keystroke in a mode, independent of the open pane.
func (m *Map) Match(mode Mode, keystroke string) (Name, bool) {
	if list := m.index[place{mode, ""}][keystroke]; len(list) > 0 {
		return list[0], true
	}
	return "", false
}

// MatchPane returns the actions for a keystroke in a pane: first the pane's own, then those of
// every pane.
func (m *Map) MatchPane(pane, keystroke string) []Name {
	list := m.index[place{Pane, ""}][keystroke]
	if own := m.index[place{Pane, pane}][keystroke]; pane != "" && len(own) > 0 {
		return slices.Concat(own, list)
	}
	return list
}

// Bindings returns the table, in its own order. The caller must not change it.
func (m *Map) Bindings() []Binding { return m.bindings }

// Binding returns an action's row of the table; ok is false if there is none.
func (m *Map) Binding(a Name) (b Binding, ok bool) {
	if i := m.find(a); i >= 0 {
		return m.bindings[i], true
	}
	return b, false
}

// Key returns the display name of the action's first key in a mode, "" if it has none.
func (m *Map) Key(a Name, mode Mode) string {
	i := m.find(a)
	if i < 0 || m.bindings[i].Modes&mode == 0 {
		return ""
	}
	for _, k := range m.bindings[i].Keys() {
		if mode != Write || !Printable(k) {
			return Label(k)
		}
	}
	return ""
}

// AnyKey returns the key of an action in the composer, or else a key in another mode, after the
// name of that mode.
func (m *Map) AnyKey(a Name) string {
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

// Printable reports whether a key writes something where text is written.
func Printable(k string) bool {
	k = strings.TrimPrefix(k, "shift+")
	return utf8.RuneCountInString(k) == 1 || k == "space"
}

// sendable reports whether Bubble Tea has a keystroke of that name: a character as it is typed, or
// a key's name or character after ctrl+, alt+ and shift+, in this order.
func sendable(k string) bool {
	if r, n := utf8.DecodeRuneInString(k); n == len(k) && unicode.IsPrint(r) {
		return true
	}
	for _, mod := range []string{"ctrl+", "alt+", "shift+"} {
		k = strings.TrimPrefix(k, mod)
	}
	if r, n := utf8.DecodeRuneInString(k); n == len(k) && n > 0 {
		return unicode.IsPrint(r) && !unicode.IsUpper(r) && r != ' ' // those are written as shift+ and space
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

// Label returns the display name of a keystroke.
func Label(k string) string {
	if strings.HasPrefix(k, "ctrl+") && len(k) == 6 {
		return "^" + strings.ToUpper(k[5:])
	}
	i := strings.LastIndexByte(k, '+') + 1
	if short, ok := shortNames[k[i:]]; ok {
		return k[:i] + short
	}
	return k
}

// shortNames are signs and abbreviations for names of keys.
var shortNames = map[string]string{"left": "←", "right": "→", "up": "↑", "down": "↓", "pgup": "PgUp", "pgdown": "PgDn"}
