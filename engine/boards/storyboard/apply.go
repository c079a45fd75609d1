package storyboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// planEditor is a plan while a call is carried out on it: a copy that nobody else has.
type planEditor struct {
	storage.Plan
	in        object // the parameters, as their schema has them
	named     namedShots
	confirmed bool // the shots are confirmed
	out       Outcome
}

// namedShots are the shots that a call names, and where they go.
type namedShots struct {
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
	w := &planEditor{Plan: clonePlan(p), in: in, confirmed: p.Stage == storage.BoardReady}
	if err = decode(in, &w.named); err == nil {
		err = actionOf(c.Tool)(w)
	}
	if err != nil {
		return p, Outcome{}, err
	}
	if len(w.Shots) > maxShots {
		return p, Outcome{}, callErrorf("the storyboard would have %d shots; the limit is %d", len(w.Shots), maxShots)
	}
	w.Stage = stageOf(w.Plan, w.confirmed)
	return w.Plan, w.out, nil
}

func actionOf(tool string) func(*planEditor) error {
	switch tool {
	case RecommendBeats:
		return (*planEditor).beats
	case RecommendFiller:
		return (*planEditor).filler
	case BudgetPackages:
		return (*planEditor).budget
	case GeneratePackage:
		return (*planEditor).setPackage
	case GenerateShots:
		return (*planEditor).generate
	case ProposeEdit:
		return (*planEditor).propose
	case ExecuteEdit:
		return (*planEditor).execute
	case ModifyShot:
		return (*planEditor).modify
	case InsertShot:
		return (*planEditor).insert
	case RemoveShots:
		return (*planEditor).remove
	case ReorderShots:
		return (*planEditor).reorder
	case MergeShots:
		return (*planEditor).merge
	case ConfirmShots:
		return (*planEditor).confirm
	case ImportBoard:
		return (*planEditor).replace
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

// report tells what was done, and to which shots.
func (w *planEditor) report(shots []storage.ShotID, format string, args ...any) {
	w.out = Outcome{Message: fmt.Sprintf(format, args...), Shots: shots}
}

func (w *planEditor) newShot() storage.ShotID {
	w.LastShot++
	return storage.ShotID(fmt.Sprintf("s%d", w.LastShot))
}

func (w *planEditor) newBeat() storage.BeatID {
	w.LastBeat++
	return storage.BeatID(fmt.Sprintf("b%d", w.LastBeat))
}

// indexOf is where a shot stands in the list, from 0.
func (w *planEditor) indexOf(id storage.ShotID) (int, error) {
	if i := indexOf(w.Shots, id); i >= 0 {
		return i, nil
	}
	for _, k := range w.Packages {
		if indexOf(k.Shots, id) >= 0 {
			return 0, callErrorf("shot %s is written for beat %s, but is not in the list of shots yet", id, k.Beat)
		}
	}
	if len(w.Shots) == 0 {
		return 0, callErrorf("there is no shot %s: there are no shots yet", id)
	}
	return 0, callErrorf("there is no shot %s; there are %s", id, nameShots(shotIDs(w.Shots)))
}

func indexOf(shots []storage.Shot, id storage.ShotID) int {
	return slices.IndexFunc(shots, func(s storage.Shot) bool { return s.ID == id })
}

// namedIndexes is where the shots stand that the call names by "shot" or "shots", each once
// and in the order in which they are named.
func (w *planEditor) namedIndexes() ([]int, error) {
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
		return nil, callErrorf("no shot is named")
	}
	return w.indexesOf(ids)
}

// indexesOf is where shots stand, each once.
func (w *planEditor) indexesOf(ids []storage.ShotID) (all []int, err error) {
	for _, id := range ids {
		i, err := w.indexOf(id)
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

// insertIndex is the place between two shots that is named by the one before or after it.
func (w *planEditor) insertIndex(before, after storage.ShotID) (at int, there bool, err error) {
	if before != "" {
		if at, err = w.indexOf(before); err != nil {
			return 0, false, err
		}
	}
	if after != "" {
		i, err := w.indexOf(after)
		if err != nil {
			return 0, false, err
		}
		if before != "" && i+1 != at {
			return 0, false, callErrorf("before and after cannot be combined")
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

// shotsText is "shot s3" or "shots s3, s4".
func shotsText(ids []storage.ShotID) string {
	if len(ids) == 1 {
		return "shot " + string(ids[0])
	}
	return "shots " + nameShots(ids)
}
