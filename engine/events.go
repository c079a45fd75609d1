package engine

import (
	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// Event is something that happened. Each column declares its own. A follower gets
// all events in the order in which they happened, whole, except where one is
// Joining.
type Event any

// Joining is an event that can be told together with the one before it, or in its
// place.
type Joining interface {
	// Join is both events in one; false where they do not belong together.
	Join(before Event) (Event, bool)
}

// Moving is an event that changes the messages of a chat, beyond the growing of one:
// that says itself where it belongs.
type Moving interface{ Moves() storage.ChatID }

// Level is how much a notice matters.
type Level int

const (
	Info Level = iota
	Warning
	Error
)

// MessageAdded says that a message was put at the end of the chat's path.
type MessageAdded struct {
	Chat    storage.ChatID
	Message Message
}

// ReplyStarted says that a reply is being asked for. Message is the node
// that will grow: new and empty, or the one that is being continued.
type ReplyStarted struct {
	Chat    storage.ChatID
	Message Message
}

// ReplyDelta holds text to append to a growing message, about 30 times a
// second at the most. At and ThinkingAt are how many bytes the message had
// before, so that a follower that read the message meanwhile can tell what
// of it is new.
type ReplyDelta struct {
	Chat           storage.ChatID
	Node           storage.NodeID
	Content        string
	Thinking       string
	At, ThinkingAt int
}

// ReplyEnded carries the message as it was stored; the chat is free again.
// With Err nothing came (ErrStopped where the user wanted it so): Message is
// the node that has gone again, its text empty, or the reply that should
// have been continued, as it was before. It is zero when the request failed
// before ReplyStarted.
type ReplyEnded struct {
	Chat    storage.ChatID
	Message Message
	Turn    Turn
	Err     error
}

// LineSuggested grows a proposal for the user's own next line.
type LineSuggested struct {
	Chat     storage.ChatID
	Text     string // to append
	Finished bool
	Err      error
}

// ChatChanged says that a chat must be read again.
type ChatChanged struct{ Chat storage.ChatID }

// ChatsChanged says that the list of chats must be read again.
type ChatsChanged struct{}

// CharactersChanged says that characters or personas must be read again.
type CharactersChanged struct{}

// OperationChanged carries an operation of the queue in its new state.
type OperationChanged struct{ Operation storage.Operation }

// OperationProgress tells how far a running operation has come.
type OperationProgress struct {
	ID       storage.OperationID
	Type     string
	Capture  storage.CaptureID // that it works on, if any
	Chat     storage.ChatID    // likewise
	Node     storage.NodeID    // the scene's last message, or the message
	Progress queue.Progress
}

// ScenesChanged says that a chat's scenes and recaps must be read again.
type ScenesChanged struct{ Chat storage.ChatID }

// LoreChanged says that lorebooks must be read again: those of a chat, or any
// where Chat is "". Book is the one that was changed, "" for several.
type LoreChanged struct {
	Chat storage.ChatID
	Book storage.LorebookID
}

// CaptureChanged carries a capture in its new state.
type CaptureChanged struct{ Capture storage.Capture }

// BreakDetected says that a scene was found to end at a message, and why.
// ScenesChanged comes before it.
type BreakDetected struct {
	Chat      storage.ChatID
	Node      storage.NodeID
	Rationale string
}

// ServerChanged carries what is now known of the servers.
type ServerChanged struct{ Servers Servers }

// PullProgressed tells how far the download of a model has come, in bytes.
type PullProgressed struct {
	Model, Status string
	Done, Total   int64
	Finished      bool
	Err           error
}

// SeriesChanged says that series and episodes must be read again.
type SeriesChanged struct{}

// DirectorChanged says that what the director knows of a chat must be read
// again.
type DirectorChanged struct{ Chat storage.ChatID }

// MemoriesChanged says that memories, hooks and threads of a story must be
// read again.
type MemoriesChanged struct{ Scope storage.ScopeID }

// EpisodeEnded says that a play is complete. Next is the episode to suggest,
// nil for none.
type EpisodeEnded struct {
	Chat storage.ChatID
	By   storage.EndedBy
	Next *storage.Episode
}

// SparksWanted asks whether pictures may be made by themselves in a chat. It
// comes once; AllowScenes answers it.
type SparksWanted struct {
	Chat       storage.ChatID
	Node       storage.NodeID
	Cost, Left int
}

// PrefixBroken warns that the next prompt of a chat begins differently than
// the last.
type PrefixBroken struct {
	Chat  storage.ChatID
	Break PrefixBreak
}

// Warming tells that a chat's prompt is being read ahead, and when that is
// over.
type Warming struct {
	Chat   storage.ChatID
	Tokens int // to be read
	Over   bool
}

// BatchChanged says that a capture of a batch stands elsewhere than before.
type BatchChanged struct{ Batch BatchView }

// ContinuityChanged says that a chat's continuity sheet must be read again.
type ContinuityChanged struct{ Chat storage.ChatID }

// PictureAsked carries a capture that the user asked for in the talk; its
// prompt is there and waits for a look.
type PictureAsked struct{ Capture storage.Capture }

// BoardChanged says that the storyboard of the scene that ends at Node must be
// read again.
type BoardChanged struct {
	Chat storage.ChatID
	Node storage.NodeID
}

// TasteChanged says that what is known of how the user directs a story must be
// read again.
type TasteChanged struct{ Scope storage.ScopeID }

// Notice holds passing words for the user.
type Notice struct {
	Level Level
	Text  string
}

// Join implements Joining: pieces of one message follow each other.
func (d ReplyDelta) Join(before Event) (Event, bool) {
	last, ok := before.(ReplyDelta)
	if !ok || last.Node != d.Node {
		return nil, false
	}
	last.Content += d.Content
	last.Thinking += d.Thinking
	return last, true
}

// Join implements Joining: of the progress of an operation the newest counts.
func (p OperationProgress) Join(before Event) (Event, bool) {
	last, ok := before.(OperationProgress)
	return p, ok && last.ID == p.ID
}

// Join implements Joining: of the progress of a download the newest counts.
func (p PullProgressed) Join(before Event) (Event, bool) {
	last, ok := before.(PullProgressed)
	return p, ok && last.Model == p.Model && !last.Finished
}

// Moves implements Moving.
func (e MessageAdded) Moves() storage.ChatID { return e.Chat }

// Moves implements Moving.
func (e ReplyStarted) Moves() storage.ChatID { return e.Chat }

// Moves implements Moving.
func (e ReplyEnded) Moves() storage.ChatID { return e.Chat }

// Moves implements Moving.
func (e ChatChanged) Moves() storage.ChatID { return e.Chat }
