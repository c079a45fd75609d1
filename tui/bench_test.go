package tui_test

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	bundled "github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal/tove"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// benchScreen is a screen of 120×40 with a chat of 10,000 messages, all at hand.
func benchScreen(b testing.TB) (*tui.Screen, *painter.Painter) {
	b.Helper()
	set, _ := themes.Load("")
	p := painter.New(io.Discard, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	v := tui.NewScreen(b.Context(), nil, tui.Options{Themes: set, Log: slog.New(slog.DiscardHandler)}, p)
	if err := p.Enter(""); err != nil {
		b.Fatal(err)
	}
	open := chats.View{Model: "model"}
	open.Chat.ID = "chat"
	for i := range 10_000 {
		n := storage.Node{ID: storage.NodeID(fmt.Sprintf("n%06d", i)), Role: storage.Assistant, Name: "Tove", State: storage.Complete,
			Content: tove.Reply([]storage.Node{{Role: storage.Assistant, Content: bundled.Character().Card.FirstMessage}}, i%7)}
		if i%2 == 1 {
			n.Role, n.Name, n.Content = storage.User, "Robin", "\"I see,\" *I say, and look at the lamp.* It is number "+strconv.Itoa(i)+"."
		}
		open.Messages = append(open.Messages, chats.Message{Node: n, Siblings: 1})
	}
	v.OpenChat(open)
	v.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	v.Paint()
	if b, ok := b.(*testing.B); ok {
		b.ReportAllocs()
		b.ResetTimer()
	}
	return v, p
}

func BenchmarkDraw(b *testing.B) {
	v, _ := benchScreen(b)
	for b.Loop() {
		v.Paint()
	}
}

func BenchmarkPageUp(b *testing.B) {
	v, _ := benchScreen(b)
	i := 0
	for b.Loop() {
		if i++; i%1000 == 0 {
			v.Host().Run(keys.Last)
		}
		v.Host().Run(keys.PageUp)
		v.Paint()
	}
}

func BenchmarkKeyEcho(b *testing.B) {
	v, _ := benchScreen(b)
	key, clear := tea.KeyPressMsg{Code: 'x', Text: "x"}, tuitest.KeyNamed(b, "ctrl+u")
	i := 0
	for b.Loop() {
		if i++; i%60 == 0 {
			v.Update(clear)
		}
		v.Update(key)
		v.Repaint()
	}
}

// BenchmarkStream grows a reply by 2,000 tokens and paints after each.
func BenchmarkStream(b *testing.B) {
	v, _ := benchScreen(b)
	words := strings.SplitAfter(strings.Repeat(tuitest.Rich+"\n\n", 40), " ")[:2000]
	i := 0
	for b.Loop() {
		i++
		n := storage.Node{ID: storage.NodeID(fmt.Sprintf("live%d", i)), Role: storage.Assistant, Name: "Tove", State: storage.Draft}
		v.Event(chats.MessageAdded{Chat: "chat", Message: chats.Message{Node: n, Siblings: 1}})
		at := 0
		for _, w := range words {
			v.Event(play.ReplyDelta{Chat: "chat", Node: n.ID, Content: w, At: at})
			at += len(w)
			v.Repaint()
		}
	}
}

// However a reply grows and the clock ticks, what is drawn of it in passing is what a whole
// frame is.
func TestRepaint_IsTheWholeFrame(t *testing.T) {
	for _, size := range []tea.WindowSizeMsg{{Width: 120, Height: 40}, {Width: 61, Height: 9}, {Width: 30, Height: 5}} {
		v, p := benchScreen(t)
		v.Update(size)
		n := storage.Node{ID: "live", Role: storage.Assistant, Name: "Tove", State: storage.Draft}
		v.Event(chats.MessageAdded{Chat: "chat", Message: chats.Message{Node: n, Siblings: 1}})
		v.Repaint()
		at, parts := 0, 0
		for i, w := range strings.SplitAfter(tuitest.Rich+"\n\n"+tuitest.Rich, " ") {
			v.Event(play.ReplyDelta{Chat: "chat", Node: n.ID, Content: w, At: at})
			at += len(w)
			if i%5 == 0 {
				v.Update(tui.Tick)
			}
			if i == 40 {
				v.Host().Run(keys.PageUp)
				v.Paint()
			}
			if i == 60 {
				v.Host().Run(keys.Last)
				v.Paint()
			}
			if v.Repaint() {
				parts++
			}
			got := p.Styled()
			if v.Paint(); p.Styled() != got {
				t.Fatalf("%v, word %d:\n%s\nand not\n%s", size, i, got, p.Styled())
			}
		}
		if parts < at/20 {
			t.Errorf("%v: %d frames were drawn in part", size, parts)
		}
	}
}

// Whatever is typed while a reply grows, what is drawn of it in passing is what a whole
// frame is.
func TestRepaint_OfTyping(t *testing.T) {
	for _, size := range []tea.WindowSizeMsg{{Width: 120, Height: 40}, {Width: 40, Height: 12}} {
		v, p := benchScreen(t)
		v.Update(size)
		n := storage.Node{ID: "live", Role: storage.Assistant, Name: "Tove", State: storage.Draft}
		v.Event(chats.MessageAdded{Chat: "chat", Message: chats.Message{Node: n, Siblings: 1}})
		v.Repaint()
		at, parts := 0, 0
		for i, key := range strings.Fields("H e l l o space w o r l d left left backspace x right alt+enter y ctrl+u a ✓ 你 好 up down ctrl+w z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z z") {
			v.Update(tuitest.KeyNamed(t, key))
			if i%3 == 0 {
				v.Event(play.ReplyDelta{Chat: "chat", Node: n.ID, Content: "word ", At: at})
				at += 5
			}
			if i == 30 {
				v.Host().Say(event.Error, strings.Repeat("A long word to the user. ", 20))
				v.Paint()
			}
			if v.Repaint() {
				parts++
			}
			got, cur := p.Styled(), p.CursorAt()
			if v.Paint(); p.Styled() != got || p.CursorAt() != cur {
				t.Fatalf("%v, key %d, %s:\n%s\nand not\n%s, cursor at %v, not %v", size, i, key, got, p.Styled(), cur, p.CursorAt())
			}
		}
		if parts < 20 {
			t.Errorf("%v: %d frames were drawn in part", size, parts)
		}
	}
}
