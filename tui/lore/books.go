package lore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// whyNoSwitch returns the reason why no book can be switched on or off.
func (p *entriesView) whyNoSwitch() string {
	if p.chat == "" {
		return "no chat is open; " + p.part.key(keys.PaneEdit) + " sets whether the lorebook is on by default"
	}
	return ""
}

// switchBook switches the chosen book on or off for the chat. Undo restores the chat's earlier
// setting.
func (p *entriesView) switchBook() tea.Cmd {
	b, chat := p.book(), p.chat
	id, on := b.ID, !b.On
	var before *bool
	if b.Switched {
		was := b.On
		before = &was
	}
	words := "“" + draw.Truncate(b.Name, 40) + "” is off in this chat"
	if on {
		words = "“" + draw.Truncate(b.Name, 40) + "” is on in this chat"
	}
	return p.Change(words, func() error { return p.Host.Engine().Lore.SwitchBook(chat, id, &on) },
		func() error { return p.Host.Engine().Lore.SwitchBook(chat, id, before) })
}

func (p *entriesView) removeBook(b lore.Book) tea.Cmd {
	name := draw.Truncate(b.Name, 60)
	text := "Remove “" + name + "” with " + entriesWords(b.Entries) + "? Chats will no longer use it; " +
		p.part.key(keys.PaneUndo) + " restores it."
	p.Host.Open(&widget.Confirm{Title: "Remove a lorebook", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "remove", Do: func() tea.Cmd {
			return p.Change("“"+name+"” removed", func() error { return p.Host.Engine().Lore.RemoveBook(b.ID) },
				func() error { return p.Host.Engine().Lore.RestoreBook(b.ID) })
		}}}})
	return nil
}

func entriesWords(n int) string {
	if n == 1 {
		return "its entry"
	}
	return "its " + strconv.Itoa(n) + " entries"
}

// owners returns the possible owners of a book, and the current owner of b.
func (r *Part) owners(b storage.Lorebook) []field.Choice {
	at := r.host.Play().Chat()
	all := []field.Choice{{Value: string(storage.GlobalBook), Label: "all chats"}}
	for _, o := range []struct {
		kind      storage.BookKind
		id, words string
	}{
		{storage.ChatBook, string(at.Chat.ID), "this chat"},
		{storage.CharacterBook, string(at.Character.ID), "this character"},
		{storage.PersonaBook, string(at.Persona.ID), "this persona"},
	} {
		if o.id != "" {
			all = append(all, field.Choice{Value: string(o.kind) + ":" + o.id, Label: o.words})
		}
	}
	now := lore.BookFields.Find("owner").Get(&lore.Book{Lorebook: b})
	if !slices.ContainsFunc(all, func(c field.Choice) bool { return c.Value == now }) {
		all = append(all, field.Choice{Value: now, Label: "another owner"})
	}
	return all
}

// openBook opens the form of a new book or of a book's properties and its switch in this chat.
func (p *entriesView) openBook(old *lore.Book) tea.Cmd {
	f := &pane.RecordForm[lore.Book]{Title: "New lorebook", Fresh: old == nil}
	if old != nil {
		f.Title, f.Value = "Lorebook "+draw.Truncate(old.Name, 40), *old
	}
	f.Record = lore.BookFields.With("owner", p.part.owners(f.Value.Lorebook))
	if old == nil || p.chat == "" {
		f.Record = f.Record.Without("in_chat")
	}
	f.Save = func(change func(*lore.Book)) (func() tea.Cmd, error) {
		b := f.Value
		change(&b)
		if old == nil {
			return p.addBook(b.Lorebook)
		}
		return p.saveBook(*old, b)
	}
	f.Open(p.Host)
	return nil
}

// addBook stores a new book, away from the screen's goroutine.
func (p *entriesView) addBook(b storage.Lorebook) (func() tea.Cmd, error) {
	got, err := p.Host.Engine().Lore.AddBook(b)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		words := "“" + draw.Truncate(got.Name, 40) + "” created; " + p.part.key(keys.PaneNew) + " adds an entry"
		if got.Name != b.Name {
			words = "this chat already has a lorebook: “" + draw.Truncate(got.Name, 40) + "”"
		}
		return tea.Batch(p.choose(got.ID, ""), p.Host.Say(event.Info, words))
	}, nil
}

// saveBook stores a book and its switch in the chat, off the screen's goroutine.
func (p *entriesView) saveBook(old, b lore.Book) (func() tea.Cmd, error) {
	eng, in := p.Host.Engine(), lore.BookFields.Find("in_chat")
	err := eng.Lore.EditBook(b.Lorebook)
	if err == nil && in.Get(&old) != in.Get(&b) {
		var on *bool
		if b.Switched {
			on = &b.On
		}
		err = eng.Lore.SwitchBook(p.chat, b.ID, on)
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return p.Host.Say(event.Info, "“"+draw.Truncate(b.Name, 40)+"” saved") }, nil
}

// fileEndings are the extensions of files with lorebooks.
var fileEndings = []string{".json", ".png", ".charx", ".lorebook"}

// openImport opens the file dialog for a lorebook.
func (r *Part) openImport() tea.Cmd {
	return pane.Browse(r.host, pane.FileChoice{Title: "Import a lorebook", Endings: fileEndings,
		Take:  func(path string) tea.Cmd { r.openOwner(path); return nil },
		Typed: func() { r.openOwner("") }})
}

// openOwner asks for the owner of an imported book.
func (r *Part) openOwner(path string) {
	owners := r.owners(storage.Lorebook{Kind: storage.GlobalBook})
	var words []string
	for _, o := range owners {
		words = append(words, o.Label)
	}
	f := widget.Form{Title: "Import a lorebook", Verb: "import",
		Notes: []string{"World Info, a card with a lorebook (.png, .json, .charx), or a lorebook from Agnai, Risu, " +
			"NovelAI or KoboldAI Lite. All fields are kept for export."},
		Fields: []*widget.Field{
			widget.LineField(r.host.Styles(), "File", path, "~/books/harbour.json"),
			widget.PickField("For", words[0], words),
			widget.LineField(r.host.Styles(), "Name", "", "empty: name from the file"),
		}}
	k := pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		into := lore.Book{Lorebook: storage.Lorebook{Name: strings.TrimSpace(f.Fields[2].Value())}}
		if err := lore.BookFields.Set(&into, "owner", owners[f.Fields[1].Chosen].Value); err != nil {
			return nil, err
		}
		return func() (func() tea.Cmd, error) {
			got, err := r.host.Engine().Lore.Import(path, into.Lorebook)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd { return r.imported(path, got) }, nil
		}, nil
	})
	k.BusyWords = "reading …"
	if path != "" {
		k.Focus(1)
	}
	r.host.Open(k)
}

// imported shows an imported book.
func (r *Part) imported(path string, got lore.Imported) tea.Cmd {
	r.host.Files().Folder = filepath.Dir(path)
	words := "“" + draw.Truncate(got.Book.Name, 40) + "” imported: " +
		strings.TrimPrefix(entriesWords(got.Entries), "its ")
	if got.Entries == 1 {
		words = "“" + draw.Truncate(got.Book.Name, 40) + "” imported: 1 entry"
	}
	show := r.showEntry(entriesTab, got.Book.ID, "")
	if len(got.Warnings) > 0 {
		r.host.Open(&widget.Reader{Title: "Lorebook imported",
			Lines: widget.PlainLines(words + "\n\n" + strings.Join(got.Warnings, "\n"))})
		return show
	}
	return tea.Batch(show, r.host.Say(event.Info, words))
}

// exportFormats are the export formats of a book, with their names in the form.
var exportFormats = [][2]string{
	{"world_info", "World Info"},
	{"character_book", "character_book of a V2 card"},
	{"lorebook_v3", "lorebook of a V3 card"},
	{"original", "original format"},
}

// openExport asks for the path and the format of an exported book.
func (p *entriesView) openExport(b lore.Book) tea.Cmd {
	var words []string
	for _, f := range exportFormats {
		if f[0] != "original" || b.Format != "" {
			words = append(words, f[1])
		}
	}
	f := widget.Form{Title: "Export " + draw.Truncate(b.Name, 40), Verb: "write", Fields: []*widget.Field{
		widget.LineField(p.Host.Styles(), "File", filepath.Join(pane.StartDir(p.Host), pane.FileName(b.Name)+".json"),
			"book.json"),
		widget.PickField("Format", words[0], words),
	}}
	chat := p.chat
	p.Host.Open(pane.NewSavingForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		format := exportFormats[f.Fields[1].Chosen][0]
		return func() (func() tea.Cmd, error) {
			if info, err := os.Lstat(path); err == nil && info.IsDir() {
				return nil, errors.New("this is a folder")
			} else if err == nil {
				return func() tea.Cmd {
					return pane.AskOverwrite(p.Host, path, func() (func() tea.Cmd, error) {
						return p.part.write(b, chat, path, format)
					})
				}, nil
			}
			return p.part.write(b, chat, path, format)
		}, nil
	}))
	return nil
}

// write writes a book to a file, away from the screen's goroutine.
func (r *Part) write(b lore.Book, chat storage.ChatID, path, format string) (func() tea.Cmd, error) {
	var out bytes.Buffer
	warnings, err := r.host.Engine().Lore.Export(&out, b.ID, chat, format)
	if err == nil {
		err = file.Write(path, file.Options{Replace: true}, out.Bytes())
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return pane.Written(r.host, path, "", warnings...) }, nil
}
