package tui

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/lore"
	"ghostlight/engine/lore/plist"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/painter"
	"ghostlight/tui/widget"
)

// loreForm is the form of an entry: more fields than a screen has lines, under
// headings, scrolled so that the one with the focus is in view. Numbers are
// checked while they are typed.
type loreForm struct {
	*desk.KeptForm
	specs  []loreSpec
	chosen []int // of the fields with options, as they were
	top    int   // the first row of the layout in view

	checked string // the content that notes are about
	warning string
	types   []string
	warned  bool // that the content was changed by something else too

	long      string // a content that is too long for a field
	rewritten bool   // and was changed
}

// formPart is a part of the form's layout: a heading, or a field with its
// lines.
type formPart struct {
	head  string // of a group, "" for a field
	field int
	h     int
}

// newEntry opens the form of a new entry of a book.
func (p *loreEntries) newEntry(b *loreBook, a *app) tea.Cmd {
	k, name := loreKey{book: b.ID}, b.Name
	return a.Do(func() func() tea.Cmd {
		types := a.eng.Lore.Types()
		return func() tea.Cmd {
			p.showForm(k, name, nil, types)
			return nil
		}
	})
}

// editLoreEntry opens the form of an entry as it is in the store now.
func (a *app) editLoreEntry(p *loreEntries, k loreKey) tea.Cmd {
	chat := p.chat
	return a.Do(func() func() tea.Cmd {
		v, err := a.eng.Lore.Entry(k.book, k.entry, chat)
		types := a.eng.Lore.Types()
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			p.showForm(k, v.BookName, &v.Row.LoreEntry, types)
			return nil
		}
	})
}

// showForm opens the form with an entry's fields.
func (p *loreEntries) showForm(k loreKey, book string, old *storage.LoreEntry, types []string) {
	a := p.a
	e, title := storage.NewLoreEntry(), "New entry of "+look.Within(book, 40)
	if old != nil {
		e, title = *old, fmt.Sprintf("%s · %d", look.Within(old.Name, 50), old.UID)
	}
	lf := &loreForm{specs: loreSpecs(types), types: types}
	f := widget.Form{Title: title, Foot: "tab next · pgdn group · ^S save · alt+e $EDITOR · esc close"}
	for _, s := range lf.specs {
		fd := s.make(a.lk, &e)
		fd.Label = s.label
		f.Fields = append(f.Fields, fd)
		lf.chosen = append(lf.chosen, fd.Chosen)
	}
	lf.outside(&f, e.Content, a)
	lf.KeptForm = desk.NewKeptForm(a, f, func(*widget.Form) (func() (func() tea.Cmd, error), error) {
		changes, touched, err := lf.changes()
		if err != nil {
			return nil, err
		}
		if old != nil && len(changes) == 0 {
			return func() (func() tea.Cmd, error) {
				return func() tea.Cmd { a.dialogs.Close(lf); return nil }, nil
			}, nil
		}
		return func() (func() tea.Cmd, error) { return p.keepEntry(lf, k, e, changes, touched) }, nil
	})
	a.dialogs.Open(lf)
}

// outside gives the form the key that opens the content in the user's own editor.
func (f *loreForm) outside(of *widget.Form, content string, a *app) {
	i := f.index("Content")
	if in := of.Fields[i].Input; in != nil {
		foot := of.Foot
		desk.EditorKey(a, of, in)
		of.Foot = foot
		return
	}
	f.long = content
	of.Keys = append(of.Keys, widget.Extra{Key: "alt+e", Words: "editor", Keep: true, Do: func(widget.Entry) tea.Cmd {
		return a.EditText(f.long, func(text string) tea.Cmd {
			f.rewritten = f.rewritten || text != f.long
			f.long = text
			return nil
		})
	}})
}

// index is the number of a field.
func (f *loreForm) index(label string) int {
	return slices.IndexFunc(f.specs, func(s loreSpec) bool { return s.label == label })
}

// keepEntry stores an entry, away from the screen's goroutine. What the form did
// not touch stays as the store has it by now; a content that was changed at both
// places is refused once.
func (p *loreEntries) keepEntry(lf *loreForm, k loreKey, e storage.LoreEntry, changes []func(*storage.LoreEntry), content bool) (func() tea.Cmd, error) {
	eng, chat, fresh := p.a.eng, p.chat, e.ID == ""
	if !fresh {
		now, err := eng.Lore.Entry(k.book, k.entry, chat)
		if err != nil {
			return nil, err
		}
		if content && now.Content != e.Content && lf.checkOnce() {
			return nil, errors.New("the content was changed meanwhile by something else; ^S again puts yours in its place, the history keeps both")
		}
		e = now.Row.LoreEntry
	}
	for _, change := range changes {
		change(&e)
	}
	got, err := eng.Lore.SaveEntry(k.book, chat, e)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		p.a.dialogs.Close(lf)
		at := loreKey{k.book, got.ID}
		undo := p.undoOf(at)
		if fresh {
			one := []loreBatch{{at.book, []storage.EntryID{at.entry}, got.Name}}
			undo = func() error { return actAll(eng, chat, one, lore.Delete, "") }
		}
		return tea.Batch(p.choose(at.book, at.entry, p.a), p.ChangedBy("“"+look.Within(got.Name, 40)+"” saved", undo))
	}, nil
}

// checkOnce tells whether the user is to be asked first; the second time they
// mean it.
func (f *loreForm) checkOnce() bool {
	f.warned = !f.warned
	return f.warned
}

// changes are what the fields that were touched do to an entry, and whether the
// content is one of them; or the first thing that is wrong, which gets the focus.
func (f *loreForm) changes() (all []func(*storage.LoreEntry), content bool, err error) {
	for i, fd := range f.Fields {
		if !f.touched(i) {
			continue
		}
		change, err := f.specs[i].take(fd)
		if err != nil {
			f.Focus(i)
			return nil, false, fmt.Errorf("%s: %w", f.specs[i].label, err)
		}
		all = append(all, change)
		content = content || f.specs[i].label == "Content"
	}
	if f.rewritten {
		long := f.long
		all, content = append(all, func(e *storage.LoreEntry) { e.Content = long }), true
	}
	if name := f.Fields[f.index("Name")]; look.Blank(name.Value()) && look.Blank(f.Fields[f.index("Keys")].Value()) && look.Blank(f.Fields[f.index("Content")].Value()) {
		f.Focus(f.index("Name"))
		return nil, false, desk.ErrNeedsName
	}
	return all, content, nil
}

func (f *loreForm) touched(i int) bool {
	if fd := f.Fields[i]; fd.Input != nil {
		return fd.Input.Changed()
	}
	return f.Fields[i].Chosen != f.chosen[i]
}

// picked tells whether a field with options has another value than before.
func (f *loreForm) picked() bool {
	if f.rewritten {
		return true
	}
	for i, fd := range f.Fields {
		if fd.Input == nil && f.touched(i) {
			return true
		}
	}
	return false
}

func (f *loreForm) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if m, ok := msg.(tea.MouseWheelMsg); ok {
		step := 1
		if m.Button == tea.MouseWheelUp {
			step = -1
		}
		f.Focus(max(0, min(f.At+step, len(f.Fields)-1)))
		return nil, false
	}
	if f.Busy {
		return f.KeptForm.Handle(msg)
	}
	switch k := widget.Keystroke(msg); k {
	case "esc", "ctrl+c":
		if !f.Asked && f.picked() && !f.Changed() {
			f.Asked, f.Fault = true, "not saved: esc again throws the changes away, ^S saves them"
			return nil, false
		}
	case "pgdown", "pgup":
		if fd := f.Fields[f.At]; fd.Input != nil && !fd.Input.Single && fd.Input.Area.LineCount() > fd.Input.Area.Height() {
			break // of the text
		}
		f.group(k == "pgdown")
		return nil, false
	}
	return f.KeptForm.Handle(msg)
}

// group puts the focus on the first field of the next group, or of this one or
// the one before.
func (f *loreForm) group(down bool) {
	first := func(i int) bool { return i == 0 || f.specs[i].group != f.specs[i-1].group }
	i := f.At
	for {
		if down {
			i++
		} else {
			i--
		}
		if i < 0 || i >= len(f.specs) {
			return
		}
		if first(i) {
			f.Focus(i)
			f.top = wholeForm // so that the group begins at the top
			return
		}
	}
}

// wholeForm is more rows than a form has.
const wholeForm = 1 << 20

// labelWidth is how many cells a label has beside its field.
const labelWidth = 17

func (f *loreForm) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	area := look.Centred(screen, min(100, screen.Dx()), screen.Dy())
	in := look.Frame(buf, area, lk, f.Title, f.Foot)
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
			look.Put(buf, body.Min.X, y+p.h-1, body.Dx(), lk.Title, p.head)
		} else if c := f.show(buf, uv.Rect(body.Min.X, y, body.Dx()-1, min(p.h, body.Max.Y-y)), p.field, lk); c != nil {
			cur = c
		}
		y += p.h
	}
	look.Scrollbar(buf, uv.Rect(body.Max.X, body.Min.Y, 1, body.Dy()), f.top, row, lk)
	f.bottom(buf, in, lk)
	return cur
}

// layout is the form from top to bottom, and which part of it has the focus.
// room is how many lines there are at most for a part.
func (f *loreForm) layout(w, room int) (parts []formPart, focus int) {
	for i, fd := range f.Fields {
		if i == 0 || f.specs[i].group != f.specs[i-1].group {
			parts = append(parts, formPart{head: f.specs[i].group, h: min(len(parts)+1, 2)})
		}
		h := 1 + f.head(i)
		if fd.Input != nil && !fd.Input.Single {
			most := max(1, min(room-2, 14))
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

// head is how many lines a field's label takes above it: that of the content
// stands alone, with what is wrong with it.
func (f *loreForm) head(i int) int {
	if f.specs[i].label == "Content" {
		return 1
	}
	return 0
}

func (f *loreForm) fieldWidth(i, w int) int {
	if f.head(i) > 0 {
		return w
	}
	return max(1, w-min(labelWidth, w/2))
}

// scroll keeps the part with the focus in view; of the first field its heading
// too.
func (f *loreForm) scroll(parts []formPart, focus, room int) {
	from, all := 0, 0
	for i, p := range parts {
		if i < focus {
			from += p.h
		}
		all += p.h
	}
	to := from + parts[focus].h
	if focus > 0 && parts[focus-1].head != "" && to-from+parts[focus-1].h <= room {
		from -= parts[focus-1].h
	}
	want := max(0, min(f.top, from), to-room)
	want = min(want, max(0, all-room))
	// Parts are drawn whole: the view begins where one does.
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
func (f *loreForm) show(buf uv.ScreenBuffer, area uv.Rectangle, i int, lk *look.Look) *painter.Cursor {
	fd, label := f.Fields[i], lk.Dim
	if i == f.At {
		label = lk.Accent
	} else if f.wrong(i) != "" {
		label = lk.Warning
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	if f.head(i) > 0 {
		n := look.Put(buf, x, y, w, label, f.specs[i].label)
		if words := f.note(fd.Value()); words != "" {
			look.Put(buf, x+n+2, y, w-n-2, lk.Warning, words)
		}
		return fd.Show(buf, uv.Rect(x, y+1, w, area.Dy()-1), i == f.At, lk)
	}
	fw := f.fieldWidth(i, w)
	look.Put(buf, x, y, w-fw-1, label, f.specs[i].label)
	return fd.Show(buf, uv.Rect(x+w-fw, y, fw, area.Dy()), i == f.At, lk)
}

// wrong is what is wrong with what was typed into a field, "" for nothing.
func (f *loreForm) wrong(i int) string {
	if !f.touched(i) {
		return ""
	}
	if _, err := f.specs[i].take(f.Fields[i]); err != nil {
		return err.Error()
	}
	return ""
}

// bottom is the last line: what went wrong, what is wrong with the field, or
// what it is for.
func (f *loreForm) bottom(buf uv.ScreenBuffer, in uv.Rectangle, lk *look.Look) {
	words, st := f.specs[f.At].help, lk.Dim
	if wrong := f.wrong(f.At); wrong != "" {
		words, st = "this must be "+wrong, lk.Warning
	}
	if f.Fault != "" {
		words, st = f.Fault, lk.Warning
	}
	look.Put(buf, in.Min.X, in.Max.Y-1, in.Dx(), st, words)
}

// mostChecked is how long a content may be to be checked while it is typed.
const mostChecked = 16 << 10

// note is what is wrong with a content that is meant as a PList, "" for nothing.
func (f *loreForm) note(content string) string {
	if content == f.checked {
		return f.warning
	}
	f.checked, f.warning = content, ""
	if len(content) > mostChecked || !plist.Is(content) {
		return ""
	}
	if problems := plist.Check(content, plist.Want{Types: f.types}); len(problems) > 0 {
		f.warning = problems[0].String()
		if n := len(problems) - 1; n > 0 {
			f.warning += fmt.Sprintf(" (and %d more)", n)
		}
	}
	return f.warning
}
