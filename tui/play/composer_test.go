package play_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/play"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func TestComposer_DraftsAndHistory(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("The first line.").Say("The second line.")
	s.Press("up").See("› The second line.").Press("up").See("› The first line.").Press("down",
		"down").See("› Write a message")
	first := s.Chat().Chat.ID
	s.TypeText("half a thought").Press("ctrl+n").See("Tove ‹1/3›", "› Write a message")
	s.TypeText("another").Press("ctrl+o").See("Chats").In(func(v *tui.Screen) {
		open := v.Host().Dialogs().All
		p := open[len(open)-1].(*widget.Picker)
		for i, at := range p.Shown {
			if p.All[at].Value.(storage.Chat).ID == first {
				p.At = i
			}
		}
	})
	s.Press("enter").See("› half a thought")
	s.Again()
	s.See("› half a thought")
	s.Press("alt+up").See("› The second line.").Press("alt+down").See("› half a thought")
	s.Press("ctrl+o").See("Chats").Press("enter").See("› another")
}

// What was typed is safe however the program ends, also within the moment that a
// draft waits before it is stored.
func TestComposer_NothingTypedIsLost(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").TypeText("kept by SIGTERM")
	s.In(func(*tui.Screen) {})
	s.Quit() // as the signal handler does
	s.Gone()
	s.Reopen()
	s.See("› kept by SIGTERM").Press("enter", "ctrl+q")
	s.Gone()
	s.Reopen()
	if got := s.Texts(); len(got) < 2 || got[1] != "kept by SIGTERM" {
		t.Errorf("the chat holds %q", got)
	}
	if d := s.Chat().Draft; d != "" {
		t.Errorf("what was sent is a draft still: %q", d)
	}
}

// What is typed while another chat is being read belongs to the one on the screen.
func TestComposer_TypingAheadOfAChat(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›")
	first := s.Chat().Chat.ID
	s.Press("ctrl+n").TypeText("early").See("Tove Halloran (2)")
	s.Until("the draft", func() bool {
		v, err := s.Engine.Play.View(first, 1)
		s.Must(err)
		in := ""
		s.In(func(v *tui.Screen) { in = v.Host().Play().Draft() })
		return v.Draft+in == "early"
	})
}

// Pasted prose is in its place before the keys that follow.
func TestComposer_PasteThenType(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").PasteText("I go in. ").TypeText("Then out.")
	s.In(func(v *tui.Screen) {
		if got := v.Host().Play().Draft(); got != "I go in. Then out." {
			t.Errorf("written: %q", got)
		}
	})
}

func TestComposer_Paste(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	long := strings.Repeat("ten chars ", 1000)
	s.See("‹1/3›").PasteText(long)
	s.In(func(v *tui.Screen) {
		if got := v.Host().Play().Draft(); got != long {
			t.Errorf("%d characters of %d came through", len(got), len(long))
		}
	})
	s.Now()
	s.Press("ctrl+u")
	s.In(func(v *tui.Screen) { play.RoomOf(v.Parts()).Drop() })

	s.PasteText("a\r\nb\x1b[31mred\x1b]52;c;eHh4\x07\u202eevil\u0085\u009b2J\x00end")
	s.See("red", "evil")
	s.In(func(v *tui.Screen) {
		if got, want := v.Host().Play().Draft(),
			"a\nb\x1b[31mred\x1b]52;c;eHh4\x07\u202eevil\u0085\u009b2J\x00end"; got != want {
			t.Errorf("the composer holds %q, not %q", got, want)
		}
		play.RoomOf(v.Parts()).Drop()
	})
}
