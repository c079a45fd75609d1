package engine

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/lore/activation"
	"ghostlight/engine/play/script"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// keyed is an entry that fires on keys.
func keyed(name, content string, keys ...string) storage.LoreEntry {
	x := storage.NewLoreEntry()
	x.Name, x.Content, x.Keys = name, content, keys
	return x
}

// book makes a lorebook with entries.
func (s *stage) book(b storage.Lorebook, entries ...storage.LoreEntry) (storage.LorebookID, []storage.EntryID) {
	s.t.Helper()
	b, err := s.AddLorebook(b)
	must(s.t, err)
	var ids []storage.EntryID
	for _, x := range entries {
		x, err := s.SaveLoreEntry(b.ID, s.chat, x)
		must(s.t, err)
		ids = append(ids, x.ID)
	}
	return b.ID, ids
}

// loreNames are the entries of a book as the chat sees them.
func (s *stage) loreNames(book storage.LorebookID) []string {
	s.t.Helper()
	rows, err := s.LoreEntries(book, s.chat)
	must(s.t, err)
	names := []string{}
	for _, r := range rows {
		names = append(names, r.Name)
	}
	return names
}

func (s *stage) entry(book storage.LorebookID, id storage.EntryID) LoreEntryView {
	s.t.Helper()
	v, err := s.LoreEntry(book, id, s.chat)
	must(s.t, err)
	return v
}

const innLore = "[location-Gull Inn: built on piles over the water, run by(Marla Tew), smells of tar]"

func TestLore_StaysWhereItFired(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	book, ids := s.book(storage.Lorebook{Name: "Harbour"}, keyed("Gull Inn", innLore, "inn"))
	s.say("Let us go to the inn.")
	first := flat(s.asked()[len(s.asked())-1])
	if strings.Count(first, innLore) != 1 {
		t.Fatalf("the entry is not in the prompt once:\n%s", first)
	}
	for range 4 {
		s.say("The rain does not stop.")
	}
	last := flat(s.asked()[len(s.asked())-1])
	if strings.Count(last, innLore) != 1 || strings.Index(last, innLore) != strings.Index(first, innLore) {
		t.Errorf("the entry has moved from %d to %d", strings.Index(first, innLore), strings.Index(last, innLore))
	}
	if n := common(first, last); n < strings.Index(first, innLore)+len(innLore) {
		t.Errorf("only %d bytes are shared", n)
	}
	act, err := s.LoreActivate(s.context(), s.chat, "")
	must(t, err)
	if len(act.Fired) != 0 || len(act.Stays) != 1 || act.Stays[0].Name != "Gull Inn" {
		t.Errorf("fired %v, stays %v", act.Fired, act.Stays)
	}
	if r, err := s.LoreEntries(book, s.chat); err != nil || r[0].Fired < 0 {
		t.Errorf("when it fired is not known: %+v %v", r, err)
	}
	if n, err := s.ActLore(book, s.chat, ids, LoreDisable, ""); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	s.say("Nothing more.")
	if last := flat(s.asked()[len(s.asked())-1]); strings.Contains(last, innLore) {
		t.Error("what is switched off is still in the prompt")
	}
	s.sound()
}

func TestLore_InTheTail(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *setup) { o.cfg.Lore.Placement = PlaceTail })
	s.book(storage.Lorebook{Name: "Harbour"}, keyed("Gull Inn", innLore, "inn"))
	s.say("Let us go to the inn.")
	calls := s.asked()
	last := calls[len(calls)-1].Messages
	if tail := last[len(last)-1]; !strings.Contains(tail.Content, innLore) || tail.Role == storage.User {
		t.Errorf("the prompt ends with %s: %s", tail.Role, tail.Content)
	}
	s.say("It rains.")
	s.say("It rains more.")
	calls = s.asked()
	if strings.Contains(flat(calls[len(calls)-1]), innLore) {
		t.Error("it is there without its key")
	}
}

// A request that rides on the turn, and another reply to it, share its prompt.
func TestLore_SwipeFindsTheSamePrompt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	x := keyed("Gull Inn", innLore, "inn")
	x.Probability = 50
	y := keyed("Tide", "The tide is {{random:high,low}} and it is {{time}}.", "inn")
	s.book(storage.Lorebook{Name: "Harbour"}, x, y)
	s.say("Let us go to the inn.")
	first := flat(s.asked()[len(s.asked())-1])
	must(t, s.Regenerate(s.chat, s.last().ID))
	_, err := s.ended()
	must(t, err)
	if again := flat(s.asked()[len(s.asked())-1]); again != first {
		t.Errorf("another reply has another prompt:\n%s\n\n%s", first, again)
	}
}

func TestLore_ConstantIsStable(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	x := keyed("The Law", "Nobody rings the bell at night.")
	x.Constant = true
	s.book(storage.Lorebook{Name: "World"}, x)
	s.say("Good evening.")
	calls := s.asked()
	if m := calls[len(calls)-1].Messages[0]; m.Role != storage.System || !strings.Contains(m.Content, "Nobody rings the bell") {
		t.Errorf("not in the system message: %+v", m)
	}
	p, err := s.Prompt(s.context(), s.chat, "")
	must(t, err)
	if !slices.ContainsFunc(p.Ledger, func(l script.Part) bool { return l.Layer == "lore" && l.Included }) {
		t.Errorf("the ledger does not tell of it: %+v", p.Ledger)
	}
}

func TestLore_StickyBelongsToThePlace(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *setup) { o.cfg.Lore.Placement = PlaceTail })
	x := keyed("Gull Inn", innLore, "inn")
	x.Sticky = 5
	s.book(storage.Lorebook{Name: "Harbour"}, x)
	s.say("We wait.")
	fork := s.last().ID
	s.say("Let us go to the inn.")
	s.say("It rains.")
	s.say("And rains.")
	has := func() bool { return strings.Contains(flat(s.asked()[len(s.asked())-1]), innLore) }
	if !has() {
		t.Error("it is not sticky")
	}
	must(t, s.Branch(s.chat, fork))
	s.say("It rains elsewhere.")
	if has() {
		t.Error("it is sticky on a branch where it never fired")
	}
}

func TestLore_UserMadeIsEverywhereTaughtIsNot(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(2, "lamp")
	book, _ := s.book(storage.Lorebook{Name: "Mine", Kind: storage.ChatBook, Chat: s.chat}, keyed("Everywhere", "[item-Lamp: brass]", "lamp"))
	must(t, s.store.Update(func(tx *storage.Tx) error {
		x := keyed("Here", "[item-Key: rusty]", "key")
		x.UID, x.At, x.AtDepth, x.Cause = 7, a[3], 4, storage.LoreCause{Origin: storage.LoreByScene, Chat: s.chat, Break: a[3]}
		_, err := s.touchBook(tx, book, func(*storage.Lorebook) error { _, err := s.putState(tx, book, x); return err })
		return err
	}))
	if got := s.loreNames(book); !slices.Equal(got, []string{"Everywhere", "Here"}) {
		t.Errorf("on the branch: %v", got)
	}
	id, err := s.FindLoreEntry(book, "Here")
	must(t, err)
	v := s.entry(book, id)
	v.Content = "[item-Key: rusty, small]"
	_, err = s.SaveLoreEntry(book, s.chat, v.LoreRow.LoreEntry)
	must(t, err)
	must(t, s.Branch(s.chat, a[1]))
	if got := s.loreNames(book); !slices.Equal(got, []string{"Everywhere"}) {
		t.Errorf("before the fork: %v", got)
	}
	must(t, s.Branch(s.chat, a[3]))
	if v := s.entry(book, id); v.Content != "[item-Key: rusty, small]" || len(v.History) != 2 || !v.Here {
		t.Errorf("%+v", v)
	}
}

func TestLore_HistoryAndUndo(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	book, ids := s.book(storage.Lorebook{Name: "Harbour"}, keyed("Gull Inn", innLore, "inn"), keyed("Old Inn", "[location-Old Inn: burnt down, run by(Marla Tew)]", "old inn"))
	must(t, s.RenameLore(book, s.chat, ids[0], "The Gull"))
	v := s.entry(book, ids[0])
	if v.Name != "The Gull" || !slices.Equal(v.Aliases, []string{"Gull Inn"}) || !strings.HasPrefix(v.Content, "[location-The Gull:") {
		t.Errorf("renamed: %+v", v.LoreEntry)
	}
	must(t, s.MergeLore(book, s.chat, ids[0], ids[1]))
	v = s.entry(book, ids[0])
	if !strings.Contains(v.Content, "burnt down") || strings.Count(v.Content, "Marla Tew") != 1 || !slices.Contains(v.Keys, "old inn") {
		t.Errorf("merged: %+v", v.LoreEntry)
	}
	if got := s.loreNames(book); len(got) != 1 {
		t.Errorf("after merging: %v", got)
	}
	for _, want := range []string{"[location-The Gull: built on piles over the water, run by(Marla Tew), smells of tar]", innLore} {
		_, err := s.UndoLore(book, s.chat, ids[0])
		must(t, err)
		if v = s.entry(book, ids[0]); v.Content != want {
			t.Errorf("undone: %s", v.Content)
		}
	}
	if _, err := s.UndoLore(book, s.chat, ids[0]); !errors.Is(err, ErrNothing) {
		t.Errorf("the first state is undone: %v", err)
	}
	if _, err := s.UndoLore(book, s.chat, ids[1]); err != nil {
		t.Error(err)
	}
	made, err := s.SplitLore(book, s.chat, ids[0], "Marla Tew", []int{1})
	must(t, err)
	if v := s.entry(book, made); !strings.Contains(v.Content, "Marla Tew: run by(Marla Tew)") {
		t.Errorf("split off: %s", v.Content)
	}
	if v := s.entry(book, ids[0]); strings.Contains(v.Content, "run by") || len(v.History) != 6 {
		t.Errorf("left: %s, %d states", v.Content, len(v.History))
	}
	must(t, s.RestoreLore(book, s.chat, ids[0], s.entry(book, ids[0]).History[1].Revision))
	s.reopen()
	if v := s.entry(book, ids[0]); v.Name != "The Gull" || strings.Contains(v.Content, "burnt") {
		t.Errorf("restored: %+v", v.LoreEntry)
	}
	s.sound()
}

func TestLore_TestAndCases(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	book, _ := s.book(storage.Lorebook{Name: "Harbour"}, keyed("Gull Inn", innLore+" near the old tower", "inn"), keyed("Tower", "A tower.", "tower"), keyed("Wrong", "x", "/(/"))
	act, err := s.LoreTest(s.context(), "", book, "We stop at the inn.")
	must(t, err)
	if len(act.Fired) != 2 || act.Fired[1].Path == nil && act.Fired[0].Path == nil {
		t.Errorf("fired: %+v", act.Fired)
	}
	if len(act.Faults) != 1 || act.Faults[0].Name != "Wrong" {
		t.Errorf("faults: %+v", act.Faults)
	}
	b, err := s.FindLorebook("harbour")
	must(t, err)
	b.Cases = []storage.LoreCase{{Name: "both", Text: "the inn", Fires: []string{"Gull Inn", "Tower"}}, {Name: "none", Text: "the inn", Fires: []string{"Wrong"}, Not: []string{"Tower"}},
		{Name: "unknown", Text: "", Fires: []string{"Nobody"}}}
	must(t, s.EditLorebook(b))
	got, err := s.LoreUnit(book)
	must(t, err)
	if !got[0].OK || got[1].OK || len(got[1].Missing) != 1 || len(got[1].Extra) != 1 || got[2].OK || len(got[2].Unknown) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestLore_WhyNot(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	_, ids := s.book(storage.Lorebook{Name: "Harbour"}, keyed("Gull Inn", innLore, "inn"), keyed("Tower", "A tower.", "tower"))
	_, err := s.LoreActivate(s.context(), s.chat, "To the inn!")
	must(t, err)
	for i, want := range []activation.Verdict{activation.Fired, activation.NoMatch} {
		if tr, err := s.LoreWhy(s.chat, ids[i]); err != nil || tr.Verdict != want || tr.Reason == "" {
			t.Errorf("%d: %+v %v", i, tr, err)
		}
	}
}

func TestLore_FilesInAndOut(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	path := filepath.Join(t.TempDir(), "harbour.json")
	doc := `{"entries":{"3":{"uid":3,"key":["inn"],"keysecondary":[],"comment":"Gull Inn","content":"On piles.","order":50,"position":4,"depth":2,"strange":{"b":1,"a":2}}},"name":"Harbour","other":true}`
	must(t, os.WriteFile(path, []byte(doc), 0o600))
	got, err := s.ImportLore(path, storage.Lorebook{})
	must(t, err)
	if got.Entries != 1 || got.Book.Name != "Harbour" {
		t.Errorf("%+v", got)
	}
	var out bytes.Buffer
	_, err = s.ExportLore(&out, got.Book.ID, "", "")
	must(t, err)
	if !strings.Contains(out.String(), `"strange":{"b":1,"a":2}`) && !strings.Contains(strings.Join(strings.Fields(out.String()), ""), `"strange":{"b":1,"a":2}`) {
		t.Errorf("a field is lost: %s", out.String())
	}
	if _, err := s.ImportLore(filepath.Join(t.TempDir(), "nothing.json"), storage.Lorebook{}); err == nil {
		t.Error("a file that is not there is imported")
	}
}

func TestLore_TheCardsBook(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	path := filepath.Join(t.TempDir(), "ada.json")
	card := `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Ada","first_mes":"Hello.","character_book":{"name":"Ada's notes","entries":[{"keys":["engine"],"content":"[item-Engine: of brass]","enabled":true,"insertion_order":10,"extensions":{"x":1}}],"extensions":{}}}}`
	must(t, os.WriteFile(path, []byte(card), 0o600))
	got, err := s.Import(path)
	must(t, err)
	chat, err := s.NewChat(got.Character.ID, "")
	must(t, err)
	s.chat = chat.ID
	books, err := s.Lorebooks(chat.ID)
	must(t, err)
	if len(books) != 1 || !books[0].On || books[0].Source != activation.Character || books[0].Entries != 1 {
		t.Fatalf("%+v", books)
	}
	s.say("What of the engine?")
	if last := flat(s.asked()[len(s.asked())-1]); !strings.Contains(last, "of brass") {
		t.Error("the card's book does not count")
	}
	data, err := s.ExportCharacter(got.Character.ID, "json")
	must(t, err)
	if !strings.Contains(string(data), "Ada's notes") {
		t.Error("the card lost its book")
	}
	rows, err := s.LoreEntries(books[0].ID, chat.ID)
	must(t, err)
	rows[0].Content = "[item-Engine: of iron]"
	_, err = s.SaveLoreEntry(books[0].ID, chat.ID, rows[0].LoreEntry)
	must(t, err)
	data, err = s.ExportCharacter(got.Character.ID, "json")
	must(t, err)
	if !strings.Contains(string(data), "of iron") || !strings.Contains(string(data), `"x"`) {
		t.Errorf("the card is not written with its book as it is: %s", data)
	}
	off := false
	must(t, s.SwitchLorebook(chat.ID, books[0].ID, &off))
	act, err := s.LoreActivate(s.context(), chat.ID, "the engine again")
	must(t, err)
	if len(act.Fired)+len(act.Stays) != 0 {
		t.Errorf("a book that is switched off fires: %+v", act.Fired)
	}
	must(t, s.DeleteCharacter(got.Character.ID))
	if b, err := s.FindLorebook("Ada's notes"); err != nil || !b.Off || b.Kind != storage.GlobalBook {
		t.Errorf("the book went with the character: %+v %v", b, err)
	}
	s.sound()
}

// A turn's look at lorebooks of 10,000 entries over a chat of 10,000 messages.
func BenchmarkLoreTurn10000(b *testing.B) {
	s := newStage(b)
	texts := make([]string, 10_000)
	for i := range texts {
		texts[i] = fmt.Sprintf("They walk on, %d, past the Inn of %s, and nobody speaks for a while.", i, letters(i%900))
	}
	s.tell(texts...)
	path := filepath.Join(b.TempDir(), "book.json")
	var doc strings.Builder
	doc.WriteString(`{"name":"Big","entries":{`)
	for i := range 10_000 {
		if i > 0 {
			doc.WriteByte(',')
		}
		fmt.Fprintf(&doc, `"%d":{"uid":%d,"key":["inn of %s","keeper %d"],"comment":"Inn %d","content":"[location-Inn %d: %s]","order":100}`, i, i, letters(i), i, i, i, strings.Repeat("old stone ", 20))
	}
	doc.WriteString(`}}`)
	must(b, os.WriteFile(path, []byte(doc.String()), 0o600))
	_, err := s.ImportLore(path, storage.Lorebook{})
	must(b, err)
	known := s.newKnown(rehearsal.Model)
	head := s.last().ID
	m := moment{chat: s.view().Chat}
	snap, err := s.snapshot(request{chat: s.chat, parent: head}, m, known)
	must(b, err)
	act := func() {
		next := snap
		if _, _, err := s.bring(s.context(), &next, m); err != nil {
			b.Fatal(err)
		}
	}
	start := time.Now()
	act()
	b.ReportMetric(float64(time.Since(start).Milliseconds()), "ms-first")
	for b.Loop() {
		act()
	}
}
