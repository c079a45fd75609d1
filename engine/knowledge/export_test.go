package knowledge

import (
	"ghostlight/engine/knowledge/facts"
	"ghostlight/storage"
)

// SyncIndex brings a chat's index up to date with a path as a transaction sees it.
func (svc *Service) SyncIndex(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) error {
	st := svc.story(chat)
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.sync(tx, leaf, nil)
}

// IndexHas tells whether a chat's index has a fact with such words, and how many messages
// it reaches.
func (svc *Service) IndexHas(chat storage.ChatID, text string) (has bool, messages int) {
	st := svc.story(chat)
	st.mu.Lock()
	defer st.mu.Unlock()
	words := facts.WordsOf(text)
	for f := range st.index.All {
		has = has || facts.Contains(facts.WordsOf(f.Text), words)
	}
	return has, len(st.path)
}

// DropIndex lets go of a chat's index.
func (svc *Service) DropIndex(chat storage.ChatID) {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.stories = nil
}
