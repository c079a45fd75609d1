package storyboard

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// beats puts key beats in place of those there are. One that comes with the id of a
// present one stays that beat; what hangs on a beat that goes, its budget and its
// package, goes with it, and its shots stay without one.
func (w *work) beats() error {
	var in struct{ Beats []storage.BoardBeat }
	if err := decode(w.in, &in); err != nil {
		return err
	}
	beats := in.Beats
	known, taken := beatIDs(w.Beats), []storage.BeatID{}
	for i := range beats {
		id := storage.BeatID(idOf("b", string(beats[i].ID)))
		if !slices.Contains(known, id) || slices.Contains(taken, id) {
			id = w.newBeat()
		}
		taken = append(taken, id)
		beats[i].ID, beats[i].Messages = id, once(beats[i].Messages)
	}
	w.Beats = beats
	gone := func(id storage.BeatID) bool { return !slices.Contains(taken, id) }
	w.Budget = slices.DeleteFunc(w.Budget, func(a storage.Allotment) bool { return gone(a.Beat) })
	w.Packages = slices.DeleteFunc(w.Packages, func(k storage.BeatPackage) bool { return gone(k.Beat) })
	for i, s := range w.Shots {
		if s.Beat != "" && gone(s.Beat) {
			w.Shots[i].Beat = ""
		}
	}
	w.byBeat()
	w.say(nil, "The scene turns on %s.", countWord(len(beats), "key beat"))
	return nil
}

// once is a list without what stands in it before; nil for an empty one.
func once[T comparable](list []T) (out []T) {
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// byBeat puts budget and packages in the order of the beats.
func (w *work) byBeat() {
	order := make(map[storage.BeatID]int, len(w.Beats))
	for i, b := range w.Beats {
		order[b.ID] = i
	}
	slices.SortStableFunc(w.Budget, func(a, b storage.Allotment) int { return cmp.Compare(order[a.Beat], order[b.Beat]) })
	slices.SortStableFunc(w.Packages, func(a, b storage.BeatPackage) int { return cmp.Compare(order[a.Beat], order[b.Beat]) })
}

func (w *work) needBeats() error {
	if len(w.Beats) == 0 {
		return refuse("the scene has no key beats yet: %s comes first", RecommendBeats)
	}
	return nil
}

func (w *work) filler() error {
	if err := w.needBeats(); err != nil {
		return err
	}
	var f storage.FillerStrategy
	if err := decode(w.in, &f); err != nil {
		return err
	}
	f.Jobs = once(f.Jobs)
	w.Filler = &f
	w.say(nil, "Filler between the key shots: %s.", f.Amount)
	return nil
}

func (w *work) budget() error {
	if err := w.needBeats(); err != nil {
		return err
	}
	if err := w.allot(); err != nil {
		return err
	}
	shots, seconds := 0, 0.0
	for _, a := range w.Budget {
		shots, seconds = shots+a.Key+a.Filler, seconds+a.Seconds
	}
	if shots > maxShots {
		return refuse("the budget has %d shots; the limit is %d", shots, maxShots)
	}
	w.say(nil, "Budget: %s, %s.", countWord(shots, "shot"), secondsWord(seconds))
	return nil
}

// allot puts the budget of the call in place of the one there is.
func (w *work) allot() error {
	var in struct{ Budget []storage.Allotment }
	if err := decode(w.in, &in); err != nil {
		return err
	}
	w.Budget = nil
	for i, a := range in.Budget {
		err := w.knows(a.Beat)
		if _, twice := allotted(w.Plan, a.Beat); twice {
			err = refuse("beat %s already has a budget", a.Beat)
		}
		if err != nil {
			return numbered(err, i, len(in.Budget))
		}
		w.Budget = append(w.Budget, a)
	}
	w.byBeat()
	return nil
}

// pack puts the shots of a beat in place of those that were written for it before.
func (w *work) pack() error {
	beat := storage.BeatID(w.in["beat"].(string))
	if err := w.knows(beat); err != nil {
		return err
	}
	list := w.in["shots"].([]any)
	shots := make([]storage.Shot, len(list))
	for i, o := range list {
		shots[i].Kind = storage.KeyShot
		if err := w.put(&shots[i], without(o.(map[string]any), "beat")); err != nil {
			return numbered(err, i, len(list))
		}
		shots[i].ID, shots[i].Beat = w.newShot(), beat
	}
	w.Packages = slices.DeleteFunc(w.Packages, func(k storage.BeatPackage) bool { return k.Beat == beat })
	w.Packages = append(w.Packages, storage.BeatPackage{Beat: beat, Shots: shots})
	total := 0
	for _, k := range w.Packages {
		total += len(k.Shots)
	}
	if total > maxShots {
		return refuse("the beats would have %d shots; the limit is %d", total, maxShots)
	}
	w.byBeat()
	w.say(shotIDs(shots), "Wrote %s for beat %s.", countWord(len(shots), "shot"), beat)
	return nil
}

// numbered says which entry of a list an error is about.
func numbered(err error, i, of int) error {
	if err == nil || of == 1 {
		return err
	}
	return refuse("entry %d: %s", i+1, err)
}

func countWord(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func secondsWord(n float64) string {
	n = hundredths(n)
	if n == 1 {
		return "1 second"
	}
	return fmt.Sprintf("%v seconds", n)
}

// amounts are the choices of how much filler there is.
func amounts() []string { return []string{"none", "light", "medium", "rich"} }
