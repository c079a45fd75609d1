package pictures_test

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/pictures"
)

// stageMany returns a screen with a gallery of n captures on it and no engine under it.
func stageMany(tb testing.TB, w, h, n int) (*tui.Screen, *pictures.Gallery) {
	tb.Helper()
	v, _ := tuitest.Still(tb)
	v.Update(tea.WindowSizeMsg{Width: w, Height: h})
	v.OpenChat(chats.View{Chat: storage.Chat{ID: "c"}})
	g := pictures.Stage(v.Host(), "c", pictures.ManyCaptures(n), nil)
	v.Paint()
	return v, g
}

// BenchmarkGalleryKey goes down a row of many captures and draws the screen: with
// the chosen picture come from the disk, as it does after the key.
func BenchmarkGalleryKey(b *testing.B) {
	for _, at := range []struct {
		name string
		w, h int
	}{{"list", 120, 40}, {"grid", 200, 60}} {
		for _, n := range []int{2_000, 10_000} {
			b.Run(fmt.Sprintf("%s-%d", at.name, n), func(b *testing.B) {
				v, g := stageMany(b, at.w, at.h, n)
				small, large := picturesque(48, 64), picturesque(420, 640)
				g.HangSmall(small)
				b.ReportAllocs()
				for b.Loop() {
					if g.At > len(g.Lines)-100 {
						g.Pick(0)
					}
					v.Update(tuitest.KeyOf('j'))
					g.HangChosen(large)
					v.Paint()
				}
			})
		}
	}
}

// BenchmarkShowFrame is a frame of a live preview from its event to the screen.
func BenchmarkShowFrame(b *testing.B) {
	v, _ := stageMany(b, 120, 40, 2_000)
	room := pictures.RoomOf(v.Host())
	v.Host().Run(keys.PaneClose)
	v.Event(queue.Changed{Operation: storage.Operation{ID: "o", Type: pane.Paints, Status: storage.InProgress, StartedAt: time.Now(),
		Params: []byte(`{"capture":"c000001","chat":"c"}`)}})
	var frames [2]bytes.Buffer
	for i := range frames {
		if err := jpeg.Encode(&frames[i], picturesque(512-i, 512), nil); err != nil {
			b.Fatal(err)
		}
	}
	for i := 0; b.Loop(); i++ {
		room.ForgetFrames()
		msg := room.ShowFrame(queue.Progressed{ID: "o", Capture: "c000001", Chat: "c", Progress: queue.Progress{Preview: frames[i%2].Bytes()}})()
		v.Update(msg)
		v.Paint()
	}
	if room.Display().Fault("c000001") != "" || room.FramesShown("o") != 1 {
		b.Fatal("no frame was shown")
	}
}

// BenchmarkGalleryRead takes over what was read of the store.
func BenchmarkGalleryRead(b *testing.B) {
	v, g := stageMany(b, 120, 40, 0)
	scenes := pictures.ManyCaptures(2_000)
	for b.Loop() {
		g.TakeAll(scenes)
		v.Paint()
	}
}
