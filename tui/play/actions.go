package play

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	all := pane.Unless(r.actions(), pane.NeedsChat(r.host), keys.AuthorNote, keys.Cast, keys.PanePrompt,
		keys.PaneHabits, keys.PaneSamplers, keys.Voice, keys.Beats, keys.Acts, keys.Impersonate, keys.Rewrite,
		keys.WriteOn, keys.Continue, keys.Undo, keys.Redo, keys.Changes, keys.Search, keys.SearchNext)
	all = pane.Unless(all, pane.NeedsQuiet(r.host), keys.Speak, keys.Nudge, keys.Beats, keys.Acts, keys.Impersonate,
		keys.Rewrite, keys.WriteOn, keys.Continue)
	all = pane.Unless(all, pane.NeedsOthers(r.host), keys.Whisper)
	all = pane.Unless(all, pane.NeedsReply(r.host), keys.StopReply)
	return pane.Unless(all, pane.OfMessage(r.host, func(m chats.Message) string {
		if m.Thinking == "" {
			return "this message has no thinking: only reasoning models write it"
		}
		return ""
	}), keys.Thinking)
}

// actions returns all actions of a chat, without the conditions for them.
func (r *Part) actions() []keys.Action {
	action := func(group string) func(keys.Name, string, keys.Mode, func() tea.Cmd, ...string) keys.Action {
		return func(name keys.Name, words string, modes keys.Mode, do func() tea.Cmd, key ...string) keys.Action {
			return keys.Action{Name: name, Text: words, Group: group, Modes: modes, Keys: key, Do: do}
		}
	}
	general, play, writing, message := action(keys.GeneralGroup), action(keys.PlayGroup), action(keys.WritingGroup),
		action(keys.MessageGroup)
	selected := func(name keys.Name, words string, do func(chats.Message) tea.Cmd, key ...string) keys.Action {
		return keys.Action{Name: name, Text: words, Group: keys.MessageGroup, Modes: keys.Browse, Keys: key,
			Unavailable: pane.NeedsMessage(r.host), Do: pane.OfSelected(r.host, do)}
	}
	hidden := func(a keys.Action) keys.Action {
		a.Hidden = true
		return a
	}
	return []keys.Action{
		general(keys.AuthorNote, "author's note", keys.Any, r.openAuthorNote, "f9"),
		general(keys.Interrupt, "stop the reply, clear the message box, or quit", keys.Any, r.interrupt, "ctrl+c"),

		play(keys.Cast, "cast: characters, turn order, next speaker", keys.Any,
			func() tea.Cmd { return openCast(r) }, "alt+c"),
		play(keys.Speak, "make a character speak now", keys.Any, r.openSpeak, "alt+k"),
		hidden(play(keys.PageUp, "page up", keys.Any, r.pageUp, "pgup")),
		hidden(play(keys.PageDown, "page down", keys.Any, r.pageDown, "pgdown")),
		play(keys.PaneHabits, "habits: phrases the model repeats", keys.Any, func() tea.Cmd { return openHabits(r) }),
		play(keys.Voice, "banned phrases and other reply checks", keys.Any, func() tea.Cmd { return openVoice(r) }),
		play(keys.PaneSamplers, "sampler presets", keys.Any, func() tea.Cmd { return openSamplers(r) }),
		play(keys.PaneRegex, "regex scripts", keys.Any, func() tea.Cmd { return openScripts(r) }),
		play(keys.PanePrompt, "prompt pane: what is sent to the model", keys.Any,
			func() tea.Cmd { return openPrompt(r) }, "f4"),

		writing(keys.Send, "send", keys.Write, r.sendMessage, "enter"),
		hidden(writing(keys.Newline, "new line", keys.Write, r.newline, "shift+enter", "alt+enter", "ctrl+j")),
		writing(keys.ToBrowse, "browse messages", keys.Any, func() tea.Cmd { return back(r) }, "esc"),
		writing(keys.OlderSent, "previous sent message", keys.Write,
			func() tea.Cmd { return r.composer.recall(-1) }, "alt+up"),
		writing(keys.NewerSent, "next sent message", keys.Write, func() tea.Cmd { return r.composer.recall(1) },
			"alt+down"),
		writing(keys.EditDraft, "write in $EDITOR", keys.Write, r.editDraft, "alt+e"),
		writing(keys.Impersonate, "impersonate: let the model write your next message", keys.Write|keys.Browse,
			func() tea.Cmd { return r.composer.askLine() }, "alt+i"),
		writing(keys.Rewrite, "rewrite a message by instruction", keys.Write|keys.Browse,
			func() tea.Cmd { return rewriteIt(r, false) }, "w", "alt+j"),
		writing(keys.WriteOn, "continue writing", keys.Write|keys.Browse,
			func() tea.Cmd { return rewriteIt(r, true) }, "alt+z"),
		writing(keys.Whisper, "whisper: choose who hears your next message", keys.Any, r.openWhisper, "alt+w"),
		writing(keys.Nudge, "nudge: an instruction for one reply", keys.Any, r.openNudge, "alt+n"),
		writing(keys.Beats, "choose what happens in the next reply", keys.Write|keys.Browse,
			func() tea.Cmd { return openBeats(r) }, "p"),
		writing(keys.Acts, "quick acts: shorter, slower, more speech …", keys.Write|keys.Browse, r.openActs, "a"),
		writing(keys.Quick, "quick replies", keys.Any, r.openQuick, "alt+q"),

		message(keys.ToWrite, "write", keys.Browse, r.write, "i", "enter"),
		hidden(message(keys.SelectUp, "previous message", keys.Browse, r.moveUp, "k", "up")),
		hidden(message(keys.SelectDown, "next message", keys.Browse, r.moveDown, "j", "down")),
		hidden(message(keys.First, "first message", keys.Browse, r.toFirst, "g", "home")),
		hidden(message(keys.Last, "last message", keys.Browse, r.toLast, "G", "end")),
		selected(keys.SwipeLeft, "previous swipe", func(m chats.Message) tea.Cmd { return r.swipe(m, -1) },
			"left", "h"),
		selected(keys.SwipeRight, "next swipe, or a new one", func(m chats.Message) tea.Cmd { return r.swipe(m, 1) },
			"right", "l"),
		selected(keys.Edit, "edit", r.edit, "e"),
		selected(keys.Regenerate, "regenerate", r.regenerate, "r"),
		message(keys.Continue, "continue the last reply", keys.Write|keys.Browse, r.continueReply, "m", "alt+g"),
		selected(keys.Delete, "delete", r.remove, "d"),
		message(keys.Undo, "undo the last change", keys.Browse, r.undo, "u"),
		message(keys.Redo, "redo", keys.Browse, func() tea.Cmd { return redo(r) }, "U"),
		message(keys.Changes, "edit history", keys.Browse, func() tea.Cmd { return openChanges(r) }, "H"),
		selected(keys.Rejected, "show filtered text", func(m chats.Message) tea.Cmd { return openRejected(r, m) }),
		selected(keys.Branch, "branch from here", r.branch, "B"),
		selected(keys.Copy, "copy", r.copy, "y"),
		selected(keys.Thinking, "show or hide the thinking", r.foldThinking, "t"),
		message(keys.Search, "search", keys.Browse, r.openSearch, "/"),
		hidden(message(keys.SearchNext, "next search result", keys.Browse, r.searchNext, "f")),
		message(keys.StopReply, "stop the reply", keys.Browse, r.stop, "x"),
	}
}
