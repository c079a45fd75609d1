package lore

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// searchText is an entry made ready to be searched.
type searchText struct {
	head    string // what it is found by though letters are missing
	small   string // the same in lower case
	content string // in lower case, and no more than mostSearched of it
}

// mostSearched is how many bytes of a content are searched.
const mostSearched = 64 << 10

// searchTexts makes entries ready to be searched. Those that are as they were
// before keep what was made then.
func searchTexts(rows, before []lore.Row, made []searchText) []searchText {
	out := make([]searchText, len(rows))
	for i := range rows {
		e := &rows[i]
		if i < len(made) && before[i].ID == e.ID && before[i].Revision == e.Revision && e.Revision != "" {
			out[i] = made[i]
			continue
		}
		parts := []string{e.Name}
		for _, more := range [][]string{e.Aliases, e.Keys, e.SecondaryKeys, {e.Type}} {
			for _, s := range more {
				if s != "" {
					parts = append(parts, s)
				}
			}
		}
		head := strings.Join(parts, " · ")
		if len(head) > mostSearched {
			head = head[:mostSearched]
		}
		content := e.Content
		if len(content) > mostSearched {
			content = content[:mostSearched]
		}
		out[i] = searchText{head, strings.ToLower(head), strings.ToLower(content)}
	}
	return out
}

// hit is an entry that was found.
type hit struct {
	book, row int
	tier      int // the lower, the more alike
	score     int
}

// How alike a hit is: its names or keys hold the text, its content holds every
// word of it, or its names and keys have the letters in this order.
const (
	tierHead = iota
	tierContent
	tierLetters
)

// entrySearch narrows the list to what is like a text.
type entrySearch struct {
	text string
	wide bool // entries of folded books count too
	hits []hit
	near int // of hits: those before it hold the text itself
	of   string
	done bool // hits are of text
	nth  int
	stop *atomic.Bool // ends the search that runs
}

func (s *entrySearch) on() bool { return s.text != "" }

func (s *entrySearch) clear() {
	if s.stop != nil {
		s.stop.Store(true)
	}
	*s = entrySearch{nth: s.nth + 1}
}

// search looks through what was read, away from the screen's goroutine. A search
// that another one follows ends early.
func (p *entriesView) search() tea.Cmd {
	s := &p.find
	if s.stop != nil {
		s.stop.Store(true)
	}
	s.nth++
	stop := &atomic.Bool{}
	s.stop, s.done = stop, false
	want, nth := s.text, s.nth
	books := make([][]searchText, len(p.books))
	for i, b := range p.books {
		books[i] = b.texts
	}
	return p.Desk.Do(func() func() tea.Cmd {
		hits, near := findEntries(books, want, stop)
		return func() tea.Cmd {
			if nth != p.find.nth {
				return nil
			}
			fresh := p.find.of != want
			p.find.hits, p.find.near, p.find.of, p.find.done = hits, near, want, true
			if fresh && p.wish == (entryKey{}) {
				p.lines, p.at, p.top = p.lines[:0], 0, 0
			}
			p.lay(p.key())
			return nil
		}
	})
}

// searchChunk is how many entries are searched before it is asked whether the
// search goes on.
const searchChunk = 512

type heads []searchText

func (h heads) String(i int) string { return h[i].head }
func (h heads) Len() int            { return len(h) }

// findEntries is the entries that are like a text, the most alike first; near is how
// many of them hold the text itself.
func findEntries(books [][]searchText, want string, stop *atomic.Bool) (hits []hit, near int) {
	small := strings.ToLower(strings.TrimSpace(want))
	words := strings.Fields(small)
	letters := strings.Join(strings.Fields(want), "")
	for b, texts := range books {
		for from := 0; from < len(texts); from += searchChunk {
			if stop.Load() {
				return nil, 0
			}
			part := texts[from:min(len(texts), from+searchChunk)]
			hits = searchPart(hits, part, hit{book: b, row: from}, small, letters, words)
		}
	}
	slices.SortFunc(hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(x.tier, y.tier), cmp.Compare(y.score, x.score), cmp.Compare(x.book, y.book), cmp.Compare(x.row, y.row))
	})
	near = slices.IndexFunc(hits, func(h hit) bool { return h.tier == tierLetters })
	if near < 0 {
		near = len(hits)
	}
	return hits, near
}

func searchPart(hits []hit, part []searchText, from hit, small, letters string, words []string) []hit {
	scores := map[int]int{}
	for _, m := range fuzzy.FindFromNoSort(letters, heads(part)) {
		scores[m.Index] = m.Score
	}
	for i := range part {
		h := hit{book: from.book, row: from.row + i}
		score, alike := scores[i]
		h.score = score
		switch {
		case strings.Contains(part[i].small, small):
			h.tier = tierHead
		case holdsAll(part[i], words):
			h.tier = tierContent
		case alike:
			h.tier = tierLetters
		default:
			continue
		}
		hits = append(hits, h)
	}
	return hits
}

// holdsAll tells whether every word is in the content or the names of an entry.
func holdsAll(t searchText, words []string) bool {
	for _, w := range words {
		if !strings.Contains(t.content, w) && !strings.Contains(t.small, w) {
			return false
		}
	}
	return true
}

// openFilter lets the user type what the list is narrowed to. The line leaves the
// list in view.
func (p *entriesView) openFilter() tea.Cmd {
	f := widget.NewFilterLine(p.Desk.Look(), "name, alias, key, type or content", p.find.text)
	f.Page, f.Move, f.Set = func() int { return p.page }, p.Move, p.setFilter
	f.Area = p.filterLine
	p.typed = f
	p.find.wide = true
	p.Desk.Open(f)
	return p.load() // those of folded books too
}

// setFilter narrows the list to what is like a text; "" shows all again.
func (p *entriesView) setFilter(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	if text == p.find.text {
		return nil
	}
	if text == "" {
		p.wish = p.key()
		p.find.clear()
		p.lay(p.key())
		p.wish = entryKey{}
		return nil
	}
	p.find.text, p.find.wide = text, true
	return p.search()
}
