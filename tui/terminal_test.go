package tui_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/picture"
)

// The terminal answers as the screen runs: pictures follow, and the engine keeps
// how they are shown.
func TestSession_TheTerminalsAnswersChoose(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Screen: tui.Options{Images: "auto"}})
	s.Until("the questions", func() bool { return strings.Contains(s.Written(), picture.Queries()) })
	s.Write("\x1b_Gi=31;OK\x1b\\\x1bP>|ghostty 1.1.3\x1b\\\x1b[6;18;9t\x1b[?62;22c")
	s.Until("the answers", func() bool { return strings.HasPrefix(s.Engine.Settings.Terminal(), "Kitty graphics: ") })
	s.In(func(v *tui.Screen) {
		mode, _ := v.Display().Mode()
		if cell := v.Display().Answers().Cell; mode != picture.Kitty || cell != (picture.Cell{W: 9, H: 18}) {
			t.Errorf("%s in cells of %v", mode, cell)
		}
	})
}
