// Package chats is the tree of messages: chats, what was said in them and by whom, their branches, and
// who was there to hear it.
package chats

import (
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/regex"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Service keeps the chats. It is safe for concurrent use. What reacts to it is registered while
// the engine is wired.
type Service struct {
	core   *core.Core
	models *models.Service
	// Regex are the regex scripts.
	Regex   *Regex
	indexer wordIndexer
	trails  trails

	// Turns are the turns that run.
	Turns *Turns

	// UserMessage and FinishedReply are what follows when the user's message or a finished reply is
	// stored; Rewritten, when messages say something else than before.
	Said      event.TxHooks[UserMessage]
	Replied   event.TxHooks[FinishedReply]
	Rewritten event.TxHooks[RewrittenMessages]
	// CorrectionUndo is what takes a correction back for Undo.
	Uncorrecting event.TxHooks[*CorrectionUndo]
	// HeadMove is what follows when a chat goes on from another message.
	HeadMoved event.TxHooks[HeadMove]
	// Stored hears of a chat in which a turn was stored; Edited, of one whose tree was
	// changed otherwise. The second says less: it may come while a turn is being stored.
	Stored, Edited event.CommitHooks[storage.ChatID]
	// Visited hears of a chat that is opened on the screen.
	Visited event.CommitHooks[storage.ChatID]
	// PlayChanged hears of a chat whose cast or way of playing was changed.
	PlayChanged event.CommitHooks[storage.ChatID]
}

// HeadMove is a chat whose head has just moved, and where it stood before.
type HeadMove struct {
	Chat storage.Chat
	From storage.NodeID
}

// UserMessage is a message of the user's that was just stored, and its chat as it is then.
type UserMessage struct {
	Chat storage.Chat
	Node storage.Node
}

// FinishedReply is a finished reply that was just stored. Leaves is the newest message that leaves the prompt
// the next time older ones do, "" where that is not known.
type FinishedReply struct {
	*storage.Node
	Leaves storage.NodeID
}

// New makes the service.
func New(c *core.Core, models *models.Service) *Service {
	turns := &Turns{running: map[storage.ChatID]Turn{}, last: map[storage.ChatID]Turn{}}
	return &Service{core: c, models: models, Turns: turns,
		Regex: &Regex{core: c, kept: regex.NewCache(0), told: map[string]bool{}}}
}
