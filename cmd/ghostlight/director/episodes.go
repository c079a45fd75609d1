package director

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// episode is an episode with its series. The series is empty if it was deleted.
type episode struct {
	storage.Episode
	of storage.Series
}

// Episodes are the episodes as commands refer to them.
var Episodes = cli.Noun[episode]{
	Find:   func(e *engine.Engine, ref string) (episode, error) { return findEpisode(e, "", ref) },
	List:   func(e *engine.Engine) ([]episode, error) { return episodesIn(e, "") },
	Called: func(ep episode) (id, name string) { return string(ep.ID), ep.Title },
	Doc:    func(ep episode) any { return newEpisodeDoc(ep.Episode, ep.of) },
	Row: func(ep episode) []string {
		return append([]string{cli.Clip(ep.of.Title, cli.ColumnWidth)}, episodeRow(ep.Episode)...)
	},
	Page: func(p *cli.Page, ep episode) {
		p.Linef("%s  %s", ep.ID, cli.OneLine(ep.Title))
		p.Linef("episode %d of %s", ep.Number, cli.OneLine(ep.of.Title))
		whole := newEpisodeDoc(ep.Episode, ep.of).Episode
		cli.Table(p, director.EpisodeFields.Without("title"), &whole)
	},
	Delete: func(e *engine.Engine, ep episode) error { return e.Director.RemoveEpisode(ep.ID) },
	Help:   "EPISODE is an episode's id, the start of one, its title, or with --series its number.",
}

// EpisodeCommand returns the command ghostlight episode.
func EpisodeCommand(app *cli.App) *cobra.Command {
	pause := func(e *engine.Engine, c storage.ChatID) error { return e.Director.PausePlay(c, true) }
	resume := func(e *engine.Engine, c storage.ChatID) error { return e.Director.PausePlay(c, false) }
	complete := func(e *engine.Engine, c storage.ChatID) error { return e.Director.CompletePlay(c, true) }
	reopen := func(e *engine.Engine, c storage.ChatID) error { return e.Director.CompletePlay(c, false) }
	return cli.Group("episode", "write episodes, and start them",
		episodeListCommand(app),
		inSeries(func(n *cli.Noun[episode]) *cobra.Command {
			return n.ShowCommand(app, "show EPISODE", "print an episode")
		}),
		episodeNewCommand(app),
		inSeries(func(n *cli.Noun[episode]) *cobra.Command { return episodeEditCommand(app, n) }),
		inSeries(func(n *cli.Noun[episode]) *cobra.Command {
			return n.DeleteCommand(app, "delete EPISODE", "delete an episode that no chat uses")
		}),
		inSeries(func(n *cli.Noun[episode]) *cobra.Command { return episodeMoveCommand(app, n) }),
		inSeries(func(n *cli.Noun[episode]) *cobra.Command { return episodePlayCommand(app, n) }),
		episodeNextCommand(app),
		inSeries(func(n *cli.Noun[episode]) *cobra.Command { return episodeSetCommand(app, n) }),
		playCommand(app, "pause", "pause an episode: it does not end and creates no automatic pictures", pause),
		playCommand(app, "resume", "resume a paused episode", resume),
		playCommand(app, "complete", "mark the episode of a chat as complete", complete),
		playCommand(app, "reopen", "reopen a completed episode", reopen))
}

// inSeries adds the flag --series, which limits a command's search for its episode to one series.
func inSeries(command func(n *cli.Noun[episode]) *cobra.Command) *cobra.Command {
	var series string
	n := Episodes
	n.Find = func(e *engine.Engine, ref string) (episode, error) { return findEpisode(e, series, ref) }
	n.List = func(e *engine.Engine) ([]episode, error) { return episodesIn(e, series) }
	c := command(&n)
	c.Flags().StringVar(&series, "series", "", "search in the series `SERIES`")
	return c
}

// findEpisode finds an episode in a series, in all of them for "".
func findEpisode(e *engine.Engine, series, ref string) (episode, error) {
	var in storage.SeriesID
	if series != "" {
		s, err := cli.FindSeries(e, series)
		if err != nil {
			return episode{}, err
		}
		in = s.ID
	}
	ep, err := e.Director.FindEpisode(in, ref)
	if err != nil {
		return episode{}, err
	}
	return withSeries(e, ep), nil
}

// withSeries returns an episode with its series.
func withSeries(e *engine.Engine, ep storage.Episode) episode {
	s, err := e.Director.FindSeries(string(ep.Series))
	if err != nil {
		return episode{Episode: ep}
	}
	return episode{ep, s.Series}
}

// episodesIn returns the episodes of a series in their order, those of all series for "".
func episodesIn(e *engine.Engine, series string) ([]episode, error) {
	list, err := e.Director.Series()
	if series != "" {
		var s director.SeriesView
		s, err = cli.FindSeries(e, series)
		list = []director.SeriesView{s}
	}
	out := []episode{}
	for _, s := range list {
		for _, ep := range s.Episodes {
			out = append(out, episode{ep, s.Series})
		}
	}
	return out, err
}

// episodeRow returns an episode as a line of a list.
func episodeRow(ep storage.Episode) []string {
	budget := ""
	if ep.TurnBudget > 0 {
		budget = cli.Plural(ep.TurnBudget, "turn", "turns")
	}
	about := cli.Clip(cmp.Or(ep.Question, ep.Situation), cli.ColumnWidth)
	return []string{strconv.Itoa(ep.Number), string(ep.ID), cli.Clip(ep.Title, cli.ColumnWidth), about, budget,
		string(ep.Mode())}
}

func episodeListCommand(app *cli.App) *cobra.Command {
	c := app.Command("list [SERIES]", "list the episodes of a series, or all",
		func(_ context.Context, e *engine.Engine, args []string) error {
			if len(args) == 0 {
				list, err := episodesIn(e, "")
				if err != nil {
					return err
				}
				return cli.PrintList(app, list, Episodes.Doc, Episodes.Row)
			}
			list, err := episodesIn(e, args[0])
			if err != nil {
				return err
			}
			return cli.PrintList(app, list, Episodes.Doc, func(ep episode) []string { return episodeRow(ep.Episode) })
		})
	c.Long = "List the episodes of a series in their order, or those of all series. " + AllSeries.Help
	return c
}

// saveEpisode stores an episode and prints it.
func saveEpisode(app *cli.App, e *engine.Engine, ep storage.Episode) error {
	ep, err := e.Director.SaveEpisode(ep)
	if err != nil {
		return err
	}
	return Episodes.Print(app, withSeries(e, ep))
}

func episodeNewCommand(app *cli.App) *cobra.Command {
	fields := cli.Fields[storage.Episode]{Record: &director.EpisodeFields, Shown: episodeDoc{}}
	c := AllSeries.Act(app, "new SERIES --title TEXT", "write a new episode, at the end of a series",
		func(_ context.Context, e *engine.Engine, s director.SeriesView, _ []string) error {
			ep := storage.Episode{Series: s.ID}
			if err := fields.Apply(app, &ep); err != nil {
				return err
			}
			return saveEpisode(app, e, ep)
		})
	fields.Add(c)
	return c
}

func episodeEditCommand(app *cli.App, n *cli.Noun[episode]) *cobra.Command {
	fields := cli.Fields[storage.Episode]{Record: &director.EpisodeFields, Shown: episodeDoc{}}
	c := n.Act(app, "edit EPISODE", "change an episode",
		func(_ context.Context, e *engine.Engine, ep episode, _ []string) error {
			if err := fields.Change(app, &ep.Episode); err != nil {
				return err
			}
			return saveEpisode(app, e, ep.Episode)
		})
	fields.Add(c)
	return c
}

func episodeMoveCommand(app *cli.App, n *cli.Noun[episode]) *cobra.Command {
	return n.Act(app, "move EPISODE N", "move an episode to another position in its series",
		func(_ context.Context, e *engine.Engine, ep episode, args []string) error {
			number, err := cli.NumberArg(args[0], "a position from 1")
			if err != nil {
				return err
			}
			if err := e.Director.MoveEpisode(ep.ID, number); err != nil {
				return err
			}
			ep.Number = number
			return n.Print(app, ep)
		})
}

func episodePlayCommand(app *cli.App, n *cli.Noun[episode]) *cobra.Command {
	var who, title string
	c := n.Act(app, "play EPISODE", "start a chat with an episode",
		func(_ context.Context, e *engine.Engine, ep episode, _ []string) error {
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
		})
	c.Long = "Start a chat with an episode. The first message is its opening line, or the character's greeting; " +
		"the other characters of the series join the cast. " + n.Help
	c.Flags().StringVar(&who, "character", "", "play with `CHARACTER` instead of the main character of the series")
	c.Flags().StringVar(&title, "title", "", "`TITLE` of the chat (default: the title of the episode)")
	return c
}

func episodeNextCommand(app *cli.App) *cobra.Command {
	c := cli.Chats.Act(app, "next CHAT", "print the next episode for a chat",
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			v, err := e.Director.View(c.ID)
			switch {
			case err != nil:
				return err
			case v.Next != nil:
				return Episodes.Print(app, withSeries(e, *v.Next))
			case v.Episode == nil:
				return fmt.Errorf("%w: the chat has no episode; ghostlight episode set %s EPISODE sets one",
					failure.ErrRefused, c.ID)
			}
			return fmt.Errorf("%w: no episode comes after %s", failure.ErrRefused, cli.Quote(v.Episode.Title))
		})
	c.Long = "Print the next episode for a chat. ghostlight episode play starts it; nothing starts automatically."
	return c
}

func episodeSetCommand(app *cli.App, n *cli.Noun[episode]) *cobra.Command {
	c := cli.Chats.Act(app, "set CHAT EPISODE|none", "set or remove the episode of a chat",
		func(_ context.Context, e *engine.Engine, c storage.Chat, args []string) error {
			var id storage.EpisodeID
			if args[0] != "none" {
				ep, err := n.Find(e, args[0])
				if err != nil {
					return err
				}
				id = ep.ID
			}
			if err := e.Director.SetEpisode(c.ID, id); err != nil {
				return err
			}
			return printPlay(app, e, c.ID)
		})
	c.Long = cli.Sentence(c.Short) + " " + n.Help
	return c
}

// playCommand returns a command that changes the state of a chat's play.
func playCommand(app *cli.App, name, short string,
	do func(e *engine.Engine, chat storage.ChatID) error) *cobra.Command {
	return cli.Chats.Act(app, name+" CHAT", short,
		func(_ context.Context, e *engine.Engine, c storage.Chat, _ []string) error {
			if err := do(e, c.ID); err != nil {
				return err
			}
			return printPlay(app, e, c.ID)
		})
}
