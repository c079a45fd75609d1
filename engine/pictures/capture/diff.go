package capture

import (
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Bounds of what is kept of the user's changes to a text: hunks, runes of one
// side of a hunk, and bytes of all; and the words beyond which two texts are not
// compared word by word.
const (
	mostHunks  = 16
	longHunk   = 160
	mostEdited = 1800
	mostCells  = 1 << 18
)

// hunk is a run of words that went and what came for it, by place.
type hunk struct{ from, to, came, until int }

// Changes are the differences of two texts word by word, as changes to a field:
// in order, bounded, long ones cut.
func Changes(field, before, after string) []storage.EditChange {
	a, b := strings.Fields(before), strings.Fields(after)
	var out []storage.EditChange
	size := 0
	for _, h := range hunks(a, b) {
		c := storage.EditChange{Field: field, Removed: cutWords(a[h.from:h.to]), Added: cutWords(b[h.came:h.until])}
		if size += len(c.Field) + len(c.Removed) + len(c.Added); size > mostEdited || len(out) == mostHunks {
			return append(out, storage.EditChange{Field: field, Removed: "…", Added: "…"})
		}
		out = append(out, c)
	}
	return out
}

// cutWords joins words, with an ellipsis where there are too many.
func cutWords(list []string) string {
	s := strings.Join(list, " ")
	if utf8.RuneCountInString(s) <= longHunk {
		return s
	}
	r := []rune(s)
	return strings.TrimSpace(string(r[:longHunk*2/3])) + " … " + strings.TrimSpace(string(r[len(r)-longHunk/4:]))
}

// hunks finds where two lists of words differ: the shortest such list, unless the
// texts are too long to look for it.
func hunks(a, b []string) []hunk {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	x, y := a[start:len(a)-end], b[start:len(b)-end]
	switch {
	case len(x) == 0 && len(y) == 0:
		return nil
	case len(x) == 0 || len(y) == 0 || len(x) > mostCells/len(y):
		return []hunk{{start, len(a) - end, start, len(b) - end}}
	}
	var out []hunk
	i, j := 0, 0
	for _, m := range append(common(x, y), [2]int{len(x), len(y)}) {
		if m[0] > i || m[1] > j {
			out = append(out, hunk{start + i, start + m[0], start + j, start + m[1]})
		}
		i, j = m[0]+1, m[1]+1
	}
	return out
}

// common is a longest common subsequence of two short lists, as pairs of places.
func common(x, y []string) [][2]int {
	width := len(y) + 1
	longest := make([]uint16, (len(x)+1)*width)
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				longest[i*width+j] = min(longest[(i+1)*width+j+1], 1<<15) + 1
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case longest[(i+1)*width+j] >= longest[i*width+j+1]:
			i++
		default:
			j++
		}
	}
	return out
}
