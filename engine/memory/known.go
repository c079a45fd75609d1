package memory

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// onPaths is how something that was told stands on paths.
type onPaths struct {
	Here []storage.StoryPlace // of its tellings those on the paths
	// Witnesses are those who know it and do not know that it has ended, nil everybody.
	Witnesses []storage.CharacterID
	Over      *storage.End // where it ended, nil while it holds for somebody or was never known
	Doubt     *storage.End // why the user is asked whether it still holds, nil for no reason
}

// holds reports whether it is known there and has not ended.
func (o *onPaths) holds() bool { return len(o.Here) > 0 && o.Over == nil }

// stands is how something stands on the paths that was told so and has ended so.
func (g *Paths) stands(told []storage.StoryPlace, ends []storage.End) (o onPaths) {
	if o.Here = g.on(told); len(o.Here) > 0 {
		o.Witnesses, o.Over = g.knowers(o.Here, ends)
		o.Doubt = g.doubtOf(o.Here, ends)
	}
	return o
}

// KnownMemory is a memory that is known on a path.
type KnownMemory struct {
	storage.Memory
	onPaths
	Importance float64   // the user's, or the greatest of those on the path
	Last       time.Time // when it was told last
}

// MessagesOf are those of a chat that something told came from.
func MessagesOf(told []storage.StoryPlace, chat storage.ChatID) (out []storage.NodeID) {
	for _, at := range told {
		if at.Chat == "" || at.Chat == chat {
			out = append(out, at.Sources...)
		}
	}
	return out
}

// KnownHook is a hook that is known on a path. Taken: a reply of the path took it
// up.
type KnownHook struct {
	storage.Hook
	onPaths
	Taken bool
	// Turn is where the story stands as this hook counts its turns: one that was
	// made in another chat has seen the turns of both.
	Turn int
	// Deadline is its time of the story in words, with when that was said: "in three
	// days (said on Thursday, 2 days ago)". It is "" where it has none.
	Deadline string
	Story    bool // that has come
}

// Paths answer whether a telling lies on the paths that a story is seen on:
// in the chat that is asked about the path to a message, in the other chats of
// the story those to their heads. A path is walked only as far as it is asked.
type Paths struct {
	tx     *storage.Tx
	scope  storage.ScopeID
	chat   storage.ChatID // that is asked about, "" for none
	leaf   storage.NodeID
	trails map[storage.ChatID]*chats.Trail // nil for chats that are not of the story
	turns  map[storage.ChatID]int          // at the ends of the paths
	time   *storage.StoryTime              // at the end of the path that is asked about, nil before it was read
	chats  map[storage.ChatID]storage.Chat
}

// PathsOf are the paths that a story is seen on from a message of a chat, those of
// all its chats' heads for "".
func PathsOf(tx *storage.Tx, scope storage.ScopeID, chat storage.ChatID, leaf storage.NodeID) *Paths {
	return &Paths{tx: tx, scope: scope, chat: chat, leaf: leaf, trails: map[storage.ChatID]*chats.Trail{},
		turns: map[storage.ChatID]int{}, chats: map[storage.ChatID]storage.Chat{}}
}

// holds reports whether a telling lies on them. What was told in a message that is
// deleted, or in a chat that has gone or left the story, does not count.
func (g *Paths) holds(at storage.StoryPlace) bool {
	if !g.shown(at) {
		return false
	}
	return at.Node == "" || !slices.ContainsFunc(at.Sources, func(id storage.NodeID) bool {
		if id == at.Node {
			return false
		}
		p, err := g.tx.Place(cmp.Or(at.Chat, g.chat), id)
		return err == nil && p.Deleted
	})
}

// shown reports whether the message of a telling lies on them.
func (g *Paths) shown(at storage.StoryPlace) bool {
	if at.Node == "" {
		return true
	}
	chat := cmp.Or(at.Chat, g.chat)
	t := g.trail(chat)
	if t == nil || !t.Has(g.tx, at.Node) {
		return false
	}
	p, err := g.tx.Place(chat, at.Node)
	return err == nil && !p.Deleted
}

// trail is the path of a chat, nil for one that is not of the story.
func (g *Paths) trail(chat storage.ChatID) *chats.Trail {
	if t, ok := g.trails[chat]; ok {
		return t
	}
	var t *chats.Trail
	if chat == g.chat {
		x := chats.NewTrail(chat, g.leaf)
		t = &x
	} else if c, err := storage.Chats.Get(g.tx, chat); err == nil && chats.ScopeOf(c) == g.scope {
		x := chats.NewTrail(chat, c.Head)
		t = &x
	}
	g.trails[chat] = t
	return t
}

// on are those of a record's tellings that lie on them.
func (g *Paths) on(told []storage.StoryPlace) []storage.StoryPlace {
	var out []storage.StoryPlace
	for _, at := range told {
		if g.holds(at) {
			out = append(out, at)
		}
	}
	return out
}

// taken are the replies on them that have taken a hook up: what was said before
// such a reply may have been deleted.
func (g *Paths) taken(told []storage.StoryPlace) []storage.StoryPlace {
	return slices.DeleteFunc(slices.Clone(told), func(at storage.StoryPlace) bool { return !g.shown(at) })
}

// memory is what the paths know of a memory. One that they never knew is as it was told elsewhere.
func (g *Paths) memory(m storage.Memory) KnownMemory {
	h := KnownMemory{Memory: m, onPaths: g.stands(m.Told, m.Ends)}
	told := h.Here
	if len(told) == 0 {
		told = m.Told
	}
	h.Importance, h.Last = weightOf(m, told), lastOf(told)
	return h
}

// weightOf is how much a memory matters: as much as the user said, or as the
// weightiest of these tellings.
func weightOf(m storage.Memory, told []storage.StoryPlace) float64 {
	if m.Weight != nil {
		return *m.Weight
	}
	most := 0.0
	for _, at := range told {
		most = max(most, at.Importance)
	}
	return most
}

func lastOf(told []storage.StoryPlace) (last time.Time) {
	for _, at := range told {
		if at.At.After(last) {
			last = at.At
		}
	}
	return last
}

// witnesses are all who witnessed one of the tellings: nil, which is everybody,
// where everybody witnessed one.
func (g *Paths) witnesses(told []storage.StoryPlace) []storage.CharacterID {
	out := []storage.CharacterID{}
	for _, at := range told {
		who := chats.KnowersAt(g.tx, g.chatOf(at), at)
		if who == nil {
			return nil
		}
		for _, id := range who {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// chatOf is the chat of a telling, zero for one that has gone.
func (g *Paths) chatOf(at storage.StoryPlace) storage.Chat {
	id := cmp.Or(at.Chat, g.chat)
	c, ok := g.chats[id]
	if !ok {
		c, _ = storage.Chats.Get(g.tx, id)
		g.chats[id] = c
	}
	return c
}

// turn is where the story stands as a hook counts its turns.
func (g *Paths) turn(h storage.Hook) int {
	now := g.turnsOf(g.chat)
	if len(h.Told) == 0 || h.Told[0].Chat == "" || h.Told[0].Chat == g.chat {
		return now
	}
	return max(h.Turn, g.turnsOf(h.Told[0].Chat)) + now
}

// came reports whether a pass on the paths has found that a hook's time of the story
// has come.
func (g *Paths) came(h storage.Hook) bool {
	return h.Due.When != "" && slices.ContainsFunc(h.Came, g.holds)
}

// deadline is the time of the story by which a hook is due, with when that was said.
func (g *Paths) deadline(h storage.Hook) string {
	from := scenes.ClockWords(h.Due.From)
	if h.Due.When == "" || from == "" {
		return h.Due.When
	}
	said := "said on " + from
	if len(h.Told) > 0 && h.Told[0].Chat == g.chat {
		if g.time == nil {
			t := scenes.ClockAt(g.tx, g.chat, g.leaf).Time
			g.time = &t
		}
		switch days := g.time.Passed - h.Due.From.Passed; {
		case days == 1:
			said += ", 1 day ago"
		case days > 1:
			said += fmt.Sprintf(", %d days ago", days)
		}
	}
	return h.Due.When + " (" + said + ")"
}

func (g *Paths) turnsOf(chat storage.ChatID) int {
	n, ok := g.turns[chat]
	if ok {
		return n
	}
	leaf := g.leaf
	if chat != g.chat {
		c, _ := storage.Chats.Get(g.tx, chat) // of one that has gone nothing more is heard
		leaf = c.Head
	}
	n = chats.TurnAt(g.tx, chat, leaf)
	g.turns[chat] = n
	return n
}

// Memories are those that hold on the paths and that the user has neither removed nor
// muted.
func (g *Paths) Memories() (out []KnownMemory) {
	for _, m := range storage.Memories.All(g.tx, g.scope) {
		if m.Removed || m.Muted {
			continue
		}
		if h := g.memory(m); h.holds() {
			out = append(out, h)
		}
	}
	return out
}

// KnownToAll returns the memories of a chat's story that hold at a message and that all of some
// characters know, nil everybody, but for those that prompts tell whatever else does: what the user
// has written or pinned.
func KnownToAll(tx *storage.Tx, c storage.Chat, leaf storage.NodeID, audience []storage.CharacterID) (out []scene.Remembered) {
	for _, m := range PathsOf(tx, chats.ScopeOf(c), c.ID, leaf).Memories() {
		known := m.Witnesses == nil || chats.KnownToAll(c, m.Witnesses) || len(audience) > 0 &&
			!slices.ContainsFunc(audience, func(who storage.CharacterID) bool { return !slices.Contains(m.Witnesses, who) })
		if known && !m.Pinned && m.Original == "" {
			out = append(out, scene.Remembered{ID: m.ID, Text: m.Content, Sources: MessagesOf(m.Here, c.ID)})
		}
	}
	return out
}

// Hooks are those that hold on the paths and that the user has neither closed nor
// dropped. Those taken up on the path are among them, and say so.
func (g *Paths) Hooks() (out []KnownHook) {
	for _, h := range storage.Hooks.All(g.tx, g.scope) {
		if h.Closed || h.Dropped {
			continue
		}
		if o := g.stands(h.Told, h.Ends); o.holds() {
			out = append(out, KnownHook{Hook: h, onPaths: o, Taken: len(g.taken(h.Taken)) > 0, Turn: g.turn(h),
				Deadline: g.deadline(h), Story: g.came(h)})
		}
	}
	return out
}

// CandidateOf is a memory as one of those that a prompt may tell; near is how near in
// meaning each one is, nil where that is not known.
func CandidateOf(x KnownMemory, near map[storage.MemoryID]float64) rules.Candidate {
	return rules.Candidate{ID: x.ID, Type: x.Type, Content: x.Content, Importance: x.Importance, Last: x.Last,
		Pinned: x.Pinned, Near: near[x.ID]}
}
