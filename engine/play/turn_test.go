package play_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// chain checks that the events of a turn come in order, and that the pieces of the reply, each in
// its place, make up the stored text.
func chain(t *testing.T, events []event.Event, user storage.NodeID) play.ReplyEnded {
	t.Helper()
	var ended play.ReplyEnded
	stage, content, thinking := 0, "", ""
	for _, ev := range events {
		switch ev := ev.(type) {
		case chats.MessageAdded:
			if stage != 0 || ev.Message.ID != user || ev.Message.Role != storage.User {
				t.Fatalf("%v out of order in %s", ev, enginetest.Names(events))
			}
			stage = 1
		case play.ReplyStarted:
			if stage != 1 || ev.Message.State != storage.Draft {
				t.Fatalf("%v out of order in %s", ev, enginetest.Names(events))
			}
			stage, content, thinking = 2, ev.Message.Content, ev.Message.Thinking
		case play.ReplyDelta:
			if stage != 2 || ev.At != len(content) || ev.ThinkingAt != len(thinking) {
				t.Fatalf("piece %+v does not follow %q, %q", ev, content, thinking)
			}
			content += ev.Content
			thinking += ev.Thinking
		case play.ReplyEnded:
			if stage < 1 || stage > 2 {
				t.Fatalf("%v out of order in %s", ev, enginetest.Names(events))
			}
			if stage, ended = 3, ev; ev.Err == nil &&
				(content != ev.Message.Content || thinking != ev.Message.Thinking) {
				t.Errorf("the pieces make %q, %q; the message is %q, %q", content, thinking, ev.Message.Content,
					ev.Message.Thinking)
			}
		}
	}
	if stage != 3 {
		t.Fatalf("the turn has no end: %s", enginetest.Names(events))
	}
	return ended
}

func TestTurn_Endings(t *testing.T) {
	long := strings.Repeat("word and word, ", 12)
	tests := []struct {
		name    string
		fault   demo.Fault
		cap     int // num_predict
		closed  bool
		state   storage.State
		words   string // in the message's fault, or in the error if nothing came
		nothing error  // the error in that case
		empty   bool   // nothing came
	}{
		{name: "complete", state: storage.Complete},
		{name: "cut by length", fault: demo.Fault{Kind: demo.Say, Text: long}, cap: 7, state: storage.Cut,
			words: "limit of 7 tokens"},
		{name: "died", fault: demo.Fault{Kind: demo.Die, After: 5}, state: storage.Broken, words: "was lost"},
		{name: "error line", fault: demo.Fault{Kind: demo.ErrorLine, After: 5}, state: storage.Broken,
			words: "reported an error"},
		{name: "repeats itself", fault: demo.Fault{Kind: demo.RepeatAbort, After: 3}, state: storage.Broken,
			words: "repeated itself"},
		{name: "no done", fault: demo.Fault{Kind: demo.NoDone, After: 5}, state: storage.Broken,
			words: "before it was finished"},
		{name: "garbage", fault: demo.Fault{Kind: demo.Garbage, After: 5}, state: storage.Broken,
			words: "The text so far is kept"},
		{name: "escapes", fault: demo.Fault{Kind: demo.Escapes}, state: storage.Complete},
		{name: "only thoughts", fault: demo.Fault{Kind: demo.ThinkOnly}, state: storage.Broken,
			words: "only thought"},
		{name: "died at once", fault: demo.Fault{Kind: demo.Die}, empty: true, words: "Ollama"},
		{name: "error at once", fault: demo.Fault{Kind: demo.ErrorLine}, empty: true, words: "Ollama"},
		{name: "says nothing", fault: demo.Fault{Kind: demo.Say}, empty: true,
			words: "without writing anything"},
		{name: "another server", fault: demo.Fault{Kind: demo.HTML}, empty: true,
			nothing: ollama.ErrNotOllama},
		{name: "busy", fault: demo.Fault{Kind: demo.Unavailable}, empty: true, nothing: ollama.ErrBusy},
		{name: "fails", fault: demo.Fault{Kind: demo.ServerError}, empty: true, nothing: ollama.ErrServer},
		{name: "not there", closed: true, empty: true, nothing: ollama.ErrUnreachable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Sampling.NumPredict = tt.cap })})
			enginetest.Must(t, s.Chats.SaveDraft(s.Chat, "half a line"))
			s.Spoil(tt.fault)
			if tt.closed {
				enginetest.Must(t, s.Servers.Close())
			}
			user, err := s.Play.Send(s.Chat, "Are you *there*, {{char}}?")
			enginetest.Must(t, err)
			ended := enginetest.Until[play.ReplyEnded](s.Harness, nil)
			if s.Play.Running(s.Chat) {
				t.Error("the end was told while the chat was not free")
			}
			chain(t, s.Seen, user)
			v := s.View()
			if v.Draft != "" {
				t.Errorf("the draft is still %q", v.Draft)
			}
			if n := s.Node(user); n.Content != "Are you *there*, Tove?" || n.Role != storage.User ||
				n.State != storage.Complete {
				t.Errorf("the user's message is %+v", n)
			}
			if sent, err := s.Chats.SentHistory(s.Chat); err != nil || len(sent) != 1 ||
				sent[0] != "Are you *there*, {{char}}?" {
				t.Errorf("sent: %q %v", sent, err)
			}
			turn, err := s.Play.Wait(s.Context(), s.Chat)
			if tt.empty {
				checkNothing(t, s, ended, user, err, tt.nothing, tt.words)
			} else {
				checkKept(t, s, ended, turn, err, tt.state, tt.words)
			}
			s.Sound()
			s.Reopen()
			s.Sound()
		})
	}
}

func checkNothing(t *testing.T, s *harness, ended play.ReplyEnded, user storage.NodeID, err, want error, words string) {
	t.Helper()
	if ended.Err == nil || !errors.Is(err, ended.Err) || want != nil && !errors.Is(err, want) {
		t.Errorf("the turn ended with %v, Wait gave %v, want %v", ended.Err, err, want)
	}
	if got := failure.Text(err); got == "" || !strings.Contains(got, words) ||
		!strings.HasSuffix(got, ".") && words == "" {
		t.Errorf("the words for %v are %q", err, got)
	}
	if v := s.View(); v.Chat.Head != user || len(v.Messages) != 2 || v.Running != "" {
		t.Errorf("the chat ends with %q, head %s, want the user's message %s", v.Messages[len(v.Messages)-1].Content,
			v.Chat.Head, user)
	}
	if got := s.Nodes(); len(got) != 1+enginetest.Greetings(s.Harness) {
		t.Errorf("%d messages are left behind", len(got))
	}
}

func checkKept(t *testing.T, s *harness, ended play.ReplyEnded, turn play.TurnResult, err error, state storage.State,
	words string) {
	t.Helper()
	if err != nil || ended.Err != nil {
		t.Fatalf("text came, and yet the turn failed: %v, %v", err, ended.Err)
	}
	n := s.Node(ended.Message.ID)
	if n.State != state || n.Content+n.Thinking == "" || !strings.Contains(n.Fault, words) ||
		(n.Fault == "") != (words == "") {
		t.Errorf("stored as %s, fault %q: %q", n.State, n.Fault, n.Content)
	}
	if n.Content != ended.Message.Content || n.Thinking != ended.Message.Thinking || n.State != ended.Message.State ||
		ended.Message.Siblings != 1 {
		t.Errorf("told %+v, stored %+v", ended.Message, n)
	}
	if turn.Content != n.Content || turn.Thinking != n.Thinking || turn.Message != n.ID || turn.State != n.State ||
		turn.Fault != n.Fault {
		t.Errorf("the turn is %+v, the message %+v", turn, n)
	}
	if v := s.View(); v.Chat.Head != n.ID || n.Model != demo.Model || n.Window == "" || n.Usage == nil {
		t.Errorf("head %s, message %+v", v.Chat.Head, n)
	}
}

func TestStop(t *testing.T) {
	t.Run("keeps what was written", func(t *testing.T) {
		t.Parallel()
		s := (&harness{enginetest.NewHarness(t, enginetest.Slow)})
		s.Spoil(demo.Fault{Kind: demo.Endless})
		user, reply := enginetest.Talking(s.Harness)
		if !s.Play.Stop(s.Chat) {
			t.Error("nothing was there to stop")
		}
		turn, err := s.Ended()
		enginetest.Must(t, err)
		ended := enginetest.Until[play.ReplyEnded](s.Harness, nil)
		chain(t, s.Seen, user)
		if n := s.Node(reply); n.State != storage.Stopped || n.Content == "" || n.Content != ended.Message.Content ||
			turn.State != storage.Stopped {
			t.Errorf("stored %+v, told %+v", n, ended.Message)
		}
		if s.Play.Stop(s.Chat) {
			t.Error("a second stop found something")
		}
		s.Spoil(demo.Fault{})
		if turn := s.Say("And now?"); turn.State != storage.Complete {
			t.Errorf("the next turn is %s", turn.State)
		}
		s.Sound()
	})
	for _, at := range []string{"/api/chat", "/api/show"} {
		t.Run("before anything came of "+at, func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewHarness(t)})
			asked := make(chan bool, 9)
			s.SpoilBy(func(c demo.Call) demo.Fault {
				if c.Path != at {
					return demo.Fault{}
				}
				asked <- true
				return demo.Fault{Kind: demo.Hang}
			})
			user, err := s.Play.Send(s.Chat, "Hello?")
			enginetest.Must(t, err)
			<-asked
			if v := s.View(); v.Messages[1].ID != user {
				t.Errorf("the user's message is not there while the server hangs")
			}
			s.Play.Stop(s.Chat)
			_, err = s.Ended()
			if !errors.Is(err, failure.ErrStopped) {
				t.Errorf("the error is %v", err)
			}
			checkNothing(t, s, enginetest.Until[play.ReplyEnded](s.Harness, nil), user, err,
				failure.ErrStopped, "stopped")
			s.SpoilBy(nil)
			s.Sound()
		})
	}
	t.Run("as soon as Send has begun", func(t *testing.T) {
		t.Parallel()
		s := (&harness{enginetest.NewHarness(t, enginetest.Slow)})
		s.Spoil(demo.Fault{Kind: demo.Endless})
		_, err := s.Play.Send(s.Chat, "Hello?")
		enginetest.Must(t, err)
		s.Play.Stop(s.Chat)
		if _, err = s.Ended(); err != nil && !errors.Is(err, failure.ErrStopped) {
			t.Errorf("the error is %v", err)
		}
		s.Sound()
	})
}

func TestTurn_OnlyOneInAChat(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Slow)})
	s.Spoil(demo.Fault{Kind: demo.Endless})
	user, reply := enginetest.Talking(s.Harness)
	head := s.View().Chat.Head
	acts := map[string]func() error{
		"send":        func() error { _, err := s.Play.Send(s.Chat, "more"); return err },
		"regenerate":  func() error { return s.Play.Regenerate(s.Chat, user) },
		"continue":    func() error { return s.Play.Continue(s.Chat) },
		"impersonate": func() error { return s.Play.Impersonate(s.Chat, "") },
		"edit":        func() error { return s.Chats.Edit(s.Chat, user, "x") },
		"delete":      func() error { return s.Chats.Delete(s.Chat, user, true) },
		"branch":      func() error { return s.Chats.Branch(s.Chat, user) },
		"go":          func() error { return s.Chats.Goto(s.Chat, user) },
		"undo":        func() error { return s.Chats.Undo(s.Chat) },
		"swipe":       func() error { _, err := s.Play.Swipe(s.Chat, reply, 1); return err },
		"delete chat": func() error { return s.Play.DeleteChat(s.Chat) },
	}
	for name, act := range acts {
		if err := act(); !errors.Is(err, failure.ErrTurnRunning) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := s.View().Chat.Head; got != head && got != reply {
		t.Errorf("the head moved to %s", got)
	}
	other, err := s.Chats.New(s.View().Chat.Character, "another")
	enginetest.Must(t, err)
	if _, err := s.Play.Send(other.ID, "You too?"); err != nil {
		t.Errorf("another chat: %v", err)
	}
	s.Play.Stop(s.Chat)
	s.Play.Stop(other.ID)
	if _, err := s.Ended(); err != nil {
		t.Error(err)
	}
}

func TestTurn_DraftIsSavedOnceASecond(t *testing.T) {
	t.Parallel()
	clock := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.Slow, func(o *enginetest.Setup) { o.Cfg.Now = clock.Now })})
	s.Spoil(demo.Fault{Kind: demo.Endless})
	_, reply := enginetest.Talking(s.Harness)
	first := s.WaitStored(reply, 1)
	// While the clock is stopped, new text is emitted but not saved.
	for range 5 {
		enginetest.Until[play.ReplyDelta](s.Harness, nil)
	}
	if n := s.Node(reply); n.Content != first.Content || n.State != storage.Draft {
		t.Errorf("saved again within the same second: %q", n.Content)
	}
	for range 3 {
		clock.Advance(time.Second)
		first = s.WaitStored(reply, len(first.Content)+1)
	}
	live := s.View()
	if live.Running != reply || len(live.Messages[2].Content) < len(first.Content) {
		t.Errorf("the view is behind the store: %+v", live.Messages[2])
	}
	s.Play.Stop(s.Chat)
	_, err := s.Ended()
	enginetest.Must(t, err)
}

func TestTurn_CrashLeavesNoDraft(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	turn := s.Say("Hello.")
	// As a process leaves it that is killed after the first save.
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		n, err := tx.Node(s.Chat, turn.Message)
		if err != nil {
			return err
		}
		n.State = storage.Draft
		return errors.Join(tx.PutNode(n), play.NoteLive(s.Play, tx, s.Chat, &n))
	}))
	s.Reopen()
	if n := s.Node(turn.Message); n.State != storage.Broken || n.Fault == "" || n.Content != turn.Content {
		t.Errorf("after the crash: %+v", n)
	}
	s.Sound()
}

func TestWait(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	if _, err := s.Play.Wait(s.Context(), s.Chat); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("waiting for nothing: %v", err)
	}
	if _, err := s.Play.Send(s.Chat, "  \n "); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("sending nothing: %v", err)
	}
	turn := s.Say("Hello.")
	again, err := s.Play.Wait(s.Context(), s.Chat) // it has ended already
	if err != nil || !reflect.DeepEqual(again, turn) {
		t.Errorf("a late Wait gives %+v, %v; the turn was %+v", again, err, turn)
	}
	if turn.PromptTokens == 0 || turn.ReplyTokens == 0 || turn.DoneReason != "stop" || turn.UserMessage == "" {
		t.Errorf("turn: %+v", turn)
	}
}

func TestClose_WhileReplyIsWritten(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Slow)})
	s.Spoil(demo.Fault{Kind: demo.Endless})
	enginetest.Must(t, s.Start())
	_, reply := enginetest.Talking(s.Harness)
	s.Reopen()
	if n := s.Node(reply); n.State != storage.Stopped || n.Content == "" {
		t.Errorf("after closing: %+v", n)
	}
	s.Sound()
	e := s.Engine
	s.Shut()
	if _, err := e.Play.Send(s.Chat, "Is anybody there?"); err == nil {
		t.Error("a closed engine takes a message")
	}
	if err := e.Models.PullModel(demo.PullModel); err == nil {
		t.Error("a closed engine begins a download")
	}
}

func TestImpersonate(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Say("Hello.")
	before := s.Nodes()
	line := func() (string, error) {
		enginetest.Must(t, s.Play.Impersonate(s.Chat, ""))
		text := ""
		for {
			ev := enginetest.Until[play.LineSuggested](s.Harness, nil)
			if text += ev.Text; ev.Finished {
				return text, ev.Err
			}
		}
	}
	text, err := line()
	if text == "" || err != nil {
		t.Errorf("suggested %q, %v", text, err)
	}
	if v := s.View(); len(s.Nodes()) != len(before) || v.Running != "" || v.Draft != "" {
		t.Errorf("a suggestion left something behind: %+v", v)
	}
	s.Spoil(demo.Fault{Kind: demo.HTML})
	if text, err = line(); text != "" || !errors.Is(err, ollama.ErrNotOllama) {
		t.Errorf("of another server came %q, %v", text, err)
	}
	s.Spoil(demo.Fault{Kind: demo.Die, After: 3})
	if text, err = line(); text == "" || err != nil {
		t.Errorf("half a line: %q, %v", text, err)
	}
	if s.DrainFeed(); !strings.Contains(enginetest.Names(s.Seen), "Notice") {
		t.Error("nobody was told that the line broke off")
	}
}

func TestTurn_NoModel(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Model = "" })})
	_, err := s.TrySay("Hello.")
	if !errors.Is(err, failure.ErrNoModelChosen) || !strings.Contains(failure.Text(err), demo.Model) {
		t.Errorf("without a choice: %v", err)
	}
	enginetest.Must(t, s.Models.SetDefaultModel("missing:latest"))
	if _, err = s.TrySay("Hello."); !errors.Is(err, ollama.ErrNoModel) ||
		!strings.Contains(failure.Text(err), "missing") {
		t.Errorf("a model that is not there: %v", err)
	}
	enginetest.Must(t, s.Chats.SetModel(s.Chat, demo.ThinkModel))
	if turn := s.Say("Hello."); turn.Thinking == "" || turn.Content == "" {
		t.Errorf("a model that thinks gave %+v", turn)
	}
}

func TestTurn_TooLong(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Sampling.NumCtx = 2048 })})
	_, err := s.TrySay(strings.Repeat("far too many words ", 3000))
	if err == nil || !strings.Contains(failure.Text(err), "2048") && !strings.Contains(failure.Text(err), "2,048") {
		t.Errorf("the words are %q", failure.Text(err))
	}
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" {
			t.Error("the server was asked all the same")
		}
	}
}

// TestTurn_StoredLater is a reply that could not be stored when it ended.
func TestTurn_StoredLater(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	for name, later := range map[string]func(){
		"with the next message": func() { s.Say("next") },
		"with the next change": func() {
			enginetest.Must(t, s.Chats.Edit(s.Chat, s.View().Messages[0].ID, "Good evening."))
		},
		"at the end": func() { s.Reopen() },
	} {
		turn := s.Say("one")
		whole := play.LastMessage(s.Engine.Play, s.Chat).Node
		if whole.ID != turn.Message {
			t.Fatal("that was not the last turn")
		}
		whole.Content += ", and what there was no room for"
		play.LeaveUnsaved(s.Engine.Play, s.Chat, whole)
		if m := s.Last(); m.ID != turn.Message || m.Content != whole.Content || m.State != storage.Broken ||
			s.View().Running != "" {
			t.Errorf("%s: on the screen is %+v", name, m.Node)
		}
		later()
		if n := s.Node(turn.Message); n.Content != whole.Content || n.State != storage.Complete {
			t.Errorf("%s: stored is %+v", name, n)
		}
	}
	s.Sound()
}
