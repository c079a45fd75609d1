package storyboard

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func (w *work) modify() error {
	at, err := w.chosen()
	if err != nil {
		return err
	}
	if len(at) != 1 {
		return refuse("%s changes one shot at a time", ModifyShot)
	}
	s := &w.Shots[at[0]]
	before := *s
	named, err := setFields(s, w.in, w.Beats)
	if err != nil {
		return err
	}
	if len(named) == 0 {
		return refuse("nothing is named that should change in shot %s", s.ID)
	}
	if *s == before {
		w.say(nil, "Shot %s is like that already.", s.ID)
		return nil
	}
	w.say([]storage.ShotID{s.ID}, "Changed shot %s: %s.", s.ID, strings.Join(named, ", "))
	return nil
}

func (w *work) insert() error {
	at, err := w.gap()
	if err != nil {
		return err
	}
	list := []object{w.in} // the fields of a single shot may stand beside the place
	for _, key := range []string{"shots", "shot"} {
		if w.in.has(key) {
			if list, err = w.in.objects(key, maxShots); err != nil {
				return err
			}
			break
		}
	}
	shots := make([]storage.Shot, len(list))
	for i, o := range list {
		shots[i] = storage.Shot{Kind: storage.FillerShot, Beat: w.beatAt(at)}
		if _, err := setFields(&shots[i], o, w.Beats); err != nil {
			return numbered(err, i, len(list))
		}
		shots[i].ID = w.newShot()
	}
	w.Shots = slices.Insert(w.Shots, at, shots...)
	ids := shotIDs(shots)
	w.say(ids, "Inserted %s at %d.", shotsWord(ids), at+1)
	return nil
}

// gap is the place where new shots go: the end where none is named.
func (w *work) gap() (int, error) {
	at, there, err := w.anchor()
	if err != nil || there {
		return at, err
	}
	n, there, err := w.in.count("index", 0, len(w.Shots)+1)
	if err != nil {
		return 0, err
	}
	if !there || n == 0 { // models write 0 for what they do not use
		return len(w.Shots), nil
	}
	return n - 1, nil
}

// beatAt is the beat of a shot that comes to stand at a place: the one that goes on
// there, "" between two.
func (w *work) beatAt(at int) storage.BeatID {
	if at == 0 || at == len(w.Shots) || w.Shots[at-1].Beat != w.Shots[at].Beat {
		return ""
	}
	return w.Shots[at].Beat
}

func (w *work) remove() error {
	at, err := w.chosen()
	if err != nil {
		return err
	}
	gone := w.idsAt(at)
	w.drop(at)
	w.say(gone, "Removed %s.", shotsWord(gone))
	return nil
}

func (w *work) idsAt(at []int) []storage.ShotID {
	ids := make([]storage.ShotID, len(at))
	for i, k := range at {
		ids[i] = w.Shots[k].ID
	}
	return ids
}

func (w *work) drop(at []int) {
	kept := w.Shots[:0]
	for i, s := range w.Shots {
		if !slices.Contains(at, i) {
			kept = append(kept, s)
		}
	}
	w.Shots = kept
}

func (w *work) reorder() error {
	was := shotIDs(w.Shots)
	var moved []storage.ShotID
	var err error
	if w.in.has("order") {
		moved, err = w.arrange()
	} else {
		moved, err = w.move()
	}
	if err != nil {
		return err
	}
	if slices.Equal(was, shotIDs(w.Shots)) {
		w.say(nil, "The shots are in that order already.")
		return nil
	}
	w.say(moved, "Moved %s.", shotsWord(moved))
	return nil
}

// arrange puts the named shots in the named order, into the places that they have
// among them: what is not named keeps its own.
func (w *work) arrange() ([]storage.ShotID, error) {
	names, err := w.in.names("order", "s")
	if err != nil {
		return nil, err
	}
	var from []int
	for _, name := range names {
		i, err := w.place(storage.ShotID(name))
		if err != nil {
			return nil, err
		}
		from = appendOnce(from, i)
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

// move takes shots, in the order in which they are named, to one place.
func (w *work) move() ([]storage.ShotID, error) {
	at, err := w.chosen()
	if err != nil {
		return nil, err
	}
	moving := make([]storage.Shot, len(at))
	for i, k := range at {
		moving[i] = w.Shots[k]
	}
	goal, there, err := w.anchor()
	if err != nil {
		return nil, err
	}
	if there {
		// The place among the shots that stay.
		for i := goal - 1; i >= 0; i-- {
			if slices.Contains(at, i) {
				goal--
			}
		}
	} else {
		n, there, err := w.in.count("to", 0, len(w.Shots))
		if err != nil {
			return nil, err
		}
		if !there || n == 0 {
			return nil, refuse("it is not said where to: to, before or after")
		}
		goal = min(n-1, len(w.Shots)-len(at))
	}
	w.drop(at)
	w.Shots = slices.Insert(w.Shots, goal, moving...)
	return shotIDs(moving), nil
}

func (w *work) merge() error {
	at, err := w.chosen()
	if err != nil {
		return err
	}
	into := slices.Min(at)
	if w.in.has("into") {
		ids, err := w.in.names("into", "s")
		if err != nil {
			return err
		}
		if len(ids) != 1 {
			return refuse("into must name one shot")
		}
		if into, err = w.place(storage.ShotID(ids[0])); err != nil {
			return err
		}
		at = appendOnce(at, into)
	}
	if len(at) < 2 {
		return refuse("it takes two shots to merge")
	}
	slices.Sort(at)
	one := w.Shots[into]
	var all []storage.Shot
	for _, i := range at {
		all = append(all, w.Shots[i])
	}
	combine(&one, all)
	for _, f := range shotFields() {
		if !w.in.has(f.name) { // an empty text is no wish to lose what was there
			delete(w.in, f.name)
		}
	}
	if _, err := setFields(&one, w.in, w.Beats); err != nil {
		return err
	}
	w.Shots[into] = one
	others := slices.DeleteFunc(at, func(i int) bool { return i == into })
	gone := w.idsAt(others)
	w.drop(others)
	w.say([]storage.ShotID{one.ID}, "Merged %s into %s.", shotsWord(gone), one.ID)
	return nil
}

// combine makes one of several shots: what the one has stays, what it lacks comes
// from the first that has it, texts and times come from all, in their order.
func combine(one *storage.Shot, all []storage.Shot) {
	var told, said []string
	one.Seconds = 0
	for _, s := range all {
		for _, f := range []struct{ to, from *string }{
			{&one.Size, &s.Size}, {&one.Angle, &s.Angle}, {&one.Movement, &s.Movement}, {&one.Job, &s.Job}, {&one.Subject, &s.Subject},
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
	one.Seconds = min(hundredths(one.Seconds), maxSeconds)
	one.Description = strings.TrimSpace(cutRunes(strings.Join(told, " "), maxDescription))
	one.Dialogue = strings.TrimSpace(cutRunes(strings.Join(said, "\n"), maxDialogue))
}

// addText leaves out what is told already.
func addText(all []string, s string) []string {
	if s == "" || slices.Contains(all, s) {
		return all
	}
	return append(all, s)
}

func (w *work) confirm() error {
	if len(w.Shots) == 0 {
		return refuse("there are no shots to confirm")
	}
	w.ready = true
	w.say(nil, "Confirmed: %s.", countWord(len(w.Shots), "shot"))
	return nil
}
