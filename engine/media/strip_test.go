package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// secret is what must not leave the house.
const secret = `{"3": {"class_type": "KSampler", "inputs": {"text": "a lamp that nobody must know of"}}}`

// spliced puts pieces into data at a place.
func spliced(data []byte, at int, pieces ...[]byte) []byte {
	return slices.Concat(data[:at], slices.Concat(pieces...), data[at:])
}

func jpegSegmentOf(marker byte, body string) []byte {
	out := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2))
	return append(out, body...)
}

func gifExt(label byte, app, text string) []byte {
	out := []byte{0x21, label}
	if app != "" {
		out = append(append(out, byte(len(app))), app...)
	}
	for part := range slices.Chunk([]byte(text), 255) {
		out = append(append(out, byte(len(part))), part...)
	}
	return append(out, 0)
}

// tainted returns files that hold the secret in every place that is known for it.
func tainted(t testing.TB) map[string]struct {
	data   []byte
	format string
} {
	p, j, g := pngFile(t, 6, 5), jpegFile(t, 16, 16), gifFile(t)
	still := riffChunk("VP8L", vp8l(3, 2, red))
	frame := anmf(2, 4, 4, 2, riffChunk("VP8L", vp8l(4, 2, red)), riffChunk("what", []byte(secret)))
	type file = struct {
		data   []byte
		format string
	}
	return map[string]file{
		"png texts": {spliced(p, 33, pngChunk("tEXt", []byte("prompt\x00"+secret)), pngChunk("tEXt", []byte("workflow\x00"+secret)),
			pngChunk("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+secret)), pngChunk("zTXt", []byte("Software\x00\x00"+secret)),
			pngChunk("tEXt", []byte("Comment\x00"+secret))), PNG},
		"png exif and unknown": {spliced(p, 33, pngChunk("eXIf", []byte(secret)), pngChunk("xxXx", []byte("plain"))), PNG},
		"png tail":             {append(slices.Clone(p), secret...), PNG},
		"jpeg": {spliced(j, 2, jpegSegmentOf(0xe1, "Exif\x00\x00"+secret), jpegSegmentOf(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret),
			jpegSegmentOf(0xfe, secret), jpegSegmentOf(0xed, "Photoshop 3.0\x00"+secret)), JPEG},
		"jpeg tail and thumbnail": {append(spliced(j, 2, jpegSegmentOf(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x01\x01"+secret)), secret...), JPEG},
		"gif": {spliced(g, 13+gifTable(g[10]), gifExt(0xfe, "", secret), gifExt(0xff, "XMP DataXMP", secret), gifExt(0xff, "SOMEBODY1.0", secret),
			gifExt(0xff, "NETSCAPE2.0", secret), gifExt(0x01, "", secret)), GIF},
		"gif tail": {append(slices.Clone(g), secret...), GIF},
		"webp": {webpFile(vp8x(0x0c, 3, 2), still, riffChunk("EXIF", []byte(secret)), riffChunk("XMP ", []byte(secret)), riffChunk("abcd", []byte(secret+"!"))),
			WebP},
		"animated webp": {append(webpFile(vp8x(0x0a, 8, 6), riffChunk("ANIM", make([]byte, 6)), frame, riffChunk("EXIF", []byte(`"nodes" "links" `+secret))), secret...),
			WebP},
	}
}

func TestStrip(t *testing.T) {
	t.Parallel()
	for name, tt := range tainted(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := bytes.Clone(tt.data)
			got, err := Strip(tt.data, tt.format)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(before, tt.data) {
				t.Error("the file that was given was changed")
			}
			sound(t, tt.data, got, tt.format)
			if bytes.Contains(got, []byte("nobody must know")) {
				t.Error("the secret is still there")
			}
		})
	}
}

// sound checks what holds for all files that were stripped.
func sound(t interface {
	Helper()
	Errorf(string, ...any)
}, before, after []byte, format string) {
	t.Helper()
	if bytes.Contains(after, []byte("nobody must know")) {
		t.Errorf("the secret is still in it")
	}
	if again, err := Strip(after, format); err != nil || !bytes.Equal(again, after) {
		t.Errorf("stripped again it is another: %v", err)
	}
	if w, h, err := Size(before, format); err != nil || w*h > 1<<16 {
		return
	}
	was, err := Poster(before, format)
	if err != nil {
		return
	}
	is, err := Poster(after, format)
	if err != nil {
		t.Errorf("it cannot be read any more: %v", err)
		return
	}
	if d := differs(was, is); d != "" {
		t.Errorf("the pixels changed: %s", d)
	}
}

func differs(a, b image.Image) string {
	if a.Bounds() != b.Bounds() {
		return fmt.Sprint(a.Bounds(), b.Bounds())
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r1, g1, b1, a1 := a.At(x, y).RGBA()
			r2, g2, b2, a2 := b.At(x, y).RGBA()
			if r1 != r2 || g1 != g2 || b1 != b2 || a1 != a2 {
				return fmt.Sprintf("at %d, %d", x, y)
			}
		}
	}
	return ""
}

// TestStrip_KeepsLooks: what a picture's looks depend on comes through.
func TestStrip_KeepsLooks(t *testing.T) {
	t.Parallel()
	p, j := pngFile(t, 4, 4), jpegFile(t, 8, 8)
	profile := jpegSegmentOf(0xe2, "ICC_PROFILE\x00\x01\x01the profile")
	adobe := jpegSegmentOf(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x00")
	jfif := jpegSegmentOf(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
	tests := map[string]struct {
		data   []byte
		format string
		want   [][]byte
	}{
		"png":  {spliced(p, 33, pngChunk("gAMA", []byte{0, 0, 1, 2}), pngChunk("iCCP", []byte("x\x00\x00zz"))), PNG, [][]byte{[]byte("gAMA"), []byte("iCCP")}},
		"apng": {spliced(p, 33, pngChunk("acTL", make([]byte, 8)), pngChunk("fcTL", make([]byte, 26))), PNG, [][]byte{[]byte("acTL"), []byte("fcTL")}},
		"jpeg": {spliced(j, 2, jfif, profile, adobe), JPEG, [][]byte{jfif, profile, adobe}},
		"gif":  {gifFile(t), GIF, [][]byte{[]byte("NETSCAPE2.0\x03\x01\x00\x00\x00"), {0x21, 0xf9, 4}}},
		"webp": {webpFile(vp8x(0x20, 3, 2), riffChunk("ICCP", []byte("prof")), riffChunk("VP8L", vp8l(3, 2, red))), WebP, [][]byte{[]byte("ICCP\x04\x00\x00\x00prof")}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := Strip(tt.data, tt.format)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !bytes.Contains(got, want) {
					t.Errorf("%q is gone", want)
				}
			}
			sound(t, tt.data, got, tt.format)
		})
	}
}

func TestStrip_Refuses(t *testing.T) {
	t.Parallel()
	for name, tt := range tainted(t) {
		end := len(tt.data)
		if bytes.HasSuffix(tt.data, []byte(secret)) {
			end = bytes.LastIndex(tt.data, []byte(secret))
		}
		if got, err := Strip(tt.data[:end-3], tt.format); !errors.Is(err, ErrMalformed) || got != nil {
			t.Errorf("%s, cut off: %d bytes, %v", name, len(got), err)
		}
		if got, err := Strip([]byte("something else"), tt.format); !errors.Is(err, ErrMalformed) || got != nil {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
	if _, err := Strip(nil, "exe"); !errors.Is(err, ErrUnknown) {
		t.Error(err)
	}
	p := pngFile(t, 4, 4)
	p[45] ^= 1
	if _, err := Strip(p, PNG); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a wrong checksum: %v", err)
	}
	if _, err := Strip(spliced(pngFile(t, 4, 4), 33, pngChunk("XXXX", nil)), PNG); !errors.Is(err, ErrMalformed) {
		t.Errorf("a chunk that is needed and not known: %v", err)
	}
}

// TestStrip_Anywhere puts secrets into random places of sound files.
func TestStrip_Anywhere(t *testing.T) {
	t.Parallel()
	p, g, j := pngFile(t, 5, 5), gifFile(t), jpegFile(t, 9, 9)
	rapid.Check(t, func(t *rapid.T) {
		body := []byte(strings.Repeat("x", rapid.IntRange(0, 300).Draw(t, "pad")) + secret)
		switch rapid.SampledFrom([]string{PNG, JPEG, GIF, WebP}).Draw(t, "format") {
		case PNG:
			id := rapid.SampledFrom([]string{"tEXt", "zTXt", "iTXt", "eXIf", "tIME", "abCd"}).Draw(t, "id")
			at := rapid.SampledFrom([]int{33, len(p) - 12}).Draw(t, "at")
			clean(t, p, spliced(p, at, pngChunk(id, body)), PNG)
		case JPEG:
			marker := byte(rapid.SampledFrom([]int{0xe0, 0xe1, 0xe2, 0xe5, 0xee, 0xef, 0xfe, 0xf3}).Draw(t, "marker"))
			clean(t, j, spliced(j, 2, jpegSegmentOf(marker, string(body))), JPEG)
		case GIF:
			label := byte(rapid.SampledFrom([]int{0x01, 0xf9, 0xfe, 0xff, 0x77}).Draw(t, "label"))
			at := rapid.SampledFrom([]int{13 + gifTable(g[10]), len(g) - 1}).Draw(t, "at")
			clean(t, g, spliced(g, at, gifExt(label, "", string(body))), GIF)
		case WebP:
			id := rapid.StringMatching(`[a-z0-9]{4}`).Draw(t, "id")
			still := riffChunk("VP8L", vp8l(3, 2, red))
			clean(t, webpFile(still), webpFile(still, riffChunk(id, body)), WebP)
		}
	})
}

// clean checks that a file with a secret becomes the file without it.
func clean(t *rapid.T, plain, with []byte, format string) {
	t.Helper()
	got, err := Strip(with, format)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Strip(plain, format)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("it is not what it was without the secret: %d bytes, %d", len(got), len(want))
	}
	sound(t, plain, got, format)
}

func FuzzStrip(f *testing.F) {
	for _, tt := range tainted(f) {
		f.Add(tt.data)
	}
	f.Add(spliced(jpegFile(f, 8, 8), 2, jpegSegmentOf(0xfe, secret)))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xfe\x02hi\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 800 {
			return // large ones only take long to be made small
		}
		format := Sniff(data)
		if format == MP4 || format == WebM {
			return // another program reads them
		}
		got, err := Strip(data, format)
		if err != nil {
			if got != nil {
				t.Error("a half file")
			}
			return
		}
		sound(t, data, got, format)
	})
}
