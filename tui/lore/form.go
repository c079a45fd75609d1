package lore

import (
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

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

// EditEntry opens the form of an entry for another part. saved is called after it is stored, with a
// description of the change and a function to undo it.
func (r *Part) EditEntry(book storage.LorebookID, entry storage.EntryID,
	saved func(words string, back func() error) tea.Cmd) tea.Cmd {
	p := newEntriesView(r)
	p.chat, p.saved = r.host.Play().Chat().Chat.ID, saved
	return r.editEntry(p, entryKey{book, entry})
}

// editListed opens the form of an entry that another view of the pane lists.
func (r *Part) editListed(book storage.LorebookID, entry storage.EntryID) tea.Cmd {
	return r.EditEntry(book, entry, r.entries().Changed)
}

// showForm opens the form with an entry's fields.
func (p *entriesView) showForm(k entryKey, book string, old *storage.LoreEntry, types []string) {
	f := &pane.RecordForm[storage.LoreEntry]{Title: "New entry of " + draw.Truncate(book, 40),
		Record: lore.EntryFields.With("type", lore.TypeChoices(types)), Value: lore.EntryFields.Default(),
		Fresh: old == nil,
		Note:  map[string]func(string) string{"content": contentNote(types)}}
	if old != nil {
		f.Title, f.Value = fmt.Sprintf("%s · %d", draw.Truncate(old.Name, 50), old.UID), *old
	}
	warned := false // a warning was shown that the content was also changed elsewhere
	f.Save = func(change func(*storage.LoreEntry)) (func() tea.Cmd, error) {
		e := f.Value
		if old != nil {
			now, err := p.Host.Engine().Lore.Entry(k.book, k.entry, p.chat)
			if err != nil {
				return nil, err
			}
			typed := f.Value
			change(&typed)
			if !warned && typed.Content != old.Content && now.Content != old.Content {
				warned = true
				return nil, errors.New(
					"the content has changed in the meantime; saving again overwrites it, the history keeps both")
			}
			e = now.Row.LoreEntry
		}
		change(&e)
		return p.saveEntry(k.book, e)
	}
	f.Open(p.Host)
}

// saveEntry stores an entry, away from the screen's goroutine.
func (p *entriesView) saveEntry(book storage.LorebookID, e storage.LoreEntry) (func() tea.Cmd, error) {
	eng, chat := p.Host.Engine(), p.chat
	got, err := eng.Lore.SaveEntry(book, chat, e)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		at := entryKey{book, got.ID}
		undo := p.undoOf(at)
		if e.ID == "" {
			one := []entryBatch{{at.book, []storage.EntryID{at.entry}, got.Name}}
			undo = func() error { return actAll(eng, chat, one, lore.Delete, "") }
		}
		words := "“" + draw.Truncate(got.Name, 40) + "” saved"
		if p.saved != nil {
			return p.saved(words, undo)
		}
		return tea.Batch(p.choose(at.book, at.entry), p.Changed(words, undo))
	}, nil
}

// maxChecked is the maximum length, in bytes, of a content that is checked while it is typed.
const maxChecked = 16 << 10

// contentNote returns a function that describes the problems of a content that is meant as a PList,
// "" for none.
func contentNote(types []string) func(content string) string {
	checked, warning := "", ""
	return func(content string) string {
		if content == checked {
			return warning
		}
		checked, warning = content, ""
		if len(content) > maxChecked || !plist.IsList(content) {
			return ""
		}
		if problems := plist.Check(content, plist.Want{Types: types}); len(problems) > 0 {
			warning = problems[0].String()
			if n := len(problems) - 1; n > 0 {
				warning += fmt.Sprintf(" (and %d more)", n)
			}
		}
		return warning
	}
}
