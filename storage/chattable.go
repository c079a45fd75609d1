package storage

import (
	"encoding/json"
	"fmt"
	"iter"

	bolterrors "go.etcd.io/bbolt/errors"
)

// ChatTable is one kind of record that belongs to chats, keyed by an id within
// each. It holds no state: the tables below are shared by all stores.
type ChatTable[K ~string, V any] struct {
	bucket string
	kind   string
	id     func(*V) *K
}

// The tables of what hangs on a chat's tree.
var (
	// Breaks are keyed by the last message of their scene.
	Breaks = ChatTable[NodeID, Break]{bucket: bucketBreaks, kind: "scene break", id: func(b *Break) *NodeID { return &b.Node }}
	// Recaps are the versions of scene and message recaps, Runnings those of the
	// running recap.
	Recaps   = ChatTable[RecapID, Recap]{bucket: bucketRecaps, kind: "recap", id: func(r *Recap) *RecapID { return &r.ID }}
	Runnings = ChatTable[RecapID, Recap]{bucket: bucketRunnings, kind: "running recap", id: func(r *Recap) *RecapID { return &r.ID }}
)

// chatBuckets are the buckets that hold one bucket per chat.
func chatBuckets() []string {
	return []string{bucketNodes, bucketChildren, bucketSpine, bucketBreaks, bucketRecaps, bucketRunnings}
}

// Get returns the record, or a *NotFoundError.
func (t ChatTable[K, V]) Get(tx *Tx, chat ChatID, id K) (V, error) {
	var v V
	b := tx.inner(t.bucket, chat)
	if b == nil || id == "" {
		return v, &NotFoundError{Kind: t.kind, ID: string(id)}
	}
	data := b.Get([]byte(id))
	if data == nil {
		return v, &NotFoundError{Kind: t.kind, ID: string(id)}
	}
	if err := json.Unmarshal(data, &v); err != nil {
		var zero V
		return zero, fmt.Errorf("%w: %s %s: %w", ErrCorrupt, t.kind, id, err)
	}
	return v, nil
}

// Has tells whether there is such a record, without reading it.
func (t ChatTable[K, V]) Has(tx *Tx, chat ChatID, id K) bool {
	b := tx.inner(t.bucket, chat)
	return b != nil && id != "" && b.Get([]byte(id)) != nil
}

// Put writes the record under its own id, in place of what was there. The chat
// must exist (*NotFoundError).
func (t ChatTable[K, V]) Put(tx *Tx, chat ChatID, v V) error {
	id := *t.id(&v)
	if err := checkULID(string(id)); err != nil {
		return fmt.Errorf("save %s: %w", t.kind, err)
	}
	if tx.get(bucketChats, string(chat)) == nil {
		return &NotFoundError{Kind: Chats.kind, ID: string(chat)}
	}
	if !tx.tx.Writable() {
		return ioError("save "+t.kind, bolterrors.ErrTxNotWritable)
	}
	b, err := tx.bucket(t.bucket).CreateBucketIfNotExists([]byte(chat))
	if err != nil {
		return ioError("save "+t.kind, err)
	}
	return putJSON(b, t.kind, string(id), v)
}

// Delete removes the record; a *NotFoundError when there is none.
func (t ChatTable[K, V]) Delete(tx *Tx, chat ChatID, id K) error {
	if !t.Has(tx, chat, id) {
		return &NotFoundError{Kind: t.kind, ID: string(id)}
	}
	return ioError("delete "+t.kind, tx.inner(t.bucket, chat).Delete([]byte(id)))
}

// All goes through a chat's records in the order of their keys. Records that
// cannot be read are left out, see Tx.Skipped. In an Update, records may be put
// and deleted on the way.
func (t ChatTable[K, V]) All(tx *Tx, chat ChatID) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, data := range tx.entries(tx.inner(t.bucket, chat), false) {
			var v V
			if err := json.Unmarshal(data, &v); err != nil {
				tx.skipped = append(tx.skipped, fmt.Errorf("%w: %s %s: %w", ErrCorrupt, t.kind, k, err))
				continue
			}
			if !yield(K(k), v) {
				return
			}
		}
	}
}

func (t ChatTable[K, V]) check(tx *Tx, found *CheckError) {
	outer := tx.bucket(t.bucket)
	if outer == nil {
		return
	}
	for _, chat := range keysOf(outer, false) {
		for k, data := range tx.entries(tx.inner(t.bucket, ChatID(chat)), false) {
			var v V
			if err := json.Unmarshal(data, &v); err != nil {
				found.add("%s %s of chat %s cannot be read: %v", t.kind, k, chat, err)
			} else if own := *t.id(&v); string(own) != k {
				found.add("%s %s of chat %s names itself %s", t.kind, k, chat, own)
			}
		}
	}
}
