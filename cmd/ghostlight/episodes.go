package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/director"
	"ghostlight/storage"
)

func (d *door) episodeCommand() *cobra.Command {
	return group("episode", "write episodes, and play them",
		d.episodeList(), d.episodeShow(), d.episodeNew(), d.episodeEdit(), d.episodeDelete(), d.episodeMove(),
		d.episodePlay(), d.episodeNext(), d.episodeSet(),
		d.playAct("pause", "pause an episode: it does not end and makes no pictures by itself", func(e *engine.Engine, c storage.ChatID) error { return e.Director.PausePlay(c, true) }),
		d.playAct("resume", "let a paused episode go on", func(e *engine.Engine, c storage.ChatID) error { return e.Director.PausePlay(c, false) }),
		d.playAct("complete", "say that the episode of a chat is complete where it stands", func(e *engine.Engine, c storage.ChatID) error { return e.Director.CompletePlay(c, true) }),
		d.playAct("reopen", "say that the episode of a chat goes on after all", func(e *engine.Engine, c storage.ChatID) error { return e.Director.CompletePlay(c, false) }))
}

// episodeHelp says how commands want an episode named.
const episodeHelp = "EPISODE is an episode's id, the beginning of one, its title, or with --series its number."

// inSeries is the flag that says in which series an episode is looked for.
type inSeries struct{ ref string }

func (f *inSeries) add(c *cobra.Command) {
	c.Flags().StringVar(&f.ref, "series", "", "look for it in the series `SERIES`")
}

// find finds an episode; where there is none, the error says which there are.
func (f *inSeries) find(e *engine.Engine, ref string) (storage.Episode, error) {
	var in storage.SeriesID
	if f.ref != "" {
		s, err := series(e, f.ref)
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
				names = append(names, fmt.Sprintf("%d %s", ep.Number, quote(ep.Title)))
			}
		}
	}
	return ep, amongst(err, names)
}

// episodeWork is work on the episode that the first argument names.
func (d *door) episodeWork(in *inSeries, w func(e *engine.Engine, ep storage.Episode, args []string) error) func(*cobra.Command, []string) error {
	return d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		ep, err := in.find(e, args[0])
		if err != nil {
			return err
		}
		return w(e, ep, args[1:])
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

// tellEpisode prints an episode as it is now.
func (d *door) tellEpisode(e *engine.Engine, id storage.EpisodeID) error {
	ep, err := e.Director.Episode(id)
	if err != nil {
		return err
	}
	return d.printEpisode(e, ep)
}

func (d *door) printEpisode(e *engine.Engine, ep storage.Episode) error {
	s := seriesOf(e, ep)
	doc := shapeEpisode(ep, s)
	return d.tell(doc, func(p *page) {
		p.linef("%s  %s", ep.ID, oneLine(ep.Title))
		p.linef("episode %d of %s", ep.Number, oneLine(s.Title))
		for _, f := range [][2]string{{"situation", ep.Situation}, {"frame", ep.Frame}, {"dramatic question", ep.Question}, {"may end", strings.Join(ep.Resolutions, ", ")},
			{"objective", ep.Objective}, {"obstacle", ep.Obstacle}, {"tactic", ep.Tactic}, {"genre", doc.Genre}, {"opening line", ep.Opening}} {
			if f[1] != "" {
				p.linef("\n%s\n%s", f[0], f[1])
			}
		}
		p.line("\n" + episodeTerms(ep))
	})
}

// episodeTerms says in words how long an episode is, and what pictures it makes.
func episodeTerms(ep storage.Episode) string {
	words := "no turn budget"
	if ep.TurnBudget > 0 {
		words = "complete after " + counted(ep.TurnBudget, "turn", "turns")
	}
	switch ep.Mode() {
	case storage.ScenesOff:
		return words + "; no pictures by themselves"
	case storage.ScenesRhythmic:
		words += "; a picture every " + counted(ep.Interval(), "turn", "turns") + " and at peaks"
		words = strings.Replace(words, "every 1 turn ", "every turn ", 1)
	default:
		words += "; a picture at peaks"
	}
	return words + ", for " + counted(ep.Cost(), "spark", "sparks")
}

func (d *door) episodeList() *cobra.Command {
	return &cobra.Command{Use: "list [SERIES]", Short: "list the episodes of a series, or all", Args: takes(0, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "List the episodes of a series in their order, or those of all series. " + seriesHelp,
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			list, err := e.Director.Series()
			if err != nil {
				return err
			}
			if len(args) > 0 {
				s, err := series(e, args[0])
				if err != nil {
					return err
				}
				list = []director.SeriesView{s}
			}
			doc, rows := []episodeShape{}, [][]string{}
			for _, s := range list {
				for _, ep := range s.Episodes {
					row := episodeRow(ep)
					if len(args) == 0 {
						row = append([]string{clip(s.Title, columnLimit)}, row...)
					}
					doc, rows = append(doc, shapeEpisode(ep, s.Series)), append(rows, row)
				}
			}
			return d.tell(doc, func(p *page) { p.table(rows) })
		})}
}

func (d *door) episodeShow() *cobra.Command {
	var in inSeries
	c := &cobra.Command{Use: "show EPISODE", Short: "print an episode", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Print an episode. " + episodeHelp,
		RunE: d.episodeWork(&in, func(e *engine.Engine, ep storage.Episode, _ []string) error { return d.printEpisode(e, ep) })}
	in.add(c)
	return c
}

func (d *door) episodeNew() *cobra.Command {
	var f episodeFlags
	c := &cobra.Command{Use: "new SERIES --title TEXT", Short: "write an episode, at the end of a series", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Write an episode, at the end of a series. A TEXT of @FILE is read from a file, - from standard input. " + seriesHelp}
	c.RunE = d.seriesWork(func(e *engine.Engine, s director.SeriesView) error {
		ep := storage.Episode{Series: s.ID}
		if err := f.apply(d, c, &ep); err != nil {
			return err
		}
		ep, err := e.Director.SaveEpisode(ep)
		if err != nil {
			return err
		}
		return d.tellEpisode(e, ep.ID)
	})
	f.add(c)
	return c
}

func (d *door) episodeEdit() *cobra.Command {
	var f episodeFlags
	var in inSeries
	c := &cobra.Command{Use: "edit EPISODE", Short: "change an episode", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Change of an episode what the flags name. A TEXT of @FILE is read from a file, - from standard input; an empty one takes away what was there. " + episodeHelp}
	c.RunE = d.episodeWork(&in, func(e *engine.Engine, ep storage.Episode, _ []string) error {
		if !f.given(c) {
			return misuse{"nothing to change; the flags change something, or --from FILE"}
		}
		if err := f.apply(d, c, &ep); err != nil {
			return err
		}
		ep, err := e.Director.SaveEpisode(ep)
		if err != nil {
			return err
		}
		return d.tellEpisode(e, ep.ID)
	})
	f.add(c)
	in.add(c)
	return c
}

func (d *door) episodeDelete() *cobra.Command {
	var in inSeries
	c := &cobra.Command{Use: "delete EPISODE", Short: "delete an episode that no chat plays", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Delete an episode that no chat plays. " + episodeHelp,
		RunE: d.episodeWork(&in, func(e *engine.Engine, ep storage.Episode, _ []string) error {
			if err := e.Director.RemoveEpisode(ep.ID); err != nil {
				return err
			}
			return d.tellDeleted(string(ep.ID), ep.Title)
		})}
	in.add(c)
	return c
}

func (d *door) episodeMove() *cobra.Command {
	var in inSeries
	c := &cobra.Command{Use: "move EPISODE N", Short: "give an episode another number in its series; the others make room", Args: takes(2, 2),
		ValidArgsFunction: cobra.NoFileCompletions, Long: "Give an episode another number in its series; the others make room. " + episodeHelp,
		RunE: d.episodeWork(&in, func(e *engine.Engine, ep storage.Episode, args []string) error {
			n, err := countArg(args[0], "a number from 1")
			if err != nil {
				return err
			}
			if err := e.Director.MoveEpisode(ep.ID, n); err != nil {
				return err
			}
			return d.tellEpisode(e, ep.ID)
		})}
	in.add(c)
	return c
}
