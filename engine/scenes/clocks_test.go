package scenes_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// timeIs checks where the chat stands in the story's own time.
func (s *stage) timeIs(want string) {
	s.T.Helper()
	v, err := s.Scenes.Clock(s.Chat)
	enginetest.Must(s.T, err)
	if v.Words != want {
		s.T.Errorf("the time is %q, want %q (%+v)", v.Words, want, v)
	}
	if list, err := s.Scenes.List(s.Chat); err != nil || list.Clock != v {
		s.T.Errorf("the scenes say %+v, %v", list.Clock, err)
	}
}

// replies has the model answer in the play with these words, one after the other.
func (s *stage) replies(texts ...string) {
	s.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if c.Path != "/api/chat" || len(c.Format) > 0 || len(texts) == 0 {
			return rehearsal.Fault{}
		}
		text := texts[0]
		texts = texts[1:]
		return rehearsal.Fault{Kind: rehearsal.Say, Text: text}
	})
}

func clockStage(t *testing.T) *stage {
	return &stage{enginetest.NewStage(t, func(o *enginetest.Setup) { o.Cfg.Scenes.NoDetect = true })}
}

func TestClock_FollowsTheBranch(t *testing.T) {
	t.Parallel()
	s := clockStage(t)
	s.timeIs("")
	s.replies("*Tove nods.* \"Last Friday I was here, too.\"", "*Three days later*\n\nThe quay is empty.", "*Tove stays until the morning and says nothing.*")
	first := s.Say("[Thursday, 3 March, evening]\n\nI wait at the quay.")
	s.timeIs("Thu 3 March, evening")
	skipped := s.Say("I wait.")
	s.timeIs("Sun 6 March")
	enginetest.Must(t, s.Play.Regenerate(s.Chat, skipped.Message))
	if _, err := s.Ended(); err != nil {
		t.Fatal(err)
	}
	s.timeIs("Thu 3 March, evening") // swiping takes the time back
	enginetest.Must(t, s.Chats.Goto(s.Chat, skipped.Message))
	s.timeIs("Sun 6 March")
	s.Reopen()
	s.timeIs("Sun 6 March")

	enginetest.Must(t, s.Chats.Edit(s.Chat, first.UserMessage, "[Tuesday, 1 March, dusk]\n\nI wait at the quay."))
	s.timeIs("Fri 4 March")
	enginetest.Must(t, s.Chats.Edit(s.Chat, first.UserMessage, "I wait at the quay."))
	s.timeIs("")
	enginetest.Must(t, s.Chats.Edit(s.Chat, first.UserMessage, "Day 2\n\nI wait at the quay."))
	s.timeIs("day 5")
	enginetest.Must(t, s.Chats.Delete(s.Chat, first.UserMessage, false))
	s.timeIs("")
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.timeIs("day 5")
	enginetest.Must(t, s.Chats.Delete(s.Chat, skipped.Message, false))
	s.timeIs("day 2")
}

func TestClock_TheUserSetsIt(t *testing.T) {
	t.Parallel()
	s := clockStage(t)
	s.replies("*Three days later*\n\nThe quay is empty.", "*Tove nods.*", "[Friday]\n\n*Tove nods.*")
	s.Say("[Thursday, evening]\n\nI wait at the quay.")
	s.timeIs("Sun")
	enginetest.Must(t, s.Scenes.SetClock(s.Chat, " Saturday,  dusk "))
	s.timeIs("Sat, dusk")
	enginetest.Must(t, s.Scenes.SetClock(s.Chat, "night"))
	s.timeIs("Sat, night")
	enginetest.Must(t, s.Scenes.UndoClock(s.Chat))
	s.timeIs("Sat, dusk")
	enginetest.Must(t, s.Scenes.UndoClock(s.Chat))
	s.timeIs("Sun")
	if err := s.Scenes.UndoClock(s.Chat); err == nil || !strings.Contains(failure.Words(err), "not set by you") {
		t.Errorf("undoing what a message says: %v", err)
	}
	for _, no := range []string{"", "soon", "last Thursday", strings.Repeat("Thursday ", 100)} {
		if err := s.Scenes.SetClock(s.Chat, no); err == nil {
			t.Errorf("%q is taken", no)
		}
	}
	enginetest.Must(t, s.Scenes.SetClock(s.Chat, "unknown"))
	s.timeIs("")
	s.Say("And now?")
	s.timeIs("")
	enginetest.Must(t, s.Scenes.SetClock(s.Chat, "Thursday"))
	s.Say("And then?")
	s.timeIs("Fri") // what is played goes on from there
}

// A chat that was played before anybody read the time, or was brought along, is read as
// far as it takes; afterwards nothing far above is looked at.
func TestClock_OldChats(t *testing.T) {
	t.Parallel()
	s := clockStage(t)
	s.Tell("[Thursday, evening]\n\nI ask about the lamp.")
	s.timeIs("Thu, evening")
	s.Exchange(20, "lamp")
	s.timeIs("Thu, evening")
	s.Say("I go on.")
	s.timeIs("Thu, evening")
	for range 5 {
		s.Exchange(10, "key")
		s.Say("I go on.")
	}
	s.timeIs("Thu, evening")
	rests := 0
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		for _, c := range storage.Clocks.All(tx, s.Chat) {
			if c.Same {
				rests++
			}
		}
		return nil
	}))
	if rests < 5 || rests > 12 {
		t.Errorf("%d records say that nothing has changed", rests)
	}
	enginetest.Must(t, s.Scenes.SetClock(s.Chat, "Friday"))
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		at := scenes.ClockAt(tx, s.Chat, s.View().Messages[0].ID)
		if at.Node != "" && at.Time.Weekday != 4 {
			t.Errorf("at the beginning it is %+v", at)
		}
		return nil
	}))
}

func TestClock_GoesOnAfterADeletion(t *testing.T) {
	t.Parallel()
	s := clockStage(t)
	s.Say("[Thursday, evening]\n\nI wait at the quay.")
	enginetest.Must(t, s.Chats.Delete(s.Chat, s.Last().ID, true))
	s.timeIs("Thu, evening")
	s.Say("*The next morning*\n\nI am still there.")
	s.timeIs("Fri, morning")
}
