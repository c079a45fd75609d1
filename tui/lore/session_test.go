package lore_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/lore"
)

// session is a user in front of the lorebooks.
type session struct{ *tuitest.Session }

func begin(t testing.TB, o tuitest.Options) *session {
	t.Helper()
	return &session{tuitest.Begin(t, o)}
}

// in runs f on the screen's own goroutine; what it returns is run as a command.
func (s *session) in(f func(v *tui.Screen, r *lore.Part) tea.Cmd) {
	s.T().Helper()
	s.In(func(v *tui.Screen) { v.Start(f(v, lore.Of(v.Parts()))) })
}

// look looks at the part on the screen's own goroutine.
func (s *session) look(f func(r *lore.Part)) {
	s.T().Helper()
	s.In(func(v *tui.Screen) { f(lore.Of(v.Parts())) })
}

// until waits for something in the room.
func (s *session) until(what string, ok func(r *lore.Part) bool) *session {
	s.T().Helper()
	s.Until(what, func() (is bool) { s.look(func(r *lore.Part) { is = ok(r) }); return is })
	return s
}

func (s *session) see(texts ...string) *session    { s.T().Helper(); s.See(texts...); return s }
func (s *session) notSee(texts ...string) *session { s.T().Helper(); s.NotSee(texts...); return s }
func (s *session) press(keys ...string) *session   { s.Press(keys...); return s }
func (s *session) typeText(text string) *session   { s.TypeText(text); return s }
func (s *session) still() *session                 { s.T().Helper(); s.Still(); return s }
func (s *session) silent() *session                { s.T().Helper(); s.Silent(); return s }
func (s *session) say(text string) *session        { s.T().Helper(); s.Say(text); return s }

func (s *session) golden(name string, sizes ...tuitest.Size) *session {
	s.T().Helper()
	s.Golden(name, sizes...)
	return s
}

func (s *session) goldenAfter(name string, keys []string, sizes ...tuitest.Size) *session {
	s.T().Helper()
	s.GoldenAfter(name, keys, sizes...)
	return s
}

func (s *session) goldenStyled(name string) *session {
	s.T().Helper()
	s.GoldenStyled(name)
	return s
}

// openView does one of the part's actions.
func (s *session) openView(act keys.Name) *session {
	s.T().Helper()
	s.Do(act)
	return s
}

// pressed returns the command of a key without running it.
func (s *session) pressed(key string) (cmd tea.Cmd) {
	s.T().Helper()
	s.In(func(v *tui.Screen) { cmd = v.Update(tuitest.KeyNamed(s.T(), key)) })
	return cmd
}

// scenes are those of the open chat.
func (s *session) scenes() []scenes.Scene {
	s.T().Helper()
	v, err := s.Engine.Scenes.List(s.Chat().Chat.ID)
	s.Must(err)
	return v.List
}

// selected is the depth and the text of the selected message.
func (s *session) selected() (depth int, text string) {
	s.In(func(v *tui.Screen) {
		if m, ok := v.Host().Play().Selected(); ok {
			depth, text = m.Depth, m.Content
		}
	})
	return depth, text
}
