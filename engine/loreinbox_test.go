package engine

import (
	"slices"
	"strings"
	"testing"

	"ghostlight/storage"
)

// reviewing lets every change wait.
func reviewing(o *setup) {
	filling(o)
	o.cfg.Lore.Review = map[string]string{"default": "review"}
}

func (s *stage) inbox(n int) []LoreProposal {
	s.t.Helper()
	list, err := s.LoreInbox(s.chat, "")
	must(s.t, err)
	if len(list) != n {
		s.t.Fatalf("%d changes wait: %+v", len(list), list)
	}
	return list
}

func TestInbox_TaughtTwiceWaitsOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t, reviewing)
	a := s.exchange(4, "lamp")
	lamp := func(fact string) storage.LoreCandidate {
		return candidate("item", "Brass Lamp", "[item-Brass Lamp: "+fact+"]", "lamp")
	}
	s.teachScene(a[3], lamp("brass"))
	_, err := s.FillLore(s.chat, a[3])
	must(t, err)
	s.work()
	first := s.inbox(1)[0]
	s.teachScene(a[7], lamp("cracked"))
	both := s.inbox(2)
	must(t, s.AcceptLore(first.ID, nil, nil))
	must(t, s.AcceptLore(both[1].ID, nil, nil))
	book := s.taughtBook()
	if got := s.loreNames(book); !slices.Equal(got, []string{"Brass Lamp"}) {
		t.Errorf("accepted: %v", got)
	}
	v := s.named(book, "Brass Lamp")
	if !strings.Contains(v.Content, "brass") || !strings.Contains(v.Content, "cracked") {
		t.Errorf("accepted: %s", v.Content)
	}
	_, err = s.UndoReview()
	must(t, err)
	if v := s.named(book, "Brass Lamp"); v.Content != "[item-Brass Lamp: brass]" {
		t.Errorf("taken back: %s", v.Content)
	}
	must(t, s.Branch(s.chat, a[4]))
	if v := s.named(book, "Brass Lamp"); v.Content != "[item-Brass Lamp: brass]" {
		t.Errorf("before the second scene: %s", v.Content)
	}
	s.sound()
}

func TestInbox_FilledTwiceBeforeTheQueueWorks(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling)
	a := s.exchange(2, "lamp")
	s.teachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	s.QueuePause(true)
	q, err := s.FillLore(s.chat, a[3])
	if err != nil || q.Candidates != 1 {
		t.Fatalf("%+v %v", q, err)
	}
	if q, err := s.FillLore(s.chat, a[3]); err == nil {
		t.Errorf("queued twice: %+v", q)
	}
}

// waiting is a change of a name and a fact that waits.
func (s *stage) waiting(book storage.LorebookID, id storage.EntryID, at storage.NodeID) storage.LoreChangeID {
	s.t.Helper()
	var change storage.LoreChangeID
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		p, err := tx.Place(s.chat, at)
		if err != nil {
			return err
		}
		x, err := entryAt(tx, book, id, trailOf(tx, s.chat, at))
		if err != nil {
			return err
		}
		next := x
		next.Name, next.Aliases, next.Content = "Marla Tew", []string{"the innkeeper"}, "[character-Marla Tew: keeps the inn, hums]"
		next.At, next.AtDepth = at, p.Depth
		next.Cause = storage.LoreCause{Origin: storage.LoreByScene, Chat: s.chat, Break: at, Recap: storage.RecapID(storage.NewID())}
		change, err = s.propose(tx, storage.LoreChange{Book: book, Kind: storage.LoreUpdates, Before: x.Revision, After: next, Cause: next.Cause})
		return err
	}))
	return change
}

func TestInbox_AnotherChangeOfTheEntryCostsNoPartOfIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(4, "inn")
	book, ids := s.ownBook(keyed("the innkeeper", "[character-the innkeeper: keeps the inn]", "innkeeper"))
	change := s.waiting(book, ids[0], a[3])
	_, err := s.ActLore(book, s.chat, ids, LoreReorder, "7")
	must(t, err)
	must(t, s.AcceptLore(change, nil, nil))
	v := s.entry(book, ids[0])
	if v.Name != "Marla Tew" || !slices.Contains(v.Aliases, "the innkeeper") || v.Order != 7 || !strings.Contains(v.Content, "hums") {
		t.Errorf("%+v", v.LoreRow.LoreEntry)
	}
	_, err = s.UndoReview()
	must(t, err)
	if p := s.inbox(1)[0]; v.Name == p.Before.Name {
		t.Errorf("%+v", p)
	}
	if v := s.entry(book, ids[0]); v.Name != "the innkeeper" || v.Order != 7 {
		t.Errorf("taken back: %+v", v.LoreRow.LoreEntry)
	}
}

func TestInbox_TakenBackItIsNotOutdated(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(4, "inn")
	book, ids := s.ownBook(keyed("the innkeeper", "[character-the innkeeper: keeps the inn]", "innkeeper"))
	change := s.waiting(book, ids[0], a[3])
	must(t, s.AcceptLore(change, nil, nil))
	_, err := s.UndoReview()
	must(t, err)
	if p := s.inbox(1)[0]; p.Outdated {
		t.Error("what was taken back is outdated")
	}
}

func TestInbox_AcceptedFromAnotherBranch(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(6, "inn")
	book, _ := s.ownBook()
	id := s.learnt(book, keyed("the innkeeper", "[character-the innkeeper: keeps the inn]", "innkeeper"), a[5])
	change := s.waiting(book, id, a[7])
	must(t, s.Branch(s.chat, a[3]))
	if p := s.inbox(1)[0]; p.Outdated {
		t.Error("outdated by going elsewhere")
	}
	must(t, s.AcceptLore(change, nil, nil))
	if got := s.loreNames(book); len(got) != 0 {
		t.Errorf("here: %v", got)
	}
	must(t, s.Branch(s.chat, a[11]))
	if got := s.loreNames(book); !slices.Equal(got, []string{"Marla Tew"}) {
		t.Errorf("there: %v", got)
	}
}

func TestInbox_NothingOrTooMuchIsRefused(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(4, "inn")
	book, ids := s.ownBook(keyed("the innkeeper", "[character-the innkeeper: keeps the inn]", "innkeeper"))
	change := s.waiting(book, ids[0], a[3])
	if err := s.AcceptLore(change, make([]bool, len(s.inbox(1)[0].Hunks)), nil); err == nil {
		t.Error("nothing of it is accepted")
	}
	huge := strings.Repeat("x", longestLore+1)
	if err := s.AcceptLore(change, nil, &huge); err == nil {
		t.Error("more than an entry holds is accepted")
	}
	v := s.entry(book, ids[0])
	v.Content = "She keeps the inn, and nobody knows more."
	_, err := s.SaveLoreEntry(book, s.chat, v.LoreRow.LoreEntry)
	must(t, err)
	if err := s.AcceptLore(change, nil, nil); err == nil {
		t.Errorf("accepted into prose: %s", s.entry(book, ids[0]).Content)
	}
	s.inbox(1)
}

// A fact that the scene's newer recap says as well is not taken back.
func TestTaught_WhatTheNewRecapSaysTooStays(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling)
	a := s.exchange(2, "lamp")
	s.teachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, cracked]", "lamp"))
	s.teachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	got, err := s.LoreTaught(s.chat, a[3])
	must(t, err)
	if len(got) != 1 || got[0].New || !slices.Equal(got[0].Facts, []string{"cracked"}) {
		t.Errorf("%+v", got)
	}
	if n, err := s.TakeBackLore(s.chat, a[3]); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if v := s.named(s.taughtBook(), "Brass Lamp"); v.Content != "[item-Brass Lamp: brass]" {
		t.Errorf("left: %s", v.Content)
	}
}

// What is taken back is gone on every branch that the scene lies on.
func TestTaught_TakenBackOnAllBranches(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling)
	a := s.exchange(4, "lamp")
	s.teachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, cracked]", "lamp"))
	s.teachScene(a[7], candidate("item", "Brass Lamp", "[item-Brass Lamp: heavy]", "lamp"))
	must(t, s.Branch(s.chat, a[5]))
	b := s.exchange(1, "lamp")
	s.teachScene(b[1], candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter]", "lamp"))
	book := s.taughtBook()
	_, err := s.SetBreak(s.chat, a[3], false)
	must(t, err)
	if n, err := s.TakeBackLore(s.chat, a[3]); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	for leaf, want := range map[storage.NodeID]string{b[1]: "winter", a[7]: "heavy", a[4]: ""} {
		must(t, s.store.Update(func(tx *storage.Tx) error { return s.setHead(tx, s.chat, leaf) }))
		rows, err := s.LoreEntries(book, s.chat)
		must(t, err)
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
	s := newStage(t, filling)
	a := s.exchange(2, "lamp")
	_, err := s.SetBreak(s.chat, a[3], true)
	must(t, err)
	recap := func(c storage.LoreCandidate) {
		must(t, s.store.Update(func(tx *storage.Tx) error {
			b, err := theBreak(tx, s.chat, a[3])
			if err != nil {
				return err
			}
			if err := s.rehash(tx, s.chat, &b); err != nil {
				return err
			}
			r := storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap, Origin: storage.Generated, Text: c.Name,
				Inputs: b.Inputs, Lorebooks: []storage.LoreCandidate{c}}
			if err := s.appendVersion(tx, s.chat, b, r); err != nil {
				return err
			}
			return s.teachNext(tx, Recapped{s.chat, a[3], r.ID})
		}))
	}
	recap(candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	must(t, s.Edit(s.chat, a[1], "*Tove drops the lamp.*"))
	recap(candidate("item", "Silver Key", "[item-Silver Key: small]", "key"))
	s.work()
	rows, err := s.LoreEntries(s.taughtBook(), s.chat)
	must(t, err)
	for _, r := range rows {
		if r.Stale != (r.Name == "Brass Lamp") {
			t.Errorf("%s is stale: %v", r.Name, r.Stale)
		}
	}
}

// A change whose entry cannot be read hides no other, and can be rejected.
func TestInbox_ADamagedRecordHidesNoOther(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(4, "inn")
	book, ids := s.ownBook(keyed("the innkeeper", "[character-the innkeeper: keeps the inn]", "innkeeper"))
	s.waiting(book, ids[0], a[3])
	bad := s.waiting(book, ids[0], a[5])
	must(t, s.store.Update(func(tx *storage.Tx) error {
		c, err := changeIn(tx, bad)
		if err != nil {
			return err
		}
		c.Before = storage.RevisionID(storage.NewID())
		return storage.LoreChanges.Put(tx, book, c)
	}))
	s.inbox(2)
	must(t, s.RejectLore(bad))
	s.inbox(1)
}
