package tui

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"ghostlight/engine"
	"ghostlight/engine/config"
	"ghostlight/engine/house"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/queue"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/painter"
	"ghostlight/tui/picture"
)

// scenery is a picture with broad shapes and some noise, as painted ones are.
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

// pictureApp is a screen of 120×40 on which pictures are shown by a protocol. What
// it writes goes to out.
func pictureApp(tb testing.TB, e *engine.Engine, mode picture.Mode, out io.Writer) *app {
	tb.Helper()
	set, _ := themes.Load("")
	p := painter.New(out, []string{"TERM=xterm-256color", "COLORTERM=truecolor"})
	a := newApp(tb.Context(), e, &terminal{painter: p}, Options{Themes: set, Images: string(mode), Log: slog.New(slog.DiscardHandler)}, func(tea.Msg) {})
	if err := p.Enter(""); err != nil {
		tb.Fatal(err)
	}
	a.display.answers.Cell = picture.Cell{W: 10, H: 20}
	a.display.settle()
	a.view.Chat.ID, a.view.Model = "chat", "model"
	a.composer.armed = true // no timers here
	a.update(tea.WindowSizeMsg{Width: 120, Height: 40})
	return a
}

// exhibition fills the screen with messages, every second of them a picture, and
// says how often each picture is read. They are read from files whose longer side
// has that many pixels.
func exhibition(tb testing.TB, a *app, n, side int) (reads map[storage.CaptureID]int) {
	tb.Helper()
	dir, sizes := tb.TempDir(), []image.Point{{side, side}, {side * 2 / 3, side}, {side, side * 3 / 4}}
	for i, s := range sizes {
		if err := os.WriteFile(filepath.Join(dir, itoa(i)+".png"), pngOf(tb, scenery(s.X, s.Y, i)), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	var msgs []chats.Message
	for i := range n {
		talk := storage.Node{ID: storage.NodeID(fmt.Sprintf("t%04d", i)), Role: storage.Assistant, Name: "Tove", State: storage.Complete, Content: "\"It is number " + itoa(i) + ",\" *she says.*"}
		s := sizes[i%len(sizes)]
		c := &storage.Capture{ID: storage.CaptureID(fmt.Sprintf("c%04d", i)), Kind: "image", Width: 2 * s.X, Height: 2 * s.Y, Status: storage.CaptureCompleted,
			ImagePath: "x.png", ThumbnailPath: itoa(i%len(sizes)) + ".png"}
		show := storage.Node{ID: storage.NodeID(fmt.Sprintf("p%04d", i)), Role: storage.SceneCapture, State: storage.Complete, Capture: c.ID}
		msgs = append(msgs, chats.Message{Node: talk, Siblings: 1}, chats.Message{Node: show, Siblings: 1, Picture: c})
	}
	reads = map[storage.CaptureID]int{}
	a.display.ask = func(c storage.Capture) tea.Cmd {
		reads[c.ID]++
		mode := a.display.mode
		return a.Do(func() func() tea.Cmd {
			data, err := os.ReadFile(filepath.Join(dir, c.ThumbnailPath))
			if err != nil {
				tb.Error(err)
			}
			d, err := decode(data, mode)
			if err != nil {
				tb.Error(err)
			}
			return func() tea.Cmd {
				p := a.display
				s := p.get(c.ID)
				p.replace(s, d)
				s.stale = false
				return nil
			}
		})
	}
	a.play.Show(msgs, false, len(msgs), "")
	return reads
}

// work runs what the pictures want done, as Bubble Tea does elsewhere, and takes
// the results.
func (p *Display) work(a *app) (n int) {
	for len(p.wanted) > 0 {
		todo := p.wanted
		p.wanted = nil
		for _, cmd := range todo {
			n++
			if m, ok := cmd().(desk.Answer); ok {
				a.update(m)
			}
		}
	}
	return n
}

// settlePictures paints until nothing is missing.
func settlePictures(a *app) {
	a.paint()
	for a.display.work(a) > 0 {
		a.paint()
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
			a := pictureApp(t, nil, mode, io.Discard)
			const n = 24
			a.display.budget = budget{here: 2 << 20, there: 1 << 30}
			reads := exhibition(t, a, n, 160)
			for _, act := range []keys.Action{keys.PageUp, keys.PageDown} {
				for range 2 * n {
					a.Run(act)
					settlePictures(a)
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
			var here int
			for _, s := range a.display.shown {
				h, _ := a.display.weigh(s)
				here += h
			}
			if here > 6<<20 { // those on the screen may be over the budget
				t.Errorf("%d MB are kept", here>>20)
			}
		})
	}
}

// What a terminal has been told to hold it is told to forget again, but what is on
// the screen.
func TestPictures_TheTerminalForgets(t *testing.T) {
	var out bytes.Buffer
	a := pictureApp(t, nil, picture.Kitty, &out)
	exhibition(t, a, 30, 160)
	a.display.budget.there = 400 << 10
	for range 40 {
		a.Run(keys.PageUp)
		settlePictures(a)
	}
	a.paint()
	sent, forgotten := strings.Count(out.String(), "a=T,U=1"), strings.Count(out.String(), "a=d,d=I")
	if sent != 30 || sent-forgotten > 8 || sent-forgotten < 2 {
		t.Errorf("%d were sent, %d forgotten", sent, forgotten)
	}
}

// A picture that is being read takes as many lines as it will, so that the text
// does not jump.
func TestPictures_KeepTheirPlaceWhileTheyAreRead(t *testing.T) {
	for _, mode := range modes() {
		a := pictureApp(t, nil, mode, io.Discard)
		exhibition(t, a, 3, 160)
		heights := func() (h []int) {
			for i := range a.play.Items {
				h = append(h, a.play.HeightOf(i))
			}
			return h
		}
		a.paint() // gives them a width
		before := fmt.Sprint(heights())
		settlePictures(a)
		a.Run(keys.PageUp)
		settlePictures(a)
		if after := fmt.Sprint(heights()); before != after {
			t.Errorf("%s: the messages are %s lines, once read %s", mode, before, after)
		}
	}
}

// A preview stays on the screen until the next one, or the picture, is painted.
func TestPictures_APreviewGivesWayWithoutAGap(t *testing.T) {
	var out bytes.Buffer
	a := pictureApp(t, nil, picture.Kitty, &out)
	p := a.display
	show := func(seed int) uint32 {
		d, err := decode(pngOf(t, scenery(64, 64, seed)), picture.Kitty)
		if err != nil {
			t.Fatal(err)
		}
		s := p.get("c")
		p.replace(s, d)
		p.cellsOf(s, 40, 20, true)
		return s.sizes[0].id
	}
	first := show(1)
	one := p.Flush()
	second := show(2)
	two, three := p.Flush(), p.Flush()
	if first == second || !strings.Contains(one, "a=T") || !strings.Contains(two, "a=T") || strings.Contains(two, "a=d") {
		t.Errorf("the second preview is sent by %.60q", two)
	}
	if three != picture.Delete(first) {
		t.Errorf("after it was painted, %q was written", three)
	}
	p.ask = func(storage.Capture) tea.Cmd { return nil }
	p.done("c")
	c := storage.Capture{ID: "c", ImagePath: "c.png"}
	p.cellsOf(p.get("c"), widest, max(6, 40*3/5), true)
	if lines := p.Lines(&c, 80, 40, a.lk); !strings.Contains(strings.Join(lines, ""), "\U0010eeee") || len(p.wanted) != 1 {
		t.Errorf("the finished picture is asked for %d times, and instead of the preview stands %.80q", len(p.wanted), lines)
	}
}

// Videos show their poster and how to open them; those without one are a line.
func TestPictures_Videos(t *testing.T) {
	a := pictureApp(t, nil, picture.Blocks, io.Discard)
	p := a.display
	c := storage.Capture{ID: "v", Kind: "video", ImagePath: "v.mp4", ImagePrompt: "the lamp turns"}
	if lines := p.Lines(&c, 60, 30, a.lk); len(lines) != 1 || ansi.Strip(lines[0]) != "▶ video, o opens it" || len(p.wanted) != 0 {
		t.Errorf("without a poster: %q", lines)
	}
	c.ThumbnailPath = "v.png"
	p.replace(p.get("v"), decoded{img: scenery(64, 36, 1)})
	lines := p.Lines(&c, 60, 30, a.lk)
	if n := len(lines); n < 6 || ansi.Strip(lines[n-1]) != "▶ video, o opens it" || !strings.Contains(lines[0], "▀") {
		t.Errorf("with a poster: %q", lines)
	}
	if again := p.Lines(&c, 60, 30, a.lk); len(again) != len(lines) {
		t.Errorf("drawn again it is %d lines, not %d", len(again), len(lines))
	}
	p.Force("off")
	if lines := p.Lines(&c, 60, 30, a.lk); len(lines) != 1 || ansi.Strip(lines[0]) != "[video: the lamp turns]" {
		t.Errorf("switched off: %q", lines)
	}
}

// A picture that was asked for in the talk stands under the name of who was asked.
func TestPlay_RequestedPicturesAreTheCharactersOwn(t *testing.T) {
	a := pictureApp(t, nil, picture.Off, io.Discard)
	a.paint() // gives it a width
	heading := func(c *storage.Capture) string {
		a.play.Show([]chats.Message{
			{Node: storage.Node{ID: "1", Role: storage.Assistant, Name: "Tove", State: storage.Complete}, Siblings: 1},
			{Node: storage.Node{ID: "2", Role: storage.User, Name: "Robin", State: storage.Complete}, Siblings: 1},
			{Node: storage.Node{ID: "3", Role: storage.SceneCapture, State: storage.Complete, Capture: "c"}, Siblings: 1, Picture: c},
		}, false, 3, "")
		return ansi.Strip(a.play.Heading(a.play.Items[2]))
	}
	for want, c := range map[string]*storage.Capture{"Scene Capture": {ID: "c"}, "Tove": {ID: "c", Asked: true}} {
		if got := heading(c); got != want {
			t.Errorf("%v stands under %q, not %q", c.Asked, got, want)
		}
	}
	if got := heading(&storage.Capture{ID: "c", Requested: "your house"}); got != "Tove" {
		t.Errorf("a request stands under %q", got)
	}
}

// Every protocol shows the same play; what is written for it is its own.
func TestPictures_EachProtocolWritesItsOwn(t *testing.T) {
	begins := map[picture.Mode]string{picture.Blocks: "▀", picture.Kitty: "\x1b_Ga=T,U=1,t=d,f=100,q=2,i=", picture.Sixel: "\x1bP0;1;0q\"1;1;", picture.ITerm: "\x1b]1337;File=size="}
	for mode := range begins {
		var out bytes.Buffer
		a := pictureApp(t, nil, mode, &out)
		exhibition(t, a, 2, 160)
		settlePictures(a)
		for other, head := range begins {
			if n := strings.Count(out.String(), head); (n > 0) != (other == mode) {
				t.Errorf("%s wrote %d of %s's", mode, n, other)
			}
		}
		at := out.Len()
		a.paint()
		if out.Len() != at {
			t.Errorf("%s: an unchanged frame wrote %.80q", mode, out.String()[at:])
		}
	}
}

// What half blocks make of a picture in the play, with its colours.
func TestPictures_HalfBlocksGolden(t *testing.T) {
	a := pictureApp(t, nil, picture.Blocks, io.Discard)
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
	a.play.Show([]chats.Message{{Node: node, Siblings: 1, Picture: &c}}, false, 1, "")
	a.display.replace(a.display.get("c"), decoded{img: img})
	var got strings.Builder
	for _, d := range []dims{{40, 12}, {60, 20}} {
		a.update(tea.WindowSizeMsg{Width: d.w, Height: d.h})
		a.paint()
		fmt.Fprintf(&got, "=== %d×%d\n%s", d.w, d.h, plainFrame(a.painter.Text()))
	}
	fmt.Fprintf(&got, "=== with styles\n%s\n", strings.ReplaceAll(a.painter.Styled(), "\x1b", "^"))
	path := filepath.Join("testdata", "golden", "picture-blocks.txt")
	if *update {
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

// BenchmarkScrollPast200Pictures pages up past two hundred pictures and down again.
// Measured is what the screen's goroutine does for a page: reading and decoding
// are done elsewhere. The first way up reads them; "again" is every way after.
func BenchmarkScrollPast200Pictures(b *testing.B) {
	for _, mode := range modes() {
		for _, again := range []bool{false, true} {
			name := string(mode)
			if again {
				name += "/again"
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				a := pictureApp(b, nil, mode, io.Discard)
				reads := exhibition(b, a, 200, 640)
				page := func(act keys.Action) {
					a.Run(act)
					a.paint()
					for len(a.display.wanted) > 0 {
						b.StopTimer()
						var done []desk.Answer
						for _, cmd := range a.display.wanted {
							if m, ok := cmd().(desk.Answer); ok {
								done = append(done, m)
							}
						}
						a.display.wanted = nil
						b.StartTimer()
						for _, m := range done {
							a.update(m)
							a.paint()
						}
					}
				}
				act := keys.PageUp
				turn := func() {
					if a.play.Anchor < 6 {
						act = keys.PageDown
					} else if a.play.Follow {
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
						a = pictureApp(b, nil, mode, io.Discard)
						reads, act = exhibition(b, a, 200, 640), keys.PageUp
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
			a := pictureApp(b, e, mode, io.Discard)
			c := storage.Capture{ID: "c", Kind: "image", Width: 4096, Height: 4096, Status: storage.CaptureCompleted, ImagePath: "big.png", ThumbnailPath: "small.png"}
			node := storage.Node{ID: "p", Role: storage.SceneCapture, State: storage.Complete, Capture: c.ID}
			a.play.Show([]chats.Message{{Node: node, Siblings: 1, Picture: &c}}, false, 1, "")
			b.ReportAllocs()
			for b.Loop() {
				p := a.display
				p.shown = nil
				p.gen++
				settlePictures(a)
				if p.shown["c"].img == nil {
					b.Fatal(p.shown["c"].fault)
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
			a := pictureApp(b, nil, mode, io.Discard)
			a.work.running = map[storage.OperationID]*job{"o": {Job: desk.Job{Op: storage.Operation{ID: "o", Type: "capture_send"}, Chat: "chat", Capture: "c"}}}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				ev := house.OperationProgress{ID: "o", Capture: "c", Progress: queue.Progress{Preview: frames[i%2]}}
				if m, ok := a.preview(ev)().(desk.Answer); ok {
					a.update(m)
				}
				settlePictures(a)
			}
		})
	}
}
