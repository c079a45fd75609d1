package lessons

import (
	"slices"
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// shotChanges is the difference between the shots before and after a call. Applied to the list
// before, it gives the list after.
type shotChanges struct {
	removed []placedShot // at their places before, as they were
	added   []placedShot // at their places after
	moved   []placedShot
	changed []change
}

// placedShot is a shot with its positions before and after, from 1; 0 if it is not in the list.
type placedShot struct {
	shot     *storage.Shot
	from, to int
}

// change is a changed field of a shot, which has the new value.
type change struct {
	shot    *storage.Shot
	field   string
	was, is string
}

// fields are the fields of a shot that are compared.
var fields = []struct {
	name string
	of   func(*storage.Shot) string
}{
	{"kind", func(s *storage.Shot) string { return string(s.Kind) }},
	{"size", func(s *storage.Shot) string { return s.Size }},
	{"angle", func(s *storage.Shot) string { return s.Angle }},
	{"movement", func(s *storage.Shot) string { return s.Movement }},
	{"job", func(s *storage.Shot) string { return s.Job }},
	{"seconds", func(s *storage.Shot) string { return strconv.FormatFloat(s.Seconds, 'f', -1, 64) }},
	{"beat", func(s *storage.Shot) string { return string(s.Beat) }},
	{"subject", func(s *storage.Shot) string { return s.Subject }},
	{"description", func(s *storage.Shot) string { return s.Description }},
	{"dialogue", func(s *storage.Shot) string { return s.Dialogue }},
}

// changesOf returns what a call did: everything if it makes or replaces the list, otherwise only
// what its tool is for, without side effects.
func changesOf(before []storage.Shot, c *storage.BoardCall) shotChanges {
	after := c.After.Shots
	switch c.Tool {
	case confirmShots:
		return shotChanges{}
	case reorderShots:
		return shotChanges{moved: findMoves(before, after, readParams(c.Params, before).shots)}
	}
	d := compare(before, after)
	switch c.Tool {
	case modifyShot:
		return shotChanges{changed: namedChanges(d.changed, readParams(c.Params, before))}
	case insertShot:
		return shotChanges{added: d.added}
	case removeShots:
		return shotChanges{removed: d.removed}
	}
	d.moved = findMoves(before, after, nil)
	return d
}

// compare finds removed, added and changed shots by ID. Of shots with the same ID the first
// counts.
func compare(before, after []storage.Shot) (d shotChanges) {
	was, is := places(before), places(after)
	for i := range before {
		if s := &before[i]; was[s.ID] == i+1 && is[s.ID] == 0 {
			d.removed = append(d.removed, placedShot{shot: s, from: i + 1})
		}
	}
	for i := range after {
		s := &after[i]
		from := was[s.ID]
		switch {
		case is[s.ID] != i+1:
		case from == 0:
			d.added = append(d.added, placedShot{shot: s, to: i + 1})
		case *s != before[from-1]:
			for _, f := range fields {
				if a, b := f.of(&before[from-1]), f.of(s); a != b {
					d.changed = append(d.changed, change{shot: s, field: f.name, was: a, is: b})
				}
			}
		}
	}
	return d
}

// places returns the positions of a list's shots, from 1.
func places(list []storage.Shot) map[storage.ShotID]int {
	out := make(map[storage.ShotID]int, len(list))
	for i := range list {
		if id := list[i].ID; id != "" && out[id] == 0 {
			out[id] = i + 1
		}
	}
	return out
}

// namedChanges keeps the changes of the shots and fields in a call's parameters. If they name no
// shot, all count.
func namedChanges(changes []change, p params) []change {
	return slices.DeleteFunc(changes, func(c change) bool {
		return !slices.Contains(p.fields, c.field) || len(p.shots) > 0 && !slices.Contains(p.shots, c.shot.ID)
	})
}

// findMoves returns the shots of both lists that were moved: those that the call names and that
// passed one it does not name, and of the others the fewest that explain the new order.
func findMoves(before, after []storage.Shot, asked []storage.ShotID) []placedShot {
	was, is := places(before), places(after)
	both := make([]placedShot, 0, len(after))
	for i := range after {
		s := &after[i]
		if from := was[s.ID]; from > 0 && is[s.ID] == i+1 {
			both = append(both, placedShot{shot: s, from: from, to: i + 1})
		}
	}
	named := func(p placedShot) bool { return slices.Contains(asked, p.shot.ID) }
	stay := longestIncreasing(slices.DeleteFunc(slices.Clone(both), func(p placedShot) bool {
		return named(p) && slices.ContainsFunc(both, func(q placedShot) bool {
			return !named(q) && (p.from < q.from) != (p.to < q.to)
		})
	}))
	at := 0
	return slices.DeleteFunc(both, func(p placedShot) bool {
		if at < len(stay) && stay[at].shot.ID == p.shot.ID {
			at++
			return true
		}
		return false
	})
}

func byFrom(a, b placedShot) int { return a.from - b.from }

// longestIncreasing returns a longest part of a list whose shots keep their old order.
func longestIncreasing(list []placedShot) []placedShot {
	var ends []int // of the best part of each length, an index into list
	prior := make([]int, len(list))
	for i, p := range list {
		n, _ := slices.BinarySearchFunc(ends, p, func(e int, p placedShot) int { return byFrom(list[e], p) })
		prior[i] = -1
		if n > 0 {
			prior[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	out := make([]placedShot, len(ends))
	if len(ends) == 0 {
		return out
	}
	for i, at := len(out)-1, ends[len(ends)-1]; i >= 0; i, at = i-1, prior[at] {
		out[i] = list[at]
	}
	return out
}

// refs returns the shots that a call affected.
func (d shotChanges) refs() []storage.ShotID {
	var out []storage.ShotID
	for _, list := range [][]placedShot{d.added, d.removed, d.moved} {
		for _, p := range list {
			out = append(out, p.shot.ID)
		}
	}
	for _, id := range refsOf(d.changed) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// refsOf returns the shots of changes, without duplicates.
func refsOf(changes []change) []storage.ShotID {
	var out []storage.ShotID
	for _, c := range changes {
		if !slices.Contains(out, c.shot.ID) {
			out = append(out, c.shot.ID)
		}
	}
	return out
}
