package tui_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// A later notice does not hide an error: each has its own line.
func TestNotice_HidesNoError(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{})
	s.Asked(func(v *tui.Screen) tea.Cmd { return v.Host().Say(event.Error, "the disk is full") })
	s.Asked(func(v *tui.Screen) tea.Cmd { return v.Host().Say(event.Info, "copied") })
	s.See("the disk is full", "copied")
	s.Asked(func(v *tui.Screen) tea.Cmd { return v.Host().Say(event.Error, "the server is away") })
	s.See("the server is away").NotSee("copied")
}

// A key removes an earlier notice, unless the user only continues to type.
func TestNotice_GoesWithTheNextKey(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Asked(func(v *tui.Screen) tea.Cmd { return v.Host().Say(event.Info, "copied") })
	s.See("copied").TypeText("on").See("copied", "on")
	s.Press("f1").See("Keys").Press("esc").NotSee("copied", "Keys")
}

// An editor that is nothing but blanks is none.
func TestEditor_Blank(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("Write a message").Press("alt+e").See("set $EDITOR to your editor")
}
