package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/media"
)

// flag returns 3×8 pixels: a red row, six of blue with a white last column, and a green row.
func flag() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 3, 8))
	for y := range 8 {
		for x := range 3 {
			c := color.RGBA{0, 0, 0xff, 0xff}
			switch {
			case y == 0:
				c = color.RGBA{0xff, 0, 0, 0xff}
			case y == 7:
				c = color.RGBA{0, 0xff, 0, 0xff}
			case x == 2:
				c = color.RGBA{0xff, 0xff, 0xff, 0xff}
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

func TestEncodeSixel(t *testing.T) {
	q := media.Quantize(flag())
	want := "\x1bP0;1;0q\"1;1;3;8" + "#0;2;100;0;0#1;2;0;0;100#2;2;100;100;100#3;2;0;100;0" +
		"#0@@@$#1}}$#2??}" + "-" + "#1@@$#2??@$#3AAA" + "\x1b\\"
	if diff := cmp.Diff(want, EncodeSixel(q, q.Bounds())); diff != "" {
		t.Error(diff)
	}
	// Rows 1 to 3 of the left two columns: one colour.
	if got, want := EncodeSixel(q, image.Rect(0, 1, 2, 4)), "\x1bP0;1;0q\"1;1;2;3#1;2;0;0;100#1FF\x1b\\"; got != want {
		t.Errorf("a part: %q, want %q", got, want)
	}
	if got := EncodeSixel(q, image.Rect(5, 5, 9, 9)); got != "" {
		t.Errorf("outside: %q", got)
	}
	wide := media.Quantize(image.NewRGBA(image.Rect(0, 0, 300, 1)))
	if got := EncodeSixel(wide, wide.Bounds()); !strings.Contains(got, "#0!300@\x1b\\") {
		t.Errorf("a long run: %q", got)
	}
}

func TestEncodeITerm(t *testing.T) {
	got := EncodeITerm(flag(), image.Rect(0, 0, 3, 4), 3, 2)
	head, data, _ := strings.Cut(strings.TrimSuffix(got, "\a"), ":")
	file, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("\x1b]1337;File=size=%d;width=3;height=2;preserveAspectRatio=0;inline=1;doNotMoveCursor=1", len(file)); head != want || !strings.HasSuffix(got, "\a") {
		t.Errorf("%q, want %q", head, want)
	}
	img, err := png.Decode(bytes.NewReader(file))
	if err != nil || img.Bounds().Dx() != 3 || img.Bounds().Dy() != 4 {
		t.Fatalf("%v %v", img, err)
	}
	if r, g, b, _ := img.At(0, 0).RGBA(); r != 0xffff || g != 0 || b != 0 {
		t.Error("the first pixel is not red")
	}
	if got := EncodeITerm(flag(), image.Rect(9, 9, 10, 10), 1, 1); got != "" {
		t.Errorf("outside: %q", got)
	}
}

func TestPixels(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 2, 2)) // transparent
	px := Pixels(img, 4, 4, color.RGBA{1, 2, 3, 0xff})
	if c := px.RGBAAt(3, 3); c != (color.RGBA{1, 2, 3, 0xff}) || px.Bounds().Dx() != 4 {
		t.Errorf("%v", c)
	}
}

// drawn returns what a terminal makes of a Sixel sequence: colours in percent, by pixel.
func drawn(t interface{ Fatalf(string, ...any) }, seq string) map[image.Point][3]int {
	body, ok := strings.CutPrefix(seq, "\x1bP0;1;0q\"1;1;")
	if !ok || !strings.HasSuffix(body, "\x1b\\") {
		t.Fatalf("no Sixel: %.40q", seq)
	}
	body = strings.TrimSuffix(body, "\x1b\\")
	at := strings.IndexByte(body, '#')
	body = body[at:]
	out, registers := map[image.Point][3]int{}, map[int][3]int{}
	x, y, colour := 0, 0, 0
	number := func() int {
		n := 0
		for n < len(body) && body[n] >= '0' && body[n] <= '9' {
			n++
		}
		v, err := strconv.Atoi(body[:n])
		if err != nil {
			t.Fatalf("no number: %.20q", body)
		}
		body = body[n:]
		return v
	}
	for body != "" {
		c := body[0]
		body = body[1:]
		repeat := 1
		switch {
		case c == '#':
			colour = number()
			if strings.HasPrefix(body, ";2;") {
				body = body[3:]
				r := number()
				body = body[1:]
				g := number()
				body = body[1:]
				registers[colour] = [3]int{r, g, number()}
			}
			continue
		case c == '$':
			x = 0
			continue
		case c == '-':
			x, y = 0, y+6
			continue
		case c == '!':
			repeat = number()
			c, body = body[0], body[1:]
		}
		for range repeat {
			for bit := range 6 {
				if (c-'?')>>bit&1 == 1 {
					out[image.Pt(x, y+bit)] = registers[colour]
				}
			}
			x++
		}
	}
	return out
}

// What a terminal makes of a part of a picture is that part: every pixel once, and none beside it.
func TestEncodeSixel_DrawsThePart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 20).Draw(t, "w"), rapid.IntRange(1, 20).Draw(t, "h")
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		for i := range img.Pix {
			img.Pix[i] = 0xff
			if i%4 != 3 {
				img.Pix[i] = rapid.SampledFrom([]uint8{0, 51, 102, 255}).Draw(t, "v")
			}
		}
		x, y := rapid.IntRange(0, w-1).Draw(t, "x"), rapid.IntRange(0, h-1).Draw(t, "y")
		part := image.Rect(x, y, rapid.IntRange(x+1, w).Draw(t, "x2"), rapid.IntRange(y+1, h).Draw(t, "y2"))
		got := drawn(t, EncodeSixel(media.Quantize(img), part))
		if len(got) != part.Dx()*part.Dy() {
			t.Fatalf("%d pixels, not %d", len(got), part.Dx()*part.Dy())
		}
		for p, c := range got {
			want := img.RGBAAt(part.Min.X+p.X, part.Min.Y+p.Y)
			if c != [3]int{int(want.R) * 100 / 255, int(want.G) * 100 / 255, int(want.B) * 100 / 255} {
				t.Fatalf("%v is %v, not %v", p, c, want)
			}
		}
	})
}

// A picture of many colours stays near itself.
func TestQuantize_StaysNear(t *testing.T) {
	const side = 128
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			img.SetRGBA(x, y, color.RGBA{uint8(2 * x), uint8(2 * y), uint8(255 - x - y), 0xff})
		}
	}
	q := media.Quantize(img)
	if len(q.Palette) != 256 {
		t.Errorf("%d colours", len(q.Palette))
	}
	sum, most := 0, 0
	for y := range side {
		for x := range side {
			r, g, b, _ := q.At(x, y).RGBA()
			c := img.RGBAAt(x, y)
			for _, d := range []int{int(r>>8) - int(c.R), int(g>>8) - int(c.G), int(b>>8) - int(c.B)} {
				sum += max(d, -d)
				most = max(most, d, -d)
			}
		}
	}
	if mean := float64(sum) / (3 * side * side); mean > 8 || most > 64 {
		t.Errorf("off by %.1f on the average, %d at most", mean, most)
	}
}

func TestReadPlaceholder(t *testing.T) {
	for _, id := range []uint32{1, 0xabcdef} {
		for y := range 3 {
			for x := range 4 {
				cell := strings.Split(Placeholders(id, 300, 3)[y], "\U0010eeee")[x+1]
				cell = "\U0010eeee" + strings.TrimSuffix(cell, "\x1b[m")
				p, ok := ReadPlaceholder(cell, color.RGBA{uint8(id >> 16), uint8(id >> 8), uint8(id), 0xff})
				if !ok || p != (Place{id, x, y}) {
					t.Errorf("%d,%d of %x: %v, %v", x, y, id, p, ok)
				}
			}
		}
	}
	for _, bad := range []string{"", " ", "x\u0305\u0305", "\U0010eeee", "\U0010eeee\u0305", "\U0010eeee\u0305x", "\U0010eeee\u0305\u0305\u0305"} {
		if p, ok := ReadPlaceholder(bad, color.White); ok {
			t.Errorf("%q: %v", bad, p)
		}
	}
	if _, ok := ReadPlaceholder("\U0010eeee\u0305\u0305", nil); ok {
		t.Error("a cell without a colour names no picture")
	}
}

// Exactly what goes to a terminal that has Kitty graphics, bare and through tmux.
func TestTransmit_Exactly(t *testing.T) {
	got := Transmit(7, []byte("png"), 3, 2)
	want := "\x1b_Ga=T,U=1,t=d,f=100,q=2,i=7,c=3,r=2,m=0;cG5n\x1b\\"
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Wrap(want+"\x1b_Ga=d\x1b\\"), "\x1bPtmux;\x1b\x1b_Ga=T,U=1,t=d,f=100,q=2,i=7,c=3,r=2,m=0;cG5n\x1b\x1b\\\x1b\\\x1bPtmux;\x1b\x1b_Ga=d\x1b\x1b\\\x1b\\"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func BenchmarkSixel(b *testing.B) {
	px := Pixels(gradient(640, 480), 720, 480, color.Black)
	b.Run("quantize", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = media.Quantize(px)
		}
	})
	q := media.Quantize(px)
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.SetBytes(int64(len(EncodeSixel(q, q.Bounds()))))
		}
	})
}
