package settings

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// sheet is the dialog of the settings. Typed text filters the list. The selected row is explained
// below the list and edited in place.
type sheet struct {
	widget.Base
	part    *Part
	items   []item
	rows    []int // indexes of the shown items; for headings, negative from -1 down
	at, top int   // of rows
	filter  *widget.Input
	last    string
	editing *widget.Input // the selected value while it is edited
	fault   string        // the reason why a value was refused
	note    string        // the result of the last change
	reads   widget.Latest
	area    uv.Rectangle // of the list
}

func newSheet(r *Part, filter string) *sheet {
	s := &sheet{part: r, filter: widget.NewInput(true)}
	s.filter.SetStyles(r.host.Styles())
	s.filter.Area.Placeholder = "type to filter"
	s.filter.Set(filter)
	s.filter.Focus()
	return s
}

// fill sets the rows that were read; the selection stays with its setting.
func (s *sheet) fill(items []item) {
	was, had := s.chosen()
	s.items = items
	s.narrow()
	for i, at := range s.rows {
		if had && at >= 0 && items[at].Section == was.Section && items[at].Name == was.Name {
			s.at = i
		}
	}
}

// narrow shows the items that contain all words of the filter.
func (s *sheet) narrow() {
	words := strings.Fields(strings.ToLower(s.filter.Value()))
	s.rows = s.rows[:0]
	section := ""
	for i, it := range s.items {
		hay := strings.ToLower(it.Name + " " + it.Section + " " + it.SectionPurpose + " " + it.Purpose)
		if slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(hay, w) }) {
			continue
		}
		if it.Section != section {
			section = it.Section
			s.rows = append(s.rows, -1-i)
		}
		s.rows = append(s.rows, i)
	}
	if s.filter.Value() != s.last {
		s.last, s.at, s.top = s.filter.Value(), 0, 0
		s.fault, s.note = "", ""
	}
	s.at = max(0, min(s.at, len(s.rows)-1))
	s.move(0)
}

// chosen returns the selected item.
func (s *sheet) chosen() (item, bool) {
	if s.at < 0 || s.at >= len(s.rows) || s.rows[s.at] < 0 {
		return item{}, false
	}
	return s.items[s.rows[s.at]], true
}

// move moves the selection n items down, without the headings.
func (s *sheet) move(n int) {
	step := 1
	if n < 0 {
		step = -1
	}
	to := max(0, min(s.at+n, len(s.rows)-1))
	for to >= 0 && to < len(s.rows) && s.rows[to] < 0 {
		if to+step < 0 {
			step = 1
		}
		to += step
	}
	if s.at = to; s.at == 1 {
		s.top = 0 // keeps the first heading visible
	}
}

// Handle implements widget.Dialog.
func (s *sheet) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		if m.Button == tea.MouseWheelUp {
			s.move(-1)
		} else {
			s.move(1)
		}
	case tea.MouseClickMsg:
		row := s.top + m.Y - s.area.Min.Y
		if m.X >= s.area.Min.X && m.X < s.area.Max.X && m.Y >= s.area.Min.Y && m.Y < s.area.Max.Y &&
			row < len(s.rows) && s.rows[row] >= 0 && s.editing == nil {
			s.at = row
		}
	case tea.PasteMsg:
		if s.editing != nil {
			return s.editing.Update(m), false
		}
		cmd := s.filter.Update(m)
		s.narrow()
		return cmd, false
	case tea.KeyPressMsg:
		if s.editing != nil {
			s.fault = ""
			return s.editing.Update(m), false
		}
		cmd := s.filter.Update(m)
		s.narrow()
		return cmd, false
	}
	return nil, false
}

// Typing implements widget.Dialog.
func (*sheet) Typing() bool { return true }

// Actions implements widget.Dialog.
func (s *sheet) Actions() []keys.Action {
	writing := func() bool { return s.editing != nil }
	is := func(has func(it item) bool) func() bool {
		return func() bool { it, ok := s.chosen(); return ok && has(it) }
	}
	with := func(do func(it item) tea.Cmd) func() tea.Cmd {
		return func() tea.Cmd { it, _ := s.chosen(); return do(it) }
	}
	choices := is(func(it item) bool { return len(it.Choices) > 0 })
	other := func(name keys.Name, next bool) keys.Action {
		return keys.Action{Name: name, Text: "another choice", Visible: choices,
			Do: with(func(it item) tea.Cmd { return s.set(it, s.other(it, next), false) })}
	}
	left := other(keys.DialogLeft, false)
	left.Hint, left.Until = "change", keys.DialogRight
	list := keys.When(func() bool { return !writing() }, slices.Concat([]keys.Action{
		left, other(keys.DialogRight, true),
		{Name: keys.DialogEnter, Hint: "open", Visible: is(func(it item) bool { return it.open != nil }),
			Do: with(func(it item) tea.Cmd { s.Close(); return it.open() })},
		{Name: keys.DialogEnter, Hint: "change", Visible: is(func(item) bool { return true }), Do: with(s.change)},
		{Name: keys.DialogDelete, Hint: "default", Visible: is(item.own),
			Do: with(func(it item) tea.Cmd { return s.set(it, "", true) })},
		{Name: keys.DialogNext, Hint: "next section", Do: keys.Does(func() { s.section(true) })},
		{Name: keys.DialogPrevious, Text: "previous section", Do: keys.Does(func() { s.section(false) })},
		{Name: keys.DialogClose, Hint: "clear filter", Visible: func() bool { return s.filter.Value() != "" },
			Do: keys.Does(func() { s.filter.Set(""); s.narrow() })},
		s.Closing(),
	}, widget.Choosing(s.step, func() int { return max(1, s.area.Dy()-1) }))...)
	return append([]keys.Action{
		{Name: keys.DialogEnter, Hint: "save", Visible: writing, Do: s.save},
		{Name: keys.DialogClose, Hint: "cancel", Visible: writing,
			Do: keys.Does(func() { s.editing, s.fault = nil, "" })},
	}, list...)
}

// step moves the selection for the user, and clears messages because the user has read them.
func (s *sheet) step(n int) {
	s.fault, s.note = "", ""
	s.move(n)
}

// section goes to the first item of the next or the previous section.
func (s *sheet) section(next bool) {
	for i := s.at + 1; next && i < len(s.rows); i++ {
		if s.rows[i] < 0 {
			s.step(i + 1 - s.at)
			return
		}
	}
	for i, n := s.at-1, 0; !next && i >= 0; i-- {
		if s.rows[i] < 0 {
			if n++; n == 2 || i == 0 {
				s.step(i + 1 - s.at)
				return
			}
		}
	}
	if next && len(s.rows) > 1 {
		s.step(1 - s.at)
	}
}

// other returns the next or the previous choice of an item.
func (s *sheet) other(it item, next bool) string {
	i := slices.Index(it.Choices, it.Value)
	if i < 0 {
		i = slices.Index(it.Choices, it.Default)
	}
	if next {
		return it.Choices[(i+1)%len(it.Choices)]
	}
	return it.Choices[(max(i, 0)+len(it.Choices)-1)%len(it.Choices)]
}

// change selects the next choice, or opens the value for editing.
func (s *sheet) change(it item) tea.Cmd {
	s.fault, s.note = "", ""
	if len(it.Choices) > 0 {
		return s.set(it, s.other(it, true), false)
	}
	s.editing = widget.NewInput(true)
	s.editing.SetStyles(s.part.host.Styles())
	s.editing.Set(it.Value)
	return s.editing.Focus()
}

// save stores the edited value.
func (s *sheet) save() tea.Cmd {
	it, ok := s.chosen()
	if !ok || s.editing.Value() == it.Value {
		s.editing = nil
		return nil
	}
	unset := strings.TrimSpace(s.editing.Value()) == "" && it.Kind != config.SettingText
	return s.set(it, s.editing.Value(), unset)
}

// Draw implements widget.Dialog.
func (s *sheet) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	area := draw.Centred(screen, 110, screen.Dy())
	in := draw.Frame(buf, area, sty, "Settings", s.Hints())
	if in.Dy() < 4 {
		return nil
	}
	if s.part.settings != nil && area.Dx() >= 70 {
		draw.PutRight(buf, area.Min.X+14, area.Min.Y, area.Dx()-16, sty.Dim,
			" "+draw.UpTo(s.part.settings.Path(), area.Dx()-20)+" ")
	}
	n := draw.Put(buf, in.Min.X, in.Min.Y, 2, sty.Accent, "› ")
	cur := s.filter.Draw(buf, uv.Rect(in.Min.X+n, in.Min.Y, in.Dx()-n, 1))
	below, words := s.below(in.Dx(), in.Dy() >= 16)
	s.area = uv.Rect(in.Min.X, in.Min.Y+1, in.Dx(), max(1, in.Dy()-2-len(below)))
	h := s.area.Dy()
	s.top = max(0, min(s.top, s.at, len(s.rows)-h), s.at-h+1)
	for i := 0; i < h && s.top+i < len(s.rows); i++ {
		if c := s.row(buf, s.area.Min.Y+i, s.top+i, sty); c != nil {
			cur = c
		}
	}
	if len(s.rows) == 0 {
		draw.Put(buf, s.area.Min.X, s.area.Min.Y, s.area.Dx(), sty.Dim, "no match")
	}
	draw.Scrollbar(buf, uv.Rect(area.Max.X-2, s.area.Min.Y, 1, h), s.top, len(s.rows), sty)
	y := s.area.Max.Y
	draw.Put(buf, in.Min.X, y, in.Dx(), sty.Border, strings.Repeat("─", in.Dx()))
	for i, l := range below {
		st := sty.Base
		switch {
		case i >= words && s.fault != "":
			st = sty.Warning
		case i >= words:
			st = sty.Dim
		}
		draw.Put(buf, in.Min.X, y+1+i, in.Dx(), st, l)
	}
	return cur
}

// row draws a row of the list, and returns the cursor while its value is edited.
func (s *sheet) row(buf uv.ScreenBuffer, y, i int, sty *draw.Styles) *painter.Cursor {
	x, w := s.area.Min.X, s.area.Dx()-1
	if at := s.rows[i]; at < 0 {
		it := s.items[-1-at]
		n := draw.Put(buf, x, y, w, sty.Title, it.Section)
		if it.SectionPurpose != "" && w-n > 10 {
			draw.Put(buf, x+n, y, w-n, sty.Dim, ": "+it.SectionPurpose)
		}
		return nil
	}
	it := s.items[s.rows[i]]
	base, dim, mark := sty.Base, sty.Dim, "  "
	if it.own() {
		mark = "• "
	}
	if i == s.at {
		base, dim = sty.Selected, sty.SelectedDim
		draw.Fill(buf, uv.Rect(x, y, w, 1), base)
	}
	draw.Put(buf, x, y, w, base, mark+it.label)
	name := min(28, w*3/5)
	if i == s.at && s.editing != nil {
		place := uv.Rect(x+name, y, w-name, 1)
		draw.Fill(buf, place, sty.Base)
		return s.editing.Draw(buf, place)
	}
	value, st := it.Value, base
	if value == "" {
		value, st = "not set", dim
	}
	if i == s.at && len(it.Choices) > 0 {
		value = "‹ " + value + " ›"
	}
	avail := w - name
	if it.own() && avail > 40 {
		avail = draw.PutRight(buf, x+name, y, avail, dim, string(it.Source)) - x - name - 1
	}
	draw.Put(buf, x+name, y, avail, st, ansi.Truncate(safetext.Line(value), avail, "…"))
	return nil
}

// own reports whether the value was set explicitly.
func (it item) own() bool {
	return it.open == nil && it.Source != config.FromDefault && it.Source != ""
}

// below returns lines about the selected setting: its description, then its state.
func (s *sheet) below(w int, roomy bool) (all []string, words int) {
	it, ok := s.chosen()
	if !ok {
		return []string{""}, 1
	}
	rows := 1
	if roomy {
		rows = 2
	}
	lines := draw.Wrap(cmp.Or(it.Purpose, it.SectionPurpose), w)
	for len(lines) < rows {
		lines = append(lines, "")
	}
	if len(lines) > rows {
		lines = lines[:rows]
		lines[rows-1] = draw.Continued(lines[rows-1], w)
	}
	last := cmp.Or(s.fault, s.note)
	if last == "" && it.open == nil {
		last = it.Kind + " · default " + cmp.Or(safetext.Line(it.Default), "not set") + " · source: " +
			string(cmp.Or(it.Source, config.FromDefault))
		if it.Restart {
			last += " · needs a restart"
		}
	}
	said := draw.Wrap(last, w)
	if len(said) > 2 {
		said = said[:2]
	}
	lines = lines[:len(lines)+1-len(said)]
	return append(lines, said...), len(lines)
}
