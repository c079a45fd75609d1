package play

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func castCommand(app *cli.App) *cobra.Command {
	var since string
	cmd := cli.Chats.Act(app, "cast CHAT [list|add C|since C WHEN|remove C|away C|back C|order ORDER]",
		"list and change the characters of a chat",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			act := "list"
			if len(args) > 0 {
				act = args[0]
			}
			wants := 2
			switch act {
			case "list":
				wants = min(len(args), 1)
			case "since":
				wants = 3
			}
			if since != "" && act != "add" {
				return cli.UsageError(
					"--since is for add; for characters in the chat use: ghostlight chat cast CHAT since C WHEN")
			}
			if len(args) != wants {
				return cli.UsageError(fmt.Sprintf("the command is: ghostlight chat cast CHAT, or with one of %s",
					cli.OrList([]string{"add C", "since C WHEN", "remove C", "away C", "back C", "order ORDER"})))
			}
			if err := changeCast(e, c.ID, act, args, since); err != nil {
				return err
			}
			return printCast(app, e, c.ID)
		})
	cmd.Args = cli.Args(1, 4)
	cmd.Long = "List and change the characters of a chat. add adds one, remove removes one; its messages are kept. " +
		"A character who is away witnesses nothing and does not speak until they are back. An added character does " +
		"not know earlier messages, unless WHEN says since when they are present: start, or a message number as in " +
		"chat show; now resets it. They have not heard earlier whispers. ORDER chooses the next speaker: robin, one " +
		"after the other; mention, the last character mentioned; director, chosen by the director; user, chosen by you."
	cmd.Flags().StringVar(&since, "since", "",
		"with add: the character is present since `WHEN`: start, a message number, or now")
	return cmd
}

// changeCast does what an act of the command is for, with the act's own arguments in args[1:].
func changeCast(e *engine.Engine, chat storage.ChatID, act string, args []string, since string) error {
	switch act {
	case "list":
	case "order":
		if err := setOrder(e, chat, args[1]); err != nil {
			return err
		}
	case "add":
		who, err := cli.FindCharacter(e, args[1])
		if err != nil {
			return err
		}
		number, err := parseSince(since)
		if err != nil {
			return err
		}
		if err := e.Chats.JoinCastSince(chat, who.ID, number); err != nil {
			return err
		}
	case "since":
		who, err := cli.FindMember(e, chat, args[1])
		if err != nil {
			return err
		}
		number, err := parseSince(args[2])
		if err != nil {
			return err
		}
		if err := e.Chats.SetSince(chat, who.Character, number); err != nil {
			return err
		}
	case "remove", "away", "back":
		who, err := cli.FindMember(e, chat, args[1])
		if err != nil {
			return err
		}
		if act == "remove" {
			err = e.Chats.LeaveCast(chat, who.Character)
		} else {
			err = e.Chats.SetAway(chat, who.Character, act == "away")
		}
		if err != nil {
			return err
		}
	default:
		return cli.UsageError(fmt.Sprintf("chat cast takes %s, not %q",
			cli.OrList([]string{"list", "add", "since", "remove", "away", "back", "order"}), act))
	}
	return nil
}

// parseSince returns the number of the message since which a character has been present: 1 for
// start, 0 for now.
func parseSince(words string) (int, error) {
	switch words {
	case "", "now":
		return 0, nil
	case "start":
		return 1, nil
	}
	n, err := strconv.Atoi(words)
	if err != nil || n < 1 {
		return 0, cli.UsageError(fmt.Sprintf("WHEN must be start, now or the number of a message, not %q", words))
	}
	return n, nil
}

func setOrder(e *engine.Engine, chat storage.ChatID, order string) error {
	words := []string{string(storage.OrderRoundRobin), string(storage.OrderMention), string(storage.OrderDirector),
		string(storage.OrderUser), string(storage.OrderNatural), string(storage.OrderPooled)}
	for _, w := range words {
		if w == order {
			return e.Chats.SetTurnOrder(chat, storage.TurnOrder(w))
		}
	}
	return cli.UsageError(fmt.Sprintf("ORDER must be %s, not %q", cli.OrList(words), order))
}

// printCast prints who plays in a chat.
func printCast(app *cli.App, e *engine.Engine, chat storage.ChatID) error {
	list, err := e.Play.Cast(chat)
	if err != nil {
		return err
	}
	return app.Print(list, func(p *cli.Page) {
		rows := [][]string{}
		for _, c := range list.List {
			var words []string
			if c.Main {
				words = append(words, "main")
			}
			if c.Away {
				words = append(words, "away")
			}
			if c.Said {
				words = append(words, fmt.Sprintf("present since message %d", c.Since))
			}
			if c.Character == list.Next {
				words = append(words, strings.TrimSpace("speaks next "+bracketed(list.Why)))
			}
			rows = append(rows, []string{string(c.Character), cli.Clip(c.Name, cli.ColumnWidth),
				strings.Join(words, ", ")})
		}
		p.Table(rows)
		p.Linef("order: %s", list.Order)
	})
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return "(" + cli.OneLine(s) + ")"
}

func speakCommand(app *cli.App) *cobra.Command {
	var thinking bool
	c := cli.Chats.Act(app, "speak CHAT CHARACTER", "make a character speak without a message from you",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			who, err := cli.FindMember(e, c.ID, args[0])
			if err != nil {
				return err
			}
			return runTurn(ctx, app, e, c, thinking, func() error { return e.Play.Speak(c.ID, who.Character) })
		})
	c.Long = "Make a character of the chat speak next without a message from you."
	thinkingFlag(c, &thinking)
	return c
}

// addressFlags are the flags for who answers a message, and who hears it.
type addressFlags struct {
	as      string
	whisper []string
}

func (a *addressFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&a.as, "as", "", "`CHARACTER` answers, regardless of the turn order")
	c.Flags().StringArrayVar(&a.whisper, "whisper", nil, "whisper: only `NAME` hears it; repeatable")
}

func (a *addressFlags) given() bool { return a.as != "" || len(a.whisper) > 0 }

// find finds them in a chat's cast.
func (a *addressFlags) find(e *engine.Engine,
	chat storage.ChatID) (who storage.CharacterID, to []storage.CharacterID, err error) {
	for _, ref := range a.whisper {
		m, err := cli.FindMember(e, chat, ref)
		if err != nil {
			return "", nil, err
		}
		to = append(to, m.Character)
	}
	if a.as != "" {
		m, err := cli.FindMember(e, chat, a.as)
		return m.Character, to, err
	}
	return "", to, nil
}
