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

// pathStatus is the status of something mentioned on paths.
type pathStatus struct {
	Here []storage.Mention // its mentions on the paths
	// Witnesses are the characters who know it and do not know that it has ended, nil for
	// everybody.
	Witnesses []storage.CharacterID
	End       *storage.End // its end, nil while it holds for somebody or was never known
	Doubt     *storage.End // why the user is asked whether it still holds, nil for no reason
}

// holds reports whether it is known there and has not ended.
func (o *pathStatus) holds() bool { return len(o.Here) > 0 && o.End == nil }

// status returns the status of something with these mentions and ends.
func (g *Paths) status(mentions []storage.Mention, ends []storage.End) (o pathStatus) {
	if o.Here = g.on(mentions); len(o.Here) > 0 {
		o.Witnesses, o.End = g.knowers(o.Here, ends)
		o.Doubt = g.doubtOf(o.Here, ends)
	}
	return o
}

// KnownMemory is a memory that is known on a path.
type KnownMemory struct {
	storage.Memory
	pathStatus
	Importance float64   // the user's, or the greatest on the path
	Last       time.Time // when it was last mentioned
}

// MessagesOf returns the messages of a chat that mentions came from.
func MessagesOf(mentions []storage.Mention, chat storage.ChatID) (out []storage.NodeID) {
	for _, at := range mentions {
		if at.Chat == "" || at.Chat == chat {
			out = append(out, at.Sources...)
		}
	}
	return out
}

// KnownHook is a hook that is known on a path. TakenUp reports that a reply of the path took it up.
type KnownHook struct {
	storage.Hook
	pathStatus
	TakenUp bool
	// Turn is the current turn of the story, counted for this hook: for a hook from another chat,
	// the turns of both chats.
	Turn int
	// Deadline is its story time in words, with the time of the statement, as "in three days (said
	// on Thursday, 2 days ago)"; "" for none.
	Deadline string
	Story    bool // that has come
}

// Paths are the paths on which a story is seen: the path to a message in the chat in question, and
// the paths to the heads of the story's other chats. A path is walked only as far as needed.
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

// PathsOf returns the paths of a story as seen from a message of a chat. If chat is "", these are
// the paths to all its chats' heads.
func PathsOf(tx *storage.Tx, scope storage.ScopeID, chat storage.ChatID, leaf storage.NodeID) *Paths {
	return &Paths{tx: tx, scope: scope, chat: chat, leaf: leaf, trails: map[storage.ChatID]*chats.Trail{},
		turns: map[storage.ChatID]int{}, chats: map[storage.ChatID]storage.Chat{}}
}

// contains reports whether a mention is on the paths. Mentions in deleted messages, or in chats
// that are deleted or left the story, do not count.
func (g *Paths) contains(at storage.Mention) bool {
	if !g.containsMessage(at) {
		return false
	}
	return at.Node == "" || !slices.ContainsFunc(at.Sources, func(id storage.NodeID) bool {
		if id == at.Node {
			return false
		}
		p, err := g.tx.NodeInfo(cmp.Or(at.Chat, g.chat), id)
		return err == nil && p.Deleted
	})
}

// containsMessage reports whether the message of a mention is on the paths.
func (g *Paths) containsMessage(at storage.Mention) bool {
	if at.Node == "" {
		return true
	}
	chat := cmp.Or(at.Chat, g.chat)
	t := g.trail(chat)
	if t == nil || !t.Has(g.tx, at.Node) {
		return false
	}
	p, err := g.tx.NodeInfo(chat, at.Node)
	return err == nil && !p.Deleted
}

// trail returns the path of a chat, nil if the chat is not part of the story.
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

// on returns the mentions that are on the paths.
func (g *Paths) on(mentions []storage.Mention) []storage.Mention {
	var out []storage.Mention
	for _, at := range mentions {
		if g.contains(at) {
			out = append(out, at)
		}
	}
	return out
}

// takenUp returns the mentions whose replies are on the paths and have taken a hook up. Earlier
// messages on which such a reply depends may have been deleted.
func (g *Paths) takenUp(mentions []storage.Mention) []storage.Mention {
	return slices.DeleteFunc(slices.Clone(mentions), func(at storage.Mention) bool { return !g.containsMessage(at) })
}

// memory returns a memory as known on the paths. One that was never known there is as it was
// mentioned elsewhere.
func (g *Paths) memory(m storage.Memory) KnownMemory {
	h := KnownMemory{Memory: m, pathStatus: g.status(m.Mentions, m.Ends)}
	mentions := h.Here
	if len(mentions) == 0 {
		mentions = m.Mentions
	}
	h.Importance, h.Last = weightOf(m, mentions), lastOf(mentions)
	return h
}

// weightOf returns the importance of a memory: the user's value, or the greatest of these mentions.
func weightOf(m storage.Memory, mentions []storage.Mention) float64 {
	if m.Weight != nil {
		return *m.Weight
	}
	most := 0.0
	for _, at := range mentions {
		most = max(most, at.Importance)
	}
	return most
}

func lastOf(mentions []storage.Mention) (last time.Time) {
	for _, at := range mentions {
		if at.At.After(last) {
			last = at.At
		}
	}
	return last
}

// witnesses returns all who witnessed one of the mentions; nil is everybody.
func (g *Paths) witnesses(mentions []storage.Mention) []storage.CharacterID {
	out := []storage.CharacterID{}
	for _, at := range mentions {
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

// chatOf returns the chat of a mention, or the zero value if it is deleted.
func (g *Paths) chatOf(at storage.Mention) storage.Chat {
	id := cmp.Or(at.Chat, g.chat)
	c, ok := g.chats[id]
	if !ok {
		c, _ = storage.Chats.Get(g.tx, id)
		g.chats[id] = c
	}
	return c
}

// turn returns the current turn, counted for a hook: for a hook from another chat, the turns of
// both chats.
func (g *Paths) turn(h storage.Hook) int {
	now := g.turnsOf(g.chat)
	if len(h.Mentions) == 0 || h.Mentions[0].Chat == "" || h.Mentions[0].Chat == g.chat {
		return now
	}
	return max(h.Turn, g.turnsOf(h.Mentions[0].Chat)) + now
}

// hasComeDue reports whether a pass on the paths has found that a hook's time of the story
// has come.
func (g *Paths) hasComeDue(h storage.Hook) bool {
	return h.Due.When != "" && slices.ContainsFunc(h.CameDue, g.contains)
}

// deadline returns the story time by which a hook is due, with the time at which that was stated.
func (g *Paths) deadline(h storage.Hook) string {
	from := scenes.ClockWords(h.Due.From)
	if h.Due.When == "" || from == "" {
		return h.Due.When
	}
	said := "said on " + from
	if len(h.Mentions) > 0 && h.Mentions[0].Chat == g.chat {
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
		c, _ := storage.Chats.Get(g.tx, chat) // a deleted chat has no turns
		leaf = c.Head
	}
	n = chats.TurnAt(g.tx, chat, leaf)
	g.turns[chat] = n
	return n
}

// Memories returns the memories that hold on the paths and that the user has neither removed nor muted.
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
// characters know; nil is everybody. Memories that the user has written or pinned are left out,
// since prompts contain them anyway.
func KnownToAll(tx *storage.Tx, c storage.Chat, leaf storage.NodeID,
	audience []storage.CharacterID) (out []scene.Memory) {
	for _, m := range PathsOf(tx, chats.ScopeOf(c), c.ID, leaf).Memories() {
		known := m.Witnesses == nil || chats.KnownToAll(c, m.Witnesses) || len(audience) > 0 &&
			!slices.ContainsFunc(audience, func(who storage.CharacterID) bool {
				return !slices.Contains(m.Witnesses, who)
			})
		if known && !m.Pinned && m.Original == "" {
			out = append(out, scene.Memory{ID: m.ID, Text: m.Content, Sources: MessagesOf(m.Here, c.ID)})
		}
	}
	return out
}

// Hooks returns the hooks that hold on the paths and that the user has neither closed nor dropped.
// Those that were taken up are included and marked.
func (g *Paths) Hooks() (out []KnownHook) {
	for _, h := range storage.Hooks.All(g.tx, g.scope) {
		if h.Closed || h.Dropped {
			continue
		}
		if o := g.status(h.Mentions, h.Ends); o.holds() {
			out = append(out, KnownHook{Hook: h, pathStatus: o, TakenUp: len(g.takenUp(h.TakenUp)) > 0, Turn: g.turn(h),
				Deadline: g.deadline(h), Story: g.hasComeDue(h)})
		}
	}
	return out
}

// CandidateOf returns a memory as a candidate for prompts. near has the similarity of each memory's
// meaning to the moment, nil if unknown.
func CandidateOf(x KnownMemory, near map[storage.MemoryID]float64) rules.Candidate {
	return rules.Candidate{ID: x.ID, Type: x.Type, Content: x.Content, Importance: x.Importance, Last: x.Last,
		Pinned: x.Pinned, Near: near[x.ID]}
}
