package lore_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	enginelore "github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/lore"
)

// proposalOf is a proposal as the engine makes it.
func proposalOf(id, name, typ string, before, after string, from []storage.NodeID) enginelore.Proposal {
	e := storage.NewLoreEntry()
	e.ID, e.Name, e.Type, e.Content = storage.EntryID("e"+id), name, typ, after
	p := enginelore.Proposal{LoreChange: storage.LoreChange{ID: storage.LoreChangeID(id), Book: "book", Kind: storage.LoreUpdates, Before: "r1", After: e,
		Cause: storage.LoreCause{Origin: storage.LoreByScene, Break: "brk"}}, BookName: "The harbour", Name: name, Scene: "Scene 2: The lighthouse"}
	if before == "" {
		p.Kind, p.LoreChange.Before = storage.LoreAdds, ""
	} else {
		old := e
		old.Content = before
		p.Before = &old
	}
	for i, h := range plist.Diff(before, after) {
		hunk := enginelore.Hunk{Number: i + 1, Hunk: h}
		if h.Kind != plist.Kept && !h.Head {
			hunk.Messages = from
		}
		p.Hunks = append(p.Hunks, hunk)
	}
	return p
}

// sampleInbox is an inbox with a proposal of every kind. from are messages of the
// chat.
func sampleInbox(from []storage.NodeID) []enginelore.Proposal {
	aksel := proposalOf("1", "Aksel", "character",
		"[character-Aksel: brother of {{user}}, is a fisherman, bought a compass, lives in Skarvik, has red hair, speaks little]",
		"[character-Aksel: brother of {{user}}, was a fisherman(until May), bought a compass, lives in Skarvik, has red hair, left a notebook(under the lamp), slept in the lighthouse for a week]", from[4:6])
	aksel.Fields = []field.Change{{Name: "keys", Before: "aksel", After: "aksel, brother"}, {Name: "synopsis", After: "The lost brother."}}
	cave := proposalOf("2", "The cave", "location", "", "[location-The cave: under the north cliff, drowned the mother of Tove]", from[6:8])
	tove := proposalOf("3", "Tove", "character", "[character-Tove: keeps the ferry house, carries a lantern]", "[character-Tove: keeps the ferry house, fears the cave]", from[7:8])
	tove.Outdated = true
	long := proposalOf("4", "Skarvik", "location", "[location-Skarvik: has a harbour, has a harbour with a broken crane, has a lighthouse]", "[location-Skarvik: has a harbour(with a broken crane), has a lighthouse]", nil)
	long.Kind, long.Scene, long.BookName = storage.LoreCompacts, "", "Skarvik"
	long.Cause = storage.LoreCause{Origin: storage.LoreByCompact}
	return []enginelore.Proposal{aksel, cave, tove, long}
}

// onEntries waits until the view of entries is in view.
func (s *session) onEntries() {
	s.T().Helper()
	s.until("the entries", func(r *lore.Part) bool { return r.Tab() == lore.EntriesTab })
}

// showInbox opens the inbox and puts proposals into it.
func (s *session) showInbox(all func([]storage.NodeID) []enginelore.Proposal) *session {
	s.T().Helper()
	var ids []storage.NodeID
	chat := s.Chat()
	for _, m := range chat.Messages {
		ids = append(ids, m.ID)
	}
	s.openView(keys.LoreInbox)
	s.until("the inbox", (*lore.Part).InboxReady)
	s.look(func(r *lore.Part) { r.FillInbox(all(ids)) })
	return s
}

func TestGolden_LoreInbox(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showInbox(sampleInbox).see("4 changes wait", "(4)")
	s.goldenAfter("lore-inbox", []string{"g"}).goldenStyled("lore-inbox")
	s.press("j", ".").see("[ ]", "3 of 4 facts").press("D").see("Preview").golden("lore-inbox-diff")
	s.press("esc").notSee("Preview").press("G", "enter").goldenAfter("lore-inbox-last", []string{"G"}, tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("g", "e").see("Edit, then accept").golden("lore-inbox-edit", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("esc").notSee("Edit, then accept").press("R").see("Accept several").golden("lore-inbox-many", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("down", "enter").see("Accept 1 change (type: character)", "1 of them are outdated")
}

func TestGolden_LoreInboxEmpty(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showInbox(func([]storage.NodeID) []enginelore.Proposal { return nil })
	s.see("Nothing to review").golden("lore-inbox-empty", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.press("A").see("nothing to review")
}

func TestInbox_Rows(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showInbox(sampleInbox)
	want := func(rows ...string) {
		t.Helper()
		s.look(func(r *lore.Part) {
			if d := cmp.Diff(rows, r.InboxRows()); d != "" {
				t.Error(d)
			}
		})
	}
	want("Aksel <", "  –", "  –", "  ×", "  –", "  ×", "  ×", "  ×", "  –", "  –", "The cave", "Tove", "Skarvik")
}

func TestInbox_MarksAndFolds(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 50, Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showInbox(func(ids []storage.NodeID) []enginelore.Proposal { return sampleInbox(ids)[1:3] })
	rows := func(want string) {
		t.Helper()
		s.look(func(r *lore.Part) {
			if got := strings.Join(r.InboxRows(), ","); got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		})
	}
	rows("The cave <,  –,  ×,  ×,Tove")
	s.press("ctrl+x", "l").see("accept this fact").notSee("split the entry").press("esc", "esc").notSee("accept this fact")
	s.press(".").see("select a fact below")
	s.press("j", ".")
	rows("The cave,  –,  o <,  ×,Tove")
	s.press(".", "j", "<")
	rows("The cave,  –,  ×,  o <,Tove")
	s.press(">")
	rows("The cave,  –,  ×,  × <,Tove")
	s.press("*")
	rows("The cave,  –,  o,  o <,Tove")
	s.press("A").see("you have rejected every fact")
	s.press("*")
	rows("The cave,  –,  ×,  × <,Tove")
	s.press("left")
	rows("The cave <,Tove")
	s.press("j", "enter")
	rows("The cave,Tove <,  –,  –,  ×")
	s.press("z")
	rows("The cave,Tove <")
	s.press("right", "l", "j", "S").see("source message")
	if n, _ := s.selected(); n != 7 {
		t.Errorf("message %d is selected", n)
	}
	s.openView("lore-show-entry").onEntries()
	s.press("3").see("2 changes wait")
	s.press("g").openView("lore-show-entry").see("does not exist yet").press("S").see("message 1 of 2").press("S").see("message 2 of 2")
}

// A fact that is left out, a decision and a new reading leave the choice where
// the user looks.
func TestInbox_KeepsItsPlace(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 50, Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showInbox(sampleInbox)
	s.look(func(r *lore.Part) {
		r.InboxDown()
		r.InboxDown()
		change, hunk, _ := r.InboxPlace()
		fresh := append([]enginelore.Proposal{proposalOf("0", "Ferry", "item", "", "[item-Ferry: leaves at dawn]", nil)}, r.Inbox()...)
		r.TakeInbox(fresh)
		if c, h, open := r.InboxPlace(); c != change || h != hunk || open != "1" {
			t.Errorf("%s %d is chosen, %s %d was; %s is open", c, h, change, hunk, open)
		}
		r.TakeInbox(fresh[2:]) // the one that is open is gone
		if c, _, open := r.InboxPlace(); c != "2" || open != "2" {
			t.Errorf("%s is chosen, %s is open", c, open)
		}
		r.TakeInbox(nil)
		if c, _, _ := r.InboxPlace(); c != "" {
			t.Error("something is chosen of nothing")
		}
	})
}

func TestInbox_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showInbox(func(ids []storage.NodeID) []enginelore.Proposal {
		all := sampleInbox(ids)
		for i := range all {
			c := &all[i]
			c.Name, c.Scene, c.BookName, c.After.Type, c.After.Content = tuitest.Evil, tuitest.Evil, tuitest.Evil, tuitest.Evil, strings.Repeat(tuitest.Evil, 20)
			c.Fields = []field.Change{{Name: tuitest.Evil, Before: tuitest.Evil, After: strings.Repeat(tuitest.Evil, 30)}}
			for j := range c.Hunks {
				c.Hunks[j].Before, c.Hunks[j].After = tuitest.Evil, strings.Repeat(tuitest.Evil, 40)
			}
		}
		return all
	})
	for _, d := range []tuitest.Size{{W: 1, H: 1}, {W: 7, H: 4}, {W: 20, H: 8}, {W: 40, H: 12}, {W: 80, H: 24}, {W: 200, H: 60}} {
		s.Size(d.W, d.H)
		s.press("j", ".", "j", "D").Now()
		s.press("esc", "R").Now()
		s.press("esc", "e").Now()
		s.press("esc", "esc").Now()
	}
	tuitest.Scan(t, s.Written())
}

// The facts that a change leaves out, and the reasons, are shown below it and in the full view.
func TestInbox_ShowsWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 40, Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").showInbox(func([]storage.NodeID) []enginelore.Proposal {
		p := proposalOf("1", "Aksel", "character", "[character-Aksel: a fisherman, owes(Tove)]", "[character-Aksel: owes(Tove), bought a compass]", nil)
		p.Cause.Dropped = []storage.LoreDropped{{Fact: "a fisherman", Why: "he stopped in May"}}
		return []enginelore.Proposal{p}
	})
	s.see("left out a fisherman: he")
	s.press("D").see("Left out of this version", "• a fisherman (he stopped in May)").press("esc")
}
