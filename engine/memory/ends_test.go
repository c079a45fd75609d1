package memory_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// over ends what is remembered of some words at a message.
func (s *harness) over(node storage.NodeID, text string, witnesses ...storage.CharacterID) {
	s.T.Helper()
	e := storage.End{Mention: s.MentionAt(s.Chat, node), Kind: storage.Outdated}
	e.Witnesses = witnesses
	scope := s.ScopeNow()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		return memory.StoreEnds(tx, scope, []memory.Ending{{Text: text, End: e}})
	}))
}

func TestEnds_FollowTheBranch(t *testing.T) {
	c := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(c))})
	a := s.Exchange(3, "lamp")
	s.Remembers(a[1], enginetest.Tea, enginetest.Boat)
	s.over(a[3], enginetest.Tea)
	s.Knows(enginetest.Boat)
	s.Reopen()
	s.Knows(enginetest.Boat)
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[2])) // another reply: it has not ended there
	s.Knows(enginetest.Tea + ", " + enginetest.Boat)
	enginetest.Must(t, s.Chats.Goto(s.Chat, a[5]))
	s.Knows(enginetest.Boat)
	enginetest.Must(t, s.Chats.Delete(s.Chat, a[3], false)) // the message that ended it
	s.Knows(enginetest.Tea + ", " + enginetest.Boat)
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.Knows(enginetest.Boat)
	all := s.Memories(memory.Query{All: true, Search: enginetest.Tea})
	if len(all.List) != 1 || all.List[0].Ended == nil || all.List[0].Holds || memory.EndWords(all.List[0].Ended) != "no longer so since message #5" {
		t.Fatalf("%+v", all.List)
	}
	id := []storage.MemoryID{all.List[0].ID}
	for _, step := range []struct {
		do    memory.Action
		knows string
	}{{memory.Reopen, enginetest.Tea + ", " + enginetest.Boat}, {memory.EndAgain, enginetest.Boat}, {memory.Reopen, enginetest.Tea + ", " + enginetest.Boat}} {
		if n, err := s.Memory.Act(all.Scope, id, step.do); n != 1 || err != nil {
			t.Fatal(step, n, err)
		}
		s.Knows(step.knows)
	}
	s.over(a[3], enginetest.Tea) // the same place does not do again what the user has undone
	s.Knows(enginetest.Tea + ", " + enginetest.Boat)
	s.Sound()
}

func TestEnds_ToldAgainItHolds(t *testing.T) {
	c := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(c))})
	a := s.Exchange(3, "lamp")
	s.Remembers(a[1], enginetest.Tea)
	s.over(a[3], enginetest.Tea)
	s.Knows("")
	s.Remembers(a[5], enginetest.Tea)
	s.Knows(enginetest.Tea)
}

func TestEnds_OfHooksAndTheirState(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(enginetest.NewClock()))})
	a := s.Exchange(2, "lamp")
	scope, at := s.ScopeNow(), s.MentionAt(s.Chat, a[1])
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		_, err := memory.StoreHooks(tx, scope, 1, []rules.FoundHook{{Type: storage.ReminderHook, Content: "bring the map back", Turns: 9, Priority: 3, Mention: at}})
		return err
	}))
	s.over(a[3], "bring the map back")
	list, err := s.Memory.Hooks(memory.Query{Chat: s.Chat, All: true})
	enginetest.Must(t, err)
	if len(list.List) != 1 || list.List[0].State != memory.HookClosed || list.List[0].Ended == nil || list.List[0].InPrompt {
		t.Fatalf("%+v", list.List)
	}
	if n, err := s.Memory.ActHook(scope, []storage.HookID{list.List[0].ID}, memory.HookReopen); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if list, err = s.Memory.Hooks(memory.Query{Chat: s.Chat}); err != nil || len(list.List) != 1 || list.List[0].State != memory.HookWaiting {
		t.Errorf("%+v %v", list.List, err)
	}
}
