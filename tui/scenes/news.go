package scenes

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// breakNews is the state of notices about detected scene breaks: breaks in a row share a notice,
// and those of a search are in the notice about it.
type breakNews struct {
	looking bool // a search is under way, and the user has no notice about it yet
	looked  int  // the notice about it
	found   int  // number of breaks in the notice
	notice  int
}

// breakDetected shows a notice about one or more detected scene breaks.
func (r *Part) breakDetected(ev scenes.BreakDetected) tea.Cmd {
	notice, shown := r.host.Notices().Last()
	if ev.Chat != r.host.Play().Chat().Chat.ID || r.news.looking || shown && notice == r.news.looked {
		return nil
	}
	if !shown || notice != r.news.notice {
		r.news.found = 0
	}
	r.news.found++
	words := "scene break"
	if why := draw.Truncate(ev.Rationale, 160); why != "" {
		words += ": " + strings.TrimRight(why, ". ")
	}
	if r.news.found > 1 {
		words = draw.Plural(r.news.found, "scene break") + " found"
	}
	cmd := r.host.Say(event.Info, words+r.undoWords(r.news.found))
	r.news.notice, _ = r.host.Notices().Last()
	return cmd
}

// undoWords returns the words about how to undo n detected breaks.
func (r *Part) undoWords(n int) string {
	undo := pane.PathTo(r.host, keys.UndoDetect)
	if undo == "" || n == 0 {
		return ""
	}
	return draw.Separator + undo + ": undo"
}
