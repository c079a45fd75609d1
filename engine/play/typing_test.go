package play_test

import (
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// While the user types, work with a prompt of its own does not begin; it does when he has
// his reply.
func TestTyping_KeepsWorkOff(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	s.Exchange(4, "lamp")
	enginetest.Must(t, s.Start())
	s.Play.Typing(s.Chat)
	if !play.KeepsOff(s.Play) {
		t.Fatal("typing keeps nothing off")
	}
	var id storage.OperationID
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) (err error) {
		id, err = s.House.AddWork(tx, scenes.OpDetect, chats.Params{Chat: s.Chat, Node: s.lastID(tx)}, func(op *storage.Operation) { op.Priority = scenes.RecapPriority })
		return err
	}))
	s.Core().Queue.Wake()
	status := func() (out storage.OperationStatus, off bool) {
		off = play.KeepsOff(s.Play)
		enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
			op, err := storage.Operations.Get(tx, id)
			out = op.Status
			return err
		}))
		return out, off
	}
	if now, _ := status(); now != storage.Pending {
		t.Errorf("it is %s while the user types", now)
	}
	before := len(s.Servers.Calls())
	s.Say("And now?")
	enginetest.Must(t, enginetest.Eventually(s.Stage, func() bool {
		now, off := status()
		return !off && now == storage.Completed
	}))
	for _, c := range s.Servers.Calls()[before:] {
		if c.Path == "/api/chat" && len(c.Messages) > 0 {
			if len(c.Format) > 0 {
				t.Error("the work was asked for before the turn")
			}
			break
		}
	}
}

// Lulls that keep no work waiting do not add up.
func TestTyping_WhereNothingWaits(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t, resting)})
	s.Exchange(4, "lamp")
	s.Play.Entered(s.Chat)
	play.KeptForLong(s.Play)
	s.Say("And the rope?")
	s.Play.Typing(s.Chat)
	s.Say("And the lamp?")
	if most := play.KeptAtMost(s.Play); most < time.Minute {
		t.Errorf("work is kept off for %v", most)
	}
}

// A turn that begins while background work is at the model says what it comes after.
func TestTurn_SaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	s.Exchange(4, "lamp")
	asked := make(chan struct{}, 8)
	s.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if len(c.Format) == 0 {
			return rehearsal.Fault{}
		}
		asked <- struct{}{}
		return rehearsal.Fault{Kind: rehearsal.Wait}
	})
	enginetest.Must(t, s.Start())
	enginetest.Must(t, s.waits())
	s.Core().Queue.Wake()
	<-asked
	s.Say("And now?")
	if ev := enginetest.Until[play.TurnWaits](s.Stage, nil); ev.Chat != s.Chat || ev.Work != "finding scene breaks" {
		t.Errorf("%+v", ev)
	}
}

// Where the server is told to unload a model at once, all of a prompt is foreseen to be read,
// and nothing is read ahead.
func TestForecast_WhereNothingIsKept(t *testing.T) {
	t.Parallel()
	s, _ := warming(t, func(o *enginetest.Setup) { o.Cfg.KeepAlive = new(time.Duration(0)) })
	s.Say("And the rope?")
	v, err := s.Play.Prompt(s.Context(), s.Chat, "And now?")
	if enginetest.Must(t, err); v.PredictedReread < play.WarmLeast {
		t.Errorf("%d of %d tokens are foreseen", v.PredictedReread, v.Tokens)
	}
	s.Play.Entered(s.Chat)
	if play.LooksForWarming(s.Play) {
		t.Error("something looks for prompts to read ahead")
	}
}

// Where the server has given the model's memory back by itself, all of the prompt is
// foreseen to be read, and it is read ahead as soon as the user begins to type.
func TestForecast_AfterTheServerUnloaded(t *testing.T) {
	t.Parallel()
	s, r := warming(t)
	s.Say("And the rope?")
	foreseen := func() int {
		v, err := s.Play.Prompt(s.Context(), s.Chat, "And now?")
		enginetest.Must(t, err)
		return v.PredictedReread
	}
	if n := foreseen(); n >= play.WarmLeast {
		t.Fatalf("%d are foreseen with all in the cache", n)
	}
	other, err := ollama.New(s.Servers.OllamaURL)
	enginetest.Must(t, err)
	defer other.Close()
	if names, err := other.UnloadAll(s.Context()); err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	play.Rest(s.Play)
	if n := foreseen(); n < play.WarmLeast {
		t.Errorf("%d are foreseen after the model was unloaded", n)
	}
	s.Play.Entered(s.Chat)
	enginetest.Until(s.Stage, func(w play.Warming) bool { return w.Over })
	play.StopWarm(s.Play)
	if _, err := other.UnloadAll(s.Context()); err != nil {
		t.Fatal(err)
	}
	play.Rest(s.Play)
	s.DrainFeed()
	s.Play.Typing(s.Chat)
	enginetest.Until(s.Stage, func(w play.Warming) bool { return w.Over })
	play.StopWarm(s.Play)
	whole := r.last()
	s.Say("And now?")
	if now := r.last(); now.Fresh*4 > whole.Fresh {
		t.Errorf("the turn read %d of %d tokens after %d were read ahead", now.Fresh, now.Prompt, whole.Fresh)
	}
	// At the user's own word it is known at once.
	if _, err := s.House.UnloadModels(s.Context()); err != nil {
		t.Fatal(err)
	}
	if n := foreseen(); n < play.WarmLeast {
		t.Errorf("%d are foreseen after the user has unloaded the model", n)
	}
}
