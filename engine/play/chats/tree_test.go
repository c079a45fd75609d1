package chats_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestGreetings(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	v := s.View()
	who := v.Character.Card
	if v.Messages[0].Siblings != 1+len(who.AlternateGreetings) || v.Messages[0].At != 0 {
		t.Fatalf("the greeting is %+v", v.Messages[0])
	}
	first := v.Messages[0].ID
	moved, err := s.Play.Swipe(s.Chat, first, 1)
	if !moved || err != nil {
		t.Fatalf("to the second greeting: %t %v", moved, err)
	}
	if m := s.Last(); m.At != 1 || strings.Contains(m.Content, "{{") {
		t.Errorf("after the swipe: %+v", m.Node)
	}
	s.Say("Hello.")
	second := s.View().Messages[0].ID
	enginetest.Must(t, s.Chats.Goto(s.Chat, first))
	if m := s.Last(); m.ID != first {
		t.Errorf("at the end stands %+v", m)
	}
	moved, err = s.Play.Swipe(s.Chat, first, 1)
	if v := s.View(); !moved || err != nil || len(v.Messages) != 3 || v.Messages[0].ID != second {
		t.Errorf("a swipe leads down to the end of what was said there: %t %v, %d messages", moved, err, len(v.Messages))
	}
	if moved, err = s.Play.Swipe(s.Chat, first, -1); moved || err != nil {
		t.Errorf("before the first: %t %v", moved, err)
	}
	enginetest.Must(t, s.Chats.Goto(s.Chat, s.Nodes()[len(who.AlternateGreetings)].ID))
	if moved, err = s.Play.Swipe(s.Chat, s.Last().ID, 1); moved || err != nil {
		t.Errorf("past the last greeting: %t %v", moved, err)
	}
	if err := s.Play.Regenerate(s.Chat, first); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("another greeting: %v", err)
	}
}

func TestSwipesAndBranches(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	one := s.Say("one")
	s.Expect("greeting; one; reply 0 to one")
	s.Wait(s.Play.Regenerate(s.Chat, one.Message))
	s.Expect("greeting; one; reply 1 to one (2/2)")
	started := enginetest.Until(s.Harness, func(ev play.ReplyStarted) bool { return ev.Message.Siblings == 2 })
	if started.Message.At != 1 || started.Message.Parent != one.UserMessage || started.Message.Depth != 2 {
		t.Errorf("started as %+v", started.Message)
	}
	moved, err := s.Play.Swipe(s.Chat, started.Message.ID, -1)
	if !moved || err != nil {
		t.Fatal(moved, err)
	}
	s.Expect("greeting; one; reply 0 to one (1/2)")
	two := s.Say("two")
	s.Expect("greeting; one; reply 0 to one (1/2); two; reply 0 to two")
	// Not at the end of the chat, so a swipe past the end does nothing.
	if moved, err = s.Play.Swipe(s.Chat, started.Message.ID, 1); moved || err != nil {
		t.Errorf("past the end in the middle: %t %v", moved, err)
	}
	if moved, err = s.Play.Swipe(s.Chat, two.Message, 1); !moved || err != nil {
		t.Fatal(moved, err)
	}
	s.Wait(nil)
	s.Expect("greeting; one; reply 0 to one (1/2); two; reply 1 to two (2/2)")

	enginetest.Must(t, s.Chats.Branch(s.Chat, one.Message))
	s.Expect("greeting; one; reply 0 to one (1/2)")
	if err := s.Chats.Branch(s.Chat, one.Message); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("a branch at the end: %v", err)
	}
	enginetest.Must(t, s.Chats.Undo(s.Chat)) // no message was added there yet
	s.Expect("greeting; one; reply 0 to one (1/2); two; reply 1 to two (2/2)")
	enginetest.Must(t, s.Chats.Branch(s.Chat, one.Message))
	s.Say("three")
	s.Expect("greeting; one; reply 0 to one (1/2); three (2/2); reply 0 to three")
	if err := s.Chats.Undo(s.Chat); !errors.Is(err, chats.ErrNoUndo) { // now something was
		t.Errorf("undoing a branch in which something was said: %v", err)
	}
	s.Expect("greeting; one; reply 0 to one (1/2); three (2/2); reply 0 to three")
	enginetest.Must(t, s.Chats.Goto(s.Chat, two.UserMessage))
	s.Expect("greeting; one; reply 0 to one (1/2); two (1/2); reply 1 to two (2/2)")
	s.Wait(s.Play.Regenerate(s.Chat, two.UserMessage))
	s.Expect("greeting; one; reply 0 to one (1/2); two (1/2); reply 2 to two (3/3)")
	if _, err := s.Play.Swipe(s.Chat, "nobody", 1); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("a swipe of nothing: %v", err)
	}
	s.Sound()
}

func TestRegenerate_FailureLeavesThingsAlone(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	one := s.Say("one")
	s.Say("two")
	before, head := s.Story(), s.View().Chat.Head
	s.Spoil(demo.Fault{Kind: demo.Unavailable})
	for name, act := range map[string]func() error{
		"regenerate": func() error { return s.Play.Regenerate(s.Chat, one.Message) },
		"reply":      func() error { return s.Play.Regenerate(s.Chat, one.UserMessage) },
		"continue":   func() error { return s.Play.Continue(s.Chat) },
	} {
		enginetest.Must(t, act())
		if _, err := s.Ended(); err == nil {
			t.Errorf("%s: no error", name)
		}
		ended := enginetest.Until[play.ReplyEnded](s.Harness, func(ev play.ReplyEnded) bool { return ev.Err != nil })
		if name == "continue" && (ended.Message.ID != head || ended.Message.State != storage.Complete || ended.Message.Content != "reply 0 to two") {
			t.Errorf("the reply that was to be continued is told as %+v", ended.Message)
		}
		if got := s.Story(); got != before || s.View().Chat.Head != head || len(s.Nodes()) != 5+enginetest.Greetings(s.Harness)-1 {
			t.Errorf("after a failed %s the story is %s", name, got)
		}
		if n := s.Node(head); n.State != storage.Complete || n.Fault != "" {
			t.Errorf("after a failed %s the reply is %+v", name, n)
		}
	}
	s.Sound()
}

func TestContinue(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t)}).Single()})
	if err := s.Play.Continue(s.Chat); err != nil {
		t.Errorf("a greeting can be continued as well: %v", err)
	}
	if turn := s.Wait(nil); turn.Message != s.View().Messages[0].ID {
		t.Errorf("the greeting was not continued: %+v", turn)
	}
	s.Spoil(demo.Fault{Kind: demo.Say, Text: "I think that \n"})
	first := s.Say("one")
	s.Spoil(demo.Fault{Kind: demo.Say, Text: " perhaps… "})
	enginetest.Must(t, s.Play.Continue(s.Chat))
	started := enginetest.Until(s.Harness, func(ev play.ReplyStarted) bool { return ev.Message.ID == first.Message && ev.Message.Content != "" })
	if started.Message.Content != first.Content {
		t.Errorf("it began with %q", started.Message.Content)
	}
	delta := enginetest.Until[play.ReplyDelta](s.Harness, nil)
	if delta.At != len(first.Content) {
		t.Errorf("the first piece is for byte %d of %d", delta.At, len(first.Content))
	}
	second := s.Wait(nil)
	if want := first.Content + " perhaps… "; second.Content != want || second.Message != first.Message || s.Node(first.Message).Content != want {
		t.Errorf("continued to %q, want %q", second.Content, want)
	}
	// A reply to be continued is last in the prompt, byte for byte.
	calls := s.Servers.Calls()
	last := calls[len(calls)-1].Messages
	if m := last[len(last)-1]; m.Role != storage.Assistant || m.Content != first.Content {
		t.Errorf("the prompt ends with %s %q", m.Role, m.Content)
	}
	s.Spoil(demo.Fault{Kind: demo.Die, After: 2})
	enginetest.Must(t, s.Play.Continue(s.Chat))
	third, err := s.Ended()
	if n := s.Node(first.Message); err != nil || !strings.HasPrefix(n.Content, second.Content) || len(n.Content) == len(second.Content) || n.State != storage.Broken || third.Content != n.Content {
		t.Errorf("broken off: %v, %+v", err, n)
	}
	s.Spoil(demo.Fault{})
	user, err := s.Play.Send(s.Chat, "two") // and a continued reply is a reply like any other
	enginetest.Must(t, err)
	s.Wait(nil)
	if v := s.View(); len(v.Messages) != 5 || s.Node(user).Parent != first.Message {
		t.Errorf("the story is %s", s.Story())
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, user))
	if turn := s.Wait(s.Play.Continue(s.Chat)); s.Node(turn.Message).Parent != user {
		t.Error("after a message of the user, to continue is to reply")
	}
	s.Sound()
}

func TestEdit(t *testing.T) {
	t.Parallel()
	clock := enginetest.NewClock()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered, func(o *enginetest.Setup) { o.Cfg.Now = clock.Now })}).Single()})
	s.Spoil(demo.Fault{Kind: demo.NoDone, After: 2})
	one := s.Say("one")
	s.Spoil(demo.Fault{})
	clock.Advance(time.Minute)
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, " As I wish. \x1b[31m"))
	n := s.Node(one.Message)
	if n.Content != " As I wish. \x1b[31m" || !n.EditedAt.Equal(clock.Now()) || n.State != storage.Complete || n.Fault != "" {
		t.Errorf("edited: %+v", n)
	}
	s.Say("two")
	calls := s.Servers.Calls()
	if m := calls[len(calls)-1].Messages; !slices.ContainsFunc(m, func(n storage.Node) bool { return n.Content == " As I wish. \x1b[31m" }) {
		t.Error("the prompt does not hold the edited text")
	}
	if err := s.Chats.Edit(s.Chat, "nobody", "x"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("editing nothing: %v", err)
	}
}

func TestDeleteAndUndo(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	if err := s.Chats.Undo(s.Chat); !errors.Is(err, chats.ErrNoUndo) {
		t.Errorf("undoing nothing: %v", err)
	}
	one := s.Say("one")
	two := s.Say("two")
	full := "greeting; one; reply 0 to one; two; reply 0 to two"

	enginetest.Must(t, s.Chats.Delete(s.Chat, one.Message, false))
	s.Expect("greeting; one; two; reply 0 to two")
	if err := s.Chats.Edit(s.Chat, two.UserMessage, "two"); err != nil {
		t.Fatal(err)
	}
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.Expect(full)
	if err := s.Chats.Undo(s.Chat); !errors.Is(err, chats.ErrNoUndo) {
		t.Errorf("undoing twice: %v", err)
	}

	enginetest.Must(t, s.Chats.Delete(s.Chat, two.Message, false))
	s.Expect("greeting; one; reply 0 to one; two")
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.Expect(full)

	s.Wait(s.Play.Regenerate(s.Chat, one.Message)) // another branch, which stays
	s.Expect("greeting; one; reply 1 to one (2/2)")
	enginetest.Must(t, s.Chats.Goto(s.Chat, one.Message))
	enginetest.Must(t, s.Chats.Delete(s.Chat, one.Message, true)) // there is another version
	s.Expect("greeting; one; reply 1 to one")
	// Deleted messages do not come back by another way.
	enginetest.Must(t, s.Chats.Goto(s.Chat, one.UserMessage))
	s.Expect("greeting; one; reply 1 to one")
	if hits := s.Search(chats.Search{Chat: s.Chat, Text: "two"}); len(hits) != 0 {
		t.Errorf("deleted messages are found: %+v", hits)
	}
	if _, tree, err := s.Chats.Tree(s.Chat); err != nil || len(tree) != 3 {
		t.Errorf("the tree has %d messages, %v", len(tree), err)
	}
	s.Say("three")
	enginetest.Must(t, s.Chats.Undo(s.Chat)) // the head has moved since, and stays there
	s.Expect("greeting; one; reply 1 to one (2/2); three; reply 0 to three")
	enginetest.Must(t, s.Chats.Goto(s.Chat, one.Message))
	s.Expect("greeting; one; reply 0 to one (1/2); two; reply 0 to two")

	enginetest.Must(t, s.Chats.Delete(s.Chat, two.UserMessage, true))
	s.Expect("greeting; one; reply 0 to one (1/2)")
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.Expect("greeting; one; reply 0 to one (1/2); two; reply 0 to two")

	if err := s.Chats.Delete(s.Chat, s.View().Messages[0].ID, true); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("deleting all: %v", err)
	}
	s.Sound()
	s.Reopen()
	s.Expect("greeting; one; reply 0 to one (1/2); two; reply 0 to two")
}

func TestDeleteChat(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Say("a secret that nobody should find")
	enginetest.Must(t, s.Play.DeleteChat(s.Chat))
	if _, err := s.Play.View(s.Chat, 10); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the chat is still there: %v", err)
	}
	if sent, err := s.Chats.SentHistory(s.Chat); err != nil || len(sent) != 0 {
		t.Errorf("what was sent is still there: %q %v", sent, err)
	}
	if err := s.Play.DeleteChat(s.Chat); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("deleting it twice: %v", err)
	}
	if _, err := s.Play.Send(s.Chat, "hello"); !errors.Is(err, storage.ErrNotFound) || s.Play.Running(s.Chat) {
		t.Errorf("sending into it: %v", err)
	}
	s.Sound()
}

func TestPictures_HungWhileReplyIsWritten(t *testing.T) {
	t.Run("before the first word", func(t *testing.T) {
		t.Parallel()
		s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
		asked, answer := make(chan bool), make(chan bool)
		s.SpoilBy(func(c demo.Call) demo.Fault {
			if c.Path == "/api/chat" {
				asked <- true
				<-answer
			}
			return demo.Fault{}
		})
		user, err := s.Play.Send(s.Chat, "one")
		enginetest.Must(t, err)
		<-asked
		s.HangPicture()
		s.HangPicture()
		enginetest.Until[play.ReplyStarted](s.Harness, nil)
		s.Expect("greeting; one; [picture]; [picture]; ") // with the reply, still empty
		answer <- true
		turn := s.Wait(nil)
		s.SpoilBy(nil)
		s.Expect("greeting; one; [picture]; [picture]; reply 0 to one")
		if turn.UserMessage != user {
			t.Errorf("turn: %+v", turn)
		}
		s.Wait(s.Play.Regenerate(s.Chat, turn.Message))
		s.Expect("greeting; one; [picture]; [picture]; reply 1 to one (2/2)")
		s.HangPicture()
		moved, err := s.Play.Swipe(s.Chat, turn.Message, 1) // only a picture is below
		if !moved || err != nil {
			t.Fatal(moved, err)
		}
		s.Expect("greeting; one; [picture]; [picture]; reply 1 to one (2/2); [picture]")
		moved, err = s.Play.Swipe(s.Chat, s.View().Messages[4].ID, 1)
		if !moved || err != nil {
			t.Fatal(moved, err)
		}
		s.Wait(nil)
		s.Expect("greeting; one; [picture]; [picture]; reply 2 to one (3/3)")
		s.Say("two")
		s.Sound()
	})
	t.Run("in the middle of it", func(t *testing.T) {
		t.Parallel()
		s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Slow)}).Single()})
		s.Spoil(demo.Fault{Kind: demo.Endless})
		_, reply := enginetest.Talking(s.Harness)
		s.WaitStored(reply, 1)
		s.HangPicture()
		v := s.View()
		if n := len(v.Messages); n != 4 || v.Messages[2].ID != reply || v.Messages[3].Role != storage.SceneCapture || v.Running != reply {
			t.Errorf("the story is %s", s.Story())
		}
		s.Play.Stop(s.Chat)
		s.Wait(nil)
		if v = s.View(); len(v.Messages) != 4 || v.Messages[2].ID != reply || v.Chat.Head != v.Messages[3].ID {
			t.Errorf("the story is %s", s.Story())
		}
		content := v.Messages[2].Content
		s.Spoil(demo.Fault{Kind: demo.Say, Text: "More."})
		s.Wait(s.Play.Continue(s.Chat))
		if v = s.View(); v.Messages[2].Content != content+"More." || len(v.Messages) != 4 {
			t.Errorf("the story is %s", s.Story())
		}
		s.Sound()
	})
	t.Run("and then nothing came", func(t *testing.T) {
		t.Parallel()
		s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
		asked := make(chan bool)
		s.SpoilBy(func(c demo.Call) demo.Fault {
			if c.Path != "/api/chat" {
				return demo.Fault{}
			}
			asked <- true
			<-asked
			return demo.Fault{Kind: demo.Unavailable}
		})
		_, err := s.Play.Send(s.Chat, "one")
		enginetest.Must(t, err)
		<-asked
		s.HangPicture()
		asked <- true
		if _, err := s.Ended(); err == nil {
			t.Fatal("a reply came")
		}
		s.Expect("greeting; one; [picture]")
		s.SpoilBy(nil)
		s.Wait(s.Play.Regenerate(s.Chat, s.View().Messages[1].ID))
		s.Expect("greeting; one; [picture]; reply 0 to one")
		s.Sound()
	})
}
