package tuitest

import (
	"strings"
	"testing"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Size makes the terminal w × h cells.
func (s *Session) Size(w, h int) { s.screen.Send(tea.WindowSizeMsg{Width: w, Height: h}) }

// Press presses keys, by the names that the key table uses.
func (s *Session) Press(keys ...string) *Session {
	s.t.Helper()
	for _, k := range keys {
		s.screen.Send(KeyNamed(s.t, k))
	}
	return s
}

// Do runs an action, as the palette does: some have no key.
func (s *Session) Do(act keys.Name) *Session {
	s.t.Helper()
	s.In(func(v *tui.Screen) { v.Start(v.Host().Run(act)) })
	return s
}

// Pressed presses a key and returns the command instead of running it: see tui.Screen's Start.
func (s *Session) Pressed(key string) (cmd tea.Cmd) {
	s.t.Helper()
	s.In(func(v *tui.Screen) { cmd = v.Update(KeyNamed(s.t, key)) })
	return cmd
}

// TypeText types text, a key per character.
func (s *Session) TypeText(text string) *Session {
	for _, r := range text {
		s.screen.Send(KeyOf(r))
	}
	return s
}

// PasteText pastes text like a terminal with bracketed paste.
func (s *Session) PasteText(text string) *Session {
	s.screen.Send(tea.PasteMsg{Content: text})
	return s
}

var namedKeys = map[string]rune{
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "backspace": tea.KeyBackspace,
	"space": tea.KeySpace,
	"up":    tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome,
	"end":  tea.KeyEnd,
	"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "delete": tea.KeyDelete,
	"f1": tea.KeyF1, "f2": tea.KeyF2, "f3": tea.KeyF3, "f4": tea.KeyF4, "f5": tea.KeyF5, "f6": tea.KeyF6,
	"f7": tea.KeyF7, "f8": tea.KeyF8, "f9": tea.KeyF9, "f10": tea.KeyF10, "f12": tea.KeyF12,
}

// KeyNamed returns the message of a key press, as the terminal's decoder makes it.
func KeyNamed(t testing.TB, name string) tea.KeyPressMsg {
	t.Helper()
	var mod tea.KeyMod
	base := name
	for prefix, m := range map[string]tea.KeyMod{"ctrl+": tea.ModCtrl, "alt+": tea.ModAlt, "shift+": tea.ModShift} {
		if strings.Contains(base, prefix) {
			mod |= m
			base = strings.Replace(base, prefix, "", 1)
		}
	}
	if code, ok := namedKeys[base]; ok {
		k := tea.Key{Code: code, Mod: mod}
		if base == "space" && mod == 0 {
			k.Text = " "
		}
		return tea.KeyPressMsg(k)
	}
	r := []rune(base)
	if len(r) != 1 {
		t.Fatalf("there is no key %q", name)
	}
	if mod == 0 {
		return KeyOf(r[0])
	}
	return tea.KeyPressMsg{Code: r[0], Mod: mod}
}

// KeyOf returns the key press that types a character.
func KeyOf(r rune) tea.KeyPressMsg {
	if r == '\n' {
		return tea.KeyPressMsg{Code: 'j', Mod: tea.ModCtrl}
	}
	k := tea.KeyPressMsg{Code: r, Text: string(r)}
	if unicode.IsUpper(r) {
		k.Code, k.ShiftedCode, k.Mod = unicode.ToLower(r), r, tea.ModShift
	}
	return k
}

// Asked returns a command of the screen instead of running it. The test runs it and passes its
// answer to Answered.
func (s *Session) Asked(ask func(*tui.Screen) tea.Cmd) (cmd tea.Cmd) {
	s.t.Helper()
	s.In(func(v *tui.Screen) { cmd = ask(v) })
	return cmd
}

// Answered passes a command's result to the screen.
func (s *Session) Answered(msg tea.Msg) *Session {
	s.t.Helper()
	s.In(func(v *tui.Screen) { v.Start(msg.(pane.Callback)()) })
	return s
}
