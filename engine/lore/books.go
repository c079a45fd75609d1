package lore

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A book's name, in runes, and its entries.
const (
	maxBookName    = 200
	maxBookEntries = 200_000
)

// Books returns all books that were not removed. In a chat, its own come first: the chat's, the
// character's, the persona's, then the global ones, and the unrelated ones last.
func (svc *Service) Books(chat storage.ChatID) ([]Book, error) {
	if err := svc.ImportCardBook(chat); err != nil {
		return nil, failure.Wrap("read lorebooks", err)
	}
	out := []Book{}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		out = out[:0]
		ranked, err := svc.booksFor(tx, chat)
		if err != nil {
			return err
		}
		waiting := waitingIn(tx)
		for _, b := range ranked {
			if err := svc.countEntries(tx, &b, chat); err != nil {
				return err
			}
			for _, n := range waiting[b.ID] {
				b.Waiting += n
			}
			out = append(out, b)
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("read lorebooks", err)
	}
	return out, nil
}

// countEntries counts the entries of a book.
func (svc *Service) countEntries(tx *storage.Tx, b *Book, chat storage.ChatID) error {
	entries, err := svc.cache.entries(tx, b.Lorebook, loreTrail(tx, b.Lorebook, chat))
	if err != nil {
		return err
	}
	for i := range entries {
		n := len(entries[i].Content)/usualTokenBytes + 1
		b.Entries++
		b.Tokens += n
		if entries[i].Disabled {
			continue
		}
		b.Active++
		if entries[i].Constant {
			b.Constant += n
		}
	}
	return nil
}

// usualTokenBytes is the assumed number of bytes per token if nothing better is known.
const usualTokenBytes = 4

// booksFor lists the books as a chat sees them ("" for none): whether each counts there, and why.
func (svc *Service) booksFor(tx *storage.Tx, chat storage.ChatID) ([]Book, error) {
	var c storage.Chat
	var who storage.Character
	var persona storage.Persona
	if chat != "" {
		var err error
		if c, err = storage.Chats.Get(tx, chat); err != nil {
			return nil, err
		}
		who, persona = svc.chats.Cast(tx, c)
	}
	world := svc.cache.world(who)
	var out []Book
	for _, b := range storage.Lorebooks.All(tx) {
		if b.Removed {
			continue
		}
		v := Book{Lorebook: b}
		v.Source, v.On, v.Why = bookRole(b, c, who, persona, world)
		if on, said := c.Lorebooks[b.ID]; said {
			v.Switched = true
			v.Why = "switched off for this chat"
			if on {
				v.Why = "switched on for this chat"
			}
			v.On = on
		}
		out = append(out, v)
	}
	slices.SortStableFunc(out, func(a, b Book) int {
		return cmp.Or(cmp.Compare(rankOf(a, c), rankOf(b, c)),
			strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)))
	})
	return out, nil
}

// bookRole returns how a book relates to a chat, apart from the chat's own switch.
func bookRole(b storage.Lorebook, c storage.Chat, who storage.Character, persona storage.Persona,
	world string) (activation.Source, bool, string) {
	src, on, why := activation.Chat, false, "it has another owner"
	switch {
	case b.Kind == storage.ChatBook && c.ID != "" && b.Chat == c.ID:
		src, on, why = activation.Chat, true, "the chat's lorebook"
	case who.ID != "" && (b.Kind == storage.CharacterBook && b.Character == who.ID ||
		slices.Contains(b.Also, string(who.ID))):
		src, on, why = activation.Character, true, "the character's lorebook"
	case persona.ID != "" && (b.Kind == storage.PersonaBook && b.Persona == persona.ID ||
		slices.Contains(b.Also, string(persona.ID))):
		src, on, why = activation.Persona, true, "the persona's lorebook"
	case b.Kind == storage.GlobalBook && world != "" && strings.EqualFold(b.Name, world):
		src, on, why = activation.Character, true, "linked in the character's card"
	case b.Kind == storage.GlobalBook:
		src, on, why = activation.Global, true, "global"
	}
	if on && b.Off {
		on, why = false, "off unless enabled in a chat"
	}
	return src, on, why
}

func rankOf(b Book, c storage.Chat) int {
	switch {
	case c.ID != "" && b.Chat == c.ID:
		return 0
	case b.Source == activation.Character:
		return 1
	case b.Source == activation.Persona:
		return 2
	case b.Kind == storage.GlobalBook:
		return 3
	case b.On:
		return 4
	}
	return 5
}

// AddBook creates a book. A chat has only one: if it exists, that one is returned.
func (svc *Service) AddBook(b storage.Lorebook) (storage.Lorebook, error) {
	if err := BookFields.Valid(&Book{Lorebook: b}); err != nil {
		return b, failure.Wrap("add lorebook", err)
	}
	err := svc.core.Store.Update(func(tx *storage.Tx) (err error) {
		if b.Kind == storage.ChatBook {
			if have, ok := chatBook(tx, b.Chat); ok {
				b = have
				return nil
			}
		}
		b, err = svc.newBook(tx, b)
		return err
	})
	if err != nil {
		return b, failure.Wrap("add lorebook", err)
	}
	svc.core.Emit(Changed{Chat: b.Chat, Book: b.ID})
	return b, nil
}

// newBook stores a book under a new id.
func (svc *Service) newBook(tx *storage.Tx, b storage.Lorebook) (storage.Lorebook, error) {
	if b.Kind == "" {
		b.Kind = storage.GlobalBook
	}
	if err := checkBook(tx, &b); err != nil {
		return b, err
	}
	if b.ID == "" {
		b.ID = storage.LorebookID(storage.NewID())
	}
	b.CreatedAt, b.UpdatedAt = svc.core.Config.Now(), svc.core.Config.Now()
	return b, storage.Lorebooks.Put(tx, b.ID, b)
}

// checkBook returns an error unless a book has a name and the owner that its kind needs.
func checkBook(tx *storage.Tx, b *storage.Lorebook) error {
	b.Name = failure.FirstRunes(strings.Join(strings.Fields(b.Name), " "), maxBookName)
	if b.Name == "" {
		return failure.Refusef("a lorebook needs a name")
	}
	switch b.Kind {
	case storage.GlobalBook:
		b.Chat, b.Character, b.Persona = "", "", ""
		return nil
	case storage.CharacterBook:
		b.Chat, b.Persona = "", ""
		_, err := storage.Characters.Get(tx, b.Character)
		return err
	case storage.ChatBook:
		b.Character, b.Persona = "", ""
		_, err := storage.Chats.Get(tx, b.Chat)
		return err
	case storage.PersonaBook:
		b.Chat, b.Character = "", ""
		_, err := storage.Personas.Get(tx, b.Persona)
		return err
	}
	return failure.Refusef("a lorebook must be global, a character's, a chat's or a persona's, not %q", b.Kind)
}

// chatBook returns a chat's own book, if it has one.
func chatBook(tx *storage.Tx, chat storage.ChatID) (storage.Lorebook, bool) {
	for _, b := range storage.Lorebooks.All(tx) {
		if b.Kind == storage.ChatBook && b.Chat == chat && !b.Removed {
			return b, true
		}
	}
	return storage.Lorebook{}, false
}

// chatBookFor returns a chat's own book and creates it if needed.
func (svc *Service) chatBookFor(tx *storage.Tx, c storage.Chat) (storage.Lorebook, error) {
	if b, ok := chatBook(tx, c.ID); ok {
		return b, nil
	}
	return svc.newBook(tx, storage.Lorebook{Name: c.Title, Kind: storage.ChatBook, Chat: c.ID})
}

// EditBook changes a book's properties: name, description, owner, scan depth, whether it counts,
// and its cases.
func (svc *Service) EditBook(b storage.Lorebook) error {
	return svc.changeLore("edit lorebook", b.ID, "", func(tx *storage.Tx, old *storage.Lorebook, _ *trail) error {
		next := *old
		next.Name, next.Description, next.Off, next.ScanDepth, next.Cases = b.Name, b.Description, b.Off,
			b.ScanDepth, b.Cases
		next.Kind, next.Chat, next.Character, next.Persona = b.Kind, b.Chat, b.Character, b.Persona
		if err := BookFields.Valid(&Book{Lorebook: next}); err != nil {
			return err
		}
		if err := checkBook(tx, &next); err != nil {
			return err
		}
		if have, ok := chatBook(tx, next.Chat); next.Kind == storage.ChatBook && ok && have.ID != next.ID {
			return failure.Refusef("this chat already has a lorebook: %q", have.Name)
		}
		if old.Chat != "" && next.Chat != old.Chat {
			if err := svc.makeGlobal(tx, *old); err != nil {
				return err
			}
		}
		*old = next
		return nil
	})
}

// RemoveBook takes a book away, with all its entries. RestoreBook brings it back.
func (svc *Service) RemoveBook(id storage.LorebookID) error {
	return svc.changeLore("remove lorebook", id, "", func(_ *storage.Tx, b *storage.Lorebook, _ *trail) error {
		b.Removed = true
		return nil
	})
}

// RestoreBook brings a removed book back.
func (svc *Service) RestoreBook(id storage.LorebookID) error {
	return svc.changeLore("restore lorebook", id, "", func(tx *storage.Tx, b *storage.Lorebook, _ *trail) error {
		if have, ok := chatBook(tx, b.Chat); b.Kind == storage.ChatBook && ok && have.ID != b.ID {
			return failure.Refusef("this chat now has another lorebook: %q; make one of them global first", have.Name)
		}
		b.Removed = false
		return nil
	})
}

// SwitchBook sets whether a book counts in a chat; nil resets that to the book's own setting.
func (svc *Service) SwitchBook(chat storage.ChatID, book storage.LorebookID, on *bool) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		if _, err := storage.Lorebooks.Get(tx, book); err != nil {
			return err
		}
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		delete(c.Lorebooks, book)
		if on != nil {
			if c.Lorebooks == nil {
				c.Lorebooks = map[storage.LorebookID]bool{}
			}
			c.Lorebooks[book] = *on
		}
		return storage.Chats.Put(tx, chat, c)
	})
	if err != nil {
		return failure.Wrap("switch lorebook", err)
	}
	svc.core.Emit(Changed{Chat: chat, Book: book})
	return nil
}

// FindBook finds a book by its id, a unique prefix of it, or its name;
// removed ones by their id only.
func (svc *Service) FindBook(ref string) (b storage.Lorebook, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		var list []core.Named
		for id, b := range storage.Lorebooks.All(tx) {
			n := core.Named{ID: string(id), Name: b.Name, Short: ""}
			if b.Removed {
				n.Name = ""
			}
			list = append(list, n)
		}
		id, err := core.Resolve("lorebook", ref, list)
		if err != nil {
			return err
		}
		b, err = storage.Lorebooks.Get(tx, storage.LorebookID(id))
		return err
	})
	return b, err
}

// ImportCardBook makes a lorebook of the book in the card of a chat's character, unless that was
// done before.
func (svc *Service) ImportCardBook(chat storage.ChatID) error {
	var who storage.Character
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err == nil {
			who, _ = svc.chats.Cast(tx, c)
		}
		return nil
	})
	if err != nil || !hasEmbeddedBook(who) {
		return err
	}
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		if who, err = storage.Characters.Get(tx, who.ID); err != nil || !hasEmbeddedBook(who) {
			return nil
		}
		return svc.importCardBook(tx, &who)
	})
	if err == nil {
		svc.core.Emit(Changed{})
	}
	return err
}

// noBook is stored as the Book of a character whose card has no readable book.
const noBook = storage.LorebookID("none")

func hasEmbeddedBook(c storage.Character) bool {
	return c.ID != "" && c.Book == "" && bytes.Contains(c.Source, []byte(`"character_book"`))
}

// importCardBook makes a lorebook of a card's book and stores it with the character.
func (svc *Service) importCardBook(tx *storage.Tx, c *storage.Character) error {
	c.Book = noBook
	got, ok, err := formats.CardBook(c.Source)
	if err == nil && len(got.Entries) > maxBookEntries {
		err = failure.Refusef("it has %d entries; the limit is %d", len(got.Entries), maxBookEntries)
	}
	if err != nil {
		svc.core.Emit(event.Notice{Level: event.Warning, Text: "the lorebook in the card of " + c.Card.Name +
			" cannot be read: " + err.Error()})
	}
	if ok && err == nil {
		into := storage.Lorebook{Kind: storage.CharacterBook, Character: c.ID}
		if strings.TrimSpace(got.Book.Name) == "" {
			into.Name = c.Card.Name
		}
		b, err := svc.AddImported(tx, got, into)
		if err != nil {
			return err
		}
		c.Book = b.ID
	}
	return storage.Characters.Put(tx, c.ID, *c)
}

// AddImported stores an imported book within a transaction. into has the owner, whether the book is
// off, and the name if it is not the file's.
func (svc *Service) AddImported(tx *storage.Tx, got formats.ImportedBook,
	into storage.Lorebook) (storage.Lorebook, error) {
	b, entries := got.Book, got.Entries
	b.ID, b.Kind, b.Chat, b.Character, b.Persona, b.Off = into.ID, into.Kind, into.Chat, into.Character, into.Persona,
		b.Off || into.Off
	if into.Name != "" {
		b.Name = into.Name
	}
	if len(entries) > maxBookEntries {
		return b, failure.Refusef("the lorebook has %d entries; the limit is %d: split it", len(entries),
			maxBookEntries)
	}
	b, err := svc.newBook(tx, b)
	if err != nil {
		return b, err
	}
	now := svc.core.Config.Now()
	for _, x := range entries {
		x.ID, x.Revision = storage.EntryID(storage.NewID()), storage.RevisionID(storage.NewID())
		x.Cause = storage.LoreCause{Origin: storage.LoreByImport}
		x.CreatedAt, x.UpdatedAt = now, now
		b.NextUID = max(b.NextUID, x.UID+1)
		if err := storage.LoreEntries.Put(tx, b.ID, x); err != nil {
			return b, err
		}
	}
	return b, storage.Lorebooks.Put(tx, b.ID, b)
}

// ReleaseBooks makes the books of a deleted owner global and switches them off.
func (svc *Service) ReleaseBooks(tx *storage.Tx, whose func(*storage.Lorebook) bool) error {
	for id, b := range storage.Lorebooks.All(tx) {
		if !whose(&b) {
			continue
		}
		if _, err := svc.touchBook(tx, id, func(b *storage.Lorebook) error {
			b.Kind, b.Off, b.Character, b.Persona, b.Chat = storage.GlobalBook, true, "", "", ""
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// uidFor takes the next free number of a book.
func uidFor(b *storage.Lorebook) int {
	n := b.NextUID
	b.NextUID++
	return n
}
