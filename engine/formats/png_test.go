package formats

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func picture(width, height int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
	}
	return img
}

func plainPNG(t testing.TB) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := png.Encode(&buf, picture(7, 5)); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func pack(t testing.TB, data []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zlib.NewWriter(&buf)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func makeChunk(typ string, body []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	out = append(append(out, typ...), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// withChunks puts chunks right before a PNG's end.
func withChunks(picture []byte, chunks ...[]byte) []byte {
	at := len(picture) - 12
	out := bytes.Clone(picture[:at])
	for _, c := range chunks {
		out = append(out, c...)
	}
	return append(out, picture[at:]...)
}

func cardText(keyword, doc string) []byte {
	return makeChunk("tEXt", []byte(keyword+"\x00"+base64.StdEncoding.EncodeToString([]byte(doc))))
}

const (
	docA   = `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Old"}}`
	docURL = `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Łódź?>~","tags":["ÿ?>","~~~"]}}`
	docB   = `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"New"}}`
)

func TestReadCard_PNG(t *testing.T) {
	plain := plainPNG(t)
	b64 := base64.StdEncoding.EncodeToString([]byte(docA))
	comment := makeChunk("tEXt", []byte("Comment\x00kept"))
	tests := []struct {
		name, want, format, warning string
		data                        []byte
	}{
		{"chara", "Old", "V2 PNG", "", withChunks(plain, cardText("chara", docA))},
		{"keyword in capitals", "Old", "V2 PNG", "", withChunks(plain, cardText("CHARA", docA))},
		{"ccv3 first", "New", "V3 PNG", "", withChunks(plain, cardText("chara", docA), cardText("ccv3", docB))},
		{"zTXt", "Old", "V2 PNG", "", withChunks(plain, makeChunk("zTXt", append([]byte("chara\x00\x00"), pack(t, []byte(b64))...)))},
		{"iTXt", "Old", "V2 PNG", "", withChunks(plain, makeChunk("iTXt", []byte("chara\x00\x00\x00en\x00word\x00"+b64)))},
		{"packed iTXt", "Old", "V2 PNG", "", withChunks(plain, makeChunk("iTXt", append([]byte("chara\x00\x01\x00\x00\x00"), pack(t, []byte(b64))...)))},
		{"base64 without padding, with line ends", "Old", "V2 PNG", "", withChunks(plain, makeChunk("tEXt", []byte("chara\x00"+strings.TrimRight(b64[:20]+"\n"+b64[20:], "="))))},
		{"plain JSON", "Old", "V2 PNG", "not base64", withChunks(plain, makeChunk("tEXt", []byte("chara\x00"+docA)))},
		{"base64 of URLs", "Łódź?>~", "V2 PNG", "", withChunks(plain, makeChunk("tEXt", []byte("chara\x00"+base64.RawURLEncoding.EncodeToString([]byte(docURL)))))},
		{"text around base64", "Old", "V2 PNG", "", withChunks(plain, makeChunk("tEXt", []byte("chara\x00\"\uFEFF"+b64+"==\"\x00 made by a site")))},
		{"a data URL", "Old", "V2 PNG", "", withChunks(plain, makeChunk("tEXt", []byte("chara\x00data:application/json;base64,"+b64)))},
		{"text behind the JSON", "Old", "V2 PNG", "", withChunks(plain, cardText("chara", "\uFEFF"+docA+"\x00\x00 and more"))},
		{"text around plain JSON", "Old", "V2 PNG", "not base64", withChunks(plain, makeChunk("tEXt", []byte("chara\x00card: "+docA+" end")))},
		{"broken ccv3", "Old", "V2 PNG", "was not used", withChunks(plain, makeChunk("tEXt", []byte("ccv3\x00%%%")), cardText("chara", docA))},
		{"ccv3 of the future", "Old", "V2 PNG", `"4.0"`, withChunks(plain, cardText("ccv3", strings.Replace(docB, "3.0", "4.0", 1)), cardText("chara", docA))},
		{"something behind the end", "Old", "V2 PNG", "4 bytes", append(withChunks(plain, cardText("chara", docA)), "tail"...)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := mustRead(t, "a.png", tt.data)
			if in.Card.Name != tt.want || in.Format != tt.format {
				t.Errorf("read %q as %q", in.Card.Name, in.Format)
			}
			if (tt.warning == "") != (len(in.Warnings) == 0) || !strings.Contains(strings.Join(in.Warnings, "|"), tt.warning) {
				t.Errorf("warnings %q", in.Warnings)
			}
			if !bytes.Equal(in.Avatar, plain) {
				t.Error("the avatar is not the picture without its card")
			}
		})
	}
	in := mustRead(t, "a.png", withChunks(plain, comment, cardText("chara", docA)))
	if !bytes.Equal(in.Avatar, withChunks(plain, comment)) {
		t.Error("other text of the picture was lost")
	}
}

func TestReadCard_PNGRefusals(t *testing.T) {
	plain := plainPNG(t)
	card := withChunks(plain, cardText("chara", docA))
	badSum := bytes.Clone(card)
	badSum[len(badSum)-13] ^= 1
	huge := withChunks(plain, append(binary.BigEndian.AppendUint32(nil, 0xfffffff0), "tEXtchara\x00aaaa"...))
	bomb := pack(t, make([]byte, maxCardData+1))
	tests := []struct {
		name  string
		data  []byte
		kind  error
		words string
	}{
		{"no card", plain, ErrNotCard, "only a picture"},
		{"signature alone", plain[:8], ErrDamaged, "cut off"},
		{"cut in a chunk", card[:len(card)-30], ErrDamaged, "but the file ends"},
		{"cut before the end", card[:len(card)-12], ErrDamaged, "cut off after"},
		{"bad checksum", badSum, ErrDamaged, `checksum of the chunk "tEXt"`},
		{"huge chunk", huge, ErrDamaged, "says it has 4294967280 bytes"},
		{"no header", append([]byte(pngSignature), makeChunk("IEND", nil)...), ErrDamaged, "does not begin with a header"},
		{"bad base64", withChunks(plain, makeChunk("tEXt", []byte("chara\x00abc%"))), ErrDamaged, "not base64 at character 4"},
		{"not UTF-8", withChunks(plain, cardText("chara", "{\"name\":\"\xff\"}")), ErrDamaged, "not UTF-8"},
		{"broken JSON", withChunks(plain, cardText("chara", "{")), ErrDamaged, `chunk "chara"`},
		{"lorebook", withChunks(plain, cardText("naidata", "{}")), ErrNotCard, "lorebook"},
		{"lorebook as card", withChunks(plain, cardText("chara", `{"entries":{}}`)), ErrNotCard, "lorebook"},
		{"packed bomb", withChunks(plain, makeChunk("zTXt", append([]byte("chara\x00\x00"), bomb...))), ErrTooLarge, "grows beyond"},
		{"bad packing", withChunks(plain, makeChunk("zTXt", []byte("chara\x00\x00xx"))), ErrDamaged, "cannot be unpacked"},
		{"unknown packing", withChunks(plain, makeChunk("zTXt", []byte("chara\x00\x07xx"))), ErrDamaged, "unknown compression"},
		{"cut iTXt", withChunks(plain, makeChunk("iTXt", []byte("chara\x00\x00\x00en"))), ErrDamaged, "cut off"},
	}
	for _, tt := range tests {
		_, err := ReadCard("a.png", tt.data)
		if !errors.Is(err, tt.kind) || !strings.Contains(fmt.Sprint(err), tt.words) {
			t.Errorf("%s: got %v, want %v with %q", tt.name, err, tt.kind, tt.words)
		}
	}
}

func TestReadCard_PictureThatLies(t *testing.T) {
	head := func(width, height uint32) []byte {
		body := binary.BigEndian.AppendUint32(nil, width)
		body = binary.BigEndian.AppendUint32(body, height)
		return makeChunk("IHDR", append(body, 8, 0, 0, 0, 0))
	}
	make := func(width, height uint32, pixels []byte) []byte {
		out := append([]byte(pngSignature), head(width, height)...)
		out = append(out, makeChunk("IDAT", pack(t, pixels))...)
		out = append(out, cardText("chara", docA)...)
		return append(out, makeChunk("IEND", nil)...)
	}
	for name, data := range map[string][]byte{
		"too wide":     make(maxSide+1, 1, nil),
		"few pixels":   make(4, 4, []byte{0, 1}),
		"many pixels":  make(1, 1, bytes.Repeat([]byte{0}, 1<<20)),
		"no pixels":    make(4, 4, nil),
		"no dimension": make(0, 4, nil),
	} {
		in := mustRead(t, "a.png", data)
		if in.Avatar != nil || len(in.Warnings) != 1 || !strings.Contains(in.Warnings[0], "without its picture") {
			t.Errorf("%s: %d bytes of avatar, warnings %q", name, len(in.Avatar), in.Warnings)
		}
	}
	if in := mustRead(t, "a.png", make(1, 1, []byte{0, 9})); in.Avatar == nil {
		t.Errorf("a sound picture was refused: %q", in.Warnings)
	}
}

func TestWriteCardPNG_RoundTrip(t *testing.T) {
	plain := plainPNG(t)
	for _, file := range []string{"v1.json", "v2.json", "v3.json", "legacy.json"} {
		in := mustRead(t, file, load(t, file))
		c := storage.Character{Card: in.Card, Source: in.Source}
		// The old card data of the picture must go.
		out, err := WriteCardPNG(c, withChunks(plain, cardText("Chara", docA), cardText("ccv3", docB)))
		if err != nil {
			t.Fatal(err)
		}
		chunks, rest, err := pngChunks(out)
		if err != nil || rest != 0 {
			t.Fatal(err, rest)
		}
		n := len(chunks)
		if chunks[n-3].keyword() != "chara" || chunks[n-2].keyword() != "ccv3" || !bytes.Equal(withoutCard(chunks), plain) {
			t.Errorf("%s: the chunks are not as they should be", file)
		}
		if old, err := cardFromChunk(chunks[n-3]); err != nil || old.Format != "V2" || !cmp.Equal(old.Card, in.Card) {
			t.Errorf("%s: chara: %v %v", file, old.Format, err)
		}
		again := mustRead(t, "a.png", out)
		if diff := cmp.Diff(in.Card, again.Card); diff != "" || again.Format != "V3 PNG" || !bytes.Equal(again.Avatar, plain) {
			t.Errorf("%s: %s %s", file, again.Format, diff)
		}
		if diff := cmp.Diff(tree(t, mustWrite(t, c)), tree(t, again.Source)); diff != "" {
			t.Errorf("%s: the PNG's document is not the JSON's: %s", file, diff)
		}
	}
}

func TestWriteCardPNG_Pictures(t *testing.T) {
	c := storage.Character{Card: storage.Card{Name: "Ada"}}
	out, err := WriteCardPNG(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(out))
	if err != nil || img.Bounds().Dx() != 400 || img.At(0, 0) == img.At(0, 599) {
		t.Errorf("the cover is not as it should be: %v", err)
	}
	one, _ := cover("Ada")
	if other, _ := cover("Bea"); bytes.Equal(other, one) {
		t.Error("two names have one cover")
	}
	// A cover that comes back is no picture; one of another name is somebody's choice.
	if mustRead(t, "a.png", out).Avatar != nil {
		t.Error("the cover became a picture")
	}
	renamed, err := WriteCardPNG(storage.Character{Card: storage.Card{Name: "Bea"}}, one)
	if err != nil || !bytes.Equal(mustRead(t, "a.png", renamed).Avatar, one) {
		t.Errorf("a picture that is another's cover was lost: %v", err)
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, picture(9, 4), nil); err != nil {
		t.Fatal(err)
	}
	if out, err = WriteCardPNG(c, photo.Bytes()); err != nil {
		t.Fatal(err)
	}
	if cfg, err := png.DecodeConfig(bytes.NewReader(out)); err != nil || cfg.Width != 9 || cfg.Height != 4 {
		t.Error(cfg, err)
	}
	for _, bad := range [][]byte{[]byte("text"), plainPNG(t)[:40], photo.Bytes()[:30]} {
		if _, err := WriteCardPNG(c, bad); !errors.Is(err, ErrDamaged) {
			t.Errorf("%.8q: %v", bad, err)
		}
	}
}

type entry struct {
	name string
	data []byte
}

func archive(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for _, e := range entries {
		w, err := z.Create(e.name)
		if err == nil {
			_, err = w.Write(e.data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestReadCard_CHARX(t *testing.T) {
	plain := plainPNG(t)
	v3 := load(t, "v3.json")
	data := archive(t, entry{"../evil", nil}, entry{"assets/icon/main.png", plain}, entry{"card.json", v3})
	in := mustRead(t, "nine.charx", data)
	if in.Format != "V3 CHARX" || in.Card.Nickname != "Nine" || !bytes.Equal(in.Avatar, plain) {
		t.Errorf("%s %q, %d bytes of avatar", in.Format, in.Card.Name, len(in.Avatar))
	}
	if len(in.Warnings) != 2 || !strings.Contains(in.Warnings[0], "../evil") || !strings.Contains(in.Warnings[1], "1 of the card's assets") {
		t.Errorf("%q", in.Warnings)
	}
	if diff := cmp.Diff(tree(t, v3), tree(t, in.Source)); diff != "" {
		t.Error(diff)
	}
	var photo bytes.Buffer
	if err := jpeg.Encode(&photo, picture(3, 3), nil); err != nil {
		t.Fatal(err)
	}
	in = mustRead(t, "nine.charx", archive(t, entry{"assets/icon/main.png", photo.Bytes()}, entry{"card.json", v3}))
	if img, err := png.Decode(bytes.NewReader(in.Avatar)); err != nil || img.Bounds().Dx() != 3 {
		t.Errorf("a JPEG icon did not become a PNG: %v", err)
	}
	if in = mustRead(t, "nine.jpg", append(photo.Bytes(), data...)); in.Card.Name != "Ferrous Nine" {
		t.Error("a CHARX behind a picture was not found")
	}
	in = mustRead(t, "nine.charx", archive(t, entry{"card.json", v3}))
	if in.Avatar != nil || !strings.Contains(strings.Join(in.Warnings, "|"), "no entry") {
		t.Errorf("%q", in.Warnings)
	}
}

// claiming makes the last entry of an archive claim another size.
func claiming(archive []byte, size uint32) []byte {
	out := bytes.Clone(archive)
	at := bytes.LastIndex(out, []byte("PK\x01\x02"))
	binary.LittleEndian.PutUint32(out[at+24:], size)
	return out
}

func TestReadCard_CHARXRefusals(t *testing.T) {
	v3 := load(t, "v3.json")
	many := make([]entry, maxEntries+1)
	for i := range many {
		many[i].name = fmt.Sprint(i)
	}
	good := archive(t, entry{"card.json", v3})
	tests := []struct {
		name  string
		data  []byte
		kind  error
		words string
	}{
		{"no document", archive(t, entry{"sub/card.json", v3}), ErrNotCard, "no card.json"},
		{"empty", archive(t), ErrNotCard, "no card.json"},
		{"cut", good[:len(good)-20], ErrDamaged, "cannot be opened"},
		{"broken document", archive(t, entry{"card.json", []byte("{")}), ErrDamaged, "card.json: "},
		{"entries", archive(t, many...), ErrTooLarge, "entries"},
		{"ratio", archive(t, entry{"card.json", v3}, entry{"zeros", make([]byte, ratioFloor+1)}), ErrTooLarge, "times its size"},
		{"total", claiming(good, maxUnpacked+1), ErrTooLarge, "unpacks to more than"},
		{"document", archive(t, entry{"card.json", bytes.Repeat([]byte(" "), MaxCardJSON+1)}), ErrTooLarge, "16.0 MB"},
	}
	for _, tt := range tests {
		_, err := ReadCard("a.charx", tt.data)
		if !errors.Is(err, tt.kind) || !strings.Contains(fmt.Sprint(err), tt.words) {
			t.Errorf("%s: got %v, want %v with %q", tt.name, err, tt.kind, tt.words)
		}
	}
	// A header that says less than there is must not be believed.
	lying := claiming(archive(t, entry{"card.json", bytes.Repeat([]byte(" "), MaxCardJSON+1)}), 10)
	if _, err := ReadCard("a.charx", lying); err == nil {
		t.Error("a lying archive was read")
	}
}

func TestReadCard_InlineIcon(t *testing.T) {
	plain := plainPNG(t)
	doc := `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"A","assets":[{"type":"icon","name":"other","uri":"ccdefault:"},{"type":"icon","name":"main","uri":"data:image/png;base64,` +
		base64.StdEncoding.EncodeToString(plain) + `"}]}}`
	if in := mustRead(t, "a.json", []byte(doc)); !bytes.Equal(in.Avatar, plain) {
		t.Errorf("%q", in.Warnings)
	}
	in := mustRead(t, "a.json", []byte(strings.Replace(doc, "iVBOR", "AAAAA", 1)))
	if in.Avatar != nil || len(in.Warnings) != 1 {
		t.Errorf("%q", in.Warnings)
	}
}

func TestCheckPNG_Interlaced(t *testing.T) {
	// 1 x 1, Adam7: one pass, one row.
	body := []byte{0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 1}
	data := append([]byte(pngSignature), makeChunk("IHDR", body)...)
	data = append(data, makeChunk("IDAT", pack(t, []byte{0, 200}))...)
	data = append(data, makeChunk("IEND", nil)...)
	if err := checkPNG(data); err != nil {
		t.Error(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil || img.At(0, 0) != (color.Gray{Y: 200}) {
		t.Error(err)
	}
}
