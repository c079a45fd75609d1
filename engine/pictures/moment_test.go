package pictures_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// spoilt has every prompt of a picture come back as no prompt.
func (s *harness) spoilt(text string) {
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if !strings.Contains(string(c.Format), `"negative_prompt"`) {
			return demo.Fault{}
		}
		return demo.Fault{Kind: demo.Say, Text: text}
	})
}

// answered has every prompt of a picture come back with some fields. It returns how often it was
// asked for one.
func (s *harness) answered(a capture.Answer) func() int {
	for i := range 110 {
		a.Prompt += fmt.Sprintf(" grey%d", i)
	}
	a.Prompt += "."
	a.InView = append([]string{}, a.InView...)
	for _, v := range []*string{&a.Shot, &a.Angle, &a.Light} {
		*v = cmp.Or(*v, capture.Other)
	}
	data, err := json.Marshal(a)
	enginetest.Must(s.T, err)
	before := s.promptCalls()
	s.spoilt(string(data))
	return func() int { return s.promptCalls() - before }
}

func TestCapture_TellsTheCameraLastAndHearsItBack(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewStudio(t)}
	look := storage.Camera{Shot: "close", Angle: "high", Lighting: "candle"}
	asked := s.answered(capture.Answer{Prompt: "Tove waits. Seen from across the room.", InView: []string{"Tove"}, Shot: "wide", Angle: "high", Light: "candle"})
	c := s.Drafted(pictures.CaptureRequest{Camera: look})
	text := lastAsked(s)
	order := strings.LastIndex(text, "The order:")
	for _, want := range []string{"- Shot (close): close-up of the face", "- Angle (high): high angle", "- Light (candle): flickering candlelight"} {
		if order < 0 || !strings.Contains(text, want) {
			t.Errorf("the order does not say %q", want)
		}
	}
	if asked() != 2 || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "shot is close-up") || !strings.HasPrefix(c.Prompt, "Tove waits. Seen from across the room.") {
		t.Errorf("asked %d times, %q: %s", asked(), c.Warnings, c.Prompt)
	}
	asked = s.answered(capture.Answer{Prompt: "Tove waits.", InView: []string{"Tove"}, Shot: "close", Angle: "high", Light: "candle"})
	if c = s.Drafted(pictures.CaptureRequest{Camera: look}); asked() != 1 || len(c.Warnings) != 0 {
		t.Errorf("asked %d times, %q", asked(), c.Warnings)
	}
}

func TestCapture_WhoIsThereIsToldAndMissed(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewStudio(t)}
	who, err := s.Library.SaveCharacter(storage.Character{Immersion: storage.Full, Card: storage.Card{Name: "Mara", Description: "Mara is a pilot of fifty. She has white hair and wears a yellow coat.", FirstMessage: "Well."}})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.JoinCast(s.Chat, who.ID))
	s.Say("*We sit down.*")
	s.answered(capture.Answer{Prompt: "Tove faces Robin.", InView: []string{"Robin", "Tove"}})
	c := s.Drafted(pictures.CaptureRequest{Focus: []string{"Mara"}})
	if got := strings.Join(c.Wrote.Notes, "\n"); !strings.Contains(got, "Mara is missing") {
		t.Errorf("notes: %q, warnings %q", got, c.Warnings)
	}
	if text := lastAsked(s); !strings.Contains(text, "Name: Mara\nDescription: Mara is a pilot of fifty.") {
		t.Errorf("Mara is not told:\n%s", text)
	}
	enginetest.Must(t, s.Chats.SetAway(s.Chat, who.ID, true))
	s.Say("*She has gone out.*")
	s.answered(capture.Answer{Prompt: "Tove, Robin and Mara by the wall.", InView: []string{"Tove", "Robin", "Mara"}})
	c = s.Drafted(pictures.CaptureRequest{})
	if got := strings.Join(c.Wrote.Notes, "\n"); !strings.Contains(got, "Mara is not here") {
		t.Errorf("notes: %q", got)
	}
}

func TestCapture_ARequestIsHeldToWhatItAsksFor(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewStudio(t)}
	asked := s.answered(capture.Answer{Prompt: "Tove and Robin stand in a room.", Shows: "Two people in a room.", InView: []string{"Tove", "Robin"}})
	c := s.Drafted(pictures.CaptureRequest{Requested: "a sunset over the harbour with nobody in it"})
	if asked() != 2 || len(c.Wrote.Notes) != 2 || c.Wrote.Says != "Two people in a room." {
		t.Errorf("asked %d times, %+v", asked(), c.Wrote)
	}
	asked = s.answered(capture.Answer{Prompt: "The harbour at dusk."})
	if c = s.Drafted(pictures.CaptureRequest{Requested: "a sunset over the harbour with nobody in it"}); asked() != 1 || len(c.Warnings)+len(c.Wrote.Notes) != 0 {
		t.Errorf("asked %d times, %+v", asked(), c.Wrote)
	}
}

// What the story has ended is not told again.
func TestCapture_EndsWhatIsNoLongerTrue(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewStudio(t)}
	f, err := s.Pictures.Continuity.Save(s.Chat, storage.Fact{Kind: storage.FactClothes, Who: "Robin", Text: "a heavy raincoat"})
	enginetest.Must(t, err)
	s.Say("*I take it off.*")
	told := pictures.StandingAt(s.Pictures.Continuity)
	number := 0
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		chat, err := storage.Chats.Get(tx, s.Chat)
		for i, o := range told(tx, chat, chat.Head) {
			if o.ID == f.ID {
				number = i + 1
			}
		}
		return err
	}))
	s.answered(capture.Answer{Prompt: "Tove, Robin.", InView: []string{"Tove", "Robin"}, Ended: []int{number}})
	c := s.Drafted(pictures.CaptureRequest{})
	if strings.Count(lastAsked(s), "a heavy raincoat") != 1 || len(c.Wrote.Notes) != 1 || !strings.Contains(c.Wrote.Notes[0], "a heavy raincoat") {
		t.Errorf("notes: %q", c.Wrote.Notes)
	}
	s.Drafted(pictures.CaptureRequest{})
	if strings.Contains(lastAsked(s), "a heavy raincoat") {
		t.Error("it is told again")
	}
	_, err = s.Pictures.Continuity.Save(s.Chat, f) // the user has it so
	enginetest.Must(t, err)
	s.Drafted(pictures.CaptureRequest{})
	if !strings.Contains(lastAsked(s), "a heavy raincoat") {
		t.Error("it is not told again")
	}
}

// What is remembered of somebody's looks reaches the picture.
func TestCapture_MemoriesReachIt(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewStudio(t)}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		chat, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		m := storage.Memory{ID: storage.MemoryID(storage.NewID()), Type: storage.FactMemory, Content: "Tove has a burn mark on her left wrist.", Mentions: []storage.Mention{{Importance: 1}}}
		return storage.Memories.Put(tx, chats.ScopeOf(chat), m)
	}))
	s.Drafted(pictures.CaptureRequest{})
	if text := lastAsked(s); !strings.Contains(text, "Remembered: Tove has a burn mark on her left wrist.") {
		t.Errorf("%s", text)
	}
}

func TestCapture_StreamsItsPrompt(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Servers.TokenDelay = 2 * time.Millisecond })}
	c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
	enginetest.Must(t, err)
	ev := enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Capture == c.ID && len(ev.Progress.Text) > 40 })
	if c = s.SettledAs(c.ID, storage.CaptureDraft); !strings.HasPrefix(c.Prompt, ev.Progress.Text[:30]) {
		t.Errorf("%q was written, and %q is there", ev.Progress.Text, c.Prompt)
	}
}

func TestCapture_EmptyFailuresDoNotPileUp(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewStudio(t)}
	s.spoilt("No.")
	for range 3 {
		c, err := s.Pictures.Capture(s.Chat, pictures.CaptureRequest{})
		enginetest.Must(t, err)
		if c = s.SettledAs(c.ID, storage.CaptureFailed); strings.Contains(c.Error, "schema") || !strings.Contains(c.Error, "Try again") {
			t.Errorf("the fault is %q", c.Error)
		}
	}
	if list, err := s.Pictures.Captures(s.Chat); err != nil || len(list) != 1 {
		t.Errorf("%d captures, %v", len(list), err)
	}
}

func TestCapture_SparksComeBackAndTheHintIsTold(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewStudio(t)}
	var c storage.CaptureID
	head := s.View().Chat.Head
	begin := func() {
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			chat, err := storage.Chats.Get(tx, s.Chat)
			if err != nil {
				return err
			}
			if c, err = s.Pictures.QueueAutomatic(tx, chat, head, "the brass key on its cord", "object"); err != nil {
				return err
			}
			chat.Play.Spent = storage.DefaultSceneCost
			if err := storage.Chats.Put(tx, chat.ID, chat); err != nil {
				return err
			}
			return storage.TurnRecords.Put(tx, chat.ID, storage.TurnRecord{Node: head, Capture: c})
		}))
		s.Core().Queue.Wake()
	}
	s.spoilt("No.")
	begin()
	s.SettledAs(c, storage.CaptureFailed)
	text := lastAsked(s)
	if at := strings.LastIndex(text, "The order:"); !strings.Contains(text[at:], "the brass key on its cord") || !strings.Contains(text[at:], "the thing itself") {
		t.Errorf("the hint is not told:\n%s", text[at:])
	}
	if spent := s.View().Chat.Play.Spent; spent != 0 {
		t.Errorf("%d sparks are spent for a picture that failed", spent)
	}
}

func TestCapture_EpisodesPlaceBeatsTheCards(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewStudio(t)}
	ep := storage.Episode{ID: storage.EpisodeID(storage.NewID()), Title: "Two", Situation: "The lighthouse in a gale."}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Episodes.Put(tx, ep.ID, ep) }))
	enginetest.Must(t, s.Chats.Change(s.Chat, func(c *storage.Chat) { c.Play.Episode = ep.ID }))
	s.Drafted(pictures.CaptureRequest{})
	if text := lastAsked(s); !strings.Contains(text, "Setting: The lighthouse in a gale.") {
		t.Errorf("the place is the card's:\n%s", text)
	}
}
