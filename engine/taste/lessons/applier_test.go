package lessons

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// board records calls on a list of shots, as the tools make them.
type board struct {
	plan  storage.Plan
	calls []storage.BoardCall
	text  string // of the next calls
	turn  storage.CallID
}

// planned begins a board with shots of alternating kinds.
func planned(n int) *board {
	b := &board{}
	for i := range n {
		s := storage.Shot{Beat: storage.BeatID(fmt.Sprintf("b%d", i/3+1)), Kind: storage.KeyShot, Size: "medium", Angle: "eye_level", Job: "action", Seconds: 3,
			Subject: fmt.Sprintf("subject %d", i+1), Description: fmt.Sprintf("what is seen in number %d", i+1)}
		if i%3 == 2 {
			s.Kind, s.Job, s.Size = storage.FillerShot, "reaction", "close_up"
		}
		b.put(len(b.plan.Shots), s)
	}
	b.call(generateShots, `{}`, storage.ByModel)
	return b
}

func (b *board) put(at int, s storage.Shot) storage.ShotID {
	b.plan.LastShot++
	s.ID = storage.ShotID(fmt.Sprintf("s%d", b.plan.LastShot))
	b.plan.Shots = slices.Insert(b.plan.Shots, at, s)
	return s.ID
}

func (b *board) call(tool, params string, by storage.CallBy) {
	id := storage.CallID(fmt.Sprintf("c%d", len(b.calls)+1))
	turn := b.turn
	if turn == "" {
		turn = id
	}
	b.calls = append(b.calls, storage.BoardCall{ID: id, Turn: turn, By: by, Text: b.text,
		ToolCall: storage.ToolCall{Tool: tool, Params: json.RawMessage(params)}, After: b.plan})
	b.plan.Shots = slices.Clone(b.plan.Shots)
}

func (b *board) at(id storage.ShotID) int {
	return slices.IndexFunc(b.plan.Shots, func(s storage.Shot) bool { return s.ID == id })
}

func (b *board) by() storage.CallBy {
	if b.text != "" {
		return storage.BySteer
	}
	return storage.ByUser
}

// modify sets fields of the shot that the parameters begin with: {"shot":"s1",…}
// or {"index":3,…}.
func (b *board) modify(target string, values map[string]string) {
	var at int
	if place, ok := strings.CutPrefix(target, `"index":`); ok {
		at, _ = strconv.Atoi(place)
		at--
	} else {
		at = b.at(storage.ShotID(strings.Trim(strings.TrimPrefix(target, `"shot":`), `"`)))
	}
	params := "{" + target
	for _, field := range slices.Sorted(maps.Keys(values)) {
		v := values[field]
		set(&b.plan.Shots[at], field, v)
		if field == "seconds" {
			params += fmt.Sprintf(`,%q:%s`, field, v)
		} else {
			params += fmt.Sprintf(`,%q:%q`, field, v)
		}
	}
	b.call(modifyShot, params+"}", b.by())
}

func set(s *storage.Shot, field, v string) {
	switch field {
	case "kind":
		s.Kind = storage.ShotKind(v)
	case "size":
		s.Size = v
	case "angle":
		s.Angle = v
	case "movement":
		s.Movement = v
	case "job":
		s.Job = v
	case "seconds":
		s.Seconds, _ = strconv.ParseFloat(v, 64)
	case "beat":
		s.Beat = storage.BeatID(v)
	case "subject":
		s.Subject = v
	case "description":
		s.Description = v
	case "dialogue":
		s.Dialogue = v
	}
}

func (b *board) insert(at int, s storage.Shot) storage.ShotID {
	id := b.put(at, s)
	b.call(insertShot, fmt.Sprintf(`{"place":%d,"description":%q}`, at+1, s.Description), b.by())
	return id
}

func (b *board) remove(ids ...storage.ShotID) {
	b.plan.Shots = slices.DeleteFunc(b.plan.Shots, func(s storage.Shot) bool { return slices.Contains(ids, s.ID) })
	b.call(removeShots, shotsParam(ids), b.by())
}

func shotsParam(ids []storage.ShotID) string {
	list, _ := json.Marshal(ids)
	return `{"shots":` + string(list) + `}`
}

func (b *board) move(id storage.ShotID, to int) {
	from := b.at(id)
	s := b.plan.Shots[from]
	b.plan.Shots = slices.Insert(slices.Delete(b.plan.Shots, from, from+1), to, s)
	b.call(reorderShots, fmt.Sprintf(`{"shots":[%q],"place":%d}`, id, to+1), b.by())
}

// merge joins shots into the first of them.
func (b *board) merge(ids ...storage.ShotID) {
	keep := b.at(ids[0])
	for _, id := range ids[1:] {
		b.plan.Shots[keep].Seconds += b.plan.Shots[b.at(id)].Seconds
		b.plan.Shots[keep].Description += "; " + b.plan.Shots[b.at(id)].Description
	}
	b.plan.Shots = slices.DeleteFunc(b.plan.Shots, func(s storage.Shot) bool { return slices.Contains(ids[1:], s.ID) })
	b.call(mergeShots, shotsParam(ids), b.by())
}

func (b *board) confirm() { b.call(confirmShots, `{}`, storage.ByUser) }

// replay puts what a call did upon a list.
func (d shotChanges) replay(list []storage.Shot) []storage.Shot {
	list = slices.DeleteFunc(slices.Clone(list), func(s storage.Shot) bool {
		is := func(p placedShot) bool { return p.shot.ID == s.ID }
		return slices.ContainsFunc(d.removed, is) || slices.ContainsFunc(d.moved, is)
	})
	for _, c := range d.changed {
		for i := range list {
			if list[i].ID == c.shot.ID {
				set(&list[i], c.field, c.is)
			}
		}
	}
	in := slices.Concat(d.added, d.moved)
	slices.SortFunc(in, func(a, b placedShot) int { return a.to - b.to })
	for _, p := range in {
		list = slices.Insert(list, p.to-1, *p.shot)
	}
	return list
}
