package tui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/engine/director"
	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/engine/memory"
	"ghostlight/engine/play"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// directing is what the screen holds of what the director knows of a chat, and
// what of it the user has not answered yet. One reading goes on at a time, and
// one more after it when something changed meanwhile.
type directing struct {
	chat   storage.ChatID
	view   director.View
	hooks  map[storage.HookID]string // what the replies took up says
	fault  error
	loaded bool
	reads  widget.Latest
	busy   bool
	again  bool
	ask    picturesAsk
}

// readDirector reads what the director knows of the open chat.
func (a *app) readDirector() tea.Cmd {
	chat, d := a.view.Chat.ID, &a.director
	if chat == "" {
		return nil
	}
	if d.chat != chat {
		*d = directing{chat: chat, reads: d.reads}
	}
	if d.busy {
		d.again = true
		return nil
	}
	newest := d.reads.Begin()
	d.busy, d.again = true, false
	return a.Do(func() func() tea.Cmd {
		v, err := a.eng.Director.View(chat)
		hooks := takenHooks(a.eng, v)
		return func() tea.Cmd {
			if !newest() {
				return nil // of another chat
			}
			d.busy = false
			var more tea.Cmd
			if d.again {
				more = a.readDirector()
			}
			d.loaded, d.fault = true, err
			if err != nil {
				return more
			}
			d.view, d.hooks = v, hooks
			return tea.Batch(more, a.asksStill())
		}
	})
}

// takenHooks are the contents of the hooks that the replies of a view took up.
// Without them the pane counts them.
func takenHooks(eng *engine.Engine, v director.View) map[storage.HookID]string {
	out := map[storage.HookID]string{}
	for _, b := range v.Beats {
		for _, id := range b.Taken {
			out[id] = ""
		}
	}
	if len(out) == 0 {
		return nil
	}
	list, err := eng.Memory.Hooks(memory.Ask{Chat: v.Chat.ID, All: true})
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

// directed is what the director knows of the open chat, nil while that was not
// read.
func (a *app) directed() *director.View {
	if d := &a.director; d.chat == a.view.Chat.ID && d.loaded && d.fault == nil && d.chat != "" {
		return &d.view
	}
	return nil
}

// plays tells whether the open chat plays an episode, as far as is known.
func (a *app) plays() bool {
	if a.view.Chat.Play.Episode != "" {
		return true
	}
	v := a.directed()
	return v != nil && v.Episode != nil
}

// directorEvent follows what happens to plays, series and episodes.
func (a *app) directorEvent(ev event.Event) tea.Cmd {
	chat := a.view.Chat.ID
	_, open := paneOf[*directorPane](a)
	switch ev := ev.(type) {
	case director.Changed:
		if ev.Chat == chat {
			return a.readDirector()
		}
	case play.ReplyEnded:
		if ev.Chat == chat && a.plays() && !open { // the pane reads by itself
			return a.readDirector()
		}
	case chats.ChatChanged:
		if ev.Chat == chat && a.plays() && !open {
			return a.readDirector()
		}
	case director.SeriesChanged:
		return a.seriesChanged(open)
	case director.EpisodeEnded:
		return a.episodeEnded(ev)
	case director.SparksWanted:
		return a.sparksWanted(ev)
	}
	return nil
}

func (a *app) seriesChanged(open bool) tea.Cmd {
	var cmds []tea.Cmd
	for _, d := range a.dialogs.All {
		if l, ok := d.(*seriesList); ok {
			cmds = append(cmds, l.read(nil))
		}
	}
	if open || a.plays() {
		cmds = append(cmds, a.readDirector())
	}
	return tea.Batch(cmds...)
}

// directorWanted reads what the status line tells of a play that was opened, and
// asks what waits for an answer when the user is not writing.
func (a *app) directorWanted() tea.Cmd {
	if a.view.Chat.ID != a.director.chat && a.view.Chat.Play.Episode != "" {
		return a.readDirector()
	}
	return a.askWhenIdle()
}

// directorPane shows the episode that the open chat plays and what the director
// made of its exchanges, the newest first.
type directorPane struct {
	widget.List
	keys *keys.Map
	chat storage.ChatID // whose beat is chosen
	head int            // lines above the beats
	node storage.NodeID // of the chosen beat
}

func newDirectorPane(a *app) *directorPane { return &directorPane{keys: a.keys} }

func (*directorPane) kind() paneKind { return paneDirector }
func (*directorPane) title() string  { return "Director" }

func (p *directorPane) foot() string {
	return p.hint(keys.PaneEnter, "go") + p.hint(keys.PanePause, "pause") + p.hint(keys.PaneConstant, "complete") +
		p.hint(keys.PaneRetry, "look again") + p.hint(keys.PaneSwitch, "episode") + p.hint(keys.PaneEdit, "edit") +
		p.hint(keys.NextEpisode, "next") + p.hint(keys.PaneWhy, "all") + p.hint(keys.AskPictures, "pictures") +
		p.hint(keys.PaneRefill, "sparks") + p.hint(keys.SeriesList, "series")
}

// hint is a key of the pane with its words, "" where the user has taken the key
// away.
func (p *directorPane) hint(act keys.Action, words string) string {
	k := p.keys.Key(act, keys.Pane)
	switch {
	case k == "":
		return ""
	case act == keys.PaneEnter:
		return k + " " + words
	}
	return look.Separator + k + " " + words
}

func (p *directorPane) read(a *app) tea.Cmd { return a.readDirector() }
func (p *directorPane) click(row int)       { p.List.Click(row - p.head); p.node = "" }
func (p *directorPane) Move(n int)          { p.List.Move(n); p.node = "" }

// stay keeps the chosen beat chosen when others have come.
func (p *directorPane) stay(v *director.View) {
	if p.chat != v.Chat.ID {
		p.chat, p.node, p.At, p.Top = v.Chat.ID, "", 0, 0
	}
	if p.node != "" {
		for i, b := range v.Beats {
			if b.Node == p.node && p.At != 0 { // who looks at the newest goes on to do so
				p.At = i
			}
		}
	}
	p.At = max(0, min(p.At, len(v.Beats)-1))
	if p.node = ""; len(v.Beats) > 0 {
		p.node = v.Beats[p.At].Node
	}
}

func (p *directorPane) draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	d := &a.director
	switch {
	case a.view.Chat.ID == "":
		look.PutWrapped(buf, area, a.lk.Dim, "No chat is open.")
		return
	case d.chat != a.view.Chat.ID || !d.loaded:
		return // it is being read
	case d.fault != nil:
		look.PutWrapped(buf, area, a.lk.Failure, failure.Words(d.fault))
		return
	}
	v := &d.view
	p.stay(v)
	p.head = p.card(buf, area, v, a)
	rows := uv.Rect(area.Min.X, area.Min.Y+p.head, area.Dx(), max(0, area.Dy()-p.head))
	if len(v.Beats) == 0 {
		look.PutWrapped(buf, uv.Rect(rows.Min.X+1, rows.Min.Y, rows.Dx()-2, rows.Dy()), a.lk.Dim, p.noBeats(v))
		return
	}
	step := 2
	switch {
	case rows.Dy() >= 24:
		step = 5
	case rows.Dy() >= 9:
		step = 4
	case rows.Dy() >= 6:
		step = 3
	}
	from, to := p.View(len(v.Beats), step, rows.Dy())
	for i := from; i < to; i++ {
		y := rows.Min.Y + (i-from)*step
		p.beat(buf, uv.Rect(rows.Min.X, y, rows.Dx(), min(step, rows.Max.Y-y)), i, a)
	}
}

// noBeats says why nothing was seen yet.
func (p *directorPane) noBeats(v *director.View) string {
	switch {
	case v.Off:
		return "The settings switch the director off: nobody looks at the exchanges."
	case v.Working:
		return "The director is looking at the last exchange."
	case v.State == director.PlayPaused:
		return "The play is paused: the director looks at nothing meanwhile."
	}
	words := "Nothing was looked at yet: the director looks at each exchange when the reply is there."
	if k := p.keys.Key(keys.PaneRetry, keys.Pane); k != "" {
		words += " " + k + " has the last one looked at now."
	}
	return words
}
