package memory_test

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/memory"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// benchMemory is a screen of 120×40 with the memory pane on n memories.
func benchMemory(b *testing.B, n int) (*tui.Screen, *memory.Memories) {
	b.Helper()
	s, _ := tuitest.Still(b)
	s.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	s.OpenChat(chats.View{Chat: storage.Chat{ID: "c"}})
	p := memory.NewPane(s.Host(), "c")
	p.Fill(memory.ManyMemories(n), nil, nil)
	s.Host().Panes().Open(keys.PaneMemory, func() pane.Pane { return p })
	s.Paint()
	b.ReportAllocs()
	b.ResetTimer()
	return s, p.Memories()
}

// BenchmarkMemoryKey goes down a line and draws.
func BenchmarkMemoryKey(b *testing.B) {
	for _, n := range []int{2_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, v := benchMemory(b, n)
			for b.Loop() {
				if v.At > n-100 {
					v.Pick(0)
				}
				s.Update(tea.KeyPressMsg{Code: 'j', Text: "j"})
				s.Paint()
			}
		})
	}
}

// BenchmarkMemoryFilter is a letter of the filter up to the frame with what was
// found.
func BenchmarkMemoryFilter(b *testing.B) {
	for _, n := range []int{2_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s, v := benchMemory(b, n)
			for i := 0; b.Loop(); i++ {
				v.Filter.Text = []string{"l", "lantern", "lantern tide"}[i%3]
				found := v.GroupList.Search()
				s.Update(found())
				s.Paint()
			}
		})
	}
}
