package widget

import (
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"
)

// Update edits the text for a key or a paste, if it has the focus.
func (t *Text) Update(msg tea.Msg) tea.Cmd {
	if m, ok := msg.(tea.MouseMsg); ok {
		t.Mouse(m)
		return nil
	}
	if !t.focused {
		return nil
	}
	switch m := msg.(type) {
	case tea.PasteMsg:
		t.InsertString(m.Content)
	case tea.KeyPressMsg:
		return t.key(m)
	}
	return nil
}

// CopyMsg is a selected text to be copied to the clipboard.
type CopyMsg string

// key handles a key. Text of a key without another effect is typed.
func (t *Text) key(m tea.KeyPressMsg) tea.Cmd {
	stroke := m.Keystroke()
	if stroke == "ctrl+shift+c" {
		if s := t.Selected(); s != "" {
			return func() tea.Msg { return CopyMsg(s) }
		}
		return nil
	}
	if t.selects(stroke) || t.moves(stroke) || t.deletes(stroke) || t.changes(stroke) {
		return nil
	}
	if m.Text != "" {
		t.InsertString(m.Text)
	}
	return nil
}

// moves moves the cursor for a key. It reports whether the key is one that does.
func (t *Text) moves(stroke string) bool {
	to, goal := t.at, -1
	switch stroke {
	case "right", "ctrl+f":
		to = t.next(to)
	case "left", "ctrl+b":
		to = t.previous(to)
	case "alt+right", "ctrl+right", "alt+f":
		to = t.wordOn(to)
	case "alt+left", "ctrl+left", "alt+b":
		to = t.wordBack(to)
	case "home", "ctrl+a":
		to.byte = 0
	case "end", "ctrl+e":
		to.byte = len(t.lines[to.line].text)
	case "alt+<", "ctrl+home":
		to = textPlace{}
	case "alt+>", "ctrl+end":
		to = t.end()
	case "up", "ctrl+p":
		to, goal = t.down(-1), t.goal
	case "down", "ctrl+n":
		to, goal = t.down(1), t.goal
	case "pgup":
		to, goal = t.down(-t.h), t.goal
	case "pgdown":
		to, goal = t.down(t.h), t.goal
	default:
		return false
	}
	t.at, t.goal = to, goal
	t.Unselect()
	return true
}

// selects moves the end of the selection for a key. It reports whether the key is one that does.
func (t *Text) selects(stroke string) bool {
	switch stroke {
	case "ctrl+g":
		t.SelectAll()
		return true
	case "ctrl+space", "ctrl+@":
		t.SelectMore()
		return true
	}
	with := map[string]string{
		"shift+right": "right", "shift+left": "left", "shift+up": "up", "shift+down": "down",
		"ctrl+shift+right": "alt+right", "alt+shift+right": "alt+right", "alt+shift+f": "alt+right",
		"shift+home": "home", "shift+end": "end", "shift+pgup": "pgup", "shift+pgdown": "pgdown",
		"ctrl+shift+left": "alt+left", "alt+shift+left": "alt+left", "alt+shift+b": "alt+left",
	}[stroke]
	if with == "" {
		return false
	}
	anchor := t.at
	if t.selecting {
		anchor = t.anchor
	}
	t.moves(with)
	t.anchor, t.selecting = anchor, true
	return true
}

// deletes deletes text for a key. It reports whether the key is one that does.
func (t *Text) deletes(stroke string) bool {
	from, to := t.at, t.at
	line := t.lines[t.at.line].text
	switch stroke {
	case "backspace", "ctrl+h", "shift+backspace":
		from = t.previous(from)
	case "delete", "ctrl+d":
		to = t.next(to)
	case "alt+backspace", "ctrl+w", "ctrl+backspace":
		if from = t.wordBack(from); from.line < t.at.line {
			from = t.lineEdge(t.at.byte > 0)
		}
	case "alt+delete", "alt+d", "ctrl+delete":
		if to = t.wordOn(to); to.line > t.at.line && t.at.byte < len(line) {
			to = textPlace{t.at.line, len(line)}
		}
	case "ctrl+k":
		if to.byte = len(line); to == from {
			to = t.next(to)
		}
	case "ctrl+u":
		if from.byte = 0; to == from {
			from = t.previous(from)
		}
	default:
		return false
	}
	if a, b := t.selection(); a != b {
		from, to = a, b
	}
	t.replace(from, to, "")
	return true
}

// lineEdge returns the beginning of the cursor's line, or the end of the one above it.
func (t *Text) lineEdge(inside bool) textPlace {
	if inside {
		return textPlace{t.at.line, 0}
	}
	return t.previous(textPlace{t.at.line, 0})
}

// changes handles undo and redo, changes the next word, or swaps two characters, for a key. It
// reports whether the key is one that does.
func (t *Text) changes(stroke string) bool {
	var change func(string) string
	switch stroke {
	case "ctrl+z", "ctrl+_", "ctrl+/":
		t.Undo()
		return true
	case "ctrl+y", "ctrl+shift+z":
		t.Redo()
		return true
	case "alt+u":
		change = strings.ToUpper
	case "alt+l":
		change = strings.ToLower
	case "alt+c":
		change = capital
	case "ctrl+t":
		t.swap()
		return true
	default:
		return false
	}
	to := t.wordOn(t.at)
	t.replace(t.at, to, change(t.between(t.at, to)))
	return true
}

// capital returns a word with its first letter in upper case.
func capital(word string) string {
	done := false
	return strings.Map(func(r rune) rune {
		if done || unicode.IsSpace(r) {
			return r
		}
		done = true
		return unicode.ToTitle(r)
	}, word)
}

// swap exchanges the character at the cursor and the one before it; at the end of a line the last
// two.
func (t *Text) swap() {
	mid := t.at
	if mid.byte == len(t.lines[mid.line].text) && mid.byte > 0 {
		mid = t.previous(mid)
	}
	if mid.byte == 0 {
		return
	}
	from, to := t.previous(mid), t.next(mid)
	t.replace(from, to, t.between(mid, to)+t.between(from, mid))
}

// Arrow returns the direction of a key press that moves the cursor by one: left or right, up or
// down; 0, 0 for any other.
func Arrow(msg tea.Msg) (dx, dy int) {
	switch Keystroke(msg) {
	case "left":
		return -1, 0
	case "right":
		return 1, 0
	case "up":
		return 0, -1
	case "down":
		return 0, 1
	}
	return 0, 0
}
