package tui

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"log/slog"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/house"
	"ghostlight/engine/pictures"
	"ghostlight/engine/queue"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/painter"
)

// manyCaptures are n captures in scenes of 25.
func manyCaptures(n int) []pictures.GalleryScene {
	var out []pictures.GalleryScene
	for i := range n {
		if i%25 == 0 {
			out = append(out, pictures.GalleryScene{Number: len(out) + 1, Name: fmt.Sprintf("The %d. evening", len(out)+1)})
		}
		seed := int64(i)
		c := storage.Capture{ID: storage.CaptureID(fmt.Sprintf("c%06d", i)), Chat: "c", Kind: imageKind, Status: storage.CaptureCompleted,
			Seed: &seed, Workflow: "text-to-image", Width: 832, Height: 1216, GenerationTime: 23, CreatedAt: time.Unix(int64(1_700_000_000+i), 0),
			ImagePrompt: fmt.Sprintf("Picture %d. A wide shot of the harbour at dusk, lanterns along the quay, the innkeeper at the rail. ", i),
			ImagePath:   "captures/x.png", ThumbnailPath: "captures/x_thumb.png"}
		s := &out[len(out)-1]
		s.Captures = append(s.Captures, pictures.GalleryItem{Capture: c, Variant: 1, Variants: 1})
	}
	return out
}

// picturesque is an image with something to see in it.
func picturesque(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, color.RGBA{uint8(x * 255 / w), uint8(y * 255 / h), uint8((x ^ y) & 0xff), 0xff})
		}
	}
	return img
}

// stageGallery is a screen with the gallery on it and no engine under it.
func stageGallery(tb testing.TB, w, h int, scenes []pictures.GalleryScene) (*app, *gallery) {
	tb.Helper()
	set, _ := themes.Load("")
	pt := painter.New(io.Discard, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	a := newApp(tb.Context(), nil, &terminal{painter: pt}, Options{Themes: set, Images: "blocks", Log: slog.New(slog.DiscardHandler)}, func(tea.Msg) {})
	if err := pt.Enter(""); err != nil {
		tb.Fatal(err)
	}
	a.update(tea.WindowSizeMsg{Width: w, Height: h})
	g := newGallery(a)
	a.view.Chat.ID, a.work.batching.chat = "c", "c"
	a.setPane(g)
	a.mode, g.Chat, g.Loaded = keys.Pane, "c", true
	g.Rows = g.taking(scenes)()
	g.Lay("")
	a.paint()
	return a, g
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
				a, g := stageGallery(b, at.w, at.h, manyCaptures(n))
				small, large := picturesque(48, 64), picturesque(420, 640)
				g.thumbs.kept = map[storage.CaptureID]*thumb{}
				for i := range g.items {
					g.thumbs.kept[g.items[i].ID] = &thumb{img: small}
				}
				b.ReportAllocs()
				for b.Loop() {
					if g.At > len(g.Lines)-100 {
						g.Pick(0)
					}
					a.update(tea.KeyPressMsg{Code: 'j', Text: "j"})
					a.display.get(g.current().ID).img = large
					a.paint()
				}
			})
		}
	}
}

// BenchmarkShowFrame is a frame of a live preview from its event to the screen.
func BenchmarkShowFrame(b *testing.B) {
	a, _ := stageGallery(b, 120, 40, manyCaptures(2_000))
	a.closePane()
	j := newJob(storage.Operation{ID: "o", Type: desk.Paints, Params: []byte(`{"capture":"c000001","chat":"c"}`)})
	a.work.running = map[storage.OperationID]*job{"o": j}
	var frames [2]bytes.Buffer
	for i := range frames {
		if err := jpeg.Encode(&frames[i], picturesque(512-i, 512), nil); err != nil {
			b.Fatal(err)
		}
	}
	for i := 0; b.Loop(); i++ {
		j.frames = previewing{}
		msg := a.showFrame(j, house.OperationProgress{ID: "o", Capture: "c000001", Chat: "c", Progress: queue.Progress{Preview: frames[i%2].Bytes()}})()
		a.update(msg)
		a.paint()
	}
	if s := a.display.shown["c000001"]; s == nil || s.img == nil || j.frames.shown != 1 {
		b.Fatal("no frame was shown")
	}
}

// BenchmarkGalleryRead takes over what was read of the store.
func BenchmarkGalleryRead(b *testing.B) {
	a, g := stageGallery(b, 120, 40, nil)
	scenes := manyCaptures(2_000)
	for b.Loop() {
		g.Rows = g.taking(scenes)()
		g.Lay(g.Key())
		a.paint()
	}
}

// BenchmarkGalleryEvent is a capture that changes among many.
func BenchmarkGalleryEvent(b *testing.B) {
	_, g := stageGallery(b, 120, 40, manyCaptures(2_000))
	c := g.items[1_000].Capture
	g.Busy = true // what it leads to is measured elsewhere
	for b.Loop() {
		g.event(pictures.CaptureChanged{Capture: c})
	}
}
