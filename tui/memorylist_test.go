package tui

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ghostlight/engine/memory"
	"ghostlight/storage"
)

// Whatever is done to a list, the chosen line is a row that is shown, and
// headings stand above rows only.
func TestMemory_ListHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := &storyList{heads: []string{"a", "b", "c"}, marked: map[string]bool{}}
		fill := func(t *rapid.T) {
			was := l.key()
			l.rows = nil
			for i, n := range rapid.SliceOfN(rapid.IntRange(0, 5), 0, 30).Draw(t, "rows") {
				l.rows = append(l.rows, storyRow{key: string(rune('A' + i)), head: n % 3, hidden: n > 3, small: strings.Repeat("x", n)})
			}
			slices.SortStableFunc(l.rows, func(x, y storyRow) int { return x.head - y.head })
			l.forget()
			if l.find.on() {
				l.find.hits = findRows(l.rows, l.find.text, &atomic.Bool{})
			}
			l.lay(was)
		}
		t.Repeat(map[string]func(*rapid.T){
			"fill":  fill,
			"move":  func(t *rapid.T) { l.Move(rapid.IntRange(-40, 40).Draw(t, "by")) },
			"mark":  func(*rapid.T) { l.mark() },
			"range": func(*rapid.T) { l.markRange() },
			"all":   func(*rapid.T) { l.markAll() },
			"shown": func(*rapid.T) { was := l.key(); l.all = !l.all; l.lay(was) },
			"find": func(t *rapid.T) {
				was := l.key()
				l.find.text = rapid.SampledFrom([]string{"", "x", "xx", "xxxx"}).Draw(t, "text")
				l.find.hits = findRows(l.rows, l.find.text, &atomic.Bool{})
				l.lay(was)
			},
			"draw": func(t *rapid.T) {
				from, to := l.view(rapid.IntRange(1, 12).Draw(t, "lines"))
				if len(l.lines) > 0 && (l.at < from || l.at >= to || from < 0 || to > len(l.lines)) {
					t.Fatalf("line %d of %d is chosen, %d to %d are shown", l.at, len(l.lines), from, to)
				}
			},
			"": func(t *rapid.T) {
				seen := 0
				for i, n := range l.lines {
					if n < 0 {
						if i+1 == len(l.lines) || l.lines[i+1] < 0 {
							t.Fatal("a heading without rows")
						}
						continue
					}
					seen++
					if r := l.rows[n]; r.hidden && !l.all || len(r.small) < len(l.find.text) {
						t.Fatalf("row %q is shown", r.key)
					}
				}
				if _, ok := l.chosen(); ok != (seen > 0) {
					t.Fatalf("of %d rows one is chosen: %v", seen, ok)
				}
				sum := 0
				for _, n := range l.counts {
					sum += n
				}
				if sum != seen {
					t.Fatalf("%d rows are counted, %d shown", sum, seen)
				}
			},
		})
	})
}

func TestMemory_Order(t *testing.T) {
	list := someMemories()
	rows := memoryRows(list)
	var got []string
	for i := range rows {
		got = append(got, rows[i].key)
	}
	want := []string{"m2", "m4", "m8", "m9", "m1", "m3", "m5", "m6", "m7"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("memories (-want +got):\n%s", diff)
	}
	hooks := someHooks()
	got = nil
	for _, r := range hookRows(hooks) {
		got = append(got, r.key)
	}
	if diff := cmp.Diff([]string{"h2", "h3", "h1", "h5", "h4", "h6", "h7"}, got); diff != "" {
		t.Errorf("hooks (-want +got):\n%s", diff)
	}
	threads := someThreads()
	got = nil
	for _, r := range threadRows(threads) {
		got = append(got, r.key)
	}
	if diff := cmp.Diff([]string{"a", "b", "d", "e", "c", "f"}, got); diff != "" {
		t.Errorf("threads (-want +got):\n%s", diff)
	}
}

// Every type and state has its heading and its sign.
func TestMemory_Words(t *testing.T) {
	if len(memoryHeads) != len(storage.MemoryTypes)+1 || len(hookHeads) != len(hookStates)+1 {
		t.Fatal("a heading is missing")
	}
	for mark, m := range map[string]memory.View{
		"●": {Holds: true, InPrompt: true}, "○": {Holds: true}, "·": {InPrompt: true},
		"–": {Holds: true, Memory: storage.Memory{Muted: true}}, "✗": {Holds: true, Memory: storage.Memory{Removed: true, Muted: true}},
	} {
		if got := memoryMark(&m); got != mark {
			t.Errorf("%+v has %q, not %q", m, got, mark)
		}
	}
	for words, x := range map[string]float64{".85": 0.85, "1.00": 1, ".00": -3, ".50": 0.5} {
		if got := importance(x); got != words {
			t.Errorf("%v reads %q", x, got)
		}
	}
}

func TestMemory_Searched(t *testing.T) {
	text := searched("The KEY", strings.Repeat("é", mostFound), "tail")
	if len(text) > mostFound+8 || !strings.HasPrefix(text, "the key\n") {
		t.Errorf("%d bytes: %.20q", len(text), text)
	}
	rows := []storyRow{{small: searched("One two")}, {small: searched("Two three")}, {}}
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
