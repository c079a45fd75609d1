package director

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/file"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// seriesEndings are the extensions of series files.
var seriesEndings = []string{".json"}

// openSeriesExport asks for the path of an exported series.
func (r *Part) openSeriesExport(row seriesRow) tea.Cmd {
	s := row.series
	f := widget.Form{Title: "Export “" + draw.Truncate(s.Title, 40) + "”", Verb: "write",
		Notes: []string{
			"The series with its episodes, without chats and memories. Characters are listed by name only."},
		Fields: []*widget.Field{widget.LineField(r.host.Styles(), "File",
			filepath.Join(pane.StartDir(r.host), pane.FileName(draw.Truncate(s.Title, 60))+"-series.json"),
			"series.json")}}
	r.host.Open(pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		return func() (func() tea.Cmd, error) {
			return pane.WriteNew(r.host, path, func() (func() tea.Cmd, error) { return r.writeSeries(s, path) })
		}, nil
	}))
	return nil
}

// writeSeries writes a series to a file, away from the screen's goroutine.
func (r *Part) writeSeries(s director.SeriesView, path string) (func() tea.Cmd, error) {
	var out bytes.Buffer
	err := r.director().ExportSeries(&out, s.ID)
	if err == nil {
		err = file.Write(path, file.Options{Replace: true}, out.Bytes())
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd { return pane.Written(r.host, path, "") }, nil
}

// browseSeries opens the file dialog for a series.
func (r *Part) browseSeries() tea.Cmd {
	return pane.Browse(r.host, pane.FileChoice{Title: "Import a series", Endings: seriesEndings,
		Note: "A series file exported from Ghostlight.", Example: "~/harbour-series.json", Read: r.importSeries})
}

// importSeries reads a series from a file.
func (r *Part) importSeries(path string) (func() tea.Cmd, error) {
	data, err := pane.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, warnings, err := r.director().ImportSeries(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		words := "“" + draw.Truncate(s.Title, 40) + "” imported: " + draw.Plural(len(s.Episodes), "episode")
		if len(warnings) > 0 {
			r.host.Open(&widget.Reader{Title: "Series imported",
				Lines: widget.PlainLines(words + "\n\n" + strings.Join(warnings, "\n"))})
			return nil
		}
		return r.host.Say(event.Info, words)
	}, nil
}
