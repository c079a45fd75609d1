package memory

import (
	"time"

	"ghostlight/cmd/ghostlight/cli"
	"ghostlight/engine/memory"
	"ghostlight/storage"
)

type memoryDoc struct {
	ID         storage.MemoryID   `json:"id"`
	Scope      storage.ScopeID    `json:"scope"` // the series or chat whose story it belongs to
	Type       storage.MemoryType `json:"type"`
	Content    string             `json:"content"`
	Importance float64            `json:"importance"`
	Pinned     bool               `json:"pinned"`
	Muted      bool               `json:"muted"`
	Removed    bool               `json:"removed"`
	Holds      bool               `json:"holds"` // it is known on this branch
	InPrompt   bool               `json:"in_prompt"`
	Chat       storage.ChatID     `json:"chat"`
	ChatTitle  string             `json:"chat_title"`
	Message    storage.NodeID     `json:"message"` // the newest that it came from, "" where the user wrote it
	LastAt     *time.Time         `json:"last_at"`
	CreatedAt  time.Time          `json:"created_at"`
	UpdatedAt  time.Time          `json:"updated_at"`
}

func newMemoryDoc(scope storage.ScopeID, m memory.View) memoryDoc {
	return memoryDoc{m.ID, scope, m.Type, m.Content, m.Importance, m.Pinned, m.Muted, m.Removed, m.Holds, m.InPrompt, m.Chat, m.ChatTitle,
		m.Source, cli.TimeOrNil(m.Last), m.CreatedAt, m.UpdatedAt}
}

// memoryWholeDoc is a memory with where it comes from.
type memoryWholeDoc struct {
	memoryDoc
	Original string    `json:"original"`         // as it was made; "" where it was not edited
	Weight   *float64  `json:"weight,omitempty"` // the importance that the user gave it
	Told     []toldDoc `json:"told"`             // the first is where it came up
}

// toldDoc is a place where the story told something. Message is "" where the
// user wrote it: it holds everywhere.
type toldDoc struct {
	Chat       storage.ChatID        `json:"chat"`
	Message    storage.NodeID        `json:"message"`
	Number     int                   `json:"number"` // of the message as chat show prints it, 0 for none
	Sources    []storage.NodeID      `json:"sources"`
	Everybody  bool                  `json:"everybody"` // all characters witnessed it
	Witnesses  []storage.CharacterID `json:"witnesses"` // those who did, where not all
	Importance float64               `json:"importance"`
	At         time.Time             `json:"at"`
}

func newToldDoc(list []storage.Told) []toldDoc {
	out := []toldDoc{}
	for _, t := range list {
		doc := toldDoc{t.Chat, t.Node, 0, cli.OrEmpty(t.Sources), t.Witnesses == nil, cli.OrEmpty(t.Witnesses), t.Importance, t.At}
		if t.Node != "" {
			doc.Number = t.Depth + 1
		}
		out = append(out, doc)
	}
	return out
}

type hookDoc struct {
	ID        storage.HookID   `json:"id"`
	Scope     storage.ScopeID  `json:"scope"`
	Type      storage.HookType `json:"type"`
	Content   string           `json:"content"`
	Opener    string           `json:"opener"`
	State     memory.HookState `json:"state"`
	When      string           `json:"when"`        // in words
	After     int              `json:"after_turns"` // 0 for none
	DueAt     *time.Time       `json:"due_at"`
	Turn      int              `json:"turn"` // of the story, when it was made
	Priority  int              `json:"priority"`
	Holds     bool             `json:"holds"`
	InPrompt  bool             `json:"in_prompt"`
	Chat      storage.ChatID   `json:"chat"`
	ChatTitle string           `json:"chat_title"`
	Message   storage.NodeID   `json:"message"`
	CreatedAt time.Time        `json:"created_at"`
	UpdatedAt time.Time        `json:"updated_at"`
}

func newHookDoc(scope storage.ScopeID, h memory.HookView) hookDoc {
	return hookDoc{h.ID, scope, h.Type, h.Content, h.Opener, h.State, h.When, h.Due.Turns, cli.TimeOrNil(h.Due.At), h.Turn, h.Priority, h.Holds,
		h.InPrompt, h.Chat, h.ChatTitle, h.Source, h.CreatedAt, h.UpdatedAt}
}

// hookWholeDoc is a hook with where it comes from, and which replies took it up.
type hookWholeDoc struct {
	hookDoc
	Told  []toldDoc `json:"told"`
	Taken []toldDoc `json:"taken"`
}

type threadDoc struct {
	Key     string         `json:"key"`
	Text    string         `json:"text"`
	State   string         `json:"state"`
	Hook    storage.HookID `json:"hook"`    // "" of a recap's thread
	Break   storage.NodeID `json:"break"`   // the last message of the scene that tells of it, "" for the running recap
	Scene   string         `json:"scene"`   // its name
	Message storage.NodeID `json:"message"` // that it came from
}

func newThreadDoc(t memory.Thread) threadDoc {
	return threadDoc{t.Key, t.Text, t.State, t.Hook, t.Break, t.Scene, t.Source}
}
