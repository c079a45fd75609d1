package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// running is the running recap of a path: its versions, oldest first, and the
// one in force.
type running struct {
	Past    lineage
	list    []storage.Recap
	Current *storage.Recap
	at      int // of current in list, -1 for none
}

// RunningOn returns the versions that belong to a path's breaks. The one in force is named by the
// last break that names one.
func RunningOn(tx *storage.Tx, chat storage.ChatID, list []Span) running {
	all := map[storage.RecapID]storage.Recap{}
	r := running{at: -1, Past: func(id storage.RecapID) (storage.Recap, bool) { v, ok := all[id]; return v, ok }}
	onPath := map[storage.NodeID]bool{}
	var id storage.RecapID
	for _, s := range list {
		if s.Break == nil {
			continue
		}
		onPath[s.Break.Node] = true
		if s.Break.Running != "" {
			id = s.Break.Running
		}
	}
	for _, v := range storage.RunningRecaps.All(tx, chat) {
		if all[v.ID] = v; !onPath[v.Node] {
			continue
		}
		if v.ID == id {
			r.at = len(r.list)
		}
		r.list = append(r.list, v)
	}
	if r.at >= 0 {
		r.Current = &r.list[r.at]
	}
	return r
}

// RunningAt returns the running recap in force at a message and the break that names it, or nil.
func RunningAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (*storage.Recap, storage.NodeID, error) {
	for b := range breaksAbove(tx, chat, leaf, func(b storage.Break) bool { return b.Running != "" }) {
		r, err := storage.RunningRecaps.Get(tx, chat, b.Running)
		if err != nil {
			return nil, b.Node, err
		}
		return &r, b.Node, nil
	}
	return nil, "", nil
}

// maxLineage is the maximum number of versions visited by a walk through the lineage of a running
// recap. Only a damaged file can exceed it.
const maxLineage = 1 << 16

// lineage finds the versions that a running recap is derived from.
type lineage func(storage.RecapID) (storage.Recap, bool)

// lineageIn reads it from the store when it is asked for.
func lineageIn(tx *storage.Tx, chat storage.ChatID) lineage {
	return func(id storage.RecapID) (storage.Recap, bool) {
		r, err := storage.RunningRecaps.Get(tx, chat, id)
		return r, err == nil
	}
}

// walk visits a running recap and the versions it was made of, newest first, while f returns true.
func (p lineage) walk(r storage.Recap, f func(storage.Recap) bool) {
	for range maxLineage {
		if !f(r) || r.Base == "" {
			return
		}
		var ok bool
		if r, ok = p(r.Base); !ok {
			return
		}
	}
}

// Parts returns the scenes in a running recap.
func (p lineage) Parts(r *storage.Recap) map[storage.NodeID]bool {
	in := map[storage.NodeID]bool{}
	if r == nil {
		return in
	}
	p.walk(*r, func(v storage.Recap) bool {
		if v.Part != nil {
			in[v.Part.Break] = true
		}
		return true
	})
	return in
}

// staleParts are the scenes, by break, whose recaps have changed since they were merged into a
// running recap. A break that is not in marks no longer exists.
type staleParts struct {
	marks map[storage.NodeID]*storage.Break
	known map[storage.NodeID]bool // whether a scene's recap fits its messages
	texts map[storage.RecapID]string
	tx    *storage.Tx
	chat  storage.ChatID
}

func newStaleParts(tx *storage.Tx, chat storage.ChatID) *staleParts {
	return &staleParts{marks: BreaksOf(tx, chat), known: map[storage.NodeID]bool{}, texts: map[storage.RecapID]string{},
		tx: tx, chat: chat}
}

// hash returns the hash of a version's text, made once.
func (s *staleParts) hash(r storage.Recap) string {
	h, ok := s.texts[r.ID]
	if !ok {
		h = TextHash(r.Text)
		s.texts[r.ID] = h
	}
	return h
}

func (s *staleParts) stale(part storage.Part) bool {
	b := s.marks[part.Break]
	if b == nil || b.Hidden || b.TextHash != part.TextHash {
		return true
	}
	fits, ok := s.known[part.Break]
	if !ok {
		r, err := storage.Recaps.Get(s.tx, s.chat, b.Recap())
		fits = err == nil && !StaleFor(r, b.InputsHash)
		s.known[part.Break] = fits
	}
	return !fits
}

// stale reports whether an input of a running recap has changed since: a scene's recap, its
// messages, its break, or an earlier version.
func (p lineage) stale(r storage.Recap, parts *staleParts) bool {
	stale := false
	seen := map[storage.NodeID]bool{}
	want := "" // the hash that the next text should have
	p.walk(r, func(v storage.Recap) bool {
		if want != "" && parts.hash(v) != want {
			stale = true
			return false
		}
		want = v.BaseTextHash
		if v.Part == nil || seen[v.Part.Break] {
			return true // a newer part of the same scene replaces it
		}
		seen[v.Part.Break] = true
		stale = parts.stale(*v.Part)
		return !stale
	})
	return stale
}

// covers returns the last message up to which nothing is missing in a running recap that takes part
// in.
func covers(tx *storage.Tx, chat storage.ChatID, base *storage.Recap, part storage.Part) storage.NodeID {
	next := map[storage.NodeID]storage.NodeID{part.After: part.Break} // the end of each scene, by its beginning
	at := storage.NodeID("")
	if base != nil {
		lineageIn(tx, chat).walk(*base, func(v storage.Recap) bool {
			if v.Part != nil {
				if _, have := next[v.Part.After]; !have {
					next[v.Part.After] = v.Part.Break
				}
			}
			return true
		})
		at = base.Covers
	}
	for range len(next) {
		to, ok := next[at]
		if !ok {
			break
		}
		at = to
	}
	return at
}

// MergeRunning queues the merging of a scene's recap into the running recap.
func (svc *Service) MergeRunning(chat storage.ChatID, node storage.NodeID) (id storage.OperationID, err error) {
	err = svc.ChangeScenes(chat, "merge into the running recap", func(tx *storage.Tx) error {
		b, err := VisibleBreak(tx, chat, node)
		if err != nil {
			return err
		}
		if b.Recap() == "" {
			return failure.Refusef("this scene has no recap yet")
		}
		id, err = svc.core.Queue.AddOperation(tx, opRunning, chats.Params{Chat: chat, Node: node, Asked: true}, nil)
		return err
	})
	return id, err
}

// RebuildRunning queues a rebuild of the running recap from the scene recaps, in order, and returns
// the number of scenes that it will contain. The old one stays in force until the last scene is
// merged.
func (svc *Service) RebuildRunning(chat storage.ChatID) (n int, err error) {
	err = svc.changeScenes(chat, "rebuild the running recap", func(tx *storage.Tx, c storage.Chat) error {
		var nodes []storage.NodeID
		for _, s := range SpansOf(tx, chat, c.Head) {
			if s.Break != nil && s.Break.Recap() != "" {
				nodes = append(nodes, s.Break.Node)
			}
		}
		if last := len(nodes) - 1; svc.core.Settings().Scenes.HoldNewest && last > 0 &&
			nodes[last] == newestBreak(tx, chat, c.Head) {
			r, _, err := RunningAt(tx, chat, c.Head)
			if err == nil && !lineageIn(tx, chat).Parts(r)[nodes[last]] {
				nodes = nodes[:last] // it is still held back
			}
		}
		if n = len(nodes); n == 0 {
			return failure.Refusef("no scene has a recap yet")
		}
		for op := range chats.Unfinished(tx, chat) {
			if op.Type == opRunning && len(chats.ParamsOf(op).Nodes) > 0 {
				return failure.Refusef("it is already being rebuilt")
			}
		}
		p := chats.Params{Chat: chat, Node: nodes[0], Nodes: nodes, Asked: true}
		_, err := svc.core.Queue.AddOperation(tx, opRunning, p, nil)
		return err
	})
	return n, err
}

// storyName says which scenes a running recap contains, for the list of the prompt's parts.
func storyName(r storage.Recap) string {
	if r.Scenes == 0 {
		return "the running recap"
	}
	return "the running recap of " + failure.Count(r.Scenes, "scene")
}
