package memory

import (
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// SyncIndex brings a chat's index up to date with a path as a transaction sees it.
func (svc *Service) SyncIndex(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) error {
	st := svc.story(chat)
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.sync(tx, leaf, nil)
}

// IndexHas tells whether a chat's index, or what is above it, has a fact that names what a
// text does and has its words, and how many messages it reaches.
func (svc *Service) IndexHas(chat storage.ChatID, text string) (has bool, messages int) {
	st := svc.story(chat)
	st.mu.Lock()
	defer st.mu.Unlock()
	words := facts.WordsOf(text)
	_ = svc.core.Store.View(func(tx *storage.Tx) error {
		st.past.follow(tx, st)
		for _, h := range st.about(tx, text, 1000, nil) {
			has = has || facts.WordsOf(h.Text).Has(words)
		}
		messages = len(st.path)
		if st.low > 0 && tx.ShelvedTo(chat) >= st.path[0].id {
			messages += st.low
		}
		return nil
	})
	return has, messages
}

// DropIndex lets go of a chat's index.
func (svc *Service) DropIndex(chat storage.ChatID) {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.stories = nil
}

// Reads is how many messages a chat's index itself holds.
func (svc *Service) Reads(chat storage.ChatID) int {
	st := svc.story(chat)
	st.mu.Lock()
	defer st.mu.Unlock()
	return len(st.path)
}

// Holds is how many facts a chat's index holds.
func (svc *Service) Holds(chat storage.ChatID) int {
	st := svc.story(chat)
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.index.Len()
}

// About is what of a chat is about a text.
func (svc *Service) About(chat storage.ChatID, text string, most int) (out []string) {
	st := svc.story(chat)
	st.mu.Lock()
	defer st.mu.Unlock()
	_ = svc.core.Store.View(func(tx *storage.Tx) error {
		for _, h := range st.about(tx, text, most, nil) {
			out = append(out, h.ID+" "+h.Text)
		}
		return nil
	})
	return out
}
