package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/sahilm/fuzzy"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Entry is a line of a picker.
type Entry struct {
	Title  string
	Detail string // dim, after the title
	Right  string // at the right edge
	Value  any
	// Group is the heading above it while nothing is filtered. Entries of one group must be
	// adjacent.
	Group string
	// Off is the reason why it cannot be chosen now, and how to change that; "" if it can. Such an
	// entry is dimmed.
	Off string
}

// Extra is an action of a picker besides choosing. It acts on the chosen entry or, if Always is
// set, also without one. With Keep the picker stays open.
type Extra struct {
	Name        keys.Name
	Description string
	Always      bool
	Keep        bool
	Here        func() bool // whether it is available; nil means always
	Do          func(Entry) tea.Cmd
}

// GlobalExtra returns an action of a picker that does not need an entry.
func GlobalExtra(name keys.Name, words string, do func() tea.Cmd) Extra {
	return Extra{Name: name, Description: words, Always: true, Do: func(Entry) tea.Cmd { return do() }}
}

// With returns a function that calls do with the value of an entry.
func With[T any](do func(T) tea.Cmd) func(Entry) tea.Cmd {
	return func(e Entry) tea.Cmd {
		v, _ := e.Value.(T)
		return do(v)
	}
}

// Picker is a list that is filtered while the user types.
type Picker struct {
	Base
	Title  string
	All    []Entry
	Shown  []int // indexes in All, best match first
	At     int
	Top    int
	Rows   int
	Area   uv.Rectangle
	Filter *Input
	last   string
	Empty  string             // words for a list without entries
	Verb   func(Entry) string // what enter does; nil chooses
	Pick   func(Entry) tea.Cmd
	Renew  func() []Entry // the entries as they are now, for a list that changes while it is open; may be nil
	Moved  func(Entry)    // called for every entry that is chosen on the way; may be nil
	Cancel func()         // undoes the effects of Moved; may be nil
	Extras []Extra
	Stay   bool                     // it stays open when an entry is chosen
	Rank   func(query string) []int // the entries that match the query, best first; nil compares letters
	Says   func(Entry) string       // text of the line below the list about the chosen entry; nil for no line
	Refuse func(Entry) tea.Cmd      // called when an entry that is off is chosen; may be nil
	lines  []int                    // of the last frame: the index in Shown; less than 0 for the heading above one
	clicks Clicks
}

// NewPicker makes a list to choose from. pick is called with the chosen entry.
func NewPicker(sty *draw.Styles, title string, entries []Entry, pick func(Entry) tea.Cmd, extras ...Extra) *Picker {
	p := &Picker{Title: title, Pick: pick, Extras: extras, Filter: NewInput(true), Empty: "nothing here yet"}
	p.Filter.SetStyles(sty)
	p.Filter.Area.Placeholder = "type to filter"
	p.Filter.Focus()
	p.Fill(entries)
	return p
}

// Fill replaces the entries and keeps the filter.
func (p *Picker) Fill(entries []Entry) {
	p.All = entries
	p.last = "\x00"
	p.narrow()
}

// Reload refreshes the entries and keeps the chosen one.
func (p *Picker) Reload() {
	was, had := p.Chosen()
	p.Fill(p.Renew())
	for i, at := range p.Shown {
		if had && p.All[at].Title == was.Title {
			p.At = i
		}
	}
}

type haystack []Entry

func (h haystack) String(i int) string { return h[i].Title + " " + h[i].Detail }
func (h haystack) Len() int            { return len(h) }

func (p *Picker) narrow() {
	want := strings.TrimSpace(p.Filter.Value())
	if want == p.last {
		return
	}
	changed := p.last != "\x00"
	p.last = want
	p.Shown = p.Shown[:0]
	switch {
	case want == "":
		for i := range p.All {
			p.Shown = append(p.Shown, i)
		}
	case p.Rank != nil:
		p.Shown = append(p.Shown, p.Rank(want)...)
	default:
		for _, m := range fuzzy.FindFrom(want, haystack(p.All)) {
			p.Shown = append(p.Shown, m.Index)
		}
	}
	if changed {
		p.At, p.Top = 0, 0
	}
	p.At = max(0, min(p.At, len(p.Shown)-1))
}

// Chosen returns the chosen entry; ok is false if none is shown.
func (p *Picker) Chosen() (Entry, bool) {
	if p.At < 0 || p.At >= len(p.Shown) {
		return Entry{}, false
	}
	return p.All[p.Shown[p.At]], true
}

// Handle implements Dialog.
func (p *Picker) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			p.Move(-3)
		} else {
			p.Move(3)
		}
		return nil, false
	case tea.MouseClickMsg:
		if i, ok := p.entryAt(m.Mouse()); ok {
			p.Move(i - p.At)
			if p.clicks.IsDouble(m) {
				return p.choose()
			}
		}
		return nil, false
	}
	cmd := p.Filter.Update(msg)
	p.narrow()
	return cmd, false
}

// Actions implements Dialog.
func (p *Picker) Actions() []keys.Action {
	choose := keys.Action{Name: keys.DialogEnter, Label: p.verb, Do: func() tea.Cmd {
		cmd, done := p.choose()
		if done {
			p.Close()
		}
		return cmd
	}}
	list := []keys.Action{choose}
	for _, x := range p.Extras {
		list = append(list, p.extra(x))
	}
	leave := keys.Action{Name: keys.DialogClose, Hint: "close", Do: func() tea.Cmd {
		p.Close()
		if p.Cancel != nil {
			p.Cancel()
		}
		return nil
	}}
	next := moving(keys.DialogNext, p.Move, func() int { return 1 })
	return append(append(append(list, leave), Choosing(p.Move, func() int { return p.Rows })...), next)
}

// verb returns the effect of choosing the current entry, "" if there is none.
func (p *Picker) verb() string {
	e, some := p.Chosen()
	switch {
	case !some:
		return ""
	case e.Off != "":
		return "why not"
	case p.Verb != nil:
		return p.Verb(e)
	}
	return "choose"
}

func (p *Picker) extra(x Extra) keys.Action {
	return keys.Action{Name: x.Name, Hint: x.Description, Visible: func() bool {
		_, some := p.Chosen()
		return (some || x.Always) && (x.Here == nil || x.Here())
	}, Do: func() tea.Cmd {
		e, _ := p.Chosen()
		if !x.Keep {
			p.Close()
		}
		return x.Do(e)
	}}
}

// Typing implements Dialog.
func (*Picker) Typing() bool { return true }

// entryAt returns the clicked entry.
func (p *Picker) entryAt(m tea.Mouse) (i int, ok bool) {
	row := m.Y - p.Area.Min.Y
	if m.X < p.Area.Min.X || m.X >= p.Area.Max.X || row < 0 || row >= len(p.lines) || p.lines[row] < 0 ||
		p.lines[row] >= len(p.Shown) {
		return 0, false
	}
	return p.lines[row], true
}

func (p *Picker) choose() (tea.Cmd, bool) {
	e, ok := p.Chosen()
	switch {
	case !ok || p.Pick == nil:
		return nil, false
	case e.Off != "" && p.Refuse != nil:
		return p.Refuse(e), false
	case e.Off != "":
		return nil, false
	}
	return p.Pick(e), !p.Stay
}

// Move moves the choice n entries down.
func (p *Picker) Move(n int) {
	p.At = max(0, min(p.At+n, len(p.Shown)-1))
	if e, ok := p.Chosen(); ok && p.Moved != nil {
		p.Moved(e)
	}
}

// hasHeadings reports whether there are headings above the entries.
func (p *Picker) hasHeadings() bool { return p.last == "" && len(p.All) > 0 && p.All[0].Group != "" }

// layOut fills lines, at most n: an index in Shown, or -1-i for the heading above the entry i.
func (p *Picker) layOut(n int) {
	p.lines = p.lines[:0]
	heads := p.hasHeadings()
	group := func(i int) string { return p.All[p.Shown[i]].Group }
	above := func(i int) int { // headings among the entries from the top to i
		out := 0
		for j := p.Top; heads && j <= i; j++ {
			if j == p.Top || group(j) != group(j-1) {
				out++
			}
		}
		return out
	}
	p.Top = max(0, min(p.Top, p.At))
	for p.Top < p.At && p.At-p.Top+above(p.At) >= n {
		p.Top++
	}
	for i := p.Top; i < len(p.Shown) && len(p.lines) < n; i++ {
		if heads && n > 1 && (i == p.Top || group(i) != group(i-1)) {
			p.lines = append(p.lines, -1-i)
		}
		p.lines = append(p.lines, i)
	}
	p.lines = p.lines[:min(n, len(p.lines))]
}

// rows returns the number of lines of all entries.
func (p *Picker) rows() int {
	n := len(p.All)
	for i := range p.All {
		if p.hasHeadings() && (i == 0 || p.All[i].Group != p.All[i-1].Group) {
			n++
		}
	}
	return n
}

// Draw implements Dialog.
func (p *Picker) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	area := draw.Centred(screen, 90, max(12, min(screen.Dy()-2, p.rows()+6)))
	in := draw.Frame(buf, area, sty, p.Title, p.Hints())
	if in.Dy() < 2 {
		return nil
	}
	n := draw.Put(buf, in.Min.X, in.Min.Y, 2, sty.Accent, "› ")
	cur := p.Filter.Draw(buf, uv.Rect(in.Min.X+n, in.Min.Y, in.Dx()-n, 1))
	p.Area = uv.Rect(in.Min.X, in.Min.Y+2, in.Dx(), max(0, in.Dy()-2))
	if p.Says != nil && p.Area.Dy() > 2 {
		p.drawDetail(buf, sty)
	}
	p.layOut(p.Area.Dy())
	p.Rows = max(1, len(p.lines))
	if len(p.Shown) == 0 {
		words := p.Empty
		if len(p.All) > 0 {
			words = "no match"
		}
		draw.PutWrapped(buf, p.Area, sty.Dim, words)
	}
	for y, i := range p.lines {
		if i < 0 {
			draw.Put(buf, p.Area.Min.X, p.Area.Min.Y+y, p.Area.Dx(), sty.Title, p.All[p.Shown[-1-i]].Group)
			continue
		}
		p.row(buf, p.Area.Min.Y+y, p.All[p.Shown[i]], i == p.At, sty)
	}
	return cur
}

// drawDetail draws details of the chosen entry below the list, and shortens the list by their
// lines: two if there is room, so that a reason can be read completely.
func (p *Picker) drawDetail(buf uv.ScreenBuffer, sty *draw.Styles) {
	e, ok := p.Chosen()
	n := 1
	if p.Area.Dy() > 6 {
		n = 2
	}
	below := uv.Rect(p.Area.Min.X, p.Area.Max.Y-n, p.Area.Dx(), n)
	p.Area.Max.Y -= n
	switch {
	case !ok:
	case e.Off != "":
		draw.PutWrapped(buf, below, sty.Warning, "not now: "+e.Off)
	default:
		below.Min.Y = below.Max.Y - 1
		draw.Put(buf, below.Min.X, below.Min.Y, below.Dx(), sty.Dim, p.Says(e))
	}
}

func (p *Picker) row(buf uv.ScreenBuffer, y int, e Entry, chosen bool, sty *draw.Styles) {
	x, w := p.Area.Min.X, p.Area.Dx()
	base, dim := sty.Base, sty.Dim
	if e.Off != "" {
		base, dim, e.Detail = sty.Faint, sty.Faint, "not now"
	}
	if chosen {
		base, dim = sty.Selected, sty.SelectedDim
		draw.Fill(buf, uv.Rect(x, y, w, 1), base)
	}
	avail := w
	if e.Right != "" && w > 30 {
		avail = draw.PutRight(buf, x, y, w, dim, e.Right) - x - 1
	}
	n := draw.Put(buf, x, y, avail, base, e.Title)
	if left := avail - n - 2; e.Detail != "" && left > 4 {
		draw.Put(buf, x+n+2, y, left, dim, ansi.Truncate(safetext.Line(e.Detail), left, "…"))
	}
}
