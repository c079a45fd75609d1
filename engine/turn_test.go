package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/ollama"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

func names(events []Event) string {
	var out []string
	for _, ev := range events {
		out = append(out, strings.TrimPrefix(fmt.Sprintf("%T", ev), "engine."))
	}
	return strings.Join(slices.Compact(out), " ")
}

// chain checks that the events of a turn come in their order, and that the
// pieces of the reply, each in its place, make what was stored.
func chain(t *testing.T, events []Event, user storage.NodeID) ReplyEnded {
	t.Helper()
	var ended ReplyEnded
	stage, content, thinking := 0, "", ""
	for _, ev := range events {
		switch ev := ev.(type) {
		case MessageAdded:
			if stage != 0 || ev.Message.ID != user || ev.Message.Role != storage.User {
				t.Fatalf("%v out of order in %s", ev, names(events))
			}
			stage = 1
		case ReplyStarted:
			if stage != 1 || ev.Message.State != storage.Draft {
				t.Fatalf("%v out of order in %s", ev, names(events))
			}
			stage, content, thinking = 2, ev.Message.Content, ev.Message.Thinking
		case ReplyDelta:
			if stage != 2 || ev.At != len(content) || ev.ThinkingAt != len(thinking) {
				t.Fatalf("piece %+v does not follow %q, %q", ev, content, thinking)
			}
			content += ev.Content
			thinking += ev.Thinking
		case ReplyEnded:
			if stage < 1 || stage > 2 {
				t.Fatalf("%v out of order in %s", ev, names(events))
			}
			if stage, ended = 3, ev; ev.Err == nil && (content != ev.Message.Content || thinking != ev.Message.Thinking) {
				t.Errorf("the pieces make %q, %q; the message is %q, %q", content, thinking, ev.Message.Content, ev.Message.Thinking)
			}
		}
	}
	if stage != 3 {
		t.Fatalf("the turn has no end: %s", names(events))
	}
	return ended
}

func TestTurn_Endings(t *testing.T) {
	long := strings.Repeat("word and word, ", 12)
	tests := []struct {
		name    string
		fault   rehearsal.Fault
		cap     int // num_predict
		closed  bool
		state   storage.State
		words   string // in the message's fault, or in the error where nothing came
		nothing error  // what the error is then
		empty   bool   // nothing came
	}{
		{name: "complete", state: storage.Complete},
		{name: "cut by length", fault: rehearsal.Fault{Kind: rehearsal.Say, Text: long}, cap: 7, state: storage.Cut, words: "limit of 7 tokens"},
		{name: "died", fault: rehearsal.Fault{Kind: rehearsal.Die, After: 5}, state: storage.Broken, words: "broke off"},
		{name: "error line", fault: rehearsal.Fault{Kind: rehearsal.ErrorLine, After: 5}, state: storage.Broken, words: "reported an error"},
		{name: "repeats itself", fault: rehearsal.Fault{Kind: rehearsal.RepeatAbort, After: 3}, state: storage.Broken, words: "repeated itself"},
		{name: "no done", fault: rehearsal.Fault{Kind: rehearsal.NoDone, After: 5}, state: storage.Broken, words: "before it was finished"},
		{name: "garbage", fault: rehearsal.Fault{Kind: rehearsal.Garbage, After: 5}, state: storage.Broken, words: "What was written is kept"},
		{name: "escapes", fault: rehearsal.Fault{Kind: rehearsal.Escapes}, state: storage.Complete},
		{name: "only thoughts", fault: rehearsal.Fault{Kind: rehearsal.ThinkOnly}, state: storage.Broken, words: "only thought"},
		{name: "died at once", fault: rehearsal.Fault{Kind: rehearsal.Die}, empty: true, words: "Ollama"},
		{name: "error at once", fault: rehearsal.Fault{Kind: rehearsal.ErrorLine}, empty: true, words: "Ollama"},
		{name: "says nothing", fault: rehearsal.Fault{Kind: rehearsal.Say}, empty: true, words: "without writing anything"},
		{name: "another server", fault: rehearsal.Fault{Kind: rehearsal.HTML}, empty: true, nothing: ollama.ErrNotOllama},
		{name: "busy", fault: rehearsal.Fault{Kind: rehearsal.Unavailable}, empty: true, nothing: ollama.ErrBusy},
		{name: "fails", fault: rehearsal.Fault{Kind: rehearsal.ServerError}, empty: true, nothing: ollama.ErrServer},
		{name: "not there", closed: true, empty: true, nothing: ollama.ErrUnreachable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, func(o *setup) { o.cfg.Sampling.NumPredict = tt.cap })
			must(t, s.SaveDraft(s.chat, "half a line"))
			s.spoil(tt.fault)
			if tt.closed {
				must(t, s.house.Close())
			}
			user, err := s.Send(s.chat, "Are you *there*, {{char}}?")
			must(t, err)
			ended := until[ReplyEnded](s, nil)
			if s.Running(s.chat) {
				t.Error("the end was told while the chat was not free")
			}
			chain(t, s.seen, user)
			v := s.view()
			if v.Draft != "" {
				t.Errorf("the draft is still %q", v.Draft)
			}
			if n := s.node(user); n.Content != "Are you *there*, Tove?" || n.Role != storage.User || n.State != storage.Complete {
				t.Errorf("the user's message is %+v", n)
			}
			if sent, err := s.SentHistory(s.chat); err != nil || len(sent) != 1 || sent[0] != "Are you *there*, {{char}}?" {
				t.Errorf("sent: %q %v", sent, err)
			}
			turn, err := s.Wait(s.context(), s.chat)
			if tt.empty {
				checkNothing(t, s, ended, user, err, tt.nothing, tt.words)
			} else {
				checkKept(t, s, ended, turn, err, tt.state, tt.words)
			}
			s.sound()
			s.reopen()
			s.sound()
		})
	}
}

func checkNothing(t *testing.T, s *stage, ended ReplyEnded, user storage.NodeID, err, want error, words string) {
	t.Helper()
	if ended.Err == nil || !errors.Is(err, ended.Err) || want != nil && !errors.Is(err, want) {
		t.Errorf("the turn ended with %v, Wait gave %v, want %v", ended.Err, err, want)
	}
	if got := Words(err); got == "" || !strings.Contains(got, words) || !strings.HasSuffix(got, ".") && words == "" {
		t.Errorf("the words for %v are %q", err, got)
	}
	if v := s.view(); v.Chat.Head != user || len(v.Messages) != 2 || v.Running != "" {
		t.Errorf("the chat ends with %q, head %s, want the user's message %s", v.Messages[len(v.Messages)-1].Content, v.Chat.Head, user)
	}
	if got := s.nodes(); len(got) != 1+greetings(s) {
		t.Errorf("%d messages are left behind", len(got))
	}
}

func greetings(s *stage) (n int) {
	for _, m := range s.nodes() {
		if m.Parent == "" {
			n++
		}
	}
	return n
}

func checkKept(t *testing.T, s *stage, ended ReplyEnded, turn Turn, err error, state storage.State, words string) {
	t.Helper()
	if err != nil || ended.Err != nil {
		t.Fatalf("text came, and yet the turn failed: %v, %v", err, ended.Err)
	}
	n := s.node(ended.Message.ID)
	if n.State != state || n.Content+n.Thinking == "" || !strings.Contains(n.Fault, words) || (n.Fault == "") != (words == "") {
		t.Errorf("stored as %s, fault %q: %q", n.State, n.Fault, n.Content)
	}
	if n.Content != ended.Message.Content || n.Thinking != ended.Message.Thinking || n.State != ended.Message.State || ended.Message.Siblings != 1 {
		t.Errorf("told %+v, stored %+v", ended.Message, n)
	}
	if turn.Content != n.Content || turn.Thinking != n.Thinking || turn.Message != n.ID || turn.State != n.State || turn.Fault != n.Fault {
		t.Errorf("the turn is %+v, the message %+v", turn, n)
	}
	if v := s.view(); v.Chat.Head != n.ID || n.Model != rehearsal.Model || n.Window == "" || n.Usage == nil {
		t.Errorf("head %s, message %+v", v.Chat.Head, n)
	}
}

// talking sends a line to a model that never ends, and returns when some of the
// reply has come.
func talking(s *stage) (user, reply storage.NodeID) {
	s.t.Helper()
	user, err := s.Send(s.chat, "Tell me everything.")
	must(s.t, err)
	return user, until[ReplyDelta](s, nil).Node
}

func slow(o *setup) { o.house.TokenDelay = time.Millisecond }

func TestStop(t *testing.T) {
	t.Run("keeps what was written", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, slow)
		s.spoil(rehearsal.Fault{Kind: rehearsal.Endless})
		user, reply := talking(s)
		if !s.Stop(s.chat) {
			t.Error("nothing was there to stop")
		}
		turn, err := s.ended()
		must(t, err)
		ended := until[ReplyEnded](s, nil)
		chain(t, s.seen, user)
		if n := s.node(reply); n.State != storage.Stopped || n.Content == "" || n.Content != ended.Message.Content || turn.State != storage.Stopped {
			t.Errorf("stored %+v, told %+v", n, ended.Message)
		}
		if s.Stop(s.chat) {
			t.Error("a second stop found something")
		}
		s.spoil(rehearsal.Fault{})
		if turn := s.say("And now?"); turn.State != storage.Complete {
			t.Errorf("the next turn is %s", turn.State)
		}
		s.sound()
	})
	for _, at := range []string{"/api/chat", "/api/show"} {
		t.Run("before anything came of "+at, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			asked := make(chan bool, 9)
			s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
				if c.Path != at {
					return rehearsal.Fault{}
				}
				asked <- true
				return rehearsal.Fault{Kind: rehearsal.Hang}
			})
			user, err := s.Send(s.chat, "Hello?")
			must(t, err)
			<-asked
			if v := s.view(); v.Messages[1].ID != user {
				t.Errorf("the user's message is not there while the server hangs")
			}
			s.Stop(s.chat)
			_, err = s.ended()
			if !errors.Is(err, ErrStopped) {
				t.Errorf("the error is %v", err)
			}
			checkNothing(t, s, until[ReplyEnded](s, nil), user, err, ErrStopped, "stopped")
			s.spoilBy(nil)
			s.sound()
		})
	}
	t.Run("as soon as Send has begun", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, slow)
		s.spoil(rehearsal.Fault{Kind: rehearsal.Endless})
		_, err := s.Send(s.chat, "Hello?")
		must(t, err)
		s.Stop(s.chat)
		if _, err = s.ended(); err != nil && !errors.Is(err, ErrStopped) {
			t.Errorf("the error is %v", err)
		}
		s.sound()
	})
}

func TestTurn_OnlyOneInAChat(t *testing.T) {
	t.Parallel()
	s := newStage(t, slow)
	s.spoil(rehearsal.Fault{Kind: rehearsal.Endless})
	user, reply := talking(s)
	head := s.view().Chat.Head
	acts := map[string]func() error{
		"send":        func() error { _, err := s.Send(s.chat, "more"); return err },
		"regenerate":  func() error { return s.Regenerate(s.chat, user) },
		"continue":    func() error { return s.Continue(s.chat) },
		"impersonate": func() error { return s.Impersonate(s.chat) },
		"edit":        func() error { return s.Edit(s.chat, user, "x") },
		"delete":      func() error { return s.Delete(s.chat, user, true) },
		"branch":      func() error { return s.Branch(s.chat, user) },
		"go":          func() error { return s.Goto(s.chat, user) },
		"undo":        func() error { return s.Undo(s.chat) },
		"swipe":       func() error { _, err := s.Swipe(s.chat, reply, 1); return err },
		"delete chat": func() error { return s.DeleteChat(s.chat) },
	}
	for name, act := range acts {
		if err := act(); !errors.Is(err, ErrTurnRunning) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := s.view().Chat.Head; got != head && got != reply {
		t.Errorf("the head moved to %s", got)
	}
	other, err := s.NewChat(s.view().Chat.Character, "another")
	must(t, err)
	if _, err := s.Send(other.ID, "You too?"); err != nil {
		t.Errorf("another chat: %v", err)
	}
	s.Stop(s.chat)
	s.Stop(other.ID)
	if _, err := s.ended(); err != nil {
		t.Error(err)
	}
}

func TestTurn_DraftIsSavedOnceASecond(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := newStage(t, slow, func(o *setup) { o.cfg.Now = clock.Now })
	s.spoil(rehearsal.Fault{Kind: rehearsal.Endless})
	_, reply := talking(s)
	first := s.waitStored(reply, 1)
	// While the clock stands still, what comes is told of and not saved.
	for range 5 {
		until[ReplyDelta](s, nil)
	}
	if n := s.node(reply); n.Content != first.Content || n.State != storage.Draft {
		t.Errorf("saved again within the same second: %q", n.Content)
	}
	for range 3 {
		clock.advance(time.Second)
		first = s.waitStored(reply, len(first.Content)+1)
	}
	live := s.view()
	if live.Running != reply || len(live.Messages[2].Content) < len(first.Content) {
		t.Errorf("the view is behind the store: %+v", live.Messages[2])
	}
	s.Stop(s.chat)
	_, err := s.ended()
	must(t, err)
}

// waitStored waits until the stored reply has so many bytes.
func (s *stage) waitStored(id storage.NodeID, least int) (n storage.Node) {
	s.t.Helper()
	until(s, func(ReplyDelta) bool {
		err := s.store.View(func(tx *storage.Tx) (err error) { n, err = tx.Node(s.chat, id); return err })
		return err == nil && len(n.Content) >= least
	})
	return n
}

func TestTurn_CrashLeavesNoDraft(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	turn := s.say("Hello.")
	// As a process leaves it that is killed after the first save.
	must(t, s.store.Update(func(tx *storage.Tx) error {
		n, err := tx.Node(s.chat, turn.Message)
		if err != nil {
			return err
		}
		n.State = storage.Draft
		return errors.Join(tx.PutNode(n), s.noteLive(tx, s.chat, &n))
	}))
	s.reopen()
	if n := s.node(turn.Message); n.State != storage.Broken || n.Fault == "" || n.Content != turn.Content {
		t.Errorf("after the crash: %+v", n)
	}
	s.sound()
}

func TestWait(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if _, err := s.Wait(s.context(), s.chat); !errors.Is(err, ErrNothing) {
		t.Errorf("waiting for nothing: %v", err)
	}
	if _, err := s.Send(s.chat, "  \n "); !errors.Is(err, ErrNothing) {
		t.Errorf("sending nothing: %v", err)
	}
	turn := s.say("Hello.")
	again, err := s.Wait(s.context(), s.chat) // it has ended already
	if err != nil || again != turn {
		t.Errorf("a late Wait gives %+v, %v; the turn was %+v", again, err, turn)
	}
	if turn.PromptTokens == 0 || turn.ReplyTokens == 0 || turn.DoneReason != "stop" || turn.UserMessage == "" {
		t.Errorf("turn: %+v", turn)
	}
}

func TestClose_WhileReplyIsWritten(t *testing.T) {
	t.Parallel()
	s := newStage(t, slow)
	s.spoil(rehearsal.Fault{Kind: rehearsal.Endless})
	must(t, s.Start())
	_, reply := talking(s)
	s.reopen()
	if n := s.node(reply); n.State != storage.Stopped || n.Content == "" {
		t.Errorf("after closing: %+v", n)
	}
	s.sound()
	e := s.Engine
	s.close()
	if _, err := e.Send(s.chat, "Is anybody there?"); err == nil {
		t.Error("a closed engine takes a message")
	}
	if err := e.PullModel(rehearsal.PullModel); err == nil {
		t.Error("a closed engine begins a download")
	}
}

func TestImpersonate(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.say("Hello.")
	before := s.nodes()
	line := func() (string, error) {
		must(t, s.Impersonate(s.chat))
		text := ""
		for {
			ev := until[LineSuggested](s, nil)
			if text += ev.Text; ev.Finished {
				return text, ev.Err
			}
		}
	}
	text, err := line()
	if text == "" || err != nil {
		t.Errorf("suggested %q, %v", text, err)
	}
	if v := s.view(); len(s.nodes()) != len(before) || v.Running != "" || v.Draft != "" {
		t.Errorf("a suggestion left something behind: %+v", v)
	}
	s.spoil(rehearsal.Fault{Kind: rehearsal.HTML})
	if text, err = line(); text != "" || !errors.Is(err, ollama.ErrNotOllama) {
		t.Errorf("of another server came %q, %v", text, err)
	}
	s.spoil(rehearsal.Fault{Kind: rehearsal.Die, After: 3})
	if text, err = line(); text == "" || err != nil {
		t.Errorf("half a line: %q, %v", text, err)
	}
	if s.drainFeed(); !strings.Contains(names(s.seen), "Notice") {
		t.Error("nobody was told that the line broke off")
	}
}

func TestTurn_NoModel(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *setup) { o.cfg.Model = "" })
	_, err := s.trySay("Hello.")
	if !errors.Is(err, ErrNoModelChosen) || !strings.Contains(Words(err), rehearsal.Model) {
		t.Errorf("without a choice: %v", err)
	}
	must(t, s.SetDefaultModel("missing:latest"))
	if _, err = s.trySay("Hello."); !errors.Is(err, ollama.ErrNoModel) || !strings.Contains(Words(err), "missing") {
		t.Errorf("a model that is not there: %v", err)
	}
	must(t, s.SetModel(s.chat, rehearsal.ThinkModel))
	if turn := s.say("Hello."); turn.Thinking == "" || turn.Content == "" {
		t.Errorf("a model that thinks gave %+v", turn)
	}
}

func TestTurn_TooLong(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(o *setup) { o.cfg.Sampling.NumCtx = 2048 })
	_, err := s.trySay(strings.Repeat("far too many words ", 3000))
	if err == nil || !strings.Contains(Words(err), "2048") && !strings.Contains(Words(err), "2,048") {
		t.Errorf("the words are %q", Words(err))
	}
	for _, c := range s.house.Calls() {
		if c.Path == "/api/chat" {
			t.Error("the server was asked all the same")
		}
	}
}

// TestTurn_StoredLater is a reply that could not be stored when it ended.
func TestTurn_StoredLater(t *testing.T) {
	t.Parallel()
	s := newStage(t, numbered).single()
	for name, later := range map[string]func(){
		"with the next message": func() { s.say("next") },
		"with the next change":  func() { must(t, s.Edit(s.chat, s.view().Messages[0].ID, "Good evening.")) },
		"at the end":            func() { s.reopen() },
	} {
		turn := s.say("one")
		live := s.lastTurn(turn.Message)
		live.mu.Lock()
		whole := live.msg.Node
		whole.Content += ", and what there was no room for"
		live.owed, live.msg.Content, live.msg.State = &whole, whole.Content, storage.Broken
		live.mu.Unlock()
		if m := s.last(); m.ID != turn.Message || m.Content != whole.Content || m.State != storage.Broken || s.view().Running != "" {
			t.Errorf("%s: on the screen is %+v", name, m.Node)
		}
		later()
		if n := s.node(turn.Message); n.Content != whole.Content || n.State != storage.Complete {
			t.Errorf("%s: stored is %+v", name, n)
		}
	}
	s.sound()
}

// lastTurn is the turn that ended last, which wrote a message.
func (s *stage) lastTurn(id storage.NodeID) *liveTurn {
	s.t.Helper()
	s.Engine.mu.Lock()
	defer s.Engine.mu.Unlock()
	live := s.Engine.ended[s.chat]
	if live == nil || live.msg.ID != id {
		s.t.Fatal("that was not the last turn")
	}
	return live
}
