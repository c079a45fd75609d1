package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ghostlight/engine/crash"
	"ghostlight/engine/play/script"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// learnt puts an entry into the chat's book that holds from a message on.
func (s *stage) learnt(book storage.LorebookID, x storage.LoreEntry, at storage.NodeID) storage.EntryID {
	s.t.Helper()
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		p, err := tx.Place(s.chat, at)
		if err != nil {
			return err
		}
		x.At, x.AtDepth, x.Cause = at, p.Depth, storage.LoreCause{Origin: storage.LoreByScene, Chat: s.chat, Break: at}
		_, err = s.touchBook(tx, book, func(b *storage.Lorebook) error {
			x.UID = uidFor(b)
			x, err = s.putState(tx, book, x)
			return err
		})
		return err
	}))
	return x.ID
}

func (s *stage) ownBook(entries ...storage.LoreEntry) (storage.LorebookID, []storage.EntryID) {
	return s.book(storage.Lorebook{Name: "Mine", Kind: storage.ChatBook, Chat: s.chat}, entries...)
}

// What is merged into an entry that only a branch knows is lost to no other.
func TestLore_MergingHoldsWhereBothDo(t *testing.T) {
	t.Parallel()
	for _, taughtInto := range []bool{true, false} {
		s := newStage(t)
		a := s.exchange(4, "lamp")
		book, ids := s.ownBook(keyed("Lamp", "[item-Lamp: brass]", "lamp"))
		taught := s.learnt(book, keyed("Old Lamp", "[item-Old Lamp: cracked]", "old lamp"), a[5])
		into, from := taught, ids[0]
		if !taughtInto {
			into, from = from, into
		}
		must(t, s.MergeLore(book, s.chat, into, from))
		if got := s.loreNames(book); len(got) != 1 {
			t.Errorf("merged: %v", got)
		}
		must(t, s.Branch(s.chat, a[3]))
		if got := s.loreNames(book); !slices.Equal(got, []string{"Lamp"}) {
			t.Errorf("a branch before that has %v", got)
		}
		if v := s.entry(book, ids[0]); strings.Contains(v.Content, "cracked") {
			t.Errorf("it knows %s", v.Content)
		}
	}
}

func TestLore_MendingTwinsHoldsWhereBothDo(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(4, "lamp")
	book, ids := s.ownBook(keyed("Lamp", "[item-Lamp: brass]", "lamp"))
	taught := s.learnt(book, keyed("Lamp", "[item-Lamp: cracked]", "lamp"), a[5])
	_, err := s.FixLore(book, s.chat, LoreFinding{Rule: "twin", Entry: taught, Other: ids[0], Fix: "merge"})
	must(t, err)
	if got := s.loreNames(book); len(got) != 1 {
		t.Errorf("mended: %v", got)
	}
	must(t, s.Branch(s.chat, a[3]))
	if got := s.loreNames(book); len(got) != 1 || s.entry(book, ids[0]).Content != "[item-Lamp: brass]" {
		t.Errorf("a branch before that has %v", got)
	}
}

// A chat's book is seen at its chat's place, whoever looks.
func TestLore_AnotherChatSeesWhatItIsGiven(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(2, "lamp")
	book, _ := s.ownBook()
	id := s.learnt(book, keyed("Lamp", "[item-Lamp: brass]", "lamp"), a[3])
	c, _, err := s.Path(s.chat, 1)
	must(t, err)
	other, err := s.NewChat(c.Character, "")
	must(t, err)
	on := true
	must(t, s.SwitchLorebook(other.ID, book, &on))
	act, err := s.LoreActivate(s.context(), other.ID, "a lamp")
	must(t, err)
	rows, err := s.LoreEntries("", other.ID)
	must(t, err)
	if len(act.Fired) != 1 || len(rows) != 1 {
		t.Errorf("%d fire and %d are listed", len(act.Fired), len(rows))
	}
	if n, err := s.ActLore(book, other.ID, []storage.EntryID{id}, LoreLock, ""); n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
}

func TestLore_ABookThatLeavesItsChatKeepsWhatItWasTaught(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(4, "lamp")
	book, _ := s.ownBook(keyed("Bell", "[item-Bell: loud]", "bell"))
	id := s.learnt(book, keyed("Lamp", "[item-Lamp: brass]", "lamp"), a[3])
	s.learnt(book, keyed("Key", "[item-Key: small]", "key"), a[7])
	must(t, s.Branch(s.chat, a[5]))
	b, err := s.FindLorebook(string(book))
	must(t, err)
	b.Kind = storage.GlobalBook
	must(t, s.EditLorebook(b))
	s.chat = ""
	if got := s.loreNames(book); !slices.Equal(got, []string{"Bell", "Lamp"}) {
		t.Errorf("left: %v", got)
	}
	if v := s.entry(book, id); v.At != "" || len(v.History) != 2 {
		t.Errorf("%+v", v.LoreRow.LoreEntry)
	}
	s.sound()
}

// A form that was open while the entry changed does not undo that.
func TestLore_SavingAnOldFormKeepsWhatChangedSince(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	book, ids := s.book(storage.Lorebook{Name: "Harbour"}, keyed("Lamp", "[item-Lamp: brass, old]", "lamp"))
	form := s.entry(book, ids[0]).LoreRow.LoreEntry
	next := form
	next.Content, next.Synopsis, next.Locked = "[item-Lamp: brass, old, cracked]", "A lamp", true
	_, err := s.SaveLoreEntry(book, s.chat, next)
	must(t, err)
	form.Content, form.Keys, form.Order = "[item-Lamp: brass, old, polished]", []string{"lamp", "light"}, 7
	_, err = s.SaveLoreEntry(book, s.chat, form)
	must(t, err)
	v := s.entry(book, ids[0])
	if !strings.Contains(v.Content, "cracked") || !strings.Contains(v.Content, "polished") || v.Synopsis != "A lamp" || !v.Locked || v.Order != 7 || len(v.Keys) != 2 {
		t.Errorf("%+v", v.LoreRow.LoreEntry)
	}
	if v.Cause.Origin != storage.LoreByUser {
		t.Errorf("made by %s", v.Cause.Origin)
	}
}

func TestLore_WhatIsElsewhereIsNotRestored(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(4, "lamp")
	book, _ := s.ownBook()
	id := s.learnt(book, keyed("Lamp", "[item-Lamp: brass]", "lamp"), a[5])
	must(t, s.RenameLore(book, s.chat, id, "Old Lamp"))
	first := s.entry(book, id).History[0].Revision
	must(t, s.Branch(s.chat, a[3]))
	if err := s.RestoreLore(book, s.chat, id, first); !errors.Is(err, ErrNothing) {
		t.Errorf("restored where it is not: %v", err)
	}
	must(t, s.Branch(s.chat, a[7]))
	if v := s.entry(book, id); v.Name != "Old Lamp" {
		t.Errorf("changed on another branch: %s", v.Name)
	}
}

// What an Update has read that came to nothing is not taken for what there is.
func TestLore_AFailedUpdateLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	book, ids := s.book(storage.Lorebook{Name: "Harbour"}, keyed("Lamp", "[item-Lamp: brass]", "lamp"))
	fault := errors.New("no")
	err := s.store.Update(func(tx *storage.Tx) error {
		b, err := s.touchBook(tx, book, func(*storage.Lorebook) error {
			x, err := storage.LoreEntries.Get(tx, book, ids[0])
			x.Name = "Never"
			if err == nil {
				_, err = s.putState(tx, book, x)
			}
			return err
		})
		if err != nil {
			return err
		}
		got, err := s.loreRead.entries(tx, b, trailOf(tx, "", ""))
		if err != nil || got[0].Name != "Never" {
			t.Errorf("in the transaction: %+v %v", got, err)
		}
		return fault
	})
	if !errors.Is(err, fault) {
		t.Fatal(err)
	}
	must(t, s.RenameLore(book, s.chat, ids[0], "Candle"))
	if got := s.loreNames(book); !slices.Equal(got, []string{"Candle"}) {
		t.Errorf("%v", got)
	}
}

// A path that is followed from the last one on is the path.
func TestLore_PathsAreFollowed(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(4, "lamp")
	must(t, s.Branch(s.chat, a[3]))
	b := s.exchange(3, "bell")
	var r loreReader
	must(t, s.store.View(func(tx *storage.Tx) error {
		var kept []*trail
		for _, leaf := range []storage.NodeID{a[1], a[7], b[1], b[5], a[5], a[7], b[0], a[3], b[5], a[7]} {
			known := trailOf(tx, s.chat, leaf)
			r.follow(known)
			kept = append(kept, known)
			for _, known := range kept {
				plain := trailOf(tx, s.chat, known.at)
				for _, id := range slices.Concat(a, b) {
					p, err := tx.Place(s.chat, id)
					if err != nil {
						return err
					}
					if known.path == nil || known.holds(id, p.Depth) != plain.holds(id, p.Depth) {
						t.Errorf("from %s: %s is on it: %v", leaf, id, known.holds(id, p.Depth))
					}
				}
			}
		}
		return nil
	}))
}

func TestLore_DecoratedEntriesStay(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.book(storage.Lorebook{Name: "Harbour"}, keyed("Gull Inn", "@@scan_depth 2\n"+innLore, "inn"))
	s.say("Let us go to the inn.")
	first := flat(s.asked()[len(s.asked())-1])
	for range 3 {
		s.say("The rain does not stop.")
	}
	last := flat(s.asked()[len(s.asked())-1])
	if strings.Count(first, innLore) != 1 || strings.Count(last, innLore) != 1 || strings.Index(first, innLore) != strings.Index(last, innLore) {
		t.Errorf("it is there %d times, then %d", strings.Count(first, innLore), strings.Count(last, innLore))
	}
}

// An entry that is put elsewhere after it fired stands there alone.
func TestLore_MovedEntriesDoNotStandTwice(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(*storage.LoreEntry){
		"constant": func(x *storage.LoreEntry) { x.Constant = true },
		"at depth": func(x *storage.LoreEntry) { x.Position, x.Depth = storage.AtDepth, 1 },
	} {
		s := newStage(t)
		book, ids := s.book(storage.Lorebook{Name: "Harbour"}, keyed("Gull Inn", innLore, "inn"))
		s.say("Let us go to the inn.")
		x := s.entry(book, ids[0]).LoreRow.LoreEntry
		move(&x)
		_, err := s.SaveLoreEntry(book, s.chat, x)
		must(t, err)
		s.say("The inn is near.")
		if n := strings.Count(flat(s.asked()[len(s.asked())-1]), innLore); n != 1 {
			t.Errorf("%s: it is there %d times", name, n)
		}
	}
}

// What is shown of the next prompt is what is sent, whatever the lore does.
func TestLore_ThePromptIsWhatIsSent(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	x := keyed("Gull Inn", innLore, "inn")
	x.Sticky, x.Cooldown = 3, 2
	y := keyed("Tide", "The tide is {{random:high,low,in,out}}.", "inn", "rain")
	y.Probability = 50
	z := keyed("Bell", "[item-Bell: loud]", "rain")
	z.Position, z.Depth = storage.AtDepth, 2
	s.book(storage.Lorebook{Name: "Harbour"}, x, y, z)
	check := func(text string) {
		t.Helper()
		p, err := s.Prompt(s.context(), s.chat, text)
		must(t, err)
		var want strings.Builder
		for _, m := range p.Messages {
			want.WriteString("<" + m.Role + ">" + m.Content)
		}
		s.say(text)
		if got := flat(s.asked()[len(s.asked())-1]); got != want.String() {
			t.Errorf("%q: sent\n%s\n\nshown\n%s", text, got, want.String())
		}
	}
	for _, text := range []string{"To the inn.", "It rains.", "On we go.", "The inn again, in the rain.", "Still."} {
		check(text)
	}
	fork := s.last().ID
	check("To the inn.")
	must(t, s.Delete(s.chat, s.node(s.last().ID).Parent, true))
	if s.last().ID != fork {
		t.Fatal("the head is elsewhere")
	}
	check("Nothing more.")
	must(t, s.Regenerate(s.chat, s.last().ID))
	_, err := s.ended()
	must(t, err)
	check("To the rainy inn.")
}

// A timed effect goes with the message that began it.
func TestLore_StickyGoesWithADeletedMessage(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *setup) { o.cfg.Lore.Placement = PlaceTail })
	x := keyed("Gull Inn", innLore, "inn")
	x.Sticky = 9
	s.book(storage.Lorebook{Name: "Harbour"}, x)
	s.say("We wait.")
	s.say("Let us go to the inn.")
	must(t, s.Delete(s.chat, s.node(s.last().ID).Parent, true))
	s.say("It rains.")
	if strings.Contains(flat(s.asked()[len(s.asked())-1]), innLore) {
		t.Error("it is sticky, and nothing was said of it")
	}
}

// A job that rides on an answered turn finds the turn's prompt, whatever fired.
func TestLore_JobsRideOnTheTurnsPrompt(t *testing.T) {
	t.Parallel()
	for _, placement := range []string{PlaceStay, PlaceTail} {
		s := newStage(t, func(o *setup) { o.cfg.Lore.Placement = placement })
		x := keyed("Gull Inn", innLore, "inn")
		x.Sticky, x.Cooldown = 2, 3
		y := keyed("Tide", "The tide is {{random:high,low,in,out}}.", "rain")
		y.Probability = 50
		s.book(storage.Lorebook{Name: "Harbour"}, x, y)
		for _, text := range []string{"To the inn.", "It rains.", "On we go.", "The inn again, in the rain.", "Rain, rain."} {
			s.say(text)
			turn := flat(s.asked()[len(s.asked())-1])
			m := moment{chat: s.view().Chat, rides: true}
			snap, err := s.snapshot(request{chat: s.chat, parent: s.last().ID}, m, s.newKnown(rehearsal.Model))
			must(t, err)
			_, _, err = s.bring(s.context(), &snap, m)
			must(t, err)
			snap.Appended = "One more thing."
			p, err := script.Compile(snap)
			must(t, err)
			var job strings.Builder
			for _, m := range p.Messages {
				job.WriteString("<" + m.Role + ">" + m.Content)
			}
			if !strings.HasPrefix(job.String(), turn) {
				t.Errorf("%s, %q: the job says\n%s\nafter\n%s", placement, text, job.String(), turn)
			}
		}
	}
}

// Turns, jobs and screens read a book while it changes.
func TestLore_ReadersAndWritersAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	a := s.exchange(6, "lamp")
	book, _ := s.ownBook(keyed("Bell", "[item-Bell: loud]", "bell"))
	s.learnt(book, keyed("Lamp", "[item-Lamp: brass]", "lamp"), a[5])
	done := make(chan error, 3)
	for range 2 {
		crash.Go("a reader", func() {
			for range 20 {
				for leaf, want := range map[storage.NodeID]int{a[3]: 1, a[11]: 2, a[5]: 2, a[4]: 1} {
					err := s.store.View(func(tx *storage.Tx) error {
						b, err := storage.Lorebooks.Get(tx, book)
						if err != nil {
							return err
						}
						got, err := s.loreRead.entries(tx, b, trailOf(tx, s.chat, leaf))
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
	bell, err := s.FindLoreEntry(book, "Bell")
	must(t, err)
	v := s.entry(book, bell)
	for range 20 {
		x := v.LoreRow.LoreEntry
		b, err := s.FindLorebook(string(book))
		must(t, err)
		x.Order, x.Revision = b.Version+1, ""
		_, err = s.SaveLoreEntry(book, s.chat, x)
		must(t, err)
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
