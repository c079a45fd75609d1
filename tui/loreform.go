package tui

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/lore"
	"ghostlight/engine/lore/plist"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// loreForm is the form of an entry.
type loreForm struct {
	*desk.LongForm
	specs []loreSpec

	checked string // the content that notes are about
	warning string
	types   []string
	warned  bool // that the content was changed by something else too

	long      string // a content that is too long for a field
	rewritten bool   // and was changed
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
	var known []desk.FieldSpec
	for _, s := range lf.specs {
		fd := s.make(a.lk, &e)
		fd.Label = s.label
		f.Fields = append(f.Fields, fd)
		spec := desk.FieldSpec{Group: s.group, Label: s.label, Help: s.help, Check: func(f *widget.Field) error { _, err := s.take(f); return err }}
		if s.label == contentLabel {
			spec.Above = lf.note
		}
		known = append(known, spec)
	}
	lf.outside(&f, e.Content, a)
	lf.LongForm = desk.NewLongForm(a, f, known, func() (func() (func() tea.Cmd, error), error) {
		changes, touched, err := lf.changes()
		if err != nil {
			return nil, err
		}
		if old != nil && len(changes) == 0 {
			return func() (func() tea.Cmd, error) { return nil, nil }, nil
		}
		return func() (func() tea.Cmd, error) { return p.keepEntry(lf, k, e, changes, touched) }, nil
	})
	lf.Other = func() bool { return lf.rewritten }
	a.dialogs.Open(lf.LongForm)
}

// outside gives the form the key that opens the content in the user's own editor.
func (f *loreForm) outside(of *widget.Form, content string, a *app) {
	i := slices.IndexFunc(f.specs, func(s loreSpec) bool { return s.label == contentLabel })
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
		if !f.Touched(i) {
			continue
		}
		change, err := f.specs[i].take(fd)
		if err != nil {
			f.Focus(i)
			return nil, false, fmt.Errorf("%s: %w", f.specs[i].label, err)
		}
		all = append(all, change)
		content = content || f.specs[i].label == contentLabel
	}
	if f.rewritten {
		long := f.long
		all, content = append(all, func(e *storage.LoreEntry) { e.Content = long }), true
	}
	if name := f.Fields[f.Index("Name")]; look.Blank(name.Value()) && look.Blank(f.Fields[f.Index("Keys")].Value()) && look.Blank(f.Fields[f.Index(contentLabel)].Value()) {
		f.Focus(f.Index("Name"))
		return nil, false, desk.ErrNeedsName
	}
	return all, content, nil
}

// contentLabel is the label of the field with the content: it stands alone, with what
// is wrong with it beside it.
const contentLabel = "Content"

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
