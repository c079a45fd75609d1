package storage

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// maxHops bounds a walk down the index, which only a damaged one can exceed.
const maxHops = 1 << 20

// children calls f for each entry below parent in the order of making, until f
// returns false.
func (t tree) children(parent NodeID, f func(id NodeID, deleted bool) bool) {
	if t.kids == nil {
		return
	}
	prefix := indexKey(parent, "")
	c := t.kids.Cursor()
	for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
		if !f(NodeID(k[len(prefix):]), len(v) > 0) {
			return
		}
	}
}

// Children returns the messages right below parent, deleted ones too, in the
// order of making; parent "" means the roots. A *NotFoundError when there is no
// such parent.
func (tx *Tx) Children(chat ChatID, parent NodeID) ([]NodeID, error) {
	t := tx.tree(chat)
	if parent != "" && !t.has(parent) {
		return nil, &NotFoundError{Kind: kindNode, ID: string(parent)}
	}
	var ids []NodeID
	t.children(parent, func(id NodeID, _ bool) bool {
		ids = append(ids, id)
		return true
	})
	return ids, nil
}

// Siblings returns the undeleted messages that have id's parent, id included, in the order of
// creation, and the index of id: -1 if id itself is deleted.
func (tx *Tx) Siblings(chat ChatID, id NodeID) (ids []NodeID, at int, err error) {
	t := tx.tree(chat)
	own, err := t.place(id)
	if err != nil {
		return nil, -1, err
	}
	at = -1
	t.children(own.Parent, func(sibling NodeID, deleted bool) bool {
		if deleted {
			return true
		}
		if sibling == id {
			at = len(ids)
		}
		ids = append(ids, sibling)
		return true
	})
	return ids, at, nil
}

// Path returns the newest limit undeleted messages on the way from the root to
// leaf, oldest first (limit <= 0: all of them). It reads no other messages than
// these and the deleted ones between them. A leaf "" gives an empty path.
func (tx *Tx) Path(chat ChatID, leaf NodeID, limit int) ([]Node, error) {
	if leaf == "" {
		return nil, nil
	}
	t := tx.tree(chat)
	if !t.has(leaf) {
		return nil, t.missing(leaf)
	}
	return t.path(leaf, limit)
}

// PathBefore is Path, ending just above node, which is not part of it.
func (tx *Tx) PathBefore(chat ChatID, node NodeID, limit int) ([]Node, error) {
	t := tx.tree(chat)
	own, err := t.place(node)
	if err != nil {
		return nil, err
	}
	if own.Parent == "" {
		return nil, nil
	}
	return t.path(own.Parent, limit)
}

// PathBelow returns up to limit undeleted messages of the path to leaf, oldest first: those that
// follow node, or the first ones of the path if node is "". It returns a *NotFoundError if node is
// not on that path. If only childless messages branch off, it reads no more than the returned
// messages.
func (tx *Tx) PathBelow(chat ChatID, leaf, node NodeID, limit int) ([]Node, error) {
	t := tx.tree(chat)
	if leaf == "" || leaf == node || limit <= 0 {
		return nil, nil
	}
	var ids []NodeID
	below := NodeInfo{Depth: -1}
	if node != "" {
		var err error
		if below, err = t.place(node); err != nil {
			return nil, err
		}
	}
	end, err := t.place(leaf)
	if err != nil {
		return nil, err
	}
	ok := false
	if end.Depth-below.Depth > limit {
		ids, ok = t.descend(node, leaf, limit)
	}
	if !ok {
		if ids, err = tx.pathBelow(chat, leaf, below, limit); err != nil {
			return nil, err
		}
	}
	nodes := make([]Node, 0, len(ids))
	for _, id := range ids {
		n, err := t.get(id)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// pathBelow returns the undeleted messages next below a place on the way to leaf, at most limit,
// oldest first. It goes up the whole way.
func (tx *Tx) pathBelow(chat ChatID, leaf NodeID, below NodeInfo, limit int) ([]NodeID, error) {
	ring, n := make([]NodeID, limit), 0
	met := below.ID == ""
	for p := range tx.PathInfos(chat, leaf) {
		if p.Depth <= below.Depth {
			met = p.ID == below.ID
			break
		}
		if !p.Deleted {
			ring[n%limit] = p.ID
			n++
		}
	}
	if !met {
		return nil, &NotFoundError{Kind: kindNode, ID: string(below.ID)}
	}
	ids := make([]NodeID, 0, min(n, limit))
	for i := n - 1; i >= max(0, n-limit); i-- {
		ids = append(ids, ring[i%limit])
	}
	return ids, nil
}

// descend goes down from a message towards leaf, which is more than limit below it, and returns the
// undeleted messages on the way. A childless message other than leaf is not on the way. ok is false
// if the way is ambiguous.
func (t tree) descend(from, leaf NodeID, limit int) (ids []NodeID, ok bool) {
	for at := from; len(ids) < limit; {
		next, gone, several := NodeID(""), false, false
		t.children(at, func(id NodeID, deleted bool) bool {
			ends := id != leaf
			if ends {
				t.children(id, func(NodeID, bool) bool { ends = false; return false })
			}
			if !ends {
				several = next != ""
				next, gone = id, deleted
			}
			return !several
		})
		if next == "" || several {
			return nil, false
		}
		if !gone {
			ids = append(ids, next)
		}
		if at = next; at == leaf {
			break
		}
	}
	return ids, true
}

// path climbs from leaf. Each step must be one less deep than the one before, so that it also ends
// in a damaged tree.
func (t tree) path(leaf NodeID, limit int) ([]Node, error) {
	var nodes []Node
	depth := -1
	for id := leaf; id != ""; {
		n, err := t.get(id)
		if errors.Is(err, ErrNotFound) {
			return nil, fmt.Errorf("%w: the %s %s is missing in the middle of chat %s", ErrCorrupt,
				kindNode, id, t.chat)
		}
		if err != nil {
			return nil, err
		}
		if depth >= 0 && n.Depth != depth-1 || n.Depth < 0 {
			return nil, fmt.Errorf("%w: the %s %s of chat %s is at the wrong depth", ErrCorrupt, kindNode, id, t.chat)
		}
		depth = n.Depth
		if !n.Deleted {
			if nodes == nil {
				size := depth + 1
				if limit > 0 {
					size = min(size, limit)
				}
				nodes = make([]Node, 0, min(size, 1<<16))
			}
			nodes = append(nodes, n)
			if len(nodes) == limit {
				break
			}
		}
		id = n.Parent
	}
	slices.Reverse(nodes)
	return nodes, nil
}

// Leaf follows the newest undeleted children down from under to a message that has none, and
// returns that message; under itself if it has no children. If all children are deleted, it looks
// for undeleted messages below those. An under of "" starts at the newest root, and gives "" in a
// chat without messages.
func (tx *Tx) Leaf(chat ChatID, under NodeID) (NodeID, error) {
	t := tx.tree(chat)
	if under != "" && !t.has(under) {
		return "", &NotFoundError{Kind: kindNode, ID: string(under)}
	}
	if t.kids == nil {
		return "", nil
	}
	c := t.kids.Cursor()
	for hops := 0; ; {
		next, err := t.newest(c, under, &hops)
		if err != nil {
			return "", err
		}
		if next == "" {
			return under, nil
		}
		under = next
	}
}

// newest returns the newest undeleted child of parent or, without one, the
// first undeleted message found below its deleted children, newest first.
func (t tree) newest(c *bolt.Cursor, parent NodeID, hops *int) (NodeID, error) {
	for stack := []NodeID{parent}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		prefix := indexKey(at, "")
		below := len(stack)
		for k, v := lastBelow(c, prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Prev() {
			id := NodeID(k[len(prefix):])
			if *hops++; *hops > maxHops {
				return "", fmt.Errorf("%w: the order of the messages of chat %s runs in a circle", ErrCorrupt, t.chat)
			}
			if len(v) == 0 {
				return id, nil
			}
			stack = append(stack, id)
		}
		slices.Reverse(stack[below:]) // the newest is to be looked at first
	}
	return "", nil
}

// lastBelow moves c to the last key that begins with prefix, which ends in 0.
func lastBelow(c *bolt.Cursor, prefix []byte) (k, v []byte) {
	end := slices.Clone(prefix)
	end[len(end)-1] = 1
	if k, _ := c.Seek(end); k == nil {
		return c.Last()
	}
	return c.Prev()
}

// HasChat reports whether there is a chat of this ID, without reading it.
func (tx *Tx) HasChat(id ChatID) bool { return id != "" && tx.has(bucketChats, string(id)) }
