package pane_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// open is a host with a chat on it.
type open struct {
	pane.Host
	view chats.View
}

func (d open) Play() pane.Play { return playOf{view: d.view} }

type playOf struct {
	pane.Play
	view chats.View
}

func (p playOf) Chat() chats.View { return p.view }

func TestWithin_Names(t *testing.T) {
	t.Parallel()
	d := open{view: chats.View{Chat: storage.Chat{ID: "1"}, Persona: storage.Persona{Name: "Robin"}}}
	d.view.Character.Card.Name = "Tove"
	for _, c := range []struct {
		text, want string
		n          int
	}{
		{"{{char}} trusts {{user}}", "Tove trusts Robin", 60},
		{"{{Char}} and <USER>\nwait", "Tove and Robin wait", 60},
		{"{{char}} trusts {{user}}", "Tove tru…", 9},
		{"no names < at {all", "no names < at {all", 60},
		{"", "", 60},
		{"{{char}}", "", 0},
	} {
		if got := pane.Truncate(d, c.text, c.n); got != c.want {
			t.Errorf("%q in %d: %q, not %q", c.text, c.n, got, c.want)
		}
	}
	if got := pane.Truncate(open{}, "{{char}}", 20); got != "{{char}}" {
		t.Errorf("without a chat: %q", got)
	}
}
