package chats

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// messageTree is the tree of a chat while its segments are computed. Messages are numbers: their
// indexes in order of creation, which is the order of their IDs.
type messageTree struct {
	at     []storage.NodeInfo
	parent []int32 // -1 for none
	kids   [][]int32
	roots  []int32
	alive  []bool  // it is shown, or something below it is
	size   []int32 // messages that are shown, itself among them and all below it
	path   []bool
	scenes []bool
	named  []bool // a name is set for its branch
}

func newMessageTree(places []storage.NodeInfo) *messageTree {
	n := len(places)
	w := &messageTree{at: places, parent: make([]int32, n), kids: make([][]int32, n), alive: make([]bool, n),
		size: make([]int32, n), path: make([]bool, n), scenes: make([]bool, n), named: make([]bool, n)}
	for i, p := range places {
		w.parent[i] = -1
		if p.Parent != "" {
			w.parent[i] = int32(w.find(p.Parent, i-1))
		}
	}
	w.count()
	for i := range places {
		switch up := w.parent[i]; {
		case !w.alive[i]:
		case up >= 0:
			w.kids[up] = append(w.kids[up], int32(i))
		default:
			w.roots = append(w.roots, int32(i))
		}
	}
	return w
}

// find returns the number of a message, -1 if there is none. guess is tried first.
func (w *messageTree) find(id storage.NodeID, guess int) int {
	if guess >= 0 && w.at[guess].ID == id {
		return guess
	}
	i, ok := slices.BinarySearchFunc(w.at, id, func(p storage.NodeInfo, id storage.NodeID) int {
		switch {
		case p.ID < id:
			return -1
		case p.ID > id:
			return 1
		}
		return 0
	})
	if !ok {
		return -1
	}
	return i
}

// count sets size and alive, from the deepest messages up.
func (w *messageTree) count() {
	order := make([]int32, len(w.at))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int { return w.at[y].Depth - w.at[x].Depth })
	for _, i := range order {
		if !w.at[i].Deleted {
			w.size[i]++
		}
		w.alive[i] = w.size[i] > 0
		// A damaged tree might have a parent that is no higher: its count is not passed on.
		if up := w.parent[i]; up >= 0 && w.at[up].Depth < w.at[i].Depth {
			w.size[up] += w.size[i]
		}
	}
}

func (w *messageTree) onPath(id storage.NodeID) {
	if i := w.find(id, -1); i >= 0 {
		w.path[i] = true
	}
}

func (w *messageTree) begins(id storage.NodeID) {
	if i := w.find(id, -1); i >= 0 {
		w.named[i] = true
	}
}

func (w *messageTree) endsScene(id storage.NodeID) {
	if i := w.find(id, -1); i >= 0 {
		w.scenes[i] = true
	}
}

// branches returns the messages that begin the branches at a fork, the main continuation last. idle
// is the number of swipes without an answer that are left out.
func (w *messageTree) branches(kids []int32, swipes bool) (ways []int32, idle int) {
	if len(kids) == 0 {
		return nil, 0
	}
	main := slices.MaxFunc(kids, func(x, y int32) int {
		if w.path[x] != w.path[y] {
			if w.path[x] {
				return 1
			}
			return -1
		}
		if w.size[x] != w.size[y] {
			return int(w.size[x]) - int(w.size[y])
		}
		return int(x) - int(y) // the newest
	})
	for _, k := range kids {
		switch {
		case k == main:
		case !swipes && w.size[k] == 1 && w.at[k].Role == storage.Assistant && w.at[main].Role == storage.Assistant:
			idle++
		default:
			ways = append(ways, k)
		}
	}
	return append(ways, main), idle
}

// branchStart is a branch that is not processed yet.
type branchStart struct {
	from         int32
	above, level int
	swipes       int
}

// segments returns all segments, each after the one that it continues.
func (w *messageTree) segments(swipes bool) []Segment {
	var out []Segment
	var open []branchStart
	part := func(kids []int32, above, level, left int) {
		ways, idle := w.branches(kids, swipes)
		for i := len(ways) - 1; i >= 0; i-- {
			next := branchStart{from: ways[i], above: above, level: level + 1}
			if i == len(ways)-1 {
				next.level, next.swipes = level, idle+left
			}
			open = append(open, next)
		}
	}
	part(w.roots, -1, 0, 0)
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		segment, ways := w.segment(at, swipes)
		if segment.Messages == 0 { // a segment of deleted messages only is skipped
			part(ways, at.above, at.level, segment.Swipes)
			continue
		}
		out = append(out, segment)
		part(ways, len(out)-1, at.level, 0)
	}
	return out
}

// segment follows a branch until others leave it.
func (w *messageTree) segment(from branchStart, swipes bool) (l Segment, ways []int32) {
	l = Segment{Above: from.above, Level: from.level, Swipes: from.swipes}
	for i := from.from; ; {
		l.take(w, i)
		next, idle := w.branches(w.kids[i], swipes)
		if len(next) != 1 || w.named[next[0]] && l.Messages > 0 {
			l.Ends = len(next) == 0
			return l, w.kids[i]
		}
		l.Swipes += idle
		i = next[0]
	}
}

// take adds a message to the segment.
func (l *Segment) take(w *messageTree, i int32) {
	if w.scenes[i] {
		l.Scenes++
	}
	p := w.at[i]
	if p.Deleted {
		return
	}
	if l.Messages == 0 {
		l.First, l.Depth, l.Shown = p.ID, p.Depth, w.path[i]
	}
	l.Last = p.ID
	l.Messages++
	if p.Role == storage.SceneCapture {
		l.Pictures++
	}
}
