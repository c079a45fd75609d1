package play

import (
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A picture requested in the chat is shown under the name of the character that was asked.
func TestHeading_RequestedPicturesAreTheCharactersOwn(t *testing.T) {
	p := bareList(t, 0, 120, 40)
	heading := func(c *storage.Capture) string {
		p.Show(chats.MessageRange{}, []chats.Message{
			{Node: storage.Node{ID: "1", Role: storage.Assistant, Name: "Tove", State: storage.Complete}, Siblings: 1},
			{Node: storage.Node{ID: "2", Role: storage.User, Name: "Robin", State: storage.Complete}, Siblings: 1},
			{Node: storage.Node{ID: "3", Role: storage.SceneCapture, State: storage.Complete, Capture: "c"},
				Siblings: 1, Picture: c},
		}, false, "")
		return ansi.Strip(p.Heading(p.Items[2]))
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
