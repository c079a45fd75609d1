package storyboard

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// generate puts the shots that were written for the beats into the list. Where all
// beats have some they are the list; where only some beats have, theirs replace what
// the list has for these beats, and the rest stays. Shots that have to be confirmed
// again follow.
func (w *planEditor) generate() error {
	if len(w.Packages) == 0 {
		return callErrorf("no beat has shots yet: %s comes first", GeneratePackage)
	}
	if len(w.Packages) == len(w.Beats) {
		w.Shots = nil
	}
	for _, k := range w.Packages {
		w.putPackage(k)
	}
	w.Packages, w.confirmed = nil, false
	if len(w.named.Order) > 0 {
		if _, err := w.arrange(); err != nil {
			return err
		}
	}
	connecting, err := w.addFillers()
	if err != nil {
		return err
	}
	w.report(shotIDs(w.Shots), "The scene has %s, %d of them to connect.", countText(len(w.Shots), "shot"), connecting)
	return nil
}

// putPackage puts a package where the list has the shots of its beat, or after those
// of the beats before.
func (w *planEditor) putPackage(k storage.BeatPackage) {
	earlier := map[storage.BeatID]bool{}
	for _, b := range w.Beats {
		if b.ID == k.Beat {
			break
		}
		earlier[b.ID] = true
	}
	at, kept := -1, make([]storage.Shot, 0, len(w.Shots)+len(k.Shots))
	after := 0
	for _, s := range w.Shots {
		if s.Beat == k.Beat {
			if at < 0 {
				at = len(kept)
			}
			continue
		}
		kept = append(kept, s)
		if earlier[s.Beat] {
			after = len(kept)
		}
	}
	if at < 0 {
		at = after
	}
	w.Shots = slices.Insert(kept, at, k.Shots...)
}

// addFillers puts in the fillers between, each after or before a shot. Several at one
// place keep the order in which they are given.
func (w *planEditor) addFillers() (int, error) {
	list, _ := w.in["fillers"].([]any)
	tail := map[storage.ShotID]storage.ShotID{} // the last filler put after a shot
	for i, o := range list {
		var place namedShots
		if err := decode(o, &place); err != nil {
			return 0, err
		}
		at, there, err := w.insertIndex(place.Before, place.After)
		if err != nil {
			return 0, withEntryNumber(err, i, len(list))
		}
		if !there {
			at = len(w.Shots)
		}
		if last, ok := tail[place.After]; ok {
			at = indexOf(w.Shots, last) + 1
		}
		s := storage.Shot{Kind: storage.FillerShot, Beat: w.beatAt(at)}
		if err := w.setFields(&s, o); err != nil {
			return 0, withEntryNumber(err, i, len(list))
		}
		s.ID = w.newShot()
		if place.After != "" {
			tail[place.After] = s.ID
		}
		w.Shots = slices.Insert(w.Shots, at, s)
	}
	return len(list), nil
}

// editTools are the tools that a proposal may be made of.
func editTools() []string {
	return []string{ModifyShot, InsertShot, RemoveShots, ReorderShots, MergeShots}
}

// steerTools are the tools that an answer to a steering line may name.
func steerTools() []string { return append(editTools(), ConfirmShots, ExecuteEdit) }

func isEditTool(tool string) bool { return slices.Contains(editTools(), tool) }

func (w *planEditor) propose() error {
	e := new(storage.EditPlan)
	if err := decode(w.in, e); err != nil {
		return err
	}
	_, done, out, err := runAll(w.Plan, e.Calls)
	if err != nil {
		return err
	}
	e.Calls = done // what cannot be done now must not hit another shot later
	if e.Summary == "" {
		e.Summary = countText(len(e.Calls), "change") + "."
	}
	w.Proposal = e
	_, left, _ := strings.Cut(out.Message, leftOutText)
	if w.report(out.Shots, "Proposed: %s", e.Summary); left != "" {
		w.out.Message += leftOutText + left
	}
	return nil
}

func (w *planEditor) execute() error {
	if w.Proposal == nil {
		return callErrorf("no edit plan is proposed: %s comes first", ProposeEdit)
	}
	if w.in["drop"] == true {
		w.Proposal = nil
		w.report(nil, "The edit plan is dropped.")
		return nil
	}
	p, _, out, err := runAll(w.Plan, w.Proposal.Calls)
	if err != nil {
		return err
	}
	w.Plan, w.out, w.confirmed = p, out, p.Stage == storage.BoardReady
	w.Proposal = nil
	return nil
}

// leftOutText stands before what was not done of a proposal.
const leftOutText = " Left out: "

// runAll carries out the calls of a proposal one after the other, and returns those
// that it could, with ids in place of indexes: the list may change before they are
// carried out again. One that cannot be is left out and named, unless none can.
func runAll(p storage.Plan, calls []storage.ToolCall) (storage.Plan, []storage.ToolCall, Outcome, error) {
	var all Outcome
	var done []storage.ToolCall
	var words, left []string
	last := p.LastShot
	for _, c := range calls {
		c, next, out, err := runOne(p, c, last)
		if err != nil {
			left = append(left, err.Error())
			continue
		}
		p, done = next, append(done, c)
		words = append(words, out.Message)
		for _, id := range out.Shots {
			if !slices.Contains(all.Shots, id) {
				all.Shots = append(all.Shots, id)
			}
		}
	}
	if len(done) == 0 {
		return p, nil, all, callErrorf("no change of the edit plan can be applied: %s", strings.Join(left, "; "))
	}
	all.Message = strings.Join(words, " ")
	if len(left) > 0 {
		all.Message += leftOutText + strings.Join(left, "; ") + "."
	}
	return p, done, all, nil
}

// runOne carries out a call of a proposal that was made when last was the newest
// shot. It cannot name a newer one, which would be another by and by.
func runOne(p storage.Plan, c storage.ToolCall, last int) (storage.ToolCall, storage.Plan, Outcome, error) {
	if !isEditTool(c.Tool) {
		return c, p, Outcome{}, callErrorf("a proposal cannot call %s", c.Tool)
	}
	in, err := paramsOf(p, c)
	if err == nil {
		c.Params, err = encode(in)
	}
	if id := NewerShot(p, c, last); id != "" && err == nil {
		err = callErrorf("shot %s is not there yet; give a new shot all that it shall have when it is inserted", id)
	}
	next, out := p, Outcome{}
	if err == nil {
		next, out, err = Apply(p, c)
	}
	if err != nil {
		err = callErrorf("%s: %s", c.Tool, err)
	}
	return c, next, out, err
}

// NewerShot is the first shot of a plan that a call names and that was given its id after
// last, "" for none: whoever made the call cannot have meant it.
func NewerShot(p storage.Plan, c storage.ToolCall, last int) storage.ShotID {
	var n namedShots
	var shots []storage.ShotID
	_ = json.Unmarshal(c.Params, &n)    // what is wrong with them is for Apply to say
	_ = json.Unmarshal(n.Shots, &shots) // new ones are objects
	for _, id := range slices.Concat([]storage.ShotID{n.Before, n.After, n.Into, n.Shot}, n.Order, shots) {
		if idNumber("s", id) > last && indexOf(p.Shots, id) >= 0 {
			return id
		}
	}
	return ""
}
