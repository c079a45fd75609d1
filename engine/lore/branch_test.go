package lore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// learnt puts an entry into the chat's book that holds from a message on.
func (s *harness) learnt(book storage.LorebookID, x storage.LoreEntry, at storage.NodeID) storage.EntryID {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		p, err := tx.NodeInfo(s.Chat, at)
		if err != nil {
			return err
		}
		x.At, x.AtDepth, x.Cause = at, p.Depth, storage.LoreCause{Origin: storage.LoreByScene, Chat: s.Chat, Break: at}
		_, err = lore.TouchBook(s.Lore, tx, book, func(b *storage.Lorebook) error {
			x.UID = lore.UidFor(b)
			x, err = lore.PutState(s.Lore, tx, book, x)
			return err
		})
		return err
	}))
	return x.ID
}

func (s *harness) ownBook(entries ...storage.LoreEntry) (storage.LorebookID, []storage.EntryID) {
	return s.Book(storage.Lorebook{Name: "Mine", Kind: storage.ChatBook, Chat: s.Chat}, entries...)
}

// What is merged into an entry that only a branch knows is lost to no other.
func TestLore_MergingHoldsWhereBothDo(t *testing.T) {
	t.Parallel()
	for _, taughtInto := range []bool{true, false} {
		s := (&harness{enginetest.NewHarness(t)})
		a := s.Exchange(4, "lamp")
		book, ids := s.ownBook(enginetest.Keyed("Lamp", "[item-Lamp: brass]", "lamp"))
		taught := s.learnt(book, enginetest.Keyed("Old Lamp", "[item-Old Lamp: cracked]", "old lamp"), a[5])
		into, from := taught, ids[0]
		if !taughtInto {
			into, from = from, into
		}
		enginetest.Must(t, s.Lore.Merge(book, s.Chat, into, from))
		if got := s.loreNames(book); len(got) != 1 {
			t.Errorf("merged: %v", got)
		}
		enginetest.Must(t, s.Chats.Branch(s.Chat, a[3]))
		if got := s.loreNames(book); !slices.Equal(got, []string{"Lamp"}) {
			t.Errorf("a branch before that has %v", got)
		}
		if v := s.entry(book, ids[0]); strings.Contains(v.Content, "cracked") {
			t.Errorf("it knows %s", v.Content)
		}
	}
}

// A chat's book is seen at its chat's place, whoever looks.
func TestLore_AnotherChatSeesWhatItIsGiven(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(2, "lamp")
	book, _ := s.ownBook()
	id := s.learnt(book, enginetest.Keyed("Lamp", "[item-Lamp: brass]", "lamp"), a[3])
	c, _, err := s.Chats.Path(s.Chat, 1)
	enginetest.Must(t, err)
	other, err := s.Chats.New(c.Character, "")
	enginetest.Must(t, err)
	on := true
	enginetest.Must(t, s.Lore.SwitchBook(other.ID, book, &on))
	act, err := s.Play.ActivateLore(s.Context(), other.ID, "a lamp")
	enginetest.Must(t, err)
	rows, err := s.Lore.Entries("", other.ID)
	enginetest.Must(t, err)
	if len(act.Triggered) != 1 || len(rows) != 1 {
		t.Errorf("%d fire and %d are listed", len(act.Triggered), len(rows))
	}
	if n, err := s.Lore.Act(book, other.ID, []storage.EntryID{id}, lore.Lock, ""); n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
}

func TestLore_ABookThatLeavesItsChatKeepsWhatItWasTaught(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	book, _ := s.ownBook(enginetest.Keyed("Bell", "[item-Bell: loud]", "bell"))
	id := s.learnt(book, enginetest.Keyed("Lamp", "[item-Lamp: brass]", "lamp"), a[3])
	s.learnt(book, enginetest.Keyed("Key", "[item-Key: small]", "key"), a[7])
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[5]))
	b, err := s.Lore.FindBook(string(book))
	enginetest.Must(t, err)
	b.Kind = storage.GlobalBook
	enginetest.Must(t, s.Lore.EditBook(b))
	s.Chat = ""
	if got := s.loreNames(book); !slices.Equal(got, []string{"Bell", "Lamp"}) {
		t.Errorf("left: %v", got)
	}
	if v := s.entry(book, id); v.At != "" || len(v.History) != 2 {
		t.Errorf("%+v", v.Row.LoreEntry)
	}
	s.Sound()
}

// A form that was open while the entry changed does not undo that.
func TestLore_SavingAnOldFormKeepsWhatChangedSince(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	book, ids := s.Book(storage.Lorebook{Name: "Harbour"}, enginetest.Keyed("Lamp", "[item-Lamp: brass, old]", "lamp"))
	form := s.entry(book, ids[0]).Row.LoreEntry
	next := form
	next.Content, next.Synopsis, next.Locked = "[item-Lamp: brass, old, cracked]", "A lamp", true
	_, err := s.Lore.SaveEntry(book, s.Chat, next)
	enginetest.Must(t, err)
	form.Content, form.Keys, form.Order = "[item-Lamp: brass, old, polished]", []string{"lamp", "light"}, 7
	_, err = s.Lore.SaveEntry(book, s.Chat, form)
	enginetest.Must(t, err)
	v := s.entry(book, ids[0])
	if !strings.Contains(v.Content, "cracked") || !strings.Contains(v.Content, "polished") || v.Synopsis != "A lamp" || !v.Locked || v.Order != 7 || len(v.Keys) != 2 {
		t.Errorf("%+v", v.Row.LoreEntry)
	}
	if v.Cause.Origin != storage.LoreByUser {
		t.Errorf("made by %s", v.Cause.Origin)
	}
}

func TestLore_WhatIsElsewhereIsNotRestored(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	book, _ := s.ownBook()
	id := s.learnt(book, enginetest.Keyed("Lamp", "[item-Lamp: brass]", "lamp"), a[5])
	enginetest.Must(t, s.Lore.Rename(book, s.Chat, id, "Old Lamp"))
	first := s.entry(book, id).History[0].Revision
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[3]))
	if err := s.Lore.Restore(book, s.Chat, id, first); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("restored where it is not: %v", err)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[7]))
	if v := s.entry(book, id); v.Name != "Old Lamp" {
		t.Errorf("changed on another branch: %s", v.Name)
	}
}

// What an Update has read that came to nothing is not taken for what there is.
func TestLore_AFailedUpdateLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	book, ids := s.Book(storage.Lorebook{Name: "Harbour"}, enginetest.Keyed("Lamp", "[item-Lamp: brass]", "lamp"))
	fault := errors.New("no")
	err := s.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := lore.TouchBook(s.Lore, tx, book, func(*storage.Lorebook) error {
			x, err := storage.LoreEntries.Get(tx, book, ids[0])
			x.Name = "Never"
			if err == nil {
				_, err = lore.PutState(s.Lore, tx, book, x)
			}
			return err
		})
		if err != nil {
			return err
		}
		got, err := lore.ReadEntries(s.Lore, tx, b, lore.NewTrail(tx, "", ""))
		if err != nil || got[0].Name != "Never" {
			t.Errorf("in the transaction: %+v %v", got, err)
		}
		return fault
	})
	if !errors.Is(err, fault) {
		t.Fatal(err)
	}
	enginetest.Must(t, s.Lore.Rename(book, s.Chat, ids[0], "Candle"))
	if got := s.loreNames(book); !slices.Equal(got, []string{"Candle"}) {
		t.Errorf("%v", got)
	}
}

// A path that is followed from the last one on is the path.
func TestLore_PathsAreFollowed(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[3]))
	b := s.Exchange(3, "bell")
	var r lore.LoreReader
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		var kept []*lore.Trail
		for _, leaf := range []storage.NodeID{a[1], a[7], b[1], b[5], a[5], a[7], b[0], a[3], b[5], a[7]} {
			known := lore.NewTrail(tx, s.Chat, leaf)
			r.Follow(known)
			kept = append(kept, known)
			for _, known := range kept {
				plain := lore.NewTrail(tx, s.Chat, known.At())
				for _, id := range slices.Concat(a, b) {
					p, err := tx.NodeInfo(s.Chat, id)
					if err != nil {
						return err
					}
					if !known.Known() || known.Holds(id, p.Depth) != plain.Holds(id, p.Depth) {
						t.Errorf("from %s: %s is on it: %v", leaf, id, known.Holds(id, p.Depth))
					}
				}
			}
		}
		return nil
	}))
}

func TestLore_DecoratedEntriesStay(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Book(storage.Lorebook{Name: "Harbour"}, enginetest.Keyed("Gull Inn", "@@scan_depth 2\n"+enginetest.InnLore, "inn"))
	s.Say("Let us go to the inn.")
	first := enginetest.Flat(s.Asked()[len(s.Asked())-1])
	for range 3 {
		s.Say("The rain does not stop.")
	}
	last := enginetest.Flat(s.Asked()[len(s.Asked())-1])
	if strings.Count(first, enginetest.InnLore) != 1 || strings.Count(last, enginetest.InnLore) != 1 || strings.Index(first, enginetest.InnLore) != strings.Index(last, enginetest.InnLore) {
		t.Errorf("it is there %d times, then %d", strings.Count(first, enginetest.InnLore), strings.Count(last, enginetest.InnLore))
	}
}

// An entry that moves after it triggered is only at its new place.
func TestLore_MovedEntriesDoNotStandTwice(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(*storage.LoreEntry){
		"constant": func(x *storage.LoreEntry) { x.Constant = true },
		"at depth": func(x *storage.LoreEntry) { x.Position, x.Depth = storage.AtDepth, 1 },
	} {
		s := (&harness{enginetest.NewHarness(t)})
		book, ids := s.Book(storage.Lorebook{Name: "Harbour"}, enginetest.Keyed("Gull Inn", enginetest.InnLore, "inn"))
		s.Say("Let us go to the inn.")
		x := s.entry(book, ids[0]).Row.LoreEntry
		move(&x)
		_, err := s.Lore.SaveEntry(book, s.Chat, x)
		enginetest.Must(t, err)
		s.Say("The inn is near.")
		if n := strings.Count(enginetest.Flat(s.Asked()[len(s.Asked())-1]), enginetest.InnLore); n != 1 {
			t.Errorf("%s: it is there %d times", name, n)
		}
	}
}

// The preview of the next prompt is the prompt that is sent, whatever the lore does.
func TestLore_ThePromptIsWhatIsSent(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	x := enginetest.Keyed("Gull Inn", enginetest.InnLore, "inn")
	x.Sticky, x.Cooldown = 3, 2
	y := enginetest.Keyed("Tide", "The tide is {{random:high,low,in,out}}.", "inn", "rain")
	y.Probability = 50
	z := enginetest.Keyed("Bell", "[item-Bell: loud]", "rain")
	z.Position, z.Depth = storage.AtDepth, 2
	s.Book(storage.Lorebook{Name: "Harbour"}, x, y, z)
	check := func(text string) {
		t.Helper()
		p, err := s.Play.Prompt(s.Context(), s.Chat, text)
		enginetest.Must(t, err)
		var want strings.Builder
		for _, m := range p.Messages {
			want.WriteString("<" + m.Role + ">" + m.Content)
		}
		s.Say(text)
		if got := enginetest.Flat(s.Asked()[len(s.Asked())-1]); got != want.String() {
			t.Errorf("%q: sent\n%s\n\nshown\n%s", text, got, want.String())
		}
	}
	for _, text := range []string{"To the inn.", "It rains.", "On we go.", "The inn again, in the rain.", "Still."} {
		check(text)
	}
	fork := s.Last().ID
	check("To the inn.")
	enginetest.Must(t, s.Chats.Delete(s.Chat, s.Node(s.Last().ID).Parent, true))
	if s.Last().ID != fork {
		t.Fatal("the head is elsewhere")
	}
	check("Nothing more.")
	enginetest.Must(t, s.Play.Regenerate(s.Chat, s.Last().ID))
	_, err := s.Ended()
	enginetest.Must(t, err)
	check("To the rainy inn.")
}

// A timed effect goes with the message that began it.
func TestLore_StickyGoesWithADeletedMessage(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Lore.Placement = lore.PlaceTail })})
	x := enginetest.Keyed("Gull Inn", enginetest.InnLore, "inn")
	x.Sticky = 9
	s.Book(storage.Lorebook{Name: "Harbour"}, x)
	s.Say("We wait.")
	s.Say("Let us go to the inn.")
	enginetest.Must(t, s.Chats.Delete(s.Chat, s.Node(s.Last().ID).Parent, true))
	s.Say("It rains.")
	if strings.Contains(enginetest.Flat(s.Asked()[len(s.Asked())-1]), enginetest.InnLore) {
		t.Error("it is sticky, and nothing was said of it")
	}
}

// Turns, jobs and screens read a book while it changes.
func TestLore_ReadersAndWritersAtOnce(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(6, "lamp")
	book, _ := s.ownBook(enginetest.Keyed("Bell", "[item-Bell: loud]", "bell"))
	s.learnt(book, enginetest.Keyed("Lamp", "[item-Lamp: brass]", "lamp"), a[5])
	done := make(chan error, 3)
	for range 2 {
		crash.Go("a reader", func() {
			for range 20 {
				for leaf, want := range map[storage.NodeID]int{a[3]: 1, a[11]: 2, a[5]: 2, a[4]: 1} {
					err := s.Core().Store.View(func(tx *storage.Tx) error {
						b, err := storage.Lorebooks.Get(tx, book)
						if err != nil {
							return err
						}
						got, err := lore.ReadEntries(s.Lore, tx, b, lore.NewTrail(tx, s.Chat, leaf))
						if err == nil && len(got) != want {
							err = fmt.Errorf("%d entries, want %d", len(got), want)
						}
						if err == nil && got[0].Order != 100 && got[0].Order != b.Version {
							err = fmt.Errorf("version %d is told for %d", got[0].Order, b.Version)
						}
						return err
					})
					if err != nil {
						done <- err
						return
					}
				}
			}
			done <- nil
		})
	}
	bell, err := s.Lore.FindEntry(book, "Bell")
	enginetest.Must(t, err)
	v := s.entry(book, bell)
	for range 20 {
		x := v.Row.LoreEntry
		b, err := s.Lore.FindBook(string(book))
		enginetest.Must(t, err)
		x.Order, x.Revision = b.Version+1, ""
		_, err = s.Lore.SaveEntry(book, s.Chat, x)
		enginetest.Must(t, err)
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
