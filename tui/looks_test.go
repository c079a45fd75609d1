package tui_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

func TestGolden_Looks(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]tuitest.Options{
		"light":     {Light: true},
		"no-colour": {Profile: colorprofile.Ascii},
		"demo":      {Screen: tui.Options{Demo: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Prepare, o.Servers = tuitest.WithChat(t), demo.Options{Script: tuitest.Always(tuitest.Rich)}
			s := tuitest.Begin(t, o)
			s.See("Tove ‹1/3›").Say("What does it say?").Press("esc")
			s.See("BROWSE").Golden("look-"+name, tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
			if name != "no-colour" {
				s.GoldenStyled("look-" + name)
				return
			}
			s.Press("ctrl+p").See("Commands")
			if out := s.Written(); strings.Contains(out, "38;") || strings.Contains(out, "48;") || !strings.Contains(out, "\x1b[7m author's note") && !strings.Contains(out, "\x1b[7mauthor's note") {
				t.Errorf("colours, or no mark on what is chosen: %q", out[len(out)-2000:])
			}
		})
	}
}

func TestGolden_Help(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("f1").See("Keys while writing").Press("tab").See("All keys")
	all := s.Frame()
	for range 20 {
		all += s.Press("pgdown").Now()
	}
	m, _ := tui.Keys(nil)
	for _, b := range m.Bindings() {
		if len(b.Keys()) > 0 && !strings.Contains(all, b.Description()) {
			t.Errorf("the help does not tell of %q", b.Description())
		}
	}
}

func TestGolden_Palette(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), Servers: demo.Options{Script: tuitest.Always(tuitest.Rich)}})
	s.See("Tove ‹1/3›").Say("What does it say?")
	s.TypeText("A first line of the draft\nand a second, so long that it must be wrapped at eighty columns already")
	s.Press("esc", "k").See("BROWSE")
	s.Press("ctrl+p").See("Commands").Golden("palette")
	s.TypeText("theme").See("choose a theme").Golden("palette-filtered")
	s.Press("enter").See("Themes").Golden("themes")
	s.Press("esc").NotSee("Themes").Press("f1").See("Keys while browsing").Golden("help").Press("tab").See("All keys").Golden("help-all").Press("esc").NotSee("All keys")
}
