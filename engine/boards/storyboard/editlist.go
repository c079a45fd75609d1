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
func (w *work) generate() error {
	if len(w.Packages) == 0 {
		return refuse("no beat has shots yet: %s comes first", GeneratePackage)
	}
	if len(w.Packages) == len(w.Beats) {
		w.Shots = nil
	}
	for _, k := range w.Packages {
		w.exchange(k)
	}
	w.Packages, w.ready = nil, false
	if len(w.named.Order) > 0 {
		if _, err := w.arrange(); err != nil {
			return err
		}
	}
	connecting, err := w.connect()
	if err != nil {
		return err
	}
	w.say(shotIDs(w.Shots), "The scene has %s, %d of them to connect.", countWord(len(w.Shots), "shot"), connecting)
	return nil
}

// exchange puts a package where the list has the shots of its beat, or after those
// of the beats before.
func (w *work) exchange(k storage.BeatPackage) {
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

// connect puts in the fillers between, each after or before a shot. Several at one
// place keep the order in which they are given.
func (w *work) connect() (int, error) {
	list, _ := w.in["fillers"].([]any)
	tail := map[storage.ShotID]storage.ShotID{} // the last filler put after a shot
	for i, o := range list {
		var place named
		if err := decode(o, &place); err != nil {
			return 0, err
		}
		at, there, err := w.anchor(place.Before, place.After)
		if err != nil {
			return 0, numbered(err, i, len(list))
		}
		if !there {
			at = len(w.Shots)
		}
		if last, ok := tail[place.After]; ok {
			at = placeOf(w.Shots, last) + 1
		}
		s := storage.Shot{Kind: storage.FillerShot, Beat: w.beatAt(at)}
		if err := w.put(&s, o); err != nil {
			return 0, numbered(err, i, len(list))
		}
		s.ID = w.newShot()
		if place.After != "" {
			tail[place.After] = s.ID
		}
		w.Shots = slices.Insert(w.Shots, at, s)
	}
	return len(list), nil
}

// edits are the tools that a proposal may be made of.
func edits() []string {
	return []string{ModifyShot, InsertShot, RemoveShots, ReorderShots, MergeShots}
}

// choices are the tools that an answer to a steering line may name.
func choices() []string { return append(edits(), ConfirmShots, ExecuteEdit) }

func editing(tool string) bool { return slices.Contains(edits(), tool) }

func (w *work) propose() error {
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
		e.Summary = countWord(len(e.Calls), "change") + "."
	}
	w.Proposal = e
	_, left, _ := strings.Cut(out.Words, leftOut)
	if w.say(out.Shots, "Proposed: %s", e.Summary); left != "" {
		w.out.Words += leftOut + left
	}
	return nil
}

func (w *work) execute() error {
	if w.Proposal == nil {
		return refuse("no edit plan is proposed: %s comes first", ProposeEdit)
	}
	if w.in["drop"] == true {
		w.Proposal = nil
		w.say(nil, "The edit plan is dropped.")
		return nil
	}
	p, _, out, err := runAll(w.Plan, w.Proposal.Calls)
	if err != nil {
		return err
	}
	w.Plan, w.out, w.ready = p, out, p.Stage == storage.BoardReady
	w.Proposal = nil
	return nil
}

// leftOut stands before what was not done of a proposal.
const leftOut = " Left out: "

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
		words = append(words, out.Words)
		for _, id := range out.Shots {
			if !slices.Contains(all.Shots, id) {
				all.Shots = append(all.Shots, id)
			}
		}
	}
	if len(done) == 0 {
		return p, nil, all, refuse("no change of the edit plan can be applied: %s", strings.Join(left, "; "))
	}
	all.Words = strings.Join(words, " ")
	if len(left) > 0 {
		all.Words += leftOut + strings.Join(left, "; ") + "."
	}
	return p, done, all, nil
}

// runOne carries out a call of a proposal that was made when last was the newest
// shot. It cannot name a newer one, which would be another by and by.
func runOne(p storage.Plan, c storage.ToolCall, last int) (storage.ToolCall, storage.Plan, Outcome, error) {
	if !editing(c.Tool) {
		return c, p, Outcome{}, refuse("a proposal cannot call %s", c.Tool)
	}
	in, err := paramsOf(p, c)
	if err == nil {
		c.Params, err = encode(in)
	}
	if id := Newer(p, c, last); id != "" && err == nil {
		err = refuse("shot %s is not there yet; give a new shot all that it shall have when it is inserted", id)
	}
	next, out := p, Outcome{}
	if err == nil {
		next, out, err = Apply(p, c)
	}
	if err != nil {
		err = refuse("%s: %s", c.Tool, err)
	}
	return c, next, out, err
}

// Newer is the first shot of a plan that a call names and that was given its id after
// last, "" for none: whoever made the call cannot have meant it.
func Newer(p storage.Plan, c storage.ToolCall, last int) storage.ShotID {
	var n named
	var shots []storage.ShotID
	_ = json.Unmarshal(c.Params, &n)    // what is wrong with them is for Apply to say
	_ = json.Unmarshal(n.Shots, &shots) // new ones are objects
	for _, id := range slices.Concat([]storage.ShotID{n.Before, n.After, n.Into, n.Shot}, n.Order, shots) {
		if idNumber("s", id) > last && placeOf(p.Shots, id) >= 0 {
			return id
		}
	}
	return ""
}
