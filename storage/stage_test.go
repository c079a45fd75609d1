package storage

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// remembered puts one of everything that a story remembers.
func remembered(tx *Tx, scope ScopeID, chat ChatID, node NodeID) error {
	m := Memory{ID: MemoryID(NewID()), Type: FactMemory, Content: "keeps bees", Mentions: []Mention{{Chat: chat, Node: node, Witnesses: []CharacterID{}}}}
	return errors.Join(Memories.Put(tx, scope, m), Hooks.Put(tx, scope, Hook{ID: HookID(NewID()), Type: ReminderHook, Content: "ask", Priority: 3}),
		Vectors.Put(tx, scope, Vector{Memory: m.ID, Model: "m", Hash: "h", Values: []float32{1, 0}}),
		Engagements.Put(tx, scope, Engagement{Scope: scope, Sessions: 1, FirstMet: time.Unix(1, 0).UTC()}))
}

func TestStory_GoesWithItsOwner(t *testing.T) {
	s := open(t)
	doomed, kept := newChat(t, s), newChat(t, s)
	ids := line(t, s, doomed, 2)
	line(t, s, kept, 1)
	series := ScopeID(NewID())
	update(t, s, func(tx *Tx) error {
		return errors.Join(remembered(tx, ScopeID(doomed), doomed, ids[1]), remembered(tx, ScopeID(kept), kept, ""), remembered(tx, series, doomed, ids[1]),
			TurnRecords.Put(tx, doomed, TurnRecord{Node: ids[1], Turn: 1}), Notes.Put(tx, doomed, StageNotesTurn{Node: ids[0]}))
	})
	update(t, s, func(tx *Tx) error { return tx.DeleteChat(doomed) })
	count := func(tx *Tx, scope ScopeID) int {
		n := 0
		for range Memories.All(tx, scope) {
			n++
		}
		for range Hooks.All(tx, scope) {
			n++
		}
		for range Vectors.All(tx, scope) {
			n++
		}
		if _, err := Engagements.Get(tx, scope); err == nil {
			n++
		}
		return n
	}
	view(t, s, func(tx *Tx) error {
		for scope, want := range map[ScopeID]int{ScopeID(doomed): 0, ScopeID(kept): 4, series: 4} {
			if got := count(tx, scope); got != want {
				t.Errorf("%d of 4 records are left, want %d", got, want)
			}
		}
		if TurnRecords.Any(tx, doomed) || Notes.Any(tx, doomed) {
			t.Error("beats or notes of the chat are left")
		}
		return nil
	})
	update(t, s, func(tx *Tx) error { return tx.DeleteStory(series) })
	view(t, s, func(tx *Tx) error {
		if got := count(tx, series); got != 0 {
			t.Errorf("%d records of the series are left", got)
		}
		return nil
	})
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// Nobody and everybody differ: a message that nobody witnessed must not become known to all.
func TestWitnesses_NobodyIsKept(t *testing.T) {
	s := open(t)
	chat := newChat(t, s)
	line(t, s, chat, 1)
	for _, want := range [][]CharacterID{nil, {}, {CharacterID(NewID())}} {
		id := MemoryID(NewID())
		r := RecapID(NewID())
		update(t, s, func(tx *Tx) error {
			return errors.Join(Memories.Put(tx, ScopeID(chat), Memory{ID: id, Mentions: []Mention{{Witnesses: want}}}),
				Recaps.Put(tx, chat, Recap{ID: r, Witnesses: want}))
		})
		view(t, s, func(tx *Tx) error {
			m, err := Memories.Get(tx, ScopeID(chat), id)
			if err != nil || cmp.Diff(want, m.Mentions[0].Witnesses) != "" {
				t.Errorf("%v became %v (%v)", want, m.Mentions, err)
			}
			got, err := Recaps.Get(tx, chat, r)
			if err != nil || cmp.Diff(want, got.Witnesses) != "" {
				t.Errorf("%v became %v (%v)", want, got.Witnesses, err)
			}
			return nil
		})
	}
}

func TestEpisode_Defaults(t *testing.T) {
	cost, none := 0, -1
	for _, c := range []struct {
		e        Episode
		mode     SceneMode
		interval int
		cost     int
	}{
		{Episode{}, ScenesPeaks, DefaultInterval, DefaultSceneCost},
		{Episode{SceneMode: "odd", SceneInterval: -3, SceneCost: &none}, ScenesPeaks, DefaultInterval, DefaultSceneCost},
		{Episode{SceneMode: ScenesRhythmic, SceneInterval: 2, SceneCost: &cost}, ScenesRhythmic, 2, 0},
		{Episode{SceneMode: ScenesOff}, ScenesOff, DefaultInterval, DefaultSceneCost},
	} {
		if c.e.Mode() != c.mode || c.e.Interval() != c.interval || c.e.Cost() != c.cost {
			t.Errorf("%+v: %s %d %d", c.e, c.e.Mode(), c.e.Interval(), c.e.Cost())
		}
	}
}
