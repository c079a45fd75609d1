package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/director"
	"ghostlight/storage"
)

func (d *door) seriesCommand() *cobra.Command {
	return group("series", "group episodes, and what is remembered of them",
		d.seriesList(), d.seriesShow(), d.seriesNew(), d.seriesEdit(), d.seriesDelete(), d.seriesExport(), d.seriesImport())
}

// seriesHelp says how commands want a series named.
const seriesHelp = "SERIES is a series' id, the beginning of one, or its title."

// listedNames is how many names an error lists of what is there.
const listedNames = 8

// amongst adds to an error about something that is not there what is.
func amongst(err error, names []string) error {
	if err == nil || !errors.Is(err, storage.ErrNotFound) {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf("%w; there is none yet", err)
	}
	more := ""
	if n := len(names) - listedNames; n > 0 {
		names, more = names[:listedNames], fmt.Sprintf(" and %d more", n)
	}
	for i, name := range names {
		names[i] = clip(name, columnLimit)
	}
	return fmt.Errorf("%w; there are: %s%s", err, strings.Join(names, ", "), more)
}

// series finds a series; where there is none, the error says which there are.
func series(e *engine.Engine, ref string) (director.SeriesView, error) {
	s, err := e.Director.FindSeries(ref)
	if err == nil || !errors.Is(err, storage.ErrNotFound) {
		return s, err
	}
	list, other := e.Director.Series()
	if other != nil {
		return s, errors.Join(err, other)
	}
	var names []string
	for _, s := range list {
		names = append(names, quote(s.Title))
	}
	return s, amongst(err, names)
}

// seriesWork is work on the series that the first argument names.
func (d *door) seriesWork(w func(e *engine.Engine, s director.SeriesView) error) func(*cobra.Command, []string) error {
	return d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		s, err := series(e, args[0])
		if err != nil {
			return err
		}
		return w(e, s)
	})
}

// seriesRow is a series as a line of a list.
func seriesRow(s director.SeriesView) []string {
	return []string{string(s.ID), clip(s.Title, columnLimit), clip(s.Genre, columnLimit), clip(strings.Join(s.Names, ", "), columnLimit),
		counted(len(s.Episodes), "episode", "episodes"), counted(s.Chats, "chat", "chats"), counted(s.Memories, "memory", "memories")}
}

// tellSeries prints one series as it is now.
func (d *door) tellSeries(e *engine.Engine, id storage.SeriesID, warnings []string) error {
	s, err := e.Director.FindSeries(string(id))
	if err != nil {
		return err
	}
	d.notes(warnings)
	return d.tell(shapeSeries(s, warnings), func(p *page) { p.table([][]string{seriesRow(s)}) })
}

func (d *door) seriesList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the series", Args: takes(0, 0),
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error {
			list, err := e.Director.Series()
			if err != nil {
				return err
			}
			doc, rows := []seriesShape{}, [][]string{}
			for _, s := range list {
				doc, rows = append(doc, shapeSeries(s, nil)), append(rows, seriesRow(s))
			}
			return d.tell(doc, func(p *page) { p.table(rows) })
		})}
}

func (d *door) seriesShow() *cobra.Command {
	return &cobra.Command{Use: "show SERIES", Short: "print a series with its episodes", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Print a series with its episodes. " + seriesHelp,
		RunE: d.seriesWork(func(_ *engine.Engine, s director.SeriesView) error {
			doc := seriesWholeShape{shapeSeries(s, nil), []episodeShape{}}
			for _, ep := range s.Episodes {
				doc.Contents = append(doc.Contents, shapeEpisode(ep, s.Series))
			}
			return d.tell(doc, func(p *page) {
				p.table([][]string{seriesRow(s)})
				if s.Description != "" {
					p.line("\n" + s.Description)
				}
				if len(s.Episodes) > 0 {
					p.line("")
				}
				rows := [][]string{}
				for _, ep := range s.Episodes {
					rows = append(rows, episodeRow(ep))
				}
				p.table(rows)
			})
		})}
}

// seriesFlags are what the commands that write a series take.
type seriesFlags struct {
	title, description, genre string
	characters                []string
}

func (f *seriesFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.description, "description", "", "what it is about: `TEXT`, @FILE, or - for standard input")
	c.Flags().StringVar(&f.genre, "genre", "", "the genre of its episodes: `TEXT`")
	c.Flags().StringArrayVar(&f.characters, "character", nil, "`NAME` plays in it, the first one the main one; may be given several times")
}

// apply writes what was said into a series. Characters take the place of those
// that were there; "" alone takes them all out.
func (f *seriesFlags) apply(d *door, e *engine.Engine, c *cobra.Command, s *storage.Series) error {
	said := c.Flags().Changed
	if said("title") {
		s.Title = f.title
	}
	if strings.TrimSpace(s.Title) == "" {
		return misuse{"a series needs a title"}
	}
	if err := checkTitle(s.Title); err != nil {
		return err
	}
	if said("description") {
		text, err := d.valueArg(f.description)
		if err != nil {
			return err
		}
		s.Description = text
	}
	if said("genre") {
		s.Genre = f.genre
	}
	if !said("character") {
		return nil
	}
	s.Characters = nil
	if len(f.characters) == 1 && f.characters[0] == "" {
		return nil
	}
	for _, ref := range f.characters {
		who, err := character(e, ref)
		if err != nil {
			return err
		}
		if slices.Contains(s.Characters, who.ID) {
			return misuse{"--character names " + quote(who.Card.Name) + " twice"}
		}
		s.Characters = append(s.Characters, who.ID)
	}
	return nil
}

// character finds a character; where there is none, the error says which there
// are.
func character(e *engine.Engine, ref string) (storage.Character, error) {
	c, err := e.Library.FindCharacter(ref)
	if err == nil || !errors.Is(err, storage.ErrNotFound) {
		return c, err
	}
	list, other := e.Library.Characters()
	if other != nil {
		return c, errors.Join(err, other)
	}
	var names []string
	for _, c := range list {
		names = append(names, quote(c.Card.Name))
	}
	return c, amongst(err, names)
}

func (d *door) seriesNew() *cobra.Command {
	var f seriesFlags
	c := &cobra.Command{Use: "new TITLE", Short: "make a series", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions}
	c.RunE = d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		s := storage.Series{Title: args[0]}
		if err := f.apply(d, e, c, &s); err != nil {
			return err
		}
		s, err := e.Director.SaveSeries(s)
		if err != nil {
			return err
		}
		return d.tellSeries(e, s.ID, nil)
	})
	f.add(c)
	return c
}

func (d *door) seriesEdit() *cobra.Command {
	var f seriesFlags
	c := &cobra.Command{Use: "edit SERIES", Short: "change a series", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Change of a series what the flags name. --character takes the place of all characters that were there. " + seriesHelp}
	c.RunE = d.seriesWork(func(e *engine.Engine, v director.SeriesView) error {
		if !anyChanged(c, "title", "description", "genre", "character") {
			return misuse{"nothing to change; --title, --description, --genre and --character change something"}
		}
		s := v.Series
		if err := f.apply(d, e, c, &s); err != nil {
			return err
		}
		s, err := e.Director.SaveSeries(s)
		if err != nil {
			return err
		}
		return d.tellSeries(e, s.ID, nil)
	})
	c.Flags().StringVar(&f.title, "title", "", "call it `TITLE`")
	f.add(c)
	return c
}

// anyChanged tells whether any of some flags was given.
func anyChanged(c *cobra.Command, names ...string) bool {
	return slices.ContainsFunc(names, c.Flags().Changed)
}

func (d *door) seriesDelete() *cobra.Command {
	return &cobra.Command{Use: "delete SERIES", Short: "delete a series with its episodes and memories, after a backup of everything", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		Long:              "Delete a series with its episodes and what is remembered of it, after a backup of everything. Chats that belong to it have to be deleted, or taken out of it (episode set CHAT none), before. " + seriesHelp,
		RunE: d.seriesWork(func(e *engine.Engine, s director.SeriesView) error {
			if err := e.Director.RemoveSeries(s.ID); err != nil {
				return err
			}
			return d.tellDeleted(string(s.ID), s.Title)
		})}
}

func (d *door) seriesExport() *cobra.Command {
	var f fileFlags
	c := &cobra.Command{Use: "export SERIES", Short: "write a series with its episodes as JSON", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions,
		Long: "Write a series with its episodes to standard output, or to a file. Memories and chats are not in it. " + seriesHelp,
		RunE: d.seriesWork(func(e *engine.Engine, s director.SeriesView) error {
			var b bytes.Buffer
			if err := e.Director.ExportSeries(&b, s.ID); err != nil {
				return err
			}
			if f.output == "" || f.output == "-" { // it is one document of JSON itself
				d.said = true
				_, err := d.out.Write(escapeJSON(b.Bytes()))
				return err
			}
			return d.writeFile(f, "", "json", b.Bytes())
		})}
	c.Flags().StringVarP(&f.output, "output", "o", "", "write to `FILE` instead of standard output")
	c.Flags().BoolVar(&f.force, "force", false, "replace the file if it exists")
	return c
}

// seriesFile is the largest file of a series that is read.
const seriesFile = 16 << 20

func (d *door) seriesImport() *cobra.Command {
	return &cobra.Command{Use: "import FILE", Short: "bring in a series that series export wrote (- reads standard input)", Args: takes(1, 1),
		Long: "Bring in a series that series export wrote, as a new one. Its characters are found by their names; those that are not there are named. A FILE of - is standard input.",
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			var got director.SeriesView
			var warnings []string
			err := d.fromFile(args[0], "series.json", seriesFile, func(path string) error {
				f, err := os.Open(path)
				if err != nil {
					return err
				}
				got, warnings, err = e.Director.ImportSeries(f)
				_ = f.Close() // was only read
				return err
			})
			if err != nil {
				return err
			}
			return d.tellSeries(e, got.ID, warnings)
		})}
}

// episodeRow is an episode as a line of a list.
func episodeRow(ep storage.Episode) []string {
	budget := ""
	if ep.TurnBudget > 0 {
		budget = counted(ep.TurnBudget, "turn", "turns")
	}
	return []string{strconv.Itoa(ep.Number), string(ep.ID), clip(ep.Title, columnLimit), clip(first(ep.Question, ep.Situation), columnLimit), budget, string(ep.Mode())}
}
