package lore

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// entryForm is the form of an entry.
type entryForm struct {
	*pane.LongForm
	specs []fieldSpec

	checked string // the content that notes are about
	warning string
	types   []string
	warned  bool // that the content was changed by something else too

	long      string // a content that is too long for a field
	rewritten bool   // and was changed
}

// newEntry opens the form of a new entry of a book.
func (p *entriesView) newEntry(b *listedBook) tea.Cmd {
	k, name := entryKey{book: b.ID}, b.Name
	return p.Host.Do(func() func() tea.Cmd {
		types := p.Host.Engine().Lore.Types()
		return func() tea.Cmd {
			p.showForm(k, name, nil, types)
			return nil
		}
	})
}

// editEntry opens the form of an entry as it is in the store now.
func (r *Part) editEntry(p *entriesView, k entryKey) tea.Cmd {
	chat := p.chat
	return r.host.Do(func() func() tea.Cmd {
		v, err := r.host.Engine().Lore.Entry(k.book, k.entry, chat)
		types := r.host.Engine().Lore.Types()
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			p.showForm(k, v.BookName, &v.Row.LoreEntry, types)
			return nil
		}
	})
}

// EditEntry opens the form of an entry for another part, which is told once it is saved:
// in words, and by what takes it back.
func (r *Part) EditEntry(book storage.LorebookID, entry storage.EntryID, saved func(words string, back func() error) tea.Cmd) tea.Cmd {
	p := newEntriesView(r)
	p.chat, p.saved = r.host.Play().Chat().Chat.ID, saved
	return r.editEntry(p, entryKey{book, entry})
}

// editListed opens the form of an entry that another view of the pane lists.
func (r *Part) editListed(book storage.LorebookID, entry storage.EntryID) tea.Cmd {
	return r.EditEntry(book, entry, r.entries().ChangedBy)
}

// showForm opens the form with an entry's fields.
func (p *entriesView) showForm(k entryKey, book string, old *storage.LoreEntry, types []string) {
	e, title := storage.NewLoreEntry(), "New entry of "+draw.Within(book, 40)
	if old != nil {
		e, title = *old, fmt.Sprintf("%s · %d", draw.Within(old.Name, 50), old.UID)
	}
	lf := &entryForm{specs: fieldSpecs(types), types: types}
	f := widget.Form{Title: title}
	var known []pane.FieldSpec
	for _, s := range lf.specs {
		fd := s.make(p.Host.Styles(), &e)
		fd.Label = s.label
		f.Fields = append(f.Fields, fd)
		spec := pane.FieldSpec{Group: s.group, Label: s.label, Help: s.help, Check: func(f *widget.Field) error { _, err := s.take(f); return err }}
		if s.group != firstGroup {
			spec.Differs = differs(s)
		}
		if s.label == contentLabel {
			spec.Above = lf.note
		}
		known = append(known, spec)
	}
	lf.outside(p.Host, &f, e.Content)
	lf.LongForm = pane.NewLongForm(p.Host, f, known, func() (func() (func() tea.Cmd, error), error) {
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
	p.Host.Open(lf.LongForm)
}

// differs reports whether what a field says is another value than that of a new entry.
func differs(s fieldSpec) func(f *widget.Field) bool {
	def := storage.NewLoreEntry()
	return func(f *widget.Field) bool {
		change, err := s.take(f)
		if err != nil {
			return true
		}
		e := storage.NewLoreEntry()
		change(&e)
		return !s.same(&e, &def)
	}
}

// outside gives the form the key that opens the content in the user's own editor.
func (f *entryForm) outside(d pane.Host, of *widget.Form, content string) {
	i := slices.IndexFunc(f.specs, func(s fieldSpec) bool { return s.label == contentLabel })
	if in := of.Fields[i].Input; in != nil {
		pane.EditorKey(d, of, in)
		return
	}
	f.long = content
	of.Keys = append(of.Keys, keys.Action{Name: keys.DialogEditor, Hint: "$EDITOR", Do: func() tea.Cmd {
		return d.EditText(f.long, func(text string) tea.Cmd {
			f.rewritten = f.rewritten || text != f.long
			f.long = text
			return nil
		})
	}})
}

// keepEntry stores an entry, away from the screen's goroutine. What the form did
// not touch stays as the store has it by now; a content that was changed at both
// places is refused once.
func (p *entriesView) keepEntry(lf *entryForm, k entryKey, e storage.LoreEntry, changes []func(*storage.LoreEntry), content bool) (func() tea.Cmd, error) {
	eng, chat, fresh := p.Host.Engine(), p.chat, e.ID == ""
	if !fresh {
		now, err := eng.Lore.Entry(k.book, k.entry, chat)
		if err != nil {
			return nil, err
		}
		if content && now.Content != e.Content && lf.checkOnce() {
			return nil, errors.New("the content has changed in the meantime; saving again overwrites it, the history keeps both")
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
		at := entryKey{k.book, got.ID}
		undo := p.undoOf(at)
		if fresh {
			one := []entryBatch{{at.book, []storage.EntryID{at.entry}, got.Name}}
			undo = func() error { return actAll(eng, chat, one, lore.Delete, "") }
		}
		words := "“" + draw.Within(got.Name, 40) + "” saved"
		if p.saved != nil {
			return p.saved(words, undo)
		}
		return tea.Batch(p.choose(at.book, at.entry), p.ChangedBy(words, undo))
	}, nil
}

// checkOnce reports whether the user is to be asked first; the second time they
// mean it.
func (f *entryForm) checkOnce() bool {
	f.warned = !f.warned
	return f.warned
}

// changes are what the fields that were touched do to an entry, and whether the
// content is one of them; or the first thing that is wrong, which gets the focus.
func (f *entryForm) changes() (all []func(*storage.LoreEntry), content bool, err error) {
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
	if name := f.Fields[f.Index("Name")]; draw.Blank(name.Value()) && draw.Blank(f.Fields[f.Index("Keys")].Value()) && draw.Blank(f.Fields[f.Index(contentLabel)].Value()) {
		f.Focus(f.Index("Name"))
		return nil, false, pane.ErrNeedsName
	}
	return all, content, nil
}

// contentLabel is the label of the field with the content: it stands alone, with what
// is wrong with it beside it.
const contentLabel = "Content"

// mostChecked is how long a content may be to be checked while it is typed.
const mostChecked = 16 << 10

// note is what is wrong with a content that is meant as a PList, "" for nothing.
func (f *entryForm) note(content string) string {
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
