package storyboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxKept bounds the number of an id that a file may bring, so that none uses up
// the numbers.
const maxKept = 99999

// replace puts a storyboard from a file in place of what is there. A shot or beat
// keeps the id of the file where that cannot be taken for another one: the present
// one has it, so that the file is this storyboard with changes, or it was never
// given.
func (w *work) replace() error {
	was := w.Plan
	w.Plan = storage.Plan{LastShot: was.LastShot, LastBeat: was.LastBeat}
	beats, err := w.importBeats(was)
	if err != nil {
		return err
	}
	switch o := w.in["filler"].(type) {
	case nil:
	case map[string]any:
		if w.Filler, err = fillerOf(o); err != nil {
			return inPart("filler", err)
		}
	default:
		return inPart("filler", refuse("it must be an object"))
	}
	if err := w.importBudget(beats); err != nil {
		return err
	}
	if err := w.importShots(was, beats); err != nil {
		return err
	}
	if len(w.Shots) == 0 && len(w.Beats) == 0 {
		return refuse("the file has neither beats nor shots")
	}
	stage, _, err := w.in.line("stage", maxWord)
	if err != nil {
		return err
	}
	w.ready = stage == string(storage.BoardReady)
	w.say(shotIDs(w.Shots), "Imported %s and %s.", countWord(len(w.Beats), "beat"), countWord(len(w.Shots), "shot"))
	return nil
}

func (w *work) importBeats(was storage.Plan) (map[string]storage.BeatID, error) {
	list, err := w.in.objects("beats", maxBeats)
	if err != nil {
		return nil, err
	}
	ids, names := make([]storage.BeatID, len(list)), map[string]storage.BeatID{}
	w.Beats = make([]storage.BoardBeat, len(list))
	for i, o := range list {
		if w.Beats[i], err = beatOf(o); err != nil {
			return nil, inPart("beats", numbered(err, i, len(list)))
		}
		name, err := fileID(o, "b")
		if err != nil {
			return nil, inPart("beats", numbered(err, i, len(list)))
		}
		ids[i] = storage.BeatID(name)
	}
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
	if len(list) == 0 {
		w.Beats = nil
	}
	return names, nil
}

func (w *work) importBudget(beats map[string]storage.BeatID) error {
	list, err := w.in.objects("budget", maxBeats)
	if err != nil {
		return err
	}
	for i, o := range list {
		if o, err = renamed(o, beats); err != nil {
			return inPart("budget", numbered(err, i, len(list)))
		}
		a, err := allotmentOf(o, w.Beats)
		if err != nil {
			return inPart("budget", numbered(err, i, len(list)))
		}
		if slices.ContainsFunc(w.Budget, func(b storage.Allotment) bool { return b.Beat == a.Beat }) {
			return inPart("budget", numbered(refuse("beat %s has a budget already", a.Beat), i, len(list)))
		}
		w.Budget = append(w.Budget, a)
	}
	w.byBeat()
	return nil
}

func (w *work) importShots(was storage.Plan, beats map[string]storage.BeatID) error {
	list, err := w.in.objects("shots", maxShots)
	if err != nil {
		return err
	}
	ids := make([]storage.ShotID, len(list))
	w.Shots = make([]storage.Shot, len(list))
	for i, o := range list {
		name, err := fileID(o, "s")
		if err != nil {
			return inPart("shots", numbered(err, i, len(list)))
		}
		ids[i] = storage.ShotID(name)
		if len(w.Beats) == 0 { // shots alone, taken out of a storyboard
			o = without(o, "beat")
		} else if o, err = renamed(o, beats); err != nil {
			return inPart("shots", numbered(err, i, len(list)))
		}
		w.Shots[i].Kind = storage.KeyShot
		if _, err := setFields(&w.Shots[i], o, w.Beats); err != nil {
			return inPart("shots", numbered(err, i, len(list)))
		}
	}
	given, last := keepIDs("s", ids, w.LastShot, func(id storage.ShotID) bool { return placeOf(was.Shots, id) >= 0 })
	w.LastShot = last
	for i := range w.Shots {
		if given[i] == "" {
			given[i] = w.newShot()
		}
		w.Shots[i].ID = given[i]
	}
	if len(list) == 0 {
		w.Shots = nil
	}
	return nil
}

// keepIDs says which of a file's ids stay, "" for one that is to be given anew, and
// the last number that is taken then.
func keepIDs[T ~string](letter string, ids []T, last int, present func(T) bool) ([]T, int) {
	kept, most := make([]T, len(ids)), last
	for i, id := range ids {
		n := idNumber(letter, id)
		if n == 0 || slices.Contains(kept[:i], id) || !present(id) && (n <= last || n > maxKept) {
			continue
		}
		kept[i] = id
		most = max(most, n)
	}
	return kept, most
}

func fileID(o object, letter string) (string, error) {
	name, _, err := o.line("id", maxNote)
	return idOf(letter, name), err
}

// renamed is o with the id that its beat has here.
func renamed(o object, beats map[string]storage.BeatID) (object, error) {
	name, _, err := o.line("beat", maxNote)
	if err != nil || name == "" {
		return o, err
	}
	id, ok := beats[idOf("b", name)]
	if !ok {
		return nil, refuse("the file has no beat %q", cutRunes(name, maxWord))
	}
	o = without(o, "beat")
	o["beat"] = string(id)
	return o, nil
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
	return refuse("%s: %s", part, err)
}

// encode writes JSON that people read too.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, refuse("the parameters cannot be written: %v", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
