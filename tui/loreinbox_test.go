package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ghostlight/engine/lore"
	"ghostlight/engine/lore/plist"
	"ghostlight/storage"
	"ghostlight/tui/keys"
)

// proposalOf is a proposal as the engine makes it.
func proposalOf(id, name, typ string, before, after string, from []storage.NodeID) lore.Proposal {
	e := storage.NewLoreEntry()
	e.ID, e.Name, e.Type, e.Content = storage.EntryID("e"+id), name, typ, after
	p := lore.Proposal{LoreChange: storage.LoreChange{ID: storage.LoreChangeID(id), Book: "book", Kind: storage.LoreUpdates, Before: "r1", After: e,
		Cause: storage.LoreCause{Origin: storage.LoreByScene, Break: "brk"}}, BookName: "The harbour", Name: name, Scene: "Scene 2: The lighthouse"}
	if before == "" {
		p.Kind, p.LoreChange.Before = storage.LoreAdds, ""
	} else {
		old := e
		old.Content = before
		p.Before = &old
	}
	p.Hunks = plist.Diff(before, after)
	for _, h := range p.Hunks {
		if h.Kind == plist.Kept || h.Head {
			p.Sources = append(p.Sources, nil)
		} else {
			p.Sources = append(p.Sources, from)
		}
	}
	return p
}

// sampleInbox is an inbox with a proposal of every kind. from are messages of the
// chat.
func sampleInbox(from []storage.NodeID) []lore.Proposal {
	aksel := proposalOf("1", "Aksel", "character",
		"[character-Aksel: brother of {{user}}, is a fisherman, bought a compass, lives in Skarvik, has red hair, speaks little]",
		"[character-Aksel: brother of {{user}}, was a fisherman(until May), bought a compass, lives in Skarvik, has red hair, left a notebook(under the lamp), slept in the lighthouse for a week]", from[4:6])
	aksel.Fields = []lore.Field{{Name: "keys", Before: "aksel", After: "aksel, brother"}, {Name: "synopsis", After: "The lost brother."}}
	cave := proposalOf("2", "The cave", "location", "", "[location-The cave: under the north cliff, drowned the mother of Tove]", from[6:8])
	tove := proposalOf("3", "Tove", "character", "[character-Tove: keeps the ferry house, carries a lantern]", "[character-Tove: keeps the ferry house, fears the cave]", from[7:8])
	tove.Outdated = true
	long := proposalOf("4", "Skarvik", "location", "[location-Skarvik: has a harbour, has a harbour with a broken crane, has a lighthouse]", "[location-Skarvik: has a harbour(with a broken crane), has a lighthouse]", nil)
	long.Kind, long.Scene, long.BookName = storage.LoreCompacts, "", "Skarvik"
	long.Cause = storage.LoreCause{Origin: storage.LoreByCompact}
	return []lore.Proposal{aksel, cave, tove, long}
}

// onEntries waits until the view of entries is in view.
func (s *session) onEntries() {
	s.t.Helper()
	s.until("the entries", func() bool {
		at := -1
		s.in(func(a *app) {
			if p, ok := paneOf[*lorePane](a); ok {
				at = p.at
			}
		})
		return at == loreEntriesView
	})
}

// showInbox opens the inbox and puts proposals into it.
func (s *session) showInbox(all func([]storage.NodeID) []lore.Proposal) *session {
	s.t.Helper()
	var ids []storage.NodeID
	chat := s.chat()
	for _, m := range chat.Messages {
		ids = append(ids, m.ID)
	}
	s.in(func(a *app) { a.send2(a.Run(keys.LoreInbox)) })
	s.until("the inbox", func() bool {
		ready := false
		s.in(func(a *app) { b := a.inbox(); ready = b != nil && b.loaded && !b.busy })
		return ready
	})
	s.in(func(a *app) { a.inbox().loaded = false; a.inbox().take(all(ids), nil) })
	return s
}

func TestGolden_LoreInbox(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").showInbox(sampleInbox).see("4 changes wait", "(4)")
	s.goldenAfter("lore-inbox", []string{"g"}).goldenStyled("lore-inbox")
	s.press("j", ".").see("[ ]", "3 of 4 facts").press("D").see("As it would read").golden("lore-inbox-diff")
	s.press("esc").notSee("As it would read").press("G", "enter").goldenAfter("lore-inbox-last", []string{"G"}, dims{40, 12}, dims{80, 24})
	s.press("g", "e").see("Edit, then accept").golden("lore-inbox-edit", dims{40, 12}, dims{80, 24})
	s.press("esc").notSee("Edit, then accept").press("R").see("Accept many").golden("lore-inbox-many", dims{40, 12}, dims{80, 24})
	s.press("down", "enter").see("Accept 1 change (type: character)", "1 of them outdated")
}

func TestGolden_LoreInboxEmpty(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").showInbox(func([]storage.NodeID) []lore.Proposal { return nil })
	s.see("Nothing waits").golden("lore-inbox-empty", dims{40, 12}, dims{80, 24})
	s.press("A").see("nothing waits here")
}

// rowsOf are the rows of an inbox in short: proposals by name, hunks by their mark
// and whether they are taken.
func rowsOf(p *loreInbox) []string {
	var out []string
	for i, r := range p.shown {
		c := &p.all[r.proposal]
		words := "  –"
		switch {
		case r.lines == nil:
			words = c.Name
		case r.hunk >= 0 && p.taken(c, r.hunk):
			words = "  ×"
		case r.hunk >= 0:
			words = "  o"
		}
		if i == p.Outline.Chosen() {
			words += " <"
		}
		out = append(out, words)
	}
	return out
}

func TestLoreInbox_Rows(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").showInbox(sampleInbox)
	want := func(rows ...string) {
		t.Helper()
		s.in(func(a *app) {
			if d := cmp.Diff(rows, rowsOf(a.inbox())); d != "" {
				t.Error(d)
			}
		})
	}
	want("Aksel <", "  –", "  –", "  ×", "  –", "  ×", "  ×", "  ×", "  –", "  –", "The cave", "Tove", "Skarvik")
}

func TestLoreInbox_MarksAndFolds(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 120, h: 50, prepare: withStory(t, harbour, false)})
	s.see("blue boat").showInbox(func(ids []storage.NodeID) []lore.Proposal { return sampleInbox(ids)[1:3] })
	rows := func(want string) {
		t.Helper()
		s.in(func(a *app) {
			if got := strings.Join(rowsOf(a.inbox()), ","); got != want {
				t.Errorf("%s\nwant %s", got, want)
			}
		})
	}
	rows("The cave <,  –,  ×,  ×,Tove")
	s.press(".").see("choose a fact below")
	s.press("j", ".")
	rows("The cave,  –,  o <,  ×,Tove")
	s.press(".", "j", "<")
	rows("The cave,  –,  ×,  o <,Tove")
	s.press(">")
	rows("The cave,  –,  ×,  × <,Tove")
	s.press("*")
	rows("The cave,  –,  o,  o <,Tove")
	s.press("A").see("no fact of it is taken")
	s.press("*")
	rows("The cave,  –,  ×,  × <,Tove")
	s.press("left")
	rows("The cave <,Tove")
	s.press("j", "enter")
	rows("The cave,Tove <,  –,  –,  ×,  ×")
	s.press("z")
	rows("The cave,Tove <")
	s.press("right", "l", "j", "S").see("this came from here")
	s.in(func(a *app) {
		if a.play.Selected != 7 {
			t.Errorf("message %d is selected", a.play.Selected)
		}
	})
	s.press("o").onEntries()
	s.press("3").see("2 changes wait")
	s.press("g", "o").see("no such entry yet").press("S").see("message 1 of 2").press("S").see("message 2 of 2")
}

// A fact that is left out, a decision and a new reading leave the choice where
// the user looks.
func TestLoreInbox_KeepsItsPlace(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 120, h: 50, prepare: withStory(t, harbour, false)})
	s.see("blue boat").showInbox(sampleInbox)
	s.in(func(a *app) {
		p := a.inbox()
		p.act(keys.PaneDown, a)
		p.act(keys.PaneDown, a)
		was := p.chosenFact()
		fresh := append([]lore.Proposal{proposalOf("0", "Ferry", "item", "", "[item-Ferry: leaves at dawn]", nil)}, p.all...)
		p.take(fresh, nil)
		if got := p.chosenFact(); got != was || p.open != "1" {
			t.Errorf("%v is chosen, %v was; %s is open", got, was, p.open)
		}
		p.take(fresh[2:], nil) // the one that is open is gone
		if got := p.chosenFact(); got.change != "2" || p.open != "2" {
			t.Errorf("%v is chosen, %s is open", got, p.open)
		}
		p.take(nil, nil)
		if p.chosenFact().change != "" || p.proposal() != nil {
			t.Error("something is chosen of nothing")
		}
	})
}

func TestLoreInbox_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").showInbox(func(ids []storage.NodeID) []lore.Proposal {
		all := sampleInbox(ids)
		for i := range all {
			c := &all[i]
			c.Name, c.Scene, c.BookName, c.After.Type, c.After.Content = evil, evil, evil, evil, strings.Repeat(evil, 20)
			c.Fields = []lore.Field{{Name: evil, Before: evil, After: strings.Repeat(evil, 30)}}
			for j := range c.Hunks {
				c.Hunks[j].Before, c.Hunks[j].After = evil, strings.Repeat(evil, 40)
			}
		}
		return all
	})
	for _, d := range []dims{{1, 1}, {7, 4}, {20, 8}, {40, 12}, {80, 24}, {200, 60}} {
		s.size(d.w, d.h)
		s.press("j", ".", "j", "D").now()
		s.press("esc", "R").now()
		s.press("esc", "e").now()
		s.press("esc", "esc").now()
	}
	scan(t, s.out.bytes())
}
