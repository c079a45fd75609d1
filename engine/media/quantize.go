package media

import (
	"image"
	"image/color"
	"slices"
)

// MaxColours is the number of colours of a palette: the limit of GIF and of Sixel terminals.
const MaxColours = 256

// Quantize reduces a picture to MaxColours colours. A picture with few colours keeps them. Otherwise
// the colour space is divided where most pixels are, and missing colours are dithered.
func Quantize(px *image.RGBA) *image.Paletted {
	w, h := px.Rect.Dx(), px.Rect.Dy()
	if out := fewColours(px); out != nil {
		return out
	}
	bins := histogram(px)
	boxes := boxesOf(bins)
	out := image.NewPaletted(image.Rect(0, 0, w, h), make(color.Palette, len(boxes)))
	var index [histogramBins]int16
	for i := range index {
		index[i] = -1
	}
	for i, box := range boxes {
		out.Palette[i] = mean(box)
		for _, b := range box {
			index[b.key] = int16(i) //nolint:gosec // at most 256 boxes
		}
	}
	for y := range h {
		row, to := px.Pix[y*px.Stride:], out.Pix[y*out.Stride:]
		for x := range w {
			r, g, b := row[4*x], row[4*x+1], row[4*x+2]
			d := grain[y&3][x&3]
			i := index[binOf(nudge(r, d), nudge(g, d), nudge(b, d))]
			if i < 0 {
				i = index[binOf(r, g, b)]
			}
			to[x] = uint8(i) //nolint:gosec // every colour of the picture has its box
		}
	}
	return out
}

// fewColours returns the picture with exactly its colours, nil if there are too many.
func fewColours(px *image.RGBA) *image.Paletted {
	w, h := px.Rect.Dx(), px.Rect.Dy()
	seen := map[color.RGBA]uint8{}
	out := image.NewPaletted(image.Rect(0, 0, w, h), nil)
	for y := range h {
		row, to := px.Pix[y*px.Stride:], out.Pix[y*out.Stride:]
		for x := range w {
			c := color.RGBA{row[4*x], row[4*x+1], row[4*x+2], 0xff}
			i, ok := seen[c]
			if !ok {
				if len(seen) == MaxColours {
					return nil
				}
				i = uint8(len(seen)) //nolint:gosec // less than 256
				seen[c] = i
				out.Palette = append(out.Palette, c)
			}
			to[x] = i
		}
	}
	return out
}

// histogramBins is the number of colours with five bits per component.
const histogramBins = 1 << 15

func binOf(r, g, b uint8) int { return int(r>>3)<<10 | int(g>>3)<<5 | int(b>>3) }

// grain is the amount by which a pixel is changed before its colour is looked up: up to half a bin,
// in an invisible pattern.
var grain = [4][4]int{{-4, 0, -3, 1}, {2, -2, 3, -1}, {-3, 1, -4, 0}, {3, -1, 2, -2}}

func nudge(v uint8, by int) uint8 { return uint8(min(max(int(v)+by, 0), 255)) } //nolint:gosec // within bounds

// bin is the pixels of one colour of 15 bits.
type bin struct {
	key   int
	count int
	sum   [3]int
}

func histogram(px *image.RGBA) []bin {
	all := make([]bin, histogramBins)
	for y := range px.Rect.Dy() {
		row := px.Pix[y*px.Stride : y*px.Stride+4*px.Rect.Dx()]
		for x := 0; x+3 < len(row); x += 4 {
			b := &all[binOf(row[x], row[x+1], row[x+2])]
			b.count++
			b.sum[0] += int(row[x])
			b.sum[1] += int(row[x+1])
			b.sum[2] += int(row[x+2])
		}
	}
	found := all[:0]
	for key, b := range all {
		if b.count > 0 {
			b.key = key
			found = append(found, b)
		}
	}
	return found
}

// part returns the red, green or blue of a bin, from 0 to 31.
func (b bin) part(axis int) int { return b.key >> (10 - 5*axis) & 31 }

// boxesOf divides bins into at most as many boxes as there are colours: it repeatedly splits the
// most important box at the median of its longest side.
func boxesOf(bins []bin) [][]bin {
	boxes := [][]bin{bins}
	weights := []int{weight(bins)}
	for len(boxes) < MaxColours {
		at := 0
		for i, w := range weights {
			if w > weights[at] {
				at = i
			}
		}
		if weights[at] == 0 {
			break // one bin in each
		}
		a, b := halve(boxes[at])
		boxes[at], weights[at] = a, weight(a)
		boxes, weights = append(boxes, b), append(weights, weight(b))
	}
	return boxes
}

// longest returns the longest side of a box, and its length.
func longest(box []bin) (axis, length int) {
	for a := range 3 {
		lo, hi := 31, 0
		for _, b := range box {
			lo, hi = min(lo, b.part(a)), max(hi, b.part(a))
		}
		if hi-lo > length {
			axis, length = a, hi-lo
		}
	}
	return axis, length
}

func weight(box []bin) int {
	_, length := longest(box)
	n := 0
	for _, b := range box {
		n += b.count
	}
	return n * length
}

// halve splits a box of at least two bins.
func halve(box []bin) (a, b []bin) {
	axis, _ := longest(box)
	sortBy(axis, box)
	total := 0
	for _, x := range box {
		total += x.count
	}
	at, half := 1, box[0].count
	for at < len(box)-1 && half+box[at].count <= total/2 {
		half += box[at].count
		at++
	}
	return box[:at], box[at:]
}

// sortBy sorts bins by one of their parts. These have 32 values, so it uses counting sort.
func sortBy(axis int, box []bin) {
	var next [33]int
	for _, b := range box {
		next[b.part(axis)+1]++
	}
	for i := 1; i < len(next); i++ {
		next[i] += next[i-1]
	}
	for _, b := range slices.Clone(box) {
		box[next[b.part(axis)]] = b
		next[b.part(axis)]++
	}
}

func mean(box []bin) color.RGBA {
	var sum [3]int
	n := 0
	for _, b := range box {
		n += b.count
		for a := range sum {
			sum[a] += b.sum[a]
		}
	}
	at := func(a int) uint8 { return uint8((sum[a] + n/2) / n) } //nolint:gosec // a mean of bytes
	return color.RGBA{at(0), at(1), at(2), 0xff}
}
