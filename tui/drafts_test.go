package tui

import (
	"errors"
	"testing"
)

// Commands that store drafts run in any order, and beside the one that sends.
func TestDrafts_TheNewestIsKept(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{headless: true, prepare: withChat(t)})
	chat, d := s.chat().Chat.ID, newDrafts()
	stored := func(want string) {
		t.Helper()
		if got := s.chat().Draft; got != want {
			t.Errorf("the store holds %q, not %q", got, want)
		}
	}
	if got := d.of(chat, "from the store"); got != "from the store" {
		t.Errorf("a chat that was not written in has the draft %q", got)
	}
	d.note(chat, "old")
	d.note(chat, "new")
	if n := len(d.left()); n != 1 {
		t.Errorf("%d chats are left", n)
	}
	s.must(d.store(s.eng, chat))
	stored("new")
	s.must(s.eng.Chats.SaveDraft(chat, "touched"))
	s.must(d.store(s.eng, chat)) // nothing is left to be stored
	stored("touched")

	d.note(chat, "to be sent")
	calls := 0
	send := d.sending(chat, func() error { calls++; return errors.New("away") })
	s.must(d.store(s.eng, chat))
	stored("touched")
	first, again := send(), send()
	if first == nil || again == nil || calls != 1 {
		t.Errorf("sent %d times", calls)
	}
	if got := d.of(chat, "touched"); got != "" || len(d.left()) != 0 {
		t.Errorf("after sending the draft is %q", got)
	}
}
