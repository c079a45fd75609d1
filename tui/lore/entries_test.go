package lore_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	enginelore "github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/lore"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// withBooks opens a chat with two books: a global one of the tuitest.Harbour, and one of
// the chat.
func withBooks(t testing.TB) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		chat := tuitest.NewChat(t, e)
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		world, err := e.Lore.AddBook(storage.Lorebook{Name: "The harbour", Kind: storage.GlobalBook, Description: "Quays, boats, and those who live by them."})
		must(err)
		own, err := e.Lore.AddBook(storage.Lorebook{Name: "What happened", Kind: storage.ChatBook, Chat: chat})
		must(err)
		inn := lore.EntryOf("The Blue Gull", "location", "[location-The Blue Gull: inn at the quay, kept by(Marta), smells of(tar, fried fish), closed in winter]", "blue gull", "inn")
		inn.Aliases, inn.Synopsis, inn.Order = []string{"the inn"}, "The inn at the quay, kept by Marta.", 120
		marta := lore.EntryOf("Marta", "character", "[character-Marta: innkeeper of The Blue Gull, wears(red scarf), distrusts(harbour master)]", "marta", "innkeeper")
		rule := lore.EntryOf("Tide law", "rule", "Whoever is at sea at high tide owes the harbour a light.", "tide")
		rule.Constant, rule.Locked = true, true
		ferry := lore.EntryOf("The old ferry", "item", "A ferry that has not left its berth in ten years.", "ferry", "/berth \\d+/i")
		ferry.Disabled, ferry.Probability, ferry.Sticky = true, 40, 3
		ferry.SecondaryKeys, ferry.Logic = []string{"night"}, storage.NotAny
		for _, x := range []storage.LoreEntry{inn, marta, rule, ferry} {
			_, err := e.Lore.SaveEntry(world.ID, chat, x)
			must(err)
		}
		for i := range 3 {
			_, err := e.Lore.SaveEntry(own.ID, chat, lore.EntryOf(fmt.Sprintf("Rumour %d", i+1), "quest", fmt.Sprintf("Somebody saw light number %d out at sea.", i+1), fmt.Sprintf("light %d", i+1)))
			must(err)
		}
	}
}

// entries returns a book's entries from the store.
func (s *session) entries(book string) []enginelore.Row {
	s.T().Helper()
	b, err := s.Engine.Lore.FindBook(book)
	s.Must(err)
	rows, err := s.Engine.Lore.Entries(b.ID, s.Chat().Chat.ID)
	s.Must(err)
	return rows
}

func (s *session) entry(book, name string) *enginelore.Row {
	s.T().Helper()
	rows := s.entries(book)
	for i := range rows {
		if rows[i].Name == name {
			return &rows[i]
		}
	}
	return nil
}

// openLorePane opens the pane and waits for its books.
func (s *session) openLorePane() *session {
	s.T().Helper()
	return s.see("‹1/3›").press("alt+l").see("The harbour", "Rumour 3")
}

// onEntry waits until an entry is listed, and chooses it.
func (s *session) onEntry(name string) *session {
	s.T().Helper()
	return s.until(name+" in the list", func(r *lore.Part) bool { return r.PickEntry(name) })
}

func TestGolden_Lore(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().golden("lore-entries").goldenStyled("lore-entries")
	s.onEntry("The Blue Gull").press("space", "space").silent().golden("lore-marked", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("*", "*").notSee("marked").press("/").typeText("gul").see("The Blue Gull").notSee("Rumour").press("enter").silent().golden("lore-filter")
}

func TestGolden_LoreEmpty(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.see("‹1/3›").press("alt+l").see("No lorebooks yet").golden("lore-empty", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("n").see("New lorebook").press("esc").notSee("New lorebook").press("d", "O", "enter", "space", "J", "V", "*", "z", "u").see("nothing to undo")
}

func TestGolden_LoreReader(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().onEntry("The old ferry").press("enter").see("Non-default settings").golden("lore-reader")
	s.press("e").see("Basics").golden("lore-form").goldenStyled("lore-form")
	s.goldenAfter("lore-form-group", []string{"pgdown", "pgdown"}, tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
}

func TestEntries_Bulk(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().onEntry("Rumour 1").press("space", "j", "V", "O").see("3 entries switched off", "u undoes it")
	for _, e := range s.entries("What happened") {
		if !e.Disabled {
			t.Errorf("%s is still on", e.Name)
		}
	}
	s.until("the list that knows it", func(r *lore.Part) bool { return r.EntryOff("Rumour 2") })
	s.press("*", "*").see("enter").onEntry("Rumour 2").press("O").see("“Rumour 2” switched on").press("u").see("undone: “Rumour 2”").press("u").see("undone: 3 entries")
	for _, e := range s.entries("What happened") {
		if e.Disabled {
			t.Errorf("%s is still off", e.Name)
		}
	}
	s.onEntry("Rumour 3").press("L").see("locked").onEntry("Rumour 3").press("ctrl+p").see("this pane: lorebooks").typeText("make constant").see("make entries constant").press("enter").see("constant: always").onEntry("Rumour 3").openView("lore-order").see("Order of").typeText("7").press("enter").see("at order 1007 now")
	if e := s.entry("What happened", "Rumour 3"); !e.Locked || !e.Constant || e.Order != 1007 {
		t.Errorf("locked %v, constant %v, order %d", e.Locked, e.Constant, e.Order)
	}
	s.onEntry("Rumour 3").openView("lore-type").see("Type of “Rumour 3”").typeText("faction").press("enter").see("of type faction now")
	s.press("*", "d").see("Delete 7 entries?").press("y").see("7 entries deleted", "no entries yet")
	if n := len(s.entries("What happened")) + len(s.entries("The harbour")); n != 0 {
		t.Errorf("%d entries are left", n)
	}
	s.press("u").see("Rumour 3", "Tide law")
	if n := len(s.entries("What happened")) + len(s.entries("The harbour")); n != 7 {
		t.Errorf("%d entries are back", n)
	}
}

// What was not changed by a step is not taken back with it.
func TestEntries_UndoOnlyWhatWasDone(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().onEntry("Rumour 1").press("O").see("“Rumour 1” switched off").until("the list that knows it", func(r *lore.Part) bool { return r.EntryOff("Rumour 1") }).onEntry("Rumour 1").press("space", "space", "O").see("“Rumour 2” switched off")
	s.press("u").see("undone: “Rumour 2”")
	if one, two := s.entry("What happened", "Rumour 1"), s.entry("What happened", "Rumour 2"); !one.Disabled || two.Disabled {
		t.Errorf("off: %v and %v", one.Disabled, two.Disabled)
	}
}

func TestEntries_Filter(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().press("z", "G", "z").notSee("Marta").press("/").typeText("berth").see("The old ferry").notSee("Marta")
	s.press("backspace", "backspace", "backspace", "backspace", "backspace").typeText("light at").see("Tide law").press("esc").see("▸ The harbour")
	s.press("/").typeText("mrt").see("Marta", "Rumour 3").press("enter", "enter").see("number 1").press("esc").notSee("number 1")
	s.press("esc").see("▸ The harbour").press("/").typeText("zzz").see("No match for").press("esc").see("What happened")
}

func TestEntries_Books(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().look(func(r *lore.Part) { r.PickBook(1) })
	s.press("O").see("is off in this chat").press("u").see("undone").press("d").see("Remove “The harbour” with its 4 entries?").press("y").see("removed").notSee("Marta")
	s.press("u").see("Marta")
	s.openView("lore-new-book").see("New lorebook").press("ctrl+s").see("Name must not be empty").typeText("Songs").press("tab", "right", "ctrl+s").see("this chat already has a lorebook")
	s.openView("lore-new-book").see("New lorebook").typeText("Songs").press("ctrl+s").see("“Songs” created", "no entries yet")
	s.press("e").see("Lorebook Songs").typeText(" of the sea").press("ctrl+s").see("“Songs of the sea” saved", "▾ Songs of the sea")
	s.press("n").see("New entry of Songs of the sea").typeText("Shanty").press("tab").typeText("heave").press("ctrl+s").see("“Shanty” saved")
	if e := s.entry("Songs of the sea", "Shanty"); e == nil || len(e.Keys) != 1 || e.Keys[0] != "heave" || e.Order != 100 {
		t.Errorf("stored %+v", e)
	}
	s.press("u").see("undone: “Shanty” saved", "no entries yet")
}

func TestEntries_FormChecksNumbers(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().onEntry("Marta").press("e").see("Basics", "▸ Placement").press("pgdown", "pgdown", "pgdown", "tab").see("messages from the end").typeText("x").see("this must be a whole number")
	s.press("ctrl+s").see("Depth must be a whole number").press("backspace", "backspace").typeText("9").press("shift+tab", "right").see("after the character").press("ctrl+s").see("“Marta” saved")
	if e := s.entry("The harbour", "Marta"); e.Depth != 9 || e.Position != storage.AfterChar {
		t.Errorf("depth %d, position %d", e.Depth, e.Position)
	}
	s.onEntry("Marta").press("e").see("Basics").press("tab", "tab", "tab", "right", "esc").see("not saved").press("esc").notSee("Basics")
	s.onEntry("Marta").press("e").see("Basics").press("tab", "tab").typeText("(").see("Content").notSee("PLIST")
}

func TestEntries_FormKeepsWhatChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().onEntry("Marta").press("e").see("Basics").typeText(" the bold")
	e := s.entry("The harbour", "Marta")
	x := e.LoreEntry
	x.Content, x.Order = "[character-Marta: innkeeper]", 5
	_, err := s.Engine.Lore.SaveEntry(e.Book, s.Chat().Chat.ID, x)
	s.Must(err)
	s.press("ctrl+s").see("“Marta the bold” saved")
	if got := s.entry("The harbour", "Marta the bold"); got == nil || got.Content != x.Content || got.Order != 5 {
		t.Errorf("stored %+v", got)
	}
	s.onEntry("Marta the bold").press("e").see("Basics").press("tab", "tab").typeText("Mine. ")
	x = s.entry("The harbour", "Marta the bold").LoreEntry
	x.Content = "Theirs."
	_, err = s.Engine.Lore.SaveEntry(e.Book, s.Chat().Chat.ID, x)
	s.Must(err)
	s.press("ctrl+s").see("changed in the meantime").press("ctrl+s").see("saved").notSee("Basics")
	if got := s.entry("The harbour", "Marta the bold"); got.Content != "Mine. [character-Marta: innkeeper]" {
		t.Errorf("stored %q", got.Content)
	}
}

func TestEntries_History(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().onEntry("Marta").press("E").see("Rename Marta").typeText(" Voss").press("enter").see("renamed to “Marta Voss”")
	s.onEntry("Marta Voss").press("e").see("Basics").press("tab", "tab", "end").press("backspace").typeText(", sings(at night)]").press("ctrl+s").see("saved")
	s.onEntry("Marta Voss").press("H").see("History of Marta Voss", "+ sings(at night)").silent().golden("lore-history", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("j").see("Marta → Marta Voss").press("D").see("[character-Marta Voss").press("D", "j", "enter").see("Restore “Marta Voss” as").press("y").see("“Marta Voss” restored").press("esc")
	e := s.entry("The harbour", "Marta")
	if e == nil || !strings.HasPrefix(e.Content, "[character-Marta: ") {
		t.Fatalf("stored %+v", e)
	}
	s.press("u").see("undone").onEntry("Marta Voss").press("H").see("History of Marta Voss").press("u").see("reset to the previous version").press("esc")
	if got := s.entry("The harbour", "Marta Voss"); got == nil || strings.Contains(got.Content, "sings") {
		t.Errorf("stored %+v", got)
	}
	s.press("u").see("undone: “Marta Voss” reset to the previous version")
	if got := s.entry("The harbour", "Marta Voss"); got == nil || !strings.Contains(got.Content, "sings") {
		t.Errorf("stored %+v", got)
	}
	s.press("U").see("“Marta Voss” reset to the previous version", "u undoes it")
	if got := s.entry("The harbour", "Marta Voss"); got == nil || strings.Contains(got.Content, "sings") {
		t.Errorf("stored %+v", got)
	}
}

func TestEntries_MergeAndSplit(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().press("J").see("select two entries").onEntry("Rumour 1").press("space", "J").see("Merge two entries").press("1").see("“Rumour 2” merged into “Rumour 1”")
	if e := s.entry("What happened", "Rumour 1"); len(e.Keys) != 2 || s.entry("What happened", "Rumour 2") != nil {
		t.Errorf("merged: %+v", e)
	}
	s.press("u").see("undone").see("Rumour 2")
	s.onEntry("The Blue Gull").openView("lore-split").see("Split The Blue Gull").press("space", "enter").see("Name").typeText("Gull stories").press("enter").see("split from")
	if e := s.entry("The harbour", "Gull stories"); e == nil {
		t.Error("there is no new entry")
	}
	s.press("u").see("undone").notSee("Gull stories  ")
	if e := s.entry("The harbour", "The Blue Gull"); !strings.HasPrefix(e.Content, "[location-The Blue Gull: inn at the quay,") {
		t.Errorf("stored %q", e.Content)
	}
}

func TestEntries_InAndOut(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	path := filepath.Join(t.TempDir(), "harbour.json")
	s.openLorePane().onEntry("Marta").openView("lore-export").see("Export The harbour")
	s.setPath(path)
	s.press("ctrl+s").see("written to").openView(keys.LoreImport).see("Import a lorebook from").press("ctrl+o").see("For ")
	s.setPath(path)
	s.press("tab", "tab").typeText("Copy").press("enter").see("“Copy” imported: 4 entries", "▾ Copy")
	if e := s.entry("Copy", "The old ferry"); e == nil || e.Probability != 40 || e.Logic != storage.NotAny {
		t.Errorf("came in as %+v", e)
	}
}

// Where an entry's facts come from can be gone to.
func TestEntries_Source(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().onEntry("Marta").press("S").see("no sources recorded")
	chat := s.Chat()
	s.look(func(r *lore.Part) {
		v := enginelore.EntryView{Row: *r.ChosenEntry()}
		v.Facts = []storage.LoreFact{{Text: "innkeeper", Chat: chat.Chat.ID, Messages: []storage.NodeID{chat.Messages[0].ID}}, {Text: "wears(red scarf)", Chat: "another", Messages: []storage.NodeID{"x"}}}
		r.OpenReader(v)
	})
	s.see("Sources", "▌ innkeeper", "message 1", "another chat").silent().golden("lore-facts", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("tab", "enter").see("the source is in another chat").press("tab", "enter").see("BROWSE").notSee("Sources")
}

// What has ended of an entry is shown with why, holds again by a key, and that is undone.
func TestEntries_EndedFacts(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane()
	chat, marta := s.Chat().Chat.ID, s.entry("The harbour", "Marta")
	_, err := s.Engine.Lore.EndFact(chat, marta.ID, 1)
	s.Must(err)
	s.onEntry("Marta").press("enter").see("Sources", "wears(red scarf)", "ended, no longer sent: withdrawn", "x reopen").silent().golden("lore-ended", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("x").see("reopened").notSee("ended, no longer sent")
	s.press("u").see("undone", "ended, no longer sent: withdrawn").press("esc").notSee("Sources")
}

func TestEntries_Mouse(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withBooks(t)})
	s.openLorePane().Now()
	click := func(x, y int) { s.Send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(5, 4)
	s.Now()
	if name := s.chosenLore(); name != "Rumour 1" {
		t.Errorf("chosen: %q", name)
	}
	click(20, 4)
	s.Now()
	n := 0
	if s.In(func(v *tui.Screen) { n = v.Dialogs() }); n > 0 {
		t.Error("a click has opened something")
	}
	click(20, 4)
	s.see("Somebody saw light number 1", "y copy").press("esc")
	click(15, 1)
	s.until("the view of why", func(r *lore.Part) bool { return r.Tab() == lore.WhyTab })
	s.press("1").see("Rumour 3").press("2", "3", "4", "1").see("Rumour 3").press("esc").see("WRITE")
}

func (s *session) chosenLore() (name string) {
	s.look(func(r *lore.Part) {
		if e := r.ChosenEntry(); e != nil {
			name = e.Name
		}
	})
	return name
}

// Names, keys and contents from files reach the terminal only as text.
func TestEntries_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) {
		chat := tuitest.NewChat(t, e)
		b, err := e.Lore.AddBook(storage.Lorebook{Name: "Book " + tuitest.Evil, Kind: storage.GlobalBook, Description: tuitest.Evil})
		if err != nil {
			t.Fatal(err)
		}
		x := lore.EntryOf("Entry "+tuitest.Evil, "type "+tuitest.Evil, "[location-X: "+tuitest.Evil+"] "+tuitest.Evil, "key "+tuitest.Evil, tuitest.Evil)
		x.Aliases, x.Synopsis, x.Group, x.Outlet = []string{tuitest.Evil}, tuitest.Evil, tuitest.Evil, tuitest.Evil
		x.Characters = &storage.LoreFilter{Names: []string{tuitest.Evil}, Tags: []string{tuitest.Evil}}
		for range 2 {
			if x, err = e.Lore.SaveEntry(b.ID, chat, x); err != nil {
				t.Fatal(err)
			}
			x.Content += tuitest.Evil
		}
	}})
	s.Size(110, 40)
	s.see("‹1/3›").press("alt+l").see("Book").press("e").see("Lorebook Book").press("esc").openView("lore-export").see("Export").press("esc", "j", "/").typeText("entry").see("Entry").still().press("enter").still()
	s.press("enter").see("number 0").press("pgdown", "e").see("Basics").press("pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "esc").press("H").see("History of").press("D", "esc", "esc")
	s.press("E").see("Rename").press("esc").openView("lore-type").see("Type of").press("esc").notSee("Type of")
	s.openView("lore-split").see("Split Entry").press("esc").notSee("Split Entry")
	s.press("O").see("switched off").press("d").see("deleted")
	s.Now()
	tuitest.Scan(t, s.Written())
}

// setPath puts a path into the form on top.
func (s *session) setPath(path string) {
	s.T().Helper()
	s.In(func(v *tui.Screen) {
		open := v.Host().Dialogs().All
		open[len(open)-1].(*pane.SavingForm).Fields[0].Input.Area.SetValue(path)
	})
}
