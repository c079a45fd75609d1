package pictures

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// remark is a line under the fields of a form of the studio.
type remark struct {
	label string // dim, before the words
	text  string
	bad   bool
}

func (r remark) style(lk *look.Look) uv.Style {
	if r.bad {
		return lk.Warning
	}
	return lk.Dim
}

// studioForm is a form of the capture studio. What is said about the fields
// stands below them, so that they stay where they are while it changes; where
// there are more fields than rows, those around the one with the focus are shown.
type studioForm struct {
	widget.Form
	// below are the remarks, the most important first.
	below func() []remark
	// tally stands at the right of the title, coloured where something is wrong.
	tally func() (words string, bad bool)
	// most bounds how many rows the remarks take, 0 does not.
	most int
}

// Handle lets the wheel move through the fields, and a click choose one of them.
func (f *studioForm) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		step := 1
		if m.Button == tea.MouseWheelUp {
			step = -1
		}
		if at := f.At + step; at >= 0 && at < len(f.Fields) {
			f.Focus(at)
		}
		return nil, false
	}
	return f.Form.Handle(msg)
}

func (f *studioForm) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(100, screen.Dx())
	remarks := f.remarks(w-4, lk)
	want := 3 + len(remarks)
	for _, fd := range f.Fields {
		want += fd.Wish(w-4) + fd.Head()
	}
	area := look.Centred(screen, w, want)
	in := look.Frame(buf, area, lk, f.Title, f.Hints())
	if f.tally != nil {
		words, bad := f.tally()
		st := lk.Dim
		if bad {
			st = lk.Warning
		}
		room := area.Dx() - ansi.StringWidth(f.Title) - 9
		if ansi.StringWidth(words) > room { // at least the count
			words, _, _ = strings.Cut(words, ", ")
			words, _, _ = strings.Cut(words, " of ")
		}
		if ansi.StringWidth(words) <= room {
			look.PutRight(buf, area.Min.X+2, area.Min.Y, area.Dx()-4, st, " "+words+" ")
		}
	}
	return f.inside(buf, in, remarks, lk)
}

// styledLine is a line with the style that it is drawn in, its label excepted.
type styledLine struct {
	label, text string
	st          uv.Style
}

// remarks are what is said below, broken into lines.
func (f *studioForm) remarks(w int, lk *look.Look) []styledLine {
	if f.below == nil || w < 4 {
		return nil
	}
	var out []styledLine
	for _, r := range f.below() {
		st, label := lk.Base, r.label
		switch {
		case r.bad:
			st, label = lk.Warning, "! "
		case r.label == "":
			st = lk.Dim
		}
		pad := ansi.StringWidth(label)
		for i, l := range look.Wrap(r.text, max(1, w-pad)) {
			if i > 0 {
				label = strings.Repeat(" ", pad)
			}
			out = append(out, styledLine{label, l, st})
		}
	}
	if f.most > 0 && len(out) > f.most {
		out = out[:f.most]
		out[f.most-1].text = strings.TrimRight(out[f.most-1].text, " .…") + " …"
	}
	return out
}

// inside draws the fields, the remarks under them and, in the last row, what is
// wrong; while nothing is, that row belongs to the remarks.
func (f *studioForm) inside(buf uv.ScreenBuffer, in uv.Rectangle, remarks []styledLine, lk *look.Look) *painter.Cursor {
	if in.Dy() < 1 {
		return nil
	}
	room := in.Dy() - 1
	rows, from, to := f.place(in.Dx(), room, len(remarks))
	y := in.Min.Y
	var cur *painter.Cursor
	for i := from; i < to; i++ {
		fd := f.Fields[i]
		if c := f.row(buf, uv.Rect(in.Min.X, y, in.Dx(), fd.Head()+rows[i]), i, lk); c != nil {
			cur = c
		}
		y += fd.Head() + rows[i]
	}
	end := in.Max.Y
	switch {
	case f.Fault != "":
		end--
		look.Put(buf, in.Min.X, end, in.Dx(), lk.Warning, f.Fault)
	case f.Said != "":
		end--
		look.Put(buf, in.Min.X, end, in.Dx(), lk.Success, f.Said)
	}
	for i, r := range remarks {
		if y >= end {
			break
		}
		n := look.Put(buf, in.Min.X, y, in.Dx(), lk.Dim, strings.TrimRight(r.label, " "))
		n = max(n, ansi.StringWidth(r.label))
		text := r.text
		if y == end-1 && i < len(remarks)-1 {
			text = strings.TrimRight(ansi.Truncate(safetext.Line(text), in.Dx()-n-2, ""), " …") + " …"
		}
		look.Put(buf, in.Min.X+n, y, in.Dx()-n, r.st, text)
		y++
	}
	return cur
}

// row draws one field with its label.
func (f *studioForm) row(buf uv.ScreenBuffer, area uv.Rectangle, i int, lk *look.Look) *painter.Cursor {
	fd := f.Fields[i]
	st := lk.Dim
	if i == f.At {
		st = lk.Accent
	}
	if is, on := fd.Check(); is {
		words := lk.Base
		if i == f.At {
			words = lk.Selected
		}
		mark := widget.CheckWords[0]
		if on {
			mark = widget.CheckWords[1]
		}
		look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), words, mark+" "+fd.Label)
		return nil
	}
	n := look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), st, fd.Label+" ")
	if h := fd.Head(); h > 0 {
		area.Min.Y += h
	} else {
		area.Min.X += max(n, 12)
	}
	return fd.Show(buf, uv.Rect(area.Min.X, area.Min.Y, max(0, area.Dx()), area.Dy()), i == f.At, lk)
}

// place says how many rows each field gets in w × room cells and which fields are
// shown. Texts shrink as far as they can before the remarks lose rows, but for a
// few; fields are left out last.
func (f *studioForm) place(w, room, remarks int) (rows []int, from, to int) {
	rows = make([]int, len(f.Fields))
	need := 0
	for i, fd := range f.Fields {
		rows[i] = fd.Wish(w)
		need += rows[i] + fd.Head()
	}
	shrink := func(least, spare int) {
		for need+spare > room {
			big := -1
			for i := range rows {
				switch {
				case rows[i] <= least || least == 1 && i == f.At: // what is written last
				case big < 0 || rows[i] > rows[big]:
					big = i
				}
			}
			if big < 0 && least == 1 && rows[f.At] > 1 {
				big = f.At
			}
			if big < 0 {
				return
			}
			rows[big]--
			need--
		}
	}
	shrink(6, min(remarks, max(3, room/3)))
	shrink(3, min(remarks, 3))
	shrink(1, 0)
	from, to = 0, len(f.Fields)
	for need > room && to-from > 1 {
		drop := to - 1
		if f.At-from > to-1-f.At {
			drop = from
		}
		need -= rows[drop] + f.Fields[drop].Head()
		if drop == from {
			from++
		} else {
			to--
		}
	}
	for room > need && f.At < len(rows) && f.Fields[f.At].Rows > 1 && rows[f.At] < f.Fields[f.At].Wish(w) && need+remarks < room {
		rows[f.At]++
		need++
	}
	return rows, from, to
}
