package storyboard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// work is a plan while a call is carried out on it: a copy that nobody else has.
type work struct {
	storage.Plan
	in    object
	ready bool // the shots are confirmed
	out   Outcome
}

// Apply carries out a call on a plan, which it leaves as it is, and returns what
// the plan becomes. An index in the parameters is read against the plan before the
// call. A model's planning answer is the parameters of its tool.
//
// The stage of the plan follows from what is in it: it is the last of beats, filler
// strategy, budget and shots that is there, and confirmed shots stay confirmed
// through changes of single shots. Ids are given here, never by a call.
func Apply(p storage.Plan, c storage.ToolCall) (storage.Plan, Outcome, error) {
	do := deed(c.Tool)
	if do == nil {
		return p, Outcome{}, refuse("there is no tool %q: it is one of %s", cutRunes(tidyLine(c.Tool), maxWord), toolNames())
	}
	in, err := parseParams(c.Params)
	if err != nil {
		return p, Outcome{}, err
	}
	w := &work{Plan: clonePlan(p), in: in, ready: p.Stage == storage.BoardReady}
	if err := do(w); err != nil {
		return p, Outcome{}, err
	}
	if len(w.Shots) > maxShots {
		return p, Outcome{}, refuse("the storyboard would have %d shots, and %d are the most", len(w.Shots), maxShots)
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
			return 0, refuse("shot %s is written for beat %s and not in the list of shots yet", id, k.Beat)
		}
	}
	if len(w.Shots) == 0 {
		return 0, refuse("there is no shot %s, for there are no shots yet", id)
	}
	return 0, refuse("there is no shot %s; there are %s", id, nameShots(shotIDs(w.Shots)))
}

func placeOf(shots []storage.Shot, id storage.ShotID) int {
	return slices.IndexFunc(shots, func(s storage.Shot) bool { return s.ID == id })
}

// at is the shot at a position, from 1.
func (w *work) at(v any) (int, error) {
	n, ok := toNumber(v)
	if !ok || n != float64(int(n)) {
		return 0, refuse("an index must be a whole number")
	}
	if n < 1 || n > float64(len(w.Shots)) {
		return 0, refuse("there is no shot at %s: the list has %d", plainNumber(n), len(w.Shots))
	}
	return int(n) - 1, nil
}

// chosen is where the shots stand that the call names by "shot", "shots", "index"
// or "indexes", each once and in the order in which they are named.
func (w *work) chosen() ([]int, error) {
	var all []int
	for _, key := range []string{"shot", "shots"} {
		ids, err := w.in.names(key, "s")
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			i, err := w.place(storage.ShotID(id))
			if err != nil {
				return nil, err
			}
			all = appendOnce(all, i)
		}
	}
	byID := len(all)
	for _, key := range []string{"index", "indexes"} {
		list := w.in.list(key)
		if len(list) > maxShots {
			return nil, refuse("%s names more than %d shots", key, maxShots)
		}
		for _, v := range list {
			if n, ok := toNumber(v); ok && n == 0 && byID > 0 {
				continue // models fill in what they do not use
			}
			i, err := w.at(v)
			if err != nil {
				return nil, err
			}
			if key == "index" && byID == 1 && all[0] != i {
				return nil, refuse("shot %s stands at %d, not at %d: name the shot, or its index", w.Shots[all[0]].ID, all[0]+1, i+1)
			}
			all = appendOnce(all, i)
		}
	}
	if len(all) == 0 {
		return nil, refuse("no shot is named")
	}
	return all, nil
}

func appendOnce(all []int, i int) []int {
	if slices.Contains(all, i) {
		return all
	}
	return append(all, i)
}

// anchor is the place before which something is put, by "before" or "after".
func (w *work) anchor() (at int, there bool, err error) {
	for _, key := range []string{"before", "after"} {
		if !w.in.has(key) {
			continue
		}
		ids, err := w.in.names(key, "s")
		if err != nil {
			return 0, false, err
		}
		if len(ids) != 1 {
			return 0, false, refuse("%s must name one shot", key)
		}
		i, err := w.place(storage.ShotID(ids[0]))
		if err != nil {
			return 0, false, err
		}
		if key == "after" {
			i++
		}
		if there && i != at {
			return 0, false, refuse("before and after name two places")
		}
		at, there = i, true
	}
	return at, there, nil
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
