package tui

import (
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/storage"
	"ghostlight/tui/look"
	"ghostlight/tui/painter"
	"ghostlight/tui/widget"
)

// storyRow is a row of a view of the memory pane as its list knows it.
type storyRow struct {
	key    string // names it for as long as it is there
	head   int    // of the headings
	hidden bool   // it is shown only on demand
	small  string // what it is found by, in lower case
}

// storyList is what the views of the memory pane share: rows under headings, of
// which one is chosen and several may be marked, narrowed by a filter. What a row
// shows is the view's.
type storyList struct {
	a      *app
	chat   storage.ChatID
	loaded bool
	fault  error
	busy   bool // they are being read
	again  bool // and must be read once more

	heads  []string
	rows   []storyRow // replaced, never changed: a search may be reading them
	lines  []int      // the number of a row, or -1-n for heading n
	counts []int      // of the lines under each heading
	left   int        // rows that are left out because they are hidden
	all    bool       // hidden rows are shown
	at     int        // of lines
	top    int
	page   int // lines in view
	marked map[string]bool
	last   string // that was marked last: where a range begins
	wish   string // to be chosen as soon as it is there
	find   storySearch
}

// storySearch narrows a list to the rows that have all words of a text.
type storySearch struct {
	text string
	hits []int // of rows
	of   string
	done bool // hits are of text
	nth  int
	stop *atomic.Bool // ends the search that runs
}

func (s *storySearch) on() bool { return s.text != "" }

// mostFound is how many bytes of a row are searched.
const mostFound = 16 << 10

// searched is a text made ready to be searched, of its parts.
func searched(parts ...string) string {
	var b strings.Builder
	for _, s := range parts {
		if room := mostFound - b.Len(); len(s) > room {
			s = s[:max(0, room)]
		}
		b.WriteString(s)
		b.WriteByte('\n')
	}
	return strings.ToLower(b.String())
}

// renew empties the list for another chat.
func (l *storyList) renew(chat storage.ChatID) {
	if l.find.stop != nil {
		l.find.stop.Store(true)
	}
	*l = storyList{a: l.a, chat: chat, heads: l.heads, all: l.all, busy: l.busy, marked: map[string]bool{}, find: storySearch{nth: l.find.nth + 1}}
}

// load reads what is listed, away from the screen's goroutine: read gets the chat
// and returns what takes it over. What is asked for while it reads is read after
// it.
func (l *storyList) load(read func(storage.ChatID) (func() []storyRow, error)) tea.Cmd {
	if l.busy {
		l.again = true
		return nil
	}
	l.busy, l.again = true, false
	chat := l.chat
	return l.a.Do(func() func() tea.Cmd {
		take, err := read(chat)
		return func() tea.Cmd {
			if l.busy = false; l.chat != chat {
				return l.load(read)
			}
			l.loaded, l.fault = true, err
			if err == nil {
				was := l.key()
				l.rows = take()
				l.forget()
				l.lay(was)
			}
			if l.again {
				return l.load(read)
			}
			if l.find.on() {
				return l.search()
			}
			return nil
		}
	})
}

// forget drops the marks of rows that are gone.
func (l *storyList) forget() {
	if len(l.marked) == 0 {
		return
	}
	there := map[string]bool{}
	for i := range l.rows {
		if k := l.rows[i].key; l.marked[k] {
			there[k] = true
		}
	}
	l.marked = there
}

// lay makes the lines of the rows that are shown, and chooses the one that was
// chosen before. It takes as long as there are rows, so it is done when these
// change, not for every frame.
func (l *storyList) lay(was string) {
	l.lines, l.counts, l.left = l.lines[:0], make([]int, len(l.heads)), 0
	last := -1
	add := func(i int) {
		r := &l.rows[i]
		if r.hidden && !l.all {
			l.left++
			return
		}
		if r.head != last {
			last = r.head
			l.lines = append(l.lines, -1-last)
		}
		l.counts[last]++
		l.lines = append(l.lines, i)
	}
	if l.find.on() {
		for _, i := range l.find.hits {
			if i < len(l.rows) { // until it is searched anew
				add(i)
			}
		}
	} else {
		for i := range l.rows {
			add(i)
		}
	}
	if l.wish != "" && l.goTo(l.wish) {
		l.wish = ""
	} else if was != "" {
		l.goTo(was)
	}
	l.pick(l.at)
}

// goTo chooses the line of a row, and tells whether there is one.
func (l *storyList) goTo(key string) bool {
	same := func(n int) bool { return n >= 0 && l.rows[n].key == key }
	if l.at < len(l.lines) && same(l.lines[l.at]) {
		return true
	}
	i := slices.IndexFunc(l.lines, same)
	if i >= 0 {
		l.at = i
	}
	return i >= 0
}

// pick makes a line the chosen one, or the next that can be.
func (l *storyList) pick(i int) {
	i = max(0, min(i, len(l.lines)-1))
	step := 1
	if i < l.at {
		step = -1
	}
	for _, step := range []int{step, -step} {
		for j := i; j >= 0 && j < len(l.lines); j += step {
			if l.lines[j] >= 0 {
				l.at = j
				return
			}
		}
	}
	l.at = 0
}

// Move is the user's choice of another line: what was to be chosen once it is there
// is not any more.
func (l *storyList) Move(n int) {
	l.wish = ""
	l.pick(l.at + n)
}

// view fits the chosen line, and a heading right above it, into h lines and says
// which to draw.
func (l *storyList) view(h int) (from, to int) {
	l.page = max(1, h)
	first := l.at
	if first > 0 && l.lines[first-1] < 0 && h > 1 {
		first--
	}
	l.top = max(0, min(l.top, first, len(l.lines)-l.page), l.at-l.page+1)
	return l.top, min(len(l.lines), l.top+l.page)
}

// chosen is the number of the chosen row.
func (l *storyList) chosen() (int, bool) {
	if l.at < len(l.lines) && l.lines[l.at] >= 0 {
		return l.lines[l.at], true
	}
	return 0, false
}

// key names the chosen row, "" for none.
func (l *storyList) key() string {
	if i, ok := l.chosen(); ok && i < len(l.rows) {
		return l.rows[i].key
	}
	return ""
}

// targets are the rows that an action is for: the marked ones in their order, or
// the chosen one. but leaves some out; it may be nil.
func (l *storyList) targets(but func(i int) bool) []int {
	var out []int
	if len(l.marked) == 0 {
		if i, ok := l.chosen(); ok && (but == nil || !but(i)) {
			out = append(out, i)
		}
		return out
	}
	for i := range l.rows {
		if l.marked[l.rows[i].key] && (but == nil || !but(i)) {
			out = append(out, i)
		}
	}
	return out
}

// mark marks the chosen row or takes its mark away, and goes on to the next.
func (l *storyList) mark() {
	k := l.key()
	if k == "" {
		return
	}
	if l.marked[k] {
		delete(l.marked, k)
	} else {
		l.marked[k] = true
	}
	l.last = k
	l.Move(1)
}

// markRange marks what lies between the row that was marked last and the chosen
// one.
func (l *storyList) markRange() {
	from := slices.IndexFunc(l.lines, func(n int) bool { return n >= 0 && l.rows[n].key == l.last })
	if from < 0 {
		from = l.at
	}
	for i := min(from, l.at); i <= max(from, l.at) && i < len(l.lines); i++ {
		if n := l.lines[i]; n >= 0 {
			l.marked[l.rows[n].key] = true
		}
	}
	l.last = l.key()
}

// markAll marks all rows that are listed; where all are marked already, none.
func (l *storyList) markAll() {
	fresh := 0
	for _, n := range l.lines {
		if n >= 0 && !l.marked[l.rows[n].key] {
			l.marked[l.rows[n].key] = true
			fresh++
		}
	}
	if fresh == 0 {
		clear(l.marked)
	}
}

// search looks through the rows, away from the screen's goroutine. A search that
// another one follows ends early.
func (l *storyList) search() tea.Cmd {
	s := &l.find
	if s.stop != nil {
		s.stop.Store(true)
	}
	s.nth++
	stop := &atomic.Bool{}
	s.stop, s.done = stop, false
	want, nth, rows := s.text, s.nth, l.rows
	return l.a.Do(func() func() tea.Cmd {
		hits := findRows(rows, want, stop)
		return func() tea.Cmd {
			if nth != l.find.nth {
				return nil
			}
			was := l.key()
			if l.find.of != want && l.wish == "" {
				was, l.at, l.top = "", 0, 0
			}
			l.find.hits, l.find.of, l.find.done = hits, want, true
			l.lay(was)
			return nil
		}
	})
}

// findRows are the rows that have all words of a text.
func findRows(rows []storyRow, want string, stop *atomic.Bool) []int {
	words := strings.Fields(strings.ToLower(want))
	var hits []int
	for i := range rows {
		if i%searchChunk == 0 && stop.Load() {
			return nil
		}
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(rows[i].small, w) }) {
			hits = append(hits, i)
		}
	}
	return hits
}

// setFilter narrows the list to the rows that have all words of a text; "" shows
// all again.
func (l *storyList) setFilter(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	if text == l.find.text {
		return nil
	}
	if text != "" {
		l.find.text = text
		return l.search()
	}
	was := l.key()
	if l.find.stop != nil {
		l.find.stop.Store(true)
	}
	l.find = storySearch{nth: l.find.nth + 1}
	l.lay(was)
	return nil
}

// storyFilter is the line that the text to search for is written in. It leaves
// the list in view.
type storyFilter struct {
	p  *memoryPane
	l  *storyList
	in *widget.Input
}

// openFilter lets the user type what the list is narrowed to.
func (p *memoryPane) openFilter(a *app) tea.Cmd {
	f := &storyFilter{p: p, l: p.view().list(), in: widget.NewInput(true)}
	f.in.Dress(a.lk)
	f.in.Area.Placeholder = "words that are all in it"
	f.in.Set(f.l.find.text)
	f.in.Focus()
	a.dialogs.Open(f)
	return nil
}

// filtering tells whether the filter of the view is being typed.
func (p *memoryPane) filtering(a *app) bool {
	return slices.ContainsFunc(a.dialogs.All, func(d widget.Dialog) bool {
		f, ok := d.(*storyFilter)
		return ok && f.l == p.view().list()
	})
}

// widen takes the marks away, or then the filter.
func (p *memoryPane) widen() tea.Cmd {
	l := p.view().list()
	if len(l.marked) > 0 {
		clear(l.marked)
		return nil
	}
	return l.setFilter("")
}

func (f *storyFilter) Handle(msg tea.Msg) (tea.Cmd, bool) {
	return filterHandle(msg, f.in, f.l.page, f.l.Move, f.l.setFilter)
}

func (f *storyFilter) Draw(buf uv.ScreenBuffer, _ uv.Rectangle, lk *look.Look) *painter.Cursor {
	area := f.p.area
	if !f.p.a.shows(f.p) || f.p.view().list() != f.l || area.Empty() {
		return nil
	}
	look.Fill(buf, area, lk.Base)
	n := look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), lk.Accent, "/ ")
	return f.in.Draw(buf, uv.Rect(area.Min.X+n, area.Min.Y, max(0, area.Dx()-n), 1))
}
