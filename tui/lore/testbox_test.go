package lore_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	enginelore "github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/lore"
)

// tried opens the test box with a text and puts into it what the text triggers.
func (s *session) tried(text string, act enginelore.Activation) *session {
	s.T().Helper()
	s.openView(keys.LoreTest)
	s.see("Trigger test")
	s.PasteText(text)
	s.until("the text to be tried", (*lore.Part).Tried)
	s.look(func(r *lore.Part) { r.FillTest(act) })
	return s
}

func TestGolden_LoreTest(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat")
	s.openView(keys.LoreTest)
	s.see("Type or paste a text").golden("lore-test-empty", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24}).press("esc").notSee("Trigger test")
	act := lore.SampleActivation()
	act.Pinned, act.Effects = nil, nil
	s.tried("I climb to the lighthouse in the storm,\nand the ferry is gone.", act).see("Triggered now")
	s.golden("lore-test").goldenStyled("lore-test")
	s.press("tab", "j").goldenAfter("lore-test-rows", []string{"g", "j"}, tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("enter").see("because").press("esc")
	s.press("ctrl+s").see("Save as a test case", "The drowned").golden("lore-test-case", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
}

func TestTestBox_Keys(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	act := lore.SampleActivation()
	act.Triggered = act.Triggered[:2]
	s.see("blue boat").tried("the lighthouse", act)
	s.press("ctrl+s").see("Save as a test case").press("backspace")
	for range 20 {
		s.press("backspace")
	}
	s.press("ctrl+s").see("enter a name").typeText("light").press("tab")
	for range 20 {
		s.press("delete")
	}
	s.press("ctrl+s").see("enter at least one entry").press("esc", "esc").notSee("Save as a test case")
	s.press("tab", "j", "enter").see("because").press("enter").notSee("Trigger test").onEntries()
	s.openView(keys.LoreTest)
	s.see("the lighthouse") // it was kept
	s.press("tab", "j").Send(tea.PasteMsg{Content: " in the fog"})
	s.see("the lighthouse in the fog")
}

func TestGolden_LoreCases(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").tried("the lighthouse", lore.SampleActivation()).press("ctrl+r").see("No test cases")
	s.look(func(r *lore.Part) {
		r.AddCases(
			enginelore.CaseResult{LoreCase: storage.LoreCase{Name: "the ferry at dawn", Text: "The ferry leaves.", Fires: []string{"Ferry"}}, Missing: []string{"Ferry"}, Extra: []string{"Fog"}},
			enginelore.CaseResult{LoreCase: storage.LoreCase{Name: "lighthouse", Text: "the lighthouse", Fires: []string{"Lighthouse"}}, OK: true})
	})
	s.see("1 of 2 cases fail").golden("lore-cases", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("d").see("Delete the test case “the ferry at dawn”").press("esc", "enter").see("The ferry leaves.").notSee("Test cases")
}

func TestTestBox_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	act := lore.SampleActivation()
	for i := range act.Triggered {
		act.Triggered[i].Entry.Name, act.Triggered[i].Reason, act.Triggered[i].Verdict = tuitest.Evil, tuitest.Evil, activation.Triggered
	}
	s.see("blue boat").tried(strings.Repeat(tuitest.Evil+"\n", 5), act)
	s.press("tab")
	for _, d := range []tuitest.Size{{W: 1, H: 1}, {W: 7, H: 4}, {W: 20, H: 8}, {W: 40, H: 12}, {W: 80, H: 24}, {W: 200, H: 60}} {
		s.Size(d.W, d.H)
		s.press("j", "enter").Now()
		s.press("esc", "ctrl+s").Now()
		s.press("esc", "esc", "ctrl+r").Now()
		s.press("esc", "tab", "tab").Now()
	}
	tuitest.Scan(t, s.Written())
}
