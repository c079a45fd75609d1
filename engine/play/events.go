package play

import (
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ReplyStarted reports that a reply is being requested. Message is the node that will grow: new and
// empty, or the one that is being continued.
type ReplyStarted struct {
	Chat    storage.ChatID
	Message chats.Message
}

// TurnWaiting reports that the model is still busy with background work when a turn begins. The
// work is put back, but a server finishes the part of the prompt that it is reading. If the
// settings have turns wait, the turn waits for the whole work.
type TurnWaiting struct {
	Chat storage.ChatID
	Work string // kind of the work, for the user
}

// ReplyDelta holds text to append to a growing message, at most about 200 times a second. At and
// ThinkingAt are the bytes that the message had before, so that a follower that has read the
// message meanwhile can find what is new. Firm is the number of bytes that no ReplyCut takes back,
// for followers that cannot take back what they have shown. The exception is a model that begins
// its reply again without being known to do so: that cut goes back to the reply's beginning.
type ReplyDelta struct {
	Chat           storage.ChatID
	Node           storage.NodeID
	Content        string
	Thinking       string
	At, ThinkingAt int
	Firm           int
}

// ReplyCut reports that a growing message was cut to its first At bytes: the text behind them was
// not wanted, and other text follows.
type ReplyCut struct {
	Chat storage.ChatID
	Node storage.NodeID
	At   int
}

// ReplyEnded carries the message as it was stored; the chat is free again. If Err is set, no text
// came (ErrStopped if the user stopped it). Message is then the removed node with an empty text, or
// the reply that should have been continued, as it was before. It is zero if the request failed
// before ReplyStarted.
type ReplyEnded struct {
	Chat    storage.ChatID
	Message chats.Message
	Turn    TurnResult
	Err     error
}

// LineSuggested grows a proposal for the user's own next line. Text replaces everything from byte
// At on; Firm is as in ReplyDelta. The last event holds what the voice rules rejected.
type LineSuggested struct {
	Chat     storage.ChatID
	Text     string
	At, Firm int
	Finished bool
	Rejected []storage.Rejected
	Err      error
}

// PassageWritten grows a passage that is rewritten: Text replaces the answer from byte At on. The
// last event holds the part of the answer that may go into the text, how the answer ended, what the
// voice rules rejected, and in Err why there is nothing.
type PassageWritten struct {
	Chat     storage.ChatID
	Text     string
	At       int
	Finished bool
	Rejected []storage.Rejected
	Passage  string
	State    storage.State
	Fault    string
	Err      error
}

// CacheMissed warns that the next prompt of a chat begins differently than
// the last.
type CacheMissed struct {
	Chat storage.ChatID
	Miss CacheMiss
}

// Warming reports that a chat's prompt is being read ahead, and when that is over.
type Warming struct {
	Chat   storage.ChatID
	Tokens int // to be read
	Over   bool
}

// Join implements Joinable: pieces of one message follow each other.
func (d ReplyDelta) Join(before event.Event) (event.Event, bool) {
	last, ok := before.(ReplyDelta)
	if !ok || last.Node != d.Node {
		return nil, false
	}
	last.Content += d.Content
	last.Thinking += d.Thinking
	last.Firm = d.Firm
	return last, true
}

// ChangedChat implements event.ChatChanger.
func (e ReplyStarted) ChangedChat() storage.ChatID { return e.Chat }

// ChangedChat implements event.ChatChanger.
func (e ReplyEnded) ChangedChat() storage.ChatID { return e.Chat }
