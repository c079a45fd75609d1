package tui

import (
	"io"
	"log/slog"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/engine/play/chats"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/painter"
)

// A picture that was asked for in the talk stands under the name of who was asked.
func TestPlay_RequestedPicturesAreTheCharactersOwn(t *testing.T) {
	set, _ := themes.Load("")
	p := painter.New(io.Discard, nil)
	if err := p.Enter(""); err != nil {
		t.Fatal(err)
	}
	a := newApp(t.Context(), nil, &terminal{painter: p}, Options{Themes: set, Images: "off", Log: slog.New(slog.DiscardHandler)}, func(tea.Msg) {})
	a.update(tea.WindowSizeMsg{Width: 120, Height: 40})
	a.paint() // gives it a width
	heading := func(c *storage.Capture) string {
		a.play.Show([]chats.Message{
			{Node: storage.Node{ID: "1", Role: storage.Assistant, Name: "Tove", State: storage.Complete}, Siblings: 1},
			{Node: storage.Node{ID: "2", Role: storage.User, Name: "Robin", State: storage.Complete}, Siblings: 1},
			{Node: storage.Node{ID: "3", Role: storage.SceneCapture, State: storage.Complete, Capture: "c"}, Siblings: 1, Picture: c},
		}, false, 3, "")
		return ansi.Strip(a.play.Heading(a.play.Items[2]))
	}
	for want, c := range map[string]*storage.Capture{"Scene Capture": {ID: "c"}, "Tove": {ID: "c", Asked: true}} {
		if got := heading(c); got != want {
			t.Errorf("%v stands under %q, not %q", c.Asked, got, want)
		}
	}
	if got := heading(&storage.Capture{ID: "c", Requested: "your house"}); got != "Tove" {
		t.Errorf("a request stands under %q", got)
	}
}
