package keys

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestDefaults_NoKeyMeansTwoThings(t *testing.T) {
	seen := map[Name]bool{}
	for _, mode := range []Mode{Write, Browse, Pane} {
		taken := map[string]Name{}
		for _, b := range thePane() {
			if b.Modes&mode == 0 {
				continue
			}
			for _, k := range b.Keys() {
				if mode == Write && Printable(k) {
					continue // typed text goes to the composer first
				}
				if other, ok := taken[k]; ok {
					t.Errorf("%s: %q means %s and %s", mode, k, other, b.Action)
				}
				taken[k] = b.Action
			}
		}
	}
	for _, b := range thePane() {
		if seen[b.Action] {
			t.Errorf("%s stands twice", b.Action)
		}
		seen[b.Action] = true
		if b.Description() == "" || b.Group == "" {
			t.Errorf("%s has no words", b.Action)
		}
	}
}

// declared are actions as parts declare them.
var declared = []Binding{
	NewBinding(Palette, GeneralGroup, "all commands", Any, "ctrl+p", ":"),
	NewBinding(Help, GeneralGroup, "this help", Any, "f1", "?"),
	NewBinding(Quit, GeneralGroup, "quit", Any, "ctrl+q"),
	NewBinding(PageDown, PlayGroup, "page down", Any, "pgdown"),
	NewBinding(Send, WritingGroup, "send", Write, "enter"),
	NewBinding(Quick, WritingGroup, "quick replies", Any, "alt+q"),
	NewBinding(Capture, PlayGroup, "capture the scene", Any, "ctrl+g"),
	NewBinding(Ask, PlayGroup, "picture of something you describe", Any),
}

// own are actions that only one pane has.
var own = []Binding{
	{Action: "scenes-merge", Binding: NewBinding("", "", "merge", 0, "m").Binding, Group: PaneGroup, Modes: Pane, Pane: "scenes", OldNames: []Name{"pane-merge"}},
	{Action: "lore-merge", Binding: NewBinding("", "", "merge", 0, "m").Binding, Group: PaneGroup, Modes: Pane, Pane: "lore", OldNames: []Name{"pane-merge"}},
}

// A key of a pane's own action means that in this pane, and in no other one.
func TestMatchPane_OwnActionsComeFirst(t *testing.T) {
	m, errs := New(map[string][]string{"scenes-merge": {"e"}}, slices.Concat(declared, own)...)
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	if got := m.MatchPane("scenes", "e"); !slices.Equal(got, []Name{"scenes-merge", PaneEdit}) {
		t.Errorf("e means %v in the pane that has it", got)
	}
	if got := m.MatchPane("lore", "e"); !slices.Equal(got, []Name{PaneEdit}) {
		t.Errorf("e means %v in another pane", got)
	}
	if got := m.MatchPane("lore", "m"); len(got) == 0 || got[0] != "lore-merge" {
		t.Errorf("m means %v", got)
	}
}

// The name that several actions had together in earlier versions gives all of them the keys.
func TestNew_OldNames(t *testing.T) {
	m, errs := New(map[string][]string{"pane-merge": {"Y"}, "pane-retry": {"Q"}}, slices.Concat(declared, own)...)
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	for _, pane := range []string{"scenes", "lore"} {
		if got := m.MatchPane(pane, "Y"); len(got) == 0 || string(got[0]) != pane+"-merge" {
			t.Errorf("Y means %v in %s", got, pane)
		}
	}
	if got := m.Key(PaneRegenerate, Pane); got != "Q" {
		t.Errorf("the key of regenerate is %q", got)
	}
	m, errs = New(map[string][]string{"pane-merge": {"Y"}, "lore-merge": {"Q"}, "scenes-merge": {"N"}}, slices.Concat(declared, own)...)
	if lore, scenes := m.Key("lore-merge", Pane), m.Key("scenes-merge", Pane); len(errs) != 0 || lore != "Q" || scenes != "N" {
		t.Errorf("an old name takes the keys that the name of today was given: %q, %q (%v)", lore, scenes, errs)
	}
}

func TestNew_Rebinds(t *testing.T) {
	m, errs := New(map[string][]string{"capture": {"f12"}, "palette": {"ctrl+k"}}, declared...)
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	if a, _ := m.Match(Write, "f12"); a != Capture {
		t.Errorf("f12 means %q", a)
	}
	if a, ok := m.Match(Write, "ctrl+g"); ok {
		t.Errorf("ctrl+g still means %q", a)
	}
	if got := m.Key(Palette, Browse); got != "^K" {
		t.Errorf("label %q", got)
	}
}

// The user's key replaces a default one, and Taken reports it. Only two keys of the user can
// conflict.
func TestNew_TheUsersKeyBeatsADefault(t *testing.T) {
	m, errs := New(map[string][]string{"capture": {"ctrl+p"}}, declared...)
	if a, _ := m.Match(Write, "ctrl+p"); len(errs) != 0 || a != Capture {
		t.Errorf("ctrl+p means %q, %v", a, errs)
	}
	if a, _ := m.Match(Browse, ":"); a != Palette {
		t.Errorf("the palette lost its other key, which means %q", a)
	}
	if taken := m.Taken(); len(taken) != 1 || !strings.Contains(taken[0], "^P is now capture") || !strings.Contains(taken[0], "palette") {
		t.Errorf("told: %q", taken)
	}
	if _, errs := New(map[string][]string{"capture": {"f12"}, "capture-asked": {"f12"}}, declared...); len(errs) != 1 {
		t.Errorf("one key for two actions: %v", errs)
	}
}

func TestMatch_TypedCharactersAreText(t *testing.T) {
	m, _ := New(nil, declared...)
	if a, ok := m.Match(Write, "?"); ok {
		t.Errorf("? means %s while writing", a)
	}
	if a, _ := m.Match(Browse, "?"); a != Help {
		t.Errorf("? means %q while browsing", a)
	}
}

func TestNew_RefusesBadChanges(t *testing.T) {
	for name, change := range map[string]map[string][]string{
		"unknown action": {"dance": {"f12"}},
		"empty key":      {"capture": {" "}},
		"no such key":    {"capture": {"ctrl+enterr"}},
		"wrong order":    {"capture": {"alt+ctrl+x"}},
		"upper case":     {"capture": {"ctrl+G"}},
		"a word":         {"capture": {"hello"}},
		"only prefixes":  {"capture": {"ctrl+"}},
		"text":           {"send": {"s"}},
		"capital text":   {"send": {"shift+s"}},
		"space":          {"send": {"space"}},
	} {
		m, errs := New(change, declared...)
		if len(errs) != 1 {
			t.Errorf("%s: errors %v", name, errs)
		}
		if a, _ := m.Match(Write, "ctrl+g"); a != Capture {
			t.Errorf("%s: the built-in key was lost", name)
		}
	}
}

func TestNew_TakesWhatTerminalsSend(t *testing.T) {
	for _, k := range []string{"f12", "ctrl+alt+shift+x", "alt+,", "ctrl+space", "shift+tab", "insert", "f63", "menu", "Ü", "+", "ctrl++", "shift+f5"} {
		if _, errs := New(map[string][]string{"capture-asked": {k}}, declared...); len(errs) != 0 {
			t.Errorf("%q: %v", k, errs)
		}
	}
	for _, b := range thePane() {
		for _, k := range b.Keys() {
			if !sendable(k) || b.Modes == Write && Printable(k) {
				t.Errorf("%s: the built-in key %q would be refused", b.Action, k)
			}
		}
	}
}

func TestMatch_SpaceIsText(t *testing.T) {
	m, errs := New(map[string][]string{"page-down": {"space"}}, declared...)
	if len(errs) != 0 {
		t.Fatal(errs)
	}
	if a, ok := m.Match(Write, "space"); ok {
		t.Errorf("space means %s while writing", a)
	}
	if a, _ := m.Match(Browse, "space"); a != PageDown {
		t.Errorf("space means %q while browsing", a)
	}
}

// The names are Bubble Tea's own, all but those of modifiers by themselves.
func TestSendable_KnowsEveryKey(t *testing.T) {
	var names []string
	codes := []rune{tea.KeyEnter, tea.KeyTab, tea.KeyEscape, tea.KeyBackspace, tea.KeySpace}
	for r := rune(tea.KeyExtended + 1); r < tea.KeyLeftShift; r++ {
		codes = append(codes, r)
	}
	for _, r := range codes {
		names = append(names, tea.Key{Code: r}.Keystroke())
		if k := names[len(names)-1]; !sendable(k) {
			t.Errorf("%q is unknown", k)
		}
	}
	for _, k := range strings.Fields(named) {
		if !slices.Contains(names, k) {
			t.Errorf("no key is called %q", k)
		}
	}
}
