package lore_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	enginelore "github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/lore"
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
		tuitest.WithStory(t, tuitest.Harbour, false)(e)
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

// island is a book with entries that trigger others.
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

// The composer's text counts as the next message, and rows lead to messages, entries and reasons.
func TestWhyScript(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 140, H: 40, Prepare: withBook(t, island()...)})
	s.see("blue boat").openView(keys.LoreWhy).see("current chat", "● The island", "● Blue boat").notSee("● Lighthouse", "● The chapel")
	s.press("g", "j", "S").see("a key matched here")
	if _, text := s.selected(); !strings.Contains(text, "blue boat") {
		t.Error("the message with the boat is not selected")
	}
	s.press("esc", "i").typeText("I light the lamp of the lighthouse").see("● Lighthouse", "● The chapel", "in the entry “Lig", "○ Rumours", "probability 0 %")
	s.press("esc", "tab", "g").see("PANE").press("j").Now()
	for range 5 {
		if strings.Contains(s.chosenName(), "Lighthouse") {
			break
		}
		s.press("j").Now()
	}
	s.press("S").see("its key matched in what you are writing").press("enter").see("triggers", "what you are writing", "The lighthouse stands above").press("esc")
	s.press("W").see("Why is an entry in the prompt").typeText("zeppelin").see("not in the prompt").press("enter").see("not triggered", "zeppelin").press("enter").see("Zeppelin", "1 Entries")
	s.press("2").see("● Lighthouse").press("esc", "i")
	for range 40 {
		s.press("backspace")
	}
	s.see("current chat").notSee("● Lighthouse")
}

// From an entry the view leads to its row, or says why it has none.
func TestWhyScript_OfAnEntry(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 140, H: 40, Prepare: withBook(t, island()...)})
	b, err := s.Engine.Lore.FindBook("Skarvik")
	s.Must(err)
	show := func(name string) {
		id, err := s.Engine.Lore.FindEntry(b.ID, name)
		s.Must(err)
		s.in(func(_ *tui.Screen, r *lore.Part) tea.Cmd { return r.ShowEntry(lore.WhyTab, b.ID, id) })
	}
	s.see("blue boat")
	show("Zeppelin")
	s.see("not triggered", "zeppelin").press("esc").see("● Blue boat")
	show("Blue boat")
	s.Until("its row", func() bool { return s.chosenName() == "Blue boat" })
	show("The island")
	s.Until("its row", func() bool { return s.chosenName() == "The island" })
}

// chosenName is the entry that is chosen in the view of the next turn.
func (s *session) chosenName() (name string) {
	s.look(func(r *lore.Part) { _, name = r.WhyRow() })
	return name
}

// What triggered stays in the history, and the next turn says so.
func TestWhyScript_StaysFromEarlier(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 140, H: 40, Lore: config.Lore{Placement: "stay"}, Prepare: withBook(t, island()...)})
	s.see("blue boat").say("I climb to the lighthouse.").say("I sit down.").say("I wait.")
	s.openView(keys.LoreWhy).see("Still active from earlier turns", "● Lighthouse", "Skarvik")
	s.press("g")
	s.look(func(r *lore.Part) { r.WhyPickStay("Lighthouse") })
	s.press("S").see("inserted before this message")
	if _, text := s.selected(); text != "I climb to the lighthouse." {
		t.Errorf("%q is selected", text)
	}
	s.press("enter").see("active from an earlier turn", "Skarvik").press("o").see("1 Entries")
}

// A change to a book is visible immediately.
func TestWhyScript_FollowsTheBooks(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 140, H: 40, Prepare: withBook(t, island()...)})
	s.see("blue boat").openView(keys.LoreWhy).see("● Blue boat")
	b, err := s.Engine.Lore.FindBook("Skarvik")
	s.Must(err)
	off := false
	s.Must(s.Engine.Lore.SwitchBook(s.Chat().Chat.ID, b.ID, &off))
	s.see("No lorebook is enabled")
	s.Must(s.Engine.Lore.SwitchBook(s.Chat().Chat.ID, b.ID, nil))
	s.see("● Blue boat")
	id, err := s.Engine.Lore.FindEntry(b.ID, "Blue boat")
	s.Must(err)
	_, err = s.Engine.Lore.Act(b.ID, "", []storage.EntryID{id}, enginelore.Disable, "")
	s.Must(err)
	s.notSee("● Blue boat").see("● The island")
}

// The test box tries a text as it is written, keeps it as a case, and runs the
// cases.
func TestTestBoxScript(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 36, Prepare: withBook(t, island()...)})
	s.see("blue boat").openView(keys.LoreTest).see("all lorebooks of this chat").typeText("We fly the zeppelin").see("● Zeppelin").notSee("● Blue boat")
	s.typeText(" over the lighthouse").see("● Lighthouse", "● The chapel")
	s.press("ctrl+o").see("Trigger test · Skarvik", "● Lighthouse").press("ctrl+o").see("all lorebooks of this chat", "● Lighthouse")
	s.press("ctrl+s").see("Save as a test case")
	for range 45 {
		s.press("backspace")
	}
	s.typeText("the flight").press("ctrl+s").see("test case “the flight” saved")
	b, err := s.Engine.Lore.FindBook("Skarvik")
	s.Must(err)
	if len(b.Cases) != 1 || b.Cases[0].Text != "We fly the zeppelin over the lighthouse" || strings.Join(b.Cases[0].Fires, ",") != "Lighthouse,The chapel,Zeppelin" && len(b.Cases[0].Fires) != 3 {
		t.Errorf("%+v", b.Cases)
	}
	s.press("ctrl+r").see("all 1 pass", "✓ the flight")
	id, err := s.Engine.Lore.FindEntry(b.ID, "Zeppelin")
	s.Must(err)
	_, err = s.Engine.Lore.Act(b.ID, "", []storage.EntryID{id}, enginelore.Disable, "")
	s.Must(err)
	s.see("1 of 1 case fail", "did not trigger: Zeppelin") // it is run again by itself
	s.press("d").see("Delete the test case").press("y").see("No test cases yet")
	s.press("esc").see("● Lighthouse").notSee("● Zeppelin")
}

// Without a chat a text can still be tried on a book.
func TestTestBoxScript_WithoutAChat(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 36, Prepare: func(e *engine.Engine) { writeBook(t, e, "Skarvik", island()...) }})
	s.see("Characters").press("esc").openView(keys.LoreTest).see("Trigger test · Skarvik").typeText("the lighthouse").see("● Lighthouse")
	s.press("esc").openView(keys.LoreWhy).see("no next turn")
}
