package widget

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/sahilm/fuzzy"

	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/painter"
	"ghostlight/tui/safetext"
)

// Entry is a line of a picker.
type Entry struct {
	Title  string
	Detail string // dim, behind the title
	Right  string // at the right edge
	Value  any
}

// Extra is a key of a picker beside enter: it acts on the chosen entry, or, if
// always is set, also without one. With keep the picker stays open.
type Extra struct {
	Key, Words string
	Always     bool
	Keep       bool
	Do         func(Entry) tea.Cmd
}

// Picker is a list that narrows as the user types.
type Picker struct {
	Title  string
	All    []Entry
	Shown  []int // of all, best match first
	At     int
	Top    int
	Rows   int
	Area   uv.Rectangle
	Filter *Input
	last   string
	Empty  string             // words for a list without entries
	Verb   func(Entry) string // what enter does; nil is to choose
	Pick   func(Entry) tea.Cmd
	Renew  func() []Entry // the entries as they are now, for a list that changes while it is open; may be nil
	Moved  func(Entry)    // told of every entry that is chosen on the way; may be nil
	Cancel func()         // undoes what moved did; may be nil
	Extras []Extra
}

// NewPicker makes a list to choose from; pick gets the chosen entry.
func NewPicker(lk *look.Look, title string, entries []Entry, pick func(Entry) tea.Cmd, extras ...Extra) *Picker {
	p := &Picker{Title: title, Pick: pick, Extras: extras, Filter: NewInput(true), Empty: "nothing here yet"}
	p.Filter.Dress(lk)
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

// Again takes the entries as they are now; what was chosen stays so.
func (p *Picker) Again() {
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
	if want == "" {
		for i := range p.All {
			p.Shown = append(p.Shown, i)
		}
	} else {
		for _, m := range fuzzy.FindFrom(want, haystack(p.All)) {
			p.Shown = append(p.Shown, m.Index)
		}
	}
	if changed {
		p.At, p.Top = 0, 0
	}
	p.At = max(0, min(p.At, len(p.Shown)-1))
}

// Chosen is the entry under the mark; ok is false where none is shown.
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
		row := m.Y - p.Area.Min.Y
		if m.X < p.Area.Min.X || m.X >= p.Area.Max.X || row < 0 || row >= p.Area.Dy() || p.Top+row >= len(p.Shown) {
			return nil, false
		}
		p.At = p.Top + row
		return p.take()
	case tea.KeyPressMsg:
		return p.key(m)
	}
	cmd := p.Filter.Update(msg)
	p.narrow()
	return cmd, false
}

func (p *Picker) key(m tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k := m.Keystroke(); k {
	case "esc", "ctrl+c":
		if p.Cancel != nil {
			p.Cancel()
		}
		return nil, true
	case "enter":
		return p.take()
	case "up", "ctrl+k":
		p.Move(-1)
	case "down", "ctrl+j", "tab":
		p.Move(1)
	case "pgup":
		p.Move(-p.Rows)
	case "pgdown":
		p.Move(p.Rows)
	default:
		for _, x := range p.Extras {
			if x.Key != k {
				continue
			}
			e, ok := p.Chosen()
			if !ok && !x.Always {
				return nil, false
			}
			return x.Do(e), !x.Keep
		}
		cmd := p.Filter.Update(m)
		p.narrow()
		return cmd, false
	}
	return nil, false
}

func (p *Picker) take() (tea.Cmd, bool) {
	if e, ok := p.Chosen(); ok && p.Pick != nil {
		return p.Pick(e), true
	}
	return nil, false
}

// Move chooses the entry n below.
func (p *Picker) Move(n int) {
	p.At = max(0, min(p.At+n, len(p.Shown)-1))
	if e, ok := p.Chosen(); ok && p.Moved != nil {
		p.Moved(e)
	}
}

// foot names the keys that do something now: without a chosen entry only those
// that need none.
func (p *Picker) foot() string {
	var parts []string
	e, some := p.Chosen()
	switch {
	case some && p.Verb != nil:
		parts = append(parts, "enter "+p.Verb(e))
	case some:
		parts = append(parts, "enter choose")
	}
	for _, x := range p.Extras {
		if some || x.Always {
			parts = append(parts, keys.Label(x.Key)+" "+x.Words)
		}
	}
	if len(parts) == 0 {
		return "esc close"
	}
	return strings.Join(parts, look.Separator)
}

// Draw implements Dialog.
func (p *Picker) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	area := look.Centred(screen, 90, max(12, min(screen.Dy()-2, len(p.All)+6)))
	in := look.Frame(buf, area, lk, p.Title, p.foot())
	if in.Dy() < 2 {
		return nil
	}
	n := look.Put(buf, in.Min.X, in.Min.Y, 2, lk.Accent, "› ")
	cur := p.Filter.Draw(buf, uv.Rect(in.Min.X+n, in.Min.Y, in.Dx()-n, 1))
	p.Area = uv.Rect(in.Min.X, in.Min.Y+2, in.Dx(), max(0, in.Dy()-2))
	p.Rows = max(1, p.Area.Dy())
	p.Top = max(0, min(p.Top, p.At), p.At-p.Rows+1)
	if len(p.Shown) == 0 {
		words := p.Empty
		if len(p.All) > 0 {
			words = "nothing matches"
		}
		look.PutWrapped(buf, p.Area, lk.Dim, words)
	}
	for i := 0; i < p.Area.Dy() && p.Top+i < len(p.Shown); i++ {
		p.row(buf, p.Area.Min.Y+i, p.All[p.Shown[p.Top+i]], p.Top+i == p.At, lk)
	}
	return cur
}

func (p *Picker) row(buf uv.ScreenBuffer, y int, e Entry, chosen bool, lk *look.Look) {
	x, w := p.Area.Min.X, p.Area.Dx()
	base, dim := lk.Base, lk.Dim
	if chosen {
		base, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), base)
	}
	room := w
	if e.Right != "" && w > 30 {
		room = look.PutRight(buf, x, y, w, dim, e.Right) - x - 1
	}
	n := look.Put(buf, x, y, room, base, e.Title)
	if left := room - n - 2; e.Detail != "" && left > 4 {
		look.Put(buf, x+n+2, y, left, dim, ansi.Truncate(safetext.Line(e.Detail), left, "…"))
	}
}
