package tui_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// edge returns the column of a pane's title, -1 if there is none.
func edge(frame, title string) int {
	top, _, _ := strings.Cut(frame, "\n")
	at := strings.Index(top, "─ "+title)
	if at < 0 {
		return -1
	}
	return utf8.RuneCountInString(top[:at])
}

// A pane is made wider and narrower by steps, takes the whole screen and gives it back;
// each remembers its size, also when the program was left.
func TestPaneSize_IsRemembered(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{W: 140, H: 30, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	at := func(title string, want int) {
		t.Helper()
		s.WaitFor(title+" where it belongs", func(frame string) bool { return edge(frame, title) == want })
	}
	const usual, wider, narrower = 140 - 63 + 1, 140 - 71 + 1, 140 - 47 + 1
	s.See("blue boat").Press("alt+s")
	at("Scenes", usual)
	s.Press("+")
	at("Scenes", wider)
	s.Press("=")
	at("Scenes", 0)
	s.NotSee("rite a message").Press("esc")
	at("Scenes", wider) // the play is not hidden while it has the keys
	s.See("rite a message").Press("alt+s", "=")
	at("Scenes", wider)
	s.Press("-", "-", "-")
	at("Scenes", narrower)
	s.Press("alt+l")
	at("Lorebooks", usual)
	s.Until("the size is stored", func() bool { return s.Engine.Settings.Screen().Panes["scenes-pane"].Steps == -2 })
	s.Again()
	s.See("blue boat").Press("alt+s")
	at("Scenes", narrower)
	s.Size(90, 24)
	s.Press("+").See("the pane uses the full width here")
}

// A click in a list chooses the row in whose lines it was and does nothing else; the
// second one at the same place does what enter does.
func TestPane_ClicksChoose(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{W: 140, H: 30, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("alt+s").See("The Next Morning", "─ Scenes")
	click := func(words string) {
		t.Helper()
		for y, row := range strings.Split(s.Now(), "\n") {
			if i := strings.LastIndex(row, words); i >= 0 && utf8.RuneCountInString(row[:i]) > 140-63 {
				s.Send(tea.MouseClickMsg{X: utf8.RuneCountInString(row[:i]), Y: y, Button: tea.MouseLeft})
				return
			}
		}
		t.Fatalf("%q is not in the pane:\n%s", words, s.Frame())
	}
	chosen := func(want int) {
		t.Helper()
		s.In(func(v *tui.Screen) {
			p, ok := v.Host().Panes().Current().(pane.SceneList)
			if !ok {
				t.Fatalf("another pane is open: %T", v.Host().Panes().Current())
			}
			if sc, _ := p.ChosenScene(); sc.Number != want {
				t.Errorf("scene %d is chosen, not %d", sc.Number, want)
			}
		})
	}
	s.Press("G")
	chosen(3)
	click("The Photograph")
	chosen(1)
	click("The Next Morning")
	chosen(2)
	s.See("PANE")
	click("The Next Morning")
	s.See("BROWSE")
}
