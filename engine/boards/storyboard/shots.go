package storyboard

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// setFields writes the fields of o into a shot.
func (w *planEditor) setFields(s *storage.Shot, o any) error {
	if err := decode(o, s); err != nil {
		return err
	}
	if s.Description == "" {
		return callErrorf("the shot needs a description: what is seen in it")
	}
	if s.Beat == "" {
		return nil
	}
	return w.checkBeat(s.Beat)
}

// checkBeat returns an error for an unknown beat.
func (w *planEditor) checkBeat(id storage.BeatID) error {
	switch ids := beatIDs(w.Beats); {
	case slices.Contains(ids, id):
		return nil
	case len(ids) == 0:
		return callErrorf("there is no beat %q: there are no beats yet", id)
	default:
		return callErrorf("there is no beat %q; there are %s", id, joinIDs(ids))
	}
}

// fields returns the fields of a shot that the call sets.
func (w *planEditor) fields() (all []string) {
	for _, f := range shotForms() {
		if _, there := w.in[f.name]; there {
			all = append(all, f.name)
		}
	}
	return all
}

func (w *planEditor) modify() error {
	at, err := w.namedIndexes()
	if err != nil {
		return err
	}
	s := &w.Shots[at[0]]
	fields := w.fields()
	if len(fields) == 0 {
		return callErrorf("no change is given for shot %s", s.ID)
	}
	before := *s
	if err := w.setFields(s, w.in); err != nil {
		return err
	}
	if *s == before {
		w.report(nil, "Shot %s is like that already.", s.ID)
		return nil
	}
	w.report([]storage.ShotID{s.ID}, "Changed shot %s: %s.", s.ID, strings.Join(fields, ", "))
	return nil
}

func (w *planEditor) insert() error {
	at, there, err := w.insertIndex(w.named.Before, w.named.After)
	if err != nil {
		return err
	}
	if !there {
		at = len(w.Shots)
	}
	list := w.in["shots"].([]any)
	shots := make([]storage.Shot, len(list))
	for i, o := range list {
		shots[i] = storage.Shot{Kind: storage.FillerShot, Beat: w.beatAt(at)}
		if err := w.setFields(&shots[i], o); err != nil {
			return withEntryNumber(err, i, len(list))
		}
		shots[i].ID = w.newShot()
	}
	w.Shots = slices.Insert(w.Shots, at, shots...)
	ids := shotIDs(shots)
	w.report(ids, "Inserted %s at %d.", shotsText(ids), at+1)
	return nil
}

// beatAt returns the beat of a shot inserted at an index: the one on both sides, "" between two.
func (w *planEditor) beatAt(at int) storage.BeatID {
	if at == 0 || at == len(w.Shots) || w.Shots[at-1].Beat != w.Shots[at].Beat {
		return ""
	}
	return w.Shots[at].Beat
}

func (w *planEditor) remove() error {
	at, err := w.namedIndexes()
	if err != nil {
		return err
	}
	gone := w.idsAt(at)
	w.removeAt(at)
	w.report(gone, "Removed %s.", shotsText(gone))
	return nil
}

func (w *planEditor) idsAt(at []int) []storage.ShotID {
	ids := make([]storage.ShotID, len(at))
	for i, k := range at {
		ids[i] = w.Shots[k].ID
	}
	return ids
}

func (w *planEditor) removeAt(at []int) {
	kept := w.Shots[:0]
	for i, s := range w.Shots {
		if !slices.Contains(at, i) {
			kept = append(kept, s)
		}
	}
	w.Shots = kept
}

func (w *planEditor) reorder() error {
	was := shotIDs(w.Shots)
	var moved []storage.ShotID
	var err error
	if len(w.named.Order) > 0 {
		moved, err = w.arrange()
	} else {
		moved, err = w.move()
	}
	if err != nil {
		return err
	}
	if slices.Equal(was, shotIDs(w.Shots)) {
		w.report(nil, "The shots are in that order already.")
		return nil
	}
	w.report(moved, "Moved %s.", shotsText(moved))
	return nil
}

// arrange sorts the named shots into their positions in the named order. Others stay.
func (w *planEditor) arrange() ([]storage.ShotID, error) {
	from, err := w.indexesOf(w.named.Order)
	if err != nil {
		return nil, err
	}
	to := slices.Sorted(slices.Values(from))
	was := slices.Clone(w.Shots)
	var moved []storage.ShotID
	for i, at := range to {
		w.Shots[at] = was[from[i]]
		if from[i] != at {
			moved = append(moved, was[from[i]].ID)
		}
	}
	return moved, nil
}

// move moves shots, in the named order, to one position.
func (w *planEditor) move() ([]storage.ShotID, error) {
	at, err := w.namedIndexes()
	if err != nil {
		return nil, err
	}
	moving := make([]storage.Shot, len(at))
	for i, k := range at {
		moving[i] = w.Shots[k]
	}
	goal, there, err := w.insertIndex(w.named.Before, w.named.After)
	if err != nil {
		return nil, err
	}
	if there {
		// The position among the other shots.
		for i := goal - 1; i >= 0; i-- {
			if slices.Contains(at, i) {
				goal--
			}
		}
	} else {
		if w.named.To == 0 {
			return nil, callErrorf("give the new position with to, before or after")
		}
		goal = min(w.named.To-1, len(w.Shots)-len(at))
	}
	w.removeAt(at)
	w.Shots = slices.Insert(w.Shots, goal, moving...)
	return shotIDs(moving), nil
}

func (w *planEditor) merge() error {
	at, err := w.namedIndexes()
	if err != nil {
		return err
	}
	into := slices.Min(at)
	if w.named.Into != "" {
		if into, err = w.indexOf(w.named.Into); err != nil {
			return err
		}
		at = appendOnce(at, into)
	}
	if len(at) < 2 {
		return callErrorf("at least two shots are needed to merge")
	}
	slices.Sort(at)
	one := w.Shots[into]
	var all []storage.Shot
	for _, i := range at {
		all = append(all, w.Shots[i])
	}
	combine(&one, all)
	for _, f := range w.fields() {
		if w.in[f] == "" { // keep what was there
			delete(w.in, f)
		}
	}
	if err := w.setFields(&one, w.in); err != nil {
		return err
	}
	w.Shots[into] = one
	others := slices.DeleteFunc(at, func(i int) bool { return i == into })
	gone := w.idsAt(others)
	w.removeAt(others)
	w.report([]storage.ShotID{one.ID}, "Merged %s into %s.", shotsText(gone), one.ID)
	return nil
}

// combine merges shots into one: its own fields stay, missing ones come from the first shot that
// has them, texts and times are joined in order.
func combine(one *storage.Shot, all []storage.Shot) {
	var told, said []string
	one.Seconds = 0
	for _, s := range all {
		for _, f := range []struct{ to, from *string }{
			{&one.Size, &s.Size}, {&one.Angle, &s.Angle}, {&one.Movement, &s.Movement}, {&one.Job, &s.Job},
			{&one.Subject, &s.Subject},
		} {
			if *f.to == "" {
				*f.to = *f.from
			}
		}
		if one.Beat == "" {
			one.Beat = s.Beat
		}
		if s.Kind == storage.KeyShot {
			one.Kind = storage.KeyShot
		}
		one.Seconds += s.Seconds
		told, said = addText(told, s.Description), addText(said, s.Dialogue)
	}
	one.Seconds = min(roundSeconds(one.Seconds), maxSeconds)
	one.Description = strings.TrimSpace(cutRunes(strings.Join(told, " "), maxDescription))
	one.Dialogue = strings.TrimSpace(cutRunes(strings.Join(said, "\n"), maxDialogue))
}

// addText skips a text that is contained already.
func addText(all []string, s string) []string {
	if s == "" || slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

func (w *planEditor) confirm() error {
	if len(w.Shots) == 0 {
		return callErrorf("there are no shots to confirm")
	}
	w.confirmed = true
	w.report(nil, "Confirmed: %s.", countText(len(w.Shots), "shot"))
	return nil
}
