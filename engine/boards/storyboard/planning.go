package storyboard

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// beats replaces the key beats. A beat with an existing ID stays that beat. The budget and the
// package of a removed beat are removed, and its shots lose their beat.
func (w *planEditor) beats() error {
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
		beats[i].ID, beats[i].Messages = id, unique(beats[i].Messages)
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
	w.sortByBeat()
	w.report(nil, "The scene turns on %s.", countText(len(beats), "key beat"))
	return nil
}

// unique returns a list without duplicates; nil for an empty one.
func unique[T comparable](list []T) (out []T) {
	for _, v := range list {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// sortByBeat sorts budget and packages by the order of the beats.
func (w *planEditor) sortByBeat() {
	order := make(map[storage.BeatID]int, len(w.Beats))
	for i, b := range w.Beats {
		order[b.ID] = i
	}
	slices.SortStableFunc(w.Budget, func(a, b storage.Allotment) int {
		return cmp.Compare(order[a.Beat], order[b.Beat])
	})
	slices.SortStableFunc(w.Packages, func(a, b storage.BeatPackage) int {
		return cmp.Compare(order[a.Beat], order[b.Beat])
	})
}

func (w *planEditor) needBeats() error {
	if len(w.Beats) == 0 {
		return callErrorf("the scene has no key beats yet: %s comes first", RecommendBeats)
	}
	return nil
}

func (w *planEditor) filler() error {
	if err := w.needBeats(); err != nil {
		return err
	}
	var f storage.FillerStrategy
	if err := decode(w.in, &f); err != nil {
		return err
	}
	f.Jobs = unique(f.Jobs)
	w.Filler = &f
	w.report(nil, "Filler between the key shots: %s.", f.Amount)
	return nil
}

func (w *planEditor) budget() error {
	if err := w.needBeats(); err != nil {
		return err
	}
	if err := w.setBudget(); err != nil {
		return err
	}
	shots, seconds := 0, 0.0
	for _, a := range w.Budget {
		shots, seconds = shots+a.Key+a.Filler, seconds+a.Seconds
	}
	if shots > maxShots {
		return callErrorf("the budget has %d shots; the limit is %d", shots, maxShots)
	}
	w.report(nil, "Budget: %s, %s.", countText(shots, "shot"), secondsText(seconds))
	return nil
}

// setBudget replaces the budget.
func (w *planEditor) setBudget() error {
	var in struct{ Budget []storage.Allotment }
	if err := decode(w.in, &in); err != nil {
		return err
	}
	w.Budget = nil
	for i, a := range in.Budget {
		err := w.checkBeat(a.Beat)
		if _, twice := budgetOf(w.Plan, a.Beat); twice {
			err = callErrorf("beat %s already has a budget", a.Beat)
		}
		if err != nil {
			return withEntryNumber(err, i, len(in.Budget))
		}
		w.Budget = append(w.Budget, a)
	}
	w.sortByBeat()
	return nil
}

// setPackage replaces the package of a beat.
func (w *planEditor) setPackage() error {
	beat := storage.BeatID(w.in["beat"].(string))
	if err := w.checkBeat(beat); err != nil {
		return err
	}
	list := w.in["shots"].([]any)
	shots := make([]storage.Shot, len(list))
	for i, o := range list {
		shots[i].Kind = storage.KeyShot
		if err := w.setFields(&shots[i], without(o.(map[string]any), "beat")); err != nil {
			return withEntryNumber(err, i, len(list))
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
		return callErrorf("the beats would have %d shots; the limit is %d", total, maxShots)
	}
	w.sortByBeat()
	w.report(shotIDs(shots), "Wrote %s for beat %s.", countText(len(shots), "shot"), beat)
	return nil
}

// withEntryNumber adds the number of a list entry to an error.
func withEntryNumber(err error, i, of int) error {
	if err == nil || of == 1 {
		return err
	}
	return callErrorf("entry %d: %s", i+1, err)
}

func countText(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func secondsText(n float64) string {
	n = roundSeconds(n)
	if n == 1 {
		return "1 second"
	}
	return fmt.Sprintf("%v seconds", n)
}

// amounts returns the choices for the amount of filler.
func amounts() []string { return []string{"none", "light", "medium", "rich"} }
