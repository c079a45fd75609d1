package director

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// SeriesCommand is ghostlight series.
func SeriesCommand(app *cli.App) *cobra.Command {
	return cli.Group("series", "group episodes and their memories",
		seriesListCommand(app), seriesShowCommand(app), seriesNewCommand(app), seriesEditCommand(app), seriesDeleteCommand(app), seriesExportCommand(app), seriesImportCommand(app))
}

// seriesHelp says how commands want a series named.
const seriesHelp = "SERIES is a series' id, the start of one, or its title."

// withSeries is work on the series that the first argument names.
func withSeries(app *cli.App, w func(e *engine.Engine, s director.SeriesView) error) func(*cobra.Command, []string) error {
	return cli.With(app, cli.FindSeries, func(_ context.Context, e *engine.Engine, v director.SeriesView, _ []string) error { return w(e, v) })
}

// seriesRow is a series as a line of a list.
func seriesRow(s director.SeriesView) []string {
	return []string{string(s.ID), cli.Clip(s.Title, cli.ColumnWidth), cli.Clip(s.Genre, cli.ColumnWidth), cli.Clip(strings.Join(s.Names(), ", "), cli.ColumnWidth),
		cli.Plural(len(s.Episodes), "episode", "episodes"), cli.Plural(s.Chats, "chat", "chats"), cli.Plural(s.Memories, "memory", "memories")}
}

// printSeries prints one series as it is now.
func printSeries(app *cli.App, e *engine.Engine, id storage.SeriesID, warnings []string) error {
	s, err := e.Director.FindSeries(string(id))
	if err != nil {
		return err
	}
	app.Notes(warnings)
	return app.Print(newSeriesDoc(s, warnings), func(p *cli.Page) { p.Table([][]string{seriesRow(s)}) })
}

func seriesListCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the series",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, _ []string) error {
			list, err := e.Director.Series()
			if err != nil {
				return err
			}
			return cli.PrintList(app, list, func(s director.SeriesView) seriesDoc { return newSeriesDoc(s, nil) }, seriesRow)
		})}
}

func seriesShowCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "show SERIES", Short: "print a series with its episodes",
		Long: "Print a series with its episodes. " + seriesHelp,
		RunE: withSeries(app, func(_ *engine.Engine, s director.SeriesView) error {
			return app.Print(seriesWholeDoc{newSeriesDoc(s, nil), newEpisodeDocs(s)}, func(p *cli.Page) {
				p.Table([][]string{seriesRow(s)})
				if s.Description != "" {
					p.Line("\n" + s.Description)
				}
				if len(s.Episodes) > 0 {
					p.Line("")
				}
				rows := [][]string{}
				for _, ep := range s.Episodes {
					rows = append(rows, episodeRow(ep))
				}
				p.Table(rows)
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
	c.Flags().StringArrayVar(&f.characters, "character", nil, "add the character `NAME`, the first is the main one; repeatable")
}

// apply writes what was said into a series. Characters take the place of those
// that were there; "" alone takes them all out.
func (f *seriesFlags) apply(app *cli.App, e *engine.Engine, c *cobra.Command, s *storage.Series) error {
	said := c.Flags().Changed
	if said("title") {
		s.Title = f.title
	}
	if strings.TrimSpace(s.Title) == "" {
		return cli.UsageError("a series needs a title")
	}
	if err := cli.CheckTitle(s.Title); err != nil {
		return err
	}
	if said("description") {
		text, err := app.ValueArg(f.description)
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
		who, err := cli.FindCharacter(e, ref)
		if err != nil {
			return err
		}
		if slices.Contains(s.Characters, who.ID) {
			return cli.UsageError("--character names " + cli.Quote(who.Card.Name) + " twice")
		}
		s.Characters = append(s.Characters, who.ID)
	}
	return nil
}

// save writes what the flags of c say into a series, stores it and prints it.
func (f *seriesFlags) save(app *cli.App, e *engine.Engine, c *cobra.Command, s storage.Series) error {
	if err := f.apply(app, e, c, &s); err != nil {
		return err
	}
	s, err := e.Director.SaveSeries(s)
	if err != nil {
		return err
	}
	return printSeries(app, e, s.ID, nil)
}

func seriesNewCommand(app *cli.App) *cobra.Command {
	var f seriesFlags
	c := &cobra.Command{Use: "new TITLE", Short: "create a series"}
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		return f.save(app, e, c, storage.Series{Title: args[0]})
	})
	f.add(c)
	return c
}

func seriesEditCommand(app *cli.App) *cobra.Command {
	var f seriesFlags
	c := &cobra.Command{Use: "edit SERIES", Short: "change a series",
		Long: "Change the fields of a series that the flags name. --character replaces all its characters. " + seriesHelp}
	c.RunE = withSeries(app, func(e *engine.Engine, v director.SeriesView) error {
		if !cli.AnyChanged(c.Flags(), "title", "description", "genre", "character") {
			return cli.UsageError("nothing to change; --title, --description, --genre and --character change something")
		}
		return f.save(app, e, c, v.Series)
	})
	c.Flags().StringVar(&f.title, "title", "", "call it `TITLE`")
	f.add(c)
	return c
}

func seriesDeleteCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "delete SERIES", Short: "delete a series with its episodes and memories, after a backup of everything",
		Long: "Delete a series with its episodes and memories, after a backup of everything. Delete its chats first, or remove them from it (episode set CHAT none). " + seriesHelp,
		RunE: withSeries(app, func(e *engine.Engine, s director.SeriesView) error {
			if err := e.Director.RemoveSeries(s.ID); err != nil {
				return err
			}
			return app.PrintDeleted(string(s.ID), s.Title)
		})}
}

func seriesExportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	c := &cobra.Command{Use: "export SERIES", Short: "write a series with its episodes as JSON",
		Long: "Write a series with its episodes to standard output, or to a file. Memories and chats are not included. " + seriesHelp,
		RunE: withSeries(app, func(e *engine.Engine, s director.SeriesView) error {
			var b bytes.Buffer
			if err := e.Director.ExportSeries(&b, s.ID); err != nil {
				return err
			}
			return app.WriteDocument(f, "json", b.Bytes())
		})}
	f.AddForDocument(c)
	return c
}

// seriesFile is the largest file of a series that is read.
const seriesFile = 16 << 20

func seriesImportCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "import FILE", Short: "import an exported series (- reads standard input)",
		Long: "Import a series exported with series export, as a new one. Characters are matched by name; missing ones are listed. A FILE of - is standard input.",
		RunE: app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
			var got director.SeriesView
			var warnings []string
			err := app.ReadInput(args[0], "series.json", seriesFile, func(path string) error {
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
			return printSeries(app, e, got.ID, warnings)
		})}
}

// episodeRow is an episode as a line of a list.
func episodeRow(ep storage.Episode) []string {
	budget := ""
	if ep.TurnBudget > 0 {
		budget = cli.Plural(ep.TurnBudget, "turn", "turns")
	}
	return []string{strconv.Itoa(ep.Number), string(ep.ID), cli.Clip(ep.Title, cli.ColumnWidth), cli.Clip(cmp.Or(ep.Question, ep.Situation), cli.ColumnWidth), budget, string(ep.Mode())}
}
