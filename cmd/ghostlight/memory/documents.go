package memory

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// memoryDoc is a memory with how it stands.
type memoryDoc struct {
	storage.Memory
	Scope      storage.ScopeID `json:"scope"` // the series or chat whose story it belongs to
	Importance float64         `json:"importance"`
	Ended      *endDoc         `json:"ended"` // where it holds no more
	Doubt      *endDoc         `json:"doubt"` // where somebody doubts that it holds
	memory.Seen
	LastAt time.Time `json:"last_at"`
	Told   []toldDoc `json:"told"` // the first is where it came up
}

func newMemoryDoc(scope storage.ScopeID, m memory.MemoryView) memoryDoc {
	return memoryDoc{m.Memory, scope, m.Importance, newEndDoc(m.Over), newEndDoc(m.Doubt), m.Seen, m.Last, newToldDoc(m.Told)}
}

// endDoc is where something ended, or may have. Message is "" where the user said so,
// everywhere.
type endDoc struct {
	How     storage.EndKind  `json:"how"`
	Why     string           `json:"why"`
	By      storage.MemoryID `json:"by"`      // the memory in its place, "" for none
	Instead string           `json:"instead"` // what is so now, "" where that is not known
	Chat    storage.ChatID   `json:"chat"`
	Message storage.NodeID   `json:"message"`
	Number  int              `json:"number"` // of the message as chat show prints it, 0 for none
	At      time.Time        `json:"at"`
}

func newEndDoc(e *storage.End) *endDoc {
	if e == nil {
		return nil
	}
	doc := &endDoc{e.Kind, e.Why, e.By, e.Instead, e.Chat, e.Node, 0, e.At}
	if e.Node != "" {
		doc.Number = e.Depth + 1
	}
	return doc
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
	var out []toldDoc
	for _, t := range list {
		doc := toldDoc{t.Chat, t.Node, 0, t.Sources, t.Witnesses == nil, t.Witnesses, t.Importance, t.At}
		if t.Node != "" {
			doc.Number = t.Depth + 1
		}
		out = append(out, doc)
	}
	return out
}

// hookDoc is a hook with how it stands.
type hookDoc struct {
	storage.Hook
	Scope   storage.ScopeID  `json:"scope"`
	State   memory.HookState `json:"state"`
	When    string           `json:"when"`        // in words
	After   int              `json:"after_turns"` // 0 for none
	DueAt   time.Time        `json:"due_at"`
	DueWhen string           `json:"due_when"` // the time of the story by which it is due, "" for none
	Ended   *endDoc          `json:"ended"`    // where it has ended by itself
	Doubt   *endDoc          `json:"doubt"`
	memory.Seen
	Told  []toldDoc `json:"told"`
	Taken []toldDoc `json:"taken"` // the replies that took it up
}

func newHookDoc(scope storage.ScopeID, h memory.HookView) hookDoc {
	return hookDoc{h.Hook, scope, h.State, h.When, h.Due.Turns, h.Due.At, h.Due.When, newEndDoc(h.Over), newEndDoc(h.Doubt), h.Seen,
		newToldDoc(h.Told), newToldDoc(h.Taken)}
}

// threadDoc is something that is open in the story, or was.
type threadDoc struct {
	memory.Thread
	Ended *endDoc `json:"ended"` // where it has ended by itself
}
