package formats

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"strings"

	"golang.org/x/image/webp"
)

const (
	maxSide    = 8192     // pixels of a PNG, which is kept as it is: 64 MP at most
	maxConvert = 16 << 20 // pixels of a picture that must be decoded to become a PNG
)

// checkPNG returns an error unless a PNG has a bounded size and exactly the pixels that its header
// declares, so that other packages may decode it. It needs little memory, whatever the picture.
func checkPNG(data []byte) error {
	cfg, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return wrapf(ErrDamaged, "the picture cannot be decoded (%v)", err)
	}
	if cfg.Width > maxSide || cfg.Height > maxSide {
		return wrapf(ErrTooLarge, "the picture has %d x %d pixels; the limit is %d x %d: make it smaller", cfg.Width,
			cfg.Height, maxSide, maxSide)
	}
	chunks, _, err := pngChunks(data)
	if err != nil {
		return err
	}
	var parts []io.Reader
	for _, c := range chunks {
		if c.typ == "IDAT" {
			parts = append(parts, bytes.NewReader(c.data))
		}
	}
	head := chunks[0].data
	want := pixelBytes(cfg.Width, cfg.Height, head[8], head[9])
	interlaced := head[12] != 0
	limit := want
	if interlaced { // more rows, each with a filter byte and a partial byte
		limit = 2*want + 16*int64(cfg.Height) + 64
	}
	z, err := zlib.NewReader(io.MultiReader(parts...))
	if err != nil {
		return wrapf(ErrDamaged, "the pixels cannot be unpacked (%v)", err)
	}
	got, err := io.Copy(io.Discard, io.LimitReader(z, limit+1))
	switch {
	case err != nil:
		return wrapf(ErrDamaged, "the pixels cannot be unpacked (%v)", err)
	case got > limit || (!interlaced && got < want):
		return wrapf(ErrDamaged, "the picture has a wrong number of pixels")
	}
	return nil
}

// pixelBytes returns the uncompressed size of the pixels of a PNG that is not interlaced.
func pixelBytes(width, height int, bits, colour byte) int64 {
	channels := map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[colour]
	return int64(height) * (1 + (int64(width)*channels*int64(bits)+7)/8)
}

// toPNG converts an untrusted picture to a PNG without card data.
func toPNG(data []byte) ([]byte, error) {
	if len(data) > MaxCardFile {
		return nil, wrapf(ErrTooLarge, "the picture has %s; the limit is %s", formatSize(len(data)),
			formatSize(MaxCardFile))
	}
	kind := sniff(data)
	if kind == "PNG" {
		chunks, _, err := pngChunks(data)
		if err != nil {
			return nil, err
		}
		out := withoutCard(chunks)
		return out, checkPNG(out)
	}
	img, err := decode(kind, data)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func decode(kind string, data []byte) (image.Image, error) {
	var config func(io.Reader) (image.Config, error)
	var read func(io.Reader) (image.Image, error)
	switch kind {
	case "JPEG":
		config, read = jpeg.DecodeConfig, jpeg.Decode
	case "WebP":
		config, read = webp.DecodeConfig, webp.Decode
	case "GIF":
		config, read = gif.DecodeConfig, gif.Decode
	default:
		return nil, wrapf(ErrDamaged, "the picture is neither PNG nor JPEG, WebP or GIF")
	}
	cfg, err := config(bytes.NewReader(data))
	if err == nil && int64(cfg.Width)*int64(cfg.Height) > maxConvert {
		return nil, wrapf(ErrTooLarge,
			"the picture has %d x %d pixels, and a %s may have %d megapixels: make it smaller",
			cfg.Width, cfg.Height, kind, maxConvert>>20)
	}
	var img image.Image
	if err == nil {
		img, err = read(bytes.NewReader(data))
	}
	if err != nil {
		return nil, wrapf(ErrDamaged, "the picture cannot be decoded (%v)", err)
	}
	return img, nil
}

// asset is a file that a V3 card names.
type asset struct{ typ, uri, name, ext string }

const maxAssets = 10_000

// assets returns the well-formed assets of the card.
func (d *document) assets() []asset {
	raws, _ := elements(d.fieldsObject().get("assets"), maxAssets)
	var list []asset
	for _, raw := range raws {
		if o, ok := parseObject(raw); ok {
			typ, _ := looseString(o.get("type"))
			uri, _ := looseString(o.get("uri"))
			name, _ := looseString(o.get("name"))
			ext, _ := looseString(o.get("ext"))
			list = append(list, asset{typ, uri, name, ext})
		}
	}
	return list
}

// icon returns the picture of the character: the icon called main, else the first.
func icon(list []asset) (asset, bool) {
	var found asset
	for _, a := range list {
		if a.typ == "icon" && (found.typ == "" || a.name == "main" && found.name != "main") {
			found = a
		}
	}
	return found, found.typ != ""
}

// inlineIcon returns the icon in the document as a data URL. No URI is ever fetched.
func (d *document) inlineIcon(n *warningList) []byte {
	a, ok := icon(d.assets())
	if !ok || !strings.HasPrefix(a.uri, "data:") {
		return nil
	}
	return dataPicture(a.uri, n)
}

// dataPicture returns the picture of a data URL.
func dataPicture(uri string, n *warningList) []byte {
	_, body, ok := strings.Cut(uri, ";base64,")
	err := errors.New("its data is not base64")
	var data []byte
	if ok {
		data, err = decodeBase64([]byte(body))
	}
	if err == nil {
		data, err = toPNG(data)
	}
	if err != nil {
		n.add("the card was read without its icon: %v", err)
		return nil
	}
	return data
}

// The size of a cover.
const (
	coverWidth  = 400
	coverHeight = 600
)

// cover draws a picture for a character without one: a gradient of two colours that follow from
// the name.
func cover(name string) ([]byte, error) {
	const width, height = coverWidth, coverHeight
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	var seed [8]byte
	binary.BigEndian.PutUint64(seed[:], h.Sum64())
	hue := float64(seed[0]) / 256
	top, bottom := coverColor(hue, 0.62), coverColor(hue+0.12+float64(seed[1])/1024, 0.22)
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		t := float64(y) / (height - 1)
		row := color.RGBA{mix(top.R, bottom.R, t), mix(top.G, bottom.G, t), mix(top.B, bottom.B, t), 255}
		for x := range width {
			img.SetRGBA(x, y, row)
		}
	}
	var buf bytes.Buffer
	if err := png.Encode(&buf, img); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// maxCoverBytes is an upper limit of a cover's size; real pictures are larger.
const maxCoverBytes = 16 << 10

// isCover reports whether a picture is a drawn cover.
func isCover(picture []byte, name string) bool {
	if len(picture) > maxCoverBytes {
		return false
	}
	size, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil || size.Width != coverWidth || size.Height != coverHeight { // drawing one takes long
		return false
	}
	own, err := cover(name)
	return err == nil && bytes.Equal(own, picture)
}

func coverColor(hue, light float64) color.RGBA {
	at := func(shift float64) uint8 {
		return uint8(255 * light * (0.75 + 0.25*math.Cos(2*math.Pi*(hue+shift))))
	}
	return color.RGBA{at(0), at(-1.0 / 3), at(1.0 / 3), 255}
}

func mix(a, b uint8, t float64) uint8 {
	return uint8(math.Round(float64(a)*(1-t) + float64(b)*t))
}
