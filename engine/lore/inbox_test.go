package lore_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// reviewing lets every change wait.
func reviewing(o *enginetest.Setup) {
	enginetest.Filling(o)
	o.Cfg.Lore.Review = map[string]string{"default": "review"}
}

func (s *harness) inbox(n int) []lore.Proposal {
	s.T.Helper()
	list, err := s.Lore.Inbox(s.Chat, "")
	enginetest.Must(s.T, err)
	if len(list) != n {
		s.T.Fatalf("%d changes wait: %+v", len(list), list)
	}
	return list
}

func TestInbox_TaughtTwiceWaitsOnce(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, reviewing)})
	a := s.Exchange(4, "lamp")
	lamp := func(fact string) storage.LoreCandidate {
		return candidate("item", "Brass Lamp", "[item-Brass Lamp: "+fact+"]", "lamp")
	}
	s.TeachScene(a[3], lamp("brass"))
	_, err := s.Lore.Fill(s.Chat, a[3])
	enginetest.Must(t, err)
	s.Work()
	first := s.inbox(1)[0]
	s.TeachScene(a[7], lamp("cracked"))
	both := s.inbox(2)
	enginetest.Must(t, s.Lore.Accept(first.ID, nil, nil))
	enginetest.Must(t, s.Lore.Accept(both[1].ID, nil, nil))
	book := s.taughtBook()
	if got := s.loreNames(book); !slices.Equal(got, []string{"Brass Lamp"}) {
		t.Errorf("accepted: %v", got)
	}
	v := s.named(book, "Brass Lamp")
	if !strings.Contains(v.Content, "brass") || !strings.Contains(v.Content, "cracked") {
		t.Errorf("accepted: %s", v.Content)
	}
	_, err = s.Lore.UndoReview()
	enginetest.Must(t, err)
	if v := s.named(book, "Brass Lamp"); v.Content != "[item-Brass Lamp: brass]" {
		t.Errorf("taken back: %s", v.Content)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[4]))
	if v := s.named(book, "Brass Lamp"); v.Content != "[item-Brass Lamp: brass]" {
		t.Errorf("before the second scene: %s", v.Content)
	}
	s.Sound()
}

func TestInbox_FilledTwiceBeforeTheQueueWorks(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
	a := s.Exchange(2, "lamp")
	s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	s.Queue.Pause()
	q, err := s.Lore.Fill(s.Chat, a[3])
	if err != nil || q.Candidates != 1 {
		t.Fatalf("%+v %v", q, err)
	}
	if q, err := s.Lore.Fill(s.Chat, a[3]); err == nil {
		t.Errorf("queued twice: %+v", q)
	}
}

// waiting is a change of a name and a fact that waits.
func (s *harness) waiting(book storage.LorebookID, id storage.EntryID, at storage.NodeID) storage.LoreChangeID {
	s.T.Helper()
	var change storage.LoreChangeID
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		p, err := tx.NodeInfo(s.Chat, at)
		if err != nil {
			return err
		}
		x, err := lore.EntryAt(tx, book, id, lore.NewTrail(tx, s.Chat, at))
		if err != nil {
			return err
		}
		next := x
		next.Name, next.Aliases, next.Content = "Marla Tew", []string{"the innkeeper"}, "[character-Marla Tew: keeps the inn, hums]"
		next.At, next.AtDepth = at, p.Depth
		next.Cause = storage.LoreCause{Origin: storage.LoreByScene, Chat: s.Chat, Break: at, Recap: storage.RecapID(storage.NewID())}
		change, err = lore.Propose(s.Lore, tx, storage.LoreChange{Book: book, Kind: storage.LoreUpdates, Before: x.Revision, After: next, Cause: next.Cause})
		return err
	}))
	return change
}

func TestInbox_AnotherChangeOfTheEntryCostsNoPartOfIt(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "inn")
	book, ids := s.ownBook(enginetest.Keyed("the innkeeper", "[character-the innkeeper: keeps the inn]", "innkeeper"))
	change := s.waiting(book, ids[0], a[3])
	_, err := s.Lore.Act(book, s.Chat, ids, lore.Reorder, "7")
	enginetest.Must(t, err)
	enginetest.Must(t, s.Lore.Accept(change, nil, nil))
	v := s.entry(book, ids[0])
	if v.Name != "Marla Tew" || !slices.Contains(v.Aliases, "the innkeeper") || v.Order != 7 || !strings.Contains(v.Content, "hums") {
		t.Errorf("%+v", v.Row.LoreEntry)
	}
	_, err = s.Lore.UndoReview()
	enginetest.Must(t, err)
	if p := s.inbox(1)[0]; v.Name == p.Before.Name {
		t.Errorf("%+v", p)
	}
	if v := s.entry(book, ids[0]); v.Name != "the innkeeper" || v.Order != 7 {
		t.Errorf("taken back: %+v", v.Row.LoreEntry)
	}
}

func TestInbox_TakenBackItIsNotOutdated(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "inn")
	book, ids := s.ownBook(enginetest.Keyed("the innkeeper", "[character-the innkeeper: keeps the inn]", "innkeeper"))
	change := s.waiting(book, ids[0], a[3])
	enginetest.Must(t, s.Lore.Accept(change, nil, nil))
	_, err := s.Lore.UndoReview()
	enginetest.Must(t, err)
	if p := s.inbox(1)[0]; p.Outdated {
		t.Error("what was taken back is outdated")
	}
}

func TestInbox_AcceptedFromAnotherBranch(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(6, "inn")
	book, _ := s.ownBook()
	id := s.learnt(book, enginetest.Keyed("the innkeeper", "[character-the innkeeper: keeps the inn]", "innkeeper"), a[5])
	change := s.waiting(book, id, a[7])
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[3]))
	if p := s.inbox(1)[0]; p.Outdated {
		t.Error("outdated by going elsewhere")
	}
	enginetest.Must(t, s.Lore.Accept(change, nil, nil))
	if got := s.loreNames(book); len(got) != 0 {
		t.Errorf("here: %v", got)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[11]))
	if got := s.loreNames(book); !slices.Equal(got, []string{"Marla Tew"}) {
		t.Errorf("there: %v", got)
	}
}

func TestInbox_NothingOrTooMuchIsRefused(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "inn")
	book, ids := s.ownBook(enginetest.Keyed("the innkeeper", "[character-the innkeeper: keeps the inn]", "innkeeper"))
	change := s.waiting(book, ids[0], a[3])
	if err := s.Lore.Accept(change, make([]bool, len(s.inbox(1)[0].Hunks)), nil); err == nil {
		t.Error("nothing of it is accepted")
	}
	huge := strings.Repeat("x", lore.LongestLore+1)
	if err := s.Lore.Accept(change, nil, &huge); err == nil {
		t.Error("more than an entry holds is accepted")
	}
	v := s.entry(book, ids[0])
	v.Content = "She keeps the inn, and nobody knows more."
	_, err := s.Lore.SaveEntry(book, s.Chat, v.Row.LoreEntry)
	enginetest.Must(t, err)
	if err := s.Lore.Accept(change, nil, nil); err == nil {
		t.Errorf("accepted into prose: %s", s.entry(book, ids[0]).Content)
	}
	s.inbox(1)
}

// A fact that the scene's newer recap says as well is not taken back.
func TestTaught_WhatTheNewRecapSaysTooStays(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
	a := s.Exchange(2, "lamp")
	s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, cracked]", "lamp"))
	s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	got, err := s.Lore.SceneChanges(s.Chat, a[3])
	enginetest.Must(t, err)
	if len(got) != 1 || got[0].New || !slices.Equal(got[0].Facts, []string{"cracked"}) {
		t.Errorf("%+v", got)
	}
	if n, err := s.Lore.UndoScene(s.Chat, a[3]); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if v := s.named(s.taughtBook(), "Brass Lamp"); v.Content != "[item-Brass Lamp: brass]" {
		t.Errorf("left: %s", v.Content)
	}
}

// What is taken back is gone on every branch that the scene lies on.
func TestTaught_TakenBackOnAllBranches(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
	a := s.Exchange(4, "lamp")
	s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, cracked]", "lamp"))
	s.TeachScene(a[7], candidate("item", "Brass Lamp", "[item-Brass Lamp: heavy]", "lamp"))
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[5]))
	b := s.Exchange(1, "lamp")
	s.TeachScene(b[1], candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter]", "lamp"))
	book := s.taughtBook()
	_, err := s.Scenes.SetBreak(s.Chat, a[3], false)
	enginetest.Must(t, err)
	if n, err := s.Lore.UndoScene(s.Chat, a[3]); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for leaf, want := range map[storage.NodeID]string{b[1]: "winter", a[7]: "heavy", a[4]: ""} {
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return s.Chats.SetHead(tx, s.Chat, leaf) }))
		rows, err := s.Lore.Entries(book, s.Chat)
		enginetest.Must(t, err)
		text := ""
		for _, r := range rows {
			text += r.Content
		}
		if strings.Contains(text, "cracked") || !strings.Contains(text, want) || want == "" && text != "" {
			t.Errorf("at %s: %s", leaf, text)
		}
	}
}

// Two versions of a scene's recap taught two entries: only the older is stale.
func TestTaught_StaleGoesByTheRecap(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
	a := s.Exchange(2, "lamp")
	s.EndWithoutRecap(a[3])
	recap := func(c storage.LoreCandidate) {
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			b, err := scenes.VisibleBreak(tx, s.Chat, a[3])
			if err != nil {
				return err
			}
			if err := s.Scenes.Rehash(tx, s.Chat, &b); err != nil {
				return err
			}
			r := storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap, Origin: storage.Generated, Text: c.Name,
				InputsHash: b.InputsHash, Lorebooks: []storage.LoreCandidate{c}}
			if err := s.Scenes.AppendVersion(tx, s.Chat, b, r); err != nil {
				return err
			}
			return s.Lore.FillAfterRecap(tx, scenes.Recapped{Chat: s.Chat, Node: a[3], Recap: r.ID})
		}))
	}
	recap(candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	enginetest.Must(t, s.Chats.Edit(s.Chat, a[1], "*Tove drops the lamp.*"))
	recap(candidate("item", "Silver Key", "[item-Silver Key: small]", "key"))
	s.Work()
	rows, err := s.Lore.Entries(s.taughtBook(), s.Chat)
	enginetest.Must(t, err)
	for _, r := range rows {
		if r.Stale != (r.Name == "Brass Lamp") {
			t.Errorf("%s is stale: %v", r.Name, r.Stale)
		}
	}
}

// A change whose entry cannot be read hides no other, and can be rejected.
func TestInbox_ADamagedRecordHidesNoOther(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "inn")
	book, ids := s.ownBook(enginetest.Keyed("the innkeeper", "[character-the innkeeper: keeps the inn]", "innkeeper"))
	s.waiting(book, ids[0], a[3])
	bad := s.waiting(book, ids[0], a[5])
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		c, err := lore.ChangeIn(tx, bad)
		if err != nil {
			return err
		}
		c.Before = storage.RevisionID(storage.NewID())
		return storage.LoreChanges.Put(tx, book, c)
	}))
	s.inbox(2)
	enginetest.Must(t, s.Lore.Reject(bad))
	s.inbox(1)
}
