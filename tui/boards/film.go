package boards

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// filmExport is an animatic that is being written.
type filmExport struct {
	name     string
	done, of int // shots
	cancel   context.CancelFunc
}

// isFilm reports whether a path is an animatic, by its extension.
func isFilm(path string) bool {
	return slices.Contains([]string{".gif", ".mp4"}, strings.ToLower(filepath.Ext(path)))
}

// writeFilm writes the storyboard as an animatic in the background.
func (p *boardPane) writeFilm(path string, overwrite bool) tea.Cmd {
	if p.film != nil {
		return p.Host.Say(event.Info, "a film is already being exported: "+p.film.name)
	}
	ctx, cancel := context.WithCancel(p.Host.Context())
	p.film = &filmExport{name: draw.Truncate(filepath.Base(path), 40), of: len(p.view.Shots), cancel: cancel}
	chat, node, eng := p.Chat, p.node, p.Host.Engine()
	return p.Host.Do(func() func() tea.Cmd {
		a, err := eng.Boards.Animatic(ctx, chat, node, boards.AnimaticRequest{Path: path, Overwrite: overwrite})
		return func() tea.Cmd {
			cancel()
			p.film = nil
			switch {
			case errors.Is(err, fs.ErrExist):
				return pane.AskOverwrite(p.Host, path, func() (func() tea.Cmd, error) {
					return func() tea.Cmd { return p.writeFilm(path, true) }, nil
				})
			case errors.Is(err, context.Canceled):
				return p.Host.Say(event.Info, "cancelled; no film was exported")
			case err != nil:
				return p.Host.Fail(err)
			}
			words := ""
			if len(a.Subtitles) > 0 {
				words = ", with subtitle files"
			}
			return pane.Written(p.Host, a.Path, words)
		}
	})
}

// filmProgress updates the progress of the film.
func (p *boardPane) filmProgress(ev boards.AnimaticProgress) {
	if p.film != nil && ev.Chat == p.Chat && ev.Node == p.node {
		p.film.done, p.film.of = ev.Done, ev.Of
	}
}

// filmText returns the progress of the film.
func (p *boardPane) filmText() string {
	return fmt.Sprintf("● exporting %s %d/%d", p.film.name, p.film.done, p.film.of)
}
