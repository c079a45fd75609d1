package library_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/library"
)

// The characters do not open over what somebody without a chat has begun to write.
func TestWelcome_LeavesWriting(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Bare: true, Offline: true})
	s.See("Your name").Press("esc").NotSee("Your name")
	first := s.Asked(firstChat)()
	s.TypeText("Hello").Answered(first)
	if f := s.Now(); strings.Contains(f, "Characters") {
		t.Errorf("the screen shows\n%s", f)
	}
}

// firstChat has the part offer the characters to somebody who has no chat yet.
func firstChat(v *tui.Screen) tea.Cmd {
	for _, r := range v.Parts() {
		if r, ok := r.(*library.Part); ok {
			return r.FirstChat()
		}
	}
	return nil
}

// A new persona says that it was saved, and is played in the open chat by one key.
func TestPersona_IsPlayed(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("f8").See("Personas").Press("ctrl+n").See("your name in the chat").TypeText("Ines").Press("ctrl+s").See("Persona saved", "Play Ines in this chat?")
	s.Press("y").NotSee("Persona saved").See("─ Ines ─")
	s.Press("f8").See("Personas").Press("ctrl+n").See("your name in the chat").TypeText("Vera").Press("ctrl+s").See("Play Vera in this chat?").Press("n").NotSee("Play Vera").See("─ Ines ─")
}

// A field of a folded group is saved, and the rest of the character stays.
func TestCharacter_FoldedFieldIsSaved(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	was := s.Chat().Character
	s.See("‹1/3›").Press("ctrl+t").See("Characters").TypeText("Tove").Press("ctrl+e").See("Edit Tove")
	s.Press("pgdown", "pgdown", "tab", "pgdown").See("Stressor").TypeText("Leave. ").Press("ctrl+s").NotSee("Edit Tove")
	now, err := s.Engine.Library.FindCharacter(string(was.ID))
	was.Actor.Goal = "Leave. " + was.Actor.Goal
	was.UpdatedAt = now.UpdatedAt
	if diff := cmp.Diff(was, now); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
