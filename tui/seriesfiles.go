package tui

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/director"
	"ghostlight/engine/event"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// seriesEndings are the endings of files that a series comes in.
var seriesEndings = []string{".json"}

// openSeriesExport asks where a series is to be written.
func (a *app) openSeriesExport(s director.SeriesView) {
	f := widget.Form{Title: "Export “" + look.Within(s.Title, 40) + "”", Foot: "enter write · esc close",
		Notes:  []string{"The series with its episodes, without what was played of it. Its characters go by name."},
		Fields: []*widget.Field{widget.LineField(a.lk, "File", filepath.Join(desk.StartDir(a), desk.FileName(look.Within(s.Title, 60))+"-series.json"), "series.json")}}
	a.dialogs.Open(desk.NewKeptForm(a, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := desk.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("the path of a file is needed")
		}
		return func() (func() tea.Cmd, error) {
			if info, err := os.Lstat(path); err == nil && info.IsDir() {
				return nil, errors.New("that is a folder")
			} else if err == nil {
				return func() tea.Cmd { a.askOverSeries(s, path); return nil }, nil
			}
			return a.writeSeries(s, path)
		}, nil
	}))
}

func (a *app) askOverSeries(s director.SeriesView, path string) {
	a.dialogs.Open(&widget.Confirm{Title: "The file exists", Text: path + " is there already. Overwrite it?", Choices: []widget.Choice{
		{Key: "n", Words: "leave it", Do: nil},
		{Key: "y", Words: "overwrite it", Do: func() tea.Cmd {
			return a.Do(func() func() tea.Cmd {
				then, err := a.writeSeries(s, path)
				if err != nil {
					return func() tea.Cmd { return desk.Explain(a, "Not written", err) }
				}
				return then
			})
		}}}})
}

// writeSeries writes a series to a file, away from the screen's goroutine.
func (a *app) writeSeries(s director.SeriesView, path string) (func() tea.Cmd, error) {
	var out bytes.Buffer
	err := a.eng.Director.ExportSeries(&out, s.ID)
	if err == nil {
		err = desk.WriteFile(path, out.Bytes())
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		a.SetFolder(filepath.Dir(path))
		return a.Say(event.Info, "written to "+path)
	}, nil
}

// browseSeries lets the user look for a file with a series.
func (a *app) browseSeries() tea.Cmd {
	return desk.Browse(a, desk.FileChoice{Title: "Import a series", Endings: seriesEndings, Note: "A file that was written by exporting a series.", Example: "~/harbour-series.json", Take: a.importSeries})
}

// importSeries reads a series from a file.
func (a *app) importSeries(path string) tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		data, err := desk.ReadFile(path)
		var s director.SeriesView
		var warnings []string
		if err == nil {
			s, warnings, err = a.eng.Director.ImportSeries(bytes.NewReader(data))
		}
		return func() tea.Cmd {
			if err != nil {
				return desk.Explain(a, "No series was imported", err)
			}
			words := "“" + look.Within(s.Title, 40) + "” imported: " + look.Plural(len(s.Episodes), "episode")
			if len(warnings) > 0 {
				a.dialogs.Open(&widget.Reader{Title: "Series imported", Lines: widget.PlainLines(words + "\n\n" + strings.Join(warnings, "\n"))})
				return nil
			}
			return a.Say(event.Info, words)
		}
	})
}
