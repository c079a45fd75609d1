package tui

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

// entry is a line of a picker.
type entry struct {
	title  string
	detail string // dim, behind the title
	right  string // at the right edge
	value  any
}

// extra is a key of a picker beside enter: it acts on the chosen entry, or, if
// always is set, also without one. With keep the picker stays open.
type extra struct {
	key, words string
	always     bool
	keep       bool
	do         func(entry) tea.Cmd
}

// picker is a list that narrows as the user types.
type picker struct {
	title  string
	all    []entry
	shown  []int // of all, best match first
	at     int
	top    int
	rows   int
	area   uv.Rectangle
	filter *input
	last   string
	empty  string             // words for a list without entries
	verb   func(entry) string // what enter does; nil is to choose
	pick   func(entry) tea.Cmd
	renew  func() []entry // the entries as they are now, for a list that changes while it is open; may be nil
	moved  func(entry)    // told of every entry that is chosen on the way; may be nil
	cancel func()         // undoes what moved did; may be nil
	extras []extra
}

func newPicker(lk *look.Look, title string, entries []entry, pick func(entry) tea.Cmd, extras ...extra) *picker {
	p := &picker{title: title, pick: pick, extras: extras, filter: newInput(true), empty: "nothing here yet"}
	p.filter.dress(lk)
	p.filter.area.Placeholder = "type to filter"
	p.filter.focus()
	p.fill(entries)
	return p
}

// fill replaces the entries and keeps the filter.
func (p *picker) fill(entries []entry) {
	p.all = entries
	p.last = "\x00"
	p.narrow()
}

// again takes the entries as they are now; what was chosen stays so.
func (p *picker) again() {
	was, had := p.chosen()
	p.fill(p.renew())
	for i, at := range p.shown {
		if had && p.all[at].title == was.title {
			p.at = i
		}
	}
}

type haystack []entry

func (h haystack) String(i int) string { return h[i].title + " " + h[i].detail }
func (h haystack) Len() int            { return len(h) }

func (p *picker) narrow() {
	want := strings.TrimSpace(p.filter.value())
	if want == p.last {
		return
	}
	changed := p.last != "\x00"
	p.last = want
	p.shown = p.shown[:0]
	if want == "" {
		for i := range p.all {
			p.shown = append(p.shown, i)
		}
	} else {
		for _, m := range fuzzy.FindFrom(want, haystack(p.all)) {
			p.shown = append(p.shown, m.Index)
		}
	}
	if changed {
		p.at, p.top = 0, 0
	}
	p.at = max(0, min(p.at, len(p.shown)-1))
}

func (p *picker) chosen() (entry, bool) {
	if p.at < 0 || p.at >= len(p.shown) {
		return entry{}, false
	}
	return p.all[p.shown[p.at]], true
}

func (p *picker) handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			p.move(-3)
		} else {
			p.move(3)
		}
		return nil, false
	case tea.MouseClickMsg:
		row := m.Y - p.area.Min.Y
		if m.X < p.area.Min.X || m.X >= p.area.Max.X || row < 0 || row >= p.area.Dy() || p.top+row >= len(p.shown) {
			return nil, false
		}
		p.at = p.top + row
		return p.take()
	case tea.KeyPressMsg:
		return p.key(m)
	}
	cmd := p.filter.update(msg)
	p.narrow()
	return cmd, false
}

func (p *picker) key(m tea.KeyPressMsg) (tea.Cmd, bool) {
	switch k := m.Keystroke(); k {
	case "esc", "ctrl+c":
		if p.cancel != nil {
			p.cancel()
		}
		return nil, true
	case "enter":
		return p.take()
	case "up", "ctrl+k":
		p.move(-1)
	case "down", "ctrl+j", "tab":
		p.move(1)
	case "pgup":
		p.move(-p.rows)
	case "pgdown":
		p.move(p.rows)
	default:
		for _, x := range p.extras {
			if x.key != k {
				continue
			}
			e, ok := p.chosen()
			if !ok && !x.always {
				return nil, false
			}
			return x.do(e), !x.keep
		}
		cmd := p.filter.update(m)
		p.narrow()
		return cmd, false
	}
	return nil, false
}

func (p *picker) take() (tea.Cmd, bool) {
	if e, ok := p.chosen(); ok && p.pick != nil {
		return p.pick(e), true
	}
	return nil, false
}

func (p *picker) move(n int) {
	p.at = max(0, min(p.at+n, len(p.shown)-1))
	if e, ok := p.chosen(); ok && p.moved != nil {
		p.moved(e)
	}
}

// foot names the keys that do something now: without a chosen entry only those
// that need none.
func (p *picker) foot() string {
	var parts []string
	e, some := p.chosen()
	switch {
	case some && p.verb != nil:
		parts = append(parts, "enter "+p.verb(e))
	case some:
		parts = append(parts, "enter choose")
	}
	for _, x := range p.extras {
		if some || x.always {
			parts = append(parts, keys.Label(x.key)+" "+x.words)
		}
	}
	if len(parts) == 0 {
		return "esc close"
	}
	return strings.Join(parts, look.Separator)
}

func (p *picker) draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	area := look.Centred(screen, 90, max(12, min(screen.Dy()-2, len(p.all)+6)))
	in := look.Frame(buf, area, lk, p.title, p.foot())
	if in.Dy() < 2 {
		return nil
	}
	n := look.Put(buf, in.Min.X, in.Min.Y, 2, lk.Accent, "› ")
	cur := p.filter.draw(buf, uv.Rect(in.Min.X+n, in.Min.Y, in.Dx()-n, 1))
	p.area = uv.Rect(in.Min.X, in.Min.Y+2, in.Dx(), max(0, in.Dy()-2))
	p.rows = max(1, p.area.Dy())
	p.top = max(0, min(p.top, p.at), p.at-p.rows+1)
	if len(p.shown) == 0 {
		words := p.empty
		if len(p.all) > 0 {
			words = "nothing matches"
		}
		look.PutWrapped(buf, p.area, lk.Dim, words)
	}
	for i := 0; i < p.area.Dy() && p.top+i < len(p.shown); i++ {
		p.row(buf, p.area.Min.Y+i, p.all[p.shown[p.top+i]], p.top+i == p.at, lk)
	}
	return cur
}

func (p *picker) row(buf uv.ScreenBuffer, y int, e entry, chosen bool, lk *look.Look) {
	x, w := p.area.Min.X, p.area.Dx()
	base, dim := lk.Base, lk.Dim
	if chosen {
		base, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), base)
	}
	room := w
	if e.right != "" && w > 30 {
		room = look.PutRight(buf, x, y, w, dim, e.right) - x - 1
	}
	n := look.Put(buf, x, y, room, base, e.title)
	if left := room - n - 2; e.detail != "" && left > 4 {
		look.Put(buf, x+n+2, y, left, dim, ansi.Truncate(safetext.Line(e.detail), left, "…"))
	}
}
