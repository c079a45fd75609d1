package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/house"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

// pictureAsked shows the preview of a picture that the user asked for in the
// talk, where no key that is meant for something else can fall into it: the user
// waits with an empty composer. Otherwise a notice says where it is.
func (a *app) pictureAsked(c storage.Capture) tea.Cmd {
	if !a.idle(c.Chat) {
		return a.saidAsked(c)
	}
	open := a.openCapture(c)
	return func() tea.Msg {
		msg := open()
		return desk.Answer(func() tea.Cmd {
			if !a.idle(c.Chat) { // the user began to type meanwhile
				return a.saidAsked(c)
			}
			if then, ok := msg.(desk.Answer); ok {
				return then()
			}
			return nil
		})
	}
}

// idle tells whether the user neither types nor is busy elsewhere than in a chat.
func (a *app) idle(chat storage.ChatID) bool { return a.view.Chat.ID == chat && a.Idle() }

// saidAsked says that a picture waits for a look, and has the gallery show it.
func (a *app) saidAsked(c storage.Capture) tea.Cmd {
	if c.Chat != a.view.Chat.ID {
		return a.Say(event.Info, "a picture was asked for in another chat; its gallery shows it")
	}
	if g, ok := paneOf[*gallery](a); ok {
		g.Wish, g.stale = string(c.ID), true
		return tea.Batch(g.read(a), a.Say(event.Info, "a picture was asked for: the gallery shows it"))
	}
	words := "a picture was asked for; the gallery shows it"
	if k := a.keys.Key(keys.PaneCaptures, a.mode); k != "" {
		words = "a picture was asked for: " + k + " shows it"
	}
	return a.Say(event.Info, words)
}

// frameEvery is the least time between two frames of a live preview: more cannot
// be told apart, and each has to be decoded.
const frameEvery = 80 * time.Millisecond

// previewing is what a running job knows of its live preview.
type previewing struct {
	next  *house.OperationProgress // the newest frame that was not shown
	busy  bool                     // one is being decoded, or it is too early
	last  time.Time
	shown int // frames so far
}

// showFrame shows a frame of a live preview: the first at once, later ones so
// often as they can be seen, and of those that come meanwhile the newest alone.
func (a *app) showFrame(j *job, ev house.OperationProgress) tea.Cmd {
	p := &j.frames
	if p.busy {
		p.next = &ev
		return nil
	}
	p.busy, p.next, p.last = true, nil, time.Now()
	decode := a.preview(ev)
	return func() tea.Msg {
		msg := decode()
		return desk.Answer(func() tea.Cmd {
			var cmd tea.Cmd
			if then, ok := msg.(desk.Answer); ok {
				p.shown++
				cmd = then()
			}
			return tea.Batch(cmd, a.nextFrame(j))
		})
	}
}

// nextFrame waits until another frame may be shown, and shows the newest.
func (a *app) nextFrame(j *job) tea.Cmd {
	p := &j.frames
	then := func() tea.Cmd {
		p.busy = false
		if p.next == nil || a.work.running[j.Op.ID] != j {
			return nil
		}
		return a.showFrame(j, *p.next)
	}
	wait := frameEvery - time.Now().Sub(p.last)
	if wait <= 0 {
		return then()
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return desk.Answer(then) })
}
