package comfy

import (
	"fmt"
	"testing"
	"time"
)

// Progress is what was never reached before, so that no server can go on for ever by saying the
// same again.
func TestAdvance(t *testing.T) {
	a := newWatchdog(time.Hour, func() {})
	defer a.timer.Stop()
	for i, c := range []struct {
		at      Progress
		further bool
	}{
		{Progress{Queue: 3}, true},
		{Progress{Queue: 3}, false},
		{Progress{Queue: 2}, true},
		{Progress{Queue: 3}, false},
		{Progress{Node: "4", Done: 1}, true},
		{Progress{Node: "3", Step: 1, Of: 20, Done: 1}, true},
		{Progress{Node: "3", Step: 2, Of: 20, Done: 1}, true},
		{Progress{Node: "3", Step: 1, Of: 20, Done: 1}, false},
		{Progress{Node: "4", Done: 1}, false},
		{Progress{Node: "3", Step: 2, Of: 20, Done: 1, Preview: []byte("x")}, false},
		{Progress{Node: "3", Step: 2, Of: 20, Done: 1, Offline: true}, false},
		{Progress{Node: "3", Step: 2, Of: 20, Done: 2}, true},
	} {
		a.since = time.Time{}
		if a.observe(c.at); a.since.IsZero() == c.further {
			t.Errorf("%d: %+v counts as progress: %v", i, c.at, !c.further)
		}
	}
	for i := range 2 * maxReached {
		a.observe(Progress{Node: fmt.Sprint("made up ", i)})
	}
	if a.since = (time.Time{}); len(a.reached) > maxReached {
		t.Errorf("%d nodes are remembered", len(a.reached))
	}
	if a.observe(Progress{Node: "one more"}); !a.since.IsZero() {
		t.Error("names without end count as progress")
	}
}

// Of a flood no more is taken in a second than can be borne.
func TestFlow(t *testing.T) {
	now := time.Unix(1, 0)
	var f rateLimiter
	for i := range maxMessages - 1 {
		if d := f.allow(100, now.Add(time.Duration(i)*time.Microsecond)); d != 0 {
			t.Fatalf("message %d waits %s", i, d)
		}
	}
	if d := f.allow(100, now.Add(250*time.Millisecond)); d != 750*time.Millisecond {
		t.Errorf("after as many as there may be: %s", d)
	}
	if d := f.allow(100, now.Add(time.Second)); d != 0 {
		t.Errorf("in the next second: %s", d)
	}
	if d := f.allow(maxMessageBytes, now.Add(1900*time.Millisecond)); d != 100*time.Millisecond {
		t.Errorf("after as many bytes as there may be: %s", d)
	}
}
