package pictures_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pictures"
)

// hung puts n captures with picture files into a new chat. All of them share one file.
func hung(tb testing.TB, s *tuitest.Session, n int) storage.ChatID {
	chat := tuitest.NewChat(tb, s.Engine)
	one := filepath.Join(s.Dir(), "one.png")
	s.Must(os.MkdirAll(filepath.Join(s.Dir(), "captures"), 0o700))
	s.Must(os.WriteFile(one, encoded(tb, grained(640)), 0o600))
	s.Must(s.Engine.Core().Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		for i := range n {
			seed, id := int64(i), storage.NewID()
			c := storage.Capture{ID: storage.CaptureID(id), Chat: chat, At: c.Head, Kind: "image", Status: storage.CaptureCompleted,
				Seed: &seed, Workflow: "text-to-image", Width: 1024, Height: 1024, GenerationTime: 23, CreatedAt: time.Unix(int64(1_700_000_000+i), 0),
				ImagePrompt: fmt.Sprintf("Picture %d. A wide shot of the harbour at dusk, lanterns along the quay.", i),
				ImageID:     id, ImagePath: filepath.Join("captures", id+".png"), ThumbnailPath: filepath.Join("captures", id+"_thumb.png")}
			for _, rel := range []string{c.ImagePath, c.ThumbnailPath} {
				if err := os.Link(one, filepath.Join(s.Dir(), rel)); err != nil {
					return err
				}
			}
			if err := storage.Captures.Put(tx, c.ID, c); err != nil {
				return err
			}
		}
		return nil
	}))
	return chat
}

func encoded(tb testing.TB, img image.Image) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// grained returns a picture that packs as a painted one does.
func grained(side int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	grain := uint32(1)
	for y := range side {
		for x := range side {
			grain = grain*1664525 + 1013904223
			i, g := img.PixOffset(x, y), uint8(grain>>30)
			img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3] = uint8(x*200/side)+g, uint8(y*200/side)+g, uint8((x+y)*100/side)+g, 255
		}
	}
	return img
}

// opened returns a screen over an engine whose work is done one piece after the other.
func opened(tb testing.TB, e *engine.Engine, chat storage.ChatID) *tui.Screen {
	set, _ := themes.Load("")
	p := painter.New(io.Discard)
	v := tui.NewScreen(tb.Context(), e, tui.Options{Themes: set, Chat: chat, Log: slog.New(slog.DiscardHandler), Images: "blocks"}, p)
	if err := p.Enter(""); err != nil {
		tb.Fatal(err)
	}
	v.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	settle(v, nil)
	return v
}

// settle runs a command with its follow-ups, and paints after each step. It returns the number of
// frames, and the maximum memory in use.
func settle(v *tui.Screen, cmd tea.Cmd) (frames int, heap uint64) {
	todo := []tea.Cmd{cmd}
	for {
		v.Paint()
		frames++
		if g, open := v.Host().Panes().Current().(*pictures.Gallery); open {
			todo = append(todo, g.Wanted())
		}
		for len(todo) > 0 && todo[0] == nil {
			todo = todo[1:]
		}
		heap = max(heap, heapNow())
		if len(todo) == 0 {
			return frames, heap
		}
		next := todo[0]()
		todo = todo[1:]
		if list, ok := next.(tea.BatchMsg); ok {
			todo = append(todo, list...)
		} else if next != nil {
			todo = append(todo, v.Update(next))
		}
	}
}

// heapNow returns how much memory the objects on the heap take, in bytes.
func heapNow() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// BenchmarkGalleryOpen opens the pane of a chat with 300 captures until all that is in
// view is there: the large picture, and the small ones.
func BenchmarkGalleryOpen(b *testing.B) {
	s := tuitest.Begin(b, tuitest.Options{Offline: true, Headless: true})
	chat := hung(b, s, 300)
	b.ReportAllocs()
	var peak uint64
	frames := 0
	for b.Loop() {
		b.StopTimer()
		v := opened(b, s.Engine, chat)
		runtime.GC()
		before := heapNow()
		b.StartTimer()
		n, heap := settle(v, v.Host().Run(keys.PaneCaptures))
		frames += n
		peak = max(peak, heap-before)
	}
	b.ReportMetric(float64(peak)/(1<<20), "MB-heap")
	b.ReportMetric(float64(frames)/float64(b.N), "frames/op")
}

// A gallery shows the same small pictures each time, and keeps no file of them.
func TestGallery_SmallPictures(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Offline: true, Headless: true})
	chat := hung(t, s, 30)
	show := func() string {
		v := opened(t, s.Engine, chat)
		settle(v, v.Host().Run(keys.PaneCaptures))
		return v.Host().Panes().Current().(*pictures.Gallery).Smalls()
	}
	if first := show(); first == "" || show() != first {
		t.Errorf("the small pictures are %q", first)
	}
	if made, err := filepath.Glob(filepath.Join(s.Dir(), "thumbs", "*")); err != nil || len(made) > 0 {
		t.Errorf("%d small pictures are kept, %v", len(made), err)
	}
}
