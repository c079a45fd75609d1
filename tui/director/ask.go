package director

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// picturesAsk is the pending question whether automatic pictures are allowed in the open chat.
type picturesAsk struct {
	waits      bool
	answered   bool // and the answer is being stored
	cost, left int
	hint       string // what the picture would show
	shown      bool   // it has opened by itself once
	notice     int    // id of the notice about it
	text       string // of the composer, and since when
	typed      time.Time
	ticking    bool
}

// idleTime is how long the user must not have typed before a question opens by itself.
const idleTime = 1500 * time.Millisecond

// episodeEnded shows a notice that the play is complete and how to begin the next episode.
func (r *Part) episodeEnded(ev director.EpisodeEnded) tea.Cmd {
	if ev.Chat != r.openChat() {
		return nil
	}
	words := "Episode complete (" + endedBy(ev.By) + ")"
	if ev.Next != nil {
		words += ". Next: " + episodeTitle(*ev.Next, 60)
		if k := r.host.Keys().Key(keys.NextEpisode, keys.Write); k != "" {
			words += " — " + k + " starts it"
		}
	}
	return r.host.Say(event.Info, words)
}

// sparksWanted shows a notice that a picture waits for an answer.
func (r *Part) sparksWanted(ev director.SparksWanted) tea.Cmd {
	if ev.Chat != r.openChat() {
		return nil // that chat asks when it is opened
	}
	d := &r.directorState
	if d.chat != ev.Chat {
		return r.read() // which will find the question
	}
	return r.wantsAnswer(ev.Cost, ev.Left)
}

// asksStill shows the question again that was open when the chat was last closed.
func (r *Part) asksStill() tea.Cmd {
	d := &r.directorState
	v := &d.view
	if v.Sparks.Answer != storage.SparksAsked {
		d.ask.waits, d.ask.answered = false, false
		return nil
	}
	if d.ask.answered {
		return nil // this was read before
	}
	d.ask.hint = ""
	for _, b := range v.Turns {
		if b.Node == v.Sparks.Waits && b.Evaluated {
			d.ask.hint = visualWords(&b.Evaluation)
		}
	}
	if d.ask.waits {
		return nil
	}
	cost := storage.DefaultSceneCost
	if v.Episode != nil {
		cost = v.Episode.Cost()
	}
	return r.wantsAnswer(cost, v.Sparks.Left)
}

func (r *Part) wantsAnswer(cost, left int) tea.Cmd {
	d := &r.directorState
	had := d.ask.waits
	d.ask.waits, d.ask.cost, d.ask.left, d.ask.typed = true, cost, left, time.Now()
	if had {
		return nil
	}
	words := fmt.Sprintf("allow automatic pictures here, for %s each?", draw.Plural(cost, "spark"))
	if k := r.host.Keys().Key(keys.AskPictures, r.host.Mode()); k != "" {
		words += draw.Separator + k + " answers"
	}
	cmd := r.host.Say(event.Info, words)
	d.ask.notice, _ = r.host.Notices().Last()
	return cmd
}

// askWhenIdle opens the waiting question when the user is not writing: typed text must not go to a
// dialog that opens by itself.
func (r *Part) askWhenIdle() tea.Cmd {
	q := &r.ask
	if !q.waits || q.shown || r.chat != r.openChat() {
		return nil
	}
	if text := r.host.Play().Draft(); text != q.text {
		q.text, q.typed = text, time.Now()
	}
	if !draw.Blank(q.text) || r.host.Mode() != keys.Write || len(r.host.Dialogs().All) > 0 || r.host.Play().Replying() {
		return nil
	}
	if wait := idleTime - time.Since(q.typed); wait > 0 {
		if q.ticking {
			return nil
		}
		q.ticking = true
		return tea.Tick(wait, func(time.Time) tea.Msg {
			return pane.Callback(func() tea.Cmd { r.ask.ticking = false; return nil })
		})
	}
	q.shown = true
	r.host.Notices().Dismiss(q.notice)
	c := r.picturesConfirm()
	c.Choices[0].Key, c.Choices[1].Key = "1", "2"
	r.host.Open(&picturesDialog{Confirm: c, part: r, byItself: true})
	r.host.Dialogs().MarkUnasked()
	return func() tea.Msg { return pane.Callback(func() tea.Cmd { return nil }) } // so that a frame is painted
}

// askPictures asks whether pictures may be made automatically, even if the user has already
// answered.
func (r *Part) askPictures() tea.Cmd {
	chat := r.openChat()
	if chat == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	return r.host.Do(func() func() tea.Cmd {
		v, err := r.director().View(chat)
		return func() tea.Cmd {
			d := &r.directorState
			switch {
			case err != nil:
				return r.host.Fail(err)
			case chat != r.openChat():
				return nil
			case v.Episode == nil:
				return r.host.Say(event.Info, "this chat has no episode, so there are no automatic pictures")
			case v.Mode == storage.ScenesOff:
				return r.host.Say(event.Info, "this episode has no automatic pictures; edit it to change that")
			}
			if d.chat != chat {
				*d = directorState{chat: chat, reads: d.reads}
			}
			d.ask.left, d.ask.cost = v.Sparks.Left, storage.DefaultSceneCost
			if v.Episode != nil {
				d.ask.cost = v.Episode.Cost()
			}
			d.ask.shown = true
			c := r.picturesConfirm()
			if now := answerWords(v.Sparks.Answer); now != "" {
				c.Text += " " + now
			}
			r.host.Open(&picturesDialog{Confirm: c, part: r})
			return nil
		}
	})
}

func answerWords(s storage.AutoPictureAnswer) string {
	switch s {
	case storage.SparksAllowed:
		return "Allowed by you."
	case storage.SparksRefused:
		return "Declined by you."
	}
	return ""
}

func (r *Part) picturesConfirm() widget.Confirm {
	q, chat := r.ask, r.openChat()
	text := fmt.Sprintf("Allow automatic pictures in this chat? Each costs %s; %d left.",
		draw.Plural(q.cost, "spark"), q.left)
	if q.hint != "" {
		text = "The director suggests a picture: " + strings.TrimRight(q.hint, ".… ") + ".\n\n" + text
	}
	return widget.Confirm{Title: "Automatic pictures", Text: text, Choices: []widget.Choice{
		{Key: "y", Words: "allow", Do: func() tea.Cmd { return r.answerPictures(chat, true) }},
		{Key: "n", Words: "only on request", Do: func() tea.Cmd { return r.answerPictures(chat, false) }}}}
}

func (r *Part) answerPictures(chat storage.ChatID, yes bool) tea.Cmd {
	if d := &r.directorState; d.chat == chat {
		d.ask = picturesAsk{answered: true}
	}
	words := "automatic pictures are off in this chat"
	if yes {
		words = "automatic pictures are on in this chat"
	}
	if k := r.host.Keys().Key(keys.AskPictures, r.host.Mode()); k != "" {
		words += draw.Separator + k + " changes that"
	}
	return r.host.Do(func() func() tea.Cmd {
		err := r.director().AllowScenes(chat, yes)
		return func() tea.Cmd {
			if err != nil {
				r.ask.answered = false
				return r.host.Fail(err)
			}
			return r.host.Say(event.Info, words)
		}
	})
}

// picturesDialog is the question about pictures. If it opened by itself, it does not get in the way
// of typing: text goes to the composer, except the two keys of its choices. These are digits,
// because few lines begin with one; the accept key does not answer.
type picturesDialog struct {
	widget.Confirm
	part     *Part
	byItself bool
}

// Actions implements widget.Dialog.
func (p *picturesDialog) Actions() []keys.Action {
	if p.byItself {
		return []keys.Action{p.Closing()}
	}
	return p.Confirm.Actions()
}

// Handle implements widget.Dialog.
func (p *picturesDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if p.byItself {
		switch m := msg.(type) {
		case tea.PasteMsg:
			return p.part.host.Play().Type(m), true
		case tea.KeyPressMsg:
			if k := m.Keystroke(); m.Text != "" && k != p.Choices[0].Key && k != p.Choices[1].Key {
				return p.part.host.Play().Type(m), true
			}
		}
	}
	return p.Confirm.Handle(msg)
}
