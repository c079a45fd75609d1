package tui_test

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func TestSession_ResizeStorm(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: demo.Options{TokenDelay: time.Millisecond, Fault: tuitest.OnChat(demo.Hang, 20)}})
	s.See("‹1/3›").TypeText("Go on and on.").Press("enter").See("replying")
	for w := 1; w <= 60; w++ {
		s.In(func(v *tui.Screen) {
			for h := 1; h <= 20; h++ {
				v.Update(tea.WindowSizeMsg{Width: w, Height: h})
				v.Paint()
			}
		})
	}
	s.Size(1, 1)
	s.Now()
	s.Size(80, 24)
	s.See("replying").Press("ctrl+c").See("stopped", "Robin")
}

// Every dialog and pane draws itself at every size.
func TestSession_EverythingAtEverySize(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the same at many sizes")
	}
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("One.").Press("ctrl+g").See("Why:").Press("ctrl+s").Still()
	for _, pressed := range [][]string{{}, {"ctrl+p"}, {"f1"}, {"ctrl+o"}, {"ctrl+t"}, {"ctrl+t", "ctrl+e"}, {"f9"}, {"f2"}, {"f3"}, {"f4"}, {"alt+s"}, {"alt+r"}, {"f2", "enter"}, {"esc", "d"}, {"esc", "k", "e"}} {
		for _, k := range pressed {
			var top widget.Dialog
			s.In(func(v *tui.Screen) { top = topOf(v) })
			s.Press(k).Still()
			s.Until("what "+k+" opens", func() bool {
				ok := k == "esc" || k == "k"
				s.In(func(v *tui.Screen) { ok = ok || topOf(v) != top || k != "enter" && v.Host().Panes().Current() != nil })
				return ok
			})
			if words := map[string]string{"f2": "completed", "ctrl+e": "Scenario"}[k]; words != "" {
				s.See(words)
			}
		}
		s.In(func(v *tui.Screen) {
			for w := 1; w <= 64; w += 7 {
				for h := 1; h <= 26; h += 5 {
					v.Update(tea.WindowSizeMsg{Width: w, Height: h})
					v.Paint()
				}
			}
			v.Update(tea.WindowSizeMsg{Width: 140, Height: 40})
			v.Paint()
			v.CloseDialogs()
			v.Host().Run(keys.PaneClose)
			v.SetMode(keys.Write)
		})
	}
}

// topOf is the dialog on top, nil for none.
func topOf(v *tui.Screen) widget.Dialog {
	all := v.Host().Dialogs().All
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}
