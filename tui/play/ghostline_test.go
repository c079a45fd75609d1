package play_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

func draft(s *session) (text string) {
	s.In(func(v *tui.Screen) { text = v.Host().Play().Draft() })
	return text
}

// The composer's text is the outline of the line, and comes back.
func TestGhostLine_Outline(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: func(messages []storage.Node, _ int) string {
			if !strings.Contains(messages[len(messages)-1].Content, "I give her the key.") {
				return "I do not know what to do."
			}
			return "I give her the key. *I do not let go of it at once.*"
		}}})
	s.See("‹1/3›").TypeText("I give her the key.").Press("alt+i").See("restores your outline")
	line := draft(s)
	if !strings.HasPrefix(line, "I give her the key. *I ") {
		t.Fatalf("the line is %q", line)
	}
	s.Press("esc").See("restores your message", "WRITE")
	if got := draft(s); got != "I give her the key." {
		t.Errorf("esc brings %q back", got)
	}
	s.Press("alt+up")
	if got := draft(s); got != line {
		t.Errorf("the older line is %q", got)
	}
	sent, err := s.Engine.Chats.SentHistory(s.Chat().Chat.ID)
	if err != nil || !slices.Contains(sent, "I give her the key.") {
		t.Errorf("kept: %q, %v", sent, err)
	}
	s.TypeText(" And then.").Press("esc").See("BROWSE")
}

// While the line is written esc brings the outline back and ctrl+c keeps what has come;
// neither quits, however often it is pressed.
func TestGhostLine_Stop(t *testing.T) {
	t.Parallel()
	begun := func() *session {
		s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
			Servers: demo.Options{Script: tuitest.Always("One two three four five six seven eight nine ten."),
				Fault: tuitest.OnChat(demo.Hang, 12)}})
		s.See("‹1/3›").TypeText("An outline.").Press("alt+i").See("› One", "impersonating",
			"^C stop · esc restore outline")
		return s
	}
	ended := func(s *session) {
		s.Until("the end of it", func() bool { return !s.Engine.Play.Running(s.Chat().Chat.ID) })
	}
	s := begun()
	s.Press("esc").See("› An outline.")
	ended(s)
	s.Still()
	if got := draft(s); got != "An outline." {
		t.Errorf("esc leaves %q", got)
	}
	s = begun()
	s.Press("ctrl+c", "ctrl+c", "ctrl+c")
	ended(s)
	s.Still().See("› One")
	s.Press("esc").See("› An outline.")
}

// A key that stops the line before the server has heard of it does not quit either.
func TestGhostLine_StopAtOnce(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always("One two three four five."),
			Fault: tuitest.OnChat(demo.Hang, 0)}})
	s.See("‹1/3›").Press("alt+i", "ctrl+c")
	s.Until("the end of it", func() bool { return !s.Engine.Play.Running(s.Chat().Chat.ID) })
	s.Still().See("› Write a message")
}

// A line that does not come leaves the outline where it was.
func TestGhostLine_Fails(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Fault: tuitest.OnChat(demo.ServerError, 0)}})
	s.See("‹1/3›").TypeText("An outline.").Press("alt+i").Still().See("› An outline.")
	s.Press("esc").See("BROWSE")
}
