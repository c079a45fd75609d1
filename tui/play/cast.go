package play

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// castState is the cast of the open chat, as last read.
type castState struct {
	chats.CastList
	chat  storage.ChatID // "" while it is not known
	reads widget.Latest
}

// readCast reads the cast of the open chat and the next speaker. For a chat with one character
// there is nothing to read, unless the dialog is open.
func (r *Part) readCast() tea.Cmd {
	if r.casting.chat != r.view.Chat.ID {
		r.casting = castState{reads: r.casting.reads}
	}
	if !pane.IsGroup(r.host) && r.castDialog() == nil {
		r.casting.reads.Begin() // a running reading is older
		r.takeCast(r.view.Chat.ID, chats.CastList{})
		return nil
	}
	return r.askCast(nil)
}

// askCast reads the cast, then calls then, even if the cast is being read again by then.
func (r *Part) askCast(then func() tea.Cmd) tea.Cmd {
	chat := r.view.Chat.ID
	if chat == "" {
		return nil
	}
	newest := r.casting.reads.Begin()
	return r.host.Do(func() func() tea.Cmd {
		list, err := r.host.Engine().Play.Cast(chat)
		return func() tea.Cmd {
			late := !newest()
			if chat != r.view.Chat.ID || late && then == nil {
				return nil
			}
			if err != nil {
				return r.host.Fail(err)
			}
			r.takeCast(chat, list)
			switch {
			case then == nil:
				return nil
			case late:
				return tea.Batch(then(), r.readCast()) // the newer reading may have been answered first
			}
			return then()
		}
	})
}

func (r *Part) takeCast(chat storage.ChatID, list chats.CastList) {
	r.casting.CastList, r.casting.chat = list, chat
	r.list.Cast(r.view.Chat, list)
	if d := r.castDialog(); d != nil && d.chat == chat {
		d.show(list)
	}
}

// present returns the present characters, in the order of the cast.
func (c *castState) present() []chats.CastView {
	return slices.DeleteFunc(slices.Clone(c.List), func(v chats.CastView) bool { return v.Away })
}

// name returns the name of a character of the cast, "" for one that is not in it.
func (c *castState) name(id storage.CharacterID) string {
	for _, v := range c.List {
		if v.Character == id {
			return draw.Truncate(v.Name, 40)
		}
	}
	return ""
}

// userPicksSpeaker reports whether the user chooses the next speaker.
func (r *Part) userPicksSpeaker() bool {
	return pane.IsGroup(r.host) && r.view.Chat.Play.Order == storage.OrderUser
}

// withResponder determines who answers a line and passes it to then. If the turn order leaves it to
// the user, it asks the user. With "" the engine chooses the speaker.
func (r *Part) withResponder(then func(storage.CharacterID) tea.Cmd) tea.Cmd {
	chat := r.view.Chat.ID
	if !r.userPicksSpeaker() {
		return then("")
	}
	if r.casting.chat != chat {
		return r.askCast(func() tea.Cmd { return r.withResponder(then) })
	}
	here := r.casting.present()
	if to := r.composer.whisper.to; len(to) > 0 {
		here = slices.DeleteFunc(here, func(v chats.CastView) bool { return !slices.Contains(to, v.Character) })
	}
	if len(here) < 2 {
		return then("")
	}
	r.host.Open(r.speakers("Who answers?", here, func(who storage.CharacterID) tea.Cmd {
		if cmd, ok := r.maySend(); !ok || chat != r.view.Chat.ID {
			return cmd
		}
		return then(who)
	}))
	return nil
}

// speakers returns a picker of characters; the next speaker comes first.
func (r *Part) speakers(title string, list []chats.CastView, pick func(storage.CharacterID) tea.Cmd) *widget.Picker {
	var entries []widget.Entry
	for _, v := range list {
		e := widget.Entry{Title: draw.Truncate(v.Name, 60), Value: v.Character}
		if v.Character == r.casting.Next {
			e.Detail = draw.Truncate(r.casting.Why, 80)
			entries = slices.Insert(entries, 0, e)
			continue
		}
		entries = append(entries, e)
	}
	return widget.NewPicker(r.host.Styles(), title, entries,
		func(e widget.Entry) tea.Cmd { return pick(e.Value.(storage.CharacterID)) })
}

// openSpeak makes a character speak now; if there are several, the user chooses one.
func (r *Part) openSpeak() tea.Cmd {
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	if !pane.IsGroup(r.host) {
		return r.speak(r.view.Chat.Character)
	}
	chat := r.view.Chat.ID
	return r.askCast(func() tea.Cmd {
		here := r.casting.present()
		if len(here) == 1 {
			return r.speak(here[0].Character)
		}
		p := r.speakers("Who speaks now?", here, func(who storage.CharacterID) tea.Cmd {
			if cmd, ok := r.maySend(); !ok || chat != r.view.Chat.ID {
				return cmd
			}
			return r.speak(who)
		})
		p.Empty = "Everyone is away: " + r.host.Keys().Key(keys.Cast, keys.Write) + " brings characters back."
		r.host.Open(p)
		return nil
	})
}

// answers returns the words after the user's name about who would answer, "" if that is obvious.
func (r *Part) answers() string {
	switch name := r.casting.name(r.casting.Next); {
	case !pane.IsGroup(r.host) || r.casting.chat != r.view.Chat.ID || r.turn.running:
		return ""
	case r.view.Chat.Play.Order == storage.OrderUser:
		return draw.Separator + "choose who answers"
	case name != "":
		return draw.Separator + draw.Clip(name, 20) + " answers"
	}
	return ""
}

// CastNames returns the names of the cast of the open chat, nil if it is not known.
func (r *Part) CastNames() []string {
	if r.casting.chat != r.view.Chat.ID {
		return nil
	}
	var out []string
	for _, v := range r.casting.List {
		out = append(out, v.Name)
	}
	return out
}
