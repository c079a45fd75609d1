package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/director/rules"
	"ghostlight/storage"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// toldAtNode is the telling at a message of a chat.
func (s *stage) toldAtNode(chat storage.ChatID, node storage.NodeID) (told storage.Told) {
	s.t.Helper()
	must(s.t, s.store.View(func(tx *storage.Tx) error {
		p, err := tx.Place(chat, node)
		told = storage.Told{Chat: chat, Node: node, Depth: p.Depth, Sources: []storage.NodeID{node}, At: s.now()}
		return err
	}))
	return told
}

// now is the time of the stage's clock.
func (s *stage) now() time.Time { return s.Engine.cfg.Now() }

func (s *stage) scopeNow() storage.ScopeID {
	s.t.Helper()
	scope, err := s.ScopeOf(s.chat)
	must(s.t, err)
	return scope
}

// remembers has facts told at a message of the open chat.
func (s *stage) remembers(node storage.NodeID, facts ...string) bool {
	s.t.Helper()
	return s.remembersBy(s.toldAtNode(s.chat, node), facts...)
}

func (s *stage) remembersBy(told storage.Told, facts ...string) (changed bool) {
	s.t.Helper()
	var found []rules.FoundMemory
	for _, f := range facts {
		found = append(found, rules.FoundMemory{Type: storage.FactMemory, Content: f, Importance: 0.5})
	}
	scope := s.scopeNow()
	must(s.t, s.store.Update(func(tx *storage.Tx) (err error) {
		changed, err = keepMemories(tx, scope, told.Chat, told, found)
		return err
	}))
	return changed
}

func (s *stage) memories(ask MemoryAsk) MemoryList {
	s.t.Helper()
	if ask.Chat == "" && ask.Series == "" {
		ask.Chat = s.chat
	}
	list, err := s.Memories(ask)
	must(s.t, err)
	return list
}

// known are the memories that a chat's head knows, by their words.
func (s *stage) known(chat storage.ChatID) string {
	s.t.Helper()
	var out []string
	for _, m := range s.memories(MemoryAsk{Chat: chat}).List {
		out = append(out, m.Content)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (s *stage) knows(want string) {
	s.t.Helper()
	if got := s.known(s.chat); got != want {
		s.t.Errorf("the chat knows %q, want %q", got, want)
	}
}

// withClock gives a stage a clock that the test sets.
func withClock(c *manualClock) func(*setup) { return func(o *setup) { o.cfg.Now = c.Now } }

const (
	tea    = "Robin drinks tea without milk."
	boat   = "Robin's brother owns a boat in Hull."
	heron  = "A heron nests behind the old chapel."
	ladder = "The ladder in the tower is broken."
)

func TestMemories_HoldWhereTheyWereTold(t *testing.T) {
	c := newClock()
	s := newStage(t, withClock(c))
	a := s.exchange(4, "lamp")
	s.remembers(a[1], tea)
	s.remembers(a[7], boat)
	s.knows(tea + ", " + boat)
	must(t, s.Branch(s.chat, a[3]))
	s.knows(tea)
	b := s.exchange(1, "key")
	s.remembers(b[1], heron)
	s.knows(heron + ", " + tea)
	s.reopen()
	s.knows(heron + ", " + tea)
	must(t, s.Delete(s.chat, b[1], false))
	s.knows(tea)
	must(t, s.Undo(s.chat))
	s.knows(heron + ", " + tea)
	must(t, s.Goto(s.chat, a[7]))
	s.knows(tea + ", " + boat)

	all := s.memories(MemoryAsk{All: true})
	if len(all.List) != 3 || all.Scope != storage.ScopeID(s.chat) || all.Name == "" {
		t.Fatalf("%+v", all)
	}
	for _, m := range all.List {
		if m.Holds != (m.Content != heron) || m.InPrompt != m.Holds || m.ChatTitle == "" || m.Source == "" {
			t.Errorf("%+v", m)
		}
	}
	s.sound()
}

func TestMemories_OfASwipeAreItsOwn(t *testing.T) {
	s := newStage(t, withClock(newClock()))
	a := s.exchange(1, "lamp")
	s.remembers(a[1], tea)
	must(t, s.Branch(s.chat, a[0]))
	other := s.sibling(a[1], "another reply")
	s.knows("")
	s.remembers(other, boat)
	s.knows(boat)
	if _, err := s.Swipe(s.chat, other, -1); err != nil {
		t.Fatal(err)
	}
	s.knows(tea)
}

// sibling puts another reply beside one and goes there.
func (s *stage) sibling(of storage.NodeID, text string) storage.NodeID {
	s.t.Helper()
	n := storage.Node{Chat: s.chat, Parent: s.node(of).Parent, Role: storage.Assistant, Name: "Tove", Content: text, State: storage.Complete, CreatedAt: s.now()}
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		if err := tx.AppendNode(&n); err != nil {
			return err
		}
		return s.setHead(tx, s.chat, n.ID)
	}))
	return n.ID
}

func TestMemories_AreKeptOnce(t *testing.T) {
	c := newClock()
	s := newStage(t, withClock(c))
	a := s.exchange(3, "lamp")
	if !s.remembers(a[1], tea, "  ") || s.remembers(a[1], tea) {
		t.Error("the same pass twice has to change something once")
	}
	c.advance(time.Hour)
	if !s.remembers(a[5], tea) {
		t.Error("a second telling is news")
	}
	list := s.memories(MemoryAsk{}).List
	if len(list) != 1 || len(list[0].Told) != 2 || !list[0].Last.Equal(c.Now()) || list[0].Source != a[5] {
		t.Fatalf("%+v", list)
	}
	id := list[0].ID
	m, err := s.SaveMemory(s.scopeNow(), storage.Memory{ID: id, Type: storage.FactMemory, Content: boat})
	must(t, err)
	if m.Original != tea || len(m.Told) != 2 {
		t.Errorf("%+v", m)
	}
	s.remembers(a[3], tea)
	s.knows(boat) // what the user made of it counts
	if n, err := s.ActMemory(s.scopeNow(), []storage.MemoryID{id}, MemoryRemove); n != 1 || err != nil {
		t.Error(n, err)
	}
	s.remembers(a[5], boat, tea)
	s.knows("")
	if m, err := s.SaveMemory(s.scopeNow(), storage.Memory{Type: storage.FactMemory, Content: tea}); err != nil || m.ID != id || m.Removed || m.Original != "" {
		t.Errorf("%+v %v", m, err)
	}
	s.knows(tea)
	must(t, s.Branch(s.chat, a[0]))
	s.knows(tea) // the user said so: everywhere
}

func TestMemories_OfWhatAModelSaysNothingWorseThanAFactIsKept(t *testing.T) {
	s := newStage(t, withClock(newClock()))
	a := s.exchange(1, "lamp")
	told := s.toldAtNode(s.chat, a[1])
	must(t, s.store.Update(func(tx *storage.Tx) error {
		_, err := keepMemories(tx, storage.ScopeID(s.chat), s.chat, told, []rules.FoundMemory{
			{Type: "rumour", Content: "x"}, {Type: storage.FactMemory}, {Type: storage.GoalMemory, Content: strings.Repeat("ä", longestMemory+9), Importance: math.NaN()},
			{Type: storage.EventMemory, Content: "later", Importance: 7}})
		return err
	}))
	list := s.memories(MemoryAsk{}).List
	if len(list) != 2 || list[0].Importance != 1 || list[1].Importance != 0 || len([]rune(list[1].Content)) != longestMemory {
		t.Errorf("%+v", list)
	}
}

func TestMemories_OfASeriesAreSharedByItsChats(t *testing.T) {
	s := newStage(t, withClock(newClock()))
	made, eps := s.series("S", []storage.CharacterID{s.main()}, storage.Episode{Title: "one"}, storage.Episode{Title: "two"})
	_, others := s.series("T", []storage.CharacterID{s.main()}, storage.Episode{Title: "one"})
	first, err := s.NewPlay(PlayRequest{Episode: eps[0].ID})
	must(t, err)
	second, err := s.NewPlay(PlayRequest{Episode: eps[1].ID})
	must(t, err)
	stranger, err := s.NewPlay(PlayRequest{Episode: others[0].ID})
	must(t, err)
	s.chat = first.ID
	a := s.exchange(2, "lamp")
	s.remembers(a[1], tea)
	s.remembers(a[3], boat)
	s.chat = second.ID
	s.knows(tea + ", " + boat)
	if got := s.known(stranger.ID); got != "" {
		t.Errorf("another series knows %s", got)
	}
	must(t, s.Branch(first.ID, a[1])) // there it has not been told yet, and so here
	s.knows(tea)
	if list := s.memories(MemoryAsk{Series: made.ID}); len(list.List) != 1 || list.Name != "S" || list.List[0].ChatTitle != "S: one" || list.List[0].InPrompt {
		t.Errorf("%+v", list)
	}
	must(t, s.Goto(first.ID, a[3]))
	must(t, s.DeleteChat(first.ID))
	s.knows("")
	if list := s.memories(MemoryAsk{Series: made.ID, All: true}); len(list.List) != 2 || list.List[0].Holds || list.List[0].ChatTitle != "" {
		t.Errorf("%+v", list)
	}
}

func TestMemories_GoWithAChat(t *testing.T) {
	c := newClock()
	s := newStage(t, withClock(c))
	a := s.exchange(2, "lamp")
	s.remembers(a[1], tea)
	_, err := s.SaveMemory(s.scopeNow(), storage.Memory{Type: storage.FactMemory, Content: ladder})
	must(t, err)
	made, eps := s.series("S", []storage.CharacterID{s.main()}, storage.Episode{Title: "one"})
	other, err := s.NewPlay(PlayRequest{Episode: eps[0].ID})
	must(t, err)
	plain := s.scopeNow()
	must(t, s.SetEpisode(s.chat, eps[0].ID))
	if s.scopeNow() != storage.ScopeID(made.ID) {
		t.Error("it has kept its scope")
	}
	s.knows(tea + ", " + ladder)
	if got := s.known(other.ID); got != tea+", "+ladder {
		t.Errorf("the other chat knows %q", got)
	}
	s.remembers(a[3], boat)
	c.advance(time.Minute)
	tale := s.memories(MemoryAsk{Search: "TEA robin"}).List
	if len(tale) != 1 {
		t.Fatalf("%+v", tale)
	}
	_, err = s.ActMemory(s.scopeNow(), []storage.MemoryID{tale[0].ID}, MemoryPin)
	must(t, err)
	_, err = s.SaveMemory(s.scopeNow(), storage.Memory{Type: storage.EventMemory, Content: heron})
	must(t, err)
	must(t, s.SetEpisode(s.chat, ""))
	if s.scopeNow() != plain {
		t.Error("it has not come back")
	}
	s.knows(tea + ", " + boat + ", " + ladder)
	if m, err := s.FindMemory(plain, string(tale[0].ID)); err != nil || !m.Pinned || len(m.Told) != 1 {
		t.Errorf("%+v %v", m, err)
	}
	if got := s.known(other.ID); got != heron+", "+ladder { // the rest was told in a chat that has left
		t.Errorf("the other chat knows %q", got)
	}
	must(t, s.SetEpisode(s.chat, eps[0].ID))
	s.knows(heron + ", " + tea + ", " + boat + ", " + ladder)
	if n := len(s.memories(MemoryAsk{All: true}).List); n != 4 {
		t.Errorf("%d memories", n)
	}
	s.sound()
}

func TestMemories_AreKnownToTheirWitnesses(t *testing.T) {
	s := newStage(t, withClock(newClock()))
	kit, ada := s.actor("Kit", ""), s.actor("Ada", "")
	must(t, s.JoinCast(s.chat, kit))
	must(t, s.JoinCast(s.chat, ada))
	a := s.exchange(3, "lamp")
	told := s.toldAtNode(s.chat, a[1])
	told.Witnesses = []storage.CharacterID{kit}
	s.remembersBy(told, tea)
	whose := func(want []storage.CharacterID) {
		t.Helper()
		must(t, s.store.View(func(tx *storage.Tx) error {
			held, err := heldMemories(tx, storage.ScopeID(s.chat), s.chat, a[5])
			if len(held) != 1 {
				t.Fatalf("%+v", held)
			}
			if diff := cmp.Diff(want, held[0].witnesses); diff != "" {
				t.Error(diff)
			}
			return err
		}))
	}
	whose([]storage.CharacterID{kit})
	told = s.toldAtNode(s.chat, a[3])
	told.Witnesses = []storage.CharacterID{ada, kit}
	s.remembersBy(told, tea)
	whose([]storage.CharacterID{kit, ada})
	nobodyElse := s.toldAtNode(s.chat, a[4])
	nobodyElse.Witnesses = []storage.CharacterID{}
	s.remembersBy(nobodyElse, tea)
	whose([]storage.CharacterID{kit, ada})
	s.remembers(a[5], tea)
	whose(nil)
	s.remembersBy(nobodyElse, boat)
	for _, m := range s.memories(MemoryAsk{}).List {
		if m.InPrompt != (m.Content == tea) {
			t.Errorf("in the prompt: %+v", m)
		}
	}
}

func TestMemories_ActFindMerge(t *testing.T) {
	c := newClock()
	s := newStage(t, withClock(c))
	a := s.exchange(2, "lamp")
	s.remembers(a[1], tea, boat)
	s.remembers(a[3], heron)
	scope := s.scopeNow()
	byText := map[string]storage.MemoryID{}
	for _, m := range s.memories(MemoryAsk{}).List {
		byText[m.Content] = m.ID
	}
	for _, do := range []struct {
		action MemoryAction
		n      int
	}{{MemoryPin, 2}, {MemoryPin, 0}, {MemoryUnpin, 2}, {MemoryMute, 2}, {MemoryUnmute, 2}, {MemoryRemove, 2}, {MemoryRemove, 0}, {MemoryBack, 2}} {
		if n, err := s.ActMemory(scope, []storage.MemoryID{byText[tea], byText[boat]}, do.action); n != do.n || err != nil {
			t.Errorf("%s: %d %v", do.action, n, err)
		}
	}
	if n, err := s.ActMemory(scope, []storage.MemoryID{byText[tea], storage.MemoryID(storage.NewID())}, MemoryPin); n != 0 || !errors.Is(err, storage.ErrNotFound) {
		t.Error(n, err)
	}
	if m, err := s.FindMemory(scope, string(byText[tea])); err != nil || m.Pinned {
		t.Errorf("half of it was done: %+v %v", m, err)
	}
	if _, err := s.ActMemory(scope, []storage.MemoryID{byText[tea]}, "burn"); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	if _, err := s.ActMemory("nowhere", nil, MemoryPin); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
	id := string(byText[tea])
	if m, err := s.FindMemory(scope, strings.ToLower(id[20:])); err != nil || m.ID != byText[tea] {
		t.Error(m, err)
	}
	if _, err := s.FindMemory(scope, id[:3]); !errors.Is(err, ErrAmbiguous) {
		t.Error(err)
	}
	for _, ref := range []string{"", "ZZZZZZ"} {
		if _, err := s.FindMemory(scope, ref); !errors.Is(err, storage.ErrNotFound) {
			t.Error(ref, err)
		}
	}
	must(t, s.MergeMemories(scope, byText[heron], byText[tea]))
	s.knows(heron + ", " + boat)
	must(t, s.Branch(s.chat, a[1]))
	s.knows(heron + ", " + boat) // it has the tellings of both
	if err := s.MergeMemories(scope, byText[heron], byText[heron]); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	if err := s.MergeMemories(scope, byText[heron], byText[tea]); !errors.Is(err, storage.ErrNotFound) {
		t.Error(err)
	}
	half, minus := 0.5, math.NaN()
	for want, bad := range map[string]storage.Memory{
		"words":      {Type: storage.FactMemory, Content: " "},
		"rumour":     {Type: "rumour", Content: "x"},
		"importance": {Type: storage.FactMemory, Content: "x", Weight: &minus},
		"characters": {Type: storage.FactMemory, Content: strings.Repeat("x", longestMemory+1)},
	} {
		if _, err := s.SaveMemory(scope, bad); !errors.Is(err, ErrNothing) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	weight := 1.0
	_, err := s.SaveMemory(scope, storage.Memory{ID: byText[boat], Type: storage.RelationshipMemory, Content: boat, Weight: &weight})
	must(t, err)
	if list := s.memories(MemoryAsk{}).List; list[0].ID != byText[boat] || list[0].Importance != 1 || list[1].Importance != half {
		t.Errorf("%+v", list)
	}
}

func TestMemories_ToldWithoutEndStaySmall(t *testing.T) {
	s := newStage(t, withClock(newClock()))
	a := s.exchange(200, "lamp")
	must(t, s.Branch(s.chat, a[21]))
	side := s.exchange(1, "key")
	s.remembers(side[1], tea)
	must(t, s.Goto(s.chat, a[399]))
	for i := 1; i < len(a); i += 2 {
		told := storage.Told{Chat: s.chat, Node: a[i], Depth: s.node(a[i]).Depth, At: s.now()}
		if i > 20 {
			told.Importance = 0.1
		}
		s.remembersBy(told, tea)
	}
	list := s.memories(MemoryAsk{}).List
	if len(list) != 1 || len(list[0].Told) > mostTold || len(list[0].Told) < mostTold/2 {
		t.Fatalf("%d tellings", len(list[0].Told))
	}
	for _, at := range []storage.NodeID{a[1], a[100], a[399], side[1]} {
		must(t, s.store.View(func(tx *storage.Tx) error {
			held, err := heldMemories(tx, storage.ScopeID(s.chat), s.chat, at)
			if len(held) != 1 {
				t.Errorf("it is not known at %s", at)
			}
			return err
		}))
	}
}

// naiveHeld are the memories that hold at a message, found by walking all of the
// paths.
func naiveHeld(tx *storage.Tx, scope storage.ScopeID, chat storage.ChatID, leaf storage.NodeID) (map[storage.MemoryID]float64, error) {
	on := map[storage.NodeID]bool{"": true}
	for id, c := range storage.Chats.All(tx) {
		if scopeOf(c) != scope {
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
		for _, at := range m.Told {
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
	s := newStage(t, withClock(newClock()))
	_, eps := s.series("S", []storage.CharacterID{s.main()}, storage.Episode{Title: "one"})
	must(t, s.SetEpisode(s.chat, eps[0].ID))
	second, err := s.NewPlay(PlayRequest{Episode: eps[0].ID})
	must(t, err)
	scope := s.scopeNow()
	rapid.Check(t, func(r *rapid.T) {
		failed := s.store.Update(func(tx *storage.Tx) error {
			var nodes [2][]storage.NodeID
			chats := []storage.ChatID{s.chat, second.ID}
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
				p, err := tx.Place(chats[at], node)
				if err != nil {
					return err
				}
				told := storage.Told{Chat: chats[at], Node: node, Depth: p.Depth, At: s.now()}
				found := []rules.FoundMemory{{Type: storage.EventMemory, Content: fmt.Sprint("zebra ", strings.Repeat("q", 1+rapid.IntRange(0, 3).Draw(r, "memory"))), Importance: float64(i) / 20}}
				if _, err := keepMemories(tx, scope, chats[at], told, found); err != nil {
					return err
				}
			}
			leaf := rapid.SampledFrom(nodes[0]).Draw(r, "leaf")
			want, err := naiveHeld(tx, scope, s.chat, leaf)
			if err != nil {
				return err
			}
			held, err := heldMemories(tx, scope, s.chat, leaf)
			if err != nil {
				return err
			}
			got := map[storage.MemoryID]float64{}
			for _, h := range held {
				got[h.ID] = h.importance
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

// errRollBack ends a transaction of which nothing is to be kept.
var errRollBack = errors.New("nothing of this is to be kept")
