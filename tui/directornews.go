package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/director"
	"ghostlight/engine/event"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// picturesAsk is the question whether pictures may be made by themselves in the
// open chat, while it waits for an answer.
type picturesAsk struct {
	waits      bool
	answered   bool // and the answer is on its way to the store
	cost, left int
	hint       string // what the picture would show
	shown      bool   // it has opened by itself once
	notice     int    // that tells of it
	text       string // of the composer, and since when
	typed      time.Time
	ticking    bool
}

// idleTime is how long nobody must have written before a question opens by
// itself.
const idleTime = 1500 * time.Millisecond

// episodeEnded tells that the open chat's play is complete, and how the next
// episode is begun.
func (a *app) episodeEnded(ev director.EpisodeEnded) tea.Cmd {
	if ev.Chat != a.view.Chat.ID {
		return nil
	}
	words := "Episode complete (" + endedBy(ev.By) + ")"
	if ev.Next != nil {
		words += ". Next: " + episodeTitle(*ev.Next, 60)
		if k := a.keys.Key(keys.NextEpisode, keys.Write); k != "" {
			words += " — " + k + " begins it"
		}
	}
	return a.Say(event.Info, words)
}

// sparksWanted tells that a picture waits for an answer.
func (a *app) sparksWanted(ev director.SparksWanted) tea.Cmd {
	if ev.Chat != a.view.Chat.ID {
		return nil // that chat asks when it is opened
	}
	d := &a.director
	if d.chat != ev.Chat {
		return a.readDirector() // which finds the question
	}
	return a.wantsAnswer(ev.Cost, ev.Left)
}

// asksStill asks again what was asked when the chat was open last.
func (a *app) asksStill() tea.Cmd {
	d := &a.director
	v := &d.view
	if v.Chat.Play.Asked != storage.SparksAsked {
		d.ask.waits, d.ask.answered = false, false
		return nil
	}
	if d.ask.answered {
		return nil // this was read before
	}
	d.ask.hint = ""
	for _, b := range v.Beats {
		if b.Node == v.Chat.Play.Wanted && b.Seen != nil {
			d.ask.hint = visualWords(b.Seen)
		}
	}
	if d.ask.waits {
		return nil
	}
	cost := storage.DefaultSceneCost
	if v.Episode != nil {
		cost = v.Episode.Cost()
	}
	return a.wantsAnswer(cost, v.Left)
}

func (a *app) wantsAnswer(cost, left int) tea.Cmd {
	d := &a.director
	had := d.ask.waits
	d.ask.waits, d.ask.cost, d.ask.left, d.ask.typed = true, cost, left, time.Now()
	if had {
		return nil
	}
	words := fmt.Sprintf("may pictures be made by themselves here, for %s each?", look.Plural(cost, "spark"))
	if k := a.keys.Key(keys.AskPictures, a.mode); k != "" {
		words += look.Separator + k + " answers"
	}
	cmd := a.Say(event.Info, words)
	d.ask.notice = a.notice.id
	return cmd
}

// askWhenIdle opens the question that waits as soon as the user is not writing:
// what is being typed must not go to a dialog that pops up.
func (a *app) askWhenIdle() tea.Cmd {
	q := &a.director.ask
	if !q.waits || q.shown || a.director.chat != a.view.Chat.ID {
		return nil
	}
	if text := a.composer.in.Value(); text != q.text {
		q.text, q.typed = text, time.Now()
	}
	if !look.Blank(q.text) || a.mode != keys.Write || a.dialogs.Top() != nil || a.turn.running {
		return nil
	}
	if wait := idleTime - time.Now().Sub(q.typed); wait > 0 {
		if q.ticking {
			return nil
		}
		q.ticking = true
		return tea.Tick(wait, func(time.Time) tea.Msg {
			return desk.Answer(func() tea.Cmd { a.director.ask.ticking = false; return nil })
		})
	}
	if q.shown = true; a.notice.id == q.notice {
		a.notice.text = ""
	}
	c := a.picturesConfirm()
	c.Choices[0].Key, c.Choices[1].Key = "1", "2"
	a.dialogs.Open(&picturesDialog{Confirm: c, a: a, byItself: true})
	return func() tea.Msg { return desk.Answer(func() tea.Cmd { return nil }) } // so that it is painted
}

// askPictures asks whether pictures may be made by themselves, also where that
// was answered before.
func (a *app) askPictures() tea.Cmd {
	chat := a.view.Chat.ID
	if chat == "" {
		return a.Say(event.Info, "no chat is open")
	}
	return a.Do(func() func() tea.Cmd {
		v, err := a.eng.Director.View(chat)
		return func() tea.Cmd {
			d := &a.director
			switch {
			case err != nil:
				return a.Fail(err)
			case chat != a.view.Chat.ID:
				return nil
			case v.Episode == nil:
				return a.Say(event.Info, "this chat plays no episode, so it has pictures only by your key")
			case v.Mode == storage.ScenesOff:
				return a.Say(event.Info, "this episode has no pictures made by themselves; editing it changes that")
			}
			if d.chat != chat {
				*d = directing{chat: chat, reads: d.reads}
			}
			d.ask.left, d.ask.cost = v.Left, storage.DefaultSceneCost
			if v.Episode != nil {
				d.ask.cost = v.Episode.Cost()
			}
			d.ask.shown = true
			c := a.picturesConfirm()
			if now := answerWords(v.Chat.Play.Asked); now != "" {
				c.Text += " " + now
			}
			a.dialogs.Open(&picturesDialog{Confirm: c, a: a})
			return nil
		}
	})
}

func answerWords(s storage.SparkAnswer) string {
	switch s {
	case storage.SparksAllowed:
		return "You have allowed it."
	case storage.SparksRefused:
		return "You have refused it."
	}
	return ""
}

func (a *app) picturesConfirm() widget.Confirm {
	q, chat := a.director.ask, a.view.Chat.ID
	text := fmt.Sprintf("May pictures be made by themselves in this chat? Each costs %s; %d are left.", look.Plural(q.cost, "spark"), q.left)
	if q.hint != "" {
		text = "The director sees a picture here: " + strings.TrimRight(q.hint, ".… ") + ".\n\n" + text
	}
	return widget.Confirm{Title: "Pictures by themselves", Text: text, Choices: []widget.Choice{
		{Key: "y", Words: "make them", Do: func() tea.Cmd { return a.answerPictures(chat, true) }},
		{Key: "n", Words: "only when you ask for one", Do: func() tea.Cmd { return a.answerPictures(chat, false) }}}}
}

func (a *app) answerPictures(chat storage.ChatID, yes bool) tea.Cmd {
	if d := &a.director; d.chat == chat {
		d.ask = picturesAsk{answered: true}
	}
	words := "no picture is made by itself in this chat"
	if yes {
		words = "pictures are made by themselves in this chat"
	}
	if k := a.keys.Key(keys.AskPictures, a.mode); k != "" {
		words += look.Separator + k + " changes that"
	}
	return a.Do(func() func() tea.Cmd {
		err := a.eng.Director.AllowScenes(chat, yes)
		return func() tea.Cmd {
			if err != nil {
				a.director.ask.answered = false
				return a.Fail(err)
			}
			return a.Say(event.Info, words)
		}
	})
}

// picturesDialog is the question about pictures. One that has opened by itself
// gives way to somebody who begins to write: it is answered by digits, with which
// few lines begin, and not by enter.
type picturesDialog struct {
	widget.Confirm
	a        *app
	byItself bool
}

func (p *picturesDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if p.byItself {
		switch m := msg.(type) {
		case tea.PasteMsg:
			return p.a.composer.key(m, p.a), true
		case tea.KeyPressMsg:
			k := m.Keystroke()
			if k == "enter" {
				return nil, false
			}
			if m.Text != "" && k != p.Choices[0].Key && k != p.Choices[1].Key {
				return p.a.composer.key(m, p.a), true
			}
		}
	}
	return p.Confirm.Handle(msg)
}
