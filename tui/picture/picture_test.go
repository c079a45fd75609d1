package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"
)

var (
	red  = color.RGBA{0xff, 0, 0, 0xff}
	blue = color.RGBA{0, 0, 0xff, 0xff}
	none = color.RGBA{}
)

// dots makes a picture of rows of pixels.
func dots(rows ...[]color.RGBA) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, len(rows[0]), len(rows)))
	for y, row := range rows {
		for x, c := range row {
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

// gradient makes a picture of w by h pixels, dark on the left and light on the right.
func gradient(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			v := uint8(x * 255 / max(w-1, 1))
			img.SetRGBA(x, y, color.RGBA{v, v, v, 0xff})
		}
	}
	return img
}

func TestFitCells(t *testing.T) {
	tests := []struct {
		w, h, cols, rows int
		aspect           float64
		c, r             int
	}{
		{100, 100, 40, 40, 2, 40, 20},
		{100, 100, 80, 10, 2, 20, 10},
		{200, 100, 40, 40, 2, 40, 10},
		{100, 100, 40, 40, 1, 40, 40},
		{100, 100, 40, 40, 0, 40, 20},
		{10000, 1, 40, 10, 2, 40, 1},
		{1, 10000, 40, 10, 2, 1, 10},
		{0, 5, 40, 10, 2, 0, 0},
		{5, 5, 0, 10, 2, 0, 0},
		{5, 5, 40, -1, 2, 0, 0},
	}
	for _, tt := range tests {
		if c, r := FitCells(tt.w, tt.h, tt.cols, tt.rows, tt.aspect); c != tt.c || r != tt.r {
			t.Errorf("FitCells(%d, %d, %d, %d, %v) = %d, %d, want %d, %d", tt.w, tt.h, tt.cols, tt.rows, tt.aspect, c, r, tt.c, tt.r)
		}
	}
}

func TestHalfBlocks(t *testing.T) {
	r, b := "\x1b[38;2;255;0;0m", "\x1b[48;2;0;0;255m"
	tests := []struct {
		name string
		img  image.Image
		want string
	}{
		{"both", dots([]color.RGBA{red, red}, []color.RGBA{blue, blue}), r + b + "▀▀\x1b[m"},
		{"upper only", dots([]color.RGBA{red}, []color.RGBA{none}), r + "▀\x1b[m"},
		{"lower only", dots([]color.RGBA{none}, []color.RGBA{red}), r + "▄\x1b[m"},
		{"nothing", dots([]color.RGBA{none}, []color.RGBA{none}), " "},
		{"back to the terminal's own", dots([]color.RGBA{red, none}, []color.RGBA{blue, none}), r + b + "▀\x1b[m "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := HalfBlocks(tt.img, tt.img.Bounds().Dx(), 1)
			if len(got) != 1 || got[0] != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestHalfBlocks_Size(t *testing.T) {
	sub := gradient(640, 480).SubImage(image.Rect(100, 50, 500, 450))
	for _, img := range []image.Image{gradient(1000, 500), gradient(3, 900), sub} {
		lines := HalfBlocks(img, 40, 12)
		c, r := FitCells(img.Bounds().Dx(), img.Bounds().Dy(), 40, 12, 0)
		if len(lines) != r {
			t.Fatalf("%v: %d lines, want %d", img.Bounds(), len(lines), r)
		}
		for _, line := range lines {
			if ansi.StringWidth(line) != c || !strings.HasSuffix(line, reset) {
				t.Fatalf("%v: %q is %d wide, want %d", img.Bounds(), line, ansi.StringWidth(line), c)
			}
		}
	}
	if got := HalfBlocks(gradient(9, 9), 0, 9); got != nil {
		t.Errorf("%q", got)
	}
}

func TestShades(t *testing.T) {
	img := gradient(5, 2)
	if got := ShadeBlocks(img, 5, 1, true); len(got) != 1 || got[0] != " ░▒▓█" {
		t.Errorf("dark: %q", got)
	}
	if got := ShadeBlocks(img, 5, 1, false); len(got) != 1 || got[0] != "█▓▒░ " {
		t.Errorf("light: %q", got)
	}
	if got := ShadeBlocks(dots([]color.RGBA{none}, []color.RGBA{none}), 1, 1, false); got[0] != " " {
		t.Errorf("transparent: %q", got)
	}
}

func TestTransmit(t *testing.T) {
	for _, size := range []int{0, 1, 3072, 3073, 10000} {
		data := bytes.Repeat([]byte{7}, size)
		seq := Transmit(42, data, 10, 5)
		parts := strings.SplitAfter(seq, "\x1b\\")
		parts = parts[:len(parts)-1]
		var payload strings.Builder
		for i, part := range parts {
			keys, chunk, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(part, "\x1b_G"), "\x1b\\"), ";")
			if !ok || len(chunk) > kitty.MaxChunkSize || !strings.Contains(keys, "q=2") {
				t.Fatalf("%d bytes: part %d: %.60q", size, i, part)
			}
			if i == 0 && !strings.HasPrefix(keys, "a=T,U=1,t=d,f=100,q=2,i=42,c=10,r=5,") {
				t.Errorf("keys %q", keys)
			}
			if more := strings.HasSuffix(keys, "m=1"); more != (i < len(parts)-1) {
				t.Errorf("%d bytes: part %d of %d: %q", size, i, len(parts), keys)
			}
			payload.WriteString(chunk)
		}
		if got, err := base64.StdEncoding.DecodeString(payload.String()); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: came out as %d, %v", size, len(got), err)
		}
	}
}

func TestPlaceholders(t *testing.T) {
	got := Placeholders(0x010203, 2, 2)
	want := []string{
		"\x1b[38;2;1;2;3m\U0010eeee\u0305\u0305\U0010eeee\u0305\u030d\x1b[m",
		"\x1b[38;2;1;2;3m\U0010eeee\u030d\u0305\U0010eeee\u030d\u030d\x1b[m",
	}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Placeholders(0x02010203, 1, 1)[0]; got != "\x1b[38;2;1;2;3m\U0010eeee\u0305\u0305\u030e\x1b[m" {
		t.Errorf("with a long id: %q", got)
	}
	lines := Placeholders(7, 1000, 1000)
	if len(lines) != MaxPlaceholders {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines { // the screen must see one cell per placeholder, however it measures
		if g, w := ansi.StringWidth(line), ansi.StringWidthWc(line); g != MaxPlaceholders || w != MaxPlaceholders {
			t.Fatalf("%d by cluster, %d by rune", g, w)
		}
	}
	if kitty.Diacritic(MaxPlaceholders) != kitty.Diacritic(0) || kitty.Diacritic(MaxPlaceholders-1) == kitty.Diacritic(0) {
		t.Error("MaxPlaceholders is not the number of marks")
	}
}

func TestDelete(t *testing.T) {
	if got := Delete(42); got != "\x1b_Ga=d,d=I,i=42,q=2\x1b\\" {
		t.Errorf("%q", got)
	}
}

func TestIDFor(t *testing.T) {
	seen := map[uint32]bool{}
	for _, key := range []string{"", "a", "b", "01J8Z", "01J90"} {
		id := IDFor(key)
		if id == 0 || id > 0xffffff || id == QueryID || seen[id] || id != IDFor(key) {
			t.Errorf("%q: %d", key, id)
		}
		seen[id] = true
	}
}

func TestParseAnswer(t *testing.T) {
	tests := []struct {
		seq          string
		ok, isAnswer bool
	}{
		{"\x1b_Gi=31;OK\x1b\\", true, true},
		{"\x1b_Gi=31,p=2;OK\x1b\\", true, true},
		{"\x1b_Gi=31;ENOTSUPPORTED:no\x1b\\", false, true},
		{"\x1b_Gi=31\x1b\\", false, true},
		{"\x1b_Gi=3;OK\x1b\\", false, false},
		{"\x1b_Gi=311;OK\x1b\\", false, false},
		{"\x1b[?62;4c", false, false},
		{"", false, false},
	}
	for _, tt := range tests {
		if ok, isAnswer := ParseAnswer(tt.seq); ok != tt.ok || isAnswer != tt.isAnswer {
			t.Errorf("ParseAnswer(%q) = %v, %v", tt.seq, ok, isAnswer)
		}
	}
	if want := "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"; Query() != want {
		t.Errorf("%q", Query())
	}
}

// encoded returns small pictures of each format.
func encoded(t testing.TB) map[string][]byte {
	t.Helper()
	img := gradient(7, 5)
	var p, j, g bytes.Buffer
	if err := errors.Join(png.Encode(&p, img), jpeg.Encode(&j, img, nil), gif.Encode(&g, img, nil)); err != nil {
		t.Fatal(err)
	}
	// One pixel, lossless: there is no encoder at hand.
	w := "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"
	return map[string][]byte{"png": p.Bytes(), "jpeg": j.Bytes(), "gif": g.Bytes(), "webp": []byte(w)}
}

func TestDecode(t *testing.T) {
	for name, data := range encoded(t) {
		img, err := Decode(data)
		want := image.Rect(0, 0, 7, 5)
		if name == "webp" {
			want = image.Rect(0, 0, 1, 1)
		}
		if err != nil || img.Bounds() != want {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Decode(data[:len(data)/2]); err == nil {
			t.Errorf("%s: half a file is no error", name)
		}
	}
	for _, data := range []string{"", "hello", "<svg/>", "BM000000"} {
		if _, err := Decode([]byte(data)); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

// claiming returns a PNG whose header claims a size and bit depth, with nothing behind it.
func claiming(w, h uint32, depth byte) []byte {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), w)
	head = binary.BigEndian.AppendUint32(head, h)
	head = append(head, depth, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(head))
}

func TestDecode_TooLarge(t *testing.T) {
	for _, data := range [][]byte{claiming(1<<20, 1, 8), claiming(8193, 8192, 8), claiming(8192, 8192+1, 16), claiming(1<<16+1, 10, 8)} {
		if _, err := Decode(data); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%v", err)
		}
	}
	if _, err := Decode(claiming(8, 8, 8)); err == nil || errors.Is(err, ErrTooLarge) {
		t.Errorf("a small one without data: %v", err)
	}
	frame := func(marker byte) []byte { // a frame header of 8000×8000 in three components
		return []byte{0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, marker, 0, 17, 8, 0x1f, 0x40, 0x1f, 0x40, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 0xff, 0xda, 0, 2}
	}
	if _, err := Decode(frame(0xc2)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("progressive: %v", err)
	}
	if isProgressive(frame(0xc0)) {
		t.Error("a baseline frame is taken for a progressive one")
	}
}

func TestThumbnail(t *testing.T) {
	for _, tt := range []struct{ w, h, side, tw, th int }{
		{1000, 500, 100, 100, 50}, {500, 1000, 100, 50, 100}, {80, 60, 100, 80, 60}, {5000, 1, 100, 100, 1}, {50, 50, 0, 1, 1},
	} {
		b := Thumbnail(gradient(tt.w, tt.h), tt.side).Bounds()
		if b.Dx() != tt.tw || b.Dy() != tt.th {
			t.Errorf("%d×%d to %d: %v", tt.w, tt.h, tt.side, b)
		}
	}
	small := Thumbnail(gradient(2000, 1000), 50)
	if l, _, _, _ := small.At(0, 10).RGBA(); l > 0x1000 {
		t.Errorf("the left is %#x", l)
	}
	if r, _, _, _ := small.At(49, 10).RGBA(); r < 0xf000 {
		t.Errorf("the right is %#x", r)
	}
	data, err := EncodePNG(small)
	if err != nil {
		t.Fatal(err)
	}
	if back, err := Decode(data); err != nil || back.Bounds() != small.Bounds() {
		t.Errorf("%v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, data := range encoded(f) {
		f.Add(data)
	}
	f.Add(claiming(8, 8, 8))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		if config, _ := decoders(data); config != nil {
			if c, err := config(data); err == nil && c.Width*c.Height > 1<<20 {
				return // sound, but slow
			}
		}
		img, err := Decode(data)
		if err != nil {
			return
		}
		for _, line := range append(HalfBlocks(img, 8, 4), ShadeBlocks(img, 8, 4, true)...) {
			if !utf8.ValidString(line) || ansi.StringWidth(line) > 8 {
				t.Fatalf("%q", line)
			}
		}
	})
}

func BenchmarkHalfBlocks(b *testing.B) {
	big, small := gradient(1024, 1024), gradient(256, 256)
	for name, img := range map[string]image.Image{"1024": big, "256": small} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = HalfBlocks(img, 60, 30)
			}
		})
	}
}
