package tui_test

import (
	"fmt"
	"slices"
	"strings"
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
	seen := map[keys.Name]bool{}
	for _, b := range m.Bindings() {
		if seen[b.Action] {
			t.Errorf("%s stands twice", b.Action)
		}
		seen[b.Action] = true
		if b.Description() == "" || b.Group == "" {
			t.Errorf("%s has no words", b.Action)
		}
	}
	for _, mode := range []keys.Mode{keys.Write, keys.Browse, keys.Pane} {
		taken := map[string]keys.Name{}
		for _, b := range m.Bindings() {
			if b.Modes&mode == 0 {
				continue
			}
			for _, k := range b.Keys() {
				if mode == keys.Write && utf8.RuneCountInString(k) == 1 {
					continue
				}
				for _, pane := range []string{b.Pane, ""} {
					other, ok := taken[pane+" "+k]
					if ok && other != b.Action && !(slices.Contains(alike[k], other) && slices.Contains(alike[k], b.Action)) {
						t.Errorf("%s: %q means %s and %s", mode, k, other, b.Action)
					}
				}
				taken[b.Pane+" "+k] = b.Action
			}
		}
	}
}

// alike are the actions that may share a letter, since it means the same of all of them.
var alike = map[string][]keys.Name{
	"c": {keys.CaptureHere, "storyboard-sketch"},
	"C": {"director-complete", "storyboard-confirm"},
	"d": {keys.Delete, keys.PaneDelete},
	"e": {keys.Edit, keys.PaneEdit},
	"g": {keys.First, keys.PaneTop},
	"G": {keys.Last, keys.PaneBottom},
	"h": {keys.SwipeLeft, keys.PaneLeft},
	"j": {keys.SelectDown, keys.PaneDown},
	"k": {keys.SelectUp, keys.PaneUp},
	"l": {keys.SwipeRight, keys.PaneRight},
	"o": {keys.Open, keys.PaneOutside},
	"p": {keys.Beats, "storyboard-plan"},
	"r": {keys.Regenerate, keys.PaneRegenerate},
	"s": {keys.PaneInstruct, "memory-nudge"},
	"u": {keys.Undo, keys.PaneUndo},
	"U": {keys.Redo, keys.PaneRedo},
	"x": {keys.StopReply, keys.PaneStop},
	"y": {keys.Copy, keys.PaneCopy},
	"b": {keys.Break, "recap-end-scene"},
	"H": {keys.Changes, "lore-history"},
	"v": {"recap-beside", "memory-removed", "taste-removed", "gallery-compare", "storyboard-play", "branches-compare"},
	"W": {"lore-explain", "director-why", "taste-why", "samplers-why", "gallery-why", "storyboard-why"},
	"O": {keys.PaneOnOff, "queue-pause"},
	"*": {keys.PaneMarkAll, "prompt-fold-all"},
	"/": {keys.Search, keys.PaneFilter},
	"[": {keys.SceneBefore, "storyboard-before"},
	"]": {keys.SceneAfter, "storyboard-after"},
}

// A letter means one thing while one browses and in all panes.
func TestKeys_OneLetterOneMeaning(t *testing.T) {
	m, _ := tui.Keys(nil)
	users := map[string][]keys.Name{}
	for _, b := range m.Bindings() {
		for _, k := range b.Keys() {
			if b.Modes&(keys.Browse|keys.Pane) != 0 && utf8.RuneCountInString(k) == 1 {
				users[k] = append(users[k], b.Action)
			}
		}
	}
	for k, list := range users {
		if len(list) > 1 && slices.ContainsFunc(list, func(a keys.Name) bool { return !slices.Contains(alike[k], a) }) {
			t.Errorf("%q means %v", k, list)
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

// Every action of every pane can be given another key: that key leads to it there, and the
// line below the pane and the help name it.
func TestKeys_OfPanesAreChosen(t *testing.T) {
	t.Parallel()
	m, _ := tui.Keys(nil)
	chosen, old := map[string][]string{}, map[keys.Name][]string{}
	for _, b := range m.Bindings() {
		if b.Modes == keys.Pane {
			chosen[string(b.Action)] = []string{string(rune('一' + len(chosen)))}
			old[b.Action] = b.Keys()
		}
	}
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), W: 200, H: 60, Screen: tui.Options{Keys: chosen}})
	s.See("Tove ‹1/3›")
	for _, act := range []keys.Name{keys.PaneCaptures, keys.PaneQueue, keys.PanePrompt, keys.PaneScenes, keys.PaneRecap, keys.PaneLore, keys.PaneMemory,
		keys.PaneKnowledge, keys.PaneStory, keys.PaneTaste, keys.PaneDirector, keys.PaneHabits, keys.PaneRegex, keys.PaneSamplers, keys.PaneBranches} {
		s.Do(act)
		s.Until("the pane of "+string(act), func() (open bool) {
			s.In(func(v *tui.Screen) { open = v.Host().Panes().Current() != nil && v.PaneFocused() })
			return open
		})
		s.Still()
		s.In(func(v *tui.Screen) {
			_, rows := v.KeysHere()
			for _, d := range v.PaneActions() {
				key := chosen[string(d.Name)]
				if len(key) == 0 {
					continue // one of the whole screen
				}
				if got := v.Meaning(key[0]); got != d.Name {
					t.Errorf("%s: %s leads to %q, not to %s", act, key[0], got, d.Name)
				}
				for _, k := range old[d.Name] {
					if got := v.Meaning(k); got == d.Name {
						t.Errorf("%s: %s still leads to %s", act, k, d.Name)
					}
				}
				if d.Text != "" && !slices.ContainsFunc(rows, func(r string) bool { return strings.HasPrefix(r, key[0]+": ") }) {
					t.Errorf("%s: the help does not name %s for %s", act, key[0], d.Name)
				}
			}
		})
		s.Press("alt+x")
	}
}

// Every action of a dialog can be given another key: that key leads to it there, its old one does
// not, and the help names it.
func TestKeys_OfDialogsAreChosen(t *testing.T) {
	t.Parallel()
	m, _ := tui.Keys(nil)
	chosen, old := map[string][]string{}, map[keys.Name][]string{}
	dialogs, panes := 0, 0
	for _, b := range m.Bindings() {
		switch b.Modes {
		case keys.Dialog:
			chosen[string(b.Action)] = []string{fmt.Sprintf("f%d", 13+dialogs)}
			dialogs++
		case keys.Pane:
			chosen[string(b.Action)] = []string{string(rune('一' + panes))}
			panes++
		default:
			continue
		}
		old[b.Action] = b.Keys()
	}
	if _, errs := tui.Keys(chosen); len(errs) > 0 {
		t.Fatal(errs)
	}
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), W: 200, H: 60, Screen: tui.Options{Keys: chosen}})
	s.See("Tove ‹1/3›")
	seen := map[keys.Name]bool{}
	for _, act := range []keys.Name{keys.Palette, keys.Leader, keys.Guide, keys.Chats, keys.Characters, keys.NewCharacter, keys.Personas, keys.RenameChat,
		keys.ImportFile, keys.ExportChat, keys.Models, keys.Themes, keys.Settings, keys.Profiles, keys.AuthorNote, keys.Cast, keys.Nudge,
		keys.Acts, keys.Quick, keys.Search, keys.Voice, keys.AskPlay, keys.SeriesList, keys.LoreTest, keys.Workflows, keys.Continuity, keys.SearchRecaps,
		keys.CaptureVideo, keys.CopyTo} {
		s.Do(act)
		s.Until("a dialog of "+string(act), func() (open bool) {
			s.In(func(v *tui.Screen) { open = v.Dialogs() > 0 })
			return open
		})
		s.In(func(v *tui.Screen) {
			list, typing := v.DialogActions()
			_, rows := v.KeysHere()
			for _, d := range list {
				key := chosen[string(d.Name)]
				if len(key) == 0 || typing && keys.Printable(key[0]) {
					continue // one of the whole screen
				}
				seen[d.Name] = true
				if got := v.DialogMeaning(key[0]); got != d.Name {
					t.Errorf("%s: %s leads to %q, not to %s", act, key[0], got, d.Name)
				}
				for _, k := range old[d.Name] {
					if got := v.DialogMeaning(k); got == d.Name {
						t.Errorf("%s: %s still leads to %s", act, k, d.Name)
					}
				}
				if !slices.ContainsFunc(rows, func(r string) bool { return strings.Contains(r, keys.Label(key[0])) }) {
					t.Errorf("%s: the help does not name %s for %s", act, key[0], d.Name)
				}
			}
			v.CloseDialogs()
		})
	}
	if t.Logf("%d actions of dialogs were seen", len(seen)); len(seen) < 30 {
		t.Error("too few")
	}
}

// The names that actions had in config files of earlier versions still count.
func TestKeys_OldNames(t *testing.T) {
	for _, name := range strings.Fields("pane-rename pane-restore pane-retry pane-search pane-cancel pane-again pane-open " +
		"pane-merge pane-exam pane-repair pane-break pane-recap pane-due-now pane-avatar pane-pause pane-constant pane-retype pane-order " +
		"pane-new-book pane-import pane-export pane-history pane-why pane-test pane-split pane-compact pane-accept-hunk pane-reject-hunk " +
		"pane-fix-all pane-raise pane-refill pane-beside pane-switch pane-plan-all pane-before pane-after pane-retry-all pane-diff") {
		if _, errs := tui.Keys(map[string][]string{name: {"f30"}}); len(errs) > 0 {
			t.Error(errs)
		}
	}
}
