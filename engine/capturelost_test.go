package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ghostlight/engine/pictures/capture"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// spoilCapture stores another version of a capture, as nobody but the program may.
func (s *stage) spoilCapture(id storage.CaptureID, f func(*storage.Capture)) {
	s.t.Helper()
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, id)
		if err != nil {
			return err
		}
		f(&c)
		return storage.Captures.Put(tx, id, c)
	}))
}

func TestRedoCapturePrompt_KeepsTheUsersWords(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.drafted(CaptureRequest{Words: "film grain", Camera: storage.Camera{Shot: "close"}})
	must(t, s.RedoCapturePrompt(c.ID))
	c = s.settledAs(c.ID, storage.CaptureDraft)
	if !strings.HasSuffix(c.Prompt, "film grain") || !strings.Contains(c.Prompt, "Close-up") {
		t.Errorf("the words about the camera are gone: %q", c.Prompt)
	}

	mine := small(c)
	mine.ImagePrompt, mine.NegativePrompt = "Tove, in my own words.", c.NegativePrompt+", hats"
	must(t, s.SaveCapture(c.ID, mine))
	s.spoil(rehearsal.Fault{Kind: rehearsal.Hang, After: 3})
	must(t, s.RedoCapturePrompt(c.ID))
	until(s, func(ev OperationProgress) bool { return ev.Capture == c.ID })
	must(t, s.CancelCapture(c.ID))
	if now := s.stored(c.ID); now.ImagePrompt != mine.ImagePrompt || now.NegativePrompt != mine.NegativePrompt {
		t.Errorf("another prompt was not written, and this is left: %+v", now)
	}
	s.idle(laneOllama)
	s.spoil(rehearsal.Fault{})
	must(t, s.RedoCapturePrompt(c.ID))
	now := s.settledAs(c.ID, storage.CaptureDraft)
	if now.ImagePrompt != "" || now.Prompt == "" || now.NegativePrompt != mine.NegativePrompt {
		t.Errorf("written anew: %+v", now)
	}
}

// A failed prompt that is tried again from the queue finds what the user has
// written in the meantime.
func TestCapturePrompt_RetryLeavesWhatTheUserWrote(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.spoil(rehearsal.Fault{Kind: rehearsal.Say, Text: "No."})
	c, err := s.Capture(s.chat, CaptureRequest{})
	must(t, err)
	c = s.settledAs(c.ID, storage.CaptureFailed)
	must(t, s.SaveCapture(c.ID, CaptureEdit{ImagePrompt: "My own.", NegativePrompt: "hats"}))
	s.spoil(rehearsal.Fault{})
	must(t, s.QueueRetry(s.operation(c.ID).ID))
	if now := s.settledAs(c.ID, storage.CaptureDraft); now.ImagePrompt != "My own." || now.NegativePrompt != "hats" || now.Prompt == "" {
		t.Errorf("after the retry: %+v", now)
	}
}

// A first answer that can be used is not lost with a second one that cannot.
func TestCapturePrompt_SecondAnswerIsWorse(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	asked := 0
	s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if len(c.Format) == 0 {
			return rehearsal.Fault{}
		}
		if asked++; asked == 1 {
			return rehearsal.Fault{Kind: rehearsal.Say, Text: `{"prompt": "Tove looks at the lamp for a while.", "negative_prompt": "blur", "reasoning": "short"}`}
		}
		return rehearsal.Fault{Kind: rehearsal.Say, Text: `{"prompt": 3}`}
	})
	c := s.drafted(CaptureRequest{})
	if asked != 2 || c.Prompt != "Tove looks at the lamp for a while." || len(c.Warnings) == 0 {
		t.Errorf("asked %d times: %+v", asked, c)
	}
}

// However many pictures hang below what was said last, what was said is found.
func TestCapture_BehindManyPictures(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for i := range 12 {
		s.say(fmt.Sprintf("Line %d.", i))
	}
	must(t, s.store.Update(func(tx *storage.Tx) error {
		chat, err := storage.Chats.Get(tx, s.chat)
		if err != nil {
			return err
		}
		for range 70 {
			n := storage.Node{Chat: s.chat, Parent: chat.Head, Role: storage.SceneCapture, State: storage.Complete, Capture: "gone", CreatedAt: time.Now()}
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			chat.Head = n.ID
		}
		return storage.Chats.Put(tx, s.chat, chat)
	}))
	s.drafted(CaptureRequest{})
	text := flat(s.asked()[len(s.asked())-1])
	at := -1
	for i := 7; i < 12; i++ {
		next := strings.Index(text, fmt.Sprintf("Line %d.", i))
		if next <= at {
			t.Errorf("line %d stands at %d after %d", i, next, at)
		}
		at = next
	}
	if strings.Contains(text, "Line 6.") || !strings.Contains(text, "[Message 1/10]") || !strings.Contains(text, "[Message 10/10]") {
		t.Errorf("the window is not ten messages: %s", text)
	}
	s.drafted(CaptureRequest{Requested: "the lamp"})
	if text := flat(s.asked()[len(s.asked())-1]); !strings.Contains(text, "[Message 3/3]") {
		t.Errorf("the window is not three messages: %s", text)
	}
}

// A picture hangs where its moment is, wherever the user is when it is finished.
func TestCapture_FinishedOnAnotherBranch(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		leave func(s *stage, at storage.NodeID) error
		hung  int
	}{
		"branched":  {func(s *stage, at storage.NodeID) error { return s.Branch(s.chat, s.node(s.node(at).Parent).Parent) }, 1},
		"swiped":    {func(s *stage, at storage.NodeID) error { s.wait(s.Regenerate(s.chat, at)); return nil }, 1},
		"deleted":   {func(s *stage, at storage.NodeID) error { return s.Delete(s.chat, at, true) }, 0},
		"taken out": {func(s *stage, at storage.NodeID) error { s.say("More."); return s.Delete(s.chat, at, false) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			s.say("Good evening.")
			at := s.last().ID
			c, err := s.Capture(s.chat, CaptureRequest{})
			must(t, err)
			_, err = s.QueueDrain(s.context())
			must(t, err)
			s.send(s.stored(c.ID), small(s.stored(c.ID)))
			must(t, test.leave(s, at))
			head := s.view().Chat.Head
			s.drainFeed()
			_, err = s.QueueDrain(s.context())
			must(t, err)
			c = s.stored(c.ID)
			if c.Status != storage.CaptureCompleted || s.hung(c.ID) != test.hung || len(s.files()) != 2 {
				t.Fatalf("hung %d times: %+v", s.hung(c.ID), c)
			}
			now := s.view().Chat.Head
			if here := name == "taken out"; (now == c.Node) != (here && test.hung == 1) || !here && now != head {
				t.Errorf("the head went from %s to %s, the picture is %s", head, now, c.Node)
			}
			if name == "branched" || name == "swiped" {
				if p := s.node(c.Node).Parent; p != at {
					t.Errorf("it hangs below %s, not %s", p, at)
				}
				s.drainFeed()
				if slices.ContainsFunc(s.seen, func(ev Event) bool { m, ok := ev.(MessageAdded); return ok && m.Message.ID == c.Node }) {
					t.Error("it was told of as part of the story that is shown")
				}
				must(t, s.Goto(s.chat, at))
				if s.view().Chat.Head != c.Node {
					t.Errorf("going back leads to %s", s.view().Chat.Head)
				}
			}
			s.sound()
		})
	}
}

// What a picture of one branch shows is not offered on another.
func TestContinuity_OfAnotherBranch(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	name := s.view().Character.Card.CharName()
	base := s.last().ID
	s.say("*I hand the scarf over.*")
	at := s.last().ID
	must(t, s.store.Update(func(tx *storage.Tx) error {
		f := storage.Fact{ID: storage.FactID(storage.NewID()), Kind: storage.FactClothes, Who: name, Text: "a red scarf", Source: storage.FactFromCapture, At: at}
		return storage.Facts.Put(tx, s.chat, f)
	}))
	told := func() bool {
		t.Helper()
		s.drafted(CaptureRequest{})
		return strings.Contains(flat(s.asked()[len(s.asked())-1]), "a red scarf")
	}
	if got, err := s.Contradictions(s.chat, name+" in a blue scarf."); err != nil || len(got) != 1 || !told() {
		t.Errorf("on its branch: %q %v", got, err)
	}
	must(t, s.Branch(s.chat, base))
	s.say("*I keep the scarf.*")
	if got, err := s.Contradictions(s.chat, name+" in a blue scarf."); err != nil || len(got) != 0 || told() {
		t.Errorf("on another one: %q %v", got, err)
	}
}

func TestCapture_RequestedOfSeveral(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	bea := s.joined("Bea")
	var who storage.Character
	err := s.store.View(func(tx *storage.Tx) (err error) { who, err = storage.Characters.Get(tx, bea); return err })
	must(t, err)
	who.Imagery.Appearance, who.Imagery.TriggerWord, who.Imagery.Workflow = "freckles and a brass monocle", "beastyle", "theirs"
	_, err = s.SaveCharacter(who)
	must(t, err)
	main := s.view().Character.Card.CharName()
	for request, is := range map[string]string{"a photo of you": "Bea", "Bea by the sea": "Bea", main + " by the sea": main} {
		s.sayTo("And now?", bea)
		c := s.drafted(CaptureRequest{Requested: request})
		text := flat(s.asked()[len(s.asked())-1])
		if !strings.Contains(text, "Name: "+is) || (c.Workflow == "theirs") != (is == "Bea") {
			t.Errorf("%q is not of %s: %+v", request, is, c)
		}
	}
	if c := s.drafted(CaptureRequest{}); c.Workflow == "theirs" {
		t.Error("a scene is of the chat's character")
	}
}

func TestSendBatch_SendsWhatIsThere(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.drafted(CaptureRequest{})
	must(t, s.SaveCapture(c.ID, CaptureEdit{ImagePrompt: "Seen first.", Width: 64, Height: 64}))
	written := false
	now, err := s.sendCapture(c.ID, func(c storage.Capture) (CaptureEdit, error) {
		if !written { // between the look and the sending
			written = true
			must(t, s.SaveCapture(c.ID, CaptureEdit{ImagePrompt: "Written since.", Width: 64, Height: 64}))
		}
		return asItStands(c)
	})
	if err != nil || now.ImagePrompt != "Written since." {
		t.Errorf("sent: %+v %v", now, err)
	}
	s.settledAs(c.ID, storage.CaptureCompleted)
	if _, err := s.sendCapture(c.ID, asItStands); !errors.Is(err, ErrNothing) || len(s.pictures()) != 1 {
		t.Errorf("a draft that has become a picture: %v", err)
	}
}

func TestCaptureBatch_AnglesOfAnOlderMoment(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	first := s.view().Messages[0]
	s.say("*I sit down.*")
	v := s.batched(BatchRequest{By: storage.ByAngles, At: first.ID, Angles: []string{"low", "high"}})
	for _, id := range v.Captures {
		if c := s.stored(id); c.At != first.ID {
			t.Errorf("taken at %s", c.At)
		}
	}
	if text := flat(s.asked()[len(s.asked())-1]); strings.Contains(text, "I sit down") {
		t.Error("it knows what came later")
	}
	for _, r := range []BatchRequest{{By: storage.ByAngles, At: "nowhere"}, {By: storage.ByScenes, At: first.ID}} {
		if _, err := s.CaptureBatch(s.chat, r); !errors.Is(err, ErrNothing) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// A prompt that is written and not sent leaves the chat's own out of the server's
// cache.
func TestCapturePrompt_CostsTheCache(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	s.drafted(CaptureRequest{})
	s.Engine.mu.Lock()
	defer s.Engine.mu.Unlock()
	if last := s.Engine.last; last.prompt != nil || len(last.messages) == 0 || !strings.Contains(last.messages[0].Content, "image generator") {
		t.Errorf("the server is thought to have read %+v", last.messages)
	}
}

func TestDeleteCapture_OfAChatThatIsGone(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.drafted(CaptureRequest{})
	s.spoilCapture(c.ID, func(c *storage.Capture) { c.Chat, c.Node = "gone", "gone" })
	if err := s.DeleteCapture(c.ID); err != nil {
		t.Error(err)
	}
}

func TestVariantOf_IsNothingOfTheJob(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	seed := int64(3)
	c := storage.Capture{ID: "c", Chat: s.chat, Prompt: "p", ImagePrompt: "i", Seed: &seed, Server: "http://there", Job: "j", FinalPrompt: "f", Batch: "b",
		Node: "n", ImageID: "c", ImagePath: "c.png", ThumbnailPath: "c_thumb.png", GenerationTime: 3, Waiting: true, Words: "film grain", Status: storage.CaptureCompleted}
	v := s.variantOf(c)
	if v.ID == c.ID || v.From != c.ID {
		t.Errorf("the variant: %+v", v)
	}
	want := storage.Capture{ID: v.ID, From: c.ID, Chat: s.chat, Prompt: "p", ImagePrompt: "i", Seed: &seed, Words: "film grain", Status: storage.CaptureCompleted, CreatedAt: v.CreatedAt}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkCancelCapture(b *testing.B) {
	s := newStage(b)
	s.say("*I lift the lamp.*") // the queue does not run
	must(b, s.store.Update(func(tx *storage.Tx) error {
		for range 5000 {
			if err := s.addCapture(tx, opCapturePrompt, captureParams{Capture: storage.CaptureID(storage.NewID()), Chat: s.chat}); err != nil {
				return err
			}
		}
		return nil
	}))
	for b.Loop() {
		c, err := s.Capture(s.chat, CaptureRequest{Kind: string(capture.Image)})
		must(b, err)
		must(b, s.CancelCapture(c.ID))
	}
}
