package storage

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// drawn puts a storyboard with one call, and what a story has learnt from it.
func drawn(tx *Tx, scope ScopeID, chat ChatID, node NodeID) error {
	id := CallID(NewID())
	plan := Plan{Stage: BoardShots, Shots: []Shot{{ID: "s1", Kind: KeyShot, Description: "a lamp goes out", Seconds: 2.5}}, LastShot: 1}
	return errors.Join(Boards.Put(tx, chat, Board{Node: node, Plan: plan, Calls: []CallID{id}, Done: 1}),
		BoardCalls.Put(tx, chat, BoardCall{ID: id, Board: node, Turn: id, By: ByUser, After: plan, ToolCall: ToolCall{Tool: "insert_shot", Params: json.RawMessage(`{"index":1}`)}}),
		TasteMemories.Put(tx, scope, TasteMemory{ID: TasteMemoryID(NewID()), Scene: node, Chat: chat}),
		Tastes.Put(tx, scope, Taste{Scope: scope, ProfileSummary: "long looks"}),
		TasteOverrides.Put(tx, scope, ProfileEdits{Scope: scope, Summary: "no music"}))
}

func drawnIn(tx *Tx, scope ScopeID) (n int) {
	for range TasteMemories.All(tx, scope) {
		n++
	}
	if _, err := Tastes.Get(tx, scope); err == nil {
		n++
	}
	if _, err := TasteOverrides.Get(tx, scope); err == nil {
		n++
	}
	return n
}

func TestBoards_GoWithTheirChat(t *testing.T) {
	s := open(t)
	doomed, kept := newChat(t, s), newChat(t, s)
	node, other := line(t, s, doomed, 1)[0], line(t, s, kept, 1)[0]
	series := ScopeID(NewID())
	update(t, s, func(tx *Tx) error {
		return errors.Join(drawn(tx, ScopeID(doomed), doomed, node), drawn(tx, ScopeID(kept), kept, other), drawn(tx, series, doomed, node))
	})
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	update(t, s, func(tx *Tx) error { return tx.DeleteChat(doomed) })
	view(t, s, func(tx *Tx) error {
		for scope, want := range map[ScopeID]int{ScopeID(doomed): 0, ScopeID(kept): 3, series: 3} {
			if got := drawnIn(tx, scope); got != want {
				t.Errorf("%d records of taste are left, want %d", got, want)
			}
		}
		if Boards.Any(tx, doomed) || BoardCalls.Any(tx, doomed) || !Boards.Any(tx, kept) || !BoardCalls.Any(tx, kept) {
			t.Error("the wrong chat lost its storyboards")
		}
		b, err := Boards.Get(tx, kept, other)
		if err != nil {
			return err
		}
		c, err := BoardCalls.Get(tx, kept, b.Calls[0])
		if diff := cmp.Diff(b.Plan, c.After); diff != "" {
			t.Error(diff)
		}
		return err
	})
	update(t, s, func(tx *Tx) error { return tx.DeleteStory(series) })
	view(t, s, func(tx *Tx) error {
		if n := drawnIn(tx, series); n != 0 {
			t.Errorf("%d records of the series are left", n)
		}
		return nil
	})
}

// Memories and profiles say what was learnt and when; what the program thinks of
// its own work has no place in them.
func TestTaste_HoldsNothingOfTheWork(t *testing.T) {
	for _, v := range []any{
		TasteMemory{Events: []EditEvent{{}}, SceneLearnings: []SceneLearning{{}}, Summary: &ShotSummary{}, UpdatedAt: time.Unix(1, 0)},
		Taste{PreferenceCards: []PreferenceCard{{}}},
	} {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"status", "hash", "version", "error", "model", "duration", "diagnos"} {
			if strings.Contains(strings.ToLower(string(data)), word) {
				t.Errorf("%T has something of %q: %s", v, word, data)
			}
		}
	}
}
