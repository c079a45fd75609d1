package pictures_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// spoilCapture stores another version of a capture, as nobody but the program may.
func (s *harness) spoilCapture(id storage.CaptureID, f func(*storage.Capture)) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
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
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{Words: "film grain", Camera: storage.Camera{Shot: "close"}})
	enginetest.Must(t, s.Pictures.RedoCapturePrompt(c.ID))
	c = s.SettledAs(c.ID, storage.CaptureDraft)
	if !strings.HasSuffix(c.Prompt, "film grain") || !strings.Contains(c.Prompt, "Close-up") {
		t.Errorf("the words about the camera are gone: %q", c.Prompt)
	}

	mine := enginetest.Small(c)
	mine.ImagePrompt, mine.NegativePrompt = "Tove, in my own words.", c.NegativePrompt+", hats"
	enginetest.Must(t, s.Pictures.SaveCapture(c.ID, mine))
	s.SpoilBy(hangsInAnswer)
	enginetest.Must(t, s.Pictures.RedoCapturePrompt(c.ID))
	enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Capture == c.ID })
	enginetest.Must(t, s.Pictures.CancelCapture(c.ID))
	if now := s.Stored(c.ID); now.ImagePrompt != mine.ImagePrompt || now.NegativePrompt != mine.NegativePrompt {
		t.Errorf("another prompt was not written, and this is left: %+v", now)
	}
	s.idle(queue.LaneOllama)
	s.SpoilBy(nil)
	enginetest.Must(t, s.Pictures.RedoCapturePrompt(c.ID))
	now := s.SettledAs(c.ID, storage.CaptureDraft)
	if now.ImagePrompt != "" || now.Prompt == "" || now.NegativePrompt != mine.NegativePrompt {
		t.Errorf("written anew: %+v", now)
	}
}

// A failed prompt that is tried again from the queue finds what the user has
// written in the meantime.
func TestCapturePrompt_RetryLeavesWhatTheUserWrote(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	s.Spoil(demo.Fault{Kind: demo.Say, Text: "No."})
	c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
	enginetest.Must(t, err)
	c = s.SettledAs(c.ID, storage.CaptureFailed)
	enginetest.Must(t, s.Pictures.SaveCapture(c.ID, pictures.CaptureEdit{ImagePrompt: "My own.", NegativePrompt: "hats"}))
	s.Spoil(demo.Fault{})
	enginetest.Must(t, s.Queue.Retry(s.operation(c.ID).ID))
	if now := s.SettledAs(c.ID, storage.CaptureDraft); now.ImagePrompt != "My own." || now.NegativePrompt != "hats" || now.Prompt == "" {
		t.Errorf("after the retry: %+v", now)
	}
}

// A first answer that can be used is not lost with a second one that cannot.
func TestCapturePrompt_SecondAnswerIsWorse(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	asked := 0
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if len(c.Format) == 0 {
			return demo.Fault{}
		}
		if asked++; asked == 1 {
			return demo.Fault{Kind: demo.Say, Text: `{"prompt": "Tove looks at the lamp for a while.", "negative_prompt": "blur", "reasoning": "short"}`}
		}
		return demo.Fault{Kind: demo.Say, Text: `{"prompt": 3}`}
	})
	c := s.Drafted(pictures.CaptureRequest{})
	if asked != 2 || !strings.HasPrefix(c.Prompt, "Tove looks at the lamp for a while.") || len(c.Warnings) == 0 {
		t.Errorf("asked %d times: %+v", asked, c)
	}
}

// However many pictures hang below what was said last, what was said is found.
func TestCapture_BehindManyPictures(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	for i := range 12 {
		s.Say(fmt.Sprintf("Line %d.", i))
	}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		chat, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		for range 70 {
			n := storage.Node{Chat: s.Chat, Parent: chat.Head, Role: storage.SceneCapture, State: storage.Complete, Capture: "gone", CreatedAt: time.Now()}
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			chat.Head = n.ID
		}
		return storage.Chats.Put(tx, s.Chat, chat)
	}))
	s.Drafted(pictures.CaptureRequest{})
	text := enginetest.Flat(s.Asked()[len(s.Asked())-1])
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
	s.Drafted(pictures.CaptureRequest{Requested: "the lamp"})
	if text := enginetest.Flat(s.Asked()[len(s.Asked())-1]); !strings.Contains(text, "[Message 10/10]") {
		t.Errorf("the window is not ten messages: %s", text)
	}
}

// A picture hangs where its moment is, wherever the user is when it is finished.
func TestCapture_FinishedOnAnotherBranch(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		leave func(s *harness, at storage.NodeID) error
		hung  int
	}{
		"branched": {func(s *harness, at storage.NodeID) error {
			return s.Chats.Branch(s.Chat, s.Node(s.Node(at).Parent).Parent)
		}, 1},
		"swiped":    {func(s *harness, at storage.NodeID) error { s.Wait(s.Play.Regenerate(s.Chat, at)); return nil }, 1},
		"deleted":   {func(s *harness, at storage.NodeID) error { return s.Chats.Delete(s.Chat, at, true) }, 0},
		"taken out": {func(s *harness, at storage.NodeID) error { s.Say("More."); return s.Chats.Delete(s.Chat, at, false) }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewHarness(t)})
			s.Say("Good evening.")
			at := s.Last().ID
			c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
			enginetest.Must(t, err)
			_, err = s.Queue.Drain(s.Context())
			enginetest.Must(t, err)
			s.Send(s.Stored(c.ID), enginetest.Small(s.Stored(c.ID)))
			enginetest.Must(t, test.leave(s, at))
			head := s.View().Chat.Head
			s.DrainFeed()
			_, err = s.Queue.Drain(s.Context())
			enginetest.Must(t, err)
			c = s.Stored(c.ID)
			if c.Status != storage.CaptureCompleted || s.Hung(c.ID) != test.hung || len(s.Files()) != 2 {
				t.Fatalf("hung %d times: %+v", s.Hung(c.ID), c)
			}
			now := s.View().Chat.Head
			if here := name == "taken out"; (now == c.Node) != (here && test.hung == 1) || !here && now != head {
				t.Errorf("the head went from %s to %s, the picture is %s", head, now, c.Node)
			}
			if name == "branched" || name == "swiped" {
				if p := s.Node(c.Node).Parent; p != at {
					t.Errorf("it hangs below %s, not %s", p, at)
				}
				s.DrainFeed()
				if slices.ContainsFunc(s.Seen, func(ev event.Event) bool { m, ok := ev.(chats.MessageAdded); return ok && m.Message.ID == c.Node }) {
					t.Error("it was told of as part of the story that is shown")
				}
				enginetest.Must(t, s.Chats.Goto(s.Chat, at))
				if s.View().Chat.Head != c.Node {
					t.Errorf("going back leads to %s", s.View().Chat.Head)
				}
			}
			s.Sound()
		})
	}
}

// What a picture of one branch shows is not offered on another.
func TestContinuity_OfAnotherBranch(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	name := s.View().Character.Card.CharName()
	base := s.Last().ID
	s.Say("*I hand the scarf over.*")
	at := s.Last().ID
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		f := storage.Fact{ID: storage.FactID(storage.NewID()), Kind: storage.FactClothes, Who: name, Text: "a red scarf", Source: storage.FactFromCapture, At: at}
		return storage.Facts.Put(tx, s.Chat, f)
	}))
	told := func() bool {
		t.Helper()
		s.Drafted(pictures.CaptureRequest{})
		return strings.Contains(enginetest.Flat(s.Asked()[len(s.Asked())-1]), "a red scarf")
	}
	if !told() {
		t.Error("it is not told on its branch")
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, base))
	s.Say("*I keep the scarf.*")
	if told() {
		t.Error("it is told on another one")
	}
}

func TestCapture_RequestedOfSeveral(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	bea := s.Joined("Bea")
	var who storage.Character
	err := s.Core().Store.View(func(tx *storage.Tx) (err error) { who, err = storage.Characters.Get(tx, bea); return err })
	enginetest.Must(t, err)
	who.Imagery.Appearance, who.Imagery.TriggerWord, who.Imagery.Workflow = "freckles and a brass monocle", "beastyle", "theirs"
	_, err = s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	main := s.View().Character.Card.CharName()
	for request, is := range map[string]string{"a photo of you": "Bea", "Bea by the sea": "Bea", main + " by the sea": main} {
		s.SayTo("And now?", bea)
		c := s.Drafted(pictures.CaptureRequest{Requested: request})
		text := enginetest.Flat(s.Asked()[len(s.Asked())-1])
		if !strings.Contains(text, "Name: "+is) || (c.Workflow == "theirs") != (is == "Bea") {
			t.Errorf("%q is not of %s: %+v", request, is, c)
		}
	}
	if c := s.Drafted(pictures.CaptureRequest{}); c.Workflow == "theirs" {
		t.Error("a scene is of the chat's character")
	}
}

func TestSendBatch_SendsWhatIsThere(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	enginetest.Must(t, s.Pictures.SaveCapture(c.ID, pictures.CaptureEdit{ImagePrompt: "Seen first.", Width: 64, Height: 64}))
	written := false
	now, err := pictures.SendCapture(s.Pictures, c.ID, func(c storage.Capture) (pictures.CaptureEdit, error) {
		if !written { // between the look and the sending
			written = true
			enginetest.Must(t, s.Pictures.SaveCapture(c.ID, pictures.CaptureEdit{ImagePrompt: "Written since.", Width: 64, Height: 64}))
		}
		return pictures.AsItStands(c)
	})
	if err != nil || now.ImagePrompt != "Written since." {
		t.Errorf("sent: %+v %v", now, err)
	}
	s.SettledAs(c.ID, storage.CaptureCompleted)
	if _, err := pictures.SendCapture(s.Pictures, c.ID, pictures.AsItStands); !errors.Is(err, failure.ErrRefused) || len(s.pictures()) != 1 {
		t.Errorf("a draft that has become a picture: %v", err)
	}
}

func TestCaptureBatch_AnglesOfAnOlderMoment(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	first := s.View().Messages[0]
	s.Say("*I sit down.*")
	v := s.batched(pictures.BatchRequest{By: storage.ByAngles, At: first.ID, Angles: []string{"low", "high"}})
	for _, id := range v.Captures {
		if c := s.Stored(id); c.At != first.ID {
			t.Errorf("taken at %s", c.At)
		}
	}
	if text := enginetest.Flat(s.Asked()[len(s.Asked())-1]); strings.Contains(text, "I sit down") {
		t.Error("it knows what came later")
	}
	for _, r := range []pictures.BatchRequest{{By: storage.ByAngles, At: "nowhere"}, {By: storage.ByScenes, At: first.ID}} {
		if _, err := s.Pictures.CaptureBatch(s.Chat, r); !errors.Is(err, failure.ErrRefused) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestDeleteCapture_OfAChatThatIsGone(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	s.spoilCapture(c.ID, func(c *storage.Capture) { c.Chat, c.Node = "gone", "gone" })
	if err := s.Pictures.DeleteCapture(c.ID); err != nil {
		t.Error(err)
	}
}

func TestVariantOf_IsNothingOfTheJob(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	seed := int64(3)
	c := storage.Capture{ID: "c", Chat: s.Chat, Prompt: "p", ImagePrompt: "i", Seed: &seed, Server: "http://there", Job: "j", FinalPrompt: "f", Batch: "b",
		Node: "n", ImageID: "c", ImagePath: "c.png", ThumbnailPath: "c_thumb.png", GenerationTime: 3, Waiting: true, Words: "film grain", Status: storage.CaptureCompleted}
	v := pictures.VariantOf(s.Pictures, c)
	if v.ID == c.ID || v.From != c.ID {
		t.Errorf("the variant: %+v", v)
	}
	want := storage.Capture{ID: v.ID, From: c.ID, Chat: s.Chat, Prompt: "p", ImagePrompt: "i", Seed: &seed, Words: "film grain", Status: storage.CaptureDraft, CreatedAt: v.CreatedAt}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
}

func BenchmarkCancelCapture(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	s.Say("*I lift the lamp.*") // the queue does not run
	enginetest.Must(b, s.Core().Store.Update(func(tx *storage.Tx) error {
		for range 5000 {
			if err := s.Pictures.QueueCapture(tx, pictures.OpCapturePrompt, pictures.CaptureParams{Capture: storage.CaptureID(storage.NewID()), Chat: s.Chat}); err != nil {
				return err
			}
		}
		return nil
	}))
	for b.Loop() {
		c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{Kind: string(capture.Image)})
		enginetest.Must(b, err)
		enginetest.Must(b, s.Pictures.CancelCapture(c.ID))
	}
}
