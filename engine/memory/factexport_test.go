package memory

import (
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// SyncIndex brings a chat's index up to date with a path as a transaction sees it.
func (svc *Service) SyncIndex(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) error {
	x := svc.indexOf(chat)
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sync(tx, leaf, nil)
}

// IndexHas reports whether a chat's index, or the words stored of older messages, have a fact that
// names what a text does and has its words.
func (svc *Service) IndexHas(chat storage.ChatID, text string) (has bool) {
	x := svc.indexOf(chat)
	x.mu.Lock()
	defer x.mu.Unlock()
	words := facts.WordsOf(text)
	_ = svc.core.Store.View(func(tx *storage.Tx) error {
		for _, h := range x.about(tx, text, 1000, nil) {
			has = has || facts.WordsOf(h.Text).Has(words)
		}
		return nil
	})
	return has
}

// DropIndex lets go of a chat's index.
func (svc *Service) DropIndex(chat storage.ChatID) {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.indexes = nil
}

// Holds returns the number of facts in a chat's index.
func (svc *Service) Holds(chat storage.ChatID) int {
	x := svc.indexOf(chat)
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.index.Len()
}

// About returns the facts of a chat about a text.
func (svc *Service) About(chat storage.ChatID, text string, most int) (out []string) {
	x := svc.indexOf(chat)
	x.mu.Lock()
	defer x.mu.Unlock()
	_ = svc.core.Store.View(func(tx *storage.Tx) error {
		for _, h := range x.about(tx, text, most, nil) {
			out = append(out, h.ID+" "+h.Text)
		}
		return nil
	})
	return out
}
