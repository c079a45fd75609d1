// Package tip finds the moment at which a tip helps a user who may not know a feature yet, and
// makes sure that each tip is shown once. The texts are supplied by the caller.
package tip

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Tip is one line for one moment. Its moment has come when On, When and Look all report true; a nil
// one counts as true.
type Tip struct {
	ID string // identifies it in the store as shown; it never changes
	// Text is called when the tip is due; "" means not now.
	Text func() string
	// On reports whether an event may bring the moment. It is called with each event, and with nil
	// if something else has changed.
	On func(ev event.Event) bool
	// When reports whether the moment has come. It is called if On reports true, and must be quick.
	When func() bool
	// Look reports whether the moment has come in a chat. It may read the store, and is called
	// outside of the handling of events.
	Look func(chat storage.ChatID) bool
}

// Scheduler holds the tips that were shown and those that are due. It is not safe for concurrent
// use.
type Scheduler struct {
	all     []Tip
	shown   []string        // IDs, the oldest first
	due     []string        // IDs
	looking map[string]bool // true if something has happened since the call of Look began
}

// New returns a scheduler of tips, the most important first. shown are the IDs of the tips that
// were shown before.
func New(all []Tip, shown []string) *Scheduler {
	return &Scheduler{all: all, shown: slices.Clone(shown), looking: map[string]bool{}}
}

// Handle takes an event, or nil if something else has changed. It returns the tips whose Look has
// to be called; the caller passes each result to Checked.
func (t *Scheduler) Handle(ev event.Event) (look []Tip) {
	for i := range t.all {
		x := &t.all[i]
		if slices.Contains(t.shown, x.ID) || slices.Contains(t.due, x.ID) || x.On != nil && !x.On(ev) ||
			x.When != nil && !x.When() {
			continue
		}
		if _, looking := t.looking[x.ID]; looking {
			t.looking[x.ID] = true
			continue
		}
		if x.Look == nil {
			t.due = append(t.due, x.ID)
			continue
		}
		t.looking[x.ID] = false
		look = append(look, *x)
	}
	return look
}

// Checked takes the result of Look. again is true if Look has to be called once more: it has found
// nothing, and something has happened meanwhile that it may not have seen.
func (t *Scheduler) Checked(id string, found bool) (again bool) {
	if again = t.looking[id] && !found; again {
		t.looking[id] = false
		return true
	}
	delete(t.looking, id)
	if found && !slices.Contains(t.due, id) && !slices.Contains(t.shown, id) {
		t.due = append(t.due, id)
	}
	return false
}

// Next returns the line to show now, and counts its tip as shown: see Shown. ok is false if there
// is none.
func (t *Scheduler) Next() (words string, ok bool) {
	for i := range t.all {
		x := &t.all[i]
		at := slices.Index(t.due, x.ID)
		if at < 0 {
			continue
		}
		if words := x.Text(); words != "" {
			t.due = slices.Delete(t.due, at, at+1)
			t.shown = append(t.shown, x.ID)
			return words, true
		}
	}
	return "", false
}

// Requeue takes back the line that was shown last: the user did not see it, and it is due again.
func (t *Scheduler) Requeue() {
	if n := len(t.shown); n > 0 {
		t.due, t.shown = append(t.due, t.shown[n-1]), t.shown[:n-1]
	}
}

// Shown returns the IDs of the tips that were shown, now and before, the oldest first.
func (t *Scheduler) Shown() []string { return slices.Clone(t.shown) }
