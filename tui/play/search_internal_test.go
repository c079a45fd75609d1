package play

import (
	"fmt"
	"testing"
)

// Rows gone down before all hits are known apply to the hits still to come.
func TestSearch_MovesBeforeAllHits(t *testing.T) {
	all := make([]searchHit, 5)
	for i := range all {
		all[i].text = fmt.Sprint(i)
	}
	for _, test := range []struct {
		name          string
		before, after []int // moves before and after the first results
		first, want   int   // the number of the first results, the row that is selected at the end
	}{
		{"nothing yet", nil, []int{1, 1, -1}, 0, 1},
		{"one so far", nil, []int{1, 1, -1}, 1, 1},
		{"before any answer", []int{1, 1}, []int{-1}, 1, 1},
		{"beyond the last", nil, []int{9}, 2, 4},
		{"above the first", nil, []int{-3, 1}, 0, 1},
		{"none needed", nil, []int{1}, 3, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &finder{search: &search{scope: inChats}}
			for _, n := range test.before {
				f.move(n)
			}
			f.setResult(nil, searchResult{hits: all[:test.first]})
			for _, n := range test.after {
				f.move(n)
			}
			f.setResults(nil, searchResult{hits: all, whole: true})
			if got := max(f.at, 0); got != test.want {
				t.Errorf("row %d, want %d", got, test.want)
			}
		})
	}
}
