package widget

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Field is a line or a text of a form. A field with options is chosen with ← and → instead of
// typed. A line with offers can be both chosen and typed.
type Field struct {
	Label   string
	Input   *Input
	Rows    int // of a text, while there is room
	Options []string
	Chosen  int
	Offers  []string // the first is nothing
}

// Head returns the number of lines of the label above the field.
func (f *Field) Head() int {
	if f.Rows > 1 && f.Label != "" {
		return 1
	}
	return 0
}

// Value returns the typed or chosen value.
func (f *Field) Value() string {
	if f.Options != nil {
		return f.Options[f.Chosen]
	}
	return f.Input.Value()
}

// Form is a dialog with fields. Save receives them when the user is done.
type Form struct {
	Base
	Title  string
	Notes  []string // under the title, dim
	Fields []*Field
	At     int
	Fault  string
	Said   string        // the result of the last action; shown until the next key
	Keys   []keys.Action // besides saving
	Verb   string        // label of saving, "" for "save"
	Leave  string        // label of closing, "" for "close"
	Quick  bool          // the accept key saves from any field
	Save   func(f *Form) (tea.Cmd, error)
	Cancel func() tea.Cmd // called when it was closed without saving; may be nil
	// Count returns the words at the right of the title; they are coloured if wrong is set. May be
	// nil.
	Count func() (words string, wrong bool)
	// Below returns styled lines of w cells, shown under the fields, the most important first. The
	// fields keep their place while these change. May be nil.
	Below func(w int, sty *draw.Styles) []string
	Asked bool // the warning about unsaved changes was shown
}

// TextField returns a form's field for a text of several rows.
func TextField(sty *draw.Styles, label, value string, rows int) *Field {
	f := &Field{Label: label, Input: NewInput(false), Rows: rows}
	f.Input.SetStyles(sty)
	f.Input.Set(value)
	f.Input.Area.MoveToBegin()
	return f
}

// LineField returns a field of one line; the hint is shown while it is empty.
func LineField(sty *draw.Styles, label, value, hint string) *Field {
	f := &Field{Label: label, Input: NewInput(true), Rows: 1}
	f.Input.SetStyles(sty)
	f.Input.Area.Placeholder = hint
	f.Input.Set(value)
	return f
}

// PickField returns a field whose value is one of the options.
func PickField(label, value string, options []string) *Field {
	f := &Field{Label: label, Options: options, Rows: 1}
	for i, o := range options {
		if o == value {
			f.Chosen = i
		}
	}
	return f
}

// Start focuses the first field, and returns the form.
func (f *Form) Start() *Form {
	f.Focus(0)
	return f
}

// Focus focuses the field at i, which wraps around.
func (f *Form) Focus(i int) {
	f.At = (i + len(f.Fields)) % len(f.Fields)
	for j, fd := range f.Fields {
		if fd.Input == nil {
			continue
		}
		if j == f.At {
			fd.Input.Focus()
		} else {
			fd.Input.Blur()
		}
	}
}

// Changed reports whether the user has typed anything new.
func (f *Form) Changed() bool {
	for _, fd := range f.Fields {
		if fd.Input != nil && fd.Input.Changed() {
			return true
		}
	}
	return false
}

// Actions implements Dialog. A quick form and one of a single line are done with the key that
// accepts, any other one with the key that saves.
func (f *Form) Actions() []keys.Action {
	verb, several := cmp.Or(f.Verb, "save"), len(f.Fields) > 1
	line := f.Quick || !several && f.Fields[0].Options == nil && f.Fields[0].Input.Single
	step := func(name keys.Name, n int) keys.Action {
		return keys.Action{Name: name, Do: keys.Does(func() { f.Focus(f.At + n) }),
			Visible: func() bool { return len(f.Fields) > 1 }}
	}
	back, next := step(keys.DialogPrevious, -1), step(keys.DialogNext, 1)
	save := keys.Action{Name: keys.DialogSave, Text: verb, Do: f.done}
	enter := keys.Action{Name: keys.DialogEnter, Text: "next field, or " + verb, Do: f.enter, Visible: f.entered}
	if next.Hint = "next"; line {
		enter.Hint = verb
	} else {
		save.Hint = verb
	}
	choose := []keys.Action{f.choice(keys.DialogLeft, -1), f.choice(keys.DialogRight, 1), f.choice(keys.DialogMark, 1)}
	if slices.ContainsFunc(f.Fields, func(fd *Field) bool { return fd.Options != nil }) {
		choose[0].Hint, choose[0].Until = "change", keys.DialogRight
	}
	up, down := step(keys.DialogFieldUp, -1), step(keys.DialogFieldDown, 1)
	up.Visible, down.Visible = func() bool { return f.leaves(-1) }, func() bool { return f.leaves(1) }
	leave := keys.Action{Name: keys.DialogClose, Hint: cmp.Or(f.Leave, "close"), Do: f.leave}
	list := slices.Concat([]keys.Action{next, enter, save}, choose, f.Keys, []keys.Action{back, up, down})
	for i := range list {
		do := list[i].Do
		list[i].Do = func() tea.Cmd { f.ClearMessages(); return do() }
	}
	return append(list, leave)
}

// Typing implements Dialog.
func (*Form) Typing() bool { return true }

// Handle implements Dialog: what no action takes is for the field that has the focus. The wheel goes
// through the fields.
func (f *Form) Handle(msg tea.Msg) (tea.Cmd, bool) {
	fd := f.Fields[f.At]
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		step := 1
		if m.Button == tea.MouseWheelUp {
			step = -1
		}
		f.Focus(max(0, min(f.At+step, len(f.Fields)-1)))
	case tea.MouseMsg:
		f.mouse(m)
	case tea.PasteMsg:
		if fd.Input != nil {
			return fd.Input.Update(msg), false
		}
	case tea.KeyPressMsg:
		f.ClearMessages()
		if fd.Options == nil {
			if fd.offered() && m.Text != "" {
				fd.Input.Area.SetValue("") // a word typed by the user replaces it
			}
			return fd.Input.Update(m), false
		}
	}
	return nil, false
}

// ClearMessages removes the messages about the fields, because the user continues.
func (f *Form) ClearMessages() { f.Asked, f.Fault, f.Said = false, "", "" }

// done saves, and closes the form if that succeeded.
func (f *Form) done() tea.Cmd {
	cmd, done := f.Finish()
	if done {
		f.Close()
	}
	return cmd
}

// leave closes the form. If the user has changed anything, it closes only at the second call.
func (f *Form) leave() tea.Cmd {
	if f.Changed() && !f.Asked {
		f.Warn()
		return nil
	}
	f.Close()
	if f.Cancel != nil {
		return f.Cancel()
	}
	return nil
}

// Warn shows that leaving now discards changes.
func (f *Form) Warn() {
	save := f.Key(keys.DialogSave)
	if len(f.Fields) == 1 && f.Fields[0].Input != nil && f.Fields[0].Input.Single {
		save = f.Key(keys.DialogEnter)
	}
	f.Asked, f.Fault = true, "not saved: "+f.Key(keys.DialogClose)+" again discards the changes, "+save+": "+
		cmp.Or(f.Verb, "save")
}

// entered reports whether the key that accepts is not a line end of the text with the focus.
func (f *Form) entered() bool {
	fd := f.Fields[f.At]
	return fd.Options != nil || fd.Input.Single
}

// enter moves to the next field; from the last one, if that is not a choice, it saves.
func (f *Form) enter() tea.Cmd {
	if f.Quick || f.At == len(f.Fields)-1 && f.Fields[f.At].Options == nil {
		return f.done()
	}
	f.Focus(f.At + 1)
	return nil
}

// choice selects another option of the focused field, or another offered word.
func (f *Form) choice(name keys.Name, step int) keys.Action {
	return keys.Action{Name: name, Visible: func() bool {
		fd := f.Fields[f.At]
		return fd.Options != nil || fd.offered() && name != keys.DialogMark
	}, Do: keys.Does(func() {
		fd := f.Fields[f.At]
		if fd.Options != nil {
			fd.Chosen = (fd.Chosen + step + len(fd.Options)) % len(fd.Options)
			return
		}
		at := slices.Index(fd.Offers, strings.TrimSpace(fd.Input.Value()))
		fd.Input.Area.SetValue(fd.Offers[(at+step+len(fd.Offers))%len(fd.Offers)])
	})}
}

// leaves reports whether going up or down leaves the field with the focus.
func (f *Form) leaves(step int) bool {
	fd := f.Fields[f.At]
	switch {
	case len(f.Fields) == 1:
		return false
	case fd.Options != nil:
		return true
	case step < 0:
		return fd.Input.Single || fd.Input.AtTop() && f.At > 0
	}
	return (fd.Input.Single || fd.Input.AtBottom()) && f.At < len(f.Fields)-1
}

// mouse focuses the text under the mouse, with the cursor there.
func (f *Form) mouse(m tea.MouseMsg) {
	for i, fd := range f.Fields {
		if fd.Input == nil || !fd.Input.Area.Mouse(m) {
			continue
		}
		if i != f.At {
			f.Focus(i)
		}
		return
	}
}

// offered reports whether the field has a word that is offered, or none: then the keys to the left
// and right go to the others. In a word of the user's own they move as in any line.
func (fd *Field) offered() bool {
	return fd.Input != nil && slices.Contains(fd.Offers, strings.TrimSpace(fd.Input.Value()))
}

// Finish saves the fields, and reports whether that succeeded.
func (f *Form) Finish() (tea.Cmd, bool) {
	cmd, err := f.Save(f)
	if err != nil {
		f.Fault = err.Error()
		return cmd, false
	}
	return cmd, true
}

// Draw implements Dialog.
func (f *Form) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	w := min(100, screen.Dx())
	var notes, below []string
	for _, n := range f.Notes {
		notes = append(notes, draw.Wrap(n, w-4)...)
	}
	if f.Below != nil {
		below = f.Below(max(1, w-4), sty)
	}
	want := 4 + len(notes) + len(below)
	for _, fd := range f.Fields {
		want += fd.PreferredRows(w-4) + fd.Head()
	}
	area := draw.Centred(screen, w, min(want, screen.Dy()))
	in := draw.Frame(buf, area, sty, f.Title, f.Hints())
	if f.Count != nil {
		f.count(buf, area, sty)
	}
	if in.Empty() {
		return nil
	}
	return f.body(buf, in, notes, below, sty)
}

// count draws the words at the right of the title, shortened to the available room.
func (f *Form) count(buf uv.ScreenBuffer, area uv.Rectangle, sty *draw.Styles) {
	words, wrong := f.Count()
	st := sty.Dim
	if wrong {
		st = sty.Warning
	}
	avail := area.Dx() - ansi.StringWidth(f.Title) - 9
	for _, end := range []string{", ", " of "} {
		if ansi.StringWidth(words) > avail {
			words, _, _ = strings.Cut(words, end)
		}
	}
	if ansi.StringWidth(words) <= avail {
		draw.PutRight(buf, area.Min.X+2, area.Min.Y, area.Dx()-4, st, " "+words+" ")
	}
}

// body draws the notes, the fields and the lines below them; see fit. The last line shows the
// error.
func (f *Form) body(buf uv.ScreenBuffer, in uv.Rectangle, notes, below []string, sty *draw.Styles) *painter.Cursor {
	rows, from, to := f.fit(in.Dx(), in.Dy()-1, len(below), &notes)
	y := in.Min.Y
	for _, n := range notes {
		draw.Put(buf, in.Min.X, y, in.Dx(), sty.Dim, n)
		y++
	}
	var cur *painter.Cursor
	for i := from; i < to; i++ {
		h := f.Fields[i].Head() + rows[i]
		if c := f.row(buf, uv.Rect(in.Min.X, y, in.Dx(), h), i, sty); c != nil {
			cur = c
		}
		y += h
	}
	words, st, end := f.Fault, sty.Warning, in.Max.Y
	if words == "" {
		words, st = f.Said, sty.Success
	}
	if words != "" {
		end--
		draw.Put(buf, in.Min.X, end, in.Dx(), st, words)
	}
	for i, l := range below[:max(0, min(len(below), end-y))] {
		draw.PutStyled(buf, in.Min.X, y+i, in.Dx(), l)
		if y+i == end-1 && i < len(below)-1 {
			draw.PutRight(buf, in.Min.X, y+i, in.Dx(), sty.Dim, " …")
		}
	}
	return cur
}

// row draws a field with its label.
func (f *Form) row(buf uv.ScreenBuffer, area uv.Rectangle, i int, sty *draw.Styles) *painter.Cursor {
	fd, label, mark := f.Fields[i], sty.Dim, sty.Base
	if i == f.At {
		label, mark = sty.Accent, sty.Selected
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	if is, _ := fd.Check(); is {
		draw.Put(buf, x, y, w, mark, fd.Value()+" "+fd.Label)
		return nil
	}
	n := draw.Put(buf, x, y, w, label, fd.Label+" ")
	if fd.Rows > 1 {
		area.Min.Y += fd.Head()
	} else {
		area.Min.X += min(w, max(n, 12))
	}
	return fd.Show(buf, area, i == f.At, sty)
}

// fit returns the number of rows of each field and the range of fields to show, in w × avail cells.
// If they do not all fit, texts shrink first, and leave a few lines to those below while possible.
// Then the notes go, and then the fields farthest from the focused one.
func (f *Form) fit(w, avail, below int, notes *[]string) (rows []int, from, to int) {
	rows, to = make([]int, len(f.Fields)), len(f.Fields)
	need := len(*notes)
	for i, fd := range f.Fields {
		rows[i] = fd.PreferredRows(w)
		need += rows[i] + fd.Head()
	}
	shrink := func(least, spare int) {
		for need+spare > avail {
			big := slices.Index(rows, slices.Max(rows))
			if rows[big] <= least {
				return
			}
			rows[big]--
			need--
		}
	}
	shrink(6, min(below, max(3, avail/3)))
	shrink(3, min(below, 3))
	shrink(2, 0)
	if need > avail {
		need -= len(*notes)
		*notes = nil
	}
	for need > avail && to-from > 1 {
		drop := to - 1
		if f.At-from > to-1-f.At {
			drop = from
			from++
		} else {
			to--
		}
		need -= rows[drop] + f.Fields[drop].Head()
	}
	rows[f.At] = max(1, min(rows[f.At], avail-f.Fields[f.At].Head()))
	for fd := f.Fields[f.At]; need+below < avail && fd.Rows > 1 && rows[f.At] < fd.PreferredRows(w); need++ {
		rows[f.At]++
	}
	return rows, from, to
}

// PreferredRows returns the number of rows that a field prefers in w cells: as many as its text
// has, within limits.
func (fd *Field) PreferredRows(w int) int {
	if fd.Input == nil || fd.Input.Single {
		return fd.Rows
	}
	fd.Input.Resize(w, fd.Input.Area.Height())
	return max(fd.Rows, fd.Input.Rows(maxRows))
}

// maxRows is the maximum number of rows to which a text of a form grows by itself.
const maxRows = 30

// Show draws the field without its label.
func (fd *Field) Show(buf uv.ScreenBuffer, area uv.Rectangle, focused bool, sty *draw.Styles) *painter.Cursor {
	if fd.Options == nil {
		return fd.Input.Draw(buf, area)
	}
	st := sty.Base
	if focused {
		st = sty.Selected
	}
	draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), st, "‹ "+strings.TrimSpace(fd.Value())+" ›")
	return nil
}

// CheckLabels are the options of a checkbox.
var CheckLabels = []string{"–", "✓"}

// CheckField returns a checkbox.
func CheckField(label string, on bool) *Field {
	f := &Field{Label: label, Options: CheckLabels, Rows: 1}
	if on {
		f.Chosen = 1
	}
	return f
}

// Check reports whether a field is a checkbox, and whether it is on.
func (f *Field) Check() (is, on bool) {
	is = len(f.Options) == len(CheckLabels) && f.Options[0] == CheckLabels[0] && f.Options[1] == CheckLabels[1]
	return is, is && f.Chosen == 1
}
