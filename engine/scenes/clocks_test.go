package scenes_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// timeIs checks the chat's time in the story.
func (s *harness) timeIs(want string, passed int) {
	s.T.Helper()
	v, err := s.Scenes.Clock(s.Chat)
	enginetest.Must(s.T, err)
	if v.Text != want || v.Passed != passed {
		s.T.Errorf("the time is %q after %d days, want %q after %d (%+v)", v.Text, v.Passed, want, passed, v)
	}
	if list, err := s.Scenes.List(s.Chat); err != nil || list.Clock != v {
		s.T.Errorf("the scenes say %+v, %v", list.Clock, err)
	}
}

// passSays keeps what a pass says of the time at a message.
func (s *harness) passSays(at storage.NodeID, day, time string, days int) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		return s.Scenes.StoreTime(tx, s.Chat, at, scenes.TimeUpdate{Day: day, Time: time, Days: days})
	}))
}

func clockHarness(t *testing.T) *harness {
	return &harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Scenes.NoDetect = true })}
}

func TestClock_FollowsTheBranch(t *testing.T) {
	t.Parallel()
	s := clockHarness(t)
	s.timeIs("", 0)
	a := s.Exchange(4, "lamp")
	s.passSays(a[1], "Thursday, 3 March", "evening", 0)
	s.timeIs("Thursday, 3 March, evening", 0)
	s.passSays(a[3], "", "night", 0)
	s.timeIs("Thursday, 3 March, night", 0)
	s.passSays(a[5], "Sunday", "dusk", 3)
	s.passSays(a[7], "Monday", "", 1)
	s.timeIs("Monday, dusk", 4)
	s.Reopen()
	s.timeIs("Monday, dusk", 4)

	enginetest.Must(t, s.Chats.Branch(s.Chat, a[4]))
	s.timeIs("Thursday, 3 March, night", 0)
	enginetest.Must(t, s.Chats.Goto(s.Chat, a[7]))
	s.Sibling(a[7], "another reply") // swiping takes the time back
	s.timeIs("Sunday, dusk", 3)
	enginetest.Must(t, s.Chats.Goto(s.Chat, a[7]))

	enginetest.Must(t, s.Chats.Delete(s.Chat, a[5], false))
	s.timeIs("Monday, night", 1)
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.timeIs("Monday, dusk", 4)
	s.passSays(a[1], "", "", 2) // looked at again: what follows goes on from there
	s.timeIs("Monday, dusk", 6)
}

func TestClock_APassKeepsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	s := clockHarness(t)
	a := s.Exchange(3, "lamp")
	s.passSays(a[1], "  Thursday,\n3 March ", "evening", 0)
	s.passSays(a[3], "Thursday 3 march", "Evening", 0)
	v, err := s.Scenes.Clock(s.Chat)
	if enginetest.Must(t, err); v.Text != "Thursday, 3 March, evening" || v.Node != a[1] || v.By != storage.ClockPass {
		t.Errorf("%+v", v)
	}
	s.passSays(a[5], "", "", 0)
	s.passSays(a[5], strings.Repeat("x", 300), strings.Repeat("y", 300), 1<<40)
	s.timeIs(strings.Repeat("x", 60)+", "+strings.Repeat("y", 60), scenes.MaxDays)
	s.passSays(a[5], "Friday", "", -5) // the same reply again
	s.timeIs("Friday, "+strings.Repeat("y", 60), 0)
}

func TestClock_TheUserSetsIt(t *testing.T) {
	t.Parallel()
	s := clockHarness(t)
	a := s.Exchange(1, "lamp")
	s.passSays(a[1], "Thursday", "evening", 2)
	enginetest.Must(t, s.Scenes.SetClock(s.Chat, " Saturday,  at dusk ", nil))
	s.timeIs("Saturday, at dusk", 2)
	days := 0
	enginetest.Must(t, s.Scenes.SetClock(s.Chat, "the night of the fair", &days))
	s.timeIs("the night of the fair", 0)
	s.passSays(a[1], "Friday", "noon", 9) // the user's word stays
	s.timeIs("the night of the fair", 0)
	enginetest.Must(t, s.Scenes.UndoClock(s.Chat))
	s.timeIs("Saturday, at dusk", 9)
	enginetest.Must(t, s.Scenes.UndoClock(s.Chat))
	s.timeIs("Friday, noon", 9)
	if err := s.Scenes.UndoClock(s.Chat); err == nil || !strings.Contains(failure.Text(err), "not set by you") {
		t.Errorf("undoing what a pass says: %v", err)
	}
	many := scenes.MaxDays + 1
	if s.Scenes.SetClock(s.Chat, strings.Repeat("x", scenes.MaxClock+1), nil) == nil || s.Scenes.SetClock(s.Chat, "Friday", &many) == nil {
		t.Error("what is too much is taken")
	}
	for _, none := range []string{"", "Unknown"} {
		enginetest.Must(t, s.Scenes.SetClock(s.Chat, none, nil))
		s.timeIs("", 9)
	}
	enginetest.Must(t, s.Scenes.SetClock(s.Chat, "Thursday evening", nil))
	b := s.Exchange(2, "key")
	s.passSays(b[1], "Thursday", "evening", 0) // the same in two fields
	s.timeIs("Thursday evening", 9)
	s.passSays(b[3], "Friday", "dawn", 1)
	s.timeIs("Friday, dawn", 10)
}

// Records of an earlier build are the whole time, with the sum of the days above.
func TestClock_OfAnEarlierBuild(t *testing.T) {
	t.Parallel()
	s := clockHarness(t)
	a := s.Exchange(4, "lamp")
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		for i, record := range []string{`{"time":{"weekday":4,"part":"evening","passed":2},"by":"text","said":"Thursday, evening"}`,
			`{"time":{"weekday":7,"passed":5},"by":"director","said":"three days later"}`, `{"same":true,"of":"x"}`} {
			var c storage.Clock
			if err := json.Unmarshal([]byte(record), &c); err != nil {
				return err
			}
			c.Node = a[i]
			if err := storage.Clocks.Put(tx, s.Chat, c); err != nil {
				return err
			}
		}
		return nil
	}))
	s.timeIs("Sunday", 5)
	s.passSays(a[5], "", "noon", 1)
	s.timeIs("Sunday, noon", 6)
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[1]))
	enginetest.Must(t, s.Scenes.SetClock(s.Chat, "Friday", nil))
	s.timeIs("Friday", 5)
	enginetest.Must(t, s.Scenes.UndoClock(s.Chat))
	s.timeIs("Sunday", 5) // as far as it was stated there
}

func TestClock_GoesOnAfterADeletion(t *testing.T) {
	t.Parallel()
	s := clockHarness(t)
	a := s.Exchange(2, "lamp")
	s.passSays(a[1], "Thursday", "evening", 1)
	enginetest.Must(t, s.Chats.Delete(s.Chat, s.Last().ID, true))
	s.timeIs("Thursday, evening", 1)
}
