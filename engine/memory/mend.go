package memory

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

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
