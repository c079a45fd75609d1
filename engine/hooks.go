package engine

import "ghostlight/storage"

// Hooks lists what is to be brought up.
func (e *Engine) Hooks(ask MemoryAsk) (HookList, error) { return HookList{}, errUnbuilt }

// FindHook finds a hook of a story by id, or a unique beginning or end of one.
func (e *Engine) FindHook(scope storage.ScopeID, id string) (storage.Hook, error) {
	return storage.Hook{}, errUnbuilt
}

// SaveHook keeps a hook's type, content, opener, priority and due time, as a new
// one that holds everywhere where it has no id. A new one counts its turns from
// where chat stands.
func (e *Engine) SaveHook(scope storage.ScopeID, chat storage.ChatID, h storage.Hook) (storage.Hook, error) {
	return h, errUnbuilt
}

// ActHook does something to hooks, and tells how many changed.
func (e *Engine) ActHook(scope storage.ScopeID, ids []storage.HookID, do HookAction) (int, error) {
	return 0, errUnbuilt
}

// Threads are the pending threads of a chat's recaps and its hooks, open ones
// first.
func (e *Engine) Threads(chat storage.ChatID) ([]Thread, error) { return nil, errUnbuilt }

// MarkThread says where a thread stands: open, closed or dropped.
func (e *Engine) MarkThread(chat storage.ChatID, key, state string) error { return errUnbuilt }
