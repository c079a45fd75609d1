package play_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// pieces are those of a text that libraries are known to lose.
var pieces = []string{
	"👩‍👩‍👧‍👦", "👍🏽", "❤️", "🏳️‍🌈", "e\u0301", "שלום", "\u202eabc\u202c", "क्ष", "\t", "\u200d", "\ufe0f", "\x1b[31m",
	"\x00", "\u009b", "\u2028", "\u00a0",
	"\n", "  ", "a word", "{{char}}", "*acts*", "\"says\"",
}

// Typed and pasted text is stored unchanged, and stays the same after it is opened for editing and
// saved.
func TestComposer_KeepsEveryByte(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: tuitest.Always("*She nods.*")}})
	s.See("‹1/3›")
	rnd := rand.New(rand.NewPCG(7, 11))
	for range 6 {
		want := ""
		for range 1 + rnd.IntN(8) {
			piece := pieces[rnd.IntN(len(pieces))]
			if rnd.IntN(3) == 0 {
				if r := rune(0x20 + rnd.IntN(0x1fb00)); unicode.IsGraphic(r) {
					piece += string(r)
				}
			}
			if rnd.IntN(2) == 0 && !strings.ContainsFunc(piece, func(r rune) bool { return r < ' ' }) {
				s.TypeText(piece)
			} else {
				s.PasteText(piece)
			}
			want += piece
		}
		s.PasteText("x")
		want += "x"
		s.Press("enter")
		s.Until("what was sent", func() bool { return slices.Contains(s.Texts(), want) })
		s.Until("the reply", func() bool {
			idle := false
			s.In(func(v *tui.Screen) { idle = !v.Host().Play().Replying() })
			texts := s.Texts()
			return idle && texts[len(texts)-1] == "*She nods.*"
		})
		m := s.Chat().Messages
		at := len(m) - 2
		if m[at].Role != storage.User {
			t.Fatal("the user's line is not the last but one")
		}
		s.Press("esc", "up", "e").See("Edit what").Press("ctrl+s")
		s.Until("the editor to close", func() bool {
			n := 0
			s.In(func(v *tui.Screen) { n = v.Dialogs() })
			return n == 0
		})
		if got := s.Chat().Messages[at].Content; got != want {
			t.Fatalf("%q became %q", want, got)
		}
		s.Press("i")
	}
	path, err := s.Engine.Library.ExportChatFile(s.Chat().Chat.ID, t.TempDir())
	s.Must(err)
	got, err := s.Engine.Library.Import(path)
	s.Must(err)
	v, err := s.Engine.Play.View(got.Chat.ID, 0)
	s.Must(err)
	for i, m := range s.Chat().Messages {
		if i >= len(v.Messages) || v.Messages[i].Content != m.Content {
			t.Errorf("message %d is another one after it was exported and imported: %q", i, m.Content)
		}
	}
}
