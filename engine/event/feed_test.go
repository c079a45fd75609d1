package event_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// audience plays events back: what a follower has on its screen after each event
// that may not be left out.
type audience struct {
	text     map[storage.NodeID]string
	progress map[storage.OperationID]int
	pull     int64
	heard    []string
}

func (a *audience) hear(t *rapid.T, ev event.Event) {
	switch ev := ev.(type) {
	case play.ReplyDelta:
		if ev.At != len(a.text[ev.Node]) {
			t.Fatalf("a piece for byte %d comes when there are %d", ev.At, len(a.text[ev.Node]))
		}
		a.text[ev.Node] += ev.Content
	case queue.Progressed:
		if ev.Progress.Step < a.progress[ev.ID] {
			t.Fatalf("progress goes back to %d from %d", ev.Progress.Step, a.progress[ev.ID])
		}
		a.progress[ev.ID] = ev.Progress.Step
	case models.PullProgressed:
		if a.pull = ev.Done; ev.Finished {
			a.heard = append(a.heard, fmt.Sprintf("pulled %d", ev.Done))
		}
	default:
		a.heard = append(a.heard, fmt.Sprintf("%#v with %v %v %d", ev, a.text, a.progress, a.pull))
	}
}

func newAudience() *audience {
	return &audience{text: map[storage.NodeID]string{}, progress: map[storage.OperationID]int{}}
}

// drawEvents draws what an engine might tell.
func drawEvents(t *rapid.T) (list []event.Event) {
	length, steps, done := map[storage.NodeID]int{}, 0, int64(0)
	node := rapid.SampledFrom([]storage.NodeID{"a", "b"})
	op := rapid.SampledFrom([]storage.OperationID{"x", "y"})
	for range rapid.IntRange(0, 60).Draw(t, "events") {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1, 2, 3:
			n, text := node.Draw(t, "node"), rapid.StringN(1, 3, -1).Draw(t, "text")
			list = append(list, play.ReplyDelta{Node: n, Content: text, At: length[n]})
			length[n] += len(text)
		case 4, 5:
			steps++
			list = append(list, queue.Progressed{ID: op.Draw(t, "op"), Progress: queue.Progress{Step: steps}})
		case 6:
			done++
			list = append(list, models.PullProgressed{Model: "m", Done: done, Finished: rapid.Bool().Draw(t, "finished")})
		case 7:
			list = append(list, play.ReplyEnded{Chat: "c", Message: chats.Message{Node: storage.Node{ID: node.Draw(t, "node")}}})
		case 8:
			list = append(list, queue.Changed{Operation: storage.Operation{ID: op.Draw(t, "op")}})
		case 9:
			list = append(list, event.Notice{Text: "so"})
		}
	}
	return list
}

func TestFeed_JoinsWithoutLosingAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b event.Broker
		f := b.Follow()
		defer f.Close()
		told, got := newAudience(), newAudience()
		ctx, cancel := context.WithCancel(context.Background())
		cancel() // Next gives what there is, and never waits
		count := 0
		take := func() bool {
			ev, err := f.Next(ctx)
			if err != nil {
				return false
			}
			count++
			got.hear(t, ev)
			return true
		}
		list := drawEvents(t)
		for _, ev := range list {
			b.Emit(ev)
			told.hear(t, ev)
			for range rapid.IntRange(0, 2).Draw(t, "taken") {
				take()
			}
		}
		for take() {
		}
		if count > len(list) || !reflect.DeepEqual(told, got) {
			t.Fatalf("told\n%s\ngot\n%s", strings.Join(told.heard, "\n"), strings.Join(got.heard, "\n"))
		}
	})
}

func TestFeed_Joins(t *testing.T) {
	var b event.Broker
	f, gone := b.Follow(), b.Follow()
	gone.Close()
	for i := range 1000 {
		b.Emit(play.ReplyDelta{Node: "a", Content: "x", Thinking: "yy", At: i, ThinkingAt: 2 * i})
	}
	b.Emit(play.ReplyEnded{Chat: "c"})
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Patience)
	defer cancel()
	ev, err := f.Next(ctx)
	if d, ok := ev.(play.ReplyDelta); !ok || err != nil || len(d.Content) != 1000 || len(d.Thinking) != 2000 || d.At != 0 || d.ThinkingAt != 0 {
		t.Errorf("joined: %+v %v", ev, err)
	}
	if ev, err := f.Next(ctx); err != nil || !reflect.DeepEqual(ev, play.ReplyEnded{Chat: "c"}) {
		t.Errorf("the end: %+v %v", ev, err)
	}
	cancel()
	if ev, err := f.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("nothing more: %+v %v", ev, err)
	}
	if len(gone.Events) > 0 {
		t.Error("a feed that was closed goes on collecting")
	}
	f.Close()
}

func TestFeed_WakesItsFollower(t *testing.T) {
	var b event.Broker
	f := b.Follow()
	defer f.Close()
	const n = 2000
	go func() {
		for i := range n {
			b.Emit(event.Notice{Text: fmt.Sprint(i)})
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Patience)
	defer cancel()
	for i := range n {
		if ev, err := f.Next(ctx); err != nil || ev != (event.Notice{Text: fmt.Sprint(i)}) {
			t.Fatalf("event %d is %+v, %v", i, ev, err)
		}
	}
}
