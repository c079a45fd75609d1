package lessons

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// HarvestResult is the result of reading a storyboard's calls.
type HarvestResult struct {
	Events  []storage.EditEvent
	Summary *storage.ShotSummary // nil without shots
	Counts  storage.EditCounts
}

// The tools whose calls count, as engine/boards/storyboard names them.
const (
	generateShots = "generate_scene_shots_from_plan"
	importBoard   = "import_board"
	executeEdit   = "execute_edit_plan"
	modifyShot    = "modify_shot"
	insertShot    = "insert_shot"
	removeShots   = "remove_shots"
	reorderShots  = "reorder_shots"
	mergeShots    = "merge_shots"
	confirmShots  = "confirm_shots"
)

// Limits of a scene's events.
const (
	maxEvents   = 48
	maxTallies  = 24
	maxSummary  = 420  // runes of an event
	maxUserText = 1500 // runes: a user's words are kept word for word
	shownWords  = 300  // runes of them in a prompt
	maxRefs     = 16
)

// Harvest compares the shots before and after each call, oldest first, by ID. The calls are those
// in effect; what a later edit undid is left out. The newest events are kept; the counts include
// all.
func Harvest(calls []storage.BoardCall) HarvestResult {
	var w harvester
	before := &storage.Plan{}
	for i := 0; i < len(calls); i++ {
		if i+1 < len(calls) && isSplit(&calls[i], &calls[i+1]) {
			w.addSplit(before, &calls[i], &calls[i+1])
			i++
		} else {
			w.addCall(before, &calls[i])
		}
		before = &calls[i].After
	}
	w.dropUndone()
	return HarvestResult{Events: w.events(), Summary: summarize(before.Shots), Counts: w.counts()}
}

// HasLessons reports whether there is anything to learn from except a plan that was accepted
// unchanged.
func HasLessons(h HarvestResult) bool { return slices.ContainsFunc(h.Events, isEdit) }

// isEdit reports whether an event is the user's change.
func isEdit(e storage.EditEvent) bool {
	return e.Type != storage.EventInitial && e.Type != storage.EventAcceptance
}

// harvester collects the events of a storyboard's calls.
type harvester struct {
	entries         []eventDraft
	lastInstruction string // the last wish that was recorded
}

// eventDraft is an event that later calls may still change.
type eventDraft struct {
	kind    storage.EventType
	text    string // the user's words
	turn    storage.CallID
	words   string
	refs    []storage.ShotID
	changes []change     // of EventModify, in place of words and refs; of a split also beside them
	added   []placedShot // shots that were put in
	removed []placedShot // shots that were taken out
	// was and is are the order of shots before and after, of EventReorder.
	was, is []storage.ShotID
}

// addCall adds one call. What the model did unasked is not a preference.
func (w *harvester) addCall(before *storage.Plan, c *storage.BoardCall) {
	w.addInstruction(c)
	if c.By == storage.ByModel && c.Tool != generateShots && c.Tool != importBoard && c.Tool != executeEdit {
		return
	}
	d := changesOf(before.Shots, c)
	e := eventDraft{text: onOneLine(c.Text, maxUserText), turn: c.Turn, refs: d.refs()}
	switch c.Tool {
	case generateShots, importBoard:
		e.kind, e.words, e.refs = storage.EventInitial, plannedText(c), nil
	case confirmShots:
		e.kind, e.words = storage.EventAcceptance, "confirmed "+counted(len(c.After.Shots), "shot")
	case modifyShot:
		w.addChanges(e, d.changed)
		return
	case insertShot:
		if len(d.added) == 0 {
			return
		}
		e.kind, e.words, e.added = storage.EventInsert, addedText(d.added, c.After.Shots), d.added
	case removeShots:
		if len(d.removed) == 0 {
			return
		}
		e.kind, e.words, e.removed = storage.EventRemove, removedText(d.removed), d.removed
	case reorderShots:
		if len(d.moved) == 0 {
			return
		}
		e.kind, e.words = storage.EventReorder, movedText(d.moved, c.After.Shots)
		e.was, e.is = orderOf(before.Shots), orderOf(c.After.Shots)
	case mergeShots:
		if len(d.removed) == 0 {
			return
		}
		e.kind, e.words = storage.EventMerge, mergedText(d, c, before.Shots)
	default:
		if e.words = bulkText(before, c, d); e.words == "" {
			return
		}
		if last := len(w.entries) - 1; c.Tool == executeEdit && last >= 0 &&
			w.entries[last].kind == storage.EventWish && w.entries[last].text == e.text {
			w.entries = w.entries[:last] // recorded with its result
		}
		e.kind = storage.EventBulk
	}
	w.entries = append(w.entries, e)
}

// addInstruction adds the user's instruction for a planning step: the model made the plan, but the
// words are the user's. Consecutive steps share one instruction.
func (w *harvester) addInstruction(c *storage.BoardCall) {
	text := onOneLine(c.Text, maxUserText)
	if c.By != storage.ByModel || text == "" || text == w.lastInstruction {
		return
	}
	w.lastInstruction = text
	w.entries = append(w.entries, eventDraft{kind: storage.EventWish, text: text, turn: c.Turn,
		words: "asked for it while planning: " + plain(c.Tool)})
}

// FromTalk returns events for lines about a storyboard that changed nothing themselves, oldest
// first. Questions and lines that the events contain are left out.
func FromTalk(talk []storage.BoardTalk, have []storage.EditEvent) (out []storage.EditEvent) {
	for _, t := range talk {
		line := onOneLine(t.Line, maxUserText)
		again := func(e storage.EditEvent) bool { return e.UserText == line }
		if t.Calls > 0 || line == "" || strings.HasSuffix(line, "?") || slices.ContainsFunc(have, again) ||
			slices.ContainsFunc(out, again) {
			continue
		}
		out = append(out, storage.EditEvent{Type: storage.EventWish,
			Summary: "asked for it while steering; no shot was changed by it", UserText: line})
	}
	return out
}

// addChanges adds changes of shots. Earlier changes of the same shot, or of others in the same
// turn, become one event with them.
func (w *harvester) addChanges(e eventDraft, changes []change) {
	if len(changes) == 0 {
		return
	}
	e.kind, e.changes = storage.EventModify, changes
	last := len(w.entries) - 1
	if last < 0 || !w.entries[last].joins(&e) {
		w.entries = append(w.entries, e)
		return
	}
	p := &w.entries[last]
	for _, c := range changes {
		at := slices.IndexFunc(p.changes, func(x change) bool { return x.shot.ID == c.shot.ID && x.field == c.field })
		if at < 0 {
			p.changes = append(p.changes, c)
			continue
		}
		c.was = p.changes[at].was
		if p.changes[at] = c; c.was == c.is {
			p.changes = slices.Delete(p.changes, at, at+1)
		}
	}
	p.turn = e.turn
	if len(p.changes) == 0 { // there and back again
		w.entries = w.entries[:last]
	}
}

// joins reports whether the changes of x belong to the event e.
func (e *eventDraft) joins(x *eventDraft) bool {
	if e.kind != x.kind || e.text != x.text {
		return false
	}
	other := func(c change) bool { return c.shot.ID != x.changes[0].shot.ID }
	return e.turn != "" && e.turn == x.turn || !slices.ContainsFunc(e.changes, other) &&
		!slices.ContainsFunc(x.changes, other)
}

// isSplit reports whether two calls together are a split of a shot by the user.
func isSplit(a, b *storage.BoardCall) bool {
	return a.Tool == modifyShot && b.Tool == insertShot && a.By == storage.ByUser && a.Turn != "" && a.Turn == b.Turn
}

// addSplit adds such calls as one event; the counts have both.
func (w *harvester) addSplit(before *storage.Plan, a, b *storage.BoardCall) {
	cut, added := changesOf(before.Shots, a), changesOf(a.After.Shots, b)
	if !isHalved(cut.changed, added.added, places(b.After.Shots)) {
		w.addCall(before, a)
		w.addCall(&a.After, b)
		return
	}
	first, second := cut.changed[0].shot, added.added[0].shot
	w.entries = append(w.entries, eventDraft{kind: storage.EventInsert, text: onOneLine(a.Text, maxUserText),
		turn:  a.Turn,
		added: added.added, changes: cut.changed, refs: []storage.ShotID{first.ID, second.ID},
		words: "split " + label(first) + "; the new part is " + describe(second)})
}

// isHalved reports whether one shot was changed, including its duration, and one shot was added
// right after it.
func isHalved(cut []change, added []placedShot, is map[storage.ShotID]int) bool {
	timed := func(c change) bool { return c.field == "seconds" }
	return len(added) == 1 && slices.ContainsFunc(cut, timed) && added[0].to == is[cut[0].shot.ID]+1
}

// dropUndone removes what a later edit reverted: a field with its old value, shots that were added
// and removed again, a restored order.
func (w *harvester) dropUndone() {
	for i := range w.entries {
		e := &w.entries[i]
		j := slices.IndexFunc(w.entries[i+1:], func(later eventDraft) bool { return undoes(e, &later) })
		if j < 0 {
			continue
		}
		kind, came := e.kind, e.added
		for k := i; k <= i+1+j; k++ {
			switch x := &w.entries[k]; {
			case k == i || k == i+1+j || kind == storage.EventReorder && x.kind == kind:
				x.kind = ""
			case kind == storage.EventInsert:
				x.changes = slices.DeleteFunc(x.changes, func(c change) bool { return contains(came, c.shot.ID) })
			}
		}
	}
	first, last := map[[2]string]string{}, map[[2]string]string{}
	key := func(c change) [2]string { return [2]string{string(c.shot.ID), c.field} }
	for _, e := range w.entries {
		for _, c := range e.changes {
			if _, seen := first[key(c)]; !seen {
				first[key(c)] = c.was
			}
			last[key(c)] = c.is
		}
	}
	for i := range w.entries {
		if e := &w.entries[i]; e.kind == storage.EventModify {
			e.changes = slices.DeleteFunc(e.changes, func(c change) bool { return first[key(c)] == last[key(c)] })
		}
	}
	w.entries = slices.DeleteFunc(w.entries, func(e eventDraft) bool {
		return e.kind == "" || e.kind == storage.EventModify && len(e.changes) == 0
	})
}

// undoes reports whether an edit reverts an earlier one.
func undoes(e, later *eventDraft) bool {
	switch {
	case e.kind == storage.EventInsert && later.kind == storage.EventRemove:
		same := func(a, b placedShot) bool { return a.shot.ID == b.shot.ID }
		byID := func(list []placedShot) []placedShot {
			return slices.SortedFunc(slices.Values(list),
				func(a, b placedShot) int { return cmp.Compare(a.shot.ID, b.shot.ID) })
		}
		return len(e.added) > 0 && slices.EqualFunc(byID(e.added), byID(later.removed), same)
	case e.kind == storage.EventReorder && later.kind == storage.EventReorder:
		return slices.Equal(e.was, later.is)
	}
	return false
}

func contains(list []placedShot, id storage.ShotID) bool {
	return slices.ContainsFunc(list, func(p placedShot) bool { return p.shot.ID == id })
}

func orderOf(shots []storage.Shot) (ids []storage.ShotID) {
	for i := range shots {
		ids = append(ids, shots[i].ID)
	}
	return ids
}

// counts returns the number of edits by kind.
func (w *harvester) counts() (c storage.EditCounts) {
	fields, inserted, removed := map[string]int{}, map[string]int{}, map[string]int{}
	for _, e := range w.entries {
		for _, x := range e.changes {
			fields[x.field]++
		}
		for _, p := range e.added {
			inserted[categoryOf(p.shot)]++
		}
		for _, p := range e.removed {
			removed[categoryOf(p.shot)]++
		}
		switch e.kind {
		case storage.EventMerge:
			c.Merges++
		case storage.EventReorder:
			c.Reorders++
		case storage.EventBulk:
			c.Bulk++
		}
	}
	c.Fields, c.Inserted = tallies(fields, maxTallies), tallies(inserted, maxTallies)
	c.Removed = tallies(removed, maxTallies)
	return c
}

// events returns the final events: the newest ones, and a note about those left out.
func (w *harvester) events() []storage.EditEvent {
	from := 0
	out := []storage.EditEvent{}
	if len(w.entries) > maxEvents {
		from = len(w.entries) - maxEvents + 1
		out = append(out, storage.EditEvent{Type: storage.EventBulk,
			Summary: counted(from, "earlier edit") + " not listed here; the numbers count them all"})
	}
	for _, e := range w.entries[from:] {
		if e.kind == storage.EventModify {
			e.words, e.refs = changedText(e.changes), refsOf(e.changes)
		}
		out = append(out, storage.EditEvent{Type: e.kind, Summary: onOneLine(e.words, maxSummary), UserText: e.text,
			ShotRefs: firstRefs(e.refs)})
	}
	return out
}

func firstRefs(list []storage.ShotID) []storage.ShotID {
	var out []storage.ShotID
	for _, id := range list[:min(len(list), maxRefs)] {
		out = append(out, storage.ShotID(onOneLine(string(id), maxName)))
	}
	return out
}

// tallies returns counts, the most common first: at most this many, and the rest as one.
func tallies(counts map[string]int, most int) []storage.Tally {
	var out []storage.Tally
	for name, n := range counts {
		out = append(out, storage.Tally{Name: name, N: n})
	}
	slices.SortFunc(out, func(a, b storage.Tally) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Name, b.Name)) })
	if len(out) <= most {
		return out
	}
	rest := storage.Tally{Name: "others"}
	for _, t := range out[most-1:] {
		rest.N += t.N
	}
	return append(out[:most-1], rest)
}

// counted returns a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
