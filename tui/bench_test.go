package tui

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/config"
	bundled "ghostlight/engine/library/bundled"
	"ghostlight/engine/play"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/keys"
	"ghostlight/tui/painter"
)

// benchApp is a screen of 120×40 with a chat of 10,000 messages, all at hand.
func benchApp(b *testing.B) *app {
	b.Helper()
	set, _ := themes.Load("")
	p := painter.New(io.Discard, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	a := newApp(b.Context(), nil, &terminal{painter: p}, Options{Themes: set, Log: slog.New(slog.DiscardHandler)}, func(tea.Msg) {})
	if err := p.Enter(""); err != nil {
		b.Fatal(err)
	}
	var msgs []chats.Message
	for i := range 10_000 {
		n := storage.Node{ID: storage.NodeID(fmt.Sprintf("n%06d", i)), Role: storage.Assistant, Name: "Tove", State: storage.Complete,
			Content: bundled.Reply([]storage.Node{{Role: storage.Assistant, Content: bundled.Character().Card.FirstMessage}}, i%7)}
		if i%2 == 1 {
			n.Role, n.Name, n.Content = storage.User, "Robin", "\"I see,\" *I say, and look at the lamp.* It is number "+itoa(i)+"."
		}
		msgs = append(msgs, chats.Message{Node: n, Siblings: 1})
	}
	a.view.Chat.ID, a.view.Model = "chat", "model"
	a.play.Show(msgs, false, len(msgs), "")
	a.update(tea.WindowSizeMsg{Width: 120, Height: 40})
	a.paint()
	b.ReportAllocs()
	b.ResetTimer()
	return a
}

func BenchmarkDraw(b *testing.B) {
	a := benchApp(b)
	for b.Loop() {
		a.paint()
	}
}

func BenchmarkPageUp(b *testing.B) {
	a := benchApp(b)
	for b.Loop() {
		if a.play.Anchor < 10 {
			a.play.Bottom()
		}
		a.Run(keys.PageUp)
		a.paint()
	}
}

func BenchmarkKeyEcho(b *testing.B) {
	a := benchApp(b)
	key := tea.KeyPressMsg{Code: 'x', Text: "x"}
	a.composer.armed = true // no timers here
	i := 0
	for b.Loop() {
		if i++; i%60 == 0 {
			a.composer.in.Set("")
		}
		a.update(key)
		a.paint()
	}
}

// BenchmarkStream grows a reply by 2,000 tokens and paints after each.
func BenchmarkStream(b *testing.B) {
	a := benchApp(b)
	words := strings.SplitAfter(strings.Repeat(rich+"\n\n", 40), " ")[:2000]
	for b.Loop() {
		n := storage.Node{ID: "live", Role: storage.Assistant, Name: "Tove", State: storage.Draft}
		a.play.Append(chats.Message{Node: n, Siblings: 1})
		at := 0
		for _, w := range words {
			a.play.Grow(play.ReplyDelta{Node: "live", Content: w, At: at})
			at += len(w)
			a.paint()
		}
		a.play.Items = a.play.Items[:len(a.play.Items)-1]
		a.play.Bottom()
	}
}

// BenchmarkScenesPane500 opens the scenes pane on a chat of 500 scenes, up to
// its first frame: read from the store, and drawn.
func BenchmarkScenesPane500(b *testing.B) {
	e, err := engine.Open(config.Config{DataDir: b.TempDir(), Program: "test", Ollama: "http://127.0.0.1:1", Comfy: []string{"http://127.0.0.1:1"}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	}()
	withStory(b, long(2000, 4), false)(e)
	set, _ := themes.Load("")
	p := painter.New(io.Discard, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	a := newApp(b.Context(), e, &terminal{painter: p}, Options{Themes: set, Log: slog.New(slog.DiscardHandler)}, func(tea.Msg) {})
	if err := p.Enter(""); err != nil {
		b.Fatal(err)
	}
	if err := a.first(); err != nil {
		b.Fatal(err)
	}
	a.update(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.ReportAllocs()
	for b.Loop() {
		a.scenes = noScenes(a.view.Chat.ID)
		read := a.Run(keys.PaneScenes)
		a.update(read())
		a.paint()
		a.closePane()
	}
	if n := len(a.scenes.List); n != 500 {
		b.Fatalf("%d scenes", n)
	}
}
