package storage

import (
	"encoding/json"
	"fmt"
	"iter"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

const (
	kindNode = "message"
	// markDeleted is the value of a deleted message's index entry.
	markDeleted = "x"
	// fullPages suits keys that only ever grow: a page that is filled is not
	// written to again.
	fullPages = 0.9
)

// tree is one chat's messages. The buckets are nil when it has none.
type tree struct {
	tx     *Tx
	chat   ChatID
	nodes  *bucket
	kids   *bolt.Bucket
	places *bolt.Bucket
}

func (tx *Tx) tree(chat ChatID) tree {
	nodes, kids, spine := tx.inner(bucketNodes, string(chat)), tx.inner(bucketChildren, string(chat)),
		tx.inner(bucketPlaces, string(chat))
	if nodes == nil || kids == nil || spine == nil {
		return tree{tx: tx, chat: chat}
	}
	return tree{tx: tx, chat: chat, nodes: nodes, kids: kids.raw, places: spine.raw}
}

// ensureTree returns the chat's tree, made when this is its first message.
func (tx *Tx) ensureTree(chat ChatID) (tree, error) {
	if !tx.has(bucketChats, string(chat)) {
		return tree{}, &NotFoundError{Kind: Chats.kind, ID: string(chat)}
	}
	return tx.createTree(chat)
}

// createTree is ensureTree for a chat that need not exist.
func (tx *Tx) createTree(chat ChatID) (tree, error) {
	if !tx.open().Writable() {
		return tree{}, ioError("save "+kindNode, bolterrors.ErrTxNotWritable)
	}
	var made [3]*bucket
	for i, name := range []string{bucketNodes, bucketChildren, bucketPlaces} {
		b, err := tx.bucket(name).make(string(chat))
		if err != nil {
			return tree{}, ioError("save "+kindNode, err)
		}
		b.raw.FillPercent = fullPages
		made[i] = b
	}
	return tree{tx: tx, chat: chat, nodes: made[0], kids: made[1].raw, places: made[2].raw}, nil
}

// has reports whether there is such a message, without reading it.
func (t tree) has(id NodeID) bool { return t.nodes != nil && id != "" && t.nodes.has([]byte(id)) }

// missing returns the error for a message that was not found: a *NotFoundError, or an ErrCorrupt if
// something else in the file refers to it.
func (t tree) missing(id NodeID) error {
	known := t.has(id) || t.places != nil && id != "" && t.places.Get([]byte(id)) != nil
	if !known && id != "" {
		c, err := Chats.Get(t.tx, t.chat)
		known = err == nil && c.Head == id
	}
	if known {
		return fmt.Errorf("%w: the %s %s of chat %s cannot be found", ErrCorrupt, kindNode,
			clip(string(id), 80), t.chat)
	}
	return &NotFoundError{Kind: kindNode, ID: string(id)}
}

// raw returns a message's record. If there is none, it returns the error of missing.
func (t tree) raw(id NodeID) ([]byte, error) {
	if t.nodes != nil && id != "" {
		if data, err := t.nodes.get([]byte(id)); data != nil || err != nil {
			return data, err
		}
	}
	return nil, t.missing(id)
}

func (t tree) get(id NodeID) (Node, error) {
	data, err := t.raw(id)
	if err != nil {
		return Node{}, err
	}
	return t.decode(id, data)
}

func (t tree) decode(id NodeID, data []byte) (Node, error) {
	var n Node
	if err := json.Unmarshal(data, &n); err != nil {
		return Node{}, fmt.Errorf("%w: %s %s: %w", ErrCorrupt, kindNode, id, err)
	}
	n.Chat = t.chat
	return n, nil
}

// indexKey returns the children index's key. Parents are ids of one length or "", so
// that no parent's entries lie among another's.
func indexKey(parent, child NodeID) []byte {
	key := make([]byte, 0, len(parent)+1+len(child))
	key = append(key, parent...)
	key = append(key, 0)
	return append(key, child...)
}

func (t tree) index(parent, child NodeID, deleted bool) error {
	mark := ""
	if deleted {
		mark = markDeleted
	}
	return ioError("save "+kindNode, t.kids.Put(indexKey(parent, child), []byte(mark)))
}

// AppendNode adds a message to n.Chat below n.Parent, or as a root when that is
// "". It sets n.Depth, and n.ID when that is empty: to one that sorts behind
// all others of the chat. Chat and parent must exist (*NotFoundError); an id
// that is given must be new. On an error n is as it was.
func (tx *Tx) AppendNode(n *Node) error {
	t, err := tx.ensureTree(n.Chat)
	if err != nil {
		return err
	}
	added := *n
	if added.ID == "" {
		added.ID = NodeID(idAfter(t.nodes.last()))
	}
	if err := t.add(&added); err != nil {
		return err
	}
	if err := tx.markRewritten(n.Chat, added.ID); err != nil {
		return err
	}
	*n = added
	return nil
}

// add is AppendNode for a message that has an id.
func (t tree) add(n *Node) error {
	n.Depth = 0
	if n.Parent != "" {
		parent, err := t.place(n.Parent)
		if err != nil {
			return fmt.Errorf("append %s: parent: %w", kindNode, err)
		}
		n.Depth = parent.Depth + 1
	}
	if err := checkULID(string(n.ID)); err != nil {
		return fmt.Errorf("append %s: %w", kindNode, err)
	}
	if t.has(n.ID) {
		return fmt.Errorf("append %s: %w: %s is taken", kindNode, ErrBadID, n.ID)
	}
	if err := t.nodes.putJSON(kindNode, string(n.ID), n); err != nil {
		return err
	}
	if err := t.index(n.Parent, n.ID, n.Deleted); err != nil {
		return err
	}
	return t.putPlace(placeOf(*n))
}

// PutNode rewrites an existing message. Its place never changes: the stored Parent and Depth are
// kept, whatever n says. It returns a *NotFoundError if n.Chat has no such message.
func (tx *Tx) PutNode(n Node) error {
	t := tx.tree(n.Chat)
	old, err := t.place(n.ID)
	if err != nil {
		return err
	}
	n.Parent, n.Depth = old.Parent, old.Depth
	t.nodes.raw.FillPercent = fullPages
	if err := t.nodes.putJSON(kindNode, string(n.ID), n); err != nil {
		return err
	}
	if err := tx.markRewritten(n.Chat, n.ID); err != nil {
		return err
	}
	if now := placeOf(n); now != old {
		if err := t.putPlace(now); err != nil {
			return err
		}
	}
	if n.Deleted == old.Deleted {
		return nil
	}
	return t.index(n.Parent, n.ID, n.Deleted)
}

// Node returns one message, deleted or not, or a *NotFoundError.
func (tx *Tx) Node(chat ChatID, id NodeID) (Node, error) { return tx.tree(chat).get(id) }

// NodeIf is Node with a filter on the stored form. If may rejects it, the message is not decoded,
// and ok is false.
func (tx *Tx) NodeIf(chat ChatID, id NodeID, may func(stored []byte) bool) (n Node, ok bool, err error) {
	t := tx.tree(chat)
	raw, err := t.raw(id)
	if err != nil {
		return n, false, err
	}
	if !may(raw) {
		return n, false, nil
	}
	n, err = t.decode(id, raw)
	return n, err == nil, err
}

// Nodes goes through all messages of a chat, deleted ones too, in the order of
// making. Those that cannot be read are left out, see Tx.Skipped. In an Update,
// messages may be appended and rewritten on the way.
func (tx *Tx) Nodes(chat ChatID) iter.Seq2[NodeID, Node] {
	return func(yield func(NodeID, Node) bool) {
		t := tx.tree(chat)
		for k, data := range tx.entries(t.nodes, false) {
			n, err := t.decode(NodeID(k), data)
			if err != nil {
				tx.skipped = append(tx.skipped, err)
				continue
			}
			if !yield(n.ID, n) {
				return
			}
		}
	}
}
