package lore_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/lore"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// BenchmarkLoreKey goes down a line and draws.
func BenchmarkLoreKey(b *testing.B) {
	v, p := benchLore(b)
	for b.Loop() {
		if p.At > 9_000 {
			p.Pick(0)
		}
		v.Update(tea.KeyPressMsg{Code: 'j', Text: "j"})
		v.Paint()
	}
}

// BenchmarkLoreFilterKey types a letter of the filter and draws, without the
// search, which runs elsewhere.
func BenchmarkLoreFilterKey(b *testing.B) {
	v, p := benchLore(b)
	p.OpenFilter()
	i := 0
	for b.Loop() {
		if i++; i%12 == 0 {
			v.Update(tea.KeyPressMsg{Code: 'u', Mod: tea.ModCtrl})
		}
		v.Update(tea.KeyPressMsg{Code: 'a', Text: "a"})
		v.Paint()
	}
}

// BenchmarkLoreFilterFrame is the same up to the frame with what was found.
func BenchmarkLoreFilterFrame(b *testing.B) {
	for _, want := range []string{"l", "lan", "lantern of ferry", "zqx"} {
		b.Run(want, func(b *testing.B) {
			v, p := benchLore(b)
			for b.Loop() {
				found := p.SearchFor(want)
				v.Update(found())
				v.Paint()
			}
		})
	}
}

// BenchmarkLorePane10000 opens the pane on a book of 10,000 entries, up to its
// first frame: read from the store, made ready to be searched, and drawn.
func BenchmarkLorePane10000(b *testing.B) {
	e, err := engine.Open(config.Config{DataDir: b.TempDir(), Program: "test", Ollama: "http://127.0.0.1:1", Comfy: []string{"http://127.0.0.1:1"}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	}()
	if err := e.Library.EnsureBundled(); err != nil {
		b.Fatal(err)
	}
	tuitest.NewChat(b, e)
	entries := map[string]any{}
	for i, r := range lore.ManyEntries(10_000) {
		entries[fmt.Sprint(i)] = map[string]any{"uid": i, "comment": r.Name, "content": r.Content, "key": r.Keys}
	}
	data, err := json.Marshal(map[string]any{"name": "Many", "entries": entries})
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "many.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		b.Fatal(err)
	}
	if _, err := e.Lore.Import(path, storage.Lorebook{}); err != nil {
		b.Fatal(err)
	}
	set, _ := themes.Load("")
	pt := painter.New(io.Discard)
	v := tui.NewScreen(b.Context(), e, tui.Options{Themes: set, Log: slog.New(slog.DiscardHandler)}, pt)
	if err := pt.Enter(""); err != nil {
		b.Fatal(err)
	}
	v.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.ReportAllocs()
	for b.Loop() {
		v.Host().Run(keys.PaneLore)
		p := lore.Of(v.Parts()).List()
		v.Update(p.Reload()())
		v.Paint()
		if n := p.Len(); n != 10_001 {
			b.Fatalf("%d lines", n)
		}
		v.Host().Run(keys.PaneClose)
	}
}

// benchLore is a screen of 120×40 with the lore pane on a book of 10,000
// entries.
func benchLore(b *testing.B) (*tui.Screen, *lore.List) {
	b.Helper()
	v, _ := tuitest.Still(b)
	v.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	pane, p := lore.Stage(lore.Of(v.Parts()), lore.ManyEntries(10_000))
	v.Host().Panes().Show(keys.PaneLore, pane)
	v.Paint()
	b.ReportAllocs()
	b.ResetTimer()
	return v, p
}
