package play

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

type passageDoc struct {
	Chat      storage.ChatID   `json:"chat"`
	Message   storage.NodeID   `json:"message"`
	Passage   string           `json:"passage"` // the old passage, "" for a continuation
	Rewritten string           `json:"rewritten"`
	Text      string           `json:"text"` // all of the message with it
	Diff      []scene.DiffLine `json:"diff"` // by words; '+' is new and '-' is old
	Accepted  bool             `json:"accepted"`
	Words     string           `json:"words"` // a remark on the result, "" for none
	// Rejected holds what the model wrote but was not allowed to say.
	Rejected []storage.Rejected `json:"rejected"`
}

// rewriteFlags are the flags that both passage commands have.
type rewriteFlags struct {
	instruction string
	accept      bool
}

func (f *rewriteFlags) add(c *cobra.Command) {
	c.Flags().StringVarP(&f.instruction, "instruction", "i", "",
		"the instruction `TEXT`, such as \"shorter\" or \"in past tense\" (- reads standard input)")
	c.Flags().BoolVar(&f.accept, "accept", false, "apply it to the message")
}

func rewriteCommand(app *cli.App) *cobra.Command {
	var f rewriteFlags
	var old string
	c := cli.Chats.Act(app, "rewrite CHAT MESSAGE", "let the model rewrite a passage of a message",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			m, err := cli.FindMessage(e, c.ID, args[0])
			if err != nil {
				return err
			}
			from, to := 0, len(m.Content)
			if old != "" {
				if from, err = place(m, old, "--passage"); err != nil {
					return err
				}
				to = from + len(old)
			}
			return f.run(ctx, app, e, c, m, from, to)
		})
	c.Long = "Let the model rewrite a message, or a passage of it, by an instruction. The result is printed; the " +
		"message is changed only with --accept."
	c.Flags().StringVar(&old, "passage", "", "rewrite only this `TEXT`, exactly as in the message (default: all of it)")
	f.add(c)
	return c
}

func writeOnCommand(app *cli.App) *cobra.Command {
	var f rewriteFlags
	var behind string
	c := cli.Chats.Act(app, "write-on CHAT MESSAGE", "let the model continue a message",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			m, err := cli.FindMessage(e, c.ID, args[0])
			if err != nil {
				return err
			}
			at := len(m.Content)
			if behind != "" {
				if at, err = place(m, behind, "--after"); err != nil {
					return err
				}
				at += len(behind)
			}
			return f.run(ctx, app, e, c, m, at, at)
		})
	c.Long = "Let the model continue a message at its end, or after a given text. The result is printed; the message " +
		"is changed only with --accept."
	c.Flags().StringVar(&behind, "after", "",
		"continue after this `TEXT`, exactly as in the message (default: at the end)")
	f.add(c)
	return c
}

// place returns the byte offset of words in a message. If the message does not contain them exactly
// once, it returns a usage error that names flag.
func place(m chats.Message, words, flag string) (int, error) {
	at := strings.Index(m.Content, words)
	switch {
	case at < 0:
		return 0, cli.UsageError("the text given with " + flag + " is not in the message")
	case strings.Contains(m.Content[at+1:], words):
		return 0, cli.UsageError("the text given with " + flag + " is in the message more than once: give more of it")
	}
	return at, nil
}

func (f *rewriteFlags) run(
	ctx context.Context,
	app *cli.App,
	e *engine.Engine,
	c storage.Chat,
	m chats.Message,
	from, to int,
) error {
	wish, err := app.TextArg(f.instruction)
	if err != nil {
		return err
	}
	feed := e.Follow()
	defer feed.Close()
	if err := e.Play.Rewrite(c.ID, play.Passage{Message: m.ID, Text: m.Content, From: from, To: to,
		Instruction: wish}); err != nil {
		return err
	}
	follows := follower{app: app, e: e, chat: c.ID, reply: cli.NewPage(app.Out), thoughts: cli.NewPage(app.Err)}
	end, err := follows.follow(ctx, feed)
	switch {
	case err != nil:
		return err
	case end.Err != nil:
		return end.Err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	got := follows.passage
	doc := passageDoc{
		Chat:      c.ID,
		Message:   m.ID,
		Passage:   m.Content[from:to],
		Rewritten: got.Passage,
		Words:     app.Redact(got.Fault),
		Text:      m.Content[:from] + got.Passage + m.Content[to:],
		Rejected:  append([]storage.Rejected{}, got.Rejected...),
		Diff:      scene.DiffWords(m.Content[from:to], got.Passage),
	}
	if doc.Diff == nil {
		doc.Diff = []scene.DiffLine{}
	}
	if f.accept {
		if err := e.Chats.Edit(c.ID, m.ID, doc.Text); err != nil {
			return err
		}
		doc.Accepted = true
	}
	if doc.Words != "" {
		app.Note("note: %s", doc.Words)
	}
	if err := app.Print(doc, func(p *cli.Page) { p.Text(strings.TrimSpace(doc.Rewritten)); p.Line("") }); err != nil {
		return err
	}
	if !f.accept {
		app.Note("The message is unchanged; --accept applies the new text.")
	}
	return nil
}
