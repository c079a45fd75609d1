package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// numbered answers with a line that says how often the same was asked before.
func numbered(o *setup) {
	o.house.Script = func(m []storage.Node, take int) string { return fmt.Sprintf("reply %d to %s", take, lastUser(m)) }
}

func lastUser(m []storage.Node) string {
	for i := len(m) - 1; i >= 0; i-- {
		if m[i].Role == storage.User {
			return m[i].Content
		}
	}
	return "nothing"
}

// story is the path without its greeting, as "role text, 1/2; ..." with the place
// among siblings where there are any.
func (s *stage) story() string {
	s.t.Helper()
	var out []string
	for _, m := range s.view().Messages {
		line := m.Content
		if m.Role == storage.SceneCapture {
			line = "[picture]"
		}
		if m.Parent == "" {
			line = "greeting"
		}
		if m.Siblings > 1 {
			line += fmt.Sprintf(" (%d/%d)", m.At+1, m.Siblings)
		}
		out = append(out, line)
	}
	return strings.Join(out, "; ")
}

func (s *stage) expect(want string) {
	s.t.Helper()
	if got := s.story(); got != want {
		s.t.Fatalf("the story is\n\t%s\nwant\n\t%s", got, want)
	}
}

// wait lets the turn that was begun come to its end.
func (s *stage) wait(err error) Turn {
	s.t.Helper()
	must(s.t, err)
	turn, err := s.ended()
	must(s.t, err)
	return turn
}

// single makes the greeting the only one, so that stories are short.
func (s *stage) single() *stage {
	s.t.Helper()
	for _, n := range s.nodes()[1:] {
		must(s.t, s.Delete(s.chat, n.ID, false))
	}
	s.expect("greeting")
	return s
}

func TestGreetings(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	v := s.view()
	who := v.Character.Card
	if v.Messages[0].Siblings != 1+len(who.AlternateGreetings) || v.Messages[0].At != 0 {
		t.Fatalf("the greeting is %+v", v.Messages[0])
	}
	first := v.Messages[0].ID
	moved, err := s.Swipe(s.chat, first, 1)
	if !moved || err != nil {
		t.Fatalf("to the second greeting: %t %v", moved, err)
	}
	if m := s.last(); m.At != 1 || strings.Contains(m.Content, "{{") {
		t.Errorf("after the swipe: %+v", m.Node)
	}
	s.say("Hello.")
	second := s.view().Messages[0].ID
	must(t, s.Goto(s.chat, first))
	if m := s.last(); m.ID != first {
		t.Errorf("at the end stands %+v", m)
	}
	moved, err = s.Swipe(s.chat, first, 1)
	if v := s.view(); !moved || err != nil || len(v.Messages) != 3 || v.Messages[0].ID != second {
		t.Errorf("a swipe leads down to the end of what was said there: %t %v, %d messages", moved, err, len(v.Messages))
	}
	if moved, err = s.Swipe(s.chat, first, -1); moved || err != nil {
		t.Errorf("before the first: %t %v", moved, err)
	}
	must(t, s.Goto(s.chat, s.nodes()[len(who.AlternateGreetings)].ID))
	if moved, err = s.Swipe(s.chat, s.last().ID, 1); moved || err != nil {
		t.Errorf("past the last greeting: %t %v", moved, err)
	}
	if err := s.Regenerate(s.chat, first); !errors.Is(err, ErrNothing) {
		t.Errorf("another greeting: %v", err)
	}
}

func TestSwipesAndBranches(t *testing.T) {
	t.Parallel()
	s := newStage(t, numbered).single()
	one := s.say("one")
	s.expect("greeting; one; reply 0 to one")
	s.wait(s.Regenerate(s.chat, one.Message))
	s.expect("greeting; one; reply 1 to one (2/2)")
	started := until(s, func(ev ReplyStarted) bool { return ev.Message.Siblings == 2 })
	if started.Message.At != 1 || started.Message.Parent != one.UserMessage || started.Message.Depth != 2 {
		t.Errorf("started as %+v", started.Message)
	}
	moved, err := s.Swipe(s.chat, started.Message.ID, -1)
	if !moved || err != nil {
		t.Fatal(moved, err)
	}
	s.expect("greeting; one; reply 0 to one (1/2)")
	two := s.say("two")
	s.expect("greeting; one; reply 0 to one (1/2); two; reply 0 to two")
	// Not at the end of the chat, so a swipe past the end does nothing.
	if moved, err = s.Swipe(s.chat, started.Message.ID, 1); moved || err != nil {
		t.Errorf("past the end in the middle: %t %v", moved, err)
	}
	if moved, err = s.Swipe(s.chat, two.Message, 1); !moved || err != nil {
		t.Fatal(moved, err)
	}
	s.wait(nil)
	s.expect("greeting; one; reply 0 to one (1/2); two; reply 1 to two (2/2)")

	must(t, s.Branch(s.chat, one.Message))
	s.expect("greeting; one; reply 0 to one (1/2)")
	if err := s.Branch(s.chat, one.Message); !errors.Is(err, ErrNothing) {
		t.Errorf("a branch at the end: %v", err)
	}
	must(t, s.Undo(s.chat)) // nothing was said there yet
	s.expect("greeting; one; reply 0 to one (1/2); two; reply 1 to two (2/2)")
	must(t, s.Branch(s.chat, one.Message))
	s.say("three")
	s.expect("greeting; one; reply 0 to one (1/2); three (2/2); reply 0 to three")
	must(t, s.Undo(s.chat)) // now something was
	s.expect("greeting; one; reply 0 to one (1/2); three (2/2); reply 0 to three")
	must(t, s.Goto(s.chat, two.UserMessage))
	s.expect("greeting; one; reply 0 to one (1/2); two (1/2); reply 1 to two (2/2)")
	s.wait(s.Regenerate(s.chat, two.UserMessage))
	s.expect("greeting; one; reply 0 to one (1/2); two (1/2); reply 2 to two (3/3)")
	if _, err := s.Swipe(s.chat, "nobody", 1); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a swipe of nothing: %v", err)
	}
	s.sound()
}

func TestRegenerate_FailureLeavesThingsAlone(t *testing.T) {
	t.Parallel()
	s := newStage(t, numbered).single()
	one := s.say("one")
	s.say("two")
	before, head := s.story(), s.view().Chat.Head
	s.spoil(rehearsal.Fault{Kind: rehearsal.Unavailable})
	for name, act := range map[string]func() error{
		"regenerate": func() error { return s.Regenerate(s.chat, one.Message) },
		"reply":      func() error { return s.Regenerate(s.chat, one.UserMessage) },
		"continue":   func() error { return s.Continue(s.chat) },
	} {
		must(t, act())
		if _, err := s.ended(); err == nil {
			t.Errorf("%s: no error", name)
		}
		ended := until[ReplyEnded](s, func(ev ReplyEnded) bool { return ev.Err != nil })
		if name == "continue" && (ended.Message.ID != head || ended.Message.State != storage.Complete || ended.Message.Content != "reply 0 to two") {
			t.Errorf("the reply that was to be continued is told as %+v", ended.Message)
		}
		if got := s.story(); got != before || s.view().Chat.Head != head || len(s.nodes()) != 5+greetings(s)-1 {
			t.Errorf("after a failed %s the story is %s", name, got)
		}
		if n := s.node(head); n.State != storage.Complete || n.Fault != "" {
			t.Errorf("after a failed %s the reply is %+v", name, n)
		}
	}
	s.sound()
}

func TestContinue(t *testing.T) {
	t.Parallel()
	s := newStage(t).single()
	if err := s.Continue(s.chat); err != nil {
		t.Errorf("a greeting can be continued as well: %v", err)
	}
	if turn := s.wait(nil); turn.Message != s.view().Messages[0].ID {
		t.Errorf("the greeting was not continued: %+v", turn)
	}
	s.spoil(rehearsal.Fault{Kind: rehearsal.Say, Text: "I think that \n"})
	first := s.say("one")
	s.spoil(rehearsal.Fault{Kind: rehearsal.Say, Text: " perhaps… "})
	must(t, s.Continue(s.chat))
	started := until(s, func(ev ReplyStarted) bool { return ev.Message.ID == first.Message && ev.Message.Content != "" })
	if started.Message.Content != first.Content {
		t.Errorf("it began with %q", started.Message.Content)
	}
	delta := until[ReplyDelta](s, nil)
	if delta.At != len(first.Content) {
		t.Errorf("the first piece is for byte %d of %d", delta.At, len(first.Content))
	}
	second := s.wait(nil)
	if want := first.Content + " perhaps… "; second.Content != want || second.Message != first.Message || s.node(first.Message).Content != want {
		t.Errorf("continued to %q, want %q", second.Content, want)
	}
	// What is continued stands last in the prompt, byte for byte.
	calls := s.house.Calls()
	last := calls[len(calls)-1].Messages
	if m := last[len(last)-1]; m.Role != storage.Assistant || m.Content != first.Content {
		t.Errorf("the prompt ends with %s %q", m.Role, m.Content)
	}
	s.spoil(rehearsal.Fault{Kind: rehearsal.Die, After: 2})
	must(t, s.Continue(s.chat))
	third, err := s.ended()
	if n := s.node(first.Message); err != nil || !strings.HasPrefix(n.Content, second.Content) || len(n.Content) == len(second.Content) || n.State != storage.Broken || third.Content != n.Content {
		t.Errorf("broken off: %v, %+v", err, n)
	}
	s.spoil(rehearsal.Fault{})
	user, err := s.Send(s.chat, "two") // and a continued reply is a reply like any other
	must(t, err)
	s.wait(nil)
	if v := s.view(); len(v.Messages) != 5 || s.node(user).Parent != first.Message {
		t.Errorf("the story is %s", s.story())
	}
	must(t, s.Branch(s.chat, user))
	if turn := s.wait(s.Continue(s.chat)); s.node(turn.Message).Parent != user {
		t.Error("after a message of the user, to continue is to reply")
	}
	s.sound()
}

func TestEdit(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := newStage(t, numbered, func(o *setup) { o.cfg.Now = clock.Now }).single()
	s.spoil(rehearsal.Fault{Kind: rehearsal.NoDone, After: 2})
	one := s.say("one")
	s.spoil(rehearsal.Fault{})
	clock.advance(time.Minute)
	must(t, s.Edit(s.chat, one.Message, " As I wish. \x1b[31m"))
	n := s.node(one.Message)
	if n.Content != " As I wish. \x1b[31m" || !n.EditedAt.Equal(clock.Now()) || n.State != storage.Complete || n.Fault != "" {
		t.Errorf("edited: %+v", n)
	}
	s.say("two")
	calls := s.house.Calls()
	if m := calls[len(calls)-1].Messages; !slices.ContainsFunc(m, func(n storage.Node) bool { return n.Content == " As I wish. \x1b[31m" }) {
		t.Error("the prompt does not hold the edited text")
	}
	if err := s.Edit(s.chat, "nobody", "x"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("editing nothing: %v", err)
	}
}

func TestDeleteAndUndo(t *testing.T) {
	t.Parallel()
	s := newStage(t, numbered).single()
	must(t, s.store.Update(func(tx *storage.Tx) error { return tx.PutSetting(undoKey(s.chat), nil) }))
	if err := s.Undo(s.chat); !errors.Is(err, ErrNoUndo) {
		t.Errorf("undoing nothing: %v", err)
	}
	one := s.say("one")
	two := s.say("two")
	full := "greeting; one; reply 0 to one; two; reply 0 to two"

	must(t, s.Delete(s.chat, one.Message, false))
	s.expect("greeting; one; two; reply 0 to two")
	if err := s.Edit(s.chat, two.UserMessage, "two"); err != nil {
		t.Fatal(err)
	}
	must(t, s.Undo(s.chat))
	s.expect(full)
	if err := s.Undo(s.chat); !errors.Is(err, ErrNoUndo) {
		t.Errorf("undoing twice: %v", err)
	}

	must(t, s.Delete(s.chat, two.Message, false))
	s.expect("greeting; one; reply 0 to one; two")
	must(t, s.Undo(s.chat))
	s.expect(full)

	s.wait(s.Regenerate(s.chat, one.Message)) // another branch, which stays
	s.expect("greeting; one; reply 1 to one (2/2)")
	must(t, s.Goto(s.chat, one.Message))
	must(t, s.Delete(s.chat, one.Message, true)) // there is another version
	s.expect("greeting; one; reply 1 to one")
	// What was deleted does not come back by another way.
	must(t, s.Goto(s.chat, one.UserMessage))
	s.expect("greeting; one; reply 1 to one")
	if hits, err := s.Search(s.chat, "two", 10); err != nil || len(hits) != 0 {
		t.Errorf("deleted messages are found: %+v %v", hits, err)
	}
	if _, tree, err := s.Tree(s.chat); err != nil || len(tree) != 3 {
		t.Errorf("the tree has %d messages, %v", len(tree), err)
	}
	s.say("three")
	must(t, s.Undo(s.chat)) // the head has moved since, and stays where it is
	s.expect("greeting; one; reply 1 to one (2/2); three; reply 0 to three")
	must(t, s.Goto(s.chat, one.Message))
	s.expect("greeting; one; reply 0 to one (1/2); two; reply 0 to two")

	must(t, s.Delete(s.chat, two.UserMessage, true))
	s.expect("greeting; one; reply 0 to one (1/2)")
	must(t, s.Undo(s.chat))
	s.expect("greeting; one; reply 0 to one (1/2); two; reply 0 to two")

	if err := s.Delete(s.chat, s.view().Messages[0].ID, true); !errors.Is(err, ErrNothing) {
		t.Errorf("deleting all: %v", err)
	}
	s.sound()
	s.reopen()
	s.expect("greeting; one; reply 0 to one (1/2); two; reply 0 to two")
}

func TestDeleteChat(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.say("a secret that nobody should find")
	must(t, s.DeleteChat(s.chat))
	if _, err := s.View(s.chat, 10); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the chat is still there: %v", err)
	}
	if sent, err := s.SentHistory(s.chat); err != nil || len(sent) != 0 {
		t.Errorf("what was sent is still there: %q %v", sent, err)
	}
	if err := s.DeleteChat(s.chat); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("deleting it twice: %v", err)
	}
	if _, err := s.Send(s.chat, "hello"); !errors.Is(err, storage.ErrNotFound) || s.Running(s.chat) {
		t.Errorf("sending into it: %v", err)
	}
	s.sound()
}

// hangPicture puts a picture at the end of the chat, as a finished capture does.
func (s *stage) hangPicture() {
	s.t.Helper()
	c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Chat: s.chat, Kind: "image", Status: storage.CaptureGenerating}
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		if err := storage.Captures.Put(tx, c.ID, c); err != nil {
			return err
		}
		return s.hang(c)(tx)
	}))
	s.emit(ChatChanged{s.chat})
}

func TestPictures_HungWhileReplyIsWritten(t *testing.T) {
	t.Run("before the first word", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, numbered).single()
		asked, answer := make(chan bool), make(chan bool)
		s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
			if c.Path == "/api/chat" {
				asked <- true
				<-answer
			}
			return rehearsal.Fault{}
		})
		user, err := s.Send(s.chat, "one")
		must(t, err)
		<-asked
		s.hangPicture()
		s.hangPicture()
		until[ReplyStarted](s, nil)
		s.expect("greeting; one; [picture]; [picture]; ") // with the reply, still empty
		answer <- true
		turn := s.wait(nil)
		s.spoilBy(nil)
		s.expect("greeting; one; [picture]; [picture]; reply 0 to one")
		if turn.UserMessage != user {
			t.Errorf("turn: %+v", turn)
		}
		s.wait(s.Regenerate(s.chat, turn.Message))
		s.expect("greeting; one; [picture]; [picture]; reply 1 to one (2/2)")
		s.hangPicture()
		moved, err := s.Swipe(s.chat, turn.Message, 1) // only a picture stands below
		if !moved || err != nil {
			t.Fatal(moved, err)
		}
		s.expect("greeting; one; [picture]; [picture]; reply 1 to one (2/2); [picture]")
		moved, err = s.Swipe(s.chat, s.view().Messages[4].ID, 1)
		if !moved || err != nil {
			t.Fatal(moved, err)
		}
		s.wait(nil)
		s.expect("greeting; one; [picture]; [picture]; reply 2 to one (3/3)")
		s.say("two")
		s.sound()
	})
	t.Run("in the middle of it", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, slow).single()
		s.spoil(rehearsal.Fault{Kind: rehearsal.Endless})
		_, reply := talking(s)
		s.waitStored(reply, 1)
		s.hangPicture()
		v := s.view()
		if n := len(v.Messages); n != 4 || v.Messages[2].ID != reply || v.Messages[3].Role != storage.SceneCapture || v.Running != reply {
			t.Errorf("the story is %s", s.story())
		}
		s.Stop(s.chat)
		s.wait(nil)
		if v = s.view(); len(v.Messages) != 4 || v.Messages[2].ID != reply || v.Chat.Head != v.Messages[3].ID {
			t.Errorf("the story is %s", s.story())
		}
		content := v.Messages[2].Content
		s.spoil(rehearsal.Fault{Kind: rehearsal.Say, Text: "More."})
		s.wait(s.Continue(s.chat))
		if v = s.view(); v.Messages[2].Content != content+"More." || len(v.Messages) != 4 {
			t.Errorf("the story is %s", s.story())
		}
		s.sound()
	})
	t.Run("and then nothing came", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, numbered).single()
		asked := make(chan bool)
		s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
			if c.Path != "/api/chat" {
				return rehearsal.Fault{}
			}
			asked <- true
			<-asked
			return rehearsal.Fault{Kind: rehearsal.Unavailable}
		})
		_, err := s.Send(s.chat, "one")
		must(t, err)
		<-asked
		s.hangPicture()
		asked <- true
		if _, err := s.ended(); err == nil {
			t.Fatal("a reply came")
		}
		s.expect("greeting; one; [picture]")
		s.spoilBy(nil)
		s.wait(s.Regenerate(s.chat, s.view().Messages[1].ID))
		s.expect("greeting; one; [picture]; reply 0 to one")
		s.sound()
	})
}
