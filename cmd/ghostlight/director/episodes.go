package director

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// EpisodeCommand is ghostlight episode.
func EpisodeCommand(app *cli.App) *cobra.Command {
	return cli.Group("episode", "write episodes, and start them",
		episodeListCommand(app), episodeShowCommand(app), episodeNewCommand(app), episodeEditCommand(app), episodeDeleteCommand(app), episodeMoveCommand(app),
		episodePlayCommand(app), episodeNextCommand(app), episodeSetCommand(app),
		playActionCommand(app, "pause", "pause an episode: it does not end and creates no automatic pictures", func(e *engine.Engine, c storage.ChatID) error { return e.Director.PausePlay(c, true) }),
		playActionCommand(app, "resume", "resume a paused episode", func(e *engine.Engine, c storage.ChatID) error { return e.Director.PausePlay(c, false) }),
		playActionCommand(app, "complete", "mark the episode of a chat as complete", func(e *engine.Engine, c storage.ChatID) error { return e.Director.CompletePlay(c, true) }),
		playActionCommand(app, "reopen", "reopen a completed episode", func(e *engine.Engine, c storage.ChatID) error { return e.Director.CompletePlay(c, false) }))
}

// episodeHelp says how commands want an episode named.
const episodeHelp = "EPISODE is an episode's id, the start of one, its title, or with --series its number."

// seriesFlag is the flag that says in which series an episode is looked for.
type seriesFlag struct{ ref string }

func (f *seriesFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&f.ref, "series", "", "search in the series `SERIES`")
}

// find finds an episode; where there is none, the error says which there are.
func (f *seriesFlag) find(e *engine.Engine, ref string) (storage.Episode, error) {
	var in storage.SeriesID
	if f.ref != "" {
		s, err := cli.FindSeries(e, f.ref)
		if err != nil {
			return storage.Episode{}, err
		}
		in = s.ID
	}
	ep, err := e.Director.FindEpisode(in, ref)
	if err == nil || !errors.Is(err, storage.ErrNotFound) {
		return ep, err
	}
	list, other := e.Director.Series()
	if other != nil {
		return ep, errors.Join(err, other)
	}
	var names []string
	for _, s := range list {
		for _, ep := range s.Episodes {
			if in == "" || s.ID == in {
				names = append(names, fmt.Sprintf("%d %s", ep.Number, cli.Quote(ep.Title)))
			}
		}
	}
	return ep, cli.KnownNames(err, names)
}

// withEpisode is work on the episode that the first argument names.
func withEpisode(app *cli.App, in *seriesFlag, w func(e *engine.Engine, ep storage.Episode, args []string) error) func(*cobra.Command, []string) error {
	return cli.With(app, in.find, func(_ context.Context, e *engine.Engine, v storage.Episode, args []string) error {
		return w(e, v, args)
	})
}

// seriesOf is the series of an episode, an empty one where it is gone.
func seriesOf(e *engine.Engine, ep storage.Episode) storage.Series {
	s, err := e.Director.FindSeries(string(ep.Series))
	if err != nil {
		return storage.Series{}
	}
	return s.Series
}

// printWholeEpisode prints an episode as it is now.
func printEpisode(app *cli.App, e *engine.Engine, id storage.EpisodeID) error {
	ep, err := e.Director.Episode(id)
	if err != nil {
		return err
	}
	return printWholeEpisode(app, e, ep)
}

func printWholeEpisode(app *cli.App, e *engine.Engine, ep storage.Episode) error {
	s := seriesOf(e, ep)
	doc := newEpisodeDoc(ep, s)
	return app.Print(doc, func(p *cli.Page) {
		p.Linef("%s  %s", ep.ID, cli.OneLine(ep.Title))
		p.Linef("episode %d of %s", ep.Number, cli.OneLine(s.Title))
		for _, f := range [][2]string{{"situation", ep.Situation}, {"frame", ep.Frame}, {"dramatic question", ep.Question}, {"possible endings", strings.Join(ep.Resolutions, ", ")},
			{"objective", ep.Objective}, {"obstacle", ep.Obstacle}, {"tactic", ep.Tactic}, {"genre", doc.Genre}, {"opening line", ep.Opening}} {
			if f[1] != "" {
				p.Linef("\n%s\n%s", f[0], f[1])
			}
		}
		p.Line("\n" + episodeTerms(ep))
	})
}

// episodeTerms says in words how long an episode is, and what pictures it makes.
func episodeTerms(ep storage.Episode) string {
	words := "no turn budget"
	if ep.TurnBudget > 0 {
		words = "complete after " + cli.Plural(ep.TurnBudget, "turn", "turns")
	}
	switch ep.Mode() {
	case storage.ScenesOff:
		return words + "; no automatic pictures"
	case storage.ScenesRhythmic:
		words += "; a picture every " + cli.Plural(ep.Interval(), "turn", "turns") + " and at peaks"
		words = strings.Replace(words, "every 1 turn ", "every turn ", 1)
	default:
		words += "; a picture at peaks"
	}
	return words + ", for " + cli.Plural(ep.Cost(), "spark", "sparks")
}

func episodeListCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "list [SERIES]", Short: "list the episodes of a series, or all",
		Long: "List the episodes of a series in their order, or those of all series. " + seriesHelp,
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			list, err := e.Director.Series()
			if err != nil {
				return err
			}
			if len(args) > 0 {
				s, err := cli.FindSeries(e, args[0])
				if err != nil {
					return err
				}
				list = []director.SeriesView{s}
			}
			doc, rows := []episodeDoc{}, [][]string{}
			for _, s := range list {
				doc = append(doc, newEpisodeDocs(s)...)
				for _, ep := range s.Episodes {
					row := episodeRow(ep)
					if len(args) == 0 {
						row = append([]string{cli.Clip(s.Title, cli.ColumnWidth)}, row...)
					}
					rows = append(rows, row)
				}
			}
			return app.Print(doc, func(p *cli.Page) { p.Table(rows) })
		})}
}

func episodeShowCommand(app *cli.App) *cobra.Command {
	var in seriesFlag
	c := &cobra.Command{Use: "show EPISODE", Short: "print an episode",
		Long: "Print an episode. " + episodeHelp,
		RunE: withEpisode(app, &in, func(e *engine.Engine, ep storage.Episode, _ []string) error { return printWholeEpisode(app, e, ep) })}
	in.add(c)
	return c
}

// save writes what the flags of c say into an episode, stores it and prints it.
func (f *episodeFlags) save(app *cli.App, e *engine.Engine, c *cobra.Command, ep storage.Episode) error {
	if err := f.apply(app, c, &ep); err != nil {
		return err
	}
	ep, err := e.Director.SaveEpisode(ep)
	if err != nil {
		return err
	}
	return printEpisode(app, e, ep.ID)
}

func episodeNewCommand(app *cli.App) *cobra.Command {
	var f episodeFlags
	c := &cobra.Command{Use: "new SERIES --title TEXT", Short: "write a new episode, at the end of a series",
		Long: "Write a new episode, at the end of a series. A TEXT of @FILE is read from a file, - from standard input. " + seriesHelp}
	c.RunE = withSeries(app, func(e *engine.Engine, s director.SeriesView) error {
		return f.save(app, e, c, storage.Episode{Series: s.ID})
	})
	f.add(c)
	return c
}

func episodeEditCommand(app *cli.App) *cobra.Command {
	var f episodeFlags
	var in seriesFlag
	c := &cobra.Command{Use: "edit EPISODE", Short: "change an episode",
		Long: "Change the fields of an episode that the flags name. A TEXT of @FILE is read from a file, - from standard input; an empty one clears the field. " + episodeHelp}
	c.RunE = withEpisode(app, &in, func(e *engine.Engine, ep storage.Episode, _ []string) error {
		if !f.given(c) {
			return cli.UsageError("nothing to change: use flags, or --from FILE")
		}
		return f.save(app, e, c, ep)
	})
	f.add(c)
	in.add(c)
	return c
}

func episodeDeleteCommand(app *cli.App) *cobra.Command {
	var in seriesFlag
	c := &cobra.Command{Use: "delete EPISODE", Short: "delete an unused episode",
		Long: "Delete an episode that no chat uses. " + episodeHelp,
		RunE: withEpisode(app, &in, func(e *engine.Engine, ep storage.Episode, _ []string) error {
			if err := e.Director.RemoveEpisode(ep.ID); err != nil {
				return err
			}
			return app.PrintDeleted(string(ep.ID), ep.Title)
		})}
	in.add(c)
	return c
}

func episodeMoveCommand(app *cli.App) *cobra.Command {
	var in seriesFlag
	c := &cobra.Command{Use: "move EPISODE N", Short: "give an episode another number in its series; the others move",
		Long: "Give an episode another number in its series; the others move.  " + episodeHelp,
		RunE: withEpisode(app, &in, func(e *engine.Engine, ep storage.Episode, args []string) error {
			n, err := cli.NumberArg(args[0], "a number from 1")
			if err != nil {
				return err
			}
			if err := e.Director.MoveEpisode(ep.ID, n); err != nil {
				return err
			}
			return printEpisode(app, e, ep.ID)
		})}
	in.add(c)
	return c
}
