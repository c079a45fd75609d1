package director

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// AllSeries are the series as commands refer to them.
var AllSeries = cli.Noun[director.SeriesView]{
	Find:   func(e *engine.Engine, ref string) (director.SeriesView, error) { return e.Director.FindSeries(ref) },
	List:   func(e *engine.Engine) ([]director.SeriesView, error) { return e.Director.Series() },
	Called: func(s director.SeriesView) (id, name string) { return string(s.ID), s.Title },
	Doc:    func(s director.SeriesView) any { return newSeriesDoc(s) },
	Brief:  func(s director.SeriesView) any { return s },
	Row:    seriesRow,
	Page:   writeSeries,
	Delete: func(e *engine.Engine, s director.SeriesView) error { return e.Director.RemoveSeries(s.ID) },
	Help:   "SERIES is a series' id, the start of one, or its title.",
}

// SeriesCommand returns the command ghostlight series.
func SeriesCommand(app *cli.App) *cobra.Command {
	remove := AllSeries.DeleteCommand(app, "delete SERIES",
		"delete a series with its episodes and memories, after a backup of everything")
	remove.Long = "Delete a series with its episodes and memories, after a backup of everything. " +
		"Delete its chats first, or remove them from it (episode set CHAT none). " + AllSeries.Help
	return cli.Group("series", "group episodes and their memories",
		AllSeries.ListCommand(app, "list the series"),
		AllSeries.ShowCommand(app, "show SERIES", "print a series with its episodes"),
		seriesNewCommand(app), seriesEditCommand(app), remove, seriesExportCommand(app), seriesImportCommand(app))
}

// seriesRow returns a series as a line of a list.
func seriesRow(s director.SeriesView) []string {
	names := cli.Clip(strings.Join(s.Names(), ", "), cli.ColumnWidth)
	return []string{string(s.ID), cli.Clip(s.Title, cli.ColumnWidth), cli.Clip(s.Genre, cli.ColumnWidth), names,
		cli.Plural(len(s.Episodes), "episode", "episodes"), cli.Plural(s.Chats, "chat", "chats"),
		cli.Plural(s.Memories, "memory", "memories")}
}

func writeSeries(p *cli.Page, s director.SeriesView) {
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
}

// castFlag are the characters of a series.
type castFlag struct{ names []string }

func (f *castFlag) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.names, "character", nil,
		"set the characters: `CHARACTER` once for each, the main one first; '' for none")
}

// apply sets the characters of a series if the flag was given.
func (f *castFlag) apply(e *engine.Engine, s *storage.Series) error {
	if f.names == nil {
		return nil
	}
	s.Characters = nil
	if slices.Equal(f.names, []string{""}) {
		return nil
	}
	for _, ref := range f.names {
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

// saveSeries stores a series and prints it without its episodes.
func saveSeries(app *cli.App, e *engine.Engine, s storage.Series) error {
	s, err := e.Director.SaveSeries(s)
	if err != nil {
		return err
	}
	v, err := e.Director.FindSeries(string(s.ID))
	if err != nil {
		return err
	}
	return app.Print(v, func(p *cli.Page) { p.Table([][]string{seriesRow(v)}) })
}

func seriesNewCommand(app *cli.App) *cobra.Command {
	var cast castFlag
	fields := cli.Fields[storage.Series]{Record: director.SeriesFields.Without("title"), Shown: seriesDoc{}}
	c := app.Command("new TITLE", "create a series", func(_ context.Context, e *engine.Engine, args []string) error {
		s := storage.Series{Title: args[0]}
		if err := fields.Apply(app, &s); err != nil {
			return err
		}
		if err := cast.apply(e, &s); err != nil {
			return err
		}
		return saveSeries(app, e, s)
	})
	fields.Add(c)
	cast.add(c)
	return c
}

func seriesEditCommand(app *cli.App) *cobra.Command {
	var cast castFlag
	fields := cli.Fields[storage.Series]{Record: &director.SeriesFields, Shown: seriesDoc{}}
	c := AllSeries.Act(app, "edit SERIES", "change a series",
		func(_ context.Context, e *engine.Engine, v director.SeriesView, _ []string) error {
			change := fields.Change
			if cast.names != nil {
				change = fields.Apply
			}
			if err := change(app, &v.Series); err != nil {
				return err
			}
			if err := cast.apply(e, &v.Series); err != nil {
				return err
			}
			return saveSeries(app, e, v.Series)
		})
	fields.Add(c)
	cast.add(c)
	return c
}

func seriesExportCommand(app *cli.App) *cobra.Command {
	var f cli.FileFlags
	c := AllSeries.Act(app, "export SERIES", "export a series with its episodes as JSON",
		func(_ context.Context, e *engine.Engine, s director.SeriesView, _ []string) error {
			var b bytes.Buffer
			if err := e.Director.ExportSeries(&b, s.ID); err != nil {
				return err
			}
			return app.WriteDocument(f, "json", b.Bytes())
		})
	c.Long = "Export a series with its episodes to standard output, or to a file. Memories and chats are not " +
		"included. " + AllSeries.Help
	f.AddForDocument(c)
	return c
}

// maxSeriesFile is the largest series file that is read, in bytes.
const maxSeriesFile = 16 << 20

func seriesImportCommand(app *cli.App) *cobra.Command {
	c := app.Command("import FILE", "import an exported series (- reads standard input)",
		func(_ context.Context, e *engine.Engine, args []string) error {
			var got director.SeriesView
			var warnings []string
			err := app.ReadInput(args[0], "series.json", maxSeriesFile, func(path string) error {
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
			app.Notes(warnings)
			doc := struct {
				director.SeriesView
				Warnings []string `json:"warnings"`
			}{got, warnings}
			return app.Print(doc, func(p *cli.Page) { p.Table([][]string{seriesRow(got)}) })
		})
	c.Long = "Import a series exported with series export, as a new one. Characters are matched by name; missing " +
		"ones are listed. A FILE of - is standard input."
	return c
}
