package lore

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
)

// searchText is an entry made ready to be searched.
type searchText struct {
	head    string // what it is found by though letters are missing
	small   string // the same in lower case
	content string // in lower case, and no more than maxSearched of it
}

// maxSearched is how many bytes of a content are searched.
const maxSearched = 64 << 10

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
		if len(head) > maxSearched {
			head = head[:maxSearched]
		}
		content := e.Content
		if len(content) > maxSearched {
			content = content[:maxSearched]
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

// find returns what looks through the entries that were read.
func (p *entriesView) find(want string, stop *atomic.Bool) func() []int {
	books, first := make([][]searchText, len(p.books)), make([]int, len(p.books))
	for i, b := range p.books {
		books[i] = b.texts
		first[i] = slices.IndexFunc(p.Items, func(l listLine) bool { return l.book == b && l.row == 0 })
	}
	return func() (out []int) {
		for _, h := range findEntries(books, want, stop) {
			out = append(out, first[h.book]+h.row)
		}
		return out
	}
}

// searchChunk is how many entries are searched before it is asked whether the
// search goes on.
const searchChunk = 512

type searchHeads []searchText

func (h searchHeads) String(i int) string { return h[i].head }
func (h searchHeads) Len() int            { return len(h) }

// findEntries returns the entries that are like a text, the most alike first: those that only have its
// letters where no other has the text itself.
func findEntries(books [][]searchText, want string, stop *atomic.Bool) (hits []hit) {
	small := strings.ToLower(strings.TrimSpace(want))
	words := strings.Fields(small)
	letters := strings.Join(strings.Fields(want), "")
	for b, texts := range books {
		for from := 0; from < len(texts); from += searchChunk {
			if stop.Load() {
				return nil
			}
			part := texts[from:min(len(texts), from+searchChunk)]
			hits = searchPart(hits, part, hit{book: b, row: from}, small, letters, words)
		}
	}
	slices.SortFunc(hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(x.tier, y.tier), cmp.Compare(y.score, x.score), cmp.Compare(x.book, y.book),
			cmp.Compare(x.row, y.row))
	})
	if n := slices.IndexFunc(hits, func(h hit) bool { return h.tier == tierLetters }); n > 0 {
		hits = hits[:n]
	}
	return hits
}

func searchPart(hits []hit, part []searchText, from hit, small, letters string, words []string) []hit {
	scores := map[int]int{}
	for _, m := range fuzzy.FindFromNoSort(letters, searchHeads(part)) {
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

// holdsAll reports whether every word is in the content or the names of an entry.
func holdsAll(t searchText, words []string) bool {
	for _, w := range words {
		if !strings.Contains(t.content, w) && !strings.Contains(t.small, w) {
			return false
		}
	}
	return true
}

// openFilter lets the user type what the list is narrowed to.
func (p *entriesView) openFilter() tea.Cmd {
	p.wide = true
	return tea.Batch(p.Filtering(p.part.shown)[0].Do(), p.List.Read()) // those of folded books too
}
