package pane

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// RecordForm is the form of a record, with the fields that have a label. The first group is always
// shown. The other groups are folded while the focus is elsewhere; their headings show how many
// fields differ from the default.
type RecordForm[T any] struct {
	Title  string
	Record *field.Record[T]
	Value  T
	Fresh  bool // the record is new: it is saved even if nothing was changed
	// Save stores the record, away from the screen's goroutine, and returns the function to run
	// afterwards. change applies the user's changes to the record as the store has it now.
	Save func(change func(v *T)) (func() tea.Cmd, error)
	// Note returns the text beside the label of a text field, by the field's name.
	Note map[string]func(value string) string
	Keys []keys.Action // besides those of every form
	// ExtraChanged reports whether something was changed that is no field; it may be nil.
	ExtraChanged func() bool

	*LongForm
	host  Host
	specs []*field.Spec[T]
	long  map[int]*longText // by the field
}

// longText is a text that is too long for a form: only the external editor opens it.
type longText struct{ was, now string }

// Open shows the form.
func (f *RecordForm[T]) Open(h Host) {
	f.Prepare(h)
	h.Open(f)
}

// Prepare prepares the form for a dialog that embeds it.
func (f *RecordForm[T]) Prepare(h Host) {
	f.host, f.long = h, map[int]*longText{}
	form := widget.Form{Title: f.Title, Keys: slices.Clone(f.Keys)}
	var specs []FieldSpec
	for i := range f.Record.Fields {
		s := &f.Record.Fields[i]
		if s.Label == "" {
			continue
		}
		f.specs = append(f.specs, s)
		form.Fields = append(form.Fields, f.field(s))
		specs = append(specs, f.spec(s))
	}
	form.Keys = append(form.Keys, keys.Action{Name: keys.DialogEditor, Hint: "$EDITOR",
		Visible: f.editable, Do: f.edit})
	f.LongForm = NewLongForm(h, form, specs, f.save)
	f.Other = func() bool {
		for _, t := range f.long {
			if t.was != t.now {
				return true
			}
		}
		return f.ExtraChanged != nil && f.ExtraChanged()
	}
}

// spec returns the description of a field.
func (f *RecordForm[T]) spec(s *field.Spec[T]) FieldSpec {
	i := len(f.specs) - 1
	out := FieldSpec{Group: s.Group, Label: s.Label, Help: s.Help, Check: func(*widget.Field) error {
		v := f.Value
		return f.put(i, &v)
	}}
	if s.Group != f.specs[0].Group {
		out.Differs = func(*widget.Field) bool {
			v, std := f.Record.Default(), f.Record.Default()
			return f.put(i, &v) != nil || s.Get(&v) != s.Get(&std)
		}
	}
	if k := s.Kind(); k == field.Text || k == field.List {
		out.Above = func(value string) string {
			if note := f.Note[s.Name]; note != nil {
				return note(value)
			}
			return ""
		}
	}
	return out
}

// field returns the field of a form with the record's value.
func (f *RecordForm[T]) field(s *field.Spec[T]) *widget.Field {
	sty, text := f.host.Styles(), s.Get(&f.Value)
	switch s.Kind() {
	case field.Switch, field.Enum:
		if s.AllowsOther {
			fd := widget.LineField(sty, s.Label, s.Display(&f.Value), s.Hint)
			fd.Offers = []string{""}
			for _, c := range s.Choices {
				if c.Value != "" {
					fd.Offers = append(fd.Offers, cmp.Or(c.Label, c.Value))
				}
			}
			return fd
		}
		return widget.PickField(s.Label, f.words(s), f.options(s))
	case field.List:
		if s.Join == nil {
			text = strings.Join(s.Items(&f.Value), "\n")
		}
		return widget.TextField(sty, s.Label, text, max(1, s.Rows))
	case field.Text:
		if len(text) > MaxTypedLen {
			f.long[len(f.specs)-1] = &longText{text, text}
			return widget.PickField(s.Label, "",
				[]string{draw.Size(int64(len(text))) + ": only in your external editor"})
		}
		return widget.TextField(sty, s.Label, text, max(1, s.Rows))
	}
	return widget.LineField(sty, s.Label, text, s.Hint)
}

// words returns the display words of the value of a field with options.
func (f *RecordForm[T]) words(s *field.Spec[T]) string {
	if words := s.Display(&f.Value); words != "" {
		return safetext.Line(words)
	}
	return f.options(s)[0]
}

// options returns the display words of a field's possible values, and of its value if that is none
// of them.
func (f *RecordForm[T]) options(s *field.Spec[T]) (list []string) {
	if s.Kind() == field.Switch {
		if s.Optional() {
			list = append(list, cmp.Or(s.Hint, "same as settings"))
		}
		return append(list, widget.OffOn...)
	}
	for _, c := range s.Choices {
		list = append(list, cmp.Or(c.Label, c.Value))
	}
	if now := safetext.Line(s.Display(&f.Value)); now != "" && !slices.Contains(list, now) {
		list = append(list, now)
	}
	return list
}

// put writes the value of a field of the form into a record.
func (f *RecordForm[T]) put(i int, v *T) error {
	s, fd := f.specs[i], f.LongForm.Fields[i]
	if t := f.long[i]; t != nil {
		return s.Set(v, t.now)
	}
	switch {
	case s.Kind() == field.Switch && !s.AllowsOther:
		at := fd.Chosen
		if s.Optional() {
			at--
		}
		return s.Set(v, []string{"", "false", "true"}[at+1])
	case s.Kind() == field.Enum && !s.AllowsOther:
		if fd.Chosen < len(s.Choices) {
			return s.Set(v, s.Choices[fd.Chosen].Value)
		}
		return nil // as it was
	case s.Kind() == field.List && s.Split == nil:
		return s.SetItems(v, lines(fd.Value()))
	}
	return s.Set(v, fd.Value())
}

// lines returns the lines of a text that are not blank.
func lines(text string) []string {
	list := []string{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// save checks the changed fields, and returns a function that stores them. A field with an error
// gets the focus.
func (f *RecordForm[T]) save() (func() (func() tea.Cmd, error), error) {
	v := f.Value
	var changed []func(v *T) // the current values: the form may change while it is stored
	for i, s := range f.specs {
		if t := f.long[i]; t == nil && !f.Touched(i) && !f.Fresh || t != nil && t.was == t.now {
			continue
		}
		if err := f.put(i, &v); err != nil {
			f.Focus(i)
			if wrong := field.AsError(err); wrong != nil {
				return nil, errors.New(s.Label + " " + wrong.Reason)
			}
			return nil, err
		}
		changed = append(changed, f.copier(i, v))
	}
	if len(changed) == 0 && !f.Fresh && !f.Other() {
		return func() (func() tea.Cmd, error) { return nil, nil }, nil
	}
	return func() (func() tea.Cmd, error) {
		return f.Save(func(into *T) {
			for _, change := range changed {
				change(into)
			}
		})
	}, nil
}

// Current returns the record with the values of the form, or the first error.
func (f *RecordForm[T]) Current() (T, error) {
	v := f.Value
	for i := range f.specs {
		if err := f.put(i, &v); err != nil {
			return v, err
		}
	}
	return v, nil
}

// copier returns a function that copies field i of from, which is valid.
func (f *RecordForm[T]) copier(i int, from T) func(into *T) {
	s := f.specs[i]
	if s.Kind() == field.List {
		return func(into *T) { _ = s.SetItems(into, s.Items(&from)) }
	}
	return func(into *T) { _ = s.Set(into, s.Get(&from)) }
}

// editable reports whether the field with the focus is a text for the external editor.
func (f *RecordForm[T]) editable() bool {
	in := f.LongForm.Fields[f.At].Input
	return f.ready() && (f.long[f.At] != nil || in != nil && !in.Single)
}

// edit opens the focused text in the external editor.
func (f *RecordForm[T]) edit() tea.Cmd {
	if t := f.long[f.At]; t != nil {
		return f.host.EditText(t.now, func(text string) tea.Cmd {
			t.now = text
			return nil
		})
	}
	in := f.LongForm.Fields[f.At].Input
	return f.host.EditText(in.Value(), func(text string) tea.Cmd {
		in.Area.SetValue(text)
		return nil
	})
}

// Set sets the text of a field of the form, as if the user had typed it.
func (f *RecordForm[T]) Set(name, text string) {
	for i, s := range f.specs {
		if in := f.LongForm.Fields[i].Input; s.Name == name && in != nil {
			in.Area.SetValue(text)
		}
	}
}

// Typed returns the current value of a field of the form.
func (f *RecordForm[T]) Typed(name string) string {
	for i, s := range f.specs {
		if s.Name == name {
			return f.LongForm.Fields[i].Value()
		}
	}
	return ""
}
