package tui

import (
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// typedLetters holds letters that were pressed while browsing and may begin a word. A user who
// believes that the composer has the focus must not edit, delete or request anything by typing. So
// a letter that does something waits for a moment. If text follows within it, all of it goes to the
// composer; else the letter acts. A letter that only moves, or leads to the composer, acts
// immediately, because it loses nothing. So does a repeated letter, together with the one before: d
// d and l l l work as usual.
type typedLetters struct {
	list []letter
	nth  int
}

type letter struct {
	key   tea.KeyPressMsg
	acted bool
}

// wordPause is how long a letter waits. It is longer than the pauses within a typed word, and
// shorter than those after a key whose effect the user waits for.
const wordPause = 200 * time.Millisecond

// holdLetter handles a key that may belong to a word. If it does not, waiting letters act first.
func (a *app) holdLetter(m tea.KeyPressMsg) (cmd tea.Cmd, taken bool) {
	w := &a.letters
	if a.opts.Pause == 0 || a.mode != keys.Browse || a.dialogs.Top() != nil {
		w.list = nil
		return nil, false
	}
	text := m.Text != "" && m.Mod&^tea.ModShift == 0
	n := len(w.list)
	switch {
	case !text:
		return a.actLetters(), false
	case n > 0 && w.list[n-1].key.Text == m.Text:
		cmd = a.actLetters()
		w.list = []letter{{m, true}}
		return cmd, false
	case n > 0 && !w.list[n-1].acted:
		return a.composeLetters(m), true
	}
	if !unicode.IsLetter([]rune(m.Text)[0]) {
		return a.actLetters(), false
	}
	at := a.movesOnly(m)
	w.list = append(w.list, letter{m, at})
	w.nth++
	nth := w.nth
	return tea.Tick(a.opts.Pause, func(time.Time) tea.Msg {
		return pane.Callback(func() tea.Cmd {
			if nth != w.nth {
				return nil
			}
			return a.actLetters()
		})
	}), !at
}

// movesOnly reports whether a letter only moves, or leads to the composer.
func (a *app) movesOnly(m tea.KeyPressMsg) bool {
	act, ok := a.match(m)
	if !ok {
		return false
	}
	b := a.binding(act)
	return act == keys.ToWrite || b != nil && b.Hidden
}

// actLetters runs the actions of the waiting letters.
func (a *app) actLetters() tea.Cmd {
	list := a.letters.list
	a.letters.list = nil
	var cmds []tea.Cmd
	for _, l := range list {
		if !l.acted && a.mode == keys.Browse && a.dialogs.Top() == nil {
			cmds = append(cmds, a.route(l.key))
		}
	}
	return tea.Batch(cmds...)
}

// composeLetters moves the typed letters, and the focus, to the composer.
func (a *app) composeLetters(m tea.KeyPressMsg) tea.Cmd {
	list := append(a.letters.list, letter{key: m})
	a.letters.list = nil
	a.mode = keys.Write
	var cmds []tea.Cmd
	for _, l := range list {
		cmds = append(cmds, a.Play().Type(l.key))
	}
	words := "typing goes to your message"
	if k := a.keys.Key(keys.ToBrowse, keys.Write); k != "" {
		words += ", and " + k + " goes back to browsing"
	}
	return tea.Batch(append(cmds, a.Say(event.Info, words))...)
}
