package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/lore"
	"ghostlight/engine/lore/activation"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/widget"
)

// testBox is the open test box, nil for none.
func testBox(a *app) *loreTest {
	for _, d := range a.dialogs.All {
		if t, ok := d.(*loreTest); ok {
			return t
		}
	}
	return nil
}

// tried opens the test box with a text and puts into it what the text triggers.
func (s *session) tried(text string, act lore.Activation) *session {
	s.t.Helper()
	s.in(func(a *app) { a.send2(a.Run(keys.LoreTest)) })
	s.see("What would trigger?")
	s.pasteText(text)
	s.until("the text to be tried", func() bool {
		done := false
		s.in(func(a *app) {
			b := testBox(a)
			done = !b.armed && !b.busy && b.text == b.in.Value() && b.text != "" && b.books != nil
		})
		return done
	})
	s.in(func(a *app) {
		b := testBox(a)
		b.tries.Begin()
		b.fault = nil
		b.books = []lore.Book{{Lorebook: storage.Lorebook{ID: "book", Name: "Skarvik"}, On: true}}
		b.take(act)
	})
	return s
}

func TestGolden_LoreTest(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat")
	s.in(func(a *app) { a.send2(a.Run(keys.LoreTest)) })
	s.see("Type or paste a text").golden("lore-test-empty", dims{40, 12}, dims{80, 24}).press("esc").notSee("What would trigger?")
	act := sampleActivation()
	act.Stays, act.Effects = nil, nil
	s.tried("I climb to the lighthouse in the storm,\nand the ferry is gone.", act).see("Fired now")
	s.golden("lore-test").goldenStyled("lore-test")
	s.press("tab", "j").goldenAfter("lore-test-rows", []string{"g", "j"}, dims{40, 12}, dims{80, 24})
	s.press("enter").see("because").press("esc")
	s.press("ctrl+s").see("Save as a case", "The drowned").golden("lore-test-case", dims{40, 12}, dims{80, 24})
}

func TestLoreTest_Keys(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	act := sampleActivation()
	act.Fired = act.Fired[:2]
	s.see("blue boat").tried("the lighthouse", act)
	s.press("ctrl+s").see("Save as a case").press("backspace")
	for range 20 {
		s.press("backspace")
	}
	s.press("ctrl+s").see("a case needs a name").typeText("light").press("tab")
	for range 20 {
		s.press("delete")
	}
	s.press("ctrl+s").see("name at least one entry").press("esc", "esc").notSee("Save as a case")
	s.press("tab", "j", "enter").see("because").press("o").notSee("What would trigger?").onEntries()
	s.in(func(a *app) { a.send2(openLoreTest(a, "")) })
	s.see("the lighthouse") // it was kept
	s.press("tab", "j").prog.Send(tea.PasteMsg{Content: " in the fog"})
	s.see("the lighthouse in the fog")
}

func TestCaseWords(t *testing.T) {
	for want, c := range map[string]lore.CaseResult{
		"fires Lighthouse, Ferry":               {LoreCase: storage.LoreCase{Fires: []string{"Lighthouse", "Ferry"}}, OK: true},
		"fires nothing of what it must not":     {LoreCase: storage.LoreCase{Not: []string{"Ferry"}}, OK: true},
		"did not fire: A, B · must not fire: C": {Missing: []string{"A", "B"}, Extra: []string{"C"}},
		"no entry is called: D":                 {Unknown: []string{"D"}},
	} {
		if got := caseWords(&bookCase{CaseResult: c}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestGolden_LoreCases(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").tried("the lighthouse", sampleActivation()).press("ctrl+r").see("No case is saved")
	s.in(func(a *app) {
		c := a.dialogs.Top().(*caseSheet)
		for i, r := range []lore.CaseResult{
			{LoreCase: storage.LoreCase{Name: "the ferry at dawn", Text: "The ferry leaves.", Fires: []string{"Ferry"}}, Missing: []string{"Ferry"}, Extra: []string{"Fog"}},
			{LoreCase: storage.LoreCase{Name: "lighthouse", Text: "the lighthouse", Fires: []string{"Lighthouse"}}, OK: true},
		} {
			_ = i
			c.cases = append(c.cases, bookCase{r, "book", "Skarvik"})
		}
		c.Outline.Fill([]widget.OutlineRow{{Height: 2}, {Height: 2}})
	})
	s.see("1 of 2 cases fail").golden("lore-cases", dims{40, 12}, dims{80, 24})
	s.press("d").see("Delete the case “the ferry at dawn”").press("esc", "enter").see("The ferry leaves.").notSee("Saved cases")
}

func TestLoreTest_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	act := sampleActivation()
	for i := range act.Fired {
		act.Fired[i].Entry.Name, act.Fired[i].Reason, act.Fired[i].Verdict = evil, evil, activation.Fired
	}
	s.see("blue boat").tried(strings.Repeat(evil+"\n", 5), act)
	s.press("tab")
	for _, d := range []dims{{1, 1}, {7, 4}, {20, 8}, {40, 12}, {80, 24}, {200, 60}} {
		s.size(d.w, d.h)
		s.press("j", "enter").now()
		s.press("esc", "ctrl+s").now()
		s.press("esc", "esc", "ctrl+r").now()
		s.press("esc", "tab", "tab").now()
	}
	scan(t, s.out.bytes())
}
