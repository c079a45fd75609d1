package tui

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/config"
	"ghostlight/engine/lore"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/keys"
	"ghostlight/tui/painter"
	"ghostlight/tui/widget"
)

// manyLore are n entries with contents of about 60 words.
func manyLore(n int) []lore.Row {
	words := []string{"harbour", "lantern", "ferry", "innkeeper", "tide", "scarf", "cellar", "quay", "storm", "ledger", "gull", "mast"}
	rows := make([]lore.Row, n)
	for i := range rows {
		text := ""
		for j := range 60 {
			text += words[(i*7+j*j+3)%len(words)] + " "
		}
		e := loreOf(fmt.Sprintf("%s of %s %d", words[i%12], words[(i/12)%12], i), "location", text, words[(i+3)%12]+fmt.Sprint(i), words[(i+5)%12])
		e.ID = storage.EntryID(fmt.Sprintf("e%06d", i))
		rows[i] = lore.Row{LoreEntry: e, Book: "b", BookName: "Many", Tokens: 90, Fired: -1}
	}
	return rows
}

// benchLore is a screen of 120×40 with the lore pane on a book of 10,000
// entries.
func benchLore(b *testing.B) (*app, *loreEntries) {
	b.Helper()
	set, _ := themes.Load("")
	pt := painter.New(io.Discard, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	a := newApp(b.Context(), nil, &terminal{painter: pt}, Options{Themes: set, Log: slog.New(slog.DiscardHandler)}, func(tea.Msg) {})
	if err := pt.Enter(""); err != nil {
		b.Fatal(err)
	}
	a.update(tea.WindowSizeMsg{Width: 120, Height: 40})
	lp := newLorePane(a)
	a.setPane(lp)
	a.mode, lp.shown[0] = keys.Pane, true
	p := lp.views[loreEntriesView].(*loreEntries)
	rows := manyLore(10_000)
	p.take([]bookRead{{Book: lore.Book{Lorebook: storage.Lorebook{ID: "b", Name: "Many"}, On: true, Entries: len(rows)}, read: true, rows: rows, texts: loreTexts(rows, nil, nil)}}, nil)
	a.paint()
	b.ReportAllocs()
	b.ResetTimer()
	return a, p
}

// BenchmarkLoreKey goes down a line and draws.
func BenchmarkLoreKey(b *testing.B) {
	a, p := benchLore(b)
	for b.Loop() {
		if p.at > 9_000 {
			p.pick(0)
		}
		a.update(tea.KeyPressMsg{Code: 'j', Text: "j"})
		a.paint()
	}
}

// BenchmarkLoreFilterKey types a letter of the filter and draws, without the
// search, which runs elsewhere.
func BenchmarkLoreFilterKey(b *testing.B) {
	a, p := benchLore(b)
	p.openFilter(a)
	i := 0
	for b.Loop() {
		if i++; i%12 == 0 {
			a.dialogs.Top().(*widget.FilterLine).In.Set("")
		}
		a.update(tea.KeyPressMsg{Code: 'a', Text: "a"})
		a.paint()
	}
}

// BenchmarkLoreFilterFrame is the same up to the frame with what was found.
func BenchmarkLoreFilterFrame(b *testing.B) {
	for _, want := range []string{"l", "lan", "lantern of ferry", "zqx"} {
		b.Run(want, func(b *testing.B) {
			a, p := benchLore(b)
			for b.Loop() {
				p.find.text = want
				found := p.search()
				a.update(found())
				a.paint()
			}
		})
	}
}

// BenchmarkLoreFind is the search alone.
func BenchmarkLoreFind(b *testing.B) {
	texts := [][]loreText{loreTexts(manyLore(10_000), nil, nil)}
	b.ReportAllocs()
	for b.Loop() {
		findLore(texts, "lantern", &atomic.Bool{})
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
	newToveChat(b, e)
	entries := map[string]any{}
	for i, r := range manyLore(10_000) {
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
	pt := painter.New(io.Discard, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	a := newApp(b.Context(), e, &terminal{painter: pt}, Options{Themes: set, Log: slog.New(slog.DiscardHandler)}, func(tea.Msg) {})
	if err := pt.Enter(""); err != nil {
		b.Fatal(err)
	}
	if err := a.first(); err != nil {
		b.Fatal(err)
	}
	a.update(tea.WindowSizeMsg{Width: 120, Height: 40})
	b.ReportAllocs()
	for b.Loop() {
		a.Run(keys.PaneLore)
		p := a.loreList()
		p.busy = false
		a.update(p.load()())
		a.paint()
		if n := len(p.lines); n != 10_001 {
			b.Fatalf("%d lines", n)
		}
		a.closePane()
	}
}
