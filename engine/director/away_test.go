package director_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Who leaves, and who comes back, is noted where it happens: nothing that the server has read of
// the speaker's prompt changes for it.
func TestAway_IsSaidWhereItHappens(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	main, bea := s.View().Character.ID, s.Joined("Bea")
	prompt := func(text string) (string, []storage.Node) {
		s.SayTo(text, main)
		sent := s.TurnsSent()
		last := sent[len(sent)-1].Messages
		var b strings.Builder
		for _, m := range last {
			b.WriteString(m.Content + "\n")
		}
		return b.String(), last
	}
	const off, back = "Off the stage now, out of sight and hearing: Bea.", "Everybody is on stage again."
	var last []storage.Node
	for _, c := range []struct {
		text      string
		away      bool
		off, back int
	}{{"One.", false, 0, 0}, {"Two.", true, 1, 0}, {"Three.", true, 1, 0}, {"Four.", false, 1, 1}, {"Five.", true, 2, 1}, {"Six.", false, 2, 2}} {
		enginetest.Must(t, s.Chats.SetAway(s.Chat, bea, c.away))
		text, sent := prompt(c.text)
		if strings.Count(text, off) != c.off || strings.Count(text, back) != c.back {
			t.Errorf("%s: said %d times that she is off, %d times that she is back; want %d and %d", c.text, strings.Count(text, off), strings.Count(text, back), c.off, c.back)
		}
		if !strings.Contains(sent[0].Content, "Bea") {
			t.Errorf("%s: the head of the prompt does not name who plays", c.text)
		}
		for i, m := range last {
			if sent[i].Content != m.Content {
				t.Fatalf("%s: message %d is read again:\n%q\nbefore: %q", c.text, i, sent[i].Content, m.Content)
			}
		}
		last = sent
	}
}
