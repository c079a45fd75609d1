package engine

import "ghostlight/storage"

// Evaluate queues the director's look at the last exchange of a chat, with what
// is worth remembering of it.
func (e *Engine) Evaluate(chat storage.ChatID) (storage.OperationID, error) { return "", errUnbuilt }

// AllowScenes answers whether pictures may be made by themselves in a chat. The
// one that waited for the answer is made.
func (e *Engine) AllowScenes(chat storage.ChatID, yes bool) error { return errUnbuilt }
