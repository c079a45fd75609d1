package pane

import (
	"cmp"
	"slices"
	"strings"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// GroupRow is the list's view of a row.
type GroupRow struct {
	Key    string // identifies it as long as it exists
	Group  int    // index of its heading
	Hidden bool   // it is shown only on demand
	Folded bool   // in a folded group: only the filter shows it
	Fixed  bool   // it cannot be marked
	Text   string // searched by the filter, in lower case
	Height int    // in lines, 0 for the list's own height
}

// GroupList is a list of a chat's things under headings. One row is chosen, several may be marked,
// and a filter narrows it. The pane draws the rows. The list belongs to the screen's goroutine.
type GroupList struct {
	Host   Host // never changed: commands on other goroutines use it
	Groups []string
	Chat   storage.ChatID
	Busy   bool     // the rows are being read
	All    bool     // hidden rows are shown
	Height int      // lines of a row, 0 for one; headings have one
	next   readRows // the newest reader
	// Find returns a function that finds the rows for a filter text, best match first. It runs away
	// from the screen's goroutine; stop ends it early. Nil finds the rows with all words of the
	// text.
	Find func(want string, stop *atomic.Bool) func() []int
	groupState
}

// groupState is a GroupList's state for its chat.
type groupState struct {
	Loaded bool
	Fault  error
	Stale  bool // the rows must be read again

	Rows           []GroupRow // replaced, never changed: a search may be reading them
	Lines          []int      // index of a row, or -1-n for heading n
	Counts         []int      // number of rows under each heading
	Left           int        // number of hidden rows
	widget.Outline            // of lines
	Marked         map[string]bool
	lastMarked     string // the last marked one, where a range begins
	PendingKey     string // to be chosen once it exists
	revealHidden   bool   // and shown even if it is hidden
	Filter         GroupFilter
}

// NewGroupList makes a list with its headings. Its chat is not a real one, so the first reading
// counts as one of another chat.
func NewGroupList(d Host, groups []string) GroupList {
	return GroupList{Host: d, Groups: groups, Chat: "\x00", groupState: groupState{Marked: map[string]bool{}}}
}

// GroupFilter narrows a list to the rows that have all words of a text.
type GroupFilter struct {
	Text     string
	Hits     []int // of rows
	searched string
	Done     bool // Hits belong to Text
	nth      int
	stop     *atomic.Bool // ends the running search
}

// Active reports whether the list is narrowed.
func (s *GroupFilter) Active() bool { return s.Text != "" }

// maxFound is the number of bytes of a row that are searched.
const maxFound = 16 << 10

// SearchText joins parts into a text for searching: in lower case, at most maxFound bytes.
func SearchText(parts ...string) string {
	var b strings.Builder
	for _, s := range parts {
		if avail := maxFound - b.Len(); len(s) > avail {
			s = s[:max(0, avail)]
		}
		b.WriteString(s)
		b.WriteByte('\n')
	}
	return strings.ToLower(b.String())
}

// Reset empties the list for another chat.
func (l *GroupList) Reset(chat storage.ChatID) {
	if l.Filter.stop != nil {
		l.Filter.stop.Store(true)
	}
	l.Chat = chat
	l.groupState = groupState{Marked: map[string]bool{}, Filter: GroupFilter{nth: l.Filter.nth + 1}}
}

// readRows reads the rows of a chat, and returns a function that sets them.
type readRows = func(storage.ChatID) (func() []GroupRow, error)

// Load reads the rows, away from the screen's goroutine: read receives the chat and returns a
// function that sets the rows. A call while it reads is done afterwards, with the newest read.
func (l *GroupList) Load(read readRows) tea.Cmd {
	l.next = read
	if l.Busy {
		l.Stale = true
		return nil
	}
	l.Busy, l.Stale = true, false
	chat := l.Chat
	return l.Host.Do(func() func() tea.Cmd {
		take, err := read(chat)
		return func() tea.Cmd {
			if l.Busy = false; l.Chat != chat {
				return l.Load(l.next)
			}
			l.Loaded, l.Fault = true, err
			if err == nil {
				was := l.Key()
				l.Rows = take()
				l.DropMarks()
				l.LayOut(was)
			}
			if l.Stale {
				return l.Load(l.next)
			}
			if l.Filter.Active() {
				return l.Search()
			}
			return nil
		}
	})
}

// DropMarks drops the marks of rows that are gone.
func (l *GroupList) DropMarks() {
	if len(l.Marked) == 0 {
		return
	}
	there := map[string]bool{}
	for i := range l.Rows {
		if k := l.Rows[i].Key; l.Marked[k] {
			there[k] = true
		}
	}
	l.Marked = there
}

// Reveal chooses a row as soon as it exists. It clears the filter and shows hidden rows if
// necessary.
func (l *GroupList) Reveal(key string) tea.Cmd {
	l.PendingKey, l.revealHidden = key, true
	if l.Filter.Active() {
		return l.SetFilter("")
	}
	l.LayOut("")
	return nil
}

// LayOut builds the lines of the visible rows, and keeps the chosen row. Its time is proportional
// to the number of rows, so it is called when these change, not for every frame.
func (l *GroupList) LayOut(was string) {
	l.Lines, l.Counts, l.Left = l.Lines[:0], make([]int, len(l.Groups)), 0
	if l.PendingKey != "" && l.revealHidden &&
		slices.ContainsFunc(l.Rows, func(r GroupRow) bool { return r.Key == l.PendingKey && r.Hidden }) {
		l.All = true
	}
	last := -1
	add := func(i int) {
		r := &l.Rows[i]
		if r.Hidden && !l.All {
			l.Left++
			return
		}
		if r.Folded && !l.Filter.Active() {
			return
		}
		if r.Group != last {
			if last = r.Group; l.Groups[last] != "" {
				l.Lines = append(l.Lines, -1-last)
			}
		}
		l.Counts[last]++
		l.Lines = append(l.Lines, i)
	}
	if l.Filter.Active() {
		for _, i := range l.Filter.Hits {
			if i < len(l.Rows) { // until the new search is done
				add(i)
			}
		}
	} else {
		for i := range l.Rows {
			add(i)
		}
	}
	shape := make([]widget.OutlineRow, len(l.Lines))
	for i, n := range l.Lines {
		if n < 0 {
			shape[i] = widget.OutlineRow{Height: 1, Heading: true}
		} else {
			shape[i] = widget.OutlineRow{Height: max(1, cmp.Or(l.Rows[n].Height, l.Height))}
		}
	}
	l.Fill(shape)
	if l.PendingKey != "" && l.GoTo(l.PendingKey) {
		l.PendingKey, l.revealHidden = "", false
	} else if was != "" {
		l.GoTo(was)
	}
	l.Pick(l.At)
}

// GoTo chooses the line of a row, and reports whether there is one.
func (l *GroupList) GoTo(key string) bool {
	same := func(n int) bool { return n >= 0 && l.Rows[n].Key == key }
	if l.At < len(l.Lines) && same(l.Lines[l.At]) {
		return true
	}
	i := slices.IndexFunc(l.Lines, same)
	if i >= 0 {
		l.At = i
	}
	return i >= 0
}

// Pick selects a line, or the next selectable one.
func (l *GroupList) Pick(i int) {
	i = max(0, min(i, len(l.Lines)-1))
	step := 1
	if i < l.At {
		step = -1
	}
	for _, step := range []int{step, -step} {
		for j := i; j >= 0 && j < len(l.Lines); j += step {
			if l.Lines[j] >= 0 {
				l.At = j
				return
			}
		}
	}
	l.At = 0
}

// Move moves the selection for the user, and cancels a pending selection.
func (l *GroupList) Move(n int) {
	l.PendingKey, l.revealHidden = "", false
	l.Pick(l.At + n)
	l.ScrollToHeadings()
}

// Chosen returns the index of the chosen row.
func (l *GroupList) Chosen() (int, bool) {
	if l.At < len(l.Lines) && l.Lines[l.At] >= 0 {
		return l.Lines[l.At], true
	}
	return 0, false
}

// Key returns the key of the chosen row, "" for none.
func (l *GroupList) Key() string {
	if i, ok := l.Chosen(); ok && i < len(l.Rows) {
		return l.Rows[i].Key
	}
	return ""
}

// Targets returns the targets of an action: the marked rows in their order, or the chosen one. Rows
// for which but returns true are left out; it may be nil.
func (l *GroupList) Targets(but func(i int) bool) []int {
	var out []int
	if len(l.Marked) == 0 {
		if i, ok := l.Chosen(); ok && (but == nil || !but(i)) {
			out = append(out, i)
		}
		return out
	}
	for i := range l.Rows {
		if l.Marked[l.Rows[i].Key] && (but == nil || !but(i)) {
			out = append(out, i)
		}
	}
	return out
}

// Mark toggles the mark of the chosen row, and moves to the next.
func (l *GroupList) Mark() {
	k := l.Key()
	if i, ok := l.Chosen(); !ok || l.Rows[i].Fixed {
		return
	}
	if l.Marked[k] {
		delete(l.Marked, k)
	} else {
		l.Marked[k] = true
	}
	l.lastMarked = k
	l.Move(1)
}

// MarkRange marks the rows between the last marked row and the chosen one.
func (l *GroupList) MarkRange() {
	from := slices.IndexFunc(l.Lines, func(n int) bool { return n >= 0 && l.Rows[n].Key == l.lastMarked })
	if from < 0 {
		from = l.At
	}
	for i := min(from, l.At); i <= max(from, l.At) && i < len(l.Lines); i++ {
		if n := l.Lines[i]; n >= 0 && !l.Rows[n].Fixed {
			l.Marked[l.Rows[n].Key] = true
		}
	}
	l.lastMarked = l.Key()
}

// MarkAll marks all listed rows; if all are marked already, none.
func (l *GroupList) MarkAll() {
	fresh := 0
	for _, n := range l.Lines {
		if n >= 0 && !l.Rows[n].Fixed && !l.Marked[l.Rows[n].Key] {
			l.Marked[l.Rows[n].Key] = true
			fresh++
		}
	}
	if fresh == 0 {
		clear(l.Marked)
	}
}

// Search searches the rows, away from the screen's goroutine. A newer search ends it early.
func (l *GroupList) Search() tea.Cmd {
	s := &l.Filter
	if s.stop != nil {
		s.stop.Store(true)
	}
	s.nth++
	stop := &atomic.Bool{}
	s.stop, s.Done = stop, false
	want, nth, rows := s.Text, s.nth, l.Rows
	find := func() []int { return findRows(rows, want, stop) }
	if l.Find != nil {
		find = l.Find(want, stop)
	}
	return l.Host.Do(func() func() tea.Cmd {
		hits := find()
		return func() tea.Cmd {
			if nth != l.Filter.nth {
				return nil
			}
			was := l.Key()
			if l.Filter.searched != want && l.PendingKey == "" {
				was, l.At, l.Top = "", 0, 0
			}
			l.Filter.Hits, l.Filter.searched, l.Filter.Done = hits, want, true
			l.LayOut(was)
			return nil
		}
	})
}

// rowsAtOnce is the number of rows that are searched between two checks whether the search was
// cancelled.
const rowsAtOnce = 512

// findRows returns the rows that contain all words of a text.
func findRows(rows []GroupRow, want string, stop *atomic.Bool) []int {
	words := strings.Fields(strings.ToLower(want))
	var hits []int
	for i := range rows {
		if i%rowsAtOnce == 0 && stop.Load() {
			return nil
		}
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(rows[i].Text, w) }) {
			hits = append(hits, i)
		}
	}
	return hits
}

// SetFilter narrows the list to the rows with all words of a text; "" shows all again.
func (l *GroupList) SetFilter(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	if text == l.Filter.Text {
		return nil
	}
	if text != "" {
		l.Filter.Text = text
		return l.Search()
	}
	was := l.Key()
	if l.Filter.stop != nil {
		l.Filter.stop.Store(true)
	}
	l.Filter = GroupFilter{nth: l.Filter.nth + 1}
	l.LayOut(was)
	return nil
}
