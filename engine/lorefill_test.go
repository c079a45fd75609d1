package engine

import (
	"slices"
	"strings"
	"testing"

	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// filling lets recaps fill the lorebook.
func filling(o *setup) { o.cfg.Lore.NoFill = false }

// teachScene ends the scene at node with a recap that brings these candidates.
func (s *stage) teachScene(node storage.NodeID, list ...storage.LoreCandidate) {
	s.t.Helper()
	_, err := s.SetBreak(s.chat, node, true)
	must(s.t, err)
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		b, err := theBreak(tx, s.chat, node)
		if err != nil {
			return err
		}
		r := storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap, Origin: storage.Generated, Text: "x", Lorebooks: list}
		if err := s.appendVersion(tx, s.chat, b, r); err != nil {
			return err
		}
		return s.teachNext(tx, Recapped{s.chat, node, r.ID})
	}))
	s.work()
}

func candidate(typ, name, content string, keys ...string) storage.LoreCandidate {
	return storage.LoreCandidate{Type: typ, Name: name, Content: content, Keywords: keys}
}

// taughtBook is the chat's own book.
func (s *stage) taughtBook() storage.LorebookID {
	s.t.Helper()
	var id storage.LorebookID
	must(s.t, s.store.View(func(tx *storage.Tx) error { b, _ := chatBook(tx, s.chat); id = b.ID; return nil }))
	if id == "" {
		s.t.Fatal("the chat has no book")
	}
	return id
}

func (s *stage) named(book storage.LorebookID, name string) LoreEntryView {
	s.t.Helper()
	id, err := s.FindLoreEntry(book, name)
	must(s.t, err)
	return s.entry(book, id)
}

func TestFill_NewThenMerged(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling)
	a := s.tell("I walk to the Gull Inn.", "Marla Tew runs the Gull Inn, which stands on piles.", "Is it dear?", "The Gull Inn costs two shillings.",
		"I come back to the Gull Inn.", "The roof of the Gull Inn has burnt down.")
	s.teachScene(a[3], candidate("location", "Gull Inn", "[location-Gull Inn: stands on piles, run by(Marla Tew)]", "gull inn"),
		candidate("character", "Marla Tew", "[character-Marla Tew: innkeeper]", "marla"))
	book := s.taughtBook()
	if got := s.loreNames(book); !slices.Equal(got, []string{"Gull Inn", "Marla Tew"}) {
		t.Fatalf("learnt: %v", got)
	}
	before := s.named(book, "Gull Inn")
	if before.At != a[3] || before.Cause.Break != a[3] || len(before.Facts) == 0 || !slices.Contains(before.Facts[0].Messages, a[1]) {
		t.Errorf("%+v", before.LoreRow.LoreEntry)
	}
	s.teachScene(a[5], candidate("location", "the gull inn", "[location-Gull Inn: roof burnt down]", "inn"))
	after := s.named(book, "Gull Inn")
	if !strings.Contains(after.Content, "burnt down") || !strings.Contains(after.Content, "piles") || after.At != a[5] || len(after.History) != 2 {
		t.Errorf("merged: %+v", after.LoreRow.LoreEntry)
	}
	if !strings.Contains(after.History[1].Scene, "Scene 2") {
		t.Errorf("caused by %q", after.History[1].Scene)
	}
	must(t, s.Branch(s.chat, a[4]))
	if v := s.named(book, "Gull Inn"); v.Content != before.Content {
		t.Errorf("a branch before that knows: %s", v.Content)
	}
	must(t, s.Branch(s.chat, a[1]))
	if got := s.loreNames(book); len(got) != 0 {
		t.Errorf("before the scene: %v", got)
	}
	s.sound()
}

func TestFill_NothingNewAsksNobody(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling)
	a := s.exchange(4, "lamp")
	c := candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, belonged to(Tove's brother)]", "lamp")
	s.teachScene(a[3], c)
	calls := len(s.asked())
	s.teachScene(a[7], c)
	if n := len(s.asked()); n != calls {
		t.Errorf("%d requests for what is known", n-calls)
	}
	if v := s.named(s.taughtBook(), "Brass Lamp"); len(v.History) != 1 {
		t.Errorf("%d states", len(v.History))
	}
}

func TestFill_LockedIsNotTouched(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling)
	a := s.exchange(4, "lamp")
	s.teachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	book := s.taughtBook()
	v := s.named(book, "Brass Lamp")
	_, err := s.ActLore(book, s.chat, []storage.EntryID{v.ID}, LoreLock, "")
	must(t, err)
	s.teachScene(a[7], candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter]", "lamp"))
	if got := s.named(book, "Brass Lamp"); got.Content != v.Content {
		t.Errorf("changed: %s", got.Content)
	}
}

func TestFill_BadOutputIsAskedAgainThenWaits(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling)
	a := s.exchange(4, "lamp")
	s.teachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	book := s.taughtBook()
	s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if c.Job() == "lore_merge" {
			return rehearsal.Fault{Kind: rehearsal.Pronouns}
		}
		return rehearsal.Fault{}
	})
	calls := len(s.asked())
	must(t, s.store.Update(func(tx *storage.Tx) error {
		_, err := s.addLore(tx, opLoreLookup, loreParams{Chat: s.chat, Node: a[3], Candidate: candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter]", "lamp")})
		return err
	}))
	_, _ = s.QueueDrain(s.context())
	if n := len(s.asked()) - calls; n != 2 {
		t.Errorf("asked %d times", n)
	}
	if v := s.named(book, "Brass Lamp"); v.Content != "[item-Brass Lamp: brass]" {
		t.Errorf("stored: %s", v.Content)
	}
	ops, err := s.Operations()
	must(t, err)
	at := slices.IndexFunc(ops, func(op storage.Operation) bool { return op.Type == opLoreMerge && op.Status == storage.Failed })
	if at < 0 || loreParamsOf(ops[at]).Candidate.Content == "" || ops[at].Error == "" {
		t.Fatalf("no failed operation keeps the candidate: %+v", ops)
	}
	s.spoilBy(nil)
	must(t, s.QueueRetry(ops[at].ID))
	s.work()
	if v := s.named(book, "Brass Lamp"); !strings.Contains(v.Content, "winter") {
		t.Errorf("after the retry: %s", v.Content)
	}
}

func TestFill_PronounsAreMendedOrWait(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling)
	a := s.exchange(2, "lamp")
	s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if c.Job() == "lore_merge" {
			return rehearsal.Fault{Kind: rehearsal.Pronouns}
		}
		return rehearsal.Fault{}
	})
	_, err := s.SetBreak(s.chat, a[3], true)
	must(t, err)
	must(t, s.addLoreOp(opLoreLookup, loreParams{Chat: s.chat, Node: a[3], Candidate: candidate("character", "Marla Tew", "[character-Marla Tew: innkeeper, she likes tea]", "marla")}))
	_, _ = s.QueueDrain(s.context())
	ops, err := s.Operations()
	must(t, err)
	if at := slices.IndexFunc(ops, func(op storage.Operation) bool { return op.Type == opLoreLookup }); ops[at].Status != storage.Failed {
		t.Errorf("%+v", ops[at])
	}
	s.spoilBy(nil)
	_, err = s.QueueRetryFailed()
	must(t, err)
	s.work()
	if v := s.named(s.taughtBook(), "Marla Tew"); len(v.Problems) != 0 || !strings.Contains(v.Content, "innkeeper") {
		t.Errorf("%s: %v", v.Content, v.Problems)
	}
}

func TestFill_ReviewByFact(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling, func(o *setup) { o.cfg.Lore.Review = map[string]string{"item": "review"} })
	a := s.exchange(6, "lamp")
	s.teachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, cracked]", "lamp"))
	book := s.taughtBook()
	inbox, err := s.LoreInbox(s.chat, "")
	must(t, err)
	if len(inbox) != 1 || inbox[0].Kind != storage.LoreAdds || len(s.loreNames(book)) != 0 {
		t.Fatalf("%+v", inbox)
	}
	take := make([]bool, len(inbox[0].Hunks))
	for i, h := range inbox[0].Hunks {
		take[i] = h.After != "cracked"
	}
	must(t, s.AcceptLore(inbox[0].ID, take, nil))
	if v := s.named(book, "Brass Lamp"); v.Content != "[item-Brass Lamp: brass]" {
		t.Errorf("accepted: %s", v.Content)
	}
	_, err = s.UndoReview()
	must(t, err)
	if inbox, _ := s.LoreInbox(s.chat, book); len(inbox) != 1 || len(s.loreNames(book)) != 0 {
		t.Errorf("taken back: %+v %v", inbox, s.loreNames(book))
	}
	must(t, s.AcceptLore(inbox[0].ID, nil, nil))
	s.teachScene(a[7], candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter, heavy]", "lamp"))
	v := s.named(book, "Brass Lamp")
	v.Content = "[item-Brass Lamp: brass, cracked, polished]"
	_, err = s.SaveLoreEntry(book, s.chat, v.LoreRow.LoreEntry)
	must(t, err)
	inbox, err = s.LoreInbox("", book)
	must(t, err)
	if len(inbox) != 1 || !inbox[0].Outdated {
		t.Fatalf("%+v", inbox)
	}
	must(t, s.AcceptLore(inbox[0].ID, nil, nil))
	if v := s.named(book, "Brass Lamp"); !strings.Contains(v.Content, "polished") || !strings.Contains(v.Content, "made in winter") {
		t.Errorf("what the user wrote meanwhile is lost: %s", v.Content)
	}
	s.teachScene(a[11], candidate("item", "Silver Key", "[item-Silver Key: small]", "key"))
	inbox, _ = s.LoreInbox("", "")
	must(t, s.RejectLore(inbox[0].ID))
	if inbox, _ := s.LoreInbox("", ""); len(inbox) != 0 || len(s.loreNames(book)) != 1 {
		t.Errorf("rejected: %+v", inbox)
	}
	s.sound()
}

func TestFill_TakeBack(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling)
	a := s.exchange(6, "lamp")
	s.teachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"), candidate("item", "Silver Key", "[item-Silver Key: small]", "key"))
	s.teachScene(a[7], candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter]", "lamp"))
	s.teachScene(a[11], candidate("item", "Brass Lamp", "[item-Brass Lamp: cracked]", "lamp"))
	book := s.taughtBook()
	if got, err := s.LoreTaught(s.chat, a[7]); err != nil || len(got) != 0 {
		t.Errorf("what the current recap says is offered: %+v %v", got, err)
	}
	if v := s.named(book, "Silver Key"); v.Stale {
		t.Error("what a scene has taught is stale without a reason")
	}
	for _, node := range []storage.NodeID{a[7], a[3]} {
		_, err := s.SetBreak(s.chat, node, false)
		must(t, err)
	}
	got, err := s.LoreTaught(s.chat, a[7])
	must(t, err)
	if v := s.named(book, "Silver Key"); !v.Stale {
		t.Error("what a scene that is gone has taught is not stale")
	}
	if len(got) != 1 || got[0].New || len(got[0].Facts) != 1 {
		t.Fatalf("%+v", got)
	}
	if n, err := s.TakeBackLore(s.chat, a[7]); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	v := s.named(book, "Brass Lamp")
	if strings.Contains(v.Content, "winter") || !strings.Contains(v.Content, "brass") || !strings.Contains(v.Content, "cracked") {
		t.Errorf("taken back: %s", v.Content)
	}
	if n, err := s.TakeBackLore(s.chat, a[3]); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if got := s.loreNames(book); !slices.Equal(got, []string{"Brass Lamp"}) {
		t.Errorf("left: %v", got)
	}
	if got, err := s.LoreTaught(s.chat, a[3]); err != nil || len(got) != 0 {
		t.Errorf("offered again: %+v %v", got, err)
	}
	_, err = s.SetBreak(s.chat, a[3], true)
	must(t, err)
	if q, err := s.FillLoreMissing(s.chat); err != nil || q.Scenes != 1 {
		t.Errorf("a scene whose teaching was taken back cannot teach again: %+v %v", q, err)
	}
	s.work()
	if v := s.named(book, "Silver Key"); v.Content != "[item-Silver Key: small]" {
		t.Errorf("taught again: %s", v.Content)
	}
	_, err = s.UndoLore(book, s.chat, v.ID)
	must(t, err)
	if v := s.named(book, "Brass Lamp"); strings.Contains(v.Content, "brass") {
		t.Errorf("undone: %s", v.Content)
	}
}

func TestFill_CompactionIsProposed(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling, func(o *setup) { o.cfg.Lore.Compact = 40 })
	a := s.exchange(4, "lamp")
	s.teachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, old lamp of brass]", "lamp"))
	s.teachScene(a[7], candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter, winter made it]", "lamp"))
	inbox, err := s.LoreInbox(s.chat, "")
	must(t, err)
	if len(inbox) != 1 || inbox[0].Kind != storage.LoreCompacts || len(inbox[0].After.Content) >= len(inbox[0].Before.Content) {
		t.Errorf("%+v", inbox)
	}
}

func TestFill_TheWholeEvening(t *testing.T) {
	t.Parallel()
	s := newStage(t, filling)
	for range 3 {
		s.say("I ask Tove about the lamp in the Lighthouse.")
	}
	s.end(s.last().ID)
	rows, err := s.LoreEntries(s.taughtBook(), s.chat)
	must(t, err)
	if len(rows) == 0 {
		t.Fatal("the recap has taught nothing")
	}
	for _, r := range rows {
		if r.Cause.Origin != storage.LoreByScene || len(r.Keys) == 0 || r.Type == "" {
			t.Errorf("%+v", r.LoreEntry)
		}
	}
	if q, err := s.FillLoreMissing(s.chat); err != nil || q.Candidates != 0 {
		t.Errorf("taught twice: %+v %v", q, err)
	}
	s.reopen()
	if again, err := s.LoreEntries(s.taughtBook(), s.chat); err != nil || len(again) != len(rows) {
		t.Errorf("after reopening: %d %v", len(again), err)
	}
	s.sound()
}
