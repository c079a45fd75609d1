package pictures

import (
	"image"
	"image/color"
	"math/rand/v2"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/picture"
)

// A preview stays on the screen until the next one, or the picture, is painted.
func TestPictures_APreviewGivesWayWithoutAGap(t *testing.T) {
	p := display(picture.Kitty)
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
	p.cellsOf(p.get("c"), maxWidth, max(6, 40*3/5), true)
	if lines := p.Lines(&c, 80, 40, plainLook(t)); !strings.Contains(strings.Join(lines, ""), "\U0010eeee") || len(p.wanted) != 1 {
		t.Errorf("the finished picture is asked for %d times, and instead of the preview stands %.80q", len(p.wanted), lines)
	}
}

// Videos show their poster and how to open them; those without one are a line.
func TestPictures_Videos(t *testing.T) {
	p := display(picture.Blocks)
	c := storage.Capture{ID: "v", Kind: "video", ImagePath: "v.mp4", ImagePrompt: "the lamp turns"}
	if lines := p.Lines(&c, 60, 30, plainLook(t)); len(lines) != 1 || ansi.Strip(lines[0]) != "▶ video, o opens it" || len(p.wanted) != 0 {
		t.Errorf("without a poster: %q", lines)
	}
	c.ThumbnailPath = "v.png"
	p.replace(p.get("v"), decoded{img: scenery(64, 36, 1)})
	lines := p.Lines(&c, 60, 30, plainLook(t))
	if n := len(lines); n < 6 || ansi.Strip(lines[n-1]) != "▶ video, o opens it" || !strings.Contains(lines[0], "▀") {
		t.Errorf("with a poster: %q", lines)
	}
	if again := p.Lines(&c, 60, 30, plainLook(t)); len(again) != len(lines) {
		t.Errorf("drawn again it is %d lines, not %d", len(again), len(lines))
	}
	p.Force("off")
	if lines := p.Lines(&c, 60, 30, plainLook(t)); len(lines) != 1 || ansi.Strip(lines[0]) != "[video: the lamp turns]" {
		t.Errorf("switched off: %q", lines)
	}
}

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

// display is one that shows pictures by a protocol, with nothing behind it.
func display(mode picture.Mode) *Display {
	p := NewDisplay(&fakeHost{})
	p.Force(string(mode))
	p.SetProfile(colorprofile.TrueColor)
	p.SetAnswers(picture.Answers{Cell: picture.Cell{W: 10, H: 20}})
	return p
}

func plainLook(t *testing.T) *draw.Styles {
	t.Helper()
	set, _ := themes.Load("")
	return draw.New(set[0], true, 1)
}

// A picture that is being read takes as many lines as it will, so that the text
// does not jump.
func TestDisplay_KeepsThePlaceWhileItReads(t *testing.T) {
	sty := plainLook(t)
	for _, mode := range []picture.Mode{picture.Blocks, picture.Kitty, picture.Sixel, picture.ITerm} {
		for _, size := range []image.Point{{160, 160}, {106, 160}, {160, 120}} {
			p := display(mode)
			c := storage.Capture{ID: "c", ImagePath: "c.png", Width: 2 * size.X, Height: 2 * size.Y}
			before := len(p.Lines(&c, 100, 36, sty))
			p.replace(p.get("c"), decoded{img: scenery(size.X, size.Y, 1)})
			if after := len(p.Lines(&c, 100, 36, sty)); before != after {
				t.Errorf("%s: %v takes %d lines, once read %d", mode, size, before, after)
			}
		}
	}
}
