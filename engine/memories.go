package engine

import "ghostlight/storage"

// ScopeOf is whose story a chat belongs to.
func (e *Engine) ScopeOf(chat storage.ChatID) (storage.ScopeID, error) { return "", errUnbuilt }

// Memories lists what is remembered.
func (e *Engine) Memories(ask MemoryAsk) (MemoryList, error) { return MemoryList{}, errUnbuilt }

// FindMemory finds a memory of a story by id, or a unique beginning or end of one.
func (e *Engine) FindMemory(scope storage.ScopeID, id string) (storage.Memory, error) {
	return storage.Memory{}, errUnbuilt
}

// SaveMemory keeps a memory's type, content and weight, as a new one that holds
// everywhere where it has no id.
func (e *Engine) SaveMemory(scope storage.ScopeID, m storage.Memory) (storage.Memory, error) {
	return m, errUnbuilt
}

// ActMemory does something to memories, and tells how many changed.
func (e *Engine) ActMemory(scope storage.ScopeID, ids []storage.MemoryID, do MemoryAction) (int, error) {
	return 0, errUnbuilt
}

// MergeMemories puts one memory into another: its tellings, and the words of the
// one that stays.
func (e *Engine) MergeMemories(scope storage.ScopeID, into, from storage.MemoryID) error {
	return errUnbuilt
}
