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

// Cache keeps the layouts that were asked for last, so that a frame need not lay a
// text out again. The zero value is ready.
type Cache struct {
	layouts map[key][]Line
	order   []key // of kept, least recently asked for first
}

const (
	// maxLayouts bounds how many layouts are kept: both sides of a comparison
	// and the versions that the user leafs through.
	maxLayouts = 24
	// maxTextBytes bounds what of a text is laid out, in bytes. A usual recap has some
	// three thousand.
	maxTextBytes = 256 << 10
)

// Lines are the lines of a text in w cells, for a reader.
func Lines(text string, w int, sty *draw.Styles) (out []string) {
	for _, l := range Layout(text, w, sty) {
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
func (k *Cache) Lines(text string, w int, sty *draw.Styles) []Line {
	of := key{maphash.String(seed, text[:min(len(text), maxTextBytes)]), len(text), w, sty.Gen}
	k.order = append(slices.DeleteFunc(k.order, func(o key) bool { return o == of }), of)
	if lines, ok := k.layouts[of]; ok {
		return lines
	}
	if k.layouts == nil {
		k.layouts = map[key][]Line{}
	}
	for len(k.order) > maxLayouts {
		delete(k.layouts, k.order[0])
		k.order = k.order[1:]
	}
	k.layouts[of] = Layout(text, w, sty)
	return k.layouts[of]
}
