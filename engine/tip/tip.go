// Package tip finds the moment at which a word helps somebody who may not know it yet,
// and sees to it that each is said once. What the words are is the matter of those that
// show them.
package tip

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Tip is one line for one moment. Its moment is there when all of On, When and Look say
// so; one that is nil has nothing against it.
type Tip struct {
	ID string // by which the store remembers that it was said; it never changes
	// Words are asked for when it is said; "" is for not now.
	Words func() string
	// On reports whether what happened may bring the moment. It is asked for each event,
	// and with nil where something else has changed.
	On func(ev event.Event) bool
	// When reports whether it is there. It is asked where On is, and must be quick.
	When func() bool
	// Look looks for a chat whether it is there; it may read what is stored, and is asked
	// away from where events are heard.
	Look func(chat storage.ChatID) bool
}

// Scheduler knows which tips were said, and which have had their moment and wait to be. It
// is for one goroutine.
type Scheduler struct {
	all     []Tip
	shown   []string        // IDs, the oldest first
	due     []string        // IDs
	looking map[string]bool // true once something has happened since the look began
}

// New returns a teller of tips, the most important first, of which those with the IDs told were said before.
func New(all []Tip, shown []string) *Scheduler {
	return &Scheduler{all: all, shown: slices.Clone(shown), looking: map[string]bool{}}
}

// Handle takes an event, or nil where something else has changed, and returns the tips that
// have to be looked at: each is answered by Checked.
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

// Checked takes what Look has said. again is true where it has to be looked at once more:
// something has happened since, which Look may not have seen.
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

// Next returns the line to be said now: it counts as shown from now on, see Shown. ok is
// false where there is none.
func (t *Scheduler) Next() (words string, ok bool) {
	for i := range t.all {
		x := &t.all[i]
		at := slices.Index(t.due, x.ID)
		if at < 0 {
			continue
		}
		if words := x.Words(); words != "" {
			t.due = slices.Delete(t.due, at, at+1)
			t.shown = append(t.shown, x.ID)
			return words, true
		}
	}
	return "", false
}

// Requeue takes the line back that was said last: it was not seen, and is due again.
func (t *Scheduler) Requeue() {
	if n := len(t.shown); n > 0 {
		t.due, t.shown = append(t.due, t.shown[n-1]), t.shown[:n-1]
	}
}

// Shown returns the IDs of the tips that were said, now and before, the oldest first.
func (t *Scheduler) Shown() []string { return slices.Clone(t.shown) }
