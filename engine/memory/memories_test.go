package memory_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestMemories_HoldWhereTheyWereTold(t *testing.T) {
	c := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(c))})
	a := s.Exchange(4, "lamp")
	s.Remembers(a[1], enginetest.Tea)
	s.Remembers(a[7], enginetest.Boat)
	s.Knows(enginetest.Tea + ", " + enginetest.Boat)
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[3]))
	s.Knows(enginetest.Tea)
	b := s.Exchange(1, "key")
	s.Remembers(b[1], enginetest.Heron)
	s.Knows(enginetest.Heron + ", " + enginetest.Tea)
	s.Reopen()
	s.Knows(enginetest.Heron + ", " + enginetest.Tea)
	enginetest.Must(t, s.Chats.Delete(s.Chat, b[1], false))
	s.Knows(enginetest.Tea)
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.Knows(enginetest.Heron + ", " + enginetest.Tea)
	enginetest.Must(t, s.Chats.Goto(s.Chat, a[7]))
	s.Knows(enginetest.Tea + ", " + enginetest.Boat)

	all := s.Memories(memory.Query{All: true})
	if len(all.List) != 3 || all.Scope != storage.ScopeID(s.Chat) || all.Name == "" {
		t.Fatalf("%+v", all)
	}
	for _, m := range all.List {
		if m.Holds != (m.Content != enginetest.Heron) || m.InPrompt != m.Holds || m.ChatTitle == "" || m.Source == "" {
			t.Errorf("%+v", m)
		}
	}
	s.Sound()
}

func TestMemories_OfASwipeAreItsOwn(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(enginetest.NewClock()))})
	a := s.Exchange(1, "lamp")
	s.Remembers(a[1], enginetest.Tea)
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[0]))
	other := s.Sibling(a[1], "another reply")
	s.Knows("")
	s.Remembers(other, enginetest.Boat)
	s.Knows(enginetest.Boat)
	if _, err := s.Play.Swipe(s.Chat, other, -1); err != nil {
		t.Fatal(err)
	}
	s.Knows(enginetest.Tea)
}

func TestMemories_AreKeptOnce(t *testing.T) {
	c := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(c))})
	a := s.Exchange(3, "lamp")
	if !s.Remembers(a[1], enginetest.Tea) || s.Remembers(a[1], enginetest.Tea) {
		t.Error("the same pass twice has to change something once")
	}
	c.Advance(time.Hour)
	if !s.Remembers(a[5], enginetest.Tea) {
		t.Error("a second telling is news")
	}
	list := s.Memories(memory.Query{}).List
	if len(list) != 1 || len(list[0].Mentions) != 2 || !list[0].Last.Equal(c.Now()) || list[0].Source != a[5] {
		t.Fatalf("%+v", list)
	}
	id := list[0].ID
	m, err := s.Memory.Save(s.ScopeNow(), storage.Memory{ID: id, Type: storage.FactMemory, Content: enginetest.Boat})
	enginetest.Must(t, err)
	if m.Original != enginetest.Tea || len(m.Mentions) != 2 {
		t.Errorf("%+v", m)
	}
	s.Remembers(a[3], enginetest.Tea)
	s.Knows(enginetest.Boat) // what the user made of it counts
	if n, err := s.Memory.Act(s.ScopeNow(), []storage.MemoryID{id}, memory.Remove); n != 1 || err != nil {
		t.Error(n, err)
	}
	s.Remembers(a[5], enginetest.Boat, enginetest.Tea)
	s.Knows("")
	if m, err := s.Memory.Save(s.ScopeNow(), storage.Memory{Type: storage.FactMemory, Content: enginetest.Tea}); err != nil || m.ID != id || m.Removed || m.Original != "" {
		t.Errorf("%+v %v", m, err)
	}
	s.Knows(enginetest.Tea)
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[0]))
	s.Knows(enginetest.Tea) // set by the user: everywhere
}

func TestMemories_OfASeriesAreSharedByItsChats(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(enginetest.NewClock()))})
	made, eps := s.Series("S", []storage.CharacterID{s.Main()}, storage.Episode{Title: "one"}, storage.Episode{Title: "two"})
	_, others := s.Series("T", []storage.CharacterID{s.Main()}, storage.Episode{Title: "one"})
	first, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[0].ID})
	enginetest.Must(t, err)
	second, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[1].ID})
	enginetest.Must(t, err)
	stranger, err := s.Director.NewPlay(director.PlayRequest{Episode: others[0].ID})
	enginetest.Must(t, err)
	s.Chat = first.ID
	a := s.Exchange(2, "lamp")
	s.Remembers(a[1], enginetest.Tea)
	s.Remembers(a[3], enginetest.Boat)
	s.Chat = second.ID
	s.Knows(enginetest.Tea + ", " + enginetest.Boat)
	if got := s.Known(stranger.ID); got != "" {
		t.Errorf("another series knows %s", got)
	}
	enginetest.Must(t, s.Chats.Branch(first.ID, a[1])) // there it has not come up yet, and so here
	s.Knows(enginetest.Tea)
	if list := s.Memories(memory.Query{Series: made.ID}); len(list.List) != 1 || list.Name != "S" || list.List[0].ChatTitle != "S: one" || list.List[0].InPrompt {
		t.Errorf("%+v", list)
	}
	enginetest.Must(t, s.Chats.Goto(first.ID, a[3]))
	enginetest.Must(t, s.Play.DeleteChat(first.ID))
	s.Knows("")
	if list := s.Memories(memory.Query{Series: made.ID, All: true}); len(list.List) != 2 || list.List[0].Holds || list.List[0].ChatTitle != "" {
		t.Errorf("%+v", list)
	}
}

func TestMemories_GoWithAChat(t *testing.T) {
	c := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(c))})
	a := s.Exchange(2, "lamp")
	s.Remembers(a[1], enginetest.Tea)
	_, err := s.Memory.Save(s.ScopeNow(), storage.Memory{Type: storage.FactMemory, Content: enginetest.Ladder})
	enginetest.Must(t, err)
	made, eps := s.Series("S", []storage.CharacterID{s.Main()}, storage.Episode{Title: "one"})
	other, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[0].ID})
	enginetest.Must(t, err)
	plain := s.ScopeNow()
	enginetest.Must(t, s.Director.SetEpisode(s.Chat, eps[0].ID))
	if s.ScopeNow() != storage.ScopeID(made.ID) {
		t.Error("it has kept its scope")
	}
	s.Knows(enginetest.Tea + ", " + enginetest.Ladder)
	if got := s.Known(other.ID); got != enginetest.Tea+", "+enginetest.Ladder {
		t.Errorf("the other chat knows %q", got)
	}
	s.Remembers(a[3], enginetest.Boat)
	c.Advance(time.Minute)
	tale := s.Memories(memory.Query{Search: "TEA robin"}).List
	if len(tale) != 1 {
		t.Fatalf("%+v", tale)
	}
	_, err = s.Memory.Act(s.ScopeNow(), []storage.MemoryID{tale[0].ID}, memory.Pin)
	enginetest.Must(t, err)
	_, err = s.Memory.Save(s.ScopeNow(), storage.Memory{Type: storage.EventMemory, Content: enginetest.Heron})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Director.SetEpisode(s.Chat, ""))
	if s.ScopeNow() != plain {
		t.Error("it has not come back")
	}
	s.Knows(enginetest.Tea + ", " + enginetest.Boat + ", " + enginetest.Ladder)
	if m, err := s.Memory.FindMemory(plain, string(tale[0].ID)); err != nil || !m.Pinned || len(m.Mentions) != 1 {
		t.Errorf("%+v %v", m, err)
	}
	if got := s.Known(other.ID); got != enginetest.Heron+", "+enginetest.Ladder { // the rest was in a chat that left
		t.Errorf("the other chat knows %q", got)
	}
	enginetest.Must(t, s.Director.SetEpisode(s.Chat, eps[0].ID))
	s.Knows(enginetest.Heron + ", " + enginetest.Tea + ", " + enginetest.Boat + ", " + enginetest.Ladder)
	if n := len(s.Memories(memory.Query{All: true}).List); n != 4 {
		t.Errorf("%d memories", n)
	}
	s.Sound()
}

func TestMemories_AreKnownToTheirWitnesses(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(enginetest.NewClock()))})
	kit, ada := s.Actor("Kit", ""), s.Actor("Ada", "")
	enginetest.Must(t, s.Chats.JoinCast(s.Chat, kit))
	enginetest.Must(t, s.Chats.JoinCast(s.Chat, ada))
	a := s.Exchange(3, "lamp")
	mention := s.MentionAt(s.Chat, a[1])
	mention.Witnesses = []storage.CharacterID{kit}
	s.RemembersBy(mention, enginetest.Tea)
	whose := func(want []storage.CharacterID) {
		t.Helper()
		enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
			held := memory.PathsOf(tx, storage.ScopeID(s.Chat), s.Chat, a[5]).Memories()
			if len(held) != 1 {
				t.Fatalf("%+v", held)
			}
			if diff := cmp.Diff(want, held[0].Witnesses); diff != "" {
				t.Error(diff)
			}
			return nil
		}))
	}
	whose([]storage.CharacterID{kit})
	mention = s.MentionAt(s.Chat, a[3])
	mention.Witnesses = []storage.CharacterID{ada, kit}
	s.RemembersBy(mention, enginetest.Tea)
	whose([]storage.CharacterID{kit, ada})
	nobodyElse := s.MentionAt(s.Chat, a[4])
	nobodyElse.Witnesses = []storage.CharacterID{}
	s.RemembersBy(nobodyElse, enginetest.Tea)
	whose([]storage.CharacterID{kit, ada})
	s.Remembers(a[5], enginetest.Tea)
	whose(nil)
	s.RemembersBy(nobodyElse, enginetest.Boat)
	for _, m := range s.Memories(memory.Query{}).List {
		if m.InPrompt != (m.Content == enginetest.Tea) {
			t.Errorf("in the prompt: %+v", m)
		}
	}
}

func TestMemories_ActFindMerge(t *testing.T) {
	c := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(c))})
	a := s.Exchange(2, "lamp")
	s.Remembers(a[1], enginetest.Tea, enginetest.Boat)
	s.Remembers(a[3], enginetest.Heron)
	scope := s.ScopeNow()
	byText := map[string]storage.MemoryID{}
	for _, m := range s.Memories(memory.Query{}).List {
		byText[m.Content] = m.ID
	}
	for _, do := range []struct {
		action memory.Action
		n      int
	}{{memory.Pin, 2}, {memory.Pin, 0}, {memory.Unpin, 2}, {memory.Mute, 2}, {memory.Unmute, 2}, {memory.Remove, 2}, {memory.Remove, 0}, {memory.Restore, 2}} {
		if n, err := s.Memory.Act(scope, []storage.MemoryID{byText[enginetest.Tea], byText[enginetest.Boat]}, do.action); n != do.n || err != nil {
			t.Errorf("%s: %d %v", do.action, n, err)
		}
	}
	if n, err := s.Memory.Act(scope, []storage.MemoryID{byText[enginetest.Tea], storage.MemoryID(storage.NewID())}, memory.Pin); n != 0 || !errors.Is(err, storage.ErrNotFound) {
		t.Error(n, err)
	}
	if m, err := s.Memory.FindMemory(scope, string(byText[enginetest.Tea])); err != nil || m.Pinned {
		t.Errorf("half of it was done: %+v %v", m, err)
	}
	if _, err := s.Memory.Act(scope, []storage.MemoryID{byText[enginetest.Tea]}, "burn"); !errors.Is(err, failure.ErrRefused) {
		t.Error(err)
	}
	if _, err := s.Memory.Act("nowhere", nil, memory.Pin); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
	id := string(byText[enginetest.Tea])
	if m, err := s.Memory.FindMemory(scope, strings.ToLower(id[20:])); err != nil || m.ID != byText[enginetest.Tea] {
		t.Error(m, err)
	}
	if _, err := s.Memory.FindMemory(scope, id[:3]); !errors.Is(err, failure.ErrAmbiguous) {
		t.Error(err)
	}
	for _, ref := range []string{"", "ZZZZZZ"} {
		if _, err := s.Memory.FindMemory(scope, ref); !errors.Is(err, storage.ErrNotFound) {
			t.Error(ref, err)
		}
	}
	enginetest.Must(t, s.Memory.Merge(scope, byText[enginetest.Heron], byText[enginetest.Tea]))
	s.Knows(enginetest.Heron + ", " + enginetest.Boat)
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[1]))
	s.Knows(enginetest.Heron + ", " + enginetest.Boat) // it has the tellings of both
	if err := s.Memory.Merge(scope, byText[enginetest.Heron], byText[enginetest.Heron]); !errors.Is(err, failure.ErrRefused) {
		t.Error(err)
	}
	if err := s.Memory.Merge(scope, byText[enginetest.Heron], byText[enginetest.Tea]); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
	half, minus := 0.5, math.NaN()
	for want, bad := range map[string]storage.Memory{
		"content":    {Type: storage.FactMemory, Content: " "},
		"rumour":     {Type: "rumour", Content: "x"},
		"weight":     {Type: storage.FactMemory, Content: "x", Weight: &minus},
		"characters": {Type: storage.FactMemory, Content: strings.Repeat("x", memory.LongestMemory+1)},
	} {
		if _, err := s.Memory.Save(scope, bad); field.AsError(err) == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	weight := 1.0
	_, err := s.Memory.Save(scope, storage.Memory{ID: byText[enginetest.Boat], Type: storage.RelationshipMemory, Content: enginetest.Boat, Weight: &weight})
	enginetest.Must(t, err)
	if list := s.Memories(memory.Query{}).List; list[0].ID != byText[enginetest.Boat] || list[0].Importance != 1 || list[1].Importance != half {
		t.Errorf("%+v", list)
	}
}

func TestMemories_ToldWithoutEndStaySmall(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(enginetest.NewClock()))})
	a := s.Exchange(200, "lamp")
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[21]))
	side := s.Exchange(1, "key")
	s.Remembers(side[1], enginetest.Tea)
	enginetest.Must(t, s.Chats.Goto(s.Chat, a[399]))
	for i := 1; i < len(a); i += 2 {
		mention := storage.Mention{Chat: s.Chat, Node: a[i], Depth: s.Node(a[i]).Depth, At: s.Now()}
		if i > 20 {
			mention.Importance = 0.1
		}
		s.RemembersBy(mention, enginetest.Tea)
	}
	list := s.Memories(memory.Query{}).List
	if len(list) != 1 || len(list[0].Mentions) > memory.MaxMentions || len(list[0].Mentions) < memory.MaxMentions/2 {
		t.Fatalf("%d tellings", len(list[0].Mentions))
	}
	for _, at := range []storage.NodeID{a[1], a[100], a[399], side[1]} {
		enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
			held := memory.PathsOf(tx, storage.ScopeID(s.Chat), s.Chat, at).Memories()
			if len(held) != 1 {
				t.Errorf("it is not known at %s", at)
			}
			return nil
		}))
	}
}

// naiveHeld are the memories that hold at a message, found by walking all of the
// paths.
func naiveHeld(tx *storage.Tx, scope storage.ScopeID, chat storage.ChatID, leaf storage.NodeID) (map[storage.MemoryID]float64, error) {
	on := map[storage.NodeID]bool{"": true}
	for id, c := range storage.Chats.All(tx) {
		if chats.ScopeOf(c) != scope {
			continue
		}
		end := c.Head
		if id == chat {
			end = leaf
		}
		path, err := tx.Path(id, end, 0)
		if err != nil {
			return nil, err
		}
		for _, n := range path {
			on[n.ID] = true
		}
	}
	out := map[storage.MemoryID]float64{}
	for id, m := range storage.Memories.All(tx, scope) {
		most := -1.0
		for _, at := range m.Mentions {
			if on[at.Node] {
				most = max(most, at.Importance)
			}
		}
		if most >= 0 && !m.Removed && !m.Muted {
			out[id] = most
		}
	}
	return out, nil
}

func TestMemories_HoldAsAWalkOfAllPathsSays(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(enginetest.NewClock()))})
	_, eps := s.Series("S", []storage.CharacterID{s.Main()}, storage.Episode{Title: "one"})
	enginetest.Must(t, s.Director.SetEpisode(s.Chat, eps[0].ID))
	second, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[0].ID})
	enginetest.Must(t, err)
	scope := s.ScopeNow()
	rapid.Check(t, func(r *rapid.T) {
		failed := s.Core().Store.Update(func(tx *storage.Tx) error {
			var nodes [2][]storage.NodeID
			chats := []storage.ChatID{s.Chat, second.ID}
			for i, id := range chats {
				c, err := storage.Chats.Get(tx, id)
				if err != nil {
					return err
				}
				parent := storage.NodeID("")
				for range rapid.IntRange(1, 12).Draw(r, "nodes") {
					if len(nodes[i]) > 0 {
						parent = rapid.SampledFrom(nodes[i]).Draw(r, "parent")
					}
					n := storage.Node{Chat: id, Parent: parent, Role: storage.Assistant, Content: "x", State: storage.Complete, Deleted: rapid.IntRange(0, 5).Draw(r, "deleted") == 0}
					if err := tx.AppendNode(&n); err != nil {
						return err
					}
					nodes[i] = append(nodes[i], n.ID)
				}
				c.Head = rapid.SampledFrom(nodes[i]).Draw(r, "head")
				if err := storage.Chats.Put(tx, id, c); err != nil {
					return err
				}
			}
			for i := range rapid.IntRange(1, 12).Draw(r, "tellings") {
				at := rapid.IntRange(0, 1).Draw(r, "chat")
				node := rapid.SampledFrom(nodes[at]).Draw(r, "node")
				p, err := tx.NodeInfo(chats[at], node)
				if err != nil {
					return err
				}
				mention := storage.Mention{Chat: chats[at], Node: node, Depth: p.Depth, At: s.Now()}
				found := []rules.FoundMemory{{Type: storage.EventMemory, Content: fmt.Sprint("zebra ", strings.Repeat("q", 1+rapid.IntRange(0, 3).Draw(r, "memory"))), Importance: float64(i) / 20, Mention: mention}}
				if _, err := memory.StoreMemories(tx, scope, found); err != nil {
					return err
				}
			}
			leaf := rapid.SampledFrom(nodes[0]).Draw(r, "leaf")
			want, err := naiveHeld(tx, scope, s.Chat, leaf)
			if err != nil {
				return err
			}
			held := memory.PathsOf(tx, scope, s.Chat, leaf).Memories()
			got := map[storage.MemoryID]float64{}
			for _, h := range held {
				got[h.ID] = h.Importance
			}
			if diff := cmp.Diff(want, got); diff != "" {
				return errors.New(diff)
			}
			return errRollBack
		})
		if !errors.Is(failed, errRollBack) {
			r.Fatal(failed)
		}
	})
}

// errRollBack rolls back a transaction.
var errRollBack = errors.New("nothing of this is to be kept")
