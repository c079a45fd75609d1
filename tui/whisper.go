package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	playroom "ghostlight/tui/play"
	"ghostlight/tui/widget"
)

// whisper is who hears the user's next line; the zero value is everybody who is
// there.
type whisper struct {
	to    []storage.CharacterID
	names []string
}

func (w whisper) on() bool { return len(w.to) > 0 }

// openWhisper lets the user choose who hears the next line.
func (a *app) openWhisper() tea.Cmd {
	if a.view.Chat.ID == "" {
		return a.Run(keys.Characters)
	}
	if !a.several() {
		return a.Say(event.Info, "nobody else is there to hear what you say; "+a.keys.Key(keys.Cast, keys.Write)+" brings characters in")
	}
	return a.askCast(func() tea.Cmd { a.showWhisper(); return nil })
}

func (a *app) showWhisper() {
	chat, here := a.view.Chat.ID, a.casting.present()
	marked := map[storage.CharacterID]bool{}
	for _, id := range a.composer.whisper.to {
		marked[id] = true
	}
	entries := func() []widget.Entry {
		var out []widget.Entry
		for _, v := range here {
			mark := "  "
			if marked[v.Character] {
				mark = "✓ "
			}
			out = append(out, widget.Entry{Title: mark + look.Within(v.Name, 60), Value: v})
		}
		return out
	}
	var p *widget.Picker
	p = widget.NewPicker(a.lk, "Whisper to whom?", entries(), func(e widget.Entry) tea.Cmd {
		if chat != a.view.Chat.ID {
			return nil
		}
		if len(marked) == 0 {
			marked[e.Value.(chats.CastView).Character] = true
		}
		a.whisperTo(here, marked)
		return nil
	}, widget.Extra{Key: "space", Words: "mark", Keep: true, Do: func(e widget.Entry) tea.Cmd {
		if id := e.Value.(chats.CastView).Character; marked[id] {
			delete(marked, id)
		} else {
			marked[id] = true
		}
		p.Fill(entries())
		return nil
	}})
	p.Verb = func(widget.Entry) string { return "whisper" }
	p.Empty = "Everybody is away: " + a.keys.Key(keys.Cast, keys.Write) + " brings characters back."
	a.dialogs.Open(p)
}

// whisperTo makes the next line one that only those hear who are marked.
func (a *app) whisperTo(here []chats.CastView, marked map[storage.CharacterID]bool) {
	var w whisper
	for _, v := range here {
		if marked[v.Character] {
			w.to, w.names = append(w.to, v.Character), append(w.names, look.Within(v.Name, 40))
		}
	}
	a.composer.whisper, a.mode = w, keys.Write
}

// aloud ends a whisper that was not sent and tells whether there was one.
func (a *app) aloud() bool {
	on := a.mode == keys.Write && a.composer.whisper.on()
	if on {
		a.composer.whisper = whisper{}
	}
	return on
}

// sendText sends a line of the user's, to those alone whom it is whispered to.
// who is to answer it, "" as the turn order says.
func (a *app) sendText(text string, who storage.CharacterID) tea.Cmd {
	chat, quiet := a.view.Chat.ID, a.composer.whisper
	a.composer.whisper = whisper{}
	a.play.Bottom()
	a.turn = turn{running: true, since: time.Now()}
	send := a.composer.drafts.sending(chat, func() error {
		_, err := a.eng.Play.SendTo(chat, text, who, quiet.to)
		return err
	})
	a.unsent = send
	return tea.Batch(a.Tick(), a.Do(func() func() tea.Cmd {
		err := send()
		return func() tea.Cmd {
			a.unsent = nil
			if err == nil {
				return a.composer.save(a)
			}
			a.turn.running = false
			a.composer.restore(text)
			if a.view.Chat.ID == chat && !a.composer.whisper.on() {
				a.composer.whisper = quiet
			}
			return a.Fail(err)
		}
	}))
}

// askReply asks for a reply to the user's last word; where the turn order leaves
// it to the user who gives it, the user is asked.
func (a *app) askReply(it *playroom.Item) tea.Cmd {
	return a.answering(func(who storage.CharacterID) tea.Cmd {
		if who == "" {
			return a.regenerate(it)
		}
		return a.speak(who)
	})
}
