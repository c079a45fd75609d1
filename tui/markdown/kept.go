package markdown

import (
	"hash/maphash"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// key names a layout: of a text by its hash, for a width and a look.
type key struct {
	hash  uint64 // of what is laid out of the text
	bytes int    // of the text
	width int
	gen   int
}

// Kept keeps the layouts that were asked for last, so that a frame need not lay a
// text out again. The zero value is ready.
type Kept struct {
	kept  map[key][]Line
	order []key // of kept, least recently asked for first
}

const (
	// keptMost bounds how many layouts are kept: both sides of a comparison
	// and the versions that the user leafs through.
	keptMost = 24
	// longest bounds what of a text is laid out, in bytes. A usual recap has some
	// three thousand.
	longest = 256 << 10
)

// Lines are the lines of a text in w cells, for a reader.
func Lines(text string, w int, sty *draw.Styles) (out []string) {
	for _, l := range Lay(text, w, sty) {
		out = append(out, l.Text)
	}
	return out
}

// Text lays a text out now, for a reader with lines of w cells, and once more where the reader
// has another width or look.
func Text(text string, w int, sty *draw.Styles) func(w int, sty *draw.Styles) []string {
	first, width, gen := Lines(text, w, sty), w, sty.Gen
	return func(w int, sty *draw.Styles) []string {
		if w == width && sty.Gen == gen {
			return first
		}
		return Lines(text, w, sty)
	}
}

var seed = maphash.MakeSeed()

// Lines is a text laid out in w cells. What it returns must not be changed.
func (k *Kept) Lines(text string, w int, sty *draw.Styles) []Line {
	of := key{maphash.String(seed, text[:min(len(text), longest)]), len(text), w, sty.Gen}
	k.order = append(slices.DeleteFunc(k.order, func(o key) bool { return o == of }), of)
	if lines, ok := k.kept[of]; ok {
		return lines
	}
	if k.kept == nil {
		k.kept = map[key][]Line{}
	}
	for len(k.order) > keptMost {
		delete(k.kept, k.order[0])
		k.order = k.order[1:]
	}
	k.kept[of] = Lay(text, w, sty)
	return k.kept[of]
}
