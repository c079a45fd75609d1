package pane

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// LongForm is a SavingForm with more fields than a screen has lines, under headings. It scrolls to
// the focused field, and checks values while they are typed.
type LongForm struct {
	*SavingForm
	Specs []FieldSpec // of the fields
	// Other reports whether something besides the fields was changed; it may be nil.
	Other func() bool

	chosen []int // original choices of the fields with options
	top    int   // the first row of the layout in view
}

// FieldSpec describes a field of a long form.
type FieldSpec struct {
	Group string // its heading
	Label string
	Help  string
	// Check returns an error for an invalid value, such as "must be a number"; it may be nil.
	Check func(f *widget.Field) error
	// Above puts the label above the field, with the returned words about the value beside it. Nil
	// puts the label beside the field.
	Above func(value string) string
	// Differs reports whether the field's value is not the usual one. A group of such fields is
	// folded while the focus is elsewhere; its heading shows how many differ.
	Differs func(f *widget.Field) bool
}

// NewLongForm makes a long form of f; specs describe its fields. keep is as for NewSavingForm.
func NewLongForm(d Host, f widget.Form, specs []FieldSpec,
	keep func() (func() (func() tea.Cmd, error), error)) *LongForm {
	l := &LongForm{Specs: specs}
	for _, fd := range f.Fields {
		l.chosen = append(l.chosen, fd.Chosen)
	}
	l.SavingForm = NewSavingForm(d, f, func(*widget.Form) (func() (func() tea.Cmd, error), error) { return keep() })
	return l
}

// Index returns the index of the field with a label, -1 for none.
func (f *LongForm) Index(label string) int {
	return slices.IndexFunc(f.Specs, func(s FieldSpec) bool { return s.Label == label })
}

// Touched reports whether the user has changed a field.
func (f *LongForm) Touched(i int) bool {
	if fd := f.Fields[i]; fd.Input != nil {
		return fd.Input.Changed()
	}
	return f.Fields[i].Chosen != f.chosen[i]
}

// picked reports whether a field with options has another value than before.
func (f *LongForm) picked() bool {
	if f.Other != nil && f.Other() {
		return true
	}
	for i, fd := range f.Fields {
		if fd.Input == nil && f.Touched(i) {
			return true
		}
	}
	return false
}

// formPart is a part of the form's layout: a heading, or a field with its
// lines.
type formPart struct {
	head  string // of a group, "" for a field
	field int
	h     int
}

// Actions implements widget.Dialog.
func (f *LongForm) Actions() []keys.Action {
	page := func(name keys.Name, down bool) keys.Action {
		return keys.Action{Name: name, Visible: func() bool { return f.ready() && !f.scrolls() },
			Do: keys.Does(func() { f.ClearMessages(); f.group(down) })}
	}
	leave := keys.Action{Name: keys.DialogClose, Hint: "close",
		Visible: func() bool { return f.ready() && !f.Asked && f.picked() && !f.Changed() },
		Do:      keys.Does(f.Warn)}
	return append([]keys.Action{page(keys.DialogPageDown, true), page(keys.DialogPageUp, false), leave},
		f.SavingForm.Actions()...)
}

// scrolls reports whether the text with the focus is longer than its place.
func (f *LongForm) scrolls() bool {
	fd := f.Fields[f.At]
	return fd.Input != nil && !fd.Input.Single && fd.Input.Area.LineCount() > fd.Input.Area.Height()
}

// group focuses the first field of the next group, or that of the current or the previous one.
func (f *LongForm) group(down bool) {
	first := func(i int) bool { return i == 0 || f.Specs[i].Group != f.Specs[i-1].Group }
	i := f.At
	for {
		if down {
			i++
		} else {
			i--
		}
		if i < 0 || i >= len(f.Specs) {
			return
		}
		if first(i) {
			f.Focus(i)
			f.top = wholeForm // so that the group begins at the top
			return
		}
	}
}

// wholeForm is more rows than any form has.
const wholeForm = 1 << 20

// LabelWidth is the width, in cells, of a label beside its field.
const LabelWidth = 17

// Draw implements widget.Dialog.
func (f *LongForm) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	area := draw.Centred(screen, min(100, screen.Dx()), screen.Dy())
	in := draw.Frame(buf, area, sty, f.Title, f.Hints())
	if in.Dy() < 2 {
		return nil
	}
	body := uv.Rect(in.Min.X, in.Min.Y, in.Dx(), in.Dy()-1)
	parts, focus := f.layout(body.Dx()-1, body.Dy())
	f.scroll(parts, focus, body.Dy())
	var cur *painter.Cursor
	y, row := body.Min.Y, 0
	for _, p := range parts {
		if row += p.h; row-p.h < f.top || y >= body.Max.Y {
			continue
		}
		if p.head != "" {
			if y == body.Min.Y {
				p.h = 1 // without the blank line above it
			}
			if at := y + p.h - 1; at < body.Max.Y {
				draw.Put(buf, body.Min.X, at, body.Dx(), sty.Title, p.head)
			}
		} else if c := f.show(buf, uv.Rect(body.Min.X, y, body.Dx()-1, min(p.h, body.Max.Y-y)), p.field,
			sty); c != nil {
			cur = c
		}
		y += p.h
	}
	draw.Scrollbar(buf, uv.Rect(body.Max.X, body.Min.Y, 1, body.Dy()), f.top, row, sty)
	f.bottom(buf, in, sty)
	return cur
}

// layout returns the parts of the form from top to bottom, and the index of the one with the focus.
// avail is the maximum number of lines for a part.
func (f *LongForm) layout(w, avail int) (parts []formPart, focus int) {
	for i, fd := range f.Fields {
		folded := f.folded(i)
		if group := f.Specs[i].Group; group != "" && (i == 0 || group != f.Specs[i-1].Group) {
			part := formPart{head: group, h: min(len(parts)+1, 2)}
			if folded {
				part.head, part.h = f.foldedHead(i), 1
				if f.Specs[max(0, i-1)].Differs == nil || !f.folded(i-1) {
					part.h = 2
				}
			}
			parts = append(parts, part)
		}
		if folded {
			continue
		}
		h := 1 + f.head(i)
		if fd.Input != nil && !fd.Input.Single {
			most := max(1, min(avail-2, 14))
			fd.Input.Resize(f.fieldWidth(i, w), fd.Input.Area.Height())
			h = f.head(i) + max(min(fd.Rows, most), fd.Input.Rows(most))
		}
		if i == f.At {
			focus = len(parts)
		}
		parts = append(parts, formPart{field: i, h: h})
	}
	return parts, focus
}

// folded reports whether a field's group is folded.
func (f *LongForm) folded(i int) bool {
	return f.Specs[i].Differs != nil && f.Specs[i].Group != f.Specs[f.At].Group
}

// foldedHead returns the heading of a folded group that begins with a field.
func (f *LongForm) foldedHead(i int) string {
	n, group := 0, f.Specs[i].Group
	for ; i < len(f.Specs) && f.Specs[i].Group == group; i++ {
		if f.Specs[i].Differs(f.Fields[i]) {
			n++
		}
	}
	switch n {
	case 0:
		return "▸ " + group
	case 1:
		return "▸ " + group + draw.Separator + "1 changed"
	}
	return fmt.Sprintf("▸ %s%s%d changed", group, draw.Separator, n)
}

// head returns the number of lines of a field's label above it.
func (f *LongForm) head(i int) int {
	if f.Specs[i].Above != nil {
		return 1
	}
	return 0
}

func (f *LongForm) fieldWidth(i, w int) int {
	if f.head(i) > 0 {
		return w
	}
	return max(1, w-min(LabelWidth, w/2))
}

// scroll keeps the focused part in view; for the first field also its heading.
func (f *LongForm) scroll(parts []formPart, focus, avail int) {
	from, all := 0, 0
	for i, p := range parts {
		if i < focus {
			from += p.h
		}
		all += p.h
	}
	to := from + parts[focus].h
	if focus > 0 && parts[focus-1].head != "" && to-from+parts[focus-1].h <= avail {
		from -= parts[focus-1].h
	}
	want := max(0, min(f.top, from), to-avail)
	want = min(want, max(0, all-avail))
	// Parts are drawn whole: the view begins at the start of one.
	row := 0
	for _, p := range parts {
		if row >= want {
			break
		}
		row += p.h
	}
	f.top = min(row, from)
}

// show draws a field with its label.
func (f *LongForm) show(buf uv.ScreenBuffer, area uv.Rectangle, i int, sty *draw.Styles) *painter.Cursor {
	fd, label := f.Fields[i], sty.Dim
	if i == f.At {
		label = sty.Accent
	} else if f.wrong(i) != "" {
		label = sty.Warning
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	if f.head(i) > 0 {
		n := draw.Put(buf, x, y, w, label, f.Specs[i].Label)
		if words := f.Specs[i].Above(fd.Value()); words != "" {
			draw.Put(buf, x+n+2, y, w-n-2, sty.Warning, words)
		}
		return fd.Show(buf, uv.Rect(x, y+1, w, area.Dy()-1), i == f.At, sty)
	}
	fw := f.fieldWidth(i, w)
	draw.Put(buf, x, y, w-fw-1, label, f.Specs[i].Label)
	return fd.Show(buf, uv.Rect(x+w-fw, y, fw, area.Dy()), i == f.At, sty)
}

// wrong returns the error of a field's value, "" for none.
func (f *LongForm) wrong(i int) string {
	check := f.Specs[i].Check
	if check == nil || !f.Touched(i) {
		return ""
	}
	err := check(f.Fields[i])
	if wrong := field.AsError(err); wrong != nil {
		return wrong.Reason
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// bottom draws the last line: the last error, the error of the field, or its help.
func (f *LongForm) bottom(buf uv.ScreenBuffer, in uv.Rectangle, sty *draw.Styles) {
	words, st := f.Specs[f.At].Help, sty.Dim
	if wrong := f.wrong(f.At); wrong != "" {
		words, st = "this "+wrong, sty.Warning
	}
	if f.Fault != "" {
		words, st = f.Fault, sty.Warning
	}
	draw.Put(buf, in.Min.X, in.Max.Y-1, in.Dx(), st, words)
}
