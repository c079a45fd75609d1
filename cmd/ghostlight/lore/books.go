package lore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ownerFlags are the flags for the owner of a lorebook.
type ownerFlags struct {
	chat, character, persona string
	global                   bool
}

func (f *ownerFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.chat, "chat", "", "for the chat `CHAT`")
	c.Flags().StringVar(&f.character, "character", "", "for chats with the character `CHARACTER`")
	c.Flags().StringVar(&f.persona, "persona", "", "for chats with the persona `PERSONA`")
	c.Flags().BoolVar(&f.global, "global", false, "for all chats")
	c.MarkFlagsMutuallyExclusive("chat", "character", "persona", "global")
}

// given reports whether any of the flags was given.
func (f *ownerFlags) given() bool {
	return f.chat != "" || f.character != "" || f.persona != "" || f.global
}

// apply lets a book belong to whom the flags name; without flags it is left alone.
func (f *ownerFlags) apply(e *engine.Engine, b *lore.Book) error {
	var owner string
	switch {
	case f.global:
		owner = string(storage.GlobalBook)
	case f.chat != "":
		c, err := e.Chats.Find(f.chat)
		if err != nil {
			return err
		}
		owner = string(storage.ChatBook) + ":" + string(c.ID)
	case f.character != "":
		c, err := cli.FindCharacter(e, f.character)
		if err != nil {
			return err
		}
		owner = string(storage.CharacterBook) + ":" + string(c.ID)
	case f.persona != "":
		p, err := e.Library.FindPersona(f.persona)
		if err != nil {
			return err
		}
		owner = string(storage.PersonaBook) + ":" + string(p.ID)
	default:
		return nil
	}
	return lore.BookFields.Set(b, "owner", owner)
}

// bookFields returns the flags for the fields of a book, without some of them.
func bookFields(c *cobra.Command, but ...string) *cli.Fields[lore.Book] {
	f := &cli.Fields[lore.Book]{Record: lore.BookFields.Without(append(but, "owner", "in_chat")...), Shown: bookDoc{}}
	f.Add(c)
	return f
}

func newCommand(app *cli.App) *cobra.Command {
	var owner ownerFlags
	var fields *cli.Fields[lore.Book]
	c := app.Command("new NAME", "create a lorebook", func(_ context.Context, e *engine.Engine, args []string) error {
		if err := cli.CheckTitle(args[0]); err != nil {
			return err
		}
		b := lore.Book{Lorebook: storage.Lorebook{Name: args[0], Kind: storage.GlobalBook}}
		if err := owner.apply(e, &b); err != nil {
			return err
		}
		if err := fields.Apply(app, &b); err != nil {
			return err
		}
		before, err := e.Lore.Books("")
		if err != nil {
			return err
		}
		made, err := e.Lore.AddBook(b.Lorebook)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(before, func(o lore.Book) bool { return o.ID == made.ID }) {
			app.Note("note: the chat already has a lorebook: %s", cli.Quote(made.Name))
		}
		return printBook(app, e, made.ID, "")
	})
	c.Long = "Create a lorebook. It applies to all chats unless a flag says otherwise. A chat can have only one " +
		"lorebook: if it already has one, that one is printed."
	owner.add(c)
	fields = bookFields(c, "name")
	return c
}

func bookCommand(app *cli.App) *cobra.Command {
	var owner ownerFlags
	var fields *cli.Fields[lore.Book]
	var standard string
	c := Books.Act(app, "book BOOK", "change a lorebook: name, owner, scan depth",
		func(_ context.Context, e *engine.Engine, b storage.Lorebook, _ []string) error {
			if !fields.Given() && standard == "" && !owner.given() {
				return cli.UsageError(
					"nothing to change: use --name, --description, --scan-depth, --default, or a flag for its owner")
			}
			next := lore.Book{Lorebook: b}
			if err := fields.Apply(app, &next); err != nil {
				return err
			}
			switch standard {
			case "":
			case "on", "off":
				next.Off = standard == "off"
			default:
				return cli.UsageError("--default must be on or off, not " + cli.Quote(standard))
			}
			if err := owner.apply(e, &next); err != nil {
				return err
			}
			if err := e.Lore.EditBook(next.Lorebook); err != nil {
				return err
			}
			return printBook(app, e, b.ID, "")
		})
	owner.add(c)
	fields = bookFields(c)
	c.Flags().StringVar(&standard, "default", "",
		"`on|off`: whether it applies to chats that have no setting of their own")
	return c
}

func bringBackCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "bring-back ID", Short: "restore a removed lorebook",
		Long: "Restore a removed lorebook. ID is the whole id that lore remove printed.",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			id := storage.LorebookID(strings.ToUpper(args[0]))
			err := e.Lore.RestoreBook(id)
			if errors.Is(err, storage.ErrNotFound) {
				return fmt.Errorf("%w: no lorebook has the id %s; give the whole id that lore remove printed, not a "+
					"name", storage.ErrNotFound, cli.Quote(args[0]))
			}
			if err != nil {
				return err
			}
			return printBook(app, e, id, "")
		})}
}

func switchCommand(app *cli.App) *cobra.Command {
	c := cli.Chats.Act(app, "switch CHAT BOOK on|off|default",
		"turn a lorebook on or off for a chat, or reset it to its default",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			var on *bool
			switch args[1] {
			case "on", "off":
				on = new(args[1] == "on")
			case "default":
			default:
				return cli.UsageError("must be on, off or default, not " + cli.Quote(args[1]))
			}
			b, err := findBook(e, args[0])
			if err != nil {
				return err
			}
			if err := e.Lore.SwitchBook(c.ID, b.ID, on); err != nil {
				return err
			}
			return printBook(app, e, b.ID, c.ID)
		})
	c.Long = "Turn a lorebook on or off for a chat, or reset it to its default. " + bookHelp
	return c
}

func importCommand(app *cli.App) *cobra.Command {
	var owner ownerFlags
	var name string
	c := &cobra.Command{Use: "import FILE...",
		Short: "import lorebooks, also those in cards and stories (- reads standard input)",
		Long: "Import lorebooks: World Info, a character_book or lorebook_v3, those of Agnai, Risu, NovelAI (also " +
			"the one in a .story) and KoboldAI Lite, or a card that contains one. They apply to all chats unless a " +
			"flag says otherwise. Unknown fields are kept for lore export. " + cli.ImportHelp}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		if err := cli.CheckTitle(name); err != nil {
			return err
		}
		into := lore.Book{Lorebook: storage.Lorebook{Name: name}}
		if err := owner.apply(e, &into); err != nil {
			return err
		}
		return cli.ImportAll(app, args, func(path string) (out cli.ImportResult[bookDoc], err error) {
			var got lore.Imported
			err = app.ReadInput(path, "standard input", formats.MaxBookFile, func(path string) (err error) {
				got, err = e.Lore.Import(path, into.Lorebook)
				return err
			})
			if err != nil {
				return out, err
			}
			b, err := currentBook(e, got.Book.ID, "")
			b.Format = got.Format
			doc := bookDoc{Book: b, Warnings: append([]string{}, got.Warnings...)}
			return cli.ImportResult[bookDoc]{Doc: doc, Remarks: got.Warnings,
				Line: fmt.Sprintf("%s  %s  %s, %s", b.ID, cli.OneLine(b.Name),
					cli.Plural(got.Entries, "entry", "entries"), got.Format)}, err
		})
	})
	owner.add(c)
	c.Flags().StringVar(&name, "name", "", "call it `NAME` (default: the name in the file)")
	return c
}

// loreFormats are the export formats of lorebooks; the first one is the default.
var loreFormats = []string{"world_info", "character_book", "lorebook_v3", "original"}

func exportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	var at chatFlag
	var format string
	c := Books.Act(app, "export BOOK", "export a lorebook for other programs",
		func(_ context.Context, e *engine.Engine, b storage.Lorebook, _ []string) error {
			if !slices.Contains(loreFormats, format) {
				return cli.UsageError(fmt.Sprintf("--format must be one of %s, not %q",
					strings.Join(loreFormats, ", "), format))
			}
			chat, err := at.find(e, b)
			if err != nil {
				return err
			}
			var text bytes.Buffer
			warnings, err := e.Lore.Export(&text, b.ID, chat, format)
			if err != nil {
				return err
			}
			app.Notes(warnings)
			return app.WriteDocument(f, format, text.Bytes())
		})
	c.Long = "Export a lorebook to standard output, or to a file. The format \"original\" is that of the imported " +
		"file, or World Info if an edited lorebook cannot be written in that format. " + bookHelp
	at.add(c)
	c.Flags().StringVar(&format, "format", loreFormats[0], "write `KIND`: "+strings.Join(loreFormats, ", "))
	f.AddForDocument(c)
	return c
}
