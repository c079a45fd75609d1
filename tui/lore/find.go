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

// searchText is an entry prepared for searching.
type searchText struct {
	head    string // text for fuzzy matching
	small   string // the same in lower case
	content string // in lower case, at most maxSearched bytes
}

// maxSearched is the number of bytes of a content that are searched.
const maxSearched = 64 << 10

// searchTexts prepares entries for searching. Unchanged entries reuse the earlier result.
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

// hit is an entry that matches.
type hit struct {
	book, row int
	tier      int // lower is better
	score     int
}

// Tiers of a hit: its names or keys contain the text, its content contains every word of it, or its
// names and keys contain the letters in this order.
const (
	tierHead = iota
	tierContent
	tierLetters
)

// find returns a function that searches the entries that were read.
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

// searchChunk is the number of entries that are searched between two checks whether the search was
// cancelled.
const searchChunk = 512

type searchHeads []searchText

func (h searchHeads) String(i int) string { return h[i].head }
func (h searchHeads) Len() int            { return len(h) }

// findEntries returns the entries that match a text, best match first. Entries that only contain
// its letters are returned only if no entry contains the text itself.
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

// openFilter opens the line that filters the list.
func (p *entriesView) openFilter() tea.Cmd {
	p.wide = true
	return tea.Batch(p.Filtering(p.part.shown)[0].Do(), p.List.Read()) // entries of folded books too
}
