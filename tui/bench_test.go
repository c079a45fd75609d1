package tui_test

import (
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/demo/tove"
	bundled "github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
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
	p := painter.New(io.Discard)
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
		v.Paint()
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
			v.Paint()
		}
	}
}
