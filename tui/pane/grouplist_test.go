package pane

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// After any operation on a list, the chosen line is a visible row, and headings are above rows
// only.
func TestGroupList_Holds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &GroupList{Groups: []string{"a", "b", "c"}, groupState: groupState{Marked: map[string]bool{}}}
		fill := func(t *rapid.T) {
			was := l.Key()
			l.Rows = nil
			for i, n := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 30).Draw(t, "rows") {
				l.Rows = append(l.Rows, GroupRow{Key: string(rune('A' + i)), Group: n % 3, Hidden: n > 3, Text: strings.Repeat("x", n)})
			}
			slices.SortStableFunc(l.Rows, func(x, y GroupRow) int { return x.Group - y.Group })
			l.DropMarks()
			if l.Filter.Active() {
				l.Filter.Hits = findRows(l.Rows, l.Filter.Text, &atomic.Bool{})
			}
			l.LayOut(was)
		}
		t.Repeat(map[string]func(*rapid.T){
			"fill":  fill,
			"move":  func(t *rapid.T) { l.Move(rapid.IntRange(-40, 40).Draw(t, "by")) },
			"mark":  func(*rapid.T) { l.Mark() },
			"range": func(*rapid.T) { l.MarkRange() },
			"all":   func(*rapid.T) { l.MarkAll() },
			"shown": func(*rapid.T) { was := l.Key(); l.All = !l.All; l.LayOut(was) },
			"find": func(t *rapid.T) {
				was := l.Key()
				l.Filter.Text = rapid.SampledFrom([]string{"", "x", "xx", "xxxx"}).Draw(t, "text")
				l.Filter.Hits = findRows(l.Rows, l.Filter.Text, &atomic.Bool{})
				l.LayOut(was)
			},
			"draw": func(t *rapid.T) {
				from, to := l.View(rapid.IntRange(1, 12).Draw(t, "lines"))
				if len(l.Lines) > 0 && (l.At < from || l.At >= to || from < 0 || to > len(l.Lines)) {
					t.Fatalf("line %d of %d is chosen, %d to %d are shown", l.At, len(l.Lines), from, to)
				}
			},
			"": func(t *rapid.T) {
				seen := 0
				for i, n := range l.Lines {
					if n < 0 {
						if i+1 == len(l.Lines) || l.Lines[i+1] < 0 {
							t.Fatal("a heading without rows")
						}
						continue
					}
					seen++
					if r := l.Rows[n]; r.Hidden && !l.All || len(r.Text) < len(l.Filter.Text) {
						t.Fatalf("row %q is shown", r.Key)
					}
				}
				if _, ok := l.Chosen(); ok != (seen > 0) {
					t.Fatalf("of %d rows one is chosen: %v", seen, ok)
				}
				sum := 0
				for _, n := range l.Counts {
					sum += n
				}
				if sum != seen {
					t.Fatalf("%d rows are counted, %d shown", sum, seen)
				}
			},
		})
	})
}

func TestGroupList_Search(t *testing.T) {
	text := SearchText("The KEY", strings.Repeat("é", maxFound), "tail")
	if len(text) > maxFound+8 || !strings.HasPrefix(text, "the key\n") {
		t.Errorf("%d bytes: %.20q", len(text), text)
	}
	rows := []GroupRow{{Text: SearchText("One two")}, {Text: SearchText("Two three")}, {}}
	for want, hits := range map[string][]int{"two": {0, 1}, "TWO  thr": {1}, "four": nil, "": {0, 1, 2}} {
		if diff := cmp.Diff(hits, findRows(rows, want, &atomic.Bool{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", want, diff)
		}
	}
	stop := &atomic.Bool{}
	stop.Store(true)
	if got := findRows(rows, "two", stop); got != nil {
		t.Errorf("found %v though it was stopped", got)
	}
}
