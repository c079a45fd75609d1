package play_test

import (
	"strings"
	"testing"

	"ghostlight/engine"
	"ghostlight/tui"
	"ghostlight/tui/play"
	"ghostlight/tui/tuitest"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) { tuitest.LongChat(t, e, 900) }})
	s.See("line 899").Press("esc", "/").See("Search this chat").TypeText("needle 450").Press("enter").See("▌ The needle 450")
	s.Press("n").See("not found further up")
	s.Press("G").See("line 899").Press("/").See("Search this chat")
	for range len("needle 450") {
		s.Press("backspace")
	}
	s.TypeText("needle").Press("enter").See("needle 750").Press("n").See("needle 600").Press("n").See("needle 450")
}

func TestChat_OlderMessagesComeAsNeeded(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) { tuitest.LongChat(t, e, 900) }})
	s.See("line 899")
	s.In(func(v *tui.Screen) {
		if n := play.RoomOf(v.Rooms()).Items(); n != play.FirstRead {
			t.Errorf("%d messages were read at first", n)
		}
	})
	s.Until("the beginning", func() bool {
		s.Press("pgup")
		return strings.Contains(s.Now(), "line 0 ")
	})
	s.Press("esc", "G").See("line 899").Press("g").See("line 0 ")
}

// The first message of a long chat is gone to without those between, which come as
// the user goes down.
func TestChat_FirstMessageAlone(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: func(e *engine.Engine) { tuitest.LongChat(t, e, 900) }})
	s.See("line 899").Press("esc", "g").See("line 0 ")
	s.In(func(v *tui.Screen) {
		if n := play.RoomOf(v.Rooms()).Items(); n > 2*play.FirstRead {
			t.Errorf("%d messages are at hand", n)
		}
	})
	s.Until("the end", func() bool {
		s.Press("pgdown")
		return strings.Contains(s.Now(), "line 899")
	})
}
