package chats_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// changes returns the changes of the chat in a few words, the newest first.
func (s *harness) changes() string {
	s.T.Helper()
	list, err := s.Chats.Changes(s.Chat, "")
	enginetest.Must(s.T, err)
	var words []string
	for i, c := range list {
		if c.Number != i+1 {
			s.T.Errorf("change %d has the number %d", i+1, c.Number)
		}
		w := string(c.Kind)
		if c.Was+c.Now != "" {
			w += fmt.Sprintf(" %q→%q", c.Was, c.Now)
		}
		for mark, on := range map[string]bool{" undone": c.Undone, " spent": c.Spent} {
			if on {
				w += mark
			}
		}
		if c.Next {
			w = "*" + w
		}
		if c.Redo {
			w = "+" + w
		}
		words = append(words, w)
	}
	return strings.Join(words, "; ")
}

func (s *harness) expectChanges(want string) {
	s.T.Helper()
	if got := s.changes(); got != want {
		s.T.Errorf("changes:\n%s\nwant:\n%s", got, want)
	}
}

// Every change of a chat is undone in its order, also after the program was closed, and
// done again in the other one.
func TestUndo_OneListAcrossSessions(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	one, two := s.Say("one"), s.Say("two")
	full := "greeting; one; reply 0 to one; two; reply 0 to two"
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, "first"))
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, "second"))
	enginetest.Must(t, s.Chats.NameBranch(s.Chat, two.UserMessage, "the quay"))
	enginetest.Must(t, s.Chats.Delete(s.Chat, two.Message, false))
	enginetest.Must(t, s.Chats.Branch(s.Chat, one.Message))
	s.expectChanges(`*branch; delete "reply 0 to two"→""; name ""→"the quay"; edit "first"→"second"; edit "reply 0 to one"→"first"`)
	s.Reopen()

	for i, want := range []string{
		"greeting; one; second; two", // the branch
		"greeting; one; second; two; reply 0 to two",
		"greeting; one; second; two; reply 0 to two", // the name
		"greeting; one; first; two; reply 0 to two",
		full,
	} {
		back, err := s.Chats.StepBack(s.Chat)
		enginetest.Must(t, err)
		s.Expect(want)
		if kinds := []storage.ChangeKind{"branch", "delete", "name", "edit", "edit"}; back.Kind != kinds[i] {
			t.Errorf("step %d took back %+v", i, back)
		}
	}
	if err := s.Chats.Undo(s.Chat); !errors.Is(err, chats.ErrNoUndo) {
		t.Errorf("before the first: %v", err)
	}
	if n := s.Node(one.Message); !n.EditedAt.IsZero() {
		t.Error("the reply says what it said, and is marked as edited")
	}
	s.expectChanges(`branch undone; delete "reply 0 to two"→"" undone; name ""→"the quay" undone; edit "first"→"second" undone; +edit "reply 0 to one"→"first" undone`)
	s.Reopen()
	for range 4 {
		_, err := s.Chats.StepForward(s.Chat)
		enginetest.Must(t, err)
	}
	s.Expect("greeting; one; second; two")
	_, err := s.Chats.StepForward(s.Chat)
	enginetest.Must(t, err)
	s.Expect("greeting; one; second")
	if _, err := s.Chats.StepForward(s.Chat); !errors.Is(err, chats.ErrNoRedo) {
		t.Errorf("after the last: %v", err)
	}
	s.Sound()
}

// A change after others were undone makes them impossible to redo, and no text of either is lost.
func TestUndo_RedoEndsWithAnotherChange(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	one := s.Say("one")
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, "a"))
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, "b"))
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, "c"))
	if _, err := s.Chats.StepForward(s.Chat); !errors.Is(err, chats.ErrNoRedo) {
		t.Errorf("redo after another change: %v", err)
	}
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.Expect("greeting; one; a")
	s.expectChanges(`+edit "a"→"c" undone; edit "a"→"b" undone; *edit "reply 0 to one"→"a"`)
	_, err := s.Chats.StepForward(s.Chat)
	enginetest.Must(t, err)
	s.Expect("greeting; one; c")
	if _, err := s.Chats.StepForward(s.Chat); !errors.Is(err, chats.ErrNoRedo) {
		t.Errorf("what another change had ended is done again: %v", err)
	}
	list, err := s.Chats.Changes(s.Chat, one.Message)
	enginetest.Must(t, err)
	lost := list[slices.IndexFunc(list, func(c chats.Change) bool { return c.Undone })]
	enginetest.Must(t, s.Chats.Restore(s.Chat, lost.ID)) // the text that was undone
	s.Expect("greeting; one; b")
}

// Every earlier text of a message can be brought back singly, and that can be undone.
func TestRestore(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	s.Spoil(demo.Fault{Kind: demo.NoDone, After: 2})
	one := s.Say("one")
	s.Spoil(demo.Fault{})
	broken := s.Node(one.Message)
	if broken.State == storage.Complete || broken.Fault == "" {
		t.Fatalf("the reply is whole: %+v", broken)
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, "whole"))
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.UserMessage, "uno"))
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, "better"))

	texts, err := s.Chats.Changes(s.Chat, one.Message)
	enginetest.Must(t, err)
	if len(texts) != 2 || texts[0].Lost() != "whole" || texts[1].Lost() != broken.Content || texts[1].Name == "" || texts[1].Position != 3 {
		t.Fatalf("the earlier texts: %+v", texts)
	}
	found, err := s.Chats.FindChange(s.Chat, strings.ToLower(string(texts[1].ID)))
	if err != nil || found.ID != texts[1].ID {
		t.Errorf("found by its id: %+v, %v", found, err)
	}
	if found, err = s.Chats.FindChange(s.Chat, "3"); err != nil || found.ID != texts[1].ID {
		t.Errorf("found by its number: %+v, %v", found, err)
	}
	for _, ref := range []string{"9", "", "0", "-1", string(texts[1].ID) + "0", string(texts[1].ID)[:3]} {
		var missing *failure.Missing
		if _, err := s.Chats.FindChange(s.Chat, ref); !errors.As(err, &missing) {
			t.Errorf("found by %q: %v", ref, err)
		}
	}
	enginetest.Must(t, s.Chats.Restore(s.Chat, texts[1].ID))
	s.Expect("greeting; uno; " + broken.Content)
	if err := s.Chats.Restore(s.Chat, texts[1].ID); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("restored what is there: %v", err)
	}
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.Expect("greeting; uno; better")
	for range 3 {
		enginetest.Must(t, s.Chats.Undo(s.Chat))
	}
	if n := s.Node(one.Message); n.Content != broken.Content || n.State != broken.State || n.Fault != broken.Fault {
		t.Errorf("undone: %+v", n)
	}
	enginetest.Must(t, s.Chats.Delete(s.Chat, one.Message, false))
	list, err := s.Chats.Changes(s.Chat, one.Message)
	enginetest.Must(t, err)
	for _, c := range list {
		if err := s.Chats.Restore(s.Chat, c.ID); !errors.Is(err, failure.ErrRefused) {
			t.Errorf("restored from %+v: %v", c, err)
		}
	}
	if err := s.Chats.Restore(s.Chat, "nothing"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("restored from nothing: %v", err)
	}
	s.Sound()
}

// Changes in the old format become the beginning of the list.
func TestUndo_OfBefore(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	one := s.Say("one")
	two := s.Say("two")
	enginetest.Must(t, s.Chats.Delete(s.Chat, two.Message, false))
	s.ForgetChanges()
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		old := fmt.Sprintf(`{"nodes":[%q],"from":%q,"to":%q}`, two.Message, two.Message, two.UserMessage)
		return tx.PutSetting(chats.UndoKey(s.Chat), json.RawMessage(old))
	}))
	s.expectChanges(`*delete "reply 0 to two"→""`) // reading alone changes nothing
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, "edited"))
	s.expectChanges(`*edit "reply 0 to one"→"edited"; delete "reply 0 to two"→""`)
	s.Reopen()
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.Expect("greeting; one; reply 0 to one; two; reply 0 to two")
	if err := s.Chats.Undo(s.Chat); !errors.Is(err, chats.ErrNoUndo) {
		t.Errorf("undone thrice: %v", err)
	}
}

// The list is limited in changes and in bytes, and is deleted with its chat.
func TestUndo_Bounds(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	one := s.Say("one")
	for i := range 103 {
		enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, fmt.Sprint("text ", i)))
	}
	list, err := s.Chats.Changes(s.Chat, "")
	enginetest.Must(t, err)
	if len(list) != 100 || list[0].Now != "text 102" || list[99].Was != "text 2" {
		t.Errorf("%d changes, from %q to %q", len(list), list[len(list)-1].Was, list[0].Now)
	}
	for i := range 4 {
		enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, strings.Repeat(fmt.Sprint(i), 300_000)))
	}
	if list, err = s.Chats.Changes(s.Chat, ""); err != nil || len(list) != 1 && len(list) != 2 {
		t.Errorf("%d changes of a megabyte, %v", len(list), err)
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, strings.Repeat("x", 3_000_000))) // the newest is kept whatever it has
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	if got := s.Node(one.Message).Content; got != strings.Repeat("3", 300_000) {
		t.Errorf("undone to %.20s", got)
	}
	enginetest.Must(t, s.Play.DeleteChat(s.Chat))
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		for range storage.Changes.All(tx, s.Chat) {
			t.Error("the chat is gone, and its changes are there")
		}
		return nil
	}))
}

// A reply that was written on after it was edited loses nothing when the edit is undone.
func TestUndo_OfAnEditThatWasWrittenOn(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	one := s.Say("one")
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, "edited"))
	s.Wait(s.Play.Continue(s.Chat))
	grown := s.Last().Content
	if grown == "edited" || !strings.HasPrefix(grown, "edited") {
		t.Fatalf("written on: %q", grown)
	}
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.Expect("greeting; one; reply 0 to one")
	_, err := s.Chats.StepForward(s.Chat)
	enginetest.Must(t, err)
	s.Expect("greeting; one; " + grown)
}

// How the model is asked is in the same list as all other changes of the chat.
func TestUndo_HowTheModelIsAsked(t *testing.T) {
	t.Parallel()
	s := (&harness{(&harness{enginetest.NewHarness(t, enginetest.Numbered)}).Single()})
	one := s.Say("one")
	half, most := 0.5, 20
	enginetest.Must(t, s.Chats.SetSampling(s.Chat, "min_p", "0.1"))
	enginetest.Must(t, s.Chats.SetSampling(s.Chat, "num_predict", "300"))
	enginetest.Must(t, s.Chats.Edit(s.Chat, one.Message, "first"))
	enginetest.Must(t, s.Chats.UseSampling(s.Chat, storage.Profile{Temperature: &half, TopK: &most, Stop: []string{"a, b"}}))
	enginetest.Must(t, s.Chats.UseSampling(s.Chat, storage.Profile{Temperature: &half, TopK: &most}))
	says := func(want string) {
		t.Helper()
		c, err := s.Chats.Find(string(s.Chat))
		enginetest.Must(t, err)
		var got []string
		for _, name := range models.SamplingNames() {
			if v := models.SamplingText(c.Sampling, name); v != "" {
				got = append(got, name+" "+v)
			}
		}
		if is := strings.Join(got, "; "); is != want {
			t.Errorf("the chat says %q, want %q", is, want)
		}
	}
	// Samplers that a preset does not set are removed, and values that are not samplers stay.
	all := `temperature 0.5; num_predict 300; top_k 20; stop a\, b`
	says(all)
	s.expectChanges(`*sampling "temperature -, top_k -, min_p 0.1, stop -"→"temperature 0.5, top_k 20, min_p -, stop a\\, b"; edit "reply 0 to one"→"first"; sampling "num_predict -"→"num_predict 300"; sampling "min_p -"→"min_p 0.1"`)
	s.Reopen()
	for _, want := range []string{"num_predict 300; min_p 0.1", "num_predict 300; min_p 0.1", "min_p 0.1", ""} {
		back, err := s.Chats.StepBack(s.Chat)
		enginetest.Must(t, err)
		if back.Kind == storage.ChangeSampling && back.Text() != "changed the sampling settings" {
			t.Error(back.Text())
		}
		says(want)
	}
	s.Expect("greeting; one; reply 0 to one")
	s.Reopen()
	for _, want := range []string{"min_p 0.1", "num_predict 300; min_p 0.1", "num_predict 300; min_p 0.1", all} {
		_, err := s.Chats.StepForward(s.Chat)
		enginetest.Must(t, err)
		says(want)
	}
	// A value that no server could use changes nothing, and is not recorded.
	if err := s.Chats.UseSampling(s.Chat, storage.Profile{NumPredict: 1 << 20}); err == nil {
		t.Error("it was taken")
	}
	says(all)
	s.Sound()
}
