package storyboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// work is a plan while a call is carried out on it: a copy that nobody else has.
type work struct {
	storage.Plan
	in    object // the parameters, as their schema has them
	named named
	ready bool // the shots are confirmed
	out   Outcome
}

// named are the shots that a call names, and where they go.
type named struct {
	Shot                storage.ShotID
	Shots               json.RawMessage // ids, or new shots
	Before, After, Into storage.ShotID
	Order               []storage.ShotID
	To                  int
}

// Apply carries out a call on a plan, which it leaves as it is, and returns what
// the plan becomes. An index in the parameters is read against the plan before the
// call. A model's planning answer is the parameters of its tool.
//
// The stage of the plan follows from what is in it: it is the last of beats, filler
// strategy, budget and shots that is there, and confirmed shots stay confirmed
// through changes of single shots. Ids are given here, never by a call.
func Apply(p storage.Plan, c storage.ToolCall) (storage.Plan, Outcome, error) {
	in, err := paramsOf(p, c)
	if err != nil {
		return p, Outcome{}, err
	}
	w := &work{Plan: clonePlan(p), in: in, ready: p.Stage == storage.BoardReady}
	if err = decode(in, &w.named); err == nil {
		err = deed(c.Tool)(w)
	}
	if err != nil {
		return p, Outcome{}, err
	}
	if len(w.Shots) > maxShots {
		return p, Outcome{}, refuse("the storyboard would have %d shots; the limit is %d", len(w.Shots), maxShots)
	}
	w.Stage = stageOf(w.Plan, w.ready)
	return w.Plan, w.out, nil
}

func deed(tool string) func(*work) error {
	switch tool {
	case RecommendBeats:
		return (*work).beats
	case RecommendFiller:
		return (*work).filler
	case BudgetPackages:
		return (*work).budget
	case GeneratePackage:
		return (*work).pack
	case GenerateShots:
		return (*work).generate
	case ProposeEdit:
		return (*work).propose
	case ExecuteEdit:
		return (*work).execute
	case ModifyShot:
		return (*work).modify
	case InsertShot:
		return (*work).insert
	case RemoveShots:
		return (*work).remove
	case ReorderShots:
		return (*work).reorder
	case MergeShots:
		return (*work).merge
	case ConfirmShots:
		return (*work).confirm
	case ImportBoard:
		return (*work).replace
	}
	return nil
}

func stageOf(p storage.Plan, ready bool) storage.BoardStage {
	switch {
	case len(p.Shots) > 0 && ready:
		return storage.BoardReady
	case len(p.Shots) > 0:
		return storage.BoardShots
	case len(p.Budget) > 0:
		return storage.BoardBudget
	case p.Filler != nil:
		return storage.BoardFiller
	case len(p.Beats) > 0:
		return storage.BoardBeats
	}
	return ""
}

// clonePlan copies all of a plan that a call may write to. A proposal is put in
// place as a whole and never written to.
func clonePlan(p storage.Plan) storage.Plan {
	p.Beats = slices.Clone(p.Beats)
	for i, b := range p.Beats {
		p.Beats[i].Messages = slices.Clone(b.Messages)
	}
	if p.Filler != nil {
		f := *p.Filler
		f.Jobs = slices.Clone(f.Jobs)
		p.Filler = &f
	}
	p.Budget = slices.Clone(p.Budget)
	p.Packages = slices.Clone(p.Packages)
	for i, k := range p.Packages {
		p.Packages[i].Shots = slices.Clone(k.Shots)
	}
	p.Shots = slices.Clone(p.Shots)
	return p
}

// say tells what was done, and to which shots.
func (w *work) say(shots []storage.ShotID, format string, args ...any) {
	w.out = Outcome{Words: fmt.Sprintf(format, args...), Shots: shots}
}

func (w *work) newShot() storage.ShotID {
	w.LastShot++
	return storage.ShotID(fmt.Sprintf("s%d", w.LastShot))
}

func (w *work) newBeat() storage.BeatID {
	w.LastBeat++
	return storage.BeatID(fmt.Sprintf("b%d", w.LastBeat))
}

// place is where a shot stands in the list, from 0.
func (w *work) place(id storage.ShotID) (int, error) {
	if i := placeOf(w.Shots, id); i >= 0 {
		return i, nil
	}
	for _, k := range w.Packages {
		if placeOf(k.Shots, id) >= 0 {
			return 0, refuse("shot %s is written for beat %s, but is not in the list of shots yet", id, k.Beat)
		}
	}
	if len(w.Shots) == 0 {
		return 0, refuse("there is no shot %s: there are no shots yet", id)
	}
	return 0, refuse("there is no shot %s; there are %s", id, nameShots(shotIDs(w.Shots)))
}

func placeOf(shots []storage.Shot, id storage.ShotID) int {
	return slices.IndexFunc(shots, func(s storage.Shot) bool { return s.ID == id })
}

// chosen is where the shots stand that the call names by "shot" or "shots", each once
// and in the order in which they are named.
func (w *work) chosen() ([]int, error) {
	var ids []storage.ShotID
	if w.named.Shots != nil {
		if err := decode(w.named.Shots, &ids); err != nil {
			return nil, err
		}
	}
	if w.named.Shot != "" {
		ids = slices.Insert(ids, 0, w.named.Shot)
	}
	if len(ids) == 0 {
		return nil, refuse("no shot is named")
	}
	return w.places(ids)
}

// places is where shots stand, each once.
func (w *work) places(ids []storage.ShotID) (all []int, err error) {
	for _, id := range ids {
		i, err := w.place(id)
		if err != nil {
			return nil, err
		}
		all = appendOnce(all, i)
	}
	return all, nil
}

func appendOnce(all []int, i int) []int {
	if slices.Contains(all, i) {
		return all
	}
	return append(all, i)
}

// anchor is the place between two shots that is named by the one before or after it.
func (w *work) anchor(before, after storage.ShotID) (at int, there bool, err error) {
	if before != "" {
		if at, err = w.place(before); err != nil {
			return 0, false, err
		}
	}
	if after != "" {
		i, err := w.place(after)
		if err != nil {
			return 0, false, err
		}
		if before != "" && i+1 != at {
			return 0, false, refuse("before and after cannot be combined")
		}
		at = i + 1
	}
	return at, before != "" || after != "", nil
}

func shotIDs(shots []storage.Shot) []storage.ShotID {
	ids := make([]storage.ShotID, len(shots))
	for i, s := range shots {
		ids[i] = s.ID
	}
	return ids
}

// nameShots names shots in words; of many only the first.
func nameShots(ids []storage.ShotID) string {
	const most = 12
	var b strings.Builder
	for i, id := range ids {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(ids)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(id))
	}
	return b.String()
}

// shotsWord is "shot s3" or "shots s3, s4".
func shotsWord(ids []storage.ShotID) string {
	if len(ids) == 1 {
		return "shot " + string(ids[0])
	}
	return "shots " + nameShots(ids)
}
