// Package play has the commands of the play itself: turns, chats and their messages,
// the cast, and the next prompt.
package play

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ChatCommand returns the command ghostlight chat.
func ChatCommand(app *cli.App) *cobra.Command {
	return cli.Group(
		"chat",
		"start, read, edit, import and export chats",
		newCommand(app),
		listCommand(app),
		showCommand(app),
		searchCommand(app),
		renameCommand(app),
		deleteCommand(app),
		importCommand(app),
		exportCommand(app),
		groupCommand(app),
		branchCommand(app),
		branchesCommand(app),
		nameBranchCommand(app),
		stitchCommand(app),
		gotoCommand(app),
		swipeCommand(app),
		regenerateCommand(app),
		continueCommand(app),
		impersonateCommand(app),
		editCommand(app),
		rewriteCommand(app),
		writeOnCommand(app),
		removeCommand(app),
		undoCommand(app),
		noteCommand(app),
		overCommand(app),
		personaCommand(app),
		modelCommand(app),
		samplingCommand(app),
		castCommand(app),
		speakCommand(app),
		habitsCommand(app),
		beatsCommand(app),
		steerCommand(app),
	)
}

// printChat prints a chat as it is now.
func printChat(app *cli.App, e *engine.Engine, id storage.ChatID, words string) error {
	c, err := e.Chats.Find(string(id))
	if err != nil {
		return err
	}
	return app.Print(cli.NewChatDoc(c), func(p *cli.Page) { p.Linef("%s  %s  %s", c.ID, cli.OneLine(c.Title), words) })
}

func newCommand(app *cli.App) *cobra.Command {
	var who []string
	var title string
	c := app.Command("new --character C", "start a chat with a character, or a group chat",
		func(_ context.Context, e *engine.Engine, _ []string) error {
			if err := cli.CheckTitle(title); err != nil {
				return err
			}
			list, err := charactersFor(e, who)
			if err != nil {
				return err
			}
			var names []string
			var ids []storage.CharacterID
			for _, ch := range list {
				names, ids = append(names, cli.OneLine(ch.Card.Name)), append(ids, ch.ID)
			}
			chat, err := e.Chats.New(ids[0], title, ids[1:]...)
			if err != nil {
				return err
			}
			return printChat(app, e, chat.ID, "with "+strings.Join(names, ", "))
		})
	c.Long = "Start a chat with a character. Repeat --character for a group chat: the first character's greeting is " +
		"the first message."
	c.Flags().StringArrayVar(&who, "character", nil,
		"the character `C`: its id, the start of it, or its name; repeatable for a group chat")
	c.Flags().StringVar(&title, "title", "", "title `T` of the chat (default: the character's name)")
	return c
}

// charactersFor returns the characters named, or the only one there is.
func charactersFor(e *engine.Engine, refs []string) (list []storage.Character, err error) {
	for _, ref := range refs {
		c, err := e.Library.FindCharacter(ref)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	if len(refs) > 0 {
		return list, nil
	}
	if list, err = e.Library.Characters(); err == nil && len(list) != 1 {
		err = cli.UsageError("give a character with --character; ghostlight character list prints them")
	}
	return list, err
}

func listCommand(app *cli.App) *cobra.Command {
	return app.Command("list", "list the chats, the newest first",
		func(_ context.Context, e *engine.Engine, _ []string) error {
			list, err := e.Chats.List()
			if err != nil {
				return err
			}
			return cli.PrintList(app, list, newChatLine, func(c chats.ChatInfo) []string {
				return []string{
					string(c.ID),
					cli.Clip(c.Title, cli.ColumnWidth),
					cli.Clip(c.CharacterName, cli.ColumnWidth),
					fmt.Sprint(c.Messages),
					c.UpdatedAt.Local().Format(time.DateTime),
				}
			})
		})
}

func showCommand(app *cli.App) *cobra.Command {
	var last int
	var tree bool
	c := cli.Chats.Act(app, "show CHAT", "print a chat",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			if last < 0 {
				return cli.UsageError("--last must be a number of messages")
			}
			return cli.PrintParts(
				app,
				showDoc{c.ID, c.Title, c.Head, []messageDoc{}},
				func(give func([]messageDoc, func(*cli.Page)) error) error {
					_, err := e.Chats.InParts(c.ID, last, tree, func(part []chats.Message) error {
						e.Chats.ApplyDisplayScripts(c.ID, part)
						return give(newMessageDocs(part), func(p *cli.Page) {
							for _, m := range part {
								writeMessage(p, m, tree)
							}
						})
					})
					return err
				})
		},
	)
	c.Flags().IntVar(&last, "last", 0, "only the newest `N` messages")
	c.Flags().BoolVar(&tree, "tree", false, "all branches, in the order in which they were written")
	return c
}

// writeMessage writes one message under a line that says which it is.
func writeMessage(p *cli.Page, m chats.Message, tree bool) {
	head := fmt.Sprintf("#%d %s", m.Depth+1, cli.OneLine(cmp.Or(m.Name, string(shownRole(m)))))
	if m.Siblings > 1 {
		head += fmt.Sprintf(" (%d/%d)", m.At+1, m.Siblings)
	}
	head += "  " + string(m.ID)
	if tree && m.Parent != "" {
		head += " below " + string(m.Parent)
	}
	if m.State != storage.Complete {
		head += "  " + string(m.State)
	}
	if m.Presence != nil && m.Presence.Whisper {
		head += "  whispered"
	}
	p.Line(head)
	switch {
	case m.Picture != nil:
		p.Line("(a picture: " + m.Picture.ImagePath + ")")
	case m.Text() != "":
		p.Line(m.Text())
	}
	if m.Fault != "" {
		p.Line("(" + m.Fault + ")")
	}
	p.Line("")
}

func renameCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "rename CHAT TITLE", "rename a chat",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			if err := cli.CheckTitle(args[0]); err != nil {
				return err
			}
			if err := e.Chats.Rename(c.ID, args[0]); err != nil {
				return err
			}
			return printChat(app, e, c.ID, "")
		})
}

func deleteCommand(app *cli.App) *cobra.Command {
	return cli.Chats.Act(app, "delete CHAT", "delete a chat, after a backup of everything",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			if err := e.Play.DeleteChat(c.ID); err != nil {
				return err
			}
			return app.PrintDeleted(string(c.ID), c.Title)
		})
}

func importCommand(app *cli.App) *cobra.Command {
	var who string
	c := app.Command("import FILE...", "import chats, or the chats of a folder (- reads standard input)",
		func(_ context.Context, e *engine.Engine, args []string) error {
			if library.IsGroup(app.Path(args[0])) {
				if who != "" {
					return cli.UsageError("--character is for a chat with one character, not for a group chat")
				}
				return importGroup(app, e, args)
			}
			var id storage.CharacterID
			if who != "" {
				c, err := e.Library.FindCharacter(who)
				if err != nil {
					return err
				}
				id = c.ID
			}
			return cli.ImportAll(app, args, func(path string) (out cli.ImportResult[importedChatDoc], err error) {
				var got library.ImportResult
				// A file without a name gives the chat its character's name.
				err = app.ReadInput(path, ".jsonl", formats.MaxChatFile, func(path string) (err error) {
					got, err = e.Library.ImportChat(path, id)
					return err
				})
				if err != nil {
					return out, err
				}
				return importedChat(got), nil
			})
		})
	c.Long = "Import chats: those of SillyTavern (JSONL), RisuAI, Agnai, text-generation-webui, Character.AI, " +
		"KoboldAI Lite and Backyard. A file may hold several chats. For a group chat, give its group file " +
		"(groups/*.json) first, then its chats: files, or the folder that they are in. The members of the group " +
		"become the cast. " + cli.ImportHelp
	c.Flags().StringVar(&who, "character", "", "use the character `C` for the chat")
	return c
}

// importedChat returns the result of importing one chat; got.More are further chats of the file.
func importedChat(got library.ImportResult) cli.ImportResult[importedChatDoc] {
	out := cli.ImportResult[importedChatDoc]{Doc: newImportedChatDoc(got), Remarks: got.Warnings,
		Line: fmt.Sprintf(
			"%s  %s  with %s (%s)",
			got.Chat.ID,
			cli.OneLine(got.Chat.Title),
			cli.OneLine(got.Character.Card.Name),
			got.Format,
		)}
	for _, more := range got.More {
		one := importedChat(more)
		out.Doc.More = append(out.Doc.More, one.Doc)
		out.Remarks = append(out.Remarks, one.Remarks...)
		out.Line += "\n" + one.Line
	}
	return out
}

// importGroup brings in a group's chats.
func importGroup(app *cli.App, e *engine.Engine, args []string) error {
	list, err := e.Library.ImportGroup(app.Path(args[0]), cli.Docs(args[1:], app.Path))
	if err != nil {
		return err
	}
	docs := []cli.ChatDoc{}
	for _, got := range list {
		app.Notes(got.Warnings)
		c, err := e.Chats.Find(string(got.Chat.ID))
		if err != nil {
			return err
		}
		docs = append(docs, cli.NewChatDoc(c))
	}
	return app.Print(map[string]any{"chats": docs}, func(p *cli.Page) {
		for _, got := range list {
			p.Linef(
				"%s  %s  with %s and %d more",
				got.Chat.ID,
				cli.OneLine(got.Chat.Title),
				cli.OneLine(got.Character.Card.Name),
				len(chats.CastOf(got.Chat)),
			)
		}
	})
}

func groupCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	c := cli.Chats.Act(app, "group CHAT", "export the group file of a group chat, for SillyTavern (JSON)",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			g, err := e.Library.ExportGroup(c.ID)
			if err != nil {
				return err
			}
			app.Note(
				"note: this file does not contain the chat itself: chat export writes it; SillyTavern expects it as "+
					"group chats/%s",
				g.Chat,
			)
			return app.WriteFrom(f, g.Name, "json", func(w io.Writer) error { _, err := w.Write(g.Data); return err })
		})
	f.Add(c)
	return c
}

// onMessage makes a command that changes something at the message that its second argument names.
func onMessage(
	app *cli.App,
	use, short string,
	do func(e *engine.Engine, c storage.Chat, m chats.Message, args []string) error,
) *cobra.Command {
	return cli.Chats.Act(
		app,
		use,
		short,
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			m, err := cli.FindMessage(e, c.ID, args[0])
			if err != nil {
				return err
			}
			if err := do(e, c, m, args[1:]); err != nil {
				return err
			}
			return printChat(app, e, c.ID, "")
		})
}

func branchCommand(app *cli.App) *cobra.Command {
	return onMessage(app, "branch CHAT MESSAGE", "go back to a message; the next message starts a branch there",
		func(e *engine.Engine, c storage.Chat, m chats.Message, _ []string) error {
			return e.Chats.Branch(c.ID, m.ID)
		})
}

func gotoCommand(app *cli.App) *cobra.Command {
	return onMessage(app, "goto CHAT MESSAGE", "go to the end of the newest branch through a message",
		func(e *engine.Engine, c storage.Chat, m chats.Message, _ []string) error {
			return e.Chats.Goto(c.ID, m.ID)
		})
}

func editCommand(app *cli.App) *cobra.Command {
	return onMessage(app, "edit CHAT MESSAGE TEXT", "edit a message (- reads standard input)",
		func(e *engine.Engine, c storage.Chat, m chats.Message, args []string) error {
			text, err := app.TextArg(args[0])
			if err != nil {
				return err
			}
			return e.Chats.Edit(c.ID, m.ID, text)
		})
}

func removeCommand(app *cli.App) *cobra.Command {
	var below bool
	c := onMessage(app, "remove CHAT MESSAGE", "remove a message from a chat; undo restores it",
		func(e *engine.Engine, c storage.Chat, m chats.Message, _ []string) error {
			return e.Chats.Delete(c.ID, m.ID, below)
		})
	c.Flags().BoolVar(&below, "below", false, "also remove all messages after it")
	return c
}
