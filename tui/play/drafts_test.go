package play

import (
	"errors"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// fakeDrafts keeps the drafts of chats.
type fakeDrafts map[storage.ChatID]string

func (s fakeDrafts) SaveDraft(chat storage.ChatID, text string) error {
	s[chat] = text
	return nil
}

// Commands that store drafts run in any order, and beside the one that sends.
func TestDrafts_TheNewestIsKept(t *testing.T) {
	t.Parallel()
	const chat = storage.ChatID("chat")
	store, d := fakeDrafts{}, newDrafts()
	stored := func(want string) {
		t.Helper()
		if err := d.store(store, chat); err != nil {
			t.Fatal(err)
		}
		if got := store[chat]; got != want {
			t.Errorf("the store holds %q, not %q", got, want)
		}
	}
	if got := d.draftOf(chat, "from the store"); got != "from the store" {
		t.Errorf("a chat that was not written in has the draft %q", got)
	}
	d.add(chat, "old")
	d.add(chat, "new")
	if n := len(d.unsavedChats()); n != 1 {
		t.Errorf("%d chats are left", n)
	}
	stored("new")
	store[chat] = "touched"
	stored("touched") // nothing is left to be stored

	d.add(chat, "to be sent")
	calls := 0
	send := d.sendOnce(chat, func() error { calls++; return errors.New("away") })
	stored("touched")
	first, again := send(), send()
	if first == nil || again == nil || calls != 1 {
		t.Errorf("sent %d times", calls)
	}
	if got := d.draftOf(chat, "touched"); got != "" || len(d.unsavedChats()) != 0 {
		t.Errorf("after sending the draft is %q", got)
	}
}
