package scenes_test

import (
	"fmt"
	"io"
	"log/slog"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

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
	var story []string
	for i := 1; i <= 2000; i++ {
		if story = append(story, fmt.Sprintf("This is line %d of a long night.", i)); i%4 == 0 && i < 2000 {
			story = append(story, "")
		}
	}
	tuitest.WithStory(b, story, false)(e)
	set, _ := themes.Load("")
	p := painter.New(io.Discard)
	v := tui.NewScreen(b.Context(), e, tui.Options{Themes: set, Log: slog.New(slog.DiscardHandler)}, p)
	if err := p.Enter(""); err != nil {
		b.Fatal(err)
	}
	v.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.ReportAllocs()
	for b.Loop() {
		v.SetScenes(scenes.Scenes{Chat: v.Host().Play().Chat().Chat.ID, CoversDepth: -1})
		read := v.Host().Run(keys.PaneScenes)
		v.Update(read())
		v.Paint()
		v.Host().Run(keys.PaneClose)
	}
	if n := len(v.Host().Play().Scenes().List); n != 500 {
		b.Fatalf("%d scenes", n)
	}
}
