package tui

import (
	"hash/maphash"
	"slices"

	"ghostlight/storage"
	"ghostlight/tui/look"
)

// markKey names a layout. Two texts of one version differ in their hash, so a
// layout can never stand for another text, width or look than its own.
type markKey struct {
	recap storage.RecapID
	hash  uint64
	width int
	gen   int
}

// markdown keeps layouts of recaps. The zero value is ready.
type markdown struct {
	kept  map[markKey][]markLine
	order []markKey // of kept, least recently asked for first
}

const (
	// keptMarkdown bounds how many layouts are kept: both sides of a comparison
	// and the versions that the user leafs through.
	keptMarkdown = 24
	// mostMarkdown bounds what of a recap is laid out, in bytes. A usual one has
	// some three thousand.
	mostMarkdown = 256 << 10
)

var markSeed = maphash.MakeSeed()

// lines is a recap's text laid out in w cells.
func (m *markdown) lines(id storage.RecapID, text string, w int, lk *look.Look) []markLine {
	text = text[:min(len(text), mostMarkdown)]
	key := markKey{id, maphash.String(markSeed, text), w, lk.Gen}
	m.order = append(slices.DeleteFunc(m.order, func(k markKey) bool { return k == key }), key)
	if lines, ok := m.kept[key]; ok {
		return lines
	}
	if m.kept == nil {
		m.kept = map[markKey][]markLine{}
	}
	for len(m.order) > keptMarkdown {
		delete(m.kept, m.order[0])
		m.order = m.order[1:]
	}
	m.kept[key] = layMarkdown(text, w, lk)
	return m.kept[key]
}
