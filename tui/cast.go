package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/director"
	"ghostlight/engine/event"
	"ghostlight/engine/play"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// casting is who plays in the open chat, as it was read last.
type casting struct {
	chats.CastList
	chat  storage.ChatID // "" while it is not known
	reads widget.Latest
}

func (all actions) cast() {
	do := all.plain
	do[keys.Cast] = (*app).openCast
	do[keys.Speak] = (*app).openSpeak
	do[keys.Whisper] = (*app).openWhisper
	do[keys.Nudge] = (*app).openNudge
	do[keys.Quick] = (*app).openQuick
}

// several tells whether more than one character plays in the open chat.
func (a *app) several() bool {
	return slices.ContainsFunc(a.view.Chat.Play.Cast, func(m storage.CastMember) bool { return !m.Left })
}

// readCast reads who plays in the open chat and who would speak next. Of a chat
// with one character there is nothing to read, unless somebody looks at it.
func (a *app) readCast() tea.Cmd {
	if a.casting.chat != a.view.Chat.ID {
		a.casting = casting{reads: a.casting.reads}
	}
	if !a.several() && a.castDialog() == nil {
		a.casting.reads.Begin() // what is being read is older
		a.takeCast(a.view.Chat.ID, chats.CastList{})
		return nil
	}
	return a.askCast(nil)
}

// askCast reads the cast, then does what is asked, also where the cast is being
// read again by then.
func (a *app) askCast(then func() tea.Cmd) tea.Cmd {
	chat := a.view.Chat.ID
	if chat == "" {
		return nil
	}
	newest := a.casting.reads.Begin()
	return a.Do(func() func() tea.Cmd {
		list, err := a.eng.Play.Cast(chat)
		return func() tea.Cmd {
			late := !newest()
			if chat != a.view.Chat.ID || late && then == nil {
				return nil
			}
			if err != nil {
				return a.Fail(err)
			}
			a.takeCast(chat, list)
			switch {
			case then == nil:
				return nil
			case late:
				return tea.Batch(then(), a.readCast()) // the newer reading may have answered first
			}
			return then()
		}
	})
}

func (a *app) takeCast(chat storage.ChatID, list chats.CastList) {
	a.casting.CastList, a.casting.chat = list, chat
	a.play.Cast(a.view.Chat, list)
	if d := a.castDialog(); d != nil && d.chat == chat {
		d.take(list)
	}
}

// castEvent reads the cast again where something may have changed who speaks
// next; another cast comes with the chat itself.
func (a *app) castEvent(ev event.Event) tea.Cmd {
	var chat storage.ChatID
	switch ev := ev.(type) {
	case play.ReplyEnded:
		chat = ev.Chat
	case director.Changed:
		chat = ev.Chat
	}
	if chat == "" || chat != a.view.Chat.ID {
		return nil
	}
	return a.readCast()
}

// present are the characters who are there, in the order of the cast.
func (c *casting) present() []chats.CastView {
	return slices.DeleteFunc(slices.Clone(c.List), func(v chats.CastView) bool { return v.Away })
}

// name is what a character of the cast is called, "" for one that is not in it.
func (c *casting) name(id storage.CharacterID) string {
	for _, v := range c.List {
		if v.Character == id {
			return look.Within(v.Name, 40)
		}
	}
	return ""
}

// answering finds out who is to answer a line and goes on with that: where the
// turn order leaves it to the user, the user is asked. With "" the engine finds
// the speaker.
func (a *app) answering(then func(storage.CharacterID) tea.Cmd) tea.Cmd {
	chat := a.view.Chat.ID
	if !a.several() || a.view.Chat.Play.Order != storage.OrderUser {
		return then("")
	}
	if a.casting.chat != chat {
		return a.askCast(func() tea.Cmd { return a.answering(then) })
	}
	here := a.casting.present()
	if to := a.composer.whisper.to; len(to) > 0 {
		here = slices.DeleteFunc(here, func(v chats.CastView) bool { return !slices.Contains(to, v.Character) })
	}
	if len(here) < 2 {
		return then("")
	}
	a.dialogs.Open(a.speakers("Who answers?", here, func(who storage.CharacterID) tea.Cmd {
		if cmd, ok := a.maySend(); !ok || chat != a.view.Chat.ID {
			return cmd
		}
		return then(who)
	}))
	return nil
}

// speakers is a picker of characters; the one who would speak next comes first.
func (a *app) speakers(title string, list []chats.CastView, pick func(storage.CharacterID) tea.Cmd) *widget.Picker {
	var entries []widget.Entry
	for _, v := range list {
		e := widget.Entry{Title: look.Within(v.Name, 60), Value: v.Character}
		if v.Character == a.casting.Next {
			e.Detail = look.Within(a.casting.Why, 80)
			entries = slices.Insert(entries, 0, e)
			continue
		}
		entries = append(entries, e)
	}
	return widget.NewPicker(a.lk, title, entries, func(e widget.Entry) tea.Cmd { return pick(e.Value.(storage.CharacterID)) })
}

// openSpeak has a character speak now; of several the user chooses one.
func (a *app) openSpeak() tea.Cmd {
	if cmd, ok := a.maySend(); !ok {
		return cmd
	}
	if !a.several() {
		return a.speak(a.view.Chat.Character)
	}
	chat := a.view.Chat.ID
	return a.askCast(func() tea.Cmd {
		here := a.casting.present()
		if len(here) == 1 {
			return a.speak(here[0].Character)
		}
		p := a.speakers("Who speaks now?", here, func(who storage.CharacterID) tea.Cmd {
			if cmd, ok := a.maySend(); !ok || chat != a.view.Chat.ID {
				return cmd
			}
			return a.speak(who)
		})
		p.Empty = "Everybody is away: " + a.keys.Key(keys.Cast, keys.Write) + " brings characters back."
		a.dialogs.Open(p)
		return nil
	})
}

func (a *app) speak(who storage.CharacterID) tea.Cmd {
	chat := a.view.Chat.ID
	a.play.Bottom()
	return desk.Try(a, func() error { return a.eng.Play.Speak(chat, who) })
}

// answers says beside the user's name who would answer, "" where that is plain.
func (a *app) answers() string {
	switch name := a.casting.name(a.casting.Next); {
	case !a.several() || a.casting.chat != a.view.Chat.ID || a.turn.running:
		return ""
	case a.view.Chat.Play.Order == storage.OrderUser:
		return look.Separator + "you choose who answers"
	case name != "":
		return look.Separator + look.Clip(name, 20) + " answers"
	}
	return ""
}
