package enginetest

import (
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MentionAt returns a mention at a message of a chat.
func (s *Harness) MentionAt(chat storage.ChatID, node storage.NodeID) (mention storage.Mention) {
	s.T.Helper()
	Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		p, err := tx.NodeInfo(chat, node)
		mention = storage.Mention{Chat: chat, Node: node, Depth: p.Depth, Sources: []storage.NodeID{node}, At: s.Now()}
		return err
	}))
	return mention
}

// Now returns the time of the harness's clock.
func (s *Harness) Now() time.Time { return s.Engine.Core().Config.Now() }

func (s *Harness) ScopeNow() storage.ScopeID {
	s.T.Helper()
	scope, err := s.Chats.ScopeOf(s.Chat)
	Must(s.T, err)
	return scope
}

// Remembers adds facts that are mentioned at a message of the open chat.
func (s *Harness) Remembers(node storage.NodeID, facts ...string) bool {
	s.T.Helper()
	return s.RemembersBy(s.MentionAt(s.Chat, node), facts...)
}

func (s *Harness) RemembersBy(mention storage.Mention, facts ...string) (changed bool) {
	s.T.Helper()
	var found []rules.FoundMemory
	for _, f := range facts {
		found = append(found, rules.FoundMemory{Type: storage.FactMemory, Content: f, Importance: 0.5,
			Mention: mention})
	}
	scope := s.ScopeNow()
	Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) (err error) {
		changed, err = memory.StoreMemories(tx, scope, found)
		return err
	}))
	return changed
}

func (s *Harness) Memories(ask memory.Query) memory.MemoryList {
	s.T.Helper()
	if ask.Chat == "" && ask.Series == "" {
		ask.Chat = s.Chat
	}
	list, err := s.Memory.Memories(ask)
	Must(s.T, err)
	return list
}

// Known returns the memories that a chat's head knows, by their words.
func (s *Harness) Known(chat storage.ChatID) string {
	s.T.Helper()
	var out []string
	for _, m := range s.Memories(memory.Query{Chat: chat}).List {
		out = append(out, m.Content)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func (s *Harness) Knows(want string) {
	s.T.Helper()
	if got := s.Known(s.Chat); got != want {
		s.T.Errorf("the chat knows %q, want %q", got, want)
	}
}

// WithClock gives a harness a clock that the test sets.
func WithClock(c *ManualClock) func(*Setup) { return func(o *Setup) { o.Cfg.Now = c.Now } }

const (
	Tea    = "Robin drinks tea without milk."
	Boat   = "Robin's brother owns a boat in Hull."
	Heron  = "A heron nests behind the old chapel."
	Ladder = "The ladder in the tower is broken."
)

// Sibling puts another reply beside one and goes there.
func (s *Harness) Sibling(of storage.NodeID, text string) storage.NodeID {
	s.T.Helper()
	n := storage.Node{Chat: s.Chat, Parent: s.Node(of).Parent, Role: storage.Assistant, Name: "Tove", Content: text,
		State: storage.Complete, CreatedAt: s.Now()}
	Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		if err := tx.AppendNode(&n); err != nil {
			return err
		}
		return s.Chats.SetHead(tx, s.Chat, n.ID)
	}))
	return n.ID
}
