package tui

import (
	"strings"
	"testing"

	"ghostlight/engine"
	"ghostlight/engine/config"
	"ghostlight/engine/lore"
	"ghostlight/storage"
	"ghostlight/tui/keys"
)

// penned is an entry as a user makes one.
func penned(name, content string, keys ...string) storage.LoreEntry {
	e := storage.NewLoreEntry()
	e.Name, e.Content, e.Keys = name, content, keys
	return e
}

// withBook makes the chat of the harbour and a global book with some entries.
func withBook(t testing.TB, entries ...storage.LoreEntry) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		withStory(t, harbour, false)(e)
		writeBook(t, e, "Skarvik", entries...)
	}
}

func writeBook(t testing.TB, e *engine.Engine, name string, entries ...storage.LoreEntry) storage.LorebookID {
	t.Helper()
	b, err := e.Lore.AddBook(storage.Lorebook{Name: name, Kind: storage.GlobalBook})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range entries {
		if _, err := e.Lore.SaveEntry(b.ID, "", x); err != nil {
			t.Fatal(err)
		}
	}
	return b.ID
}

// island is a book in which entries lead to others.
func island() []storage.LoreEntry {
	always := penned("The island", "Skarvik is an island in the north.")
	always.Constant = true
	rumour := penned("Rumours", "They say that the lamp is never lit.", "lamp")
	rumour.Probability = 0
	return []storage.LoreEntry{always,
		penned("Lighthouse", "The lighthouse stands above the drowned chapel.", "lighthouse"),
		penned("The chapel", "Its bell can be heard at low tide.", "drowned chapel"),
		penned("Blue boat", "It leaks.", "blue boat"),
		penned("Zeppelin", "It came once.", "zeppelin"),
		rumour}
}

func (s *session) openView(act keys.Action) *session {
	s.t.Helper()
	s.in(func(a *app) { a.send2(a.Run(act)) })
	return s
}

// What stands in the composer counts as said, and rows lead to messages, entries
// and reasons.
func TestLoreWhyScript(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 140, h: 40, prepare: withBook(t, island()...)})
	s.see("blue boat").openView(keys.LoreWhy).see("as the chat stands", "● The island", "● Blue boat").notSee("● Lighthouse", "● The chapel")
	s.press("g", "j", "S").see("a key matched here")
	s.in(func(a *app) {
		if it := a.play.Current(); it == nil || !strings.Contains(it.Msg.Content, "blue boat") {
			t.Error("the message with the boat is not selected")
		}
	})
	s.press("esc", "i").typeText("I light the lamp of the lighthouse").see("● Lighthouse", "● The chapel", "in the entry “Lig", "○ Rumours", "missed 0 %")
	s.press("esc", "tab", "g").see("PANE").press("j").now()
	for range 5 {
		if strings.Contains(s.chosenName(), "Lighthouse") {
			break
		}
		s.press("j").now()
	}
	s.press("S").see("its key matched in what you are writing").press("enter").see("fires", "what you are writing", "The lighthouse stands above").press("esc")
	s.press("w").see("Why does the model know this").typeText("zeppelin").see("not in the prompt").press("enter").see("does not fire", "zeppelin").press("o").see("Zeppelin", "1 Entries")
	s.press("2").see("● Lighthouse").press("esc", "i")
	for range 40 {
		s.press("backspace")
	}
	s.see("as the chat stands").notSee("● Lighthouse")
}

// From an entry the view leads to its row, or says why it has none.
func TestLoreWhyScript_OfAnEntry(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 140, h: 40, prepare: withBook(t, island()...)})
	b, err := s.eng.Lore.FindBook("Skarvik")
	s.must(err)
	show := func(name string) {
		id, err := s.eng.Lore.FindEntry(b.ID, name)
		s.must(err)
		s.in(func(a *app) { a.send2(a.showLoreEntry(loreWhyView, b.ID, id)) })
	}
	s.see("blue boat")
	show("Zeppelin")
	s.see("does not fire", "zeppelin").press("esc").see("● Blue boat")
	show("Blue boat")
	s.until("its row", func() bool { return s.chosenName() == "Blue boat" })
	show("The island")
	s.until("its row", func() bool { return s.chosenName() == "The island" })
}

// chosenName is the entry that is chosen in the view of the next turn.
func (s *session) chosenName() (name string) {
	s.in(func(a *app) {
		if w := a.whyShown(); w != nil && w.row() != nil && w.row().trace != nil {
			name = traceName(w.row().trace)
		}
	})
	return name
}

// What fired stays in the history, and the next turn says so.
func TestLoreWhyScript_StaysFromEarlier(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 140, h: 40, lore: config.Lore{Placement: "stay"}, prepare: withBook(t, island()...)})
	s.see("blue boat").say("I climb to the lighthouse.").say("I sit down.").say("I wait.")
	s.openView(keys.LoreWhy).see("Still there from earlier turns", "● Lighthouse", "Skarvik")
	s.press("g")
	s.in(func(a *app) {
		w := a.whyShown()
		for i, r := range w.all {
			if r.stay != nil && r.stay.Name == "Lighthouse" {
				w.Outline.Choose(i)
			}
		}
	})
	s.press("S").see("it stands before this message")
	s.in(func(a *app) {
		if it := a.play.Current(); it == nil || it.Msg.Content != "I climb to the lighthouse." {
			t.Errorf("%+v is selected", it)
		}
	})
	s.press("enter").see("stays from an earlier turn", "Skarvik").press("o").see("1 Entries")
}

// A change to a book is seen at once.
func TestLoreWhyScript_FollowsTheBooks(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 140, h: 40, prepare: withBook(t, island()...)})
	s.see("blue boat").openView(keys.LoreWhy).see("● Blue boat")
	b, err := s.eng.Lore.FindBook("Skarvik")
	s.must(err)
	off := false
	s.must(s.eng.Lore.SwitchBook(s.chat().Chat.ID, b.ID, &off))
	s.see("No lorebook is switched on")
	s.must(s.eng.Lore.SwitchBook(s.chat().Chat.ID, b.ID, nil))
	s.see("● Blue boat")
	id, err := s.eng.Lore.FindEntry(b.ID, "Blue boat")
	s.must(err)
	_, err = s.eng.Lore.Act(b.ID, "", []storage.EntryID{id}, lore.Disable, "")
	s.must(err)
	s.notSee("● Blue boat").see("● The island")
}

// The test box tries a text as it is written, keeps it as a case, and runs the
// cases.
func TestLoreTestScript(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 120, h: 36, prepare: withBook(t, island()...)})
	s.see("blue boat").openView(keys.LoreTest).see("all books of this chat").typeText("We fly the zeppelin").see("● Zeppelin").notSee("● Blue boat")
	s.typeText(" over the lighthouse").see("● Lighthouse", "● The chapel")
	s.press("ctrl+t").see("What would trigger? · Skarvik", "● Lighthouse").press("ctrl+t").see("all books of this chat", "● Lighthouse")
	s.press("ctrl+s").see("Save as a case")
	for range 45 {
		s.press("backspace")
	}
	s.typeText("the flight").press("ctrl+s").see("the case “the flight” is saved")
	b, err := s.eng.Lore.FindBook("Skarvik")
	s.must(err)
	if len(b.Cases) != 1 || b.Cases[0].Text != "We fly the zeppelin over the lighthouse" || strings.Join(b.Cases[0].Fires, ",") != "Lighthouse,The chapel,Zeppelin" && len(b.Cases[0].Fires) != 3 {
		t.Errorf("%+v", b.Cases)
	}
	s.press("ctrl+r").see("all 1 hold", "✓ the flight")
	id, err := s.eng.Lore.FindEntry(b.ID, "Zeppelin")
	s.must(err)
	_, err = s.eng.Lore.Act(b.ID, "", []storage.EntryID{id}, lore.Disable, "")
	s.must(err)
	s.see("1 of 1 case fail", "did not fire: Zeppelin") // it is run again by itself
	s.press("d").see("Delete the case").press("y").see("No case is saved yet")
	s.press("esc").see("● Lighthouse").notSee("● Zeppelin")
}

// Without a chat a text can still be tried on a book.
func TestLoreTestScript_WithoutAChat(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 120, h: 36, prepare: func(e *engine.Engine) { writeBook(t, e, "Skarvik", island()...) }})
	s.see("Characters:").press("esc").openView(keys.LoreTest).see("What would trigger? · Skarvik").typeText("the lighthouse").see("● Lighthouse")
	s.press("esc").openView(keys.LoreWhy).see("no next turn")
}
