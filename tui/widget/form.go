package widget

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// Field is one line or text of a form. A field with options is chosen with ←
// and → instead of typed; a line with offers can be chosen likewise, and typed.
type Field struct {
	Label   string
	Input   *Input
	Rows    int // of a text, while there is room
	Options []string
	Chosen  int
	Offers  []string // the first is nothing
}

// Head is how many lines the label takes above the field.
func (f *Field) Head() int {
	if f.Rows > 1 && f.Label != "" {
		return 1
	}
	return 0
}

// Value is what the user typed or chose.
func (f *Field) Value() string {
	if f.Options != nil {
		return f.Options[f.Chosen]
	}
	return f.Input.Value()
}

// Form is a dialog with fields; save gets them when the user is done.
type Form struct {
	Title   string
	Notes   []string // under the title, dim
	Fields  []*Field
	At      int
	Fault   string
	Keys    []Extra // keys beside saving; the entry they get is empty
	Foot    string
	Save    func(f *Form) (tea.Cmd, error)
	Count   func(f *Form) string // at the right of the foot
	Asked   bool
	Unsaved string // words for leaving with changes
}

// text, line and pick make a form's fields.
func TextField(lk *look.Look, label, value string, rows int) *Field {
	f := &Field{Label: label, Input: NewInput(false), Rows: rows}
	f.Input.Dress(lk)
	f.Input.Set(value)
	f.Input.Area.MoveToBegin()
	return f
}

// LineField is a field of one line; the hint stands in it while it is empty.
func LineField(lk *look.Look, label, value, hint string) *Field {
	f := &Field{Label: label, Input: NewInput(true), Rows: 1}
	f.Input.Dress(lk)
	f.Input.Area.Placeholder = hint
	f.Input.Set(value)
	return f
}

// PickField is a field whose value is one of the options.
func PickField(label, value string, options []string) *Field {
	f := &Field{Label: label, Options: options, Rows: 1}
	for i, o := range options {
		if o == value {
			f.Chosen = i
		}
	}
	return f
}

// Start gives the first field the keys, and returns the form.
func (f *Form) Start() *Form {
	f.Focus(0)
	return f
}

// Focus gives the field at i the keys, counted round.
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

// Changed tells whether the user has typed anything new.
func (f *Form) Changed() bool {
	for _, fd := range f.Fields {
		if fd.Input != nil && fd.Input.Changed() {
			return true
		}
	}
	return false
}

// Handle implements Dialog.
func (f *Form) Handle(msg tea.Msg) (tea.Cmd, bool) {
	k, isKey := msg.(tea.KeyPressMsg)
	if !isKey {
		if m, ok := msg.(tea.MouseMsg); ok {
			f.mouse(m)
		}
		if _, ok := msg.(tea.PasteMsg); ok && f.Fields[f.At].Input != nil {
			return f.Fields[f.At].Input.Update(msg), false
		}
		return nil, false
	}
	stroke := k.Keystroke()
	asked := f.Asked
	f.Asked, f.Fault = false, ""
	switch stroke {
	case "esc", "ctrl+c":
		if f.Changed() && !asked {
			f.Asked, f.Fault = true, f.Unsaved
			if f.Fault == "" {
				f.Fault = "not saved: esc again discards the changes, ^S saves them"
			}
			return nil, false
		}
		return nil, true
	case "ctrl+s":
		return f.Finish()
	case "tab":
		f.Focus(f.At + 1)
		return nil, false
	case "shift+tab":
		f.Focus(f.At - 1)
		return nil, false
	}
	for _, x := range f.Keys {
		if x.Key == stroke {
			return x.Do(Entry{}), !x.Keep
		}
	}
	return f.type_(k, stroke)
}

// mouse gives the text under the mouse the keys, with the cursor there.
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

// type_ hands a key to the field that has the focus.
func (f *Form) type_(k tea.KeyPressMsg, stroke string) (tea.Cmd, bool) {
	fd := f.Fields[f.At]
	if fd.Options != nil {
		switch stroke {
		case "left":
			fd.Chosen = (fd.Chosen + len(fd.Options) - 1) % len(fd.Options)
		case "right", "space":
			fd.Chosen = (fd.Chosen + 1) % len(fd.Options)
		case "up":
			f.Focus(f.At - 1)
		case "down", "enter":
			f.Focus(f.At + 1)
		}
		return nil, false
	}
	if fd.offer(k, stroke) {
		return nil, false
	}
	switch {
	case stroke == "enter" && fd.Input.Single:
		if f.At == len(f.Fields)-1 {
			return f.Finish()
		}
		f.Focus(f.At + 1)
		return nil, false
	case stroke == "up" && fd.Input.Single || stroke == "up" && fd.Input.AtTop() && f.At > 0:
		f.Focus(f.At - 1)
		return nil, false
	case stroke == "down" && (fd.Input.Single || fd.Input.AtBottom()) && f.At < len(f.Fields)-1:
		f.Focus(f.At + 1)
		return nil, false
	}
	return fd.Input.Update(k), false
}

// offer goes to the word before or after among those that are offered. Typing
// writes a word of the user's own in place of an offered one, in which ← and → then
// move as in any line.
func (fd *Field) offer(k tea.KeyPressMsg, stroke string) bool {
	at := slices.Index(fd.Offers, strings.TrimSpace(fd.Input.Value()))
	if at < 0 {
		return false
	}
	step := map[string]int{"left": -1, "right": 1}[stroke]
	if step != 0 {
		fd.Input.Area.SetValue(fd.Offers[(at+step+len(fd.Offers))%len(fd.Offers)])
	} else if k.Text != "" {
		fd.Input.Area.SetValue("")
	}
	return step != 0
}

// Finish saves what the fields say, and tells whether the form is done.
func (f *Form) Finish() (tea.Cmd, bool) {
	cmd, err := f.Save(f)
	if err != nil {
		f.Fault = err.Error()
		return nil, false
	}
	return cmd, true
}

// Hints implements Dialog.
func (f *Form) Hints() string {
	if f.Foot != "" {
		return Hints(f.Foot, TypedHelp)
	}
	return Hints("tab next", "^S save", "esc close", TypedHelp)
}

// Draw implements Dialog.
func (f *Form) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(100, screen.Dx())
	var notes []string
	for _, n := range f.Notes {
		notes = append(notes, look.Wrap(n, w-4)...)
	}
	want := 3 + len(notes)
	for _, fd := range f.Fields {
		want += fd.Wish(w-4) + fd.Head()
	}
	area := look.Centred(screen, w, min(want+1, screen.Dy()))
	in := look.Frame(buf, area, lk, f.Title, f.Hints())
	if f.Count != nil {
		look.PutRight(buf, area.Min.X+2, area.Min.Y, area.Dx()-4, lk.Dim, " "+f.Count(f)+" ")
	}
	return f.body(buf, in, notes, lk)
}

// body draws notes and fields. Where they do not all fit, texts shrink first;
// then the notes go, and only the field with the focus is sure to be seen.
func (f *Form) body(buf uv.ScreenBuffer, in uv.Rectangle, notes []string, lk *look.Look) *painter.Cursor {
	rows, shown := f.fit(in.Dx(), in.Dy()-1, &notes)
	y := in.Min.Y
	for _, n := range notes {
		look.Put(buf, in.Min.X, y, in.Dx(), lk.Dim, n)
		y++
	}
	var cur *painter.Cursor
	for i, fd := range f.Fields {
		if !shown[i] {
			continue
		}
		label := lk.Dim
		if i == f.At {
			label = lk.Accent
		}
		x, fw := in.Min.X, in.Dx()
		n := look.Put(buf, x, y, fw, label, fd.Label+" ")
		if fd.Rows > 1 {
			y += fd.Head()
		} else {
			x, fw = x+max(n, 12), fw-max(n, 12)
		}
		if c := fd.Show(buf, uv.Rect(x, y, max(0, fw), rows[i]), i == f.At, lk); c != nil {
			cur = c
		}
		y += rows[i]
	}
	look.Put(buf, in.Min.X, in.Max.Y-1, in.Dx(), lk.Warning, f.Fault)
	return cur
}

func (f *Form) fit(w, room int, notes *[]string) ([]int, []bool) {
	rows, shown := make([]int, len(f.Fields)), make([]bool, len(f.Fields))
	need := len(*notes)
	for i, fd := range f.Fields {
		rows[i], shown[i] = fd.Wish(w), true
		need += rows[i] + fd.Head()
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
		if i == f.At {
			continue
		}
		shown[i] = false
		need -= rows[i] + f.Fields[i].Head()
	}
	return rows, shown
}

// Wish is how many rows a field would like in w cells: a text as many as it has,
// within reason.
func (fd *Field) Wish(w int) int {
	if fd.Input == nil || fd.Input.Single {
		return fd.Rows
	}
	fd.Input.Resize(w, fd.Input.Area.Height())
	return max(fd.Rows, fd.Input.Rows(mostRows))
}

// mostRows bounds how tall a text of a form grows by itself.
const mostRows = 30

// Show draws the field without its label.
func (fd *Field) Show(buf uv.ScreenBuffer, area uv.Rectangle, focused bool, lk *look.Look) *painter.Cursor {
	if fd.Options == nil {
		return fd.Input.Draw(buf, area)
	}
	st := lk.Base
	if focused {
		st = lk.Selected
	}
	look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), st, "‹ "+strings.TrimSpace(fd.Value())+" ›")
	return nil
}

// CheckWords are the options of a field that is either on or off.
var CheckWords = []string{"–", "✓"}

// CheckField is a field that is on or off.
func CheckField(label string, on bool) *Field {
	f := &Field{Label: label, Options: CheckWords, Rows: 1}
	if on {
		f.Chosen = 1
	}
	return f
}

// Check tells whether a field is one that is on or off, and whether it is on.
func (f *Field) Check() (is, on bool) {
	is = len(f.Options) == len(CheckWords) && f.Options[0] == CheckWords[0] && f.Options[1] == CheckWords[1]
	return is, is && f.Chosen == 1
}
