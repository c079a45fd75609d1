package tui

import (
	"hash/maphash"

	tea "charm.land/bubbletea/v2"

	"ghostlight/storage"
)

// markKey names a layout. Two texts of one version differ in their hash, so a
// layout can never stand for another text, width or look than its own.
type markKey struct {
	recap storage.RecapID
	hash  uint64
	width int
	gen   int
}

// markdown keeps finished layouts of recaps, and knows which are still to be
// made. Layouts are made by commands, away from the screen's goroutine; until
// one is there, a plain layout that looks much like it stands in. The zero value
// is ready.
type markdown struct {
	kept   map[markKey][]markLine
	order  []markKey // of kept, least recently asked for first
	wanted map[markKey]string
	busy   map[markKey]bool
}

// keptMarkdown bounds how many layouts are kept: both sides of a comparison and
// the versions that the user leafs through.
const keptMarkdown = 24

var markSeed = maphash.MakeSeed()

// lines is a recap's text laid out in w cells, or what stands in for it until
// the command of take has made it.
func (m *markdown) lines(id storage.RecapID, text string, w int, lk *look) []markLine {
	key := markKey{id, maphash.String(markSeed, text), w, lk.gen}
	if lines, ok := m.kept[key]; ok {
		m.used(key)
		return lines
	}
	if !m.busy[key] {
		if m.wanted == nil {
			m.kept, m.wanted, m.busy = map[markKey][]markLine{}, map[markKey]string{}, map[markKey]bool{}
		}
		m.wanted[key] = text
	}
	return layMarkdown(text, w, lk, plainBlock(lk))
}

func (m *markdown) used(key markKey) {
	for i, k := range m.order {
		if k == key {
			m.order = append(m.order[:i], m.order[i+1:]...)
			break
		}
	}
	m.order = append(m.order, key)
}

// take returns the command that makes the layouts which the last frame lacked,
// nil for none.
func (m *markdown) take(lk *look) tea.Cmd {
	if len(m.wanted) == 0 {
		return nil
	}
	var cmds []tea.Cmd
	for key, text := range m.wanted {
		m.busy[key] = true
		cmds = append(cmds, func() tea.Msg {
			lines := renderMarkdown(text, key.width, lk)
			return answerFunc(func(a *app) tea.Cmd { a.md.made(key, lines, a.lk.gen); return nil })
		})
	}
	clear(m.wanted)
	return tea.Batch(cmds...)
}

// made takes a layout in. One of an older look is of no use any more; one of
// another width or text stays under its own key, where nothing takes it for
// what it is not.
func (m *markdown) made(key markKey, lines []markLine, gen int) {
	delete(m.busy, key)
	if key.gen != gen {
		return
	}
	m.kept[key] = lines
	m.used(key)
	for len(m.order) > keptMarkdown {
		delete(m.kept, m.order[0])
		m.order = m.order[1:]
	}
}
