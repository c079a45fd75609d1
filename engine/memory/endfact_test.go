package memory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A fact of each kind ends, is known no more, and is known again when that is taken back.
func TestEnd_OfEachKind(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Exchange(3, "lamp")
	s.End(ids[len(ids)-1])
	s.RemembersBy(s.MentionAt(s.Chat, ids[1]), "Clara waits at the well")
	_, err := s.Memory.SaveHook(s.ScopeNow(), s.Chat, storage.Hook{Type: storage.FollowUpHook, Content: "The ferry of Moor leaves"})
	enginetest.Must(t, err)
	s.Book(storage.Lorebook{Name: "Harbour", Kind: storage.ChatBook, Chat: s.Chat}, enginetest.Keyed("Gull Inn", "The inn stands on piles.", "inn"))
	met := map[facts.Kind]bool{}
	for _, f := range known(s, memory.FactQuery{}).Facts {
		if met[f.Kind] {
			continue
		}
		met[f.Kind] = true
		step, err := s.Memory.End(s.Chat, f.ID)
		enginetest.Must(t, err)
		if step.Fact.ID != f.ID {
			t.Errorf("%s ended in place of %s", step.Fact.ID, f.ID)
		}
		gone := func(ok bool) {
			t.Helper()
			if got := known(s, memory.FactQuery{}).Find(f.ID) == nil; got != ok {
				t.Errorf("%s %q: gone is %v", f.ID, f.Text, got)
			}
		}
		gone(true)
		enginetest.Must(t, step.Undo())
		gone(false)
		_, err = s.Memory.End(s.Chat, f.ID)
		enginetest.Must(t, err)
		gone(true)
		enginetest.Must(t, s.Memory.Reopen(s.Chat, f.ID))
		gone(false)
	}
	for _, k := range []facts.Kind{facts.Recap, facts.Memory, facts.Hook, facts.Lore} {
		if !met[k] {
			t.Errorf("no fact of the kind %s", k)
		}
	}
	for _, ref := range []string{"", "memory/nobody", "recap/x/y", "recap/none/0", "lore/none/0"} {
		if _, err := s.Memory.End(s.Chat, ref); err == nil {
			t.Errorf("%q ended", ref)
		}
		if err := s.Memory.Reopen(s.Chat, ref); err == nil {
			t.Errorf("%q is open again", ref)
		}
	}
}

// A thread that ends is closed in the ledger of threads too.
func TestEnd_OfAThread(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Tell("Look around.", "Clara broke her hand at the mill of Vale. Who has the key of Moor?")
	s.EndWithoutRecap(ids[1])
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := storage.Breaks.Get(tx, s.Chat, ids[1])
		if err != nil {
			return err
		}
		r := storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap, Text: "## Key Developments\n\n- Clara broke her hand\n\n## Pending Threads\n\n- Who has the key of Moor?\n"}
		return s.Scenes.AppendVersion(tx, s.Chat, b, r)
	}))
	state := func(want string) {
		t.Helper()
		list, err := s.Memory.Threads(s.Chat)
		enginetest.Must(t, err)
		if len(list) != 1 || list[0].State != want {
			t.Errorf("threads are %+v, and not one that is %s", list, want)
		}
	}
	f := saying(t, known(s, memory.FactQuery{}), "key of Moor")
	if f.Kind != facts.Thread {
		t.Fatalf("%+v", f)
	}
	state("open")
	step, err := s.Memory.End(s.Chat, f.ID)
	enginetest.Must(t, err)
	state("closed")
	if known(s, memory.FactQuery{}).Find(f.ID) != nil {
		t.Error("it is known although it has ended")
	}
	enginetest.Must(t, step.Undo())
	state("open")
	saying(t, known(s, memory.FactQuery{}), "key of Moor")
}

// A fact is found by a part of its id that only it has.
func TestFind(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Tell("I ask.", "Clara waits.")
	s.RemembersBy(s.MentionAt(s.Chat, ids[1]), "Clara waits", "Tove rows home")
	list := known(s, memory.FactQuery{}).Facts
	for _, f := range list {
		got, err := s.Memory.FindFact(s.Chat, strings.ToLower(f.ID[len(f.ID)-8:]))
		enginetest.Must(t, err)
		if got.ID != f.ID {
			t.Errorf("%s is %s", f.ID, got.ID)
		}
	}
	if _, err := s.Memory.FindFact(s.Chat, "memory/"); len(list) != 2 || err == nil {
		t.Error("one of two is found")
	}
}

// A line of a recap is edited in its place, and keeps its sources.
func TestEditLine(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Exchange(3, "lamp")
	s.End(ids[len(ids)-1])
	f := sourced(t, known(s, memory.FactQuery{}))
	line, err := s.Memory.Line(s.Chat, f.ID)
	enginetest.Must(t, err)
	back, err := s.Memory.EditLine(s.Chat, f.ID, line, "Brona has sold the mill of Moor.")
	enginetest.Must(t, err)
	if now := known(s, memory.FactQuery{}).Find(f.ID); now == nil || now.Text != "Brona has sold the mill of Moor." || len(now.Sources) != len(f.Sources) {
		t.Errorf("edited: %+v", now)
	}
	if _, err := s.Memory.EditLine(s.Chat, f.ID, line, "Something else."); err == nil {
		t.Error("a line is overwritten that has changed meanwhile")
	}
	if _, err := s.Memory.EditLine(s.Chat, f.ID, "Brona has sold the mill of Moor.", " "); err == nil {
		t.Error("a line became empty")
	}
	enginetest.Must(t, back())
	if now := known(s, memory.FactQuery{}).Find(f.ID); now == nil || now.Text != f.Text || len(now.Sources) != len(f.Sources) {
		t.Errorf("taken back: %+v", now)
	}
}

// sourced is a fact of a recap that has messages.
func sourced(t *testing.T, v memory.FactList) memory.Fact {
	t.Helper()
	for _, f := range v.Facts {
		if f.Kind == facts.Recap && len(f.Sources) > 0 {
			return f
		}
	}
	t.Fatalf("no fact of a recap has a source: %+v", v.Facts)
	return memory.Fact{}
}

// A character with whom a fact is shared knows it as if it had been there, until that is undone.
func TestTell(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Plain()
	brona, tove := s.Joined("Brona"), s.Main()
	ids := s.Tell("Hush.", "Clara hides in the boathouse.")
	mention := s.MentionAt(s.Chat, ids[1])
	mention.Sources, mention.Witnesses = ids[1:], []storage.CharacterID{brona}
	s.RemembersBy(mention, "Clara hides in the boathouse")
	knows := func(who storage.CharacterID, words string) (ok bool) {
		t.Helper()
		for _, f := range known(s, memory.FactQuery{As: who}).Facts {
			ok = ok || strings.Contains(f.Text, words)
		}
		return ok
	}
	f := saying(t, known(s, memory.FactQuery{}), "boathouse")
	if why := f.WhyNotShare(known(s, memory.FactQuery{}).Cast); why != "" {
		t.Errorf("it cannot be told: %s", why)
	}
	step, err := s.Memory.Share(s.Chat, f.ID, tove)
	enginetest.Must(t, err)
	if !knows(tove, "boathouse") || !knows(brona, "boathouse") {
		t.Error("it is not known to both")
	}
	if _, err := s.Memory.Share(s.Chat, f.ID, tove); err == nil {
		t.Error("it is told twice")
	}
	if f := saying(t, known(s, memory.FactQuery{}), "boathouse"); f.WhyNotShare(known(s, memory.FactQuery{}).Cast) == "" {
		t.Error("what everybody knows can be told to somebody")
	}
	listed := func(who storage.CharacterID) int {
		list, err := s.Memory.Memories(memory.Query{Chat: s.Chat, As: who, All: true})
		enginetest.Must(t, err)
		return len(list.List)
	}
	if listed(tove) != 1 || listed(brona) != 1 || listed("") != 1 {
		t.Error("the list of memories does not follow who knows them")
	}
	enginetest.Must(t, step.Undo())
	if listed(tove) != 0 || listed(brona) != 1 {
		t.Error("taken back, the list of memories does not follow who knows them")
	}
	if knows(tove, "boathouse") || !knows(brona, "boathouse") {
		t.Error("taken back, it is still known, or not where it was")
	}
	_, err = s.Memory.Share(s.Chat, f.ID, tove)
	enginetest.Must(t, err)
	step, err = s.Memory.Unshare(s.Chat, f.ID, tove)
	enginetest.Must(t, err)
	if knows(tove, "boathouse") {
		t.Error("it is known although it was untold")
	}
	if _, err := s.Memory.Unshare(s.Chat, f.ID, tove); err == nil {
		t.Error("it is untold twice")
	}
	enginetest.Must(t, step.Undo())
	if !knows(tove, "boathouse") {
		t.Error("to untell is taken back, and it is not known")
	}
	if _, err := s.Memory.Share(s.Chat, f.ID, "nobody"); err == nil {
		t.Error("somebody was told who does not play")
	}
}

// Sharing a fact that is no memory makes a memory for that character, with the fact's sources.
func TestTell_MakesAMemory(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Plain()
	brona, tove := s.Joined("Brona"), s.Main()
	ids := s.Tell("Hush.", "Hm.")
	h, err := s.Memory.SaveHook(s.ScopeNow(), s.Chat, storage.Hook{Type: storage.FollowUpHook, Content: "The ferry of Moor leaves"})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		h.Mentions[0] = s.MentionAt(s.Chat, ids[1])
		h.Mentions[0].Sources, h.Mentions[0].Witnesses = ids[1:], []storage.CharacterID{brona}
		return storage.Hooks.Put(tx, s.ScopeNow(), h)
	}))
	made := func() []memory.MemoryView {
		list, err := s.Memory.Memories(memory.Query{Chat: s.Chat})
		enginetest.Must(t, err)
		return list.List
	}
	f := saying(t, known(s, memory.FactQuery{}), "ferry")
	step, err := s.Memory.Share(s.Chat, f.ID, tove)
	enginetest.Must(t, err)
	if list := made(); len(list) != 1 || list[0].Content != "The ferry of Moor leaves" || len(list[0].Mentions[0].Witnesses) != 1 || list[0].Mentions[0].Node != ids[1] || list[0].Source != ids[1] {
		t.Fatalf("made: %+v", list)
	}
	if v := known(s, memory.FactQuery{}); len(v.Duplicates) > 0 {
		t.Errorf("nobody is told both, and they are shown as duplicates: %+v", v.Duplicates)
	}
	if v := known(s, memory.FactQuery{As: tove}); len(v.Facts) != 1 {
		t.Errorf("who was told knows %+v", v.Facts)
	}
	enginetest.Must(t, step.Undo())
	if list := made(); len(list) != 0 {
		t.Errorf("taken back, there is %+v", list)
	}
	_, err = s.Memory.Share(s.Chat, f.ID, tove)
	enginetest.Must(t, err)
	_, err = s.Memory.Unshare(s.Chat, f.ID, tove)
	enginetest.Must(t, err)
	if list := made(); len(list) != 0 {
		t.Errorf("untold, there is %+v", list)
	}
}

// Sharing affects only that fact: a memory with the same words that was removed stays removed, and
// nobody else gets it back.
func TestTell_LeavesRemovedMemoriesAlone(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Plain()
	brona, tove := s.Joined("Brona"), s.Main()
	ids := s.Tell("Hush.", "Hm.")
	s.RemembersBy(s.MentionAt(s.Chat, ids[1]), "The ferry of Moor leaves")
	list, err := s.Memory.Memories(memory.Query{Chat: s.Chat})
	enginetest.Must(t, err)
	_, err = s.Memory.Act(s.ScopeNow(), []storage.MemoryID{list.List[0].ID}, memory.Remove)
	enginetest.Must(t, err)
	h, err := s.Memory.SaveHook(s.ScopeNow(), s.Chat, storage.Hook{Type: storage.FollowUpHook, Content: "The ferry of Moor leaves"})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		h.Mentions[0] = s.MentionAt(s.Chat, ids[1])
		h.Mentions[0].Sources, h.Mentions[0].Witnesses = ids[1:], []storage.CharacterID{brona}
		return storage.Hooks.Put(tx, s.ScopeNow(), h)
	}))
	_, err = s.Memory.Share(s.Chat, saying(t, known(s, memory.FactQuery{}), "ferry").ID, tove)
	enginetest.Must(t, err)
	list, err = s.Memory.Memories(memory.Query{Chat: s.Chat})
	enginetest.Must(t, err)
	if len(list.List) != 1 || len(list.List[0].Mentions) != 1 || !slices.Equal(list.List[0].Mentions[0].Witnesses, []storage.CharacterID{tove}) {
		t.Errorf("what is remembered then: %+v", list.List)
	}
}
