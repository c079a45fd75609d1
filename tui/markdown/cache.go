package markdown

import (
	"hash/maphash"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// key identifies a layout: the hash of a text, the width and the style.
type key struct {
	hash  uint64 // of the visible part of the text
	bytes int    // of the text
	width int
	gen   int
}

// Cache keeps the most recently used layouts. The zero value is ready.
type Cache struct {
	layouts map[key][]Line
	order   []key // of cached layouts, least recently used first
}

const (
	// maxLayouts limits the number of layouts: both sides of a comparison and some versions.
	maxLayouts = 24
	// maxTextBytes limits the text that is laid out, in bytes. A usual recap has about three
	// thousand.
	maxTextBytes = 256 << 10
)

// Lines returns a function that lays a text out in w cells, for a reader.
func Lines(text string, w int, sty *draw.Styles) (out []string) {
	for _, l := range Layout(text, w, sty) {
		out = append(out, l.Text)
	}
	return out
}

// Text lays a text out now, for a reader with lines of w cells, and again if the reader's width or
// style differs.
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

// Lines returns a text laid out in w cells. The result must not be changed.
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
