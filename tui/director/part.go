// Package director is the director part of the screen: the pane with a play's evaluated exchanges,
// the series with their episodes and forms, and the question whether automatic pictures are
// allowed.
package director

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Part is the part of the screen about plays.
type Part struct {
	host pane.Host
	directorState
}

// directorState is the director's view of a chat and the question that waits for the user. Only one
// read runs at a time; a change meanwhile starts another one.
type directorState struct {
	chat   storage.ChatID
	view   director.View
	hooks  map[storage.HookID]string // texts of the hooks that replies took up
	fault  error
	loaded bool
	reads  widget.Latest
	busy   bool
	again  bool
	ask    picturesAsk
}

// New returns the part for its host.
func New(d pane.Host) *Part { return &Part{host: d} }

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	of := func(name keys.Name, words string, do func() tea.Cmd, key ...string) keys.Action {
		return keys.Action{Name: name, Text: words, Group: keys.EpisodeGroup, Modes: keys.Any, Keys: key, Do: do}
	}
	all := []keys.Action{
		of(keys.PaneDirector, "director pane", r.toggle, "alt+d"),
		of(keys.SeriesList, "series and episodes", r.openSeries, "alt+p"),
		of(keys.PlayEpisode, "start an episode in a new chat", r.openPlayEpisode),
		of(keys.ChooseEpisode, "choose the episode of this chat", r.chooseEpisode),
		of(keys.NextEpisode, "start the next episode", r.nextEpisode, "alt+o"),
		of(keys.AskPictures, "automatic pictures on or off", r.askPictures, "alt+y"),
	}
	all = pane.Unless(all, pane.NeedsChat(r.host), keys.ChooseEpisode)
	return pane.Unless(all, pane.NeedsEpisode(r.host), keys.AskPictures)
}

func (r *Part) toggle() tea.Cmd {
	return r.host.Panes().Open(keys.PaneDirector, func() pane.Pane { return newPane(r) })
}

// openChat returns the open chat, "" for none.
func (r *Part) openChat() storage.ChatID { return r.host.Play().Chat().Chat.ID }

// director returns the use cases.
func (r *Part) director() *director.Service { return r.host.Engine().Director }

// read reads the director's view of the open chat.
func (r *Part) read() tea.Cmd {
	chat, d := r.openChat(), &r.directorState
	if chat == "" {
		return nil
	}
	if d.chat != chat {
		*d = directorState{chat: chat, reads: d.reads}
	}
	if d.busy {
		d.again = true
		return nil
	}
	newest := d.reads.Begin()
	d.busy, d.again = true, false
	return r.host.Do(func() func() tea.Cmd {
		v, err := r.director().View(chat)
		hooks := takenHooks(r.host.Engine(), v)
		return func() tea.Cmd {
			if !newest() {
				return nil // of another chat
			}
			d.busy = false
			var more tea.Cmd
			if d.again {
				more = r.read()
			}
			if d.loaded, d.fault = true, err; err == nil {
				d.view, d.hooks = v, hooks
				more = tea.Batch(more, r.asksStill())
			}
			r.show()
			return more
		}
	})
}

// show updates the pane, if it is open.
func (r *Part) show() {
	if p, ok := r.host.Panes().Current().(*directorPane); ok {
		p.setView()
	}
}

// takenHooks returns the texts of the hooks that a view's replies took up. Without them the pane
// only counts them.
func takenHooks(eng *engine.Engine, v director.View) map[storage.HookID]string {
	out := map[storage.HookID]string{}
	for _, b := range v.Turns {
		for _, id := range b.TakenUp {
			out[id] = ""
		}
	}
	if len(out) == 0 {
		return nil
	}
	list, err := eng.Memory.Hooks(memory.Query{Chat: v.Chat.ID, All: true})
	if err != nil {
		return nil
	}
	for _, h := range list.List {
		if _, ok := out[h.ID]; ok {
			out[h.ID] = h.Content
		}
	}
	return out
}

// known returns the director's view of the open chat, nil if it was not read yet.
func (r *Part) known() *director.View {
	if d := &r.directorState; d.chat == r.openChat() && d.loaded && d.fault == nil && d.chat != "" {
		return &d.view
	}
	return nil
}

// plays reports whether the open chat plays an episode, as far as it was read.
func (r *Part) plays() bool {
	if r.host.Play().Chat().Chat.Play.Episode != "" {
		return true
	}
	v := r.known()
	return v != nil && v.Episode != nil
}

// Event implements pane.Listener: it follows what happens to plays, series and episodes.
func (r *Part) Event(ev event.Event) tea.Cmd {
	chat := r.openChat()
	_, open := r.host.Panes().Current().(*directorPane)
	switch ev := ev.(type) {
	case director.Changed:
		if ev.Chat == chat {
			return r.read()
		}
	case play.ReplyEnded:
		if ev.Chat == chat && r.plays() && !open { // the pane reads itself
			return r.read()
		}
	case chats.ChatChanged:
		if ev.Chat == chat && r.plays() && !open {
			return r.read()
		}
	case director.SeriesChanged:
		return r.seriesChanged(open)
	case director.EpisodeEnded:
		return r.episodeEnded(ev)
	case director.SparksWanted:
		return r.sparksWanted(ev)
	}
	return nil
}

func (r *Part) seriesChanged(open bool) tea.Cmd {
	var cmds []tea.Cmd
	for _, d := range r.host.Dialogs().All {
		if l, ok := d.(*seriesList); ok {
			cmds = append(cmds, l.read(nil))
		}
	}
	if open || r.plays() {
		cmds = append(cmds, r.read())
	}
	return tea.Batch(cmds...)
}

// Painted reads the status of a newly opened play, and asks a waiting question when the user is not
// typing.
func (r *Part) Painted() tea.Cmd {
	if r.openChat() != r.chat && r.host.Play().Chat().Chat.Play.Episode != "" {
		return r.read()
	}
	return r.askWhenIdle()
}

// Status implements pane.Status: it shows the turn of the open chat's episode, if it plays one.
func (r *Part) Status(w int) []string {
	v := r.known()
	if v == nil || v.Episode == nil || w < 60 {
		return nil
	}
	words := fmt.Sprintf("ep %d · turn %d", v.Episode.Number, v.Turn)
	switch {
	case v.State == director.PlayPaused || v.State == director.PlayComplete:
		words = fmt.Sprintf("ep %d · %s", v.Episode.Number, v.State)
	case v.Episode.TurnBudget > 0:
		words += fmt.Sprintf("/%d", v.Episode.TurnBudget)
	}
	return []string{words}
}
