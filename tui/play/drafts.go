package play

import (
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// drafts keeps the text of each chat until it is stored. Commands that store may run in any order;
// each stores the newest text, so none can undo another. It is safe for concurrent use.
type drafts struct {
	mu      sync.Mutex
	text    map[storage.ChatID]string // since the program began
	unsaved map[storage.ChatID]bool
	writing sync.Mutex // held while a draft is stored or a message sent
}

// draftStore stores drafts.
type draftStore interface {
	SaveDraft(chat storage.ChatID, text string) error
}

func newDrafts() *drafts {
	return &drafts{text: map[storage.ChatID]string{}, unsaved: map[storage.ChatID]bool{}}
}

// add records a draft to be stored.
func (d *drafts) add(chat storage.ChatID, text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.text[chat], d.unsaved[chat] = text, true
}

// draftOf returns the draft of a chat; stored is the draft in the store.
func (d *drafts) draftOf(chat storage.ChatID, stored string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if text, ok := d.text[chat]; ok {
		return text
	}
	return stored
}

// store stores a chat's draft if it is unsaved.
func (d *drafts) store(to draftStore, chat storage.ChatID) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	d.mu.Lock()
	text, unsaved := d.text[chat], d.unsaved[chat]
	delete(d.unsaved, chat)
	d.mu.Unlock()
	if !unsaved {
		return nil
	}
	return to.SaveDraft(chat, text)
}

// unsavedChats lists the chats with unsaved drafts.
func (d *drafts) unsavedChats() []storage.ChatID {
	d.mu.Lock()
	defer d.mu.Unlock()
	var chats []storage.ChatID
	for chat := range d.unsaved {
		chats = append(chats, chat)
	}
	return chats
}

// sendOnce returns a function that runs send only once, and never while a draft is stored. It
// clears the chat's draft.
func (d *drafts) sendOnce(chat storage.ChatID, send func() error) func() error {
	d.mu.Lock()
	d.text[chat] = ""
	delete(d.unsaved, chat)
	d.mu.Unlock()
	return sync.OnceValue(func() error {
		d.writing.Lock()
		defer d.writing.Unlock()
		return send()
	})
}
