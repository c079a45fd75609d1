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

	"github.com/google/go-cmp/cmp"
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

func box(id string, body ...[]byte) []byte {
	all := slices.Concat(body...)
	out := binary.BigEndian.AppendUint32(nil, uint32(len(all)+8))
	return append(append(out, id...), all...)
}

// mp4File is the shape of a film: frames before their index, as streams have them
// after it.
func mp4File(meta ...[]byte) []byte {
	return slices.Concat(box("ftyp", []byte("isom\x00\x00\x02\x00")), box("mdat", []byte("frames frames frames")),
		box("moov", append([][]byte{box("mvhd", make([]byte, 100)), box("trak", box("tkhd", make([]byte, 84)))}, meta...)...))
}

func ebml(id uint32, body ...[]byte) []byte {
	all := slices.Concat(body...)
	var out []byte
	for shift := 24; shift >= 0; shift -= 8 {
		if b := byte(id >> shift); b != 0 || len(out) > 0 {
			out = append(out, b)
		}
	}
	return append(append(out, 0x10|byte(len(all)>>24), byte(len(all)>>16), byte(len(all)>>8), byte(len(all))), all...)
}

func webmFile(meta ...[]byte) []byte {
	info := ebml(mkvInfo, ebml(mkvChecksum, []byte{1, 2, 3, 4}), ebml(0x2ad7b1, []byte{15, 66, 64}), ebml(0x7ba9, []byte("a title")))
	tracks := ebml(mkvTracks, ebml(mkvTrack, ebml(0xd7, []byte{1})))
	parts := append([][]byte{ebml(mkvSeekHead, ebml(mkvSeek, ebml(mkvSeekID, []byte{0x12, 0x54, 0xc3, 0x67}), ebml(0x53ac, []byte{99}))), info, tracks}, meta...)
	parts = append(parts, ebml(mkvCluster, ebml(0xe7, []byte{0}), ebml(0xa3, []byte("frames frames"))))
	return slices.Concat(ebml(mkvHeader, ebml(0x4282, []byte("webm"))), ebml(mkvSegment, parts...))
}

// tainted are files that hold the secret in every place that is known for it, and
// what Embedded has to say of them.
func tainted(t testing.TB) map[string]struct {
	data   []byte
	format string
	kinds  []string
} {
	p, j, g := pngFile(t, 6, 5), jpegFile(t, 16, 16), gifFile(t)
	still := riffChunk("VP8L", vp8l(3, 2, red))
	frame := anmf(2, 4, 4, 2, riffChunk("VP8L", vp8l(4, 2, red)), riffChunk("what", []byte(secret)))
	type file = struct {
		data   []byte
		format string
		kinds  []string
	}
	return map[string]file{
		"png texts": {spliced(p, 33, pngChunk("tEXt", []byte("prompt\x00"+secret)), pngChunk("tEXt", []byte("workflow\x00"+secret)),
			pngChunk("iTXt", []byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"+secret)), pngChunk("zTXt", []byte("Software\x00\x00"+secret)),
			pngChunk("tEXt", []byte("Comment\x00"+secret))), PNG, []string{"comment", "prompt", "text", "workflow", "xmp"}},
		"png exif and unknown": {spliced(p, 33, pngChunk("eXIf", []byte(secret)), pngChunk("xxXx", []byte("plain"))), PNG, []string{"exif", "other", "prompt"}},
		"png tail":             {append(slices.Clone(p), secret...), PNG, []string{"prompt", "tail"}},
		"jpeg": {spliced(j, 2, jpegSegmentOf(0xe1, "Exif\x00\x00"+secret), jpegSegmentOf(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret),
			jpegSegmentOf(0xfe, secret), jpegSegmentOf(0xed, "Photoshop 3.0\x00"+secret)), JPEG, []string{"comment", "exif", "other", "prompt", "xmp"}},
		"jpeg tail and thumbnail": {append(spliced(j, 2, jpegSegmentOf(0xe0, "JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x01\x01"+secret)), secret...), JPEG, []string{"other", "prompt", "tail"}},
		"gif": {spliced(g, 13+gifTable(g[10]), gifExt(0xfe, "", secret), gifExt(0xff, "XMP DataXMP", secret), gifExt(0xff, "SOMEBODY1.0", secret),
			gifExt(0xff, "NETSCAPE2.0", secret), gifExt(0x01, "", secret)), GIF, []string{"comment", "other", "prompt", "xmp"}},
		"gif tail": {append(slices.Clone(g), secret...), GIF, []string{"prompt", "tail"}},
		"webp": {webpFile(vp8x(0x0c, 3, 2), still, riffChunk("EXIF", []byte(secret)), riffChunk("XMP ", []byte(secret)), riffChunk("abcd", []byte(secret+"!"))),
			WebP, []string{"exif", "other", "prompt", "xmp"}},
		"animated webp": {append(webpFile(vp8x(0x0a, 8, 6), riffChunk("ANIM", make([]byte, 6)), frame, riffChunk("EXIF", []byte(`"nodes" "links" `+secret))), secret...),
			WebP, []string{"exif", "other", "prompt", "tail", "workflow"}},
		"mp4": {slices.Concat(mp4File(box("udta", box("meta", []byte(secret))), box("meta", []byte(secret))), box("uuid", []byte(secret)), box("free", []byte(secret))),
			MP4, []string{"other", "prompt", "tags", "xmp"}},
		"mp4 in a track": {slices.Concat(box("ftyp", []byte("isom\x00\x00\x02\x00")), box("moov", box("trak", box("mdia", box("udta", []byte(secret)))))),
			MP4, []string{"prompt", "tags"}},
		"webm": {webmFile(ebml(mkvTags, ebml(0x7373, []byte(secret))), ebml(mkvVoid, []byte(secret)), ebml(mkvAttachments, []byte(secret))),
			WebM, []string{"other", "prompt", "tags"}},
	}
}

func TestStrip(t *testing.T) {
	t.Parallel()
	for name, tt := range tainted(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := bytes.Clone(tt.data)
			if diff := cmp.Diff(tt.kinds, Embedded(tt.data, tt.format)); diff != "" {
				t.Errorf("embedded: %s", diff)
			}
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
			if (tt.format == MP4 || tt.format == WebM) && len(got) != len(tt.data) {
				t.Errorf("%d bytes became %d", len(tt.data), len(got))
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
	if kinds := Embedded(after, format); len(kinds) > 0 {
		t.Errorf("there is still %v in it", kinds)
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
		"png":                    {spliced(p, 33, pngChunk("gAMA", []byte{0, 0, 1, 2}), pngChunk("iCCP", []byte("x\x00\x00zz"))), PNG, [][]byte{[]byte("gAMA"), []byte("iCCP")}},
		"apng":                   {spliced(p, 33, pngChunk("acTL", make([]byte, 8)), pngChunk("fcTL", make([]byte, 26))), PNG, [][]byte{[]byte("acTL"), []byte("fcTL")}},
		"jpeg":                   {spliced(j, 2, jfif, profile, adobe), JPEG, [][]byte{jfif, profile, adobe}},
		"gif":                    {gifFile(t), GIF, [][]byte{[]byte("NETSCAPE2.0\x03\x01\x00\x00\x00"), {0x21, 0xf9, 4}}},
		"webp":                   {webpFile(vp8x(0x20, 3, 2), riffChunk("ICCP", []byte("prof")), riffChunk("VP8L", vp8l(3, 2, red))), WebP, [][]byte{[]byte("ICCP\x04\x00\x00\x00prof")}},
		"mp4":                    {mp4File(), MP4, [][]byte{mp4File()}},
		"webm of unknown length": {openWebM(), WebM, [][]byte{[]byte("frames 1"), []byte("frames 2")}},
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

// openWebM is a film as it is streamed: nothing says how long its parts are.
func openWebM() []byte {
	open := []byte{0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	cluster := func(text string) []byte {
		return slices.Concat([]byte{0x1f, 0x43, 0xb6, 0x75}, open, ebml(0xe7, []byte{0}), ebml(0xa3, []byte(text)))
	}
	return slices.Concat(ebml(mkvHeader, ebml(0x4282, []byte("webm"))), []byte{0x18, 0x53, 0x80, 0x67}, open,
		ebml(mkvInfo, ebml(0x2ad7b1, []byte{1})), cluster("frames 1"), cluster("frames 2"), ebml(mkvTags, []byte(secret)))
}

func TestStrip_Webm(t *testing.T) {
	t.Parallel()
	got, err := Strip(openWebM(), WebM)
	if err != nil || bytes.Contains(got, []byte("nobody must know")) {
		t.Errorf("%v, %q", err, got)
	}
	got, err = Strip(webmFile(), WebM)
	if err != nil || bytes.Contains(got, []byte("a title")) || bytes.Contains(got, []byte{1, 2, 3, 4}) {
		t.Errorf("the title, or the checksum over it, is still there: %v, %q", err, got)
	}
	if bytes.Contains(got, []byte{0x12, 0x54, 0xc3, 0x67}) {
		t.Error("the table of contents still leads to what is gone")
	}
}

func TestStrip_Refuses(t *testing.T) {
	t.Parallel()
	for name, tt := range tainted(t) {
		end := len(tt.data)
		if slices.Contains(tt.kinds, KindTail) {
			end = bytes.LastIndex(tt.data, []byte(secret))
		}
		// Films may end between two boxes: what is cut there is not seen.
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
	if _, err := Strip(slices.Concat(box("ftyp", []byte("avif\x00\x00\x00\x00")), box("moov")), MP4); !errors.Is(err, ErrMalformed) {
		t.Errorf("avif: %v", err)
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
	f.Add(openWebM())
	f.Add(spliced(jpegFile(f, 8, 8), 2, jpegSegmentOf(0xfe, secret)))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xfe\x02hi\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 800 {
			return // large ones only take long to be made small
		}
		format := Sniff(data)
		Embedded(data, format)
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
