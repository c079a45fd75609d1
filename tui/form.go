package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/tui/look"
	"ghostlight/tui/painter"
)

// field is one line or text of a form. A field with options is chosen with ←
// and → instead of typed; a line with offers can be chosen likewise, and typed.
type field struct {
	label   string
	in      *input
	rows    int // of a text, while there is room
	options []string
	chosen  int
	offers  []string // the first is nothing
}

// head is how many lines the label takes above the field.
func (f *field) head() int {
	if f.rows > 1 && f.label != "" {
		return 1
	}
	return 0
}

func (f *field) value() string {
	if f.options != nil {
		return f.options[f.chosen]
	}
	return f.in.value()
}

// form is a dialog with fields; save gets them when the user is done.
type form struct {
	title   string
	notes   []string // under the title, dim
	fields  []*field
	at      int
	fault   string
	keys    []extra // keys beside saving; the entry they get is empty
	foot    string
	save    func(f *form) (tea.Cmd, error)
	count   func(f *form) string // at the right of the foot
	asked   bool
	unsaved string // words for leaving with changes
}

// text, line and pick make a form's fields.
func textField(lk *look.Look, label, value string, rows int) *field {
	f := &field{label: label, in: newInput(false), rows: rows}
	f.in.dress(lk)
	f.in.set(value)
	f.in.area.MoveToBegin()
	return f
}

func lineField(lk *look.Look, label, value, hint string) *field {
	f := &field{label: label, in: newInput(true), rows: 1}
	f.in.dress(lk)
	f.in.area.Placeholder = hint
	f.in.set(value)
	return f
}

func pickField(label, value string, options []string) *field {
	f := &field{label: label, options: options, rows: 1}
	for i, o := range options {
		if o == value {
			f.chosen = i
		}
	}
	return f
}

func (f *form) start() *form {
	f.focus(0)
	return f
}

func (f *form) focus(i int) {
	f.at = (i + len(f.fields)) % len(f.fields)
	for j, fd := range f.fields {
		if fd.in == nil {
			continue
		}
		if j == f.at {
			fd.in.focus()
		} else {
			fd.in.blur()
		}
	}
}

func (f *form) changed() bool {
	for _, fd := range f.fields {
		if fd.in != nil && fd.in.changed() {
			return true
		}
	}
	return false
}

func (f *form) handle(msg tea.Msg) (tea.Cmd, bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	if !isKey {
		if _, ok := msg.(tea.PasteMsg); ok && f.fields[f.at].in != nil {
			return f.fields[f.at].in.update(msg), false
		}
		return nil, false
	}
	stroke := k.Keystroke()
	asked := f.asked
	f.asked, f.fault = false, ""
	switch stroke {
	case "esc", "ctrl+c":
		if f.changed() && !asked {
			f.asked, f.fault = true, f.unsaved
			if f.fault == "" {
				f.fault = "not saved: esc again throws the changes away, ^S saves them"
			}
			return nil, false
		}
		return nil, true
	case "ctrl+s":
		return f.finish()
	case "tab":
		f.focus(f.at + 1)
		return nil, false
	case "shift+tab":
		f.focus(f.at - 1)
		return nil, false
	}
	for _, x := range f.keys {
		if x.key == stroke {
			return x.do(entry{}), !x.keep
		}
	}
	return f.type_(k, stroke)
}

// type_ hands a key to the field that has the focus.
func (f *form) type_(k tea.KeyPressMsg, stroke string) (tea.Cmd, bool) {
	fd := f.fields[f.at]
	if fd.options != nil {
		switch stroke {
		case "left":
			fd.chosen = (fd.chosen + len(fd.options) - 1) % len(fd.options)
		case "right", "space":
			fd.chosen = (fd.chosen + 1) % len(fd.options)
		case "up":
			f.focus(f.at - 1)
		case "down", "enter":
			f.focus(f.at + 1)
		}
		return nil, false
	}
	if fd.offer(k, stroke) {
		return nil, false
	}
	switch {
	case stroke == "enter" && fd.in.single:
		if f.at == len(f.fields)-1 {
			return f.finish()
		}
		f.focus(f.at + 1)
		return nil, false
	case stroke == "up" && fd.in.single || stroke == "up" && fd.in.atTop() && f.at > 0:
		f.focus(f.at - 1)
		return nil, false
	case stroke == "down" && (fd.in.single || fd.in.atBottom()) && f.at < len(f.fields)-1:
		f.focus(f.at + 1)
		return nil, false
	}
	return fd.in.update(k), false
}

// offer goes to the word before or after among those that are offered. Typing
// writes a word of the user's own in place of an offered one, in which ← and → then
// move as in any line.
func (fd *field) offer(k tea.KeyPressMsg, stroke string) bool {
	at := slices.Index(fd.offers, strings.TrimSpace(fd.in.value()))
	if at < 0 {
		return false
	}
	step := map[string]int{"left": -1, "right": 1}[stroke]
	if step != 0 {
		fd.in.area.SetValue(fd.offers[(at+step+len(fd.offers))%len(fd.offers)])
	} else if k.Text != "" {
		fd.in.area.SetValue("")
	}
	return step != 0
}

func (f *form) finish() (tea.Cmd, bool) {
	cmd, err := f.save(f)
	if err != nil {
		f.fault = err.Error()
		return nil, false
	}
	return cmd, true
}

func (f *form) draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(100, screen.Dx())
	var notes []string
	for _, n := range f.notes {
		notes = append(notes, look.Wrap(n, w-4)...)
	}
	want := 3 + len(notes)
	for _, fd := range f.fields {
		want += fd.wish(w-4) + fd.head()
	}
	area := look.Centred(screen, w, min(want+1, screen.Dy()))
	foot := "tab next · ^S save · esc close"
	if f.foot != "" {
		foot = f.foot
	}
	in := look.Frame(buf, area, lk, f.title, foot)
	if f.count != nil {
		look.PutRight(buf, area.Min.X+2, area.Min.Y, area.Dx()-4, lk.Dim, " "+f.count(f)+" ")
	}
	return f.body(buf, in, notes, lk)
}

// body draws notes and fields. Where they do not all fit, texts shrink first;
// then the notes go, and only the field with the focus is sure to be seen.
func (f *form) body(buf uv.ScreenBuffer, in uv.Rectangle, notes []string, lk *look.Look) *painter.Cursor {
	rows, shown := f.fit(in.Dx(), in.Dy()-1, &notes)
	y := in.Min.Y
	for _, n := range notes {
		look.Put(buf, in.Min.X, y, in.Dx(), lk.Dim, n)
		y++
	}
	var cur *painter.Cursor
	for i, fd := range f.fields {
		if !shown[i] {
			continue
		}
		label := lk.Dim
		if i == f.at {
			label = lk.Accent
		}
		x, fw := in.Min.X, in.Dx()
		n := look.Put(buf, x, y, fw, label, fd.label+" ")
		if fd.rows > 1 {
			y += fd.head()
		} else {
			x, fw = x+max(n, 12), fw-max(n, 12)
		}
		if c := fd.show(buf, uv.Rect(x, y, max(0, fw), rows[i]), i == f.at, lk); c != nil {
			cur = c
		}
		y += rows[i]
	}
	look.Put(buf, in.Min.X, in.Max.Y-1, in.Dx(), lk.Warning, f.fault)
	return cur
}

func (f *form) fit(w, room int, notes *[]string) ([]int, []bool) {
	rows, shown := make([]int, len(f.fields)), make([]bool, len(f.fields))
	need := len(*notes)
	for i, fd := range f.fields {
		rows[i], shown[i] = fd.wish(w), true
		need += rows[i] + fd.head()
	}
	for need > room {
		big := 0
		for i := range rows {
			if rows[i] > rows[big] {
				big = i
			}
		}
		if rows[big] <= 2 {
			break
		}
		rows[big]--
		need--
	}
	if need > room {
		need -= len(*notes)
		*notes = nil
	}
	for i := len(rows) - 1; i >= 0 && need > room; i-- {
		if i == f.at {
			continue
		}
		shown[i] = false
		need -= rows[i] + f.fields[i].head()
	}
	return rows, shown
}

// wish is how many rows a field would like in w cells: a text as many as it has,
// within reason.
func (fd *field) wish(w int) int {
	if fd.in == nil || fd.in.single {
		return fd.rows
	}
	fd.in.resize(w, fd.in.area.Height())
	return max(fd.rows, fd.in.rows(mostRows))
}

// mostRows bounds how tall a text of a form grows by itself.
const mostRows = 30

func (fd *field) show(buf uv.ScreenBuffer, area uv.Rectangle, focused bool, lk *look.Look) *painter.Cursor {
	if fd.options == nil {
		return fd.in.draw(buf, area)
	}
	st := lk.Base
	if focused {
		st = lk.Selected
	}
	look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), st, "‹ "+strings.TrimSpace(fd.value())+" ›")
	return nil
}
