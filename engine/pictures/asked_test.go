package pictures_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// wants returns the answer of a pass that only asks whether a picture is wanted.
func wants(kind, subject string) []any {
	return []any{enginetest.Object{"picture": enginetest.Object{"kind": kind, "subject": subject}}}
}

// asking has the pass ask whether a picture is wanted, and the model say that one is.
func asking(o *enginetest.Setup) {
	o.Cfg.Images.Off = false
	enginetest.Answering(map[demo.Job][]any{demo.AfterTurnJob: wants("image", "the lighthouse")})(o)
}

// passes returns the requests that have asked what is wanted.
func (s *harness) passes() (out []demo.Call) {
	for _, c := range s.Asked() {
		if c.Job() == demo.AfterTurnJob {
			out = append(out, c)
		}
	}
	return out
}

// pictures returns the captures of the harness's chat, oldest first.
func (s *harness) pictures() []storage.Capture {
	s.T.Helper()
	list, err := s.Pictures.Captures(s.Chat)
	enginetest.Must(s.T, err)
	slices.Reverse(list)
	return list
}

// Where every other part of the pass is off, it asks this alone, at the end of the chat's
// prompt, and the picture shows the moment of the reply.
func TestAsked_InThePassAlone(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, asking)})
	turn := s.Say("Could you draw the lighthouse for me?")
	s.Worked()
	list := s.pictures()
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	if c := list[0]; c.Kind != "image" || !c.Asked || c.Requested != "the lighthouse" || c.At != turn.Message || c.Status != storage.CaptureDraft || c.Prompt == "" {
		t.Errorf("%+v", c)
	}
	asked := s.passes()
	if len(asked) != 1 || string(asked[0].Format) == "" || strings.Contains(string(asked[0].Format), "memories") {
		t.Fatalf("%d passes, %s", len(asked), asked[0].Format)
	}
	last := asked[0].Messages[len(asked[0].Messages)-1].Content
	if !strings.Contains(last, "beginning “Could you draw the lighthouse") || !strings.Contains(last, "- picture:") || strings.Contains(last, "- director:") {
		t.Errorf("%s", last)
	}
}

func TestAsked_Confirmation(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, asking)})
	s.Say("Send me a photo of the stage.")
	ev := enginetest.Until[pictures.PictureRequested](s.Harness, nil)
	c := s.Stored(ev.Capture.ID)
	if c.Status != storage.CaptureDraft || !c.Asked || c.Prompt == "" {
		t.Fatalf("%+v", c)
	}
	if _, err := s.Pictures.ConfirmRequested(c.ID); err != nil {
		t.Fatal(err)
	}
	c = s.SettledAs(c.ID, storage.CaptureCompleted)
	m := s.Last()
	if m.Role != storage.SceneCapture || !m.Requested() || m.Content != "" || m.Picture.ID != c.ID {
		t.Errorf("shown as %+v", m)
	}
	if _, err := s.Pictures.ConfirmRequested(c.ID); err == nil {
		t.Error("a picture was confirmed again")
	}
	other := s.Drafted(pictures.CaptureRequest{})
	if _, err := s.Pictures.ConfirmRequested(other.ID); err == nil {
		t.Error("a scene was painted without a look")
	}
	s.Say("Thank you.")
	for _, call := range s.Asked() {
		for _, m := range call.Messages {
			if m.Content == "" || m.Role == storage.SceneCapture || strings.Contains(m.Content, c.Prompt) {
				t.Errorf("the picture reached a language model: %+v", m)
			}
		}
	}
}

func TestAsked_WithoutConfirmation(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, asking, func(o *enginetest.Setup) { o.Cfg.Images.Unasked = true })})
	s.Say("Send me a photo of the stage.")
	ev := enginetest.Until(s.Harness, func(ev chats.MessageAdded) bool { return ev.Message.Capture != "" })
	if !ev.Message.Requested() {
		t.Errorf("%+v", ev.Message)
	}
	s.DrainFeed()
	for _, ev := range s.Seen {
		if _, ok := ev.(pictures.PictureRequested); ok {
			t.Error("it was asked for a look")
		}
	}
}

func TestAsked_Off(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, asking, func(o *enginetest.Setup) { o.Cfg.Images.Off = true })})
	say := func(want int, why string) {
		t.Helper()
		s.Say("Show me a picture of you.")
		s.Worked()
		if n := len(s.pictures()); n != want {
			t.Errorf("%d pictures: %s", n, why)
		}
	}
	say(0, "it is off by the settings")
	s.Engine.Core().Reconfigure(func(c *config.Config) { c.Images.Off = false })
	who := s.View().Character
	who.Imagery.Off = true
	_, err := s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	say(0, "it is off for the character")
	if n := len(s.passes()); n != 0 {
		t.Errorf("%d questions", n)
	}
	who.Imagery.Off = false
	who.Immersion = storage.Minimal // scenes are not captured then
	_, err = s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	say(1, "a request needs no immersion")
}

// What becomes of the message between its sending and the pass, and what of the picture.
func TestAsked_MessageThatChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		do   func(s *harness, turn play.TurnResult) error
		want int
	}{
		"nothing":   {func(*harness, play.TurnResult) error { return nil }, 1},
		"deleted":   {func(s *harness, turn play.TurnResult) error { return s.Chats.Delete(s.Chat, turn.UserMessage, true) }, 0},
		"taken out": {func(s *harness, turn play.TurnResult) error { return s.Chats.Delete(s.Chat, turn.UserMessage, false) }, 0},
		"brought back": {func(s *harness, turn play.TurnResult) error {
			enginetest.Must(s.T, s.Chats.Delete(s.Chat, turn.UserMessage, true))
			return s.Chats.Undo(s.Chat)
		}, 1},
		"branched off": {func(s *harness, turn play.TurnResult) error {
			return s.Chats.Branch(s.Chat, s.Node(turn.UserMessage).Parent)
		}, 0},
		"swiped":    {func(s *harness, _ play.TurnResult) error { s.Wait(s.Play.Regenerate(s.Chat, s.Last().ID)); return nil }, 1},
		"chat gone": {func(s *harness, _ play.TurnResult) error { return s.Play.DeleteChat(s.Chat) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewHarness(t, asking)})
			turn := s.Say("Show me a picture of the lamp.")
			enginetest.Must(t, test.do(s, turn))
			s.Worked()
			if list := s.pictures(); len(list) != test.want {
				t.Errorf("%+v", list)
			}
		})
	}
}

func TestAsked_OncePerMessage(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, asking)})
	s.Say("Show me a picture of the lamp.")
	s.Worked()
	for range 3 {
		s.Wait(s.Play.Regenerate(s.Chat, s.Last().ID))
		s.Worked()
	}
	if len(s.pictures()) != 1 {
		t.Errorf("%d pictures", len(s.pictures()))
	}
}

// A message that leaves the story while its picture's prompt is written has none
// painted without a look, and none offered.
func TestAsked_LeavesWhilePrompted(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, asking, func(o *enginetest.Setup) { o.Cfg.Images.Unasked = true })})
	turn := s.Say("Show me a picture of the lamp.")
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Job() == demo.CaptureJob {
			if err := s.Chats.Delete(s.Chat, turn.UserMessage, false); err != nil {
				t.Error(err)
			}
		}
		return demo.Fault{}
	})
	s.Worked()
	list := s.pictures()
	if len(list) != 1 || list[0].Status != storage.CaptureDraft {
		t.Errorf("%+v", list)
	}
	s.DrainFeed()
	for _, ev := range s.Seen {
		if _, ok := ev.(pictures.PictureRequested); ok {
			t.Error("it was offered")
		}
	}
}

func TestAsked_Answers(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"picture":{"kind":"none","subject":""}}`:                     "",
		`{"picture":{"kind":"image","subject":"  the lamp,\n lit  "}}`: "image the lamp, lit",
		`{"picture":{"kind":"video","subject":""}}`:                    "video Show me a picture of the lamp.",
		`{"picture":{"kind":"perhaps","subject":"x"}}`:                 "",
		`No.`: "",
	} {
		t.Run(fmt.Sprintf("%.40s", answer), func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewHarness(t, asking)})
			s.SpoilBy(func(c demo.Call) demo.Fault {
				if c.Job() == demo.AfterTurnJob {
					return demo.Fault{Kind: demo.Say, Text: answer}
				}
				return demo.Fault{}
			})
			s.Say("Show me a picture of the lamp.")
			s.Worked()
			got := ""
			for _, c := range s.pictures() {
				got += c.Kind + " " + c.Requested
			}
			if got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}
