package chats

import (
	"maps"
	"slices"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Turn is a turn of a chat: a reply that is being written, or was.
type Turn interface {
	// Done is closed when the turn is over.
	Done() <-chan struct{}
	// RetrySave stores what could not be stored when the turn ended.
	RetrySave()
}

// Turns are the turns that run and, of each chat, the one that ran last. Package play adds them;
// whoever changes a chat's tree or needs the model's memory looks here first. It is safe for
// concurrent use.
type Turns struct {
	mu            sync.Mutex
	running, last map[storage.ChatID]Turn
}

// Begin adds a turn, unless one runs in the chat already.
func (l *Turns) Begin(chat storage.ChatID, t Turn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.running[chat] != nil {
		return false
	}
	l.running[chat] = t
	return true
}

// End removes the running turn from a chat. It calls tell before another turn can begin. With nil,
// the turn had no result, and the previous one stays the last.
func (l *Turns) End(chat storage.ChatID, tell func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if tell != nil {
		l.last[chat] = l.running[chat]
		tell()
	}
	delete(l.running, chat)
}

// Running returns the turn that runs in a chat, nil for none.
func (l *Turns) Running(chat storage.ChatID) Turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running[chat]
}

// Latest returns the turn that runs in a chat, or else the last one, and whether it runs; nil if
// there was none since the start of the program.
func (l *Turns) Latest(chat storage.ChatID) (t Turn, runs bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t = l.running[chat]; t != nil {
		return t, true
	}
	return l.last[chat], false
}

// Any returns a turn that runs in any chat, nil for none.
func (l *Turns) Any() Turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.running {
		return t
	}
	return nil
}

// All returns the running turns and each chat's last turn.
func (l *Turns) All() []Turn {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.AppendSeq(slices.Collect(maps.Values(l.running)), maps.Values(l.last))
}

// RetrySave stores what could not be stored when the last turn of a chat ended, for example because
// the disk was full.
func (l *Turns) RetrySave(chat storage.ChatID) {
	if t, _ := l.Latest(chat); t != nil {
		t.RetrySave()
	}
}
