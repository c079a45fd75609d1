package play

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// steerFlags are the flags with the user's wishes for a reply.
type steerFlags struct {
	cmd  *cobra.Command
	beat string
	acts []string
}

func (s *steerFlags) add(c *cobra.Command) {
	s.cmd = c
	c.Flags().StringVar(&s.beat, "beat", "",
		"beat: what happens in the reply, `TEXT`; also used for its other swipes (- reads standard input)")
	c.Flags().StringSliceVar(&s.acts, "act", nil,
		"how the reply is written: the quick act `NAME`, such as shorter, slower or more-speech; ghostlight chat "+
			"steer lists them")
}

func (s *steerFlags) given() bool {
	return s.cmd.Flags().Changed("beat") || s.cmd.Flags().Changed("act")
}

// wanted returns the wishes of the flags. Flags that were not given keep the values of had.
func (s *steerFlags) wanted(app *cli.App, e *engine.Engine, had storage.Steer) (storage.Steer, error) {
	beat, names := had.Beat, had.Acts
	if s.cmd.Flags().Changed("beat") {
		var err error
		if beat, err = app.TextArg(s.beat); err != nil {
			return had, err
		}
	}
	if s.cmd.Flags().Changed("act") {
		names = s.acts
	}
	return e.Play.Steering(beat, names...)
}

func beatsCommand(app *cli.App) *cobra.Command {
	var about string
	var not []string
	c := cli.Chats.Act(app, "beats CHAT", "suggest what may happen in the next reply",
		func(ctx context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			list, err := e.Play.Beats(ctx, c.ID, about, not)
			if err != nil {
				return err
			}
			return app.Print(map[string]any{"chat": c.ID, "proposals": list}, func(p *cli.Page) {
				for i, text := range list {
					p.Linef("%d. %s", i+1, cli.OneLine(text))
				}
			})
		})
	c.Long = "Let the model suggest three beats, things that may happen in the next reply, one per line. Nothing is " +
		"saved. Use one of them, or your own, with ghostlight chat steer CHAT --beat TEXT, or send --beat TEXT."
	c.Flags().StringVar(&about, "about", "", "suggest beats about `TEXT`")
	c.Flags().StringArrayVar(&not, "not", nil, "do not suggest `TEXT`; repeatable")
	return c
}

func steerCommand(app *cli.App) *cobra.Command {
	var s steerFlags
	var clear bool
	c := cli.Chats.Act(app, "steer CHAT", "print or change the instructions for the next reply",
		func(_ context.Context, e *engine.Engine, chat storage.Chat, _ []string) error {
			want, known := chat.Steer, e.Play.Acts()
			if clear {
				want = storage.Steer{}
			}
			if clear || s.given() {
				var err error
				if want, err = s.wanted(app, e, want); err != nil {
					return err
				}
				if err := e.Play.SetSteer(chat.ID, want); err != nil {
					return err
				}
			}
			doc := map[string]any{"chat": chat.ID, "beat": want.Beat, "acts": want.Acts, "known_acts": known}
			return app.Print(doc, func(p *cli.Page) {
				writeSteer(p, want)
				if !clear && !s.given() {
					writeActs(p, want, known)
				}
			})
		})
	c.Long = "Print or change the instructions for the next reply: a beat that happens in it, and quick acts for how " +
		"it is written. They are added once, at the end of the prompt, and also used for the reply's other swipes. " +
		"Without flags this lists the quick acts. A prompt file chat/act-NAME.md adds your own."
	s.add(c)
	c.Flags().BoolVar(&clear, "clear", false, "clear the current instructions first")
	return c
}

func writeSteer(p *cli.Page, want storage.Steer) {
	if want.IsZero() {
		p.Line("No instructions for the next reply.")
		return
	}
	p.Line("Instructions for the next reply:")
	if want.Beat != "" {
		p.Line("  " + cli.OneLine(want.Beat))
	}
	if len(want.Acts) > 0 {
		p.Line("  " + strings.Join(want.Acts, ", "))
	}
}

// writeActs writes the quick acts, with a mark at those that are wanted.
func writeActs(p *cli.Page, want storage.Steer, known []play.Act) {
	var rows [][]string
	for _, a := range known {
		mark := " "
		if slices.Contains(want.Acts, a.Name) {
			mark = "*"
		}
		rows = append(rows, []string{mark, a.Name, cli.OneLine(a.Description)})
	}
	p.Line("")
	p.Table(rows)
}

// runSteered asks for a reply with the wishes of the flags.
func runSteered(
	ctx context.Context,
	app *cli.App,
	e *engine.Engine,
	chat storage.Chat,
	thinking bool,
	s steerFlags,
) error {
	want, err := s.wanted(app, e, storage.Steer{})
	if err != nil {
		return err
	}
	if want.IsZero() {
		return cli.UsageError("--beat needs a text, such as \"the lamp goes out\"")
	}
	return runTurn(ctx, app, e, chat, thinking, func() error { return e.Play.Steer(chat.ID, want) })
}

// runRetake returns a function that asks for another swipe of a message. Wishes that the flags do
// not give are those of the message, or none if plain is set.
func runRetake(
	app *cli.App,
	e *engine.Engine,
	chat storage.Chat,
	node storage.NodeID,
	s steerFlags,
	plain bool,
) (func() error, error) {
	if !plain && !s.given() {
		return func() error { return e.Play.Regenerate(chat.ID, node) }, nil
	}
	m, err := cli.FindMessage(e, chat.ID, string(node))
	if err != nil {
		return nil, err
	}
	had := m.Steer
	if plain {
		had = storage.Steer{}
	}
	want, err := s.wanted(app, e, had)
	if err != nil {
		return nil, fmt.Errorf("another reply: %w", err)
	}
	return func() error { return e.Play.RegenerateSteered(chat.ID, node, want) }, nil
}
