package lessons

import (
	"math"
	"slices"
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Effect is how much the user edited a storyboard, and whether what was learnt had
// been told for it.
type Effect struct {
	Shots int // that were planned
	Edits int // shots that the user changed, added, removed, moved or merged, each change counted once
	Told  bool
	// Undone are the cards that were told and whose advice the user's edits went against.
	Undone []storage.CardID
}

// PerShot is how many edits a shot took, to two digits.
func (e Effect) PerShot() float64 {
	if e.Shots == 0 {
		return 0
	}
	return math.Round(100*float64(e.Edits)/float64(e.Shots)) / 100
}

// EffectOf reads the calls of a storyboard that are in force, oldest first; ok is false
// where no shots were planned. Cards are those that there are, by which undoing is
// known. What was only made whole or mended counts as an edit too: it is work.
func EffectOf(calls []storage.BoardCall, cards []Card) (e Effect, ok bool) {
	before := &storage.Plan{}
	told := map[storage.CardID]bool{}
	for i := range calls {
		c := &calls[i]
		if c.Used != nil && c.By == storage.ByModel {
			e.Told = true
			for _, id := range c.Used.Cards {
				told[id] = true
			}
		}
		switch {
		case c.Tool == generateShots || c.Tool == importBoard:
			ok, e.Edits, e.Undone = true, 0, nil // a new plan begins anew
			e.Shots = len(c.After.Shots)
		case ok && c.By != storage.ByModel || c.Tool == executeEdit:
			d := deltaOf(before.Shots, c)
			e.Edits += len(d.refs())
			for _, card := range cards {
				if told[card.ID] && !slices.Contains(e.Undone, card.ID) && goesAgainst(d, card) {
					e.Undone = append(e.Undone, card.ID)
				}
			}
		}
		before = &c.After
	}
	return e, ok && e.Shots > 0
}

// sizeOrder are the sizes of shots from far to near.
var sizeOrder = []string{"extreme_wide", "wide", "full", "medium_wide", "medium", "medium_close_up", "close_up", "extreme_close_up"}

// goesAgainst tells whether edits go the other way than a card, along one of the ways
// that its words are understood by: closer, longer, more.
func goesAgainst(d delta, c Card) bool {
	m := meaningOf(c.Preference)
	for _, x := range d.changed {
		way := 0
		switch x.field {
		case "size":
			a, b := slices.Index(sizeOrder, x.was), slices.Index(sizeOrder, x.is)
			if a >= 0 && b >= 0 && m.ways[distance] != 0 {
				way = m.ways[distance] * sign(b-a)
			}
		case "seconds":
			if m.ways[length] != 0 {
				way = m.ways[length] * sign(int(math.Round(100*(x.shot.Seconds-number(x.was)))))
			}
		}
		if way < 0 {
			return true
		}
	}
	filler := func(list []placed) bool {
		return slices.ContainsFunc(list, func(p placed) bool { return p.shot.Kind == storage.FillerShot })
	}
	if m.subject["filler"] {
		return m.ways[amount] > 0 && filler(d.gone) || m.ways[amount] < 0 && filler(d.came)
	}
	return false
}

// number is a value as fields have it.
func number(s string) float64 {
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

func sign(n int) int { return max(-1, min(1, n)) }

// undoneOften is in how many scenes a card's advice is undone until it is asked about.
const undoneOften = 2

// Doubted are the cards whose advice the user has undone in two scenes or more since
// the user last had a word on it.
func Doubted(effects []Effect, kept map[storage.CardID]int) (out []storage.CardID) {
	n := map[storage.CardID]int{}
	for _, e := range effects {
		for _, id := range e.Undone {
			if n[id]++; n[id]-kept[id] == undoneOften && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// Average is how many edits a shot took over several storyboards; n is how many there
// are.
func Average(effects []Effect, told bool) (perShot float64, n int) {
	shots, edits := 0, 0
	for _, e := range effects {
		if e.Told == told {
			n++
			shots += e.Shots
			edits += e.Edits
		}
	}
	return Effect{Shots: shots, Edits: edits}.PerShot(), n
}
