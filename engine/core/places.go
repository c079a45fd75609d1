package core

import (
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Place names a message of a chat.
type Place struct {
	Chat storage.ChatID
	Node storage.NodeID
}

// Places are messages to be told of once what happened there is stored. The zero
// value is ready; it is safe for concurrent use.
type Places struct {
	mu   sync.Mutex
	list []Place
}

// Add keeps a message to be told of.
func (p *Places) Add(chat storage.ChatID, node storage.NodeID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, Place{chat, node})
}

// Take hands all of them over.
func (p *Places) Take() []Place {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.list
	p.list = nil
	return out
}
