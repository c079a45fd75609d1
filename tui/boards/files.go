package boards

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// openExport asks where to write the storyboard.
func (p *boardPane) openExport() tea.Cmd {
	name := pane.FileName(p.Host.Play().Chat().Chat.Title+"-"+pane.SceneTitle(p.view.Scene)) + "-storyboard.html"
	f := widget.Form{Title: "Export the storyboard", Verb: "write",
		Notes: []string{"The file extension sets the format: .png is a contact sheet, .html a page with the " +
			"sketches, .md a text to read, .json can be imported again, .gif and .mp4 (with ffmpeg) are films with " +
			"subtitles."},
		Fields: []*widget.Field{widget.LineField(p.Host.Styles(), "File", filepath.Join(pane.StartDir(p.Host), name),
			"storyboard.html")}}
	chat, node := p.Chat, p.node
	write := func(path string, overwrite bool) (func() tea.Cmd, error) {
		to, err := p.Host.Engine().Boards.Export(chat, node, path, overwrite)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { return pane.Written(p.Host, to, "") }, nil
	}
	k := pane.NewSavingForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		path := pane.ExpandHome(strings.TrimSpace(f.Fields[0].Value()))
		if path == "" {
			return nil, errors.New("enter a file path")
		}
		return func() (func() tea.Cmd, error) {
			if isFilm(path) {
				return func() tea.Cmd { return p.writeFilm(path, false) }, nil
			}
			then, err := write(path, false)
			if errors.Is(err, fs.ErrExist) {
				return func() tea.Cmd {
					return pane.AskOverwrite(p.Host, path, func() (func() tea.Cmd, error) { return write(path, true) })
				}, nil
			}
			return then, err
		}, nil
	})
	k.BusyWords = "writing …"
	p.Host.Open(k)
	return nil
}

// importBoard opens the file dialog for a storyboard.
func (p *boardPane) importBoard() tea.Cmd {
	chat, node := p.Chat, p.node
	return pane.Browse(p.Host, pane.FileChoice{Title: "Import a storyboard", Endings: []string{".json"},
		Note:    "A storyboard exported as JSON. It replaces the current one; undo restores it.",
		Example: "~/scene-2-storyboard.json", Read: func(path string) (func() tea.Cmd, error) {
			return p.importFile(chat, node, path)
		}})
}

// importFile reads a storyboard from a file.
func (p *boardPane) importFile(chat storage.ChatID, node storage.NodeID, path string) (func() tea.Cmd, error) {
	data, err := pane.ReadFile(path)
	if err != nil {
		return nil, err
	}
	v, err := p.Host.Engine().Boards.Import(chat, node, data)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		return tea.Batch(p.stored(v, nil)(), p.Host.Say(event.Info,
			draw.Plural(len(v.Shots), "shot")+" imported"+p.keyHint(keys.PaneUndo, "restores the previous one")))
	}, nil
}
