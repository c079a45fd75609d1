package event

import (
	"context"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Feed is one follower's view of the events. It never makes the engine wait: events that the
// follower has not fetched are kept, and joined if possible.
type Feed struct {
	broker *Broker
	Events []Event       // guarded by the broker's mutex
	ready  chan struct{} // holds one token while events is not empty
}

// Next waits for the next event. It fails only when ctx ends.
func (f *Feed) Next(ctx context.Context) (Event, error) {
	for {
		f.broker.mu.Lock()
		if len(f.Events) > 0 {
			ev := f.Events[0]
			f.Events[0] = nil
			f.Events = f.Events[1:]
			f.broker.mu.Unlock()
			return ev, nil
		}
		f.broker.mu.Unlock()
		select {
		case <-f.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close ends the feed. Events that were not fetched are lost.
func (f *Feed) Close() {
	f.broker.mu.Lock()
	delete(f.broker.feeds, f)
	f.broker.mu.Unlock()
}

// push adds an event. The caller holds the broker's mutex.
func (f *Feed) push(ev Event) {
	if !f.join(ev) {
		f.Events = append(f.Events, ev)
	}
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// join merges ev into the event before it if both are about the same growing thing. It considers
// only the newest event, to preserve the order.
func (f *Feed) join(ev Event) bool {
	n := len(f.Events)
	if n == 0 {
		return false
	}
	next, ok := ev.(Joinable)
	if !ok {
		return false
	}
	joined, ok := next.Join(f.Events[n-1])
	if ok {
		f.Events[n-1] = joined
	}
	return ok
}

// Broker hands each event to every follower. Its zero value is ready for use.
type Broker struct {
	mu    sync.Mutex
	feeds map[*Feed]struct{}
	moves map[storage.ChatID]int
}

// ChangeCount returns the number of events so far that changed a chat's messages. Growing text is not
// counted: it names its own place.
func (b *Broker) ChangeCount(chat storage.ChatID) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.moves[chat]
}

// Follow begins a feed. The caller closes it.
func (b *Broker) Follow() *Feed {
	f := &Feed{broker: b, ready: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.feeds == nil {
		b.feeds = make(map[*Feed]struct{})
	}
	b.feeds[f] = struct{}{}
	return f
}

// Emit hands an event to every follower. It never waits.
func (b *Broker) Emit(ev Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ev, ok := ev.(ChatChanger); ok {
		if b.moves == nil {
			b.moves = make(map[storage.ChatID]int)
		}
		b.moves[ev.ChangedChat()]++
	}
	for f := range b.feeds {
		f.push(ev)
	}
}
