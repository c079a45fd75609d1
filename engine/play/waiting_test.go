package play_test

import (
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The time without a word is reported by the clock, and so is the time until the reply is given up:
// soon once the stream has begun, late while the prompt is read.
func TestTurn_TellsForHowLongNoWordHasCome(t *testing.T) {
	t.Parallel()
	clock := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(clock))})
	if quiet, left := s.Play.ServerQuiet(s.Chat); quiet != 0 || left != 0 {
		t.Errorf("while nothing is asked: %s, %s", quiet, left)
	}
	asked := make(chan bool, 9)
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Path != "/api/chat" {
			return demo.Fault{}
		}
		asked <- true
		return demo.Fault{Kind: demo.Hang}
	})
	_, err := s.Play.Send(s.Chat, "Hello?")
	enginetest.Must(t, err)
	<-asked
	clock.Advance(10 * time.Minute)
	if quiet, left := s.Play.ServerQuiet(s.Chat); quiet != 10*time.Minute || left != ollama.DefaultGiveUp-quiet {
		t.Errorf("while the prompt is read: %s, %s", quiet, left)
	}
	s.Play.Stop(s.Chat)
	_, _ = s.Ended() // it brought no text

	s.Spoil(demo.Fault{Kind: demo.Hang, After: 3})
	enginetest.Talking(s.Harness)
	enginetest.Until(s.Harness, func(ev play.ReplyDelta) bool { return ev.Content != "" })
	clock.Advance(30 * time.Second)
	if quiet, left := s.Play.ServerQuiet(s.Chat); quiet > 30*time.Second || left < ollama.Silence-30*time.Second ||
		left > ollama.Silence {
		t.Errorf("in the middle of the reply: %s, %s", quiet, left)
	}
	s.Play.Stop(s.Chat)
	_, err = s.Ended()
	enginetest.Must(t, err)
}

// A reply that is given up keeps its text, and the chat continues.
func TestTurn_GivenUpKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.GiveUp = 2 * time.Second })})
	s.Spoil(demo.Fault{Kind: demo.Hang, After: 3})
	turn := s.Say("Hello?")
	n := s.Last()
	if n.State != storage.Broken || n.Content == "" || n.Content != turn.Content ||
		!strings.Contains(n.Fault, "The text so far is kept") {
		t.Errorf("%s %q, %q", n.State, n.Content, n.Fault)
	}
	s.SpoilBy(nil)
	enginetest.Must(t, s.Play.Continue(s.Chat))
	if turn, err := s.Ended(); err != nil || turn.State != storage.Complete {
		t.Errorf("continuing it: %v, %+v", err, turn)
	}
	s.Sound()
}
