package pictures_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/camera"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// spoilt has every prompt of a picture come back as no prompt.
func (s *stage) spoilt(text string) {
	s.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if !strings.Contains(string(c.Format), `"negative_prompt"`) {
			return rehearsal.Fault{}
		}
		return rehearsal.Fault{Kind: rehearsal.Say, Text: text}
	})
}

func TestCapture_TellsTheCameraLastAndNeverDisagrees(t *testing.T) {
	t.Parallel()
	s := &stage{enginetest.NewStudio(t)}
	s.spoilt(`{"reasoning": "as always", "prompt": "Tove waits beside Robin. Medium shot from slightly below eye level. Late morning light falls through the window.", "negative_prompt": ""}`)
	look := storage.Camera{Shot: "close", Angle: "high", Lighting: "candle"}
	c := s.Drafted(pictures.CaptureRequest{Camera: look})
	text := lastAsked(s)
	order := strings.LastIndex(text, "The order:")
	for _, want := range []string{"- Shot: close-up of the face", "- Angle: high angle", "- Light: flickering candlelight"} {
		if order < 0 || !strings.Contains(text[order:], want) {
			t.Errorf("the order does not say %q", want)
		}
	}
	if left := camera.Clashes(c.Prompt, look, true); len(left) > 0 {
		t.Errorf("%q disagrees: %s", left[0].Words, c.Prompt)
	}
	if !strings.HasPrefix(c.Prompt, "Tove waits beside Robin.") || len(c.Wrote.Mended) != 2 || strings.Contains(c.Prompt, "..") {
		t.Errorf("%s\n%+v", c.Prompt, c.Wrote.Mended)
	}
}

func TestCapture_WhoIsThereIsToldAndMissed(t *testing.T) {
	t.Parallel()
	s := &stage{enginetest.NewStudio(t)}
	who, err := s.Library.SaveCharacter(storage.Character{Immersion: storage.Full, Card: storage.Card{Name: "Mara", Description: "Mara is a pilot of fifty. She has white hair and wears a yellow coat.", FirstMessage: "Well."}})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.JoinCast(s.Chat, who.ID))
	s.Say("*We sit down.*")
	long := strings.Repeat("The boards are worn. ", 3)
	s.spoilt(`{"reasoning": "r", "prompt": "Tove, tall, freckles, copper-brown hair, faces Robin, who has short wet hair. ` + long + `", "negative_prompt": ""}`)
	c := s.Drafted(pictures.CaptureRequest{})
	if got := strings.Join(c.Warnings, "\n"); !strings.Contains(got, "Mara is in view and missing") {
		t.Errorf("warnings: %q", got)
	}
	if text := lastAsked(s); !strings.Contains(text, "Name: Mara\nAppearance: white hair\nClothes: a yellow coat") || !strings.Contains(text, "pilot of fifty") {
		t.Errorf("Mara is not told:\n%s", text)
	}
	enginetest.Must(t, s.Chats.SetAway(s.Chat, who.ID, true))
	s.Say("*She has gone out.*")
	s.spoilt(`{"reasoning": "r", "prompt": "Tove, tall, freckles, copper-brown hair, faces Robin, who has short wet hair. Mara sits by the wall. ` + long + `", "negative_prompt": ""}`)
	c = s.Drafted(pictures.CaptureRequest{})
	if got := strings.Join(c.Warnings, "\n"); !strings.Contains(got, "Mara is not here") {
		t.Errorf("warnings: %q", got)
	}
}

func TestCapture_StreamsItsPrompt(t *testing.T) {
	t.Parallel()
	s := &stage{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.House.TokenDelay = 2 * time.Millisecond })}
	c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
	enginetest.Must(t, err)
	ev := enginetest.Until(s.Stage, func(ev house.OperationProgress) bool { return ev.Capture == c.ID && len(ev.Progress.Text) > 40 })
	if c = s.SettledAs(c.ID, storage.CaptureDraft); !strings.HasPrefix(c.Prompt, ev.Progress.Text[:30]) {
		t.Errorf("%q was written, and %q is there", ev.Progress.Text, c.Prompt)
	}
}

func TestCapture_EmptyFailuresDoNotPileUp(t *testing.T) {
	t.Parallel()
	s := &stage{enginetest.NewStudio(t)}
	s.spoilt("No.")
	for range 3 {
		c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
		enginetest.Must(t, err)
		if c = s.SettledAs(c.ID, storage.CaptureFailed); strings.Contains(c.Error, "schema") || !strings.Contains(c.Error, "Ask again") {
			t.Errorf("the fault is %q", c.Error)
		}
	}
	if list, err := s.Pictures.Captures(s.Chat); err != nil || len(list) != 1 {
		t.Errorf("%d captures, %v", len(list), err)
	}
}

func TestCapture_SparksComeBackAndTheHintIsTold(t *testing.T) {
	t.Parallel()
	s := &stage{enginetest.NewStudio(t)}
	var c storage.CaptureID
	head := s.View().Chat.Head
	begin := func() {
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			chat, err := storage.Chats.Get(tx, s.Chat)
			if err != nil {
				return err
			}
			if c, err = s.Pictures.CaptureAt(tx, chat, head, "the brass key on its cord", "object"); err != nil {
				return err
			}
			chat.Play.Spent = storage.DefaultSceneCost
			if err := storage.Chats.Put(tx, chat.ID, chat); err != nil {
				return err
			}
			return storage.Beats.Put(tx, chat.ID, storage.Beat{Node: head, Capture: c})
		}))
		s.Core().Queue.Wake()
	}
	s.spoilt("No.")
	begin()
	s.SettledAs(c, storage.CaptureFailed)
	text := lastAsked(s)
	if at := strings.LastIndex(text, "The order:"); !strings.Contains(text[at:], "the brass key on its cord") || !strings.Contains(text[at:], "The thing itself") {
		t.Errorf("the hint is not told:\n%s", text[at:])
	}
	if spent := s.View().Chat.Play.Spent; spent != 0 {
		t.Errorf("%d sparks are spent for a picture that failed", spent)
	}
}

func TestCapture_EpisodesPlaceBeatsTheCards(t *testing.T) {
	t.Parallel()
	s := &stage{enginetest.NewStudio(t)}
	ep := storage.Episode{ID: storage.EpisodeID(storage.NewID()), Title: "Two", Situation: "The lighthouse in a gale."}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Episodes.Put(tx, ep.ID, ep) }))
	enginetest.Must(t, s.Chats.Change(s.Chat, func(c *storage.Chat) { c.Play.Episode = ep.ID }))
	s.Drafted(pictures.CaptureRequest{})
	if text := lastAsked(s); !strings.Contains(text, "Setting of the story: The lighthouse in a gale.") {
		t.Errorf("the place is the card's:\n%s", text)
	}
}
