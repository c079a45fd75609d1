package memory

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Was is a memory or a hook as it was before it was mended, and what it says since.
type Was struct {
	Memory  *storage.Memory `json:"memory,omitempty"`
	Hook    *storage.Hook   `json:"hook,omitempty"`
	Now     string          `json:"now"`
	Created bool            `json:"created,omitempty"` // there was none before
}

// Mend puts other words in the place of a memory's, or ends it where text is "".
func Mend(tx *storage.Tx, scope storage.ScopeID, id storage.MemoryID, text string, e storage.End) (Was, error) {
	m, err := storage.Memories.Get(tx, scope, id)
	if err != nil {
		return Was{}, err
	}
	old := m
	if text == "" {
		m.Ends, _ = addEnd(m.Ends, e)
	} else {
		if m.Original == "" {
			m.Original = m.Content
		}
		m.Content = failure.FirstRunes(text, longestMemory)
	}
	m.UpdatedAt = e.At
	return Was{Memory: &old, Now: m.Content}, storage.Memories.Put(tx, scope, m)
}

// MendHook is Mend for a hook. opener is how it may be brought up from now on.
func MendHook(tx *storage.Tx, scope storage.ScopeID, id storage.HookID, text, opener string, e storage.End) (Was, error) {
	h, err := storage.Hooks.Get(tx, scope, id)
	if err != nil {
		return Was{}, err
	}
	old := h
	if text == "" {
		h.Ends, _ = addEnd(h.Ends, e)
	} else {
		h.Content, h.Opener = failure.FirstRunes(text, longestMemory), failure.FirstRunes(opener, longestMemory)
	}
	h.UpdatedAt = e.At
	return Was{Hook: &old, Now: h.Content}, storage.Hooks.Put(tx, scope, h)
}

// Add keeps what the user says is so, unless it is remembered already.
func Add(tx *storage.Tx, scope storage.ScopeID, text string, told storage.Told) (was Was, added bool, err error) {
	text = failure.FirstRunes(strings.TrimSpace(text), longestMemory)
	if m, ok := sameMemory(tx, scope, storage.FactMemory, text); ok {
		if !m.Removed && len(m.Ends) == 0 && m.Content == text {
			return was, false, nil
		}
		old := m
		m.Removed, m.Content, m.UpdatedAt = false, text, told.At
		markEnds(&m.Ends, true)
		m.Told, _ = tellAgain(m.Told, told)
		return Was{Memory: &old, Now: text}, true, storage.Memories.Put(tx, scope, m)
	}
	told.Importance = plainImportance
	m := storage.Memory{ID: storage.MemoryID(storage.NewID()), Type: storage.FactMemory, Content: text, Told: []storage.Told{told}, CreatedAt: told.At, UpdatedAt: told.At}
	return Was{Memory: &m, Now: text, Created: true}, true, storage.Memories.Put(tx, scope, m)
}

// PutBack makes a memory or a hook what it was; false where it says something else since,
// or is gone.
func PutBack(tx *storage.Tx, scope storage.ScopeID, was Was) (bool, error) {
	switch {
	case was.Memory != nil:
		m, err := storage.Memories.Get(tx, scope, was.Memory.ID)
		if err != nil || m.Content != was.Now {
			return false, nil //nolint:nilerr // what cannot be read is left as it is
		}
		if was.Created {
			m.Removed = true
		} else {
			m.Content, m.Original, m.Ends, m.Removed, m.Told = was.Memory.Content, was.Memory.Original, was.Memory.Ends, was.Memory.Removed, was.Memory.Told
		}
		return true, storage.Memories.Put(tx, scope, m)
	case was.Hook != nil:
		h, err := storage.Hooks.Get(tx, scope, was.Hook.ID)
		if err != nil || h.Content != was.Now {
			return false, nil //nolint:nilerr // what cannot be read is left as it is
		}
		h.Content, h.Opener, h.Ends = was.Hook.Content, was.Hook.Opener, was.Hook.Ends
		return true, storage.Hooks.Put(tx, scope, h)
	}
	return false, nil
}
