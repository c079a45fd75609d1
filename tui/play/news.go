package play

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// prefixNews records the notices about changed prompt prefixes, and the chat whose prompt is being
// cached.
type prefixNews struct {
	told    map[prefixCause]bool
	warming storage.ChatID // "" while nothing is
}

// prefixCause is the cause of a changed prompt prefix. The user is notified once for each.
type prefixCause struct {
	chat                storage.ChatID
	layer, source, what string
}

// maxCauses is the maximum number of remembered causes.
const maxCauses = 1000

// warming records the chat whose prompt is being cached.
func (r *Part) warming(ev play.Warming) {
	switch {
	case !ev.Over:
		r.prefix.warming = ev.Chat
	case r.prefix.warming == ev.Chat:
		r.prefix.warming = ""
	}
}

// showCacheMiss shows a notice about what makes the server process the prompt again, and the cost.
func (r *Part) showCacheMiss(ev play.CacheMissed) tea.Cmd {
	if ev.Chat != r.host.Play().Chat().Chat.ID {
		return nil
	}
	var read tea.Cmd
	if _, ok := r.host.Panes().Current().(*promptPane); ok {
		read = r.host.Panes().Refresh()
	}
	cause := prefixCause{ev.Chat, ev.Miss.Layer, ev.Miss.Source, ev.Miss.What}
	if r.prefix.told[cause] {
		return read
	}
	if r.prefix.told == nil || len(r.prefix.told) >= maxCauses {
		r.prefix.told = map[prefixCause]bool{}
	}
	r.prefix.told[cause] = true
	return tea.Batch(read, r.host.Say(event.Warning, cacheMissWords(ev.Miss)))
}

// Status implements pane.Status: it reports that the open chat's prompt is being cached.
func (r *Part) Status(w int) []string {
	if r.prefix.warming == "" || r.prefix.warming != r.host.Play().Chat().Chat.ID || r.turn.running {
		return nil
	}
	if w < 50 {
		return nil
	}
	return []string{"warming cache"}
}
