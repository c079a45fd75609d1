package lore

import (
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/linter"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Import imports a lorebook from a file in any known format, or from a card. into is the owner; its
// zero value makes a global book with the name in the file.
func (svc *Service) Import(path string, into storage.Lorebook) (Imported, error) {
	got, err := formats.ReadBookFile(core.ExpandHome(path))
	if err != nil {
		return Imported{}, failure.Wrap("import", err)
	}
	if into.Name == "" && strings.TrimSpace(got.Book.Name) == "" {
		into.Name = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	}
	out := Imported{Entries: len(got.Entries), Format: got.Format, Warnings: got.Warnings}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		if have, ok := chatBook(tx, into.Chat); into.Kind == storage.ChatBook && ok {
			return failure.Refusef("this chat already has a lorebook, %q: import the file as a global lorebook and "+
				"enable it for the chat", have.Name)
		}
		out.Book, err = svc.AddImported(tx, got, into)
		return err
	})
	if err != nil {
		return Imported{}, failure.Wrap("import", err)
	}
	svc.core.Emit(Changed{Chat: out.Book.Chat, Book: out.Book.ID})
	return out, nil
}

// Export writes a book as a chat sees it, and returns warnings about what the format cannot hold.
// The formats are those of formats.WriteBook, "" for World Info.
func (svc *Service) Export(w io.Writer, book storage.LorebookID, chat storage.ChatID,
	format string) (warnings []string, err error) {
	if format == "" {
		format = "world_info"
	}
	var b storage.Lorebook
	var entries []storage.LoreEntry
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		if b, err = storage.Lorebooks.Get(tx, book); err != nil {
			return err
		}
		entries, err = svc.cache.entries(tx, b, loreTrail(tx, b, chat))
		return err
	})
	if err != nil {
		return nil, failure.Wrap("export", err)
	}
	data, warnings, err := formats.WriteBook(format, b, entries)
	if err != nil {
		return warnings, failure.Wrap("export", err)
	}
	if _, err := w.Write(data); err != nil {
		return warnings, failure.Wrap("export", err)
	}
	return warnings, nil
}

// WithBook returns a character with its current lorebook, if that was changed here, for writing its
// card.
func (svc *Service) WithBook(tx *storage.Tx, c storage.Character) (storage.Character, error) {
	b, ok := bookOf(tx, c)
	if !ok || b.Version == 0 {
		return c, nil // as it came
	}
	entries, err := svc.cache.entries(tx, b, NewTrail(tx, "", ""))
	if err != nil {
		return c, err
	}
	c.Source, err = formats.WithBook(c.Source, b, entries)
	return c, err
}

// bookOf returns the lorebook that goes with a character's card: the one it brought, or another one
// of the character's.
func bookOf(tx *storage.Tx, c storage.Character) (storage.Lorebook, bool) {
	if b, err := storage.Lorebooks.Get(tx, c.Book); err == nil && !b.Removed {
		return b, true
	}
	for _, b := range storage.Lorebooks.All(tx) {
		if b.Kind == storage.CharacterBook && b.Character == c.ID && !b.Removed {
			b.Version = max(b.Version, 1) // the card does not contain it yet
			return b, true
		}
	}
	return storage.Lorebook{}, false
}

// Types returns the types of entries that the program makes.
func (svc *Service) Types() []string {
	if len(svc.core.Settings().Lore.Types) > 0 {
		return slices.Clone(svc.core.Settings().Lore.Types)
	}
	return fill.Types()
}

// RunCases runs the saved cases of a book.
func (svc *Service) RunCases(book storage.LorebookID) ([]CaseResult, error) {
	var b storage.Lorebook
	known := map[string]bool{}
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if b, err = storage.Lorebooks.Get(tx, book); err != nil {
			return err
		}
		entries, err := svc.cache.entries(tx, b, loreTrail(tx, b, ""))
		for i := range entries {
			known[entries[i].Name] = true
		}
		return err
	})
	if err != nil {
		return nil, failure.Wrap("test lorebook", err)
	}
	out := []CaseResult{}
	for _, c := range b.Cases {
		got, err := svc.Test(svc.core.Ctx, "", book, c.Text)
		if err != nil {
			return nil, err
		}
		r := CaseResult{LoreCase: c}
		for i := range got.Triggered {
			if name := got.Triggered[i].Entry.Name; !slices.Contains(r.Fired, name) {
				r.Fired = append(r.Fired, name)
			}
		}
		for _, name := range c.Fires {
			if !known[name] {
				r.Unknown = append(r.Unknown, name)
			} else if !slices.Contains(r.Fired, name) {
				r.Missing = append(r.Missing, name)
			}
		}
		for _, name := range c.Not {
			if !known[name] {
				r.Unknown = append(r.Unknown, name)
			} else if slices.Contains(r.Fired, name) {
				r.Extra = append(r.Extra, name)
			}
		}
		r.OK = len(r.Missing)+len(r.Extra)+len(r.Unknown) == 0
		out = append(out, r)
	}
	return out, nil
}

// lintMessages is the number of a chat's messages that the linter reads.
const lintMessages = 2000

// Lint checks a book, if a chat is named in the light of its messages.
func (svc *Service) Lint(book storage.LorebookID, chat storage.ChatID) ([]Finding, error) {
	in := linter.Input{Types: svc.Types(), CaseSensitive: svc.loreSettings().CaseSensitive,
		WholeWords: svc.loreSettings().WholeWords}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		b, err := storage.Lorebooks.Get(tx, book)
		if err != nil {
			return err
		}
		if chat == "" {
			chat = b.Chat
		}
		if in.Entries, err = svc.cache.entries(tx, b, loreTrail(tx, b, chat)); err != nil || chat == "" {
			return err
		}
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		in.Char, in.User = svc.chats.Names(tx, c)
		names := svc.loreSettings().IncludeNames
		path, err := tx.Path(chat, c.Head, lintMessages)
		if err != nil {
			return err
		}
		for i := range path {
			if n := &path[i]; n.Role.InPrompt() {
				in.Texts = append(in.Texts, scannedText(n, in, names))
			}
		}
		in.Triggered = map[storage.EntryID]int{}
		for _, t := range storage.LoreTurns.All(tx, chat) {
			for _, f := range t.Triggered {
				in.Triggered[f.Entry]++
			}
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("lint lorebook", err)
	}
	return linter.Lint(in), nil
}

// scannedText returns a message as an activation scans it.
func scannedText(n *storage.Node, in linter.Input, names bool) string {
	if !names {
		return n.Content
	}
	name := cmp.Or(n.Name, in.Char)
	if n.Name == "" && n.Role == storage.User {
		name = in.User
	}
	return name + ": " + n.Content
}

// Fix fixes a finding and returns a description of the change.
func (svc *Service) Fix(book storage.LorebookID, chat storage.ChatID, f Finding) (what string, err error) {
	err = svc.changeLore("fix lorebook", book, chat, func(tx *storage.Tx, b *storage.Lorebook, t *trail) error {
		entries, err := svc.cache.entries(tx, *b, t)
		if err != nil {
			return err
		}
		changed, done, err := linter.Fix(f, entries)
		if err != nil {
			return err
		}
		what = done
		old := make([]storage.LoreEntry, len(changed))
		for i := range changed {
			if old[i], err = entryAt(tx, book, changed[i].ID, t); err != nil {
				return err
			}
			changed[i].Cause = storage.LoreCause{Origin: storage.LoreByUser, Chat: t.chat}
		}
		return svc.putMerged(tx, book, old, changed)
	})
	return what, err
}

// ImportCharacterBook makes a lorebook from the book in a new character's card.
func (svc *Service) ImportCharacterBook(tx *storage.Tx, c *storage.Character) error {
	if !hasEmbeddedBook(*c) {
		return nil
	}
	return svc.importCardBook(tx, c)
}
