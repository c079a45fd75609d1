package storyboard

import (
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxImportedID bounds the number of an id that a file may bring, so that none uses up
// the numbers.
const maxImportedID = 99999

// replace puts a storyboard from a file in place of what is there. A shot or beat
// keeps the id of the file where that cannot be taken for another one: the present
// one has it, so that the file is this storyboard with changes, or it was never
// given.
func (w *planEditor) replace() error {
	was := w.Plan
	w.Plan = storage.Plan{LastShot: was.LastShot, LastBeat: was.LastBeat}
	beats, err := w.importBeats(was)
	if err != nil {
		return err
	}
	if o := w.in["filler"]; o != nil {
		w.Filler = new(storage.FillerStrategy)
		if err := decode(o, w.Filler); err != nil {
			return err
		}
		w.Filler.Jobs = unique(w.Filler.Jobs)
	}
	if err := w.rename("budget", beats); err != nil {
		return err
	}
	if err := w.setBudget(); err != nil {
		return inPart("budget", err)
	}
	if err := w.importShots(was, beats); err != nil {
		return err
	}
	if len(w.Shots) == 0 && len(w.Beats) == 0 {
		return callErrorf("the file has neither beats nor shots")
	}
	w.confirmed = w.in["stage"] == string(storage.BoardReady)
	w.report(shotIDs(w.Shots), "Imported %s and %s.", countText(len(w.Beats), "beat"), countText(len(w.Shots), "shot"))
	return nil
}

func (w *planEditor) importBeats(was storage.Plan) (map[string]storage.BeatID, error) {
	var in struct{ Beats []storage.BoardBeat }
	if err := decode(w.in, &in); err != nil {
		return nil, err
	}
	list := in.Beats
	ids, names := make([]storage.BeatID, len(list)), map[string]storage.BeatID{}
	for i := range list {
		ids[i], list[i].Messages = storage.BeatID(idOf("b", string(list[i].ID))), unique(list[i].Messages)
	}
	w.Beats = list
	present := func(id storage.BeatID) bool {
		return slices.ContainsFunc(was.Beats, func(b storage.BoardBeat) bool { return b.ID == id })
	}
	given, last := keepIDs("b", ids, w.LastBeat, present)
	w.LastBeat = last
	for i := range list {
		if given[i] == "" {
			given[i] = w.newBeat()
		}
		w.Beats[i].ID = given[i]
		name := string(ids[i])
		if name == "" {
			name = fmt.Sprintf("b%d", i+1) // what anybody calls it who writes a file by hand
		}
		if _, twice := names[name]; !twice {
			names[name] = given[i]
		}
	}
	return names, nil
}

func (w *planEditor) importShots(was storage.Plan, beats map[string]storage.BeatID) error {
	if err := w.rename("shots", beats); err != nil {
		return err
	}
	list, _ := w.in["shots"].([]any)
	ids := make([]storage.ShotID, len(list))
	for i, o := range list {
		s := storage.Shot{Kind: storage.KeyShot}
		if err := w.setFields(&s, o); err != nil {
			return inPart("shots", withEntryNumber(err, i, len(list)))
		}
		ids[i] = storage.ShotID(idOf("s", string(s.ID)))
		w.Shots = append(w.Shots, s)
	}
	given, last := keepIDs("s", ids, w.LastShot, func(id storage.ShotID) bool { return indexOf(was.Shots, id) >= 0 })
	w.LastShot = last
	for i := range w.Shots {
		if given[i] == "" {
			given[i] = w.newShot()
		}
		w.Shots[i].ID = given[i]
	}
	return nil
}

// keepIDs says which of a file's ids stay, "" for one that is to be given anew, and
// the last number that is taken then.
func keepIDs[T ~string](letter string, ids []T, last int, present func(T) bool) ([]T, int) {
	kept, most := make([]T, len(ids)), last
	for i, id := range ids {
		n := idNumber(letter, id)
		if n == 0 || slices.Contains(kept[:i], id) || !present(id) && (n <= last || n > maxImportedID) {
			continue
		}
		kept[i] = id
		most = max(most, n)
	}
	return kept, most
}

// rename gives the beats that a list of the file names the ids that they have here.
func (w *planEditor) rename(key string, beats map[string]storage.BeatID) error {
	list, _ := w.in[key].([]any)
	for i, v := range list {
		o := v.(map[string]any)
		name, ok := o["beat"].(string)
		if !ok || name == "" {
			continue
		}
		id, ok := beats[name]
		switch {
		case ok:
			o["beat"] = string(id)
		case len(w.Beats) == 0 && key == "shots": // shots alone, taken out of a storyboard
			delete(o, "beat")
		default:
			return inPart(key, withEntryNumber(callErrorf("the file has no beat %q", name), i, len(list)))
		}
	}
	return nil
}

func without(o object, key string) object {
	out := make(object, len(o))
	for k, v := range o {
		if k != key {
			out[k] = v
		}
	}
	return out
}

// inPart says in which part of a file an error is.
func inPart(part string, err error) error {
	if err == nil {
		return nil
	}
	return callErrorf("%s: %s", part, err)
}
