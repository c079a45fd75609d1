package chats_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestBranches(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	one := s.Say("one")
	s.Say("two")
	enginetest.Must(t, s.Chats.Branch(s.Chat, one.Message))
	s.Say("other")
	enginetest.Must(t, s.Chats.NameBranch(s.Chat, s.View().Messages[3].ID, "  the other\nway "))
	b, err := s.Chats.Branches(s.Chat, false)
	if err != nil || len(b.Segments) != 3 || b.More != 0 {
		t.Fatalf("%v: %+v", err, b)
	}
	trunk, left, here := b.Segments[0], b.Segments[1], b.Segments[2]
	if trunk.Messages != 3 || trunk.Ends || !trunk.Shown {
		t.Errorf("the trunk is %+v", trunk)
	}
	if left.Level != 1 || left.Shown || left.Opening != "two" || left.Above != 0 || left.Messages != 2 {
		t.Errorf("what was left is %+v", left)
	}
	if here.Name != "the other way" || !here.Shown || here.Opening != "other" || here.At.IsZero() || here.Depth != 3 {
		t.Errorf("what is shown is %+v", here)
	}
	msgs, err := s.Chats.SegmentMessages(s.Chat, left.First, left.Last, 10)
	if err != nil || len(msgs) != 2 || msgs[0].Content != "two" {
		t.Errorf("%v: %+v", err, msgs)
	}
	if err := s.Chats.NameBranch(s.Chat, here.First, strings.Repeat("x", 201)); err == nil {
		t.Error("a name of 201 bytes is taken")
	}
	// A name belongs to the message and stays when its text changes.
	enginetest.Must(t, s.Chats.Edit(s.Chat, here.First, "another"))
	if b, _ = s.Chats.Branches(s.Chat, false); b.Segments[2].Name != "the other way" || b.Segments[2].Opening != "another" {
		t.Errorf("after an edit %+v", b.Segments[2])
	}
	enginetest.Must(t, s.Chats.Delete(s.Chat, left.First, true))
	if b, _ = s.Chats.Branches(s.Chat, false); len(b.Segments) != 2 || b.Segments[0].Messages != 3 || b.Segments[1].Messages != 2 {
		t.Errorf("after a deletion %+v", b.Segments)
	}
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	if b, _ = s.Chats.Branches(s.Chat, false); len(b.Segments) != 3 {
		t.Errorf("after it was undone %+v", b.Segments)
	}
}

func TestStitch(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	reply := s.Say("one")
	s.Say("two")
	made, err := s.Chats.CombineSwipes(s.Chat, reply.Message, "First half.\n\nSecond half.")
	enginetest.Must(t, err)
	last := s.Last()
	if last.ID != made || last.Content != "First half.\n\nSecond half." || last.Siblings != 2 || last.At != 1 || last.Role != storage.Assistant || last.State != storage.Complete {
		t.Errorf("the new take is %+v", last)
	}
	if b, _ := s.Chats.Branches(s.Chat, false); len(b.Segments) != 3 {
		t.Errorf("what followed the other take is %+v", b.Segments)
	}
	for name, err := range map[string]error{
		"no text": second(s.Chats.CombineSwipes(s.Chat, reply.Message, " \n")), "a line of the user's": second(s.Chats.CombineSwipes(s.Chat, s.View().Messages[1].ID, "x")),
		"no such take": second(s.Chats.CombineSwipes(s.Chat, "nobody", "x")),
	} {
		if err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	s.Say("three") // the play continues there
	if got := s.View().Messages; got[2].ID != made || len(got) != 5 {
		t.Errorf("afterwards %+v", got)
	}
}

func second[T any](_ T, err error) error { return err }
