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
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ownerFlags say where a lorebook counts.
type ownerFlags struct {
	chat, character, persona string
	global                   bool
}

func (f *ownerFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.chat, "chat", "", "for the chat `CHAT`")
	c.Flags().StringVar(&f.character, "character", "", "for chats with the character `C`")
	c.Flags().StringVar(&f.persona, "persona", "", "for chats with the persona `P`")
	c.Flags().BoolVar(&f.global, "global", false, "for all chats")
}

// given reports whether any of them was said.
func (f *ownerFlags) given() bool {
	return f.chat != "" || f.character != "" || f.persona != "" || f.global
}

// put lets a book belong to whom the flags name; without flags it is left alone.
func (f *ownerFlags) put(e *engine.Engine, b *storage.Lorebook) error {
	n := 0
	for _, said := range []bool{f.chat != "", f.character != "", f.persona != "", f.global} {
		if said {
			n++
		}
	}
	if n > 1 {
		return cli.UsageError("choose one of --chat, --character, --persona or --global")
	}
	if n == 0 {
		return nil
	}
	b.Kind, b.Chat, b.Character, b.Persona = storage.GlobalBook, "", "", ""
	switch {
	case f.chat != "":
		c, err := e.Chats.Find(f.chat)
		if err != nil {
			return err
		}
		b.Kind, b.Chat = storage.ChatBook, c.ID
	case f.character != "":
		c, err := e.Library.FindCharacter(f.character)
		if err != nil {
			return err
		}
		b.Kind, b.Character = storage.CharacterBook, c.ID
	case f.persona != "":
		p, err := e.Library.FindPersona(f.persona)
		if err != nil {
			return err
		}
		b.Kind, b.Persona = storage.PersonaBook, p.ID
	}
	return nil
}

func newCommand(app *cli.App) *cobra.Command {
	var owner ownerFlags
	var about string
	c := &cobra.Command{Use: "new NAME", Short: "create a lorebook",
		Long: "Create a lorebook. It applies to all chats unless a flag says otherwise. A chat can have only one lorebook: if it already has one, that one is printed."}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		if strings.TrimSpace(args[0]) == "" {
			return cli.UsageError("a lorebook needs a name")
		}
		if err := cli.CheckTitle(args[0]); err != nil {
			return err
		}
		b := storage.Lorebook{Name: args[0], Kind: storage.GlobalBook}
		if err := owner.put(e, &b); err != nil {
			return err
		}
		text, err := app.ValueArg(about)
		if err != nil {
			return err
		}
		b.Description = text
		before, err := e.Lore.Books("")
		if err != nil {
			return err
		}
		if b, err = e.Lore.AddBook(b); err != nil {
			return err
		}
		if slices.ContainsFunc(before, func(o lore.Book) bool { return o.ID == b.ID }) {
			app.Note("note: the chat has a lorebook already: %s", cli.Quote(b.Name))
		}
		return printBook(app, e, b.ID, "")
	})
	owner.add(c)
	c.Flags().StringVar(&about, "description", "", "what it is about: `TEXT`, @FILE, or - for standard input")
	return c
}

func bookCommand(app *cli.App) *cobra.Command {
	var owner ownerFlags
	var name, about, depth, standard string
	c := &cobra.Command{Use: "book BOOK", Short: "change a lorebook: name, owner, scan depth"}
	c.Long = "Change a lorebook. " + bookHelp
	c.RunE = withBook(app, func(_ context.Context, e *engine.Engine, b storage.Lorebook, _ []string) error {
		changed := c.Flags().Changed
		if !changed("name") && !changed("description") && !changed("scan-depth") && !changed("default") && !owner.given() {
			return cli.UsageError("nothing to change; --name, --description, --scan-depth, --default and the flags for its owner change something")
		}
		if changed("name") {
			if strings.TrimSpace(name) == "" {
				return cli.UsageError("a lorebook needs a name")
			}
			if err := cli.CheckTitle(name); err != nil {
				return err
			}
			b.Name = name
		}
		if changed("description") {
			text, err := app.ValueArg(about)
			if err != nil {
				return err
			}
			b.Description = text
		}
		if changed("scan-depth") {
			b.ScanDepth = nil
			if depth != "" && depth != "default" {
				n, err := cli.NumberArgBetween(depth, 0, settings.MostScanned)
				if err != nil {
					return cli.UsageError("--scan-depth must be default, or " + err.Error())
				}
				b.ScanDepth = &n
			}
		}
		if changed("default") {
			if standard != "on" && standard != "off" {
				return cli.UsageError("--default must be on or off, not " + cli.Quote(standard))
			}
			b.Off = standard == "off"
		}
		if err := owner.put(e, &b); err != nil {
			return err
		}
		if err := e.Lore.EditBook(b); err != nil {
			return err
		}
		return printBook(app, e, b.ID, "")
	})
	owner.add(c)
	c.Flags().StringVar(&name, "name", "", "call it `NAME`")
	c.Flags().StringVar(&about, "description", "", "what it is about: `TEXT`, @FILE, or - for standard input")
	c.Flags().StringVar(&depth, "scan-depth", "", "look for keys in the newest `N` messages; default: as the settings say")
	c.Flags().StringVar(&standard, "default", "", "`on`, or off: only in chats that enable it")
	return c
}

func removeCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "remove BOOK", Short: "remove a lorebook; lore bring-back restores it by its id",
		Long: "Remove a lorebook from all chats. ghostlight lore bring-back restores it by its id. " + bookHelp,
		RunE: withBook(app, func(_ context.Context, e *engine.Engine, b storage.Lorebook, _ []string) error {
			if err := e.Lore.RemoveBook(b.ID); err != nil {
				return err
			}
			return app.PrintDeleted(string(b.ID), b.Name)
		})}
}

func bringBackCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "bring-back ID", Short: "restore a removed lorebook",
		Long: "Restore a removed lorebook. ID is the whole id that lore remove printed.",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			id := storage.LorebookID(strings.ToUpper(args[0]))
			err := e.Lore.RestoreBook(id)
			if errors.Is(err, storage.ErrNotFound) {
				return fmt.Errorf("%w: no lorebook has the id %s; bring-back takes the whole id that lore remove has printed, not a name", storage.ErrNotFound, cli.Quote(args[0]))
			}
			if err != nil {
				return err
			}
			return printBook(app, e, id, "")
		})}
}

func switchCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "switch CHAT BOOK on|off|default", Short: "turn a lorebook on or off for a chat, or back to its default",
		Long: "Turn a lorebook on or off for a chat, or back to its default. " + bookHelp,
		RunE: app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
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
		})}
}

func importCommand(app *cli.App) *cobra.Command {
	var owner ownerFlags
	var name string
	c := &cobra.Command{Use: "import FILE...", Short: "import lorebooks, or those in cards and stories (- reads standard input)",
		Long: "Import lorebooks: World Info, a character_book or lorebook_v3, those of Agnai, Risu, NovelAI (also the one in a .story) and KoboldAI Lite, or a card that contains one. " +
			"They apply to all chats unless a flag says otherwise. Unknown fields are kept for lore export. " + cli.ImportHelp}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		if err := cli.CheckTitle(name); err != nil {
			return err
		}
		into := storage.Lorebook{Name: name}
		if err := owner.put(e, &into); err != nil {
			return err
		}
		return cli.ImportAll(app, args, func(path string) (out cli.Brought[importedBookDoc], err error) {
			var got lore.Imported
			err = app.ReadInput(path, "standard input", ecosystem.MaxBookFile, func(path string) (err error) {
				got, err = e.Lore.Import(path, into)
				return err
			})
			doc := importedBookDoc{got.Book.ID, got.Book.Name, got.Book.Kind, got.Book.Character, got.Book.Chat, got.Book.Persona,
				got.Entries, got.Format, got.Warnings}
			return cli.Brought[importedBookDoc]{Doc: doc, Remarks: got.Warnings,
				Line: fmt.Sprintf("%s  %s  %s, %s", doc.ID, cli.OneLine(doc.Name), cli.Plural(doc.Entries, "entry", "entries"), doc.Format)}, err
		})
	})
	owner.add(c)
	c.Flags().StringVar(&name, "name", "", "call it `NAME` instead of as the file says")
	return c
}

// loreFormats are what books are exported as; the first one is the default.
var loreFormats = []string{"world_info", "character_book", "lorebook_v3", "original"}

func exportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	var at chatFlag
	var format string
	c := &cobra.Command{Use: "export BOOK", Short: "export a lorebook for other programs",
		Long: "Export a lorebook to standard output, or to a file. The format original is that of the imported file. " + bookHelp}
	c.RunE = withBook(app, func(_ context.Context, e *engine.Engine, b storage.Lorebook, _ []string) error {
		if !slices.Contains(loreFormats, format) {
			return cli.UsageError(fmt.Sprintf("--format must be one of %s, not %q", strings.Join(loreFormats, ", "), format))
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
	at.add(c)
	c.Flags().StringVar(&format, "format", loreFormats[0], "write `KIND`: "+strings.Join(loreFormats, ", "))
	f.AddForDocument(c)
	return c
}
