package play_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// The settings of reply checks can be overridden for one chat, and reset again.
func TestVoiceForm(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: demo.Options{Script: tove.Reply},
		Config: func(c *config.Config) {
			c.Voice = config.Voice{Backtrack: true, Sets: []string{config.SetAuto, "nothing"}, User: true, Ends: true}
		}})
	s.See("‹1/3›")
	open := func() { s.In(func(v *tui.Screen) { v.Start(v.Host().Run(keys.Voice)) }) }
	open()
	s.See("Reply checks of this chat", "writes your part", "same as settings: on").Golden("voice",
		tuitest.Size{W: 80, H: 24}, tuitest.Size{W: 200, H: 60})
	s.Press("down", "right", "right").See("‹ off ›").Press("up", "up", "right",
		"right").See("‹ short ›").Golden("voice-changed", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
	s.Press("ctrl+s").Until("it to be said", func() bool {
		v := s.Chat().Chat.Voice
		on, said := v.Watch["user"]
		return said && !on && v.Length == "short"
	})
	s.NotSee("writes your part")
	open()
	s.See("writes your part", "‹ off ›").Press("down", "left", "left").See("same as settings").Press("ctrl+s")
	s.Until("it to be left to the settings", func() bool {
		v := s.Chat().Chat.Voice
		return len(v.Watch) == 0 && v.Length == "short"
	})
	s.In(func(v *tui.Screen) { v.Start(v.Host().Run(keys.PaneHabits)) })
	s.See("no replies in this chat yet").Press("e").See("Reply checks of this chat").Press("esc").NotSee(
		"Reply checks of this chat")
}
