package director

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// printPlay prints a chat with what it plays, as it is now.
func printPlay(app *cli.App, e *engine.Engine, id storage.ChatID) error {
	v, err := e.Director.View(id)
	if err != nil {
		return err
	}
	c := v.Chat
	doc := playDoc{cli.NewChatDoc(c), c.Play.Series, c.Play.Episode, v.State}
	return app.Print(doc, func(p *cli.Page) {
		p.Linef("%s  %s  %s", c.ID, cli.OneLine(c.Title), playWords(v))
	})
}

// playWords says in a few words what a chat plays, and where it stands.
func playWords(v director.View) string {
	if v.Episode == nil {
		return "has no episode"
	}
	words := fmt.Sprintf("episode %s, %s", cli.Quote(cli.OneLine(v.Episode.Title)), v.State)
	if v.Ended == nil {
		return words
	}
	switch v.Ended.By {
	case storage.EndedSemantic:
		return words + ": set by the director"
	case storage.EndedByTurns:
		return words + ": its turn budget is reached"
	}
	return words + ": set by you"
}

func episodePlayCommand(app *cli.App) *cobra.Command {
	var in seriesFlag
	var who, title string
	c := &cobra.Command{Use: "play EPISODE", Short: "start a chat with an episode",
		Long: "Start a chat with an episode: its opening line is the first message, or the character's greeting; the other characters of the series join the cast. " + episodeHelp,
		RunE: withEpisode(app, &in, func(e *engine.Engine, ep storage.Episode, _ []string) error {
			if err := cli.CheckTitle(title); err != nil {
				return err
			}
			r := director.PlayRequest{Episode: ep.ID, Title: title}
			if who != "" {
				c, err := cli.FindCharacter(e, who)
				if err != nil {
					return err
				}
				r.Character = c.ID
			}
			c, err := e.Director.NewPlay(r)
			if err != nil {
				return err
			}
			return printPlay(app, e, c.ID)
		})}
	c.Flags().StringVar(&who, "character", "", "use the character `C` instead of the main one")
	c.Flags().StringVar(&title, "title", "", "title of the chat (default: the episode's)")
	in.add(c)
	return c
}

func episodeNextCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "next CHAT", Short: "print the suggested next episode of a chat",
		Long: "Print the suggested next episode of a chat. ghostlight episode play starts it; nothing starts automatically.",
		RunE: app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			v, err := e.Director.View(c.ID)
			switch {
			case err != nil:
				return err
			case v.Next != nil:
				return printWholeEpisode(app, e, *v.Next)
			case v.Episode == nil:
				return fmt.Errorf("%w: the chat has no episode; ghostlight episode set %s EPISODE sets one", failure.ErrNothing, c.ID)
			}
			return fmt.Errorf("%w: no episode comes after %s", failure.ErrNothing, cli.Quote(v.Episode.Title))
		})}
}

func episodeSetCommand(app *cli.App) *cobra.Command {
	var in seriesFlag
	c := &cobra.Command{Use: "set CHAT EPISODE|none", Short: "set the episode of a chat, or none",
		Long: "Set the episode of a chat, or none. " + episodeHelp,
		RunE: app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			var id storage.EpisodeID
			if args[0] != "none" {
				ep, err := in.find(e, args[0])
				if err != nil {
					return err
				}
				id = ep.ID
			}
			if err := e.Director.SetEpisode(c.ID, id); err != nil {
				return err
			}
			return printPlay(app, e, c.ID)
		})}
	in.add(c)
	return c
}

// playActionCommand is a command that changes where the play of a chat stands.
func playActionCommand(app *cli.App, name, short string, do func(e *engine.Engine, chat storage.ChatID) error) *cobra.Command {
	return &cobra.Command{Use: name + " CHAT", Short: short,
		RunE: app.WithChat(func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			if err := do(e, c.ID); err != nil {
				return err
			}
			return printPlay(app, e, c.ID)
		})}
}
