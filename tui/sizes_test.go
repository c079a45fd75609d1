package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/rehearsal"
	"ghostlight/tui/widget"
)

func TestSession_ResizeStorm(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t), house: rehearsal.Options{TokenDelay: time.Millisecond, Fault: onChat(rehearsal.Endless, 0)}})
	s.see("‹1/3›").typeText("Go on and on.").press("enter").see("replying")
	for w := 1; w <= 60; w++ {
		s.in(func(a *app) {
			for h := 1; h <= 20; h++ {
				a.update(tea.WindowSizeMsg{Width: w, Height: h})
				a.paint()
			}
		})
	}
	s.size(1, 1)
	s.now()
	s.size(80, 24)
	s.see("replying").press("ctrl+c").see("stopped", "Robin")
}

// Every dialog and pane draws itself at every size.
func TestSession_EverythingAtEverySize(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").say("One.").press("ctrl+g").see("Why:").press("ctrl+s").still()
	for _, keys := range [][]string{{}, {"ctrl+p"}, {"f1"}, {"ctrl+o"}, {"ctrl+t"}, {"ctrl+t", "ctrl+e"}, {"f9"}, {"f2"}, {"f3"}, {"f4"}, {"alt+s"}, {"alt+r"}, {"f2", "enter"}, {"esc", "d"}, {"esc", "k", "e"}} {
		for _, k := range keys {
			var top widget.Dialog
			s.in(func(a *app) { top = a.dialogs.Top() })
			s.press(k).still()
			s.until("what "+k+" opens", func() bool {
				ok := k == "esc" || k == "k"
				s.in(func(a *app) { ok = ok || a.dialogs.Top() != top || k != "enter" && a.pane != nil })
				return ok
			})
			if words := map[string]string{"f2": "completed", "ctrl+e": "Appearance"}[k]; words != "" {
				s.see(words)
			}
		}
		s.in(func(a *app) {
			for w := 1; w <= 64; w += 7 {
				for h := 1; h <= 26; h += 5 {
					a.update(tea.WindowSizeMsg{Width: w, Height: h})
					a.paint()
				}
			}
			a.update(tea.WindowSizeMsg{Width: 140, Height: 40})
			a.paint()
			a.dialogs.All = nil
			a.closePane()
			a.mode = 1
		})
	}
}
