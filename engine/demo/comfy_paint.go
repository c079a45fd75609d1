package demo

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"
)

// comfySet is the scenery of one picture, derived from the request: the same prompt and seed always
// give the same stage.
type comfySet struct {
	back, floor, cloth, beam [3]float64
	spot                     float64   // where the beam falls, 0 to 1 from left to right
	lamp                     float64   // the position of the ghost light
	players                  []float64 // the positions of silhouettes
	tall                     []float64
	folds                    float64
}

func comfyScenery(prompt, seed string) comfySet {
	sum := sha256.Sum256([]byte(prompt + "\x00" + seed))
	at := func(i int) float64 { return float64(sum[i]) / 255 }
	hue := at(0)
	s := comfySet{
		back:  comfyHue(hue, 0.55, 0.20+0.08*at(1)),
		floor: comfyHue(0.07+0.05*at(2), 0.45, 0.22),
		cloth: comfyHue(math.Mod(hue+0.45+0.2*at(3), 1), 0.75, 0.42),
		beam:  comfyHue(math.Mod(hue+0.5*at(4), 1), 0.25, 0.95),
		spot:  0.35 + 0.3*at(5), folds: 9 + 8*at(6),
	}
	s.lamp = 0.72
	if s.spot > 0.5 {
		s.lamp = 0.28
	}
	for i := range 1 + int(sum[7])%3 {
		s.players = append(s.players, s.spot+(float64(i)-0.7)*0.13+0.03*at(8+i))
		s.tall = append(s.tall, 0.30+0.10*at(12+i))
	}
	return s
}

// comfyHue turns hue, saturation and brightness into linear red, green, blue.
func comfyHue(h, s, v float64) [3]float64 {
	var out [3]float64
	for i, shift := range []float64{0, 2.0 / 3, 1.0 / 3} {
		x := math.Abs(math.Mod(h+shift, 1)*6-3) - 1
		out[i] = v * (1 - s + s*min(1, max(0, x)))
	}
	return out
}

func comfySmooth(from, to, x float64) float64 {
	t := min(1, max(0, (x-from)/(to-from)))
	return t * t * (3 - 2*t)
}

// comfyPaint paints the stage. sway moves the light a little, for videos.
func comfyPaint(s comfySet, w, h int, sway float64) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	aspect := float64(w) / float64(h)
	for y := range h {
		v := (float64(y) + 0.5) / float64(h)
		row := img.Pix[y*img.Stride:]
		for x := range w {
			c := s.at((float64(x)+0.5)/float64(w), v, aspect, sway)
			for i := range 3 {
				row[4*x+i] = uint8(255 * min(1, max(0, c[i])))
			}
			row[4*x+3] = 255
		}
	}
	comfyLetter(img)
	return img
}

// at returns the colour of one point; u and v run from 0 to 1.
func (s *comfySet) at(u, v, aspect, sway float64) [3]float64 {
	const boards = 0.76 // where the floor begins
	var c [3]float64
	if v < boards {
		for i := range c {
			c[i] = s.back[i] * (0.35 + 0.9*v)
		}
	} else {
		line := math.Mod(math.Abs((u-0.5)/(0.35+v))*22, 1)
		shade := 0.7 + 0.3*comfySmooth(0.02, 0.10, line)
		for i := range c {
			c[i] = s.floor[i] * shade * (1.5 - v)
		}
	}
	// The beam: a cone from above, and the ellipse where it lands.
	mid := s.spot + sway
	reach := 0.03 + 0.16*v
	cone := (1 - comfySmooth(0.5, 1, math.Abs(u-mid)/reach)) * (0.20 + 0.25*v) * (1 - comfySmooth(0.82, 0.90, v))
	du, dv := (u-mid)/0.22, (v-0.86)/0.07
	pool := 0.55 * (1 - comfySmooth(0.5, 1, du*du+dv*dv))
	for i := range c {
		c[i] += s.beam[i] * (cone*0.6 + pool)
	}
	s.figures(&c, u, v, aspect)
	s.ghostLight(&c, u, v, aspect)
	// The curtain hangs in front of all: two wings and a border.
	edge := 0.15 + 0.05*v*v
	side := min(u, 1-u)
	hem := 0.09 + 0.02*math.Cos(u*math.Pi*12)
	if side < edge || v < hem {
		fold := 0.55 + 0.45*math.Sin(u*s.folds*2*math.Pi+2*v)
		near := comfySmooth(0, edge, side)
		for i := range c {
			c[i] = s.cloth[i] * (0.25 + 0.65*fold) * (0.55 + 0.45*near)
		}
	}
	return c
}

// figures darkens the points that lie on a player.
func (s *comfySet) figures(c *[3]float64, u, v, aspect float64) {
	const feet = 0.87
	for i, at := range s.players {
		tall := s.tall[i]
		rise := (feet - v) / tall // 0 at the feet, 1 at the crown
		if rise < 0 || rise > 1.02 {
			continue
		}
		across := math.Abs(u-at) * aspect / tall
		width := 0.17 - 0.09*rise
		if t := (rise - 0.66) / 0.15; t > 0 {
			width = max(0.035, 0.1106*math.Sqrt(max(0, 1-t*t)))
		}
		if rise > 0.80 {
			d := (rise - 0.90) / 0.10
			width = 0.085 * math.Sqrt(max(0, 1-d*d))
		}
		if across < width {
			rim := comfySmooth(0.75, 1, across/max(width, 1e-6)) * 0.30
			for k := range c {
				c[k] = 0.03 + rim*s.beam[k]
			}
		}
	}
}

// ghostLight is the one lamp that burns on an empty stage: the sign that this
// is demo mode.
func (s *comfySet) ghostLight(c *[3]float64, u, v, aspect float64) {
	const bulb, foot = 0.50, 0.86
	du := (u - s.lamp) * aspect
	if v > bulb && v < foot && math.Abs(du) < 0.004 {
		*c = [3]float64{0.10, 0.10, 0.10}
	}
	if math.Abs(v-foot) < 0.006 && math.Abs(du) < 0.035 {
		*c = [3]float64{0.10, 0.10, 0.10}
	}
	d := math.Hypot(du, v-bulb)
	glow := 0.012 / (0.012 + d*d) * 0.55
	c[0] += glow
	c[1] += glow * 0.82
	c[2] += glow * 0.50
	if d < 0.017 {
		*c = [3]float64{1, 0.97, 0.86}
	}
}

// comfyLetter writes DEMO into the lower left corner.
func comfyLetter(img *image.RGBA) {
	glyphs := map[rune][7]uint8{
		'D': {0b11110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b11110},
		'E': {0b11111, 0b10000, 0b10000, 0b11110, 0b10000, 0b10000, 0b11111},
		'M': {0b10001, 0b11011, 0b10101, 0b10101, 0b10001, 0b10001, 0b10001},
		'O': {0b01110, 0b10001, 0b10001, 0b10001, 0b10001, 0b10001, 0b01110},
	}
	const dotsPerRow = 216
	dot := img.Bounds().Dx() / dotsPerRow
	if dot < 1 {
		return
	}
	ink := image.NewUniform(color.RGBA{230, 220, 190, 255})
	left, top := 3*dot, img.Bounds().Dy()-10*dot
	for i, r := range "DEMO" {
		for y, bits := range glyphs[r] {
			for x := range 5 {
				if bits>>(4-x)&1 == 0 {
					continue
				}
				px, py := left+(i*6+x)*dot, top+y*dot
				draw.Draw(img, image.Rect(px, py, px+dot, py+dot), ink, image.Point{}, draw.Src)
			}
		}
	}
}

// comfyPreview returns the picture as it looks part of the way through: the stage
// behind noise that clears.
func comfyPreview(full *image.RGBA, step, of int) ([]byte, error) {
	img := image.NewRGBA(full.Bounds())
	clear := float64(step) / float64(max(of, 1))
	noise := uint32(0x9e3779b9) * uint32(step+1)
	for i := 0; i+3 < len(img.Pix); i += 4 {
		for k := range 3 {
			noise ^= noise << 13
			noise ^= noise >> 17
			noise ^= noise << 5
			img.Pix[i+k] = uint8(clear*float64(full.Pix[i+k]) + (1-clear)*float64(noise>>24))
		}
		img.Pix[i+3] = 255
	}
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: 80})
	return b.Bytes(), err
}

// comfyPNG encodes a picture with the graph in a text chunk, as ComfyUI does.
func comfyPNG(img image.Image, graph any) ([]byte, error) {
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&b, img); err != nil {
		return nil, err
	}
	text, err := json.Marshal(graph)
	if err != nil {
		return nil, err
	}
	const head = 8 + 25 // signature and IHDR
	data := b.Bytes()
	out := append(bytes.Clone(data[:head]), comfyChunk("tEXt", append([]byte("prompt\x00"), comfyASCII(text)...))...)
	return append(out, data[head:]...), nil
}

func comfyChunk(kind string, data []byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// comfyASCII escapes characters that a text chunk, which is Latin-1, cannot hold.
func comfyASCII(text []byte) []byte {
	var out []byte
	for _, r := range string(text) {
		switch {
		case r < 0x80:
			out = append(out, byte(r))
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, "\\u%04x\\u%04x", 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, "\\u%04x", r)
		}
	}
	return out
}
