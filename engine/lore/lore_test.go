package lore_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// loreNames are the entries of a book as the chat sees them.
func (s *harness) loreNames(book storage.LorebookID) []string {
	s.T.Helper()
	rows, err := s.Lore.Entries(book, s.Chat)
	enginetest.Must(s.T, err)
	names := []string{}
	for _, r := range rows {
		names = append(names, r.Name)
	}
	return names
}

func (s *harness) entry(book storage.LorebookID, id storage.EntryID) lore.EntryView {
	s.T.Helper()
	v, err := s.Lore.Entry(book, id, s.Chat)
	enginetest.Must(s.T, err)
	return v
}

func TestLore_StaysWhereItFired(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	book, ids := s.Book(storage.Lorebook{Name: "Harbour"}, enginetest.Keyed("Gull Inn", enginetest.InnLore, "inn"))
	s.Say("Let us go to the inn.")
	first := enginetest.Flat(s.Asked()[len(s.Asked())-1])
	if strings.Count(first, enginetest.InnLore) != 1 {
		t.Fatalf("the entry is not in the prompt once:\n%s", first)
	}
	for range 4 {
		s.Say("The rain does not stop.")
	}
	last := enginetest.Flat(s.Asked()[len(s.Asked())-1])
	if strings.Count(last, enginetest.InnLore) != 1 || strings.Index(last, enginetest.InnLore) != strings.Index(first, enginetest.InnLore) {
		t.Errorf("the entry has moved from %d to %d", strings.Index(first, enginetest.InnLore), strings.Index(last, enginetest.InnLore))
	}
	if n := enginetest.Common(first, last); n < strings.Index(first, enginetest.InnLore)+len(enginetest.InnLore) {
		t.Errorf("only %d bytes are shared", n)
	}
	act, err := s.Play.ActivateLore(s.Context(), s.Chat, "")
	enginetest.Must(t, err)
	if len(act.Triggered) != 0 || len(act.Pinned) != 1 || act.Pinned[0].Name != "Gull Inn" {
		t.Errorf("fired %v, stays %v", act.Triggered, act.Pinned)
	}
	if r, err := s.Lore.Entries(book, s.Chat); err != nil || r[0].LastTriggered == 0 {
		t.Errorf("when it fired is not known: %+v %v", r, err)
	}
	if n, err := s.Lore.Act(book, s.Chat, ids, lore.Disable, ""); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	s.Say("Nothing more.")
	if last := enginetest.Flat(s.Asked()[len(s.Asked())-1]); strings.Contains(last, enginetest.InnLore) {
		t.Error("what is switched off is still in the prompt")
	}
	s.Sound()
}

func TestLore_InTheTail(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Lore.Placement = lore.PlaceTail })})
	s.Book(storage.Lorebook{Name: "Harbour"}, enginetest.Keyed("Gull Inn", enginetest.InnLore, "inn"))
	s.Say("Let us go to the inn.")
	calls := s.Asked()
	last := calls[len(calls)-1].Messages
	if tail := last[len(last)-1]; !strings.Contains(tail.Content, enginetest.InnLore) || tail.Role == storage.User {
		t.Errorf("the prompt ends with %s: %s", tail.Role, tail.Content)
	}
	s.Say("It rains.")
	s.Say("It rains more.")
	calls = s.Asked()
	if strings.Contains(enginetest.Flat(calls[len(calls)-1]), enginetest.InnLore) {
		t.Error("it is there without its key")
	}
}

// A request that follows the turn, and another reply to it, share its prompt.
func TestLore_SwipeFindsTheSamePrompt(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	x := enginetest.Keyed("Gull Inn", enginetest.InnLore, "inn")
	x.Probability = 50
	y := enginetest.Keyed("Tide", "The tide is {{random:high,low}} and it is {{time}}.", "inn")
	s.Book(storage.Lorebook{Name: "Harbour"}, x, y)
	s.Say("Let us go to the inn.")
	first := enginetest.Flat(s.Asked()[len(s.Asked())-1])
	enginetest.Must(t, s.Play.Regenerate(s.Chat, s.Last().ID))
	_, err := s.Ended()
	enginetest.Must(t, err)
	if again := enginetest.Flat(s.Asked()[len(s.Asked())-1]); again != first {
		t.Errorf("another reply has another prompt:\n%s\n\n%s", first, again)
	}
}

func TestLore_ConstantIsStable(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	x := enginetest.Keyed("The Law", "Nobody rings the bell at night.")
	x.Constant = true
	s.Book(storage.Lorebook{Name: "World"}, x)
	s.Say("Good evening.")
	calls := s.Asked()
	if m := calls[len(calls)-1].Messages[0]; m.Role != storage.System || !strings.Contains(m.Content, "Nobody rings the bell") {
		t.Errorf("not in the system message: %+v", m)
	}
	p, err := s.Play.Prompt(s.Context(), s.Chat, "")
	enginetest.Must(t, err)
	if !slices.ContainsFunc(p.Parts, func(l prompt.Part) bool { return l.Layer == "lore" && l.Included }) {
		t.Errorf("the ledger does not tell of it: %+v", p.Parts)
	}
}

func TestLore_StickyBelongsToThePlace(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Lore.Placement = lore.PlaceTail })})
	x := enginetest.Keyed("Gull Inn", enginetest.InnLore, "inn")
	x.Sticky = 5
	s.Book(storage.Lorebook{Name: "Harbour"}, x)
	s.Say("We wait.")
	fork := s.Last().ID
	s.Say("Let us go to the inn.")
	s.Say("It rains.")
	s.Say("And rains.")
	has := func() bool { return strings.Contains(enginetest.Flat(s.Asked()[len(s.Asked())-1]), enginetest.InnLore) }
	if !has() {
		t.Error("it is not sticky")
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, fork))
	s.Say("It rains elsewhere.")
	if has() {
		t.Error("it is sticky on a branch where it never fired")
	}
}

func TestLore_UserMadeIsEverywhereTaughtIsNot(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(2, "lamp")
	book, _ := s.Book(storage.Lorebook{Name: "Mine", Kind: storage.ChatBook, Chat: s.Chat}, enginetest.Keyed("Everywhere", "[item-Lamp: brass]", "lamp"))
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		x := enginetest.Keyed("Here", "[item-Key: rusty]", "key")
		x.UID, x.At, x.AtDepth, x.Cause = 7, a[3], 4, storage.LoreCause{Origin: storage.LoreByScene, Chat: s.Chat, Break: a[3]}
		_, err := lore.TouchBook(s.Lore, tx, book, func(*storage.Lorebook) error { _, err := lore.PutState(s.Lore, tx, book, x); return err })
		return err
	}))
	if got := s.loreNames(book); !slices.Equal(got, []string{"Everywhere", "Here"}) {
		t.Errorf("on the branch: %v", got)
	}
	id, err := s.Lore.FindEntry(book, "Here")
	enginetest.Must(t, err)
	v := s.entry(book, id)
	v.Content = "[item-Key: rusty, small]"
	_, err = s.Lore.SaveEntry(book, s.Chat, v.Row.LoreEntry)
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[1]))
	if got := s.loreNames(book); !slices.Equal(got, []string{"Everywhere"}) {
		t.Errorf("before the fork: %v", got)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[3]))
	if v := s.entry(book, id); v.Content != "[item-Key: rusty, small]" || len(v.History) != 2 || !v.OnPath {
		t.Errorf("%+v", v)
	}
}

func TestLore_HistoryAndUndo(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	book, ids := s.Book(storage.Lorebook{Name: "Harbour"}, enginetest.Keyed("Gull Inn", enginetest.InnLore, "inn"), enginetest.Keyed("Old Inn", "[location-Old Inn: burnt down, run by(Marla Tew)]", "old inn"))
	enginetest.Must(t, s.Lore.Rename(book, s.Chat, ids[0], "The Gull"))
	v := s.entry(book, ids[0])
	if v.Name != "The Gull" || !slices.Equal(v.Aliases, []string{"Gull Inn"}) || !strings.HasPrefix(v.Content, "[location-The Gull:") {
		t.Errorf("renamed: %+v", v.LoreEntry)
	}
	enginetest.Must(t, s.Lore.Merge(book, s.Chat, ids[0], ids[1]))
	v = s.entry(book, ids[0])
	if !strings.Contains(v.Content, "burnt down") || strings.Count(v.Content, "Marla Tew") != 1 || !slices.Contains(v.Keys, "old inn") {
		t.Errorf("merged: %+v", v.LoreEntry)
	}
	if got := s.loreNames(book); len(got) != 1 {
		t.Errorf("after merging: %v", got)
	}
	for _, want := range []string{"[location-The Gull: built on piles over the water, run by(Marla Tew), smells of tar]", enginetest.InnLore} {
		_, err := s.Lore.Undo(book, s.Chat, ids[0])
		enginetest.Must(t, err)
		if v = s.entry(book, ids[0]); v.Content != want {
			t.Errorf("undone: %s", v.Content)
		}
	}
	if _, err := s.Lore.Undo(book, s.Chat, ids[0]); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("the first state is undone: %v", err)
	}
	if _, err := s.Lore.Undo(book, s.Chat, ids[1]); err != nil {
		t.Error(err)
	}
	made, err := s.Lore.Split(book, s.Chat, ids[0], "Marla Tew", []int{1})
	enginetest.Must(t, err)
	if v := s.entry(book, made); !strings.Contains(v.Content, "Marla Tew: run by(Marla Tew)") {
		t.Errorf("split off: %s", v.Content)
	}
	if v := s.entry(book, ids[0]); strings.Contains(v.Content, "run by") || len(v.History) != 6 {
		t.Errorf("left: %s, %d states", v.Content, len(v.History))
	}
	enginetest.Must(t, s.Lore.Restore(book, s.Chat, ids[0], s.entry(book, ids[0]).History[1].Revision))
	s.Reopen()
	if v := s.entry(book, ids[0]); v.Name != "The Gull" || strings.Contains(v.Content, "burnt") {
		t.Errorf("restored: %+v", v.LoreEntry)
	}
	s.Sound()
}

func TestLore_TestAndCases(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	book, _ := s.Book(storage.Lorebook{Name: "Harbour"}, enginetest.Keyed("Gull Inn", enginetest.InnLore+" near the old tower", "inn"), enginetest.Keyed("Tower", "A tower.", "tower"), enginetest.Keyed("Wrong", "x", "/(/"))
	act, err := s.Lore.Test(s.Context(), "", book, "We stop at the inn.")
	enginetest.Must(t, err)
	if len(act.Triggered) != 2 || act.Triggered[1].Path == nil && act.Triggered[0].Path == nil {
		t.Errorf("fired: %+v", act.Triggered)
	}
	if len(act.Faults) != 1 || act.Faults[0].Name != "Wrong" {
		t.Errorf("faults: %+v", act.Faults)
	}
	b, err := s.Lore.FindBook("harbour")
	enginetest.Must(t, err)
	b.Cases = []storage.LoreCase{{Name: "both", Text: "the inn", Fires: []string{"Gull Inn", "Tower"}}, {Name: "none", Text: "the inn", Fires: []string{"Wrong"}, Not: []string{"Tower"}},
		{Name: "unknown", Text: "", Fires: []string{"Nobody"}}}
	enginetest.Must(t, s.Lore.EditBook(b))
	got, err := s.Lore.RunCases(book)
	enginetest.Must(t, err)
	if !got[0].OK || got[1].OK || len(got[1].Missing) != 1 || len(got[1].Extra) != 1 || got[2].OK || len(got[2].Unknown) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestLore_WhyNot(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	_, ids := s.Book(storage.Lorebook{Name: "Harbour"}, enginetest.Keyed("Gull Inn", enginetest.InnLore, "inn"), enginetest.Keyed("Tower", "A tower.", "tower"))
	_, err := s.Play.ActivateLore(s.Context(), s.Chat, "To the inn!")
	enginetest.Must(t, err)
	for i, want := range []activation.Verdict{activation.Triggered, activation.NoMatch} {
		if tr, err := s.Lore.Why(s.Chat, ids[i]); err != nil || tr.Verdict != want || tr.Reason == "" {
			t.Errorf("%d: %+v %v", i, tr, err)
		}
	}
}

func TestLore_FilesInAndOut(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	path := filepath.Join(t.TempDir(), "harbour.json")
	doc := `{"entries":{"3":{"uid":3,"key":["inn"],"keysecondary":[],"comment":"Gull Inn","content":"On piles.","order":50,"position":4,"depth":2,"strange":{"b":1,"a":2}}},"name":"Harbour","other":true}`
	enginetest.Must(t, os.WriteFile(path, []byte(doc), 0o600))
	got, err := s.Lore.Import(path, storage.Lorebook{})
	enginetest.Must(t, err)
	if got.Entries != 1 || got.Book.Name != "Harbour" {
		t.Errorf("%+v", got)
	}
	var out bytes.Buffer
	_, err = s.Lore.Export(&out, got.Book.ID, "", "")
	enginetest.Must(t, err)
	if !strings.Contains(out.String(), `"strange":{"b":1,"a":2}`) && !strings.Contains(strings.Join(strings.Fields(out.String()), ""), `"strange":{"b":1,"a":2}`) {
		t.Errorf("a field is lost: %s", out.String())
	}
	if _, err := s.Lore.Import(filepath.Join(t.TempDir(), "nothing.json"), storage.Lorebook{}); err == nil {
		t.Error("a file that is not there is imported")
	}
}

func TestLore_TheCardsBook(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	path := filepath.Join(t.TempDir(), "ada.json")
	card := `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Ada","first_mes":"Hello.","character_book":{"name":"Ada's notes","entries":[{"keys":["engine"],"content":"[item-Engine: of brass]","enabled":true,"insertion_order":10,"extensions":{"x":1}}],"extensions":{}}}}`
	enginetest.Must(t, os.WriteFile(path, []byte(card), 0o600))
	got, err := s.Library.Import(path)
	enginetest.Must(t, err)
	chat, err := s.Chats.New(got.Character.ID, "")
	enginetest.Must(t, err)
	s.Chat = chat.ID
	books, err := s.Lore.Books(chat.ID)
	enginetest.Must(t, err)
	if len(books) != 1 || !books[0].On || books[0].Source != activation.Character || books[0].Entries != 1 {
		t.Fatalf("%+v", books)
	}
	s.Say("What of the engine?")
	if last := enginetest.Flat(s.Asked()[len(s.Asked())-1]); !strings.Contains(last, "of brass") {
		t.Error("the card's book does not count")
	}
	data, err := s.Library.ExportCharacter(got.Character.ID, "json")
	enginetest.Must(t, err)
	if !strings.Contains(string(data), "Ada's notes") {
		t.Error("the card lost its book")
	}
	rows, err := s.Lore.Entries(books[0].ID, chat.ID)
	enginetest.Must(t, err)
	rows[0].Content = "[item-Engine: of iron]"
	_, err = s.Lore.SaveEntry(books[0].ID, chat.ID, rows[0].LoreEntry)
	enginetest.Must(t, err)
	data, err = s.Library.ExportCharacter(got.Character.ID, "json")
	enginetest.Must(t, err)
	if !strings.Contains(string(data), "of iron") || !strings.Contains(string(data), `"x"`) {
		t.Errorf("the card is not written with its book as it is: %s", data)
	}
	off := false
	enginetest.Must(t, s.Lore.SwitchBook(chat.ID, books[0].ID, &off))
	act, err := s.Play.ActivateLore(s.Context(), chat.ID, "the engine again")
	enginetest.Must(t, err)
	if len(act.Triggered)+len(act.Pinned) != 0 {
		t.Errorf("a book that is switched off fires: %+v", act.Triggered)
	}
	enginetest.Must(t, s.Library.DeleteCharacter(got.Character.ID))
	if b, err := s.Lore.FindBook("Ada's notes"); err != nil || !b.Off || b.Kind != storage.GlobalBook {
		t.Errorf("the book went with the character: %+v %v", b, err)
	}
	s.Sound()
}
