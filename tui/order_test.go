package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/house"
	"ghostlight/tui/keys"
	"ghostlight/tui/library"
)

// asked is a command as the screen would have it run. The test runs it, and hands
// its answer over, when it likes.
func (s *session) asked(ask func(a *app) tea.Cmd) (cmd tea.Cmd) {
	s.t.Helper()
	s.in(func(a *app) { cmd = ask(a) })
	return cmd
}

// answered hands the screen what a command has brought back.
func (s *session) answered(msg tea.Msg) *session {
	s.t.Helper()
	s.in(func(a *app) { a.send2(msg.(desk.Answer)()) })
	return s
}

// pressed is a key for which the screen has something to be run.
func (s *session) pressed(key string) tea.Cmd {
	s.t.Helper()
	return s.asked(func(a *app) tea.Cmd { return a.key(keyNamed(s.t, key)) })
}

// inChat checks that a chat is on the screen.
func (s *session) inChat(chat storage.ChatID) {
	s.t.Helper()
	s.in(func(a *app) {
		if a.view.Chat.ID != chat {
			s.t.Errorf("the screen shows the chat %s, not %s", a.view.Chat.ID, chat)
		}
	})
}

// The queue's list is the newest that was read, and the chosen operation stays
// chosen in it.
func TestQueue_LateReadings(t *testing.T) {
	t.Parallel()
	p := house.NewQueue(nil, nil)
	p.Take([]storage.Operation{{ID: "c"}, {ID: "b"}, {ID: "a"}}, nil)
	p.N, p.At = 3, 1
	p.Take([]storage.Operation{{ID: "d"}, {ID: "c"}, {ID: "b"}, {ID: "a"}}, nil)
	if p.Shown()[p.At].ID != "b" {
		t.Errorf("chosen: %s", p.Shown()[p.At].ID)
	}

	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").press("f3").see("Queue").press("p").see("paused")
	read := func(a *app) tea.Cmd {
		return a.pane.Read()
	}
	old := s.asked(read)()
	_, err := s.eng.Scenes.RecapMissing(s.chat().Chat.ID)
	s.must(err)
	fresh := s.asked(read)()
	n := 0
	s.answered(fresh).until("the newest reading", func() bool {
		s.in(func(a *app) { n = len(a.pane.(*house.Queue).Shown()) })
		return n > 0
	})
	s.answered(old).in(func(a *app) {
		if len(a.pane.(*house.Queue).Shown()) != n {
			t.Error("an older reading took the place of the newest")
		}
	})
}

// Scenes are changed in the order of the keys, and what undoes a change follows it.
func TestScenes_ChangedInOrder(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("alt+s").see("Scenes", "v1/1").press("g")
	n := len(s.scenes())
	drop := s.pressed("b")
	if s.pressed("u") != nil {
		t.Fatal("two changes are stored at once")
	}
	s.in(func(a *app) { a.send2(drop) })
	s.see("the break is back")
	if got := len(s.scenes()); got != n {
		t.Errorf("%d scenes of %d", got, n)
	}
}

// A recap that nobody looks at any more is not begun for another one.
func TestRecap_OfAMessageThatWasLeft(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("f3", "p").see("paused").press("f3").notSee("paused")
	begun := s.asked(func(a *app) tea.Cmd { a.play.Choose(0); return a.Run(keys.MessageRecap) })().(tea.BatchMsg)[1]()
	s.press("t").see("unning recap")
	s.in(func(a *app) {
		if cmd := begun.(desk.Answer)(); cmd != nil {
			t.Error("a recap is made of what is shown now")
		}
	})
}

// The characters do not open over what somebody without a chat has begun to write.
func TestWelcome_LeavesWriting(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{bare: true, noHouse: true})
	s.see("No Ollama").press("esc").notSee("No Ollama")
	first := s.asked(func(a *app) tea.Cmd { return roomOf[*library.Room](a).FirstChat() })()
	s.typeText("Hello").answered(first)
	if f := s.now(); strings.Contains(f, "who is on stage?") {
		t.Errorf("the screen shows\n%s", f)
	}
}
