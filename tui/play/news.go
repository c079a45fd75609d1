package play

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// prefixNews is what the user was told of prompts that begin differently, and
// what is being read ahead.
type prefixNews struct {
	told    map[prefixCause]bool
	warming storage.ChatID // "" while nothing is
}

// prefixCause is what made a prompt begin differently: the user is told once.
type prefixCause struct {
	chat                storage.ChatID
	layer, source, what string
}

// maxCauses bounds what is remembered of causes.
const maxCauses = 1000

// warming notes what is read ahead.
func (r *Part) warming(ev play.Warming) {
	switch {
	case !ev.Over:
		r.prefix.warming = ev.Chat
	case r.prefix.warming == ev.Chat:
		r.prefix.warming = ""
	}
}

// prefixBroken tells what makes the server read again, and its price.
func (r *Part) prefixBroken(ev play.PrefixBroken) tea.Cmd {
	if ev.Chat != r.host.Play().Chat().Chat.ID {
		return nil
	}
	var read tea.Cmd
	if _, ok := r.host.Panes().Current().(*promptPane); ok {
		read = r.host.Panes().Refresh()
	}
	cause := prefixCause{ev.Chat, ev.Break.Layer, ev.Break.Source, ev.Break.What}
	if r.prefix.told[cause] {
		return read
	}
	if r.prefix.told == nil || len(r.prefix.told) >= maxCauses {
		r.prefix.told = map[prefixCause]bool{}
	}
	r.prefix.told[cause] = true
	return tea.Batch(read, r.host.Say(event.Warning, breakWords(ev.Break)))
}

// Status implements pane.Status: it tells that the open chat's prompt is read ahead.
func (r *Part) Status(w int) []string {
	if r.prefix.warming == "" || r.prefix.warming != r.host.Play().Chat().Chat.ID || r.turn.running {
		return nil
	}
	if w < 50 {
		return nil
	}
	return []string{"warming cache"}
}
