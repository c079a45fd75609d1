package play_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	engineplay "github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/play"
)

// What is read of a chat neither takes the place of what was read later, nor brings
// back a chat that the user has left meanwhile.
func TestChat_LateReadings(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›")
	here := s.Chat().Chat.ID
	tove, err := s.Engine.Library.FindCharacter(bundled.Character().Card.Name)
	s.Must(err)
	other, err := s.Engine.Chats.New(tove.ID, "")
	s.Must(err)

	old := s.Asked(func(v *tui.Screen) tea.Cmd { return v.Host().Play().Reload() })()
	to := s.Asked(func(v *tui.Screen) tea.Cmd { return play.RoomOf(v.Parts()).ReadChat(other.ID) })()
	s.Answered(to).Answered(old)
	s.inChat(other.ID)

	back := s.Asked(func(v *tui.Screen) tea.Cmd { return play.RoomOf(v.Parts()).ReadChat(here) })()
	// Something happens in the chat that is being left.
	again := s.Asked(func(v *tui.Screen) tea.Cmd { return v.Host().Play().Reload() })()
	s.Answered(again).Answered(back)
	s.inChat(here)

	s.Must(s.Engine.Play.DeleteChat(other.ID))
	s.Still()
	gone := s.Asked(func(v *tui.Screen) tea.Cmd { return play.RoomOf(v.Parts()).ReadChat(other.ID) })()
	s.Answered(gone)
	s.inChat(here)
}

// Of two answers only the one counts that belongs to what is on the screen.
func TestScenes_StaleAnswers(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.See("blue boat", "2 · unnamed")
	s.In(func(v *tui.Screen) {
		r := play.RoomOf(v.Parts())
		had := r.Scenes()
		late := r.ReadScenes()
		if again := r.ReadScenes(); again != nil || !r.ReadingAgain() {
			t.Error("two readings of one chat at a time")
		}
		msg := late()
		r.SetChat("another")
		r.ReadScenes()
		if cmd := msg.(pane.Callback)(); cmd != nil {
			t.Error("an answer about another chat does something")
		}
		r.SetScenes(scenes.Scenes{Chat: had.Chat, CoversDepth: 5})
		if r.Scenes().CoversDepth != had.CoversDepth {
			t.Error("the scenes of another chat were taken")
		}
		r.SetChat(had.Chat)
	})
}

func TestStatus_TellsWhatIsForgotten(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 130, H: 30, Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.See("blue boat", "2 · unnamed")
	s.Until("the prompt", func() bool {
		known := false
		s.In(func(v *tui.Screen) { known = play.RoomOf(v.Parts()).Foreseen() })
		return known
	})
	for n, want := range map[int]string{12: "12 messages not in a recap", 1: "1 message not in a recap"} {
		s.In(func(v *tui.Screen) { play.RoomOf(v.Parts()).Forget(n) })
		s.See(want)
	}
	s.Size(80, 24)
	s.NotSee("not in a recap")
}

// While the server is still at background work, the status says so, and what comes then.
func TestStatus_TellsWhatTheTurnComesAfter(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 130, H: 30, Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.See("blue boat")
	s.In(func(v *tui.Screen) {
		r := play.RoomOf(v.Parts())
		chat := v.Host().Play().Chat().Chat.ID
		for _, c := range []struct {
			waits engineplay.TurnWaiting
			want  string
		}{
			{engineplay.TurnWaiting{Chat: chat, Work: "scene recaps"}, "finishing scene recaps, then your message"},
			{engineplay.TurnWaiting{Chat: "another", Work: "scene recaps"}, "reading the prompt"},
			{engineplay.TurnWaiting{}, "reading the prompt"},
		} {
			if got := r.WaitingWords(c.waits); !strings.HasPrefix(got, c.want) {
				t.Errorf("%+v: %q", c.waits, got)
			}
		}
	})
}

// A reply that brings no word says so after a while, and when it is given up.
func TestStatus_TellsThatNoWordComes(t *testing.T) {
	t.Parallel()
	var later atomic.Int64
	s := begin(t, tuitest.Options{W: 130, H: 30, Prepare: tuitest.WithStory(t, tuitest.Harbour, false),
		Config: func(c *config.Config) {
			c.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
		},
		Servers: demo.Options{Fault: func(c demo.Call) demo.Fault {
			if c.Path != "/api/chat" {
				return demo.Fault{}
			}
			return demo.Fault{Kind: demo.Hang}
		}}})
	s.See("blue boat").TypeText("Hello?").Press("enter")
	s.See("reading the prompt")
	s.NotSee("no new text for")
	chat := s.Chat().Chat.ID
	s.Until("the request", func() bool { quiet, _ := s.Engine.Play.ServerQuiet(chat); return quiet > 0 })
	later.Store(int64(20 * time.Minute))
	s.See("no new text for 20:", "gives up in 9:")
	s.Press("ctrl+c").See("stopped")
}

func TestPrompt_TellsPositions(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 36, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("f4").See("messages 1 to 10", "already in context, skipped", "with 8 covered")
}

// inChat checks that a chat is on the screen.
func (s *session) inChat(chat storage.ChatID) {
	s.T().Helper()
	s.In(func(v *tui.Screen) {
		if now := v.Host().Play().Chat().Chat.ID; now != chat {
			s.T().Errorf("the screen shows the chat %s, not %s", now, chat)
		}
	})
}
