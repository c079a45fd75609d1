package core

import (
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MessageRef names a message of a chat.
type MessageRef struct {
	Chat storage.ChatID
	Node storage.NodeID
}

// MessageQueue collects messages whose events are emitted once the changes are stored. The zero
// value is ready; it is safe for concurrent use.
type MessageQueue struct {
	mu   sync.Mutex
	list []MessageRef
}

// Add adds a message to the queue.
func (p *MessageQueue) Add(chat storage.ChatID, node storage.NodeID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, MessageRef{chat, node})
}

// Take returns all messages and empties the queue.
func (p *MessageQueue) Take() []MessageRef {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.list
	p.list = nil
	return out
}
