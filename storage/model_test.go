package storage

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// twin is the tree as simply as it can be written down.
type twin struct {
	nodes []Node // sorted by id
}

func (w *twin) at(id NodeID) int {
	return slices.IndexFunc(w.nodes, func(n Node) bool { return n.ID == id })
}

func (w *twin) children(parent NodeID) (all, live []NodeID) {
	for _, n := range w.nodes {
		if n.Parent != parent {
			continue
		}
		all = append(all, n.ID)
		if !n.Deleted {
			live = append(live, n.ID)
		}
	}
	return all, live
}

func (w *twin) path(leaf NodeID, limit int) []string {
	var ids []string
	for id := leaf; id != ""; {
		n := w.nodes[w.at(id)]
		if !n.Deleted {
			ids = append([]string{string(n.ID) + n.Content}, ids...)
		}
		id = n.Parent
	}
	if limit > 0 && len(ids) > limit {
		ids = ids[len(ids)-limit:]
	}
	return ids
}

func (w *twin) below(id NodeID) NodeID {
	all, live := w.children(id)
	if len(live) > 0 {
		return live[len(live)-1]
	}
	for _, child := range slices.Backward(all) {
		if found := w.below(child); found != "" {
			return found
		}
	}
	return ""
}

func (w *twin) leaf(id NodeID) NodeID {
	for {
		next := w.below(id)
		if next == "" {
			return id
		}
		id = next
	}
}

// TestTree_LikeItsTwin does random things to a chat and to its twin, some of
// them in transactions that are undone, and compares everything.
func TestTree_LikeItsTwin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := openAt(t, filepath.Join(t.TempDir(), "ghostlight.db"), Options{})
		s.db.NoSync = true // the disk is not what is tried here
		chat, other := newChat(t, s), newChat(t, s)
		update(t, s, func(tx *Tx) error { return tx.AppendNode(&Node{Chat: other}) })
		w := &twin{}
		undo := errors.New("undo")
		for range rapid.IntRange(1, 6).Draw(rt, "transactions") {
			draft := &twin{nodes: slices.Clone(w.nodes)}
			keep := rapid.IntRange(0, 4).Draw(rt, "undo") > 0
			err := s.Update(func(tx *Tx) error {
				for range rapid.IntRange(0, 12).Draw(rt, "steps") {
					if err := step(rt, tx, chat, draft); err != nil {
						return err
					}
				}
				if err := compare(rt, tx, chat, draft); err != nil || keep {
					return err
				}
				return undo
			})
			if keep && err != nil || !keep && err != undo {
				rt.Fatal(err)
			}
			if keep {
				w = draft
			}
		}
		if err := s.View(func(tx *Tx) error { return compare(rt, tx, chat, w) }); err != nil {
			rt.Fatal(err)
		}
		if err := errors.Join(s.Check(), s.Close()); err != nil {
			rt.Fatal(err)
		}
	})
}

func pick(rt *rapid.T, w *twin, orNone bool) NodeID {
	low := 0
	if orNone {
		low = -1
	}
	// Mostly near the end: stories are long more than they are wide.
	i := max(low, len(w.nodes)-1-rapid.IntRange(0, 9).Draw(rt, "node"))
	if i < 0 {
		return ""
	}
	return w.nodes[i].ID
}

func step(rt *rapid.T, tx *Tx, chat ChatID, w *twin) error {
	if len(w.nodes) > 0 && rapid.IntRange(0, 2).Draw(rt, "put") == 0 {
		i := w.at(pick(rt, w, false))
		n := w.nodes[i]
		n.Content = rapid.StringN(0, 30, -1).Draw(rt, "content")
		n.Deleted = rapid.Bool().Draw(rt, "deleted")
		w.nodes[i] = n
		n.Parent, n.Depth = "", 0 // must not matter
		return tx.PutNode(n)
	}
	n := Node{
		Chat: chat, Parent: pick(rt, w, true), Content: rapid.StringN(0, 30, -1).Draw(rt, "content"),
		Deleted: rapid.IntRange(0, 5).Draw(rt, "born deleted") == 0,
	}
	if rapid.IntRange(0, 3).Draw(rt, "imported") == 0 {
		// An imported message may be older than its parent.
		n.ID = NodeID(fmt.Sprintf("0000000000000000000000%04d", rapid.IntRange(0, 9999).Draw(rt, "id")))
		if w.at(n.ID) >= 0 {
			if err := tx.AppendNode(&n); !errors.Is(err, ErrBadID) {
				return fmt.Errorf("a taken id: %w", err)
			}
			return nil
		}
	}
	if err := tx.AppendNode(&n); err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(w.nodes, n.ID, func(m Node, id NodeID) int {
		if m.ID < id {
			return -1
		}
		return 1
	})
	w.nodes = slices.Insert(w.nodes, at, n)
	return nil
}

func compare(rt *rapid.T, tx *Tx, chat ChatID, w *twin) error {
	i := 0
	for id, n := range tx.Nodes(chat) {
		if i >= len(w.nodes) || id != w.nodes[i].ID || n.Depth != w.nodes[i].Depth || n.Parent != w.nodes[i].Parent {
			return fmt.Errorf("node %d is %+v", i, n)
		}
		i++
	}
	if i != len(w.nodes) || len(tx.Skipped()) > 0 {
		return fmt.Errorf("%d nodes instead of %d, skipped %v", i, len(w.nodes), tx.Skipped())
	}
	limit := rapid.IntRange(0, 5).Draw(rt, "limit")
	places := []NodeID{""}
	for _, n := range w.nodes {
		places = append(places, n.ID)
	}
	for _, id := range places {
		if err := compareAt(tx, chat, w, id, limit); err != nil {
			return err
		}
	}
	return nil
}

func compareAt(tx *Tx, chat ChatID, w *twin, id NodeID, limit int) error {
	all, _ := w.children(id)
	got, err := tx.Children(chat, id)
	if err != nil || !slices.Equal(got, all) {
		return fmt.Errorf("children of %q: %v, want %v (%w)", id, got, all, err)
	}
	if leaf, err := tx.Leaf(chat, id); err != nil || leaf != w.leaf(id) {
		return fmt.Errorf("leaf under %q: %s, want %s (%w)", id, leaf, w.leaf(id), err)
	}
	path, err := tx.Path(chat, id, limit)
	if err != nil || !slices.Equal(tags(path), w.path(id, limit)) {
		return fmt.Errorf("path to %q: %v, want %v (%w)", id, tags(path), w.path(id, limit), err)
	}
	if id == "" {
		return nil
	}
	own := w.nodes[w.at(id)]
	path, err = tx.PathBefore(chat, id, limit)
	if err != nil || !slices.Equal(tags(path), w.path(own.Parent, limit)) {
		return fmt.Errorf("path before %q: %v, want %v (%w)", id, tags(path), w.path(own.Parent, limit), err)
	}
	_, live := w.children(own.Parent)
	siblings, at, err := tx.Siblings(chat, id)
	if err != nil || !slices.Equal(siblings, live) || at != slices.Index(live, id) {
		return fmt.Errorf("siblings of %q: %v at %d, want %v (%w)", id, siblings, at, live, err)
	}
	return nil
}

func tags(nodes []Node) []string {
	var out []string
	for _, n := range nodes {
		out = append(out, string(n.ID)+n.Content)
	}
	return out
}
