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
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// film is an animatic that is being written.
type film struct {
	name     string
	done, of int // shots
	cancel   context.CancelFunc
}

// isFilm tells whether a file is to be an animatic, by its extension.
func isFilm(path string) bool {
	return slices.Contains([]string{".webp", ".gif", ".mp4"}, strings.ToLower(filepath.Ext(path)))
}

// writeFilm writes the storyboard as an animatic, while the user goes on.
func (p *pane) writeFilm(path string, overwrite bool) tea.Cmd {
	if p.film != nil {
		return p.Desk.Say(event.Info, "a film is already being exported: "+p.film.name)
	}
	ctx, cancel := context.WithCancel(p.Desk.Context())
	p.film = &film{name: look.Within(filepath.Base(path), 40), of: len(p.view.Shots), cancel: cancel}
	chat, node, eng := p.Chat, p.node, p.Desk.Engine()
	return p.Desk.Do(func() func() tea.Cmd {
		a, err := eng.Boards.Animatic(ctx, chat, node, boards.AnimaticRequest{Path: path, Overwrite: overwrite})
		return func() tea.Cmd {
			cancel()
			p.film = nil
			switch {
			case errors.Is(err, fs.ErrExist):
				return desk.AskOverwrite(p.Desk, path, func() (func() tea.Cmd, error) {
					return func() tea.Cmd { return p.writeFilm(path, true) }, nil
				})
			case errors.Is(err, context.Canceled):
				return p.Desk.Say(event.Info, "cancelled; no film was exported")
			case err != nil:
				return p.Desk.Fail(err)
			}
			words := ""
			if len(a.Subtitles) > 0 {
				words = ", with subtitle files"
			}
			return desk.Written(p.Desk, a.Path, words)
		}
	})
}

// drawn takes over how far the film is.
func (p *pane) drawn(ev boards.AnimaticDrawn) {
	if p.film != nil && ev.Chat == p.Chat && ev.Node == p.node {
		p.film.done, p.film.of = ev.Done, ev.Of
	}
}

// filmWords says how far the film is.
func (p *pane) filmWords() string {
	return fmt.Sprintf("● exporting %s %d/%d", p.film.name, p.film.done, p.film.of)
}
