package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/failure"
	"ghostlight/engine/lore"
	"ghostlight/storage"
)

func (d *door) loreCommand() *cobra.Command {
	c := group("lore", "keep lorebooks: what the story knows, and why the model is told of it",
		d.loreList(), d.loreShow(), d.loreNew(), d.loreBook(), d.loreRemove(), d.loreBringBack(), d.loreSwitch(),
		d.loreImport(), d.loreExport(),
		d.loreAdd(), d.loreEdit(), d.loreRename(), d.loreMerge(), d.loreSplit(),
		d.loreAct("enable", lore.Enable, "let entries fire again"),
		d.loreAct("disable", lore.Disable, "let entries not fire"),
		d.loreAct("lock", lore.Lock, "let nothing but you change entries"),
		d.loreAct("unlock", lore.Unlock, "let recaps change entries again"),
		d.loreAct("constant", lore.Constant, "put entries into every prompt, whatever is said"),
		d.loreAct("keyed", lore.Keyed, "let the keys of entries decide when they are in the prompt"),
		d.loreAct("delete", lore.Delete, "delete entries; lore undo brings one back"),
		d.loreActWith("retype", "TYPE", lore.Retype, "give entries another type"),
		d.loreActWith("reorder", "ORDER", lore.Reorder, "give entries another order: higher ones stand nearer to what comes next"),
		d.loreHistory(), d.loreUndo(), d.loreRestore(),
		d.loreActivate(), d.loreTest(), d.loreWhy(),
		d.loreFill(), d.loreCompact(), d.loreInbox(), d.loreAccept(), d.loreReject(), d.loreReconsider(), d.loreTaught(), d.loreTakeBack(),
		d.loreLint(), d.loreUnit())
	return c
}

// What the help of several commands says of their arguments.
const (
	bookHelp = "BOOK is a lorebook's id, the beginning of one, or its name; or a chat, a character or a persona that has a single book."

	entryHelp = "ENTRY is an entry's id, the beginning of one, its uid, its name or an alias."
)

// book finds a lorebook: by itself, or else by whom it belongs to.
func book(e *engine.Engine, ref string) (storage.Lorebook, error) {
	b, missing := e.Lore.FindBook(ref)
	if !errors.Is(missing, storage.ErrNotFound) {
		return b, missing
	}
	if c, err := e.Chats.Find(ref); err == nil {
		return bookOf(e, "the chat "+quote(c.Title), "--chat "+string(c.ID), func(b lore.Book) bool { return b.Chat == c.ID })
	} else if errors.Is(err, failure.ErrAmbiguous) {
		return b, err
	}
	if c, err := e.Library.FindCharacter(ref); err == nil {
		return bookOf(e, "the character "+quote(c.Card.Name), "--character "+string(c.ID), func(b lore.Book) bool { return b.Character == c.ID })
	} else if errors.Is(err, failure.ErrAmbiguous) {
		return b, err
	}
	if p, err := e.Library.FindPersona(ref); err == nil {
		return bookOf(e, "the persona "+quote(p.Name), "--persona "+string(p.ID), func(b lore.Book) bool { return b.Persona == p.ID })
	} else if errors.Is(err, failure.ErrAmbiguous) {
		return b, err
	}
	return b, missing
}

// bookOf is the only book of an owner.
func bookOf(e *engine.Engine, who, flag string, is func(lore.Book) bool) (storage.Lorebook, error) {
	list, err := e.Lore.Books("")
	if err != nil {
		return storage.Lorebook{}, err
	}
	var have []storage.Lorebook
	var names []string
	for _, b := range list {
		if is(b) {
			have, names = append(have, b.Lorebook), append(names, fmt.Sprintf("%s (%s)", b.Name, b.ID))
		}
	}
	switch len(have) {
	case 0:
		return storage.Lorebook{}, fmt.Errorf("%w: %s has no lorebook; ghostlight lore new NAME %s makes one", storage.ErrNotFound, who, flag)
	case 1:
		return have[0], nil
	}
	return storage.Lorebook{}, fmt.Errorf("%w: %s has %d lorebooks: %s", failure.ErrAmbiguous, who, len(have), strings.Join(names, ", "))
}

// bookWork is work on the book that the first argument names.
func (d *door) bookWork(w func(ctx context.Context, e *engine.Engine, b storage.Lorebook, args []string) error) func(*cobra.Command, []string) error {
	return d.with(func(ctx context.Context, e *engine.Engine, args []string) error {
		b, err := book(e, args[0])
		if err != nil {
			return err
		}
		return w(ctx, e, b, args[1:])
	})
}

// entryWork is work on the entry that the first two arguments name. It is seen
// at the head of the chat that its book belongs to, or that --chat names.
func (d *door) entryWork(at *atChat, w func(ctx context.Context, e *engine.Engine, t entryRef, args []string) error) func(*cobra.Command, []string) error {
	return d.bookWork(func(ctx context.Context, e *engine.Engine, b storage.Lorebook, args []string) error {
		chat, err := at.find(e, b)
		if err != nil {
			return err
		}
		id, err := entry(e, b, args[0])
		if err != nil {
			return err
		}
		return w(ctx, e, entryRef{b, chat, id}, args[1:])
	})
}

// entryRef is an entry of a book, seen in a chat.
type entryRef struct {
	book storage.Lorebook
	chat storage.ChatID // "" for none
	id   storage.EntryID
}

// entry finds an entry of a book. One that is gone, or not there in this chat,
// is found where no other is called so.
func entry(e *engine.Engine, b storage.Lorebook, ref string) (storage.EntryID, error) {
	id, err := e.Lore.FindEntry(b.ID, ref)
	if errors.Is(err, storage.ErrNotFound) {
		err = fmt.Errorf("%w in %s", err, quote(b.Name))
	}
	return id, err
}

// atChat is the flag that names the chat at whose head entries are seen.
type atChat struct{ ref string }

func (a *atChat) add(c *cobra.Command) {
	c.Flags().StringVar(&a.ref, "chat", "", "as it is in the chat `CHAT` (default: the chat that the book belongs to)")
}

// find is that chat, "" for none. A book of a chat is of no other.
func (a *atChat) find(e *engine.Engine, b storage.Lorebook) (storage.ChatID, error) {
	if a == nil || a.ref == "" {
		return b.Chat, nil
	}
	c, err := e.Chats.Find(a.ref)
	if err == nil && b.Chat != "" && b.Chat != c.ID {
		err = misuse{fmt.Sprintf("%s belongs to another chat than --chat names", quote(b.Name))}
	}
	return c.ID, err
}

func (d *door) loreList() *cobra.Command {
	var at atChat
	var entries bool
	c := &cobra.Command{Use: "list [CHAT|BOOK]", Short: "list the lorebooks, those of a chat, or the entries of a book", Args: takes(0, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long: "List all lorebooks; those of CHAT, with what comes in and why; or the entries of BOOK. With --entries the entries of all books " +
			"that count in CHAT are listed. What is both a chat and a book by name is taken for the chat. " + bookHelp}
	c.RunE = d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		if len(args) == 0 {
			if entries || at.ref != "" {
				return misuse{"whose entries? Name a chat or a book"}
			}
			return d.tellBooks(e, "")
		}
		chat, err := e.Chats.Find(args[0])
		if err == nil && at.ref == "" {
			if b, other := e.Lore.FindBook(args[0]); other == nil && !entries {
				d.note("note: the lorebook %s has that name too: ghostlight lore list %s lists its entries", quote(b.Name), b.ID)
			}
			if entries {
				return d.tellEntries(e, "", chat.ID)
			}
			return d.tellBooks(e, chat.ID)
		}
		b, other := book(e, args[0])
		if other != nil {
			if errors.Is(err, failure.ErrAmbiguous) {
				return err
			}
			if errors.Is(other, storage.ErrNotFound) {
				return fmt.Errorf("%w: there is neither a chat nor a lorebook %s", storage.ErrNotFound, quote(args[0]))
			}
			return other
		}
		in, err := at.find(e, b)
		if err != nil {
			return err
		}
		return d.tellEntries(e, b.ID, in)
	})
	c.Flags().BoolVar(&entries, "entries", false, "list the entries of the books that count in the chat")
	at.add(c)
	return c
}

// tellBooks prints the lorebooks, those of a chat first.
func (d *door) tellBooks(e *engine.Engine, chat storage.ChatID) error {
	list, err := e.Lore.Books(chat)
	if err != nil {
		return err
	}
	doc, rows := []bookShape{}, [][]string{}
	for _, b := range list {
		doc, rows = append(doc, shapeBook(b, chat)), append(rows, bookRow(b, chat))
	}
	return d.tell(doc, func(p *page) { p.table(rows) })
}

// counted is a number with the word for one or for several.
func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + several
}

// bookRow is a book as a line of a list.
func bookRow(b lore.Book, chat storage.ChatID) []string {
	row := []string{string(b.ID), clip(b.Name, columnLimit), string(b.Kind), counted(b.Entries, "entry", "entries"), counted(b.Tokens, "token", "tokens")}
	if b.Waiting > 0 {
		row = append(row, fmt.Sprintf("%d to review", b.Waiting))
	} else {
		row = append(row, "")
	}
	switch {
	case chat != "" && b.On:
		return append(row, "on: "+b.Why)
	case chat != "":
		return append(row, "off: "+b.Why)
	case b.Off:
		return append(row, "off unless a chat switches it on")
	}
	return row
}

// tellBook prints one book as it is now.
func (d *door) tellBook(e *engine.Engine, id storage.LorebookID, chat storage.ChatID) error {
	list, err := e.Lore.Books(chat)
	if err != nil {
		return err
	}
	for _, b := range list {
		if b.ID == id {
			return d.tell(shapeBook(b, chat), func(p *page) { p.table([][]string{bookRow(b, chat)}) })
		}
	}
	return fmt.Errorf("%w: the lorebook is gone", storage.ErrNotFound)
}

func (d *door) tellEntries(e *engine.Engine, b storage.LorebookID, chat storage.ChatID) error {
	list, err := e.Lore.Entries(b, chat)
	if err != nil {
		return err
	}
	doc := []entryLine{}
	for _, r := range list {
		doc = append(doc, shapeEntryLine(r))
	}
	return d.tell(doc, func(p *page) {
		rows := [][]string{}
		for _, r := range list {
			row := []string{strconv.Itoa(r.UID), clip(r.Name, columnLimit), r.Type, clip(strings.Join(r.Keys, ", "), columnLimit),
				counted(r.Tokens, "token", "tokens"), entryState(r)}
			if b == "" {
				row = append([]string{clip(r.BookName, columnLimit)}, row...)
			}
			rows = append(rows, row)
		}
		p.table(rows)
	})
}

// entryState says in words what is special about an entry.
func entryState(r lore.Row) string {
	var words []string
	for _, m := range []struct {
		is   bool
		word string
	}{{r.Removed, "deleted"}, {r.Constant, "constant"}, {r.Disabled, "disabled"}, {r.Locked, "locked"}, {r.Here, "of this branch"}, {r.Stale, "stale"},
		{r.Waiting > 0, fmt.Sprintf("%d to review", r.Waiting)}, {r.Fired >= 0, fmt.Sprintf("fired at #%d", r.Fired+1)}} {
		if m.is {
			words = append(words, m.word)
		}
	}
	return strings.Join(words, ", ")
}

func (d *door) loreShow() *cobra.Command {
	var at atChat
	c := &cobra.Command{Use: "show BOOK [ENTRY]", Short: "print a lorebook, or one entry with all its settings", Args: takes(1, 2),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Print a lorebook with its entries, or one entry with all its settings, its facts, numbered as lore split wants them, and what is wrong with it. " +
			bookHelp + " " + entryHelp}
	c.RunE = d.bookWork(func(_ context.Context, e *engine.Engine, b storage.Lorebook, args []string) error {
		chat, err := at.find(e, b)
		if err != nil {
			return err
		}
		if len(args) == 0 {
			return d.tellWholeBook(e, b, chat)
		}
		id, err := entry(e, b, args[0])
		if err != nil {
			return err
		}
		return d.tellEntry(e, entryRef{b, chat, id})
	})
	at.add(c)
	return c
}

// tellWholeBook prints a book with its entries.
func (d *door) tellWholeBook(e *engine.Engine, b storage.Lorebook, chat storage.ChatID) error {
	list, err := e.Lore.Books(chat)
	if err != nil {
		return err
	}
	whole := lore.Book{Lorebook: b}
	for _, o := range list {
		if o.ID == b.ID {
			whole = o
		}
	}
	rows, err := e.Lore.Entries(b.ID, chat)
	if err != nil {
		return err
	}
	doc := bookWholeShape{bookShape: shapeBook(whole, chat), Contents: []entryLine{}, Cases: shapeCases(b.Cases)}
	for _, r := range rows {
		doc.Contents = append(doc.Contents, shapeEntryLine(r))
	}
	return d.tell(doc, func(p *page) {
		p.table([][]string{bookRow(whole, chat)})
		if b.Description != "" {
			p.line("\n" + b.Description)
		}
		for _, r := range rows {
			p.linef("\n%d  %s", r.UID, strings.TrimSpace(oneLine(r.Name)+"  "+r.Type+"  "+entryState(r)))
			if len(r.Keys) > 0 {
				p.linef("  keys: %s", oneLine(strings.Join(r.Keys, ", ")))
			}
			p.line("  " + clip(first(r.Synopsis, r.Content), 200))
		}
	})
}

// tellEntry prints an entry as it is now.
func (d *door) tellEntry(e *engine.Engine, t entryRef) error {
	v, err := e.Lore.Entry(t.book.ID, t.id, t.chat)
	if err != nil {
		return err
	}
	doc := shapeEntry(v)
	return d.tell(doc, func(p *page) { p.entry(v) })
}

// entry writes an entry: a line that says which it is, what it says, and all
// settings that are not as a new entry has them.
func (p *page) entry(v lore.EntryView) {
	p.line(strings.TrimSpace(fmt.Sprintf("%s  %d  %s  %s  %s", v.ID, v.UID, oneLine(v.Name), v.Type, entryState(v.Row))))
	p.line("\n" + strings.TrimSpace(v.Content) + "\n")
	rows := [][]string{}
	standard := fieldsOf(storage.NewLoreEntry())
	now := fieldsOf(v.LoreEntry)
	for _, name := range entryFieldNames() {
		text := now.text(name)
		if name != "name" && name != "type" && name != "content" && text != standard.text(name) {
			rows = append(rows, []string{name, clip(text, 200)})
		}
	}
	p.table(rows)
	for i, f := range factsOf(v.Content) {
		if i == 0 {
			p.line("\nfacts:")
		}
		p.linef("%d  %s", i+1, oneLine(f))
	}
	for _, f := range v.Problems {
		p.linef("\nnot well: line %d, column %d: %s", f.Line, f.Column, oneLine(f.Text))
	}
	for _, f := range v.Faults {
		p.linef("\nnot well: %s", faultWords(f))
	}
	p.linef("\n%s; states in its history: %d", counted(v.Tokens, "token", "tokens"), len(v.History))
}
