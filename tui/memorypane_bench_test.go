package tui

import (
	"fmt"
	"io"
	"log/slog"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/memory"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/keys"
	"ghostlight/tui/painter"
)

// manyMemories are n memories of about 20 words.
func manyMemories(n int) []memory.View {
	words := []string{"harbour", "lantern", "ferry", "innkeeper", "tide", "scarf", "cellar", "quay", "storm", "ledger", "gull", "mast"}
	list := make([]memory.View, n)
	for i := range list {
		text := ""
		for j := range 20 {
			text += words[(i*7+j*j+3)%len(words)] + " "
		}
		list[i] = memoryOf(fmt.Sprintf("m%06d", i), storage.MemoryTypes[i%len(storage.MemoryTypes)], text, float64(n-i)/float64(n))
	}
	return list
}

// benchMemory is a screen of 120×40 with the memory pane on n memories.
func benchMemory(b *testing.B, n int) (*app, *memoryList) {
	b.Helper()
	set, _ := themes.Load("")
	pt := painter.New(io.Discard, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	a := newApp(b.Context(), nil, &terminal{painter: pt}, Options{Themes: set, Log: slog.New(slog.DiscardHandler)}, func(tea.Msg) {})
	if err := pt.Enter(""); err != nil {
		b.Fatal(err)
	}
	a.update(tea.WindowSizeMsg{Width: 120, Height: 40})
	p := newMemoryPane(a)
	a.setPane(p)
	a.mode, p.chat = keys.Pane, "c"
	fillMemory(a, manyMemories(n), nil, nil)
	a.paint()
	b.ReportAllocs()
	b.ResetTimer()
	return a, p.views[memoriesView].(*memoryList)
}

// BenchmarkMemoryKey goes down a line and draws.
func BenchmarkMemoryKey(b *testing.B) {
	for _, n := range []int{2_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a, v := benchMemory(b, n)
			for b.Loop() {
				if v.At > n-100 {
					v.Pick(0)
				}
				a.update(tea.KeyPressMsg{Code: 'j', Text: "j"})
				a.paint()
			}
		})
	}
}

// BenchmarkMemoryFilter is a letter of the filter up to the frame with what was
// found.
func BenchmarkMemoryFilter(b *testing.B) {
	for _, n := range []int{2_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			a, v := benchMemory(b, n)
			for i := 0; b.Loop(); i++ {
				v.Filter.Text = []string{"l", "lantern", "lantern tide"}[i%3]
				found := v.Search()
				a.update(found())
				a.paint()
			}
		})
	}
}

// BenchmarkMemoryRows makes the rows of memories, as each reading does away from
// the screen.
func BenchmarkMemoryRows(b *testing.B) {
	list := manyMemories(10_000)
	for b.Loop() {
		memoryRows(list)
	}
}
