package play_test

import (
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
)

// A turn that begins while the model does background work reports that work.
func TestTurn_SaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Exchange(4, "lamp")
	asked := make(chan struct{}, 8)
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if len(c.Format) == 0 {
			return demo.Fault{}
		}
		asked <- struct{}{}
		return demo.Fault{Kind: demo.Wait}
	})
	enginetest.Must(t, s.Start())
	enginetest.Must(t, s.waits())
	s.Core().Queue.Wake()
	<-asked
	s.Say("And now?")
	if ev := enginetest.Until[play.TurnWaiting](s.Harness, nil); ev.Chat != s.Chat ||
		ev.Work != "looking for a scene break" {
		t.Errorf("%+v", ev)
	}
}

// If the server should unload a model immediately, the whole prompt is predicted to be read, and
// nothing is read ahead.
func TestForecast_WhereNothingIsKept(t *testing.T) {
	t.Parallel()
	s, _ := warming(t, func(o *enginetest.Setup) { o.Cfg.KeepAlive = new(time.Duration(0)) })
	s.Say("And the rope?")
	v, err := s.Play.Prompt(s.Context(), s.Chat, "And now?")
	if enginetest.Must(t, err); v.PredictedReread < play.WarmLeast {
		t.Errorf("%d of %d tokens are foreseen", v.PredictedReread, v.Tokens)
	}
	s.Play.EnterChat(s.Chat)
	if play.LooksForWarming(s.Play) {
		t.Error("something looks for prompts to read ahead")
	}
}

// Once a model has been idle for the server's keep-alive time, and immediately if the user unloads
// it, the whole prompt is predicted to be read.
func TestForecast_AfterTheModelWasUnloaded(t *testing.T) {
	t.Parallel()
	s, _ := warming(t, func(o *enginetest.Setup) { o.Cfg.KeepAlive = new(time.Hour) })
	foreseen := func() int {
		v, err := s.Play.Prompt(s.Context(), s.Chat, "And now?")
		enginetest.Must(t, err)
		return v.PredictedReread
	}
	for what, unload := range map[string]func(){
		"the server":        func() { play.Rest(s.Play, 2*time.Hour) },
		"the user unloaded": func() { _, err := s.Models.UnloadModels(s.Context()); enginetest.Must(t, err) },
	} {
		s.Say("And the rope?")
		if play.Rest(s.Play, 30*time.Minute); foreseen() >= play.WarmLeast {
			t.Fatalf("%d are foreseen with all in the cache", foreseen())
		}
		if unload(); foreseen() < play.WarmLeast {
			t.Errorf("%s: %d are foreseen", what, foreseen())
		}
	}
}
