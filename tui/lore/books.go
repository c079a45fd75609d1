package lore

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// whyNoSwitch says why no book can be switched on or off.
func (p *entriesView) whyNoSwitch() string {
	if p.chat == "" {
		return "no chat is open; " + p.part.key(keys.PaneEdit) + " sets whether the book is on by default"
	}
	return ""
}

// switchBook switches the chosen book on or off for the chat. What the chat said before
// is what undoing brings back.
func (p *entriesView) switchBook() tea.Cmd {
	b, chat := p.book(), p.chat
	id, on := b.ID, !b.On
	var before *bool
	if b.Switched {
		was := b.On
		before = &was
	}
	words := "“" + draw.Within(b.Name, 40) + "” is off in this chat"
	if on {
		words = "“" + draw.Within(b.Name, 40) + "” is on in this chat"
	}
	return p.Change(words, func() error { return p.Host.Engine().Lore.SwitchBook(chat, id, &on) },
		func() error { return p.Host.Engine().Lore.SwitchBook(chat, id, before) })
}

func (p *entriesView) removeBook(b lore.Book) tea.Cmd {
	name := draw.Within(b.Name, 60)
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

// The owners of a book, as its form offers them.
const (
	ownAll       = "all chats"
	ownChat      = "this chat"
	ownCharacter = "this character"
	ownPersona   = "this persona"
	ownOther     = "another owner"
)

// owners are those that a book can be given, and the present one of b.
func (r *Part) owners(b storage.Lorebook) (now string, all []string) {
	all = []string{ownAll}
	now = ownAll
	chat, who, me := r.host.Play().Chat().Chat.ID, r.host.Play().Chat().Character.ID, r.host.Play().Chat().Persona.ID
	offer := func(there, ours bool, name string) {
		if there {
			all = append(all, name)
		}
		if there && ours {
			now = name
		}
	}
	offer(chat != "", b.Kind == storage.ChatBook && b.Chat == chat, ownChat)
	offer(who != "", b.Kind == storage.CharacterBook && b.Character == who, ownCharacter)
	offer(me != "", b.Kind == storage.PersonaBook && b.Persona == me, ownPersona)
	if now == ownAll && b.Kind != storage.GlobalBook && b.Kind != "" {
		now = ownOther
		all = append(all, ownOther)
	}
	return now, all
}

// own gives a book the owner that its form says.
func (r *Part) own(b *storage.Lorebook, owner string) {
	switch owner {
	case ownAll:
		b.Kind, b.Chat, b.Character, b.Persona = storage.GlobalBook, "", "", ""
	case ownChat:
		b.Kind, b.Chat, b.Character, b.Persona = storage.ChatBook, r.host.Play().Chat().Chat.ID, "", ""
	case ownCharacter:
		b.Kind, b.Chat, b.Character, b.Persona = storage.CharacterBook, "", r.host.Play().Chat().Character.ID, ""
	case ownPersona:
		b.Kind, b.Chat, b.Character, b.Persona = storage.PersonaBook, "", "", r.host.Play().Chat().Persona.ID
	}
}

// The ways in which a book counts in a chat.
var bookSwitch = []string{"lorebook default", "on", "off"}

// openBook lets the user make a book, or change what one says of itself and how
// it counts in this chat.
func (p *entriesView) openBook(old *lore.Book) tea.Cmd {
	b, title := storage.Lorebook{}, "New lorebook"
	counts, depth := bookSwitch[0], ""
	if old != nil {
		b, title = old.Lorebook, "Lorebook "+draw.Within(old.Name, 40)
		if old.Switched {
			counts = bookSwitch[2]
			if old.On {
				counts = bookSwitch[1]
			}
		}
		if b.ScanDepth != nil {
			depth = strconv.Itoa(*b.ScanDepth)
		}
	}
	owner, owners := p.part.owners(b)
	itself := "on"
	if b.Off {
		itself = "off unless enabled in a chat"
	}
	f := widget.Form{Title: title, Fields: []*widget.Field{
		widget.LineField(p.Host.Styles(), "Name", b.Name, "for example: The harbour"),
		widget.PickField("Belongs to", owner, owners),
		widget.PickField("By default", itself, []string{"on", "off unless enabled in a chat"}),
		widget.LineField(p.Host.Styles(), "Scan depth", depth, "messages; empty: same as settings"),
		widget.TextField(p.Host.Styles(), "Description", b.Description, 3),
	}}
	if old != nil && p.chat != "" {
		f.Fields = append(f.Fields, widget.PickField("In this chat", counts, bookSwitch))
	}
	p.Host.Open(pane.NewKeptForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		n := b
		n.Name, n.Description = strings.TrimSpace(f.Fields[0].Value()), f.Fields[4].Value()
		if n.Name == "" {
			return nil, pane.ErrNeedsName
		}
		if !f.Fields[4].Input.Changed() {
			n.Description = b.Description
		}
		p.part.own(&n, f.Fields[1].Value())
		n.Off = f.Fields[2].Chosen == 1
		n.ScanDepth = nil
		if v := strings.TrimSpace(f.Fields[3].Value()); v != "" {
			d, err := strconv.Atoi(v)
			if err != nil || d < 0 || d > mostScan {
				return nil, errors.New("the scan depth must be a whole number from 0 to " + strconv.Itoa(mostScan) + ", or empty")
			}
			n.ScanDepth = &d
		}
		say := -1
		if len(f.Fields) > 5 && f.Fields[5].Value() != counts {
			say = f.Fields[5].Chosen
		}
		return func() (func() tea.Cmd, error) { return p.keepBook(n, old != nil, say) }, nil
	}))
	return nil
}

// mostScan bounds a scan depth that is typed.
const mostScan = 100_000

// keepBook stores a book, away from the screen's goroutine. say is what its
// switch says, as a number of bookSwitch; -1 leaves it.
func (p *entriesView) keepBook(b storage.Lorebook, there bool, say int) (func() tea.Cmd, error) {
	eng, chat := p.Host.Engine(), p.chat
	if !there {
		got, err := eng.Lore.AddBook(b)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			words := "“" + draw.Within(got.Name, 40) + "” created; " + p.part.key(keys.PaneNew) + " adds an entry"
			if got.Name != b.Name {
				words = "this chat already has a book: “" + draw.Within(got.Name, 40) + "”"
			}
			return tea.Batch(p.choose(got.ID, ""), p.Host.Say(event.Info, words))
		}, nil
	}
	err := eng.Lore.EditBook(b)
	if err == nil && say >= 0 {
		err = eng.Lore.SwitchBook(chat, b.ID, [...]*bool{nil, ptr(true), ptr(false)}[say])
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return p.Host.Say(event.Info, "“"+draw.Within(b.Name, 40)+"” saved") }, nil
}

func ptr[T any](v T) *T { return &v }

// fileEndings are the endings of files that lorebooks come in.
var fileEndings = []string{".json", ".png", ".charx", ".lorebook"}

// openImport lets the user look for a file with a lorebook.
func (r *Part) openImport() tea.Cmd {
	return pane.Browse(r.host, pane.FileChoice{Title: "Import a lorebook", Endings: fileEndings,
		Take:  func(path string) tea.Cmd { r.openOwner(path); return nil },
		Typed: func() { r.openOwner("") }})
}

// openOwner asks whose book a file is to become.
func (r *Part) openOwner(path string) {
	owner, owners := r.owners(storage.Lorebook{Kind: storage.GlobalBook})
	f := widget.Form{Title: "Import a lorebook", Verb: "import",
		Notes: []string{"World Info, a card with a lorebook (.png, .json, .charx), or a lorebook from Agnai, Risu, NovelAI or KoboldAI Lite. All fields are kept for export."},
		Fields: []*widget.Field{
			widget.LineField(r.host.Styles(), "File", path, "~/books/harbour.json"),
			widget.PickField("For", owner, owners),
			widget.LineField(r.host.Styles(), "Name", "", "empty: name from the file"),
		}}
	k := pane.NewKeptForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		into := storage.Lorebook{Name: strings.TrimSpace(f.Fields[2].Value())}
		r.own(&into, f.Fields[1].Value())
		return func() (func() tea.Cmd, error) {
			got, err := r.host.Engine().Lore.Import(path, into)
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

// imported shows a book that has come in.
func (r *Part) imported(path string, got lore.Imported) tea.Cmd {
	r.host.Files().Folder = filepath.Dir(path)
	words := "“" + draw.Within(got.Book.Name, 40) + "” imported: " + strings.TrimPrefix(entriesWords(got.Entries), "its ")
	if got.Entries == 1 {
		words = "“" + draw.Within(got.Book.Name, 40) + "” imported: 1 entry"
	}
	show := r.showEntry(entriesTab, got.Book.ID, "")
	if len(got.Warnings) > 0 {
		r.host.Open(&widget.Reader{Title: "Lorebook imported", Lines: widget.PlainLines(words + "\n\n" + strings.Join(got.Warnings, "\n"))})
		return show
	}
	return tea.Batch(show, r.host.Say(event.Info, words))
}

// exportFormats are the formats that a book is written in, with what the form
// calls them.
var exportFormats = [][2]string{
	{"world_info", "World Info"},
	{"character_book", "character_book of a V2 card"},
	{"lorebook_v3", "lorebook of a V3 card"},
	{"original", "original format"},
}

// openExport asks where a book is to be written, and how.
func (p *entriesView) openExport(b lore.Book) tea.Cmd {
	var words []string
	for _, f := range exportFormats {
		if f[0] != "original" || b.Format != "" {
			words = append(words, f[1])
		}
	}
	f := widget.Form{Title: "Export " + draw.Within(b.Name, 40), Verb: "write", Fields: []*widget.Field{
		widget.LineField(p.Host.Styles(), "File", filepath.Join(pane.StartDir(p.Host), pane.FileName(b.Name)+".json"), "book.json"),
		widget.PickField("Format", words[0], words),
	}}
	chat := p.chat
	p.Host.Open(pane.NewKeptForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
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
					return pane.AskOverwrite(p.Host, path, func() (func() tea.Cmd, error) { return p.part.write(b, chat, path, format) })
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
		err = file.Write(path, file.How{Replace: true}, out.Bytes())
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return pane.Written(r.host, path, "", warnings...) }, nil
}
