package lore_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func candidate(typ, name, content string, keys ...string) storage.LoreCandidate {
	return storage.LoreCandidate{Type: typ, Name: name, Content: content, Keywords: keys}
}

// taughtBook is the chat's own book.
func (s *harness) taughtBook() storage.LorebookID {
	s.T.Helper()
	var id storage.LorebookID
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error { b, _ := lore.ChatBook(tx, s.Chat); id = b.ID; return nil }))
	if id == "" {
		s.T.Fatal("the chat has no book")
	}
	return id
}

func (s *harness) named(book storage.LorebookID, name string) lore.EntryView {
	s.T.Helper()
	id, err := s.Lore.FindEntry(book, name)
	enginetest.Must(s.T, err)
	return s.entry(book, id)
}

func TestFill_NewThenMerged(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
	a := s.Tell("I walk to the Gull Inn.", "Marla Tew runs the Gull Inn, which stands on piles.", "Is it dear?", "The Gull Inn costs two shillings.",
		"I come back to the Gull Inn.", "The roof of the Gull Inn has burnt down.")
	s.TeachScene(a[3], candidate("location", "Gull Inn", "[location-Gull Inn: stands on piles, run by(Marla Tew)]", "gull inn"),
		candidate("character", "Marla Tew", "[character-Marla Tew: innkeeper]", "marla"))
	book := s.taughtBook()
	if got := s.loreNames(book); !slices.Equal(got, []string{"Gull Inn", "Marla Tew"}) {
		t.Fatalf("learnt: %v", got)
	}
	before := s.named(book, "Gull Inn")
	if before.At != a[3] || before.Cause.Break != a[3] || len(before.Facts) == 0 || !slices.Contains(before.Facts[0].Messages, a[1]) {
		t.Errorf("%+v", before.Row.LoreEntry)
	}
	s.TeachScene(a[5], candidate("location", "gull inn", "[location-Gull Inn: roof burnt down]", "inn"))
	after := s.named(book, "Gull Inn")
	if !strings.Contains(after.Content, "burnt down") || !strings.Contains(after.Content, "piles") || after.At != a[5] || len(after.History) != 2 {
		t.Errorf("merged: %+v", after.Row.LoreEntry)
	}
	if !strings.Contains(after.History[1].Scene, "Scene 2") {
		t.Errorf("caused by %q", after.History[1].Scene)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[4]))
	if v := s.named(book, "Gull Inn"); v.Content != before.Content {
		t.Errorf("a branch before that knows: %s", v.Content)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[1]))
	if got := s.loreNames(book); len(got) != 0 {
		t.Errorf("before the scene: %v", got)
	}
	s.Sound()
}

func TestFill_NothingNewAsksNobody(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
	a := s.Exchange(4, "lamp")
	c := candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, belonged to(Tove's brother)]", "lamp")
	s.TeachScene(a[3], c)
	calls := len(s.Asked())
	s.TeachScene(a[7], c)
	if n := len(s.Asked()); n != calls {
		t.Errorf("%d requests for what is known", n-calls)
	}
	if v := s.named(s.taughtBook(), "Brass Lamp"); len(v.History) != 1 {
		t.Errorf("%d states", len(v.History))
	}
}

func TestFill_LockedIsNotTouched(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
	a := s.Exchange(4, "lamp")
	s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	book := s.taughtBook()
	v := s.named(book, "Brass Lamp")
	_, err := s.Lore.Act(book, s.Chat, []storage.EntryID{v.ID}, lore.Lock, "")
	enginetest.Must(t, err)
	s.TeachScene(a[7], candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter]", "lamp"))
	if got := s.named(book, "Brass Lamp"); got.Content != v.Content {
		t.Errorf("changed: %s", got.Content)
	}
}

func TestFill_BadOutputIsAskedAgainThenWaits(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
	a := s.Exchange(4, "lamp")
	s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"))
	book := s.taughtBook()
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Job() == "lore_merge" {
			return demo.Fault{Kind: demo.Say, Text: `{"facts":[{"text":"made of(brass(from(Ulm)))","from":[1]}],"dropped":[],"canonicalName":""}`}
		}
		return demo.Fault{}
	})
	calls := len(s.Asked())
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		_, err := lore.AddLore(s.Lore, tx, lore.OpLoreLookup, lore.Params{Chat: s.Chat, Node: a[3], Candidate: candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter]", "lamp")})
		return err
	}))
	_, _ = s.Queue.Drain(s.Context())
	if n := len(s.Asked()) - calls; n != 2 {
		t.Errorf("asked %d times", n)
	}
	if v := s.named(book, "Brass Lamp"); v.Content != "[item-Brass Lamp: brass]" {
		t.Errorf("stored: %s", v.Content)
	}
	ops, err := s.Queue.List()
	enginetest.Must(t, err)
	at := slices.IndexFunc(ops, func(op storage.Operation) bool { return op.Type == lore.OpLoreMerge && op.Status == storage.Failed })
	if at < 0 || lore.LoreParamsOf(ops[at]).Candidate.Content == "" || ops[at].Error == "" {
		t.Fatalf("no failed operation keeps the candidate: %+v", ops)
	}
	s.SpoilBy(nil)
	enginetest.Must(t, s.Queue.Retry(ops[at].ID))
	s.Work()
	if v := s.named(book, "Brass Lamp"); !strings.Contains(v.Content, "winter") {
		t.Errorf("after the retry: %s", v.Content)
	}
}

func TestFill_ReviewByFact(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling, func(o *enginetest.Setup) { o.Cfg.Lore.Review = map[string]string{"item": "review"} })})
	a := s.Exchange(6, "lamp")
	s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, cracked]", "lamp"))
	book := s.taughtBook()
	inbox, err := s.Lore.Inbox(s.Chat, "")
	enginetest.Must(t, err)
	if len(inbox) != 1 || inbox[0].Kind != storage.LoreAdds || len(s.loreNames(book)) != 0 {
		t.Fatalf("%+v", inbox)
	}
	take := make([]bool, len(inbox[0].Hunks))
	for i, h := range inbox[0].Hunks {
		take[i] = h.After != "cracked"
	}
	enginetest.Must(t, s.Lore.Accept(inbox[0].ID, take, nil))
	if v := s.named(book, "Brass Lamp"); v.Content != "[item-Brass Lamp: brass]" {
		t.Errorf("accepted: %s", v.Content)
	}
	_, err = s.Lore.UndoReview()
	enginetest.Must(t, err)
	if inbox, _ := s.Lore.Inbox(s.Chat, book); len(inbox) != 1 || len(s.loreNames(book)) != 0 {
		t.Errorf("taken back: %+v %v", inbox, s.loreNames(book))
	}
	enginetest.Must(t, s.Lore.Accept(inbox[0].ID, nil, nil))
	s.TeachScene(a[7], candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter, heavy]", "lamp"))
	v := s.named(book, "Brass Lamp")
	v.Content = "[item-Brass Lamp: brass, cracked, polished]"
	_, err = s.Lore.SaveEntry(book, s.Chat, v.Row.LoreEntry)
	enginetest.Must(t, err)
	inbox, err = s.Lore.Inbox("", book)
	enginetest.Must(t, err)
	if len(inbox) != 1 || !inbox[0].Outdated {
		t.Fatalf("%+v", inbox)
	}
	enginetest.Must(t, s.Lore.Accept(inbox[0].ID, nil, nil))
	if v := s.named(book, "Brass Lamp"); !strings.Contains(v.Content, "polished") || !strings.Contains(v.Content, "made in winter") {
		t.Errorf("what the user wrote meanwhile is lost: %s", v.Content)
	}
	s.TeachScene(a[11], candidate("item", "Silver Key", "[item-Silver Key: small]", "key"))
	inbox, _ = s.Lore.Inbox("", "")
	enginetest.Must(t, s.Lore.Reject(inbox[0].ID))
	if inbox, _ := s.Lore.Inbox("", ""); len(inbox) != 0 || len(s.loreNames(book)) != 1 {
		t.Errorf("rejected: %+v", inbox)
	}
	s.Sound()
}

func TestFill_TakeBack(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
	a := s.Exchange(6, "lamp")
	s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass]", "lamp"), candidate("item", "Silver Key", "[item-Silver Key: small]", "key"))
	s.TeachScene(a[7], candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter]", "lamp"))
	s.TeachScene(a[11], candidate("item", "Brass Lamp", "[item-Brass Lamp: cracked]", "lamp"))
	book := s.taughtBook()
	if got, err := s.Lore.SceneChanges(s.Chat, a[7]); err != nil || len(got) != 0 {
		t.Errorf("what the current recap says is offered: %+v %v", got, err)
	}
	if v := s.named(book, "Silver Key"); v.Stale {
		t.Error("what a scene has taught is stale without a reason")
	}
	for _, node := range []storage.NodeID{a[7], a[3]} {
		_, err := s.Scenes.SetBreak(s.Chat, node, false)
		enginetest.Must(t, err)
	}
	got, err := s.Lore.SceneChanges(s.Chat, a[7])
	enginetest.Must(t, err)
	if v := s.named(book, "Silver Key"); !v.Stale {
		t.Error("what a deleted scene has taught is not stale")
	}
	if len(got) != 1 || got[0].New || len(got[0].Facts) != 1 {
		t.Fatalf("%+v", got)
	}
	if n, err := s.Lore.UndoScene(s.Chat, a[7]); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	v := s.named(book, "Brass Lamp")
	if strings.Contains(v.Content, "winter") || !strings.Contains(v.Content, "brass") || !strings.Contains(v.Content, "cracked") {
		t.Errorf("taken back: %s", v.Content)
	}
	if n, err := s.Lore.UndoScene(s.Chat, a[3]); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	if got := s.loreNames(book); !slices.Equal(got, []string{"Brass Lamp"}) {
		t.Errorf("left: %v", got)
	}
	if got, err := s.Lore.SceneChanges(s.Chat, a[3]); err != nil || len(got) != 0 {
		t.Errorf("offered again: %+v %v", got, err)
	}
	s.EndWithoutRecap(a[3])
	if q, err := s.Lore.FillMissing(s.Chat); err != nil || q.Scenes != 1 {
		t.Errorf("a scene whose teaching was taken back cannot teach again: %+v %v", q, err)
	}
	s.Work()
	if v := s.named(book, "Silver Key"); v.Content != "[item-Silver Key: small]" {
		t.Errorf("taught again: %s", v.Content)
	}
	_, err = s.Lore.Undo(book, s.Chat, v.ID)
	enginetest.Must(t, err)
	if v := s.named(book, "Brass Lamp"); strings.Contains(v.Content, "brass") {
		t.Errorf("undone: %s", v.Content)
	}
}

func TestFill_CompactionIsProposed(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling, func(o *enginetest.Setup) { o.Cfg.Lore.Compact = 40 },
		enginetest.Answering(map[demo.Job][]any{demo.CompactJob: {enginetest.Object{"facts": []any{
			enginetest.Object{"text": "old lamp of brass", "from": []int{1, 2}}, enginetest.Object{"text": "made in winter", "from": []int{3, 4}}}}}}))})
	a := s.Exchange(4, "lamp")
	s.TeachScene(a[3], candidate("item", "Brass Lamp", "[item-Brass Lamp: brass, old lamp of brass]", "lamp"))
	s.TeachScene(a[7], candidate("item", "Brass Lamp", "[item-Brass Lamp: made in winter, winter made it]", "lamp"))
	inbox, err := s.Lore.Inbox(s.Chat, "")
	enginetest.Must(t, err)
	if len(inbox) != 1 || inbox[0].Kind != storage.LoreCompacts || len(inbox[0].After.Content) >= len(inbox[0].Before.Content) {
		t.Errorf("%+v", inbox)
	}
}

func TestFill_WholeSession(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
	for range 3 {
		s.Say("I ask Tove about the lamp in the Lighthouse.")
	}
	s.End(s.Last().ID)
	rows, err := s.Lore.Entries(s.taughtBook(), s.Chat)
	enginetest.Must(t, err)
	if len(rows) == 0 {
		t.Fatal("the recap has taught nothing")
	}
	for _, r := range rows {
		if r.Cause.Origin != storage.LoreByScene || len(r.Keys) == 0 || r.Type == "" {
			t.Errorf("%+v", r.LoreEntry)
		}
	}
	if q, err := s.Lore.FillMissing(s.Chat); err != nil || q.Candidates != 0 {
		t.Errorf("taught twice: %+v %v", q, err)
	}
	s.Reopen()
	if again, err := s.Lore.Entries(s.taughtBook(), s.Chat); err != nil || len(again) != len(rows) {
		t.Errorf("after reopening: %d %v", len(again), err)
	}
	s.Sound()
}
