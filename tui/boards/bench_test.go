package boards_test

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	engineboards "github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// manyShots returns a storyboard of n shots, all with sketches.
func manyShots(n int) engineboards.View {
	v := aBoard()
	list := aList()
	v.Shots, v.Sketches = nil, map[storage.ShotID]storage.Capture{}
	for i := range n {
		s := list[i%len(list)]
		s.ID = storage.ShotID(fmt.Sprintf("s%d", i+1))
		v.Shots = append(v.Shots, s)
		v.Sketches[s.ID] = storage.Capture{ID: storage.CaptureID(s.ID), Status: storage.CaptureCompleted}
	}
	return v
}

// BenchmarkPane200 is a key in a storyboard of 200 shots, from the key to the
// frame; and what taking over a change of it costs.
func BenchmarkPane200(b *testing.B) {
	v := manyShots(200)
	for _, d := range []tuitest.Size{{W: 80, H: 24}, {W: 200, H: 60}} {
		b.Run(fmt.Sprintf("key-%dx%d", d.W, d.H), func(b *testing.B) {
			scr, _, p := stage(b, v)
			scr.Update(tea.WindowSizeMsg{Width: d.W, Height: d.H})
			scr.Paint()
			b.ReportAllocs()
			for b.Loop() {
				if p.At > len(p.Lines)-3 {
					p.Pick(0)
				}
				scr.Update(tea.KeyPressMsg{Code: 'j', Text: "j"})
				scr.Paint()
			}
		})
	}
	b.Run("change", func(b *testing.B) {
		scr, _, p := stage(b, v)
		scr.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
		scr.Paint()
		p.GoTo("shot s150")
		b.ReportAllocs()
		for b.Loop() {
			p.Take(v)
			scr.Paint()
		}
	})
}
