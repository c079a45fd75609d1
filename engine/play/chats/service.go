// Package chats manages the tree of messages: chats, messages and their speakers, branches, and who
// witnessed what.
package chats

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/regex"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Service manages the chats. It is safe for concurrent use. Hooks are registered while the engine
// is wired.
type Service struct {
	core   *core.Core
	models *models.Service
	// Regex are the regex scripts.
	Regex   *Regex
	indexer wordIndexer
	trails  trails

	// Turns are the turns that run.
	Turns *Turns

	// UserMessageStored runs when a message of the user is stored, Replied when a finished reply is
	// stored, and Rewritten when the text of messages has changed.
	UserMessageStored event.TxHooks[UserMessage]
	Replied           event.TxHooks[FinishedReply]
	Rewritten         event.TxHooks[RewrittenMessages]
	// CorrectionUndone runs when Undo undoes a correction.
	CorrectionUndone event.TxHooks[*CorrectionUndo]
	// HeadMoved runs when the head of a chat moves.
	HeadMoved event.TxHooks[HeadMove]
	// Stored runs after a turn was stored in a chat, Edited after its tree was changed otherwise.
	// Edited may also run while a turn is being stored.
	Stored, Edited event.CommitHooks[storage.ChatID]
	// Visited runs when a chat is opened on the screen.
	Visited event.CommitHooks[storage.ChatID]
	// PlayChanged runs when the cast or the way of playing of a chat has changed.
	PlayChanged event.CommitHooks[storage.ChatID]
}

// HeadMove is a chat whose head has just moved, and the old head.
type HeadMove struct {
	Chat storage.Chat
	From storage.NodeID
}

// UserMessage is a message of the user that was just stored, and its chat.
type UserMessage struct {
	Chat storage.Chat
	Node storage.Node
}

// FinishedReply is a finished reply that was just stored. Leaves is the newest of the messages that
// leave the prompt next, "" if unknown.
type FinishedReply struct {
	*storage.Node
	Leaves storage.NodeID
}

// New returns a Service.
func New(c *core.Core, models *models.Service) *Service {
	turns := &Turns{running: map[storage.ChatID]Turn{}, last: map[storage.ChatID]Turn{}}
	return &Service{core: c, models: models, Turns: turns,
		Regex: &Regex{core: c, kept: regex.NewCache(0), told: map[string]bool{}}}
}
