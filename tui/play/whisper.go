package play

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// whisper names the characters who hear the user's next line. The zero value means everybody
// present.
type whisper struct {
	to    []storage.CharacterID
	names []string
}

func (w whisper) on() bool { return len(w.to) > 0 }

// openWhisper lets the user choose who hears the next line.
func (r *Part) openWhisper() tea.Cmd {
	if r.view.Chat.ID == "" {
		return r.host.Run(keys.Characters)
	}
	if !pane.IsGroup(r.host) {
		return r.host.Say(event.Info, "there are no other characters in this chat; "+
			r.host.Keys().Key(keys.Cast, keys.Write)+" adds characters")
	}
	return r.askCast(func() tea.Cmd { r.showWhisper(); return nil })
}

func (r *Part) showWhisper() {
	chat, here := r.view.Chat.ID, r.casting.present()
	marked := map[storage.CharacterID]bool{}
	for _, id := range r.composer.whisper.to {
		marked[id] = true
	}
	entries := func() []widget.Entry {
		var out []widget.Entry
		for _, v := range here {
			mark := "  "
			if marked[v.Character] {
				mark = "✓ "
			}
			out = append(out, widget.Entry{Title: mark + draw.Truncate(v.Name, 60), Value: v})
		}
		return out
	}
	var p *widget.Picker
	p = widget.NewPicker(r.host.Styles(), "Whisper to whom?", entries(), func(e widget.Entry) tea.Cmd {
		if chat != r.view.Chat.ID {
			return nil
		}
		if len(marked) == 0 {
			marked[e.Value.(chats.CastView).Character] = true
		}
		r.whisperTo(here, marked)
		return nil
	}, widget.Extra{Name: keys.DialogMark, Description: "select", Keep: true, Do: func(e widget.Entry) tea.Cmd {
		if id := e.Value.(chats.CastView).Character; marked[id] {
			delete(marked, id)
		} else {
			marked[id] = true
		}
		p.Fill(entries())
		return nil
	}})
	p.Verb = func(widget.Entry) string { return "whisper" }
	p.Empty = "Everyone is away: " + r.host.Keys().Key(keys.Cast, keys.Write) + " brings characters back."
	r.host.Open(p)
}

// whisperTo makes the next line a whisper to the marked characters.
func (r *Part) whisperTo(here []chats.CastView, marked map[storage.CharacterID]bool) {
	var w whisper
	for _, v := range here {
		if marked[v.Character] {
			w.to, w.names = append(w.to, v.Character), append(w.names, draw.Truncate(v.Name, 40))
		}
	}
	r.composer.whisper = w
	r.screen.SetMode(keys.Write)
}

// aloud ends a whisper that was not sent and reports whether there was one.
func (r *Part) aloud() bool {
	on := r.host.Mode() == keys.Write && r.composer.whisper.on()
	if on {
		r.composer.whisper = whisper{}
	}
	return on
}
