package storyboard

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Check says where a plan is not what Apply keeps to: ids of its own that are there
// once and were given, beats that exist, texts and times within their bounds, and a
// stage that fits.
func Check(p storage.Plan) error {
	c := checker{beats: map[storage.BeatID]bool{}, shots: map[storage.ShotID]bool{}, plan: p}
	for _, do := range []func() error{c.checkBeats, c.checkStrategy, c.checkLists} {
		if err := do(); err != nil {
			return err
		}
	}
	if ready := p.Stage == storage.BoardReady; p.Stage != stageOf(p, ready) {
		return callErrorf("the stage %q does not fit what is planned", p.Stage)
	}
	if p.Proposal != nil {
		if n := len(p.Proposal.Calls); n == 0 || n > maxEdits {
			return callErrorf("the edit plan has %s", countText(n, "call"))
		}
		for i, call := range p.Proposal.Calls {
			if !isEditTool(call.Tool) {
				return callErrorf("call %d of the edit plan cannot be %q", i+1, call.Tool)
			}
		}
	}
	return nil
}

type checker struct {
	plan  storage.Plan
	beats map[storage.BeatID]bool
	shots map[storage.ShotID]bool
}

func (c *checker) checkBeats() error {
	if n := len(c.plan.Beats); n > maxBeats {
		return callErrorf("there are %d beats, and %d are the most", n, maxBeats)
	}
	for i, b := range c.plan.Beats {
		where := fmt.Sprintf("beat %d", i+1)
		if n := idNumber("b", b.ID); n == 0 || n > c.plan.LastBeat || c.beats[b.ID] {
			return callErrorf("%s has the id %q, which is not its own", where, b.ID)
		}
		c.beats[b.ID] = true
		if b.Text == "" || len(b.Messages) > maxMessages || !within(b.Text, maxNote) || !within(b.Why, maxNote) {
			return callErrorf("%s (%s) has a text that is missing or too long", where, b.ID)
		}
	}
	return nil
}

func (c *checker) checkStrategy() error {
	if f := c.plan.Filler; f != nil {
		if !slices.Contains(amounts(), f.Amount) || len(f.Jobs) > maxJobs || !within(f.Where, maxNote) || !within(f.Why, maxNote) {
			return callErrorf("the filler strategy has an amount that is unknown, or too much of something")
		}
	}
	seen := map[storage.BeatID]bool{}
	for _, a := range c.plan.Budget {
		if !c.beats[a.Beat] || seen[a.Beat] {
			return callErrorf("the budget names beat %q, which is not there or is there twice", a.Beat)
		}
		seen[a.Beat] = true
		if a.Key < 0 || a.Key > maxBudgetShots || a.Filler < 0 || a.Filler > maxBudgetShots || !timed(a.Seconds, maxBeatSeconds) {
			return callErrorf("the budget of beat %s is out of bounds", a.Beat)
		}
	}
	return nil
}

func (c *checker) checkLists() error {
	if err := c.checkShots("shot", c.plan.Shots); err != nil {
		return err
	}
	seen, total := map[storage.BeatID]bool{}, 0
	for _, k := range c.plan.Packages {
		if !c.beats[k.Beat] || seen[k.Beat] || len(k.Shots) == 0 {
			return callErrorf("the package of beat %q has no beat or no shots, or is there twice", k.Beat)
		}
		seen[k.Beat] = true
		if total += len(k.Shots); total > maxShots {
			return callErrorf("the beats have more than %d shots", maxShots)
		}
		if err := c.checkShots(fmt.Sprintf("beat %s, shot", k.Beat), k.Shots); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) checkShots(what string, shots []storage.Shot) error {
	if n := len(shots); n > maxShots {
		return callErrorf("there are %d shots, and %d are the most", n, maxShots)
	}
	for i, s := range shots {
		where := fmt.Sprintf("%s %d", what, i+1)
		if n := idNumber("s", s.ID); n == 0 || n > c.plan.LastShot || c.shots[s.ID] {
			return callErrorf("%s has the id %q, which is not its own", where, s.ID)
		}
		c.shots[s.ID] = true
		switch {
		case s.Beat != "" && !c.beats[s.Beat]:
			return callErrorf("%s (%s) belongs to beat %q, which is not there", where, s.ID, s.Beat)
		case s.Kind != storage.KeyShot && s.Kind != storage.FillerShot:
			return callErrorf("%s (%s) is of the kind %q, neither key nor filler", where, s.ID, s.Kind)
		case !timed(s.Seconds, maxSeconds):
			return callErrorf("%s (%s) lasts %v seconds", where, s.ID, s.Seconds)
		case s.Description == "":
			return callErrorf("%s (%s) has no description", where, s.ID)
		case !within(s.Description, maxDescription) || !within(s.Dialogue, maxDialogue) || !within(s.Subject, maxSubject):
			return callErrorf("%s (%s) has a text that is too long", where, s.ID)
		case !within(s.Size, maxWord) || !within(s.Angle, maxWord) || !within(s.Movement, maxWord) || !within(s.Job, maxWord):
			return callErrorf("%s (%s) has a word that is too long", where, s.ID)
		}
	}
	return nil
}

func within(s string, most int) bool { return utf8.RuneCountInString(s) <= most }

// timed: 0 is a time that nobody has given.
func timed(n, most float64) bool {
	return n == 0 || !math.IsNaN(n) && n >= minSeconds && n <= most
}
