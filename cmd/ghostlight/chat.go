package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/ecosystem"
	"ghostlight/engine/library"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
)

func (d *door) chatCommand() *cobra.Command {
	return group("chat", "begin, read, change and carry chats",
		d.chatNew(), d.chatList(), d.chatShow(), d.chatSearch(), d.chatRename(), d.chatDelete(), d.chatImport(), d.chatExport(),
		d.chatBranch(), d.chatGoto(), d.chatSwipe(), d.chatRegenerate(), d.chatContinue(), d.chatImpersonate(),
		d.chatEdit(), d.chatRemove(), d.chatUndo(), d.chatNote(), d.chatPersona(), d.chatModel(),
		d.chatCast(), d.chatSpeak())
}

// chatWork is work on the chat that the first argument names.
func (d *door) chatWork(w func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error) func(*cobra.Command, []string) error {
	return d.with(func(ctx context.Context, e *engine.Engine, args []string) error {
		c, err := e.Chats.Find(args[0])
		if err != nil {
			return err
		}
		return w(ctx, e, c, args[1:])
	})
}

// tellChat prints a chat as it is now.
func (d *door) tellChat(e *engine.Engine, id storage.ChatID, words string) error {
	c, err := e.Chats.Find(string(id))
	if err != nil {
		return err
	}
	return d.tell(shapeChat(c), func(p *page) { p.linef("%s  %s  %s", c.ID, oneLine(c.Title), words) })
}

func (d *door) chatNew() *cobra.Command {
	var who, title string
	c := &cobra.Command{Use: "new --character C", Short: "begin a chat with a character", Args: takes(0, 0),
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error {
			if err := checkTitle(title); err != nil {
				return err
			}
			ch, err := d.characterFor(e, who)
			if err != nil {
				return err
			}
			chat, err := e.Chats.New(ch.ID, title)
			if err != nil {
				return err
			}
			return d.tellChat(e, chat.ID, "with "+oneLine(ch.Card.Name))
		})}
	c.Flags().StringVar(&who, "character", "", "the character `C`: its id, a beginning of it, or its name")
	c.Flags().StringVar(&title, "title", "", "call it `T` instead of after the character")
	return c
}

// titleLimit is the longest title of a chat, in characters.
const titleLimit = 200

func checkTitle(title string) error {
	if n := len([]rune(title)); n > titleLimit {
		return misuse{fmt.Sprintf("a title has at most %d characters; that one has %d", titleLimit, n)}
	}
	_, err := readable("the title", title)
	return err
}

// characterFor is the character named, or the only one there is.
func (d *door) characterFor(e *engine.Engine, ref string) (storage.Character, error) {
	if ref != "" {
		return e.Library.FindCharacter(ref)
	}
	list, err := e.Library.Characters()
	if err == nil && len(list) != 1 {
		err = misuse{"with whom? Name a character with --character; ghostlight character list shows them"}
	}
	if err != nil {
		return storage.Character{}, err
	}
	return list[0], nil
}

func (d *door) chatList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the chats, the newest first", Args: takes(0, 0),
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error {
			list, err := e.Chats.List()
			if err != nil {
				return err
			}
			return d.tell(shapeChats(list), func(p *page) {
				rows := [][]string{}
				for _, c := range list {
					rows = append(rows, []string{string(c.ID), clip(c.Title, columnLimit), clip(c.CharacterName, columnLimit), fmt.Sprint(c.Messages), c.UpdatedAt.Local().Format(time.DateTime)})
				}
				p.table(rows)
			})
		})}
}

func (d *door) chatShow() *cobra.Command {
	var last int
	var tree bool
	c := &cobra.Command{Use: "show CHAT", Short: "print a chat", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) (err error) {
			var msgs []chats.Message
			if last < 0 {
				return misuse{"--last is a number of messages"}
			}
			if tree {
				_, msgs, err = e.Chats.Tree(c.ID)
				if last > 0 {
					msgs = msgs[max(0, len(msgs)-last):]
				}
			} else {
				_, msgs, err = e.Chats.Path(c.ID, last)
			}
			if err != nil {
				return err
			}
			return d.tell(showShape{c.ID, c.Title, c.Head, shapeMessages(msgs)}, func(p *page) {
				for _, m := range msgs {
					p.message(m, tree)
				}
			})
		})}
	c.Flags().IntVar(&last, "last", 0, "only the newest `N` messages")
	c.Flags().BoolVar(&tree, "tree", false, "all branches, in the order in which they were written")
	return c
}

// message writes one message under a line that says which it is.
func (p *page) message(m chats.Message, tree bool) {
	head := fmt.Sprintf("#%d %s", m.Depth+1, oneLine(first(m.Name, string(shownRole(m)))))
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
	p.line(head)
	switch {
	case m.Picture != nil:
		p.line("(a picture: " + m.Picture.ImagePath + ")")
	case m.Content != "":
		p.line(m.Content)
	}
	if m.Fault != "" {
		p.line("(" + m.Fault + ")")
	}
	p.line("")
}

func (d *door) chatSearch() *cobra.Command {
	var in string
	var limit int
	c := &cobra.Command{Use: "search TEXT", Short: "find messages that hold a text", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			var chat storage.ChatID
			if strings.TrimSpace(args[0]) == "" {
				return misuse{"there is nothing to look for: TEXT is empty"}
			}
			if in != "" {
				c, err := e.Chats.Find(in)
				if err != nil {
					return err
				}
				chat = c.ID
			}
			hits, err := e.Chats.Search(chat, args[0], max(1, limit))
			if err != nil {
				return err
			}
			return d.tell(orNone(hits), func(p *page) {
				for _, h := range hits {
					p.linef("%s  %s: %s", h.Node, oneLine(h.Title), oneLine(h.Snippet))
				}
			})
		})}
	c.Flags().StringVar(&in, "chat", "", "only in the chat `CHAT`")
	c.Flags().IntVar(&limit, "limit", 50, "at most `N` messages")
	return c
}

func (d *door) chatRename() *cobra.Command {
	return &cobra.Command{Use: "rename CHAT TITLE", Short: "give a chat another title", Args: takes(2, 2), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			if err := checkTitle(args[0]); err != nil {
				return err
			}
			if err := e.Chats.Rename(c.ID, args[0]); err != nil {
				return err
			}
			return d.tellChat(e, c.ID, "")
		})}
}

func (d *door) chatDelete() *cobra.Command {
	return &cobra.Command{Use: "delete CHAT", Short: "delete a chat, after a backup of everything", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			if err := e.Play.DeleteChat(c.ID); err != nil {
				return err
			}
			return d.tellDeleted(string(c.ID), c.Title)
		})}
}

func (d *door) tellDeleted(id, name string) error {
	return d.tell(map[string]string{"deleted": id}, func(p *page) { p.linef("%s  %s  deleted", id, oneLine(name)) })
}

func (d *door) chatImport() *cobra.Command {
	var who string
	c := &cobra.Command{Use: "import FILE", Short: "bring in a chat of SillyTavern (JSONL; - reads standard input)", Args: takes(1, 1),
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			var id storage.CharacterID
			if who != "" {
				c, err := e.Library.FindCharacter(who)
				if err != nil {
					return err
				}
				id = c.ID
			}
			var got library.Imported
			// A file without a name gives the chat that of its character.
			err := d.fromFile(args[0], ".jsonl", ecosystem.MaxChatFile, func(path string) (err error) {
				got, err = e.Library.ImportChat(path, id)
				return err
			})
			if err != nil {
				return err
			}
			d.notes(got.Warnings)
			return d.tellChat(e, got.Chat.ID, "with "+oneLine(got.Character.Card.Name))
		})}
	c.Flags().StringVar(&who, "character", "", "it is a chat with the character `C`, whatever the file says")
	return c
}

func (d *door) chatExport() *cobra.Command {
	var f fileFlags
	c := &cobra.Command{Use: "export CHAT", Short: "write a chat for SillyTavern (JSONL)", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			var b bytes.Buffer
			if err := e.Library.ExportChat(c.ID, &b); err != nil {
				return err
			}
			return d.writeFile(f, string(c.ID)+".jsonl", "jsonl", b.Bytes())
		})}
	f.add(c)
	return c
}

func (d *door) chatBranch() *cobra.Command {
	return &cobra.Command{Use: "branch CHAT MESSAGE", Short: "stand on a message: what is said next begins a branch there", Args: takes(2, 2),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.onMessage(func(e *engine.Engine, c storage.Chat, m chats.Message, _ []string) error {
			return e.Chats.Branch(c.ID, m.ID)
		})}
}

func (d *door) chatGoto() *cobra.Command {
	return &cobra.Command{Use: "goto CHAT MESSAGE", Short: "go to the newest end of the branch that holds a message", Args: takes(2, 2),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.onMessage(func(e *engine.Engine, c storage.Chat, m chats.Message, _ []string) error {
			return e.Chats.Goto(c.ID, m.ID)
		})}
}

// onMessage is a change at the message that the second argument names.
func (d *door) onMessage(w func(e *engine.Engine, c storage.Chat, m chats.Message, args []string) error) func(*cobra.Command, []string) error {
	return d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
		m, err := message(e, c.ID, args[0])
		if err != nil {
			return err
		}
		if err := w(e, c, m, args[1:]); err != nil {
			return err
		}
		return d.tellChat(e, c.ID, "")
	})
}

func (d *door) chatEdit() *cobra.Command {
	return &cobra.Command{Use: "edit CHAT MESSAGE TEXT", Short: "rewrite what a message says (- reads standard input)", Args: takes(3, 3),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.onMessage(func(e *engine.Engine, c storage.Chat, m chats.Message, args []string) error {
			text, err := d.textArg(args[0])
			if err != nil {
				return err
			}
			return e.Chats.Edit(c.ID, m.ID, text)
		})}
}

func (d *door) chatRemove() *cobra.Command {
	var below bool
	c := &cobra.Command{Use: "remove CHAT MESSAGE", Short: "take a message out of a chat; undo brings it back", Args: takes(2, 2),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.onMessage(func(e *engine.Engine, c storage.Chat, m chats.Message, _ []string) error {
			return e.Chats.Delete(c.ID, m.ID, below)
		})}
	c.Flags().BoolVar(&below, "below", false, "and all that follows it")
	return c
}

func (d *door) chatUndo() *cobra.Command {
	return &cobra.Command{Use: "undo CHAT", Short: "bring back what was removed last", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.chatWork(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			if err := e.Chats.Undo(c.ID); err != nil {
				return err
			}
			return d.tellChat(e, c.ID, "")
		})}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
