package tui

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	bundled "ghostlight/engine/play"
	"ghostlight/storage"
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
	s.in(func(a *app) { a.send2(msg.(answerFunc)(a)) })
	return s
}

// pressed is a key for which the screen has something to be run.
func (s *session) inChat(chat storage.ChatID) {
	s.t.Helper()
	s.in(func(a *app) {
		if a.view.Chat.ID != chat {
			s.t.Errorf("the screen shows the chat %s, not %s", a.view.Chat.ID, chat)
		}
	})
}

func TestInOrder(t *testing.T) {
	t.Parallel()
	a, _ := stageTaste(t, aProfile())
	var o inOrder
	var did string
	note := func(words string) answerFunc {
		return func(*app) tea.Cmd { did += words; return nil }
	}
	first := o.do(a, func() answerFunc { did += "1"; return note("a") })
	rest := []tea.Cmd{
		o.do(a, func() answerFunc { did += "2"; return nil }),
		o.when(func() tea.Cmd { did += "b"; return nil }),
		o.do(a, func() answerFunc { did += "3"; return note("c") }),
	}
	for _, cmd := range rest {
		if cmd != nil {
			t.Fatal("two at once")
		}
	}
	for next := first; next != nil; {
		next = next().(answerFunc)(a)
	}
	if did != "1a2b3c" || o.busy {
		t.Error(did)
	}
}

// What is read of a chat neither takes the place of what was read later, nor brings
// back a chat that the user has left meanwhile.
func TestChat_LateReadings(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›")
	here := s.chat().Chat.ID
	tove, err := s.eng.FindCharacter(bundled.Character().Card.Name)
	s.must(err)
	other, err := s.eng.NewChat(tove.ID, "")
	s.must(err)

	old := s.asked((*app).reload)()
	to := s.asked(func(a *app) tea.Cmd { return a.readChat(other.ID, firstRead) })()
	s.answered(to).answered(old).inChat(other.ID)

	back := s.asked(func(a *app) tea.Cmd { return a.readChat(here, firstRead) })()
	again := s.asked((*app).reload)() // something happens in the chat that is being left
	s.answered(again).answered(back).inChat(here)

	s.must(s.eng.DeleteChat(other.ID))
	s.still()
	gone := s.asked(func(a *app) tea.Cmd { return a.readChat(other.ID, firstRead) })()
	s.answered(gone).inChat(here)
}

// The queue's list is the newest that was read, and the chosen operation stays
// chosen in it.
func TestQueue_LateReadings(t *testing.T) {
	t.Parallel()
	a, _ := stageTaste(t, aProfile())
	p := newQueuePane(&app{})
	p.take([]storage.Operation{{ID: "c"}, {ID: "b"}, {ID: "a"}}, nil)
	p.n, p.at = 3, 1
	p.take([]storage.Operation{{ID: "d"}, {ID: "c"}, {ID: "b"}, {ID: "a"}}, nil)
	if p.ops[p.at].ID != "b" {
		t.Errorf("chosen: %s", p.ops[p.at].ID)
	}
	a.pane = nil

	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").press("f3").see("Queue").press("p").see("paused")
	read := func(a *app) tea.Cmd {
		a.work.batching.chat = a.view.Chat.ID // these were read
		return a.pane.read(a)
	}
	old := s.asked(read)()
	_, err := s.eng.RecapMissing(s.chat().Chat.ID)
	s.must(err)
	fresh := s.asked(read)()
	n := 0
	s.answered(fresh).until("the newest reading", func() bool {
		s.in(func(a *app) { n = len(a.pane.(*queuePane).ops) })
		return n > 0
	})
	s.answered(old).in(func(a *app) {
		if len(a.pane.(*queuePane).ops) != n {
			t.Error("an older reading took the place of the newest")
		}
	})
}
