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

// MessageQueue are messages to be told of once what happened there is stored. The zero
// value is ready; it is safe for concurrent use.
type MessageQueue struct {
	mu   sync.Mutex
	list []MessageRef
}

// Add keeps a message to be told of.
func (p *MessageQueue) Add(chat storage.ChatID, node storage.NodeID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, MessageRef{chat, node})
}

// Take hands all of them over.
func (p *MessageQueue) Take() []MessageRef {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.list
	p.list = nil
	return out
}
