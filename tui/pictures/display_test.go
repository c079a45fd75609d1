package pictures_test

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/picture"
	"github.com/ghostlight-theatre/ghostlight/tui/pictures"
)

// scenery returns a picture with broad shapes and some noise, as painted ones are.
func scenery(w, h, seed int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(uint64(seed), 7)) //nolint:gosec // a picture, no secret
	for y := range h {
		for x := range w {
			n := r.IntN(12)
			img.SetRGBA(x, y, color.RGBA{uint8(255*x/w) - uint8(n), uint8(255*y/h) + uint8(n), uint8((x/40+y/40+seed)%5*50 + n), 0xff}) //nolint:gosec // wraps round
		}
	}
	return img
}

func pngOf(tb testing.TB, img image.Image) []byte {
	tb.Helper()
	data, err := picture.EncodePNG(img)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// hall is a screen on which pictures are shown, and what shows them.
type hall struct {
	*tui.Screen
	show  *pictures.Display
	paint *painter.Painter
}

// newHall makes a screen of 120×40 on which pictures are shown by a protocol. What it
// writes goes to out.
func newHall(tb testing.TB, e *engine.Engine, mode picture.Mode, out io.Writer) hall {
	tb.Helper()
	set, _ := themes.Load("")
	p := painter.New(out)
	v := tui.NewScreen(tb.Context(), e, tui.Options{Themes: set, Images: string(mode), Log: slog.New(slog.DiscardHandler)}, p)
	if err := p.Enter(""); err != nil {
		tb.Fatal(err)
	}
	h := hall{v, pictures.RoomOf(v.Host()).Display(), p}
	said := h.show.Answers()
	said.Cell = picture.Cell{W: 10, H: 20}
	h.show.SetAnswers(said)
	h.hang(nil)
	v.Update(tea.WindowSizeMsg{Width: 120, Height: 40})
	return h
}

// hang shows messages in the play.
func (h hall) hang(msgs []chats.Message) {
	h.OpenChat(chats.View{Chat: storage.Chat{ID: "chat"}, Model: "model", Messages: msgs})
}

// exhibition fills the screen with messages, every second of them a picture, and
// says how often each picture is read. They are read from files whose longer side
// has that many pixels.
func exhibition(tb testing.TB, h hall, n, side int) (reads map[storage.CaptureID]int) {
	tb.Helper()
	dir, sizes := tb.TempDir(), []image.Point{{side, side}, {side * 2 / 3, side}, {side, side * 3 / 4}}
	for i, s := range sizes {
		if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)+".png"), pngOf(tb, scenery(s.X, s.Y, i)), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	var msgs []chats.Message
	for i := range n {
		talk := storage.Node{ID: storage.NodeID(fmt.Sprintf("t%04d", i)), Role: storage.Assistant, Name: "Tove", State: storage.Complete, Content: "\"It is number " + strconv.Itoa(i) + ",\" *she says.*"}
		s := sizes[i%len(sizes)]
		c := &storage.Capture{ID: storage.CaptureID(fmt.Sprintf("c%04d", i)), Kind: "image", Width: 2 * s.X, Height: 2 * s.Y, Status: storage.CaptureCompleted,
			ImagePath: "x.png", ThumbnailPath: strconv.Itoa(i%len(sizes)) + ".png"}
		show := storage.Node{ID: storage.NodeID(fmt.Sprintf("p%04d", i)), Role: storage.SceneCapture, State: storage.Complete, Capture: c.ID}
		msgs = append(msgs, chats.Message{Node: talk, Siblings: 1}, chats.Message{Node: show, Siblings: 1, Picture: c})
	}
	reads = map[storage.CaptureID]int{}
	h.show.ReadWith(func(c storage.Capture) ([]byte, error) { return os.ReadFile(filepath.Join(dir, c.ThumbnailPath)) },
		func(c storage.Capture) { reads[c.ID]++ })
	h.hang(msgs)
	return reads
}

// work runs what the pictures want done, as Bubble Tea does elsewhere, and takes
// the results.
func (h hall) work() (n int) {
	for len(*h.show.Missing()) > 0 {
		todo := *h.show.Missing()
		*h.show.Missing() = nil
		for _, cmd := range todo {
			n++
			if m, ok := cmd().(pane.Callback); ok {
				h.Update(m)
			}
		}
	}
	return n
}

// settle paints until nothing is missing.
func (h hall) settle() {
	h.Paint()
	for h.work() > 0 {
		h.Paint()
	}
}

func modes() []picture.Mode {
	return []picture.Mode{picture.Blocks, picture.Kitty, picture.Sixel, picture.ITerm}
}

// Going up and down past two hundred pictures reads each of them once.
func TestPictures_AreReadOnceOnTheWayThereAndBack(t *testing.T) {
	t.Parallel()
	for _, mode := range modes() {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			h := newHall(t, nil, mode, io.Discard)
			const n = 24
			h.show.Limit(2<<20, 1<<30)
			reads := exhibition(t, h, n, 160)
			for _, act := range []keys.Name{keys.PageUp, keys.PageDown} {
				for range 2 * n {
					h.Host().Run(act)
					h.settle()
				}
			}
			if len(reads) != n {
				t.Errorf("%d pictures were read, not %d", len(reads), n)
			}
			for id, times := range reads {
				if times != 1 && (mode == picture.Blocks || mode == picture.Kitty) {
					t.Errorf("%s was read %d times", id, times)
				}
			}
			if here := h.show.Weight(); here > 6<<20 { // those on the screen may be over the budget
				t.Errorf("%d MB are kept", here>>20)
			}
		})
	}
}

// Pictures sent to the terminal are deleted there, except those on the screen.
func TestPictures_TheTerminalForgets(t *testing.T) {
	var out bytes.Buffer
	h := newHall(t, nil, picture.Kitty, &out)
	exhibition(t, h, 30, 160)
	h.show.Limit(0, 400<<10)
	for range 40 {
		h.Host().Run(keys.PageUp)
		h.settle()
	}
	h.Paint()
	sent, forgotten := strings.Count(out.String(), "a=T,U=1"), strings.Count(out.String(), "a=d,d=I")
	if sent != 30 || sent-forgotten > 8 || sent-forgotten < 2 {
		t.Errorf("%d were sent, %d forgotten", sent, forgotten)
	}
}

// Every protocol shows the same play; what is written for it is its own.
func TestPictures_EachProtocolWritesItsOwn(t *testing.T) {
	begins := map[picture.Mode]string{picture.Blocks: "▀", picture.Kitty: "\x1b_Ga=T,U=1,t=d,f=100,q=2,i=", picture.Sixel: "\x1bP0;1;0q\"1;1;", picture.ITerm: "\x1b]1337;File=size="}
	for mode := range begins {
		var out bytes.Buffer
		h := newHall(t, nil, mode, &out)
		exhibition(t, h, 2, 160)
		h.settle()
		for other, head := range begins {
			if n := strings.Count(out.String(), head); (n > 0) != (other == mode) {
				t.Errorf("%s wrote %d of %s's", mode, n, other)
			}
		}
		at := out.Len()
		h.Paint()
		if out.Len() != at {
			t.Errorf("%s: an unchanged frame wrote %.80q", mode, out.String()[at:])
		}
	}
}

// What half blocks make of a picture in the play, with its colours.
func TestPictures_HalfBlocksGolden(t *testing.T) {
	h := newHall(t, nil, picture.Blocks, io.Discard)
	img := image.NewRGBA(image.Rect(0, 0, 48, 32))
	for y := range 32 {
		for x := range 48 {
			c := color.RGBA{uint8(5 * x), uint8(8 * y), 90, 0xff} //nolint:gosec // at most 248
			if dx, dy := x-24, y-16; dx*dx+dy*dy < 64 {
				c = color.RGBA{250, 220, 90, 0xff}
			}
			if x >= 44 {
				c = color.RGBA{} // nothing there
			}
			img.SetRGBA(x, y, c)
		}
	}
	c := storage.Capture{ID: "c", Kind: "image", ImagePath: "c.png", Status: storage.CaptureCompleted}
	node := storage.Node{ID: "p", Role: storage.SceneCapture, State: storage.Complete, Capture: c.ID}
	h.hang([]chats.Message{{Node: node, Siblings: 1, Picture: &c}})
	h.show.Put("c", img)
	var got strings.Builder
	for _, d := range []tuitest.Size{{W: 40, H: 12}, {W: 60, H: 20}} {
		h.Update(tea.WindowSizeMsg{Width: d.W, Height: d.H})
		h.Paint()
		fmt.Fprintf(&got, "=== %d×%d\n%s", d.W, d.H, trimmed(h.paint.Text()))
	}
	fmt.Fprintf(&got, "=== with styles\n%s\n", strings.ReplaceAll(h.paint.Styled(), "\x1b", "^"))
	path := filepath.Join("testdata", "golden", "picture-blocks.txt")
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(path, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Error(diff)
	}
}

// trimmed returns a frame without the blanks at the ends of its rows.
func trimmed(frame string) string {
	var b strings.Builder
	for line := range strings.Lines(frame) {
		b.WriteString(strings.TrimRight(line, " \r\n") + "\n")
	}
	return b.String()
}

// BenchmarkScrollPast200Pictures pages up past two hundred pictures and down again. It measures the
// time on the screen's goroutine per page: reading and decoding run elsewhere. The first way up
// reads them; "again" is every later one.
func BenchmarkScrollPast200Pictures(b *testing.B) {
	for _, mode := range modes() {
		for _, again := range []bool{false, true} {
			name := string(mode)
			if again {
				name += "/again"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				h := newHall(b, nil, mode, io.Discard)
				reads := exhibition(b, h, 200, 640)
				page := func(act keys.Name) {
					h.Host().Run(act)
					h.Paint()
					for len(*h.show.Missing()) > 0 {
						b.StopTimer()
						var done []pane.Callback
						for _, cmd := range *h.show.Missing() {
							if m, ok := cmd().(pane.Callback); ok {
								done = append(done, m)
							}
						}
						*h.show.Missing() = nil
						b.StartTimer()
						for _, m := range done {
							h.Update(m)
							h.Paint()
						}
					}
				}
				act := keys.PageUp
				turn := func() { // at the first message, and at the last
					b.StopTimer() // the screen is read for the benchmark only
					defer b.StartTimer()
					switch frame := h.paint.Text(); {
					case strings.Contains(frame, "It is number 0,"):
						act = keys.PageDown
					case strings.Contains(frame, "It is number 199,"):
						act = keys.PageUp
					}
				}
				if again {
					for range 600 {
						turn()
						page(act)
					}
				}
				b.ResetTimer()
				for b.Loop() {
					if turn(); !again && act == keys.PageDown { // all were seen
						b.StopTimer()
						h = newHall(b, nil, mode, io.Discard)
						reads, act = exhibition(b, h, 200, 640), keys.PageUp
						b.StartTimer()
					}
					page(act)
				}
				if again {
					twice := 0
					for _, n := range reads {
						twice += n - 1
					}
					b.ReportMetric(float64(twice), "read-twice")
				}
			})
		}
	}
}

// BenchmarkPicture4096FromCache shows a picture of 4096×4096 pixels that is kept
// with its thumbnail: from the file to the screen.
func BenchmarkPicture4096FromCache(b *testing.B) {
	dir := b.TempDir()
	e, err := engine.Open(config.Config{DataDir: dir, Program: "test", Ollama: "http://127.0.0.1:1", Comfy: []string{"http://127.0.0.1:1"}})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	}()
	big := scenery(4096, 4096, 3)
	for name, img := range map[string]image.Image{"big.png": big, "small.png": picture.Thumbnail(big, 640)} {
		if err := os.WriteFile(filepath.Join(dir, name), pngOf(b, img), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	for _, mode := range modes() {
		b.Run(string(mode), func(b *testing.B) {
			h := newHall(b, e, mode, io.Discard)
			c := storage.Capture{ID: "c", Kind: "image", Width: 4096, Height: 4096, Status: storage.CaptureCompleted, ImagePath: "big.png", ThumbnailPath: "small.png"}
			node := storage.Node{ID: "p", Role: storage.SceneCapture, State: storage.Complete, Capture: c.ID}
			h.hang([]chats.Message{{Node: node, Siblings: 1, Picture: &c}})
			b.ReportAllocs()
			for b.Loop() {
				h.show.ForgetAll()
				h.settle()
				if fault := h.show.Fault("c"); fault != "" {
					b.Fatal(fault)
				}
			}
		})
	}
}

// BenchmarkPreviewFrame is the way of a preview from its arrival to the screen.
func BenchmarkPreviewFrame(b *testing.B) {
	frames := [][]byte{pngOf(b, scenery(512, 512, 1)), pngOf(b, scenery(512, 512, 2))}
	for _, mode := range modes() {
		b.Run(string(mode), func(b *testing.B) {
			h := newHall(b, nil, mode, io.Discard)
			room := pictures.RoomOf(h.Host())
			h.Event(queue.Changed{Operation: storage.Operation{ID: "o", Type: pane.Paints, Status: storage.InProgress, StartedAt: time.Now(), Params: []byte(`{"capture":"c","chat":"chat"}`)}})
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				ev := queue.Progressed{ID: "o", Capture: "c", Progress: queue.Progress{Preview: frames[i%2]}}
				if m, ok := room.ShowPreview(ev)().(pane.Callback); ok {
					h.Update(m)
				}
				h.settle()
			}
		})
	}
}
