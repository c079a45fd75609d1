package storage

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	bolterrors "go.etcd.io/bbolt/errors"
)

// OwnedTable is one kind of record that belongs to an owner, keyed by an id
// within each. It holds no state: the tables below are shared by all stores.
type OwnedTable[O, K ~string, V any] struct {
	bucket string
	owners string // the bucket of the owners; "" where there is not one
	owner  string // what an owner is called
	kind   string
	id     func(*V) *K
}

// ChatTable holds what belongs to chats.
type ChatTable[K ~string, V any] = OwnedTable[ChatID, K, V]

// BookTable holds what belongs to lorebooks.
type BookTable[K ~string, V any] = OwnedTable[LorebookID, K, V]

// ScopeTable holds what belongs to a series, or to a chat that belongs to none.
type ScopeTable[K ~string, V any] = OwnedTable[ScopeID, K, V]

func scopeTable[K ~string, V any](bucket, kind string, id func(*V) *K) ScopeTable[K, V] {
	return ScopeTable[K, V]{bucket: bucket, owner: "story", kind: kind, id: id}
}

func chatTable[K ~string, V any](bucket, kind string, id func(*V) *K) ChatTable[K, V] {
	return ChatTable[K, V]{bucket: bucket, owners: bucketChats, owner: "chat", kind: kind, id: id}
}

func bookTable[K ~string, V any](bucket, kind string, id func(*V) *K) BookTable[K, V] {
	return BookTable[K, V]{bucket: bucket, owners: bucketLorebooks, owner: "lorebook", kind: kind, id: id}
}

// The tables of what hangs on a chat's tree.
var (
	// Breaks are keyed by the last message of their scene.
	Breaks = chatTable(bucketBreaks, "scene break", func(b *Break) *NodeID { return &b.Node })
	// Recaps are the versions of scene and message recaps, Runnings those of the
	// running recap.
	Recaps   = chatTable(bucketRecaps, "recap", func(r *Recap) *RecapID { return &r.ID })
	Runnings = chatTable(bucketRunnings, "running recap", func(r *Recap) *RecapID { return &r.ID })
	// LoreTurns are keyed by the newest message of the prompt that they tell of.
	LoreTurns = chatTable(bucketLoreTurns, "record of fired lore", func(t *LoreTurn) *NodeID { return &t.Node })
	// Beats are keyed by the reply that they are about, Notes by the message of
	// the user's before which they stand.
	Beats = chatTable(bucketBeats, "director's beat", func(b *Beat) *NodeID { return &b.Node })
	Notes = chatTable(bucketNotes, "record of stage notes", func(n *NoteTurn) *NodeID { return &n.Node })
	// Clocks are keyed by the message from which a time of the story holds.
	Clocks = chatTable(bucketClocks, "time of the story", func(c *Clock) *NodeID { return &c.Node })
)

// The tables of what is pictured in a chat.
var (
	Batches = chatTable(bucketBatches, "batch of captures", func(b *Batch) *BatchID { return &b.ID })
	// Facts are a chat's continuity sheet.
	Facts = chatTable(bucketContinuity, "fact of the continuity sheet", func(f *Fact) *FactID { return &f.ID })
	Edits = chatTable(bucketEdits, "edit", func(e *Edit) *EditID { return &e.ID })
	// Boards are keyed by the last message of their scene. The calls of all boards
	// of a chat stand in one table.
	Boards     = chatTable(bucketBoards, "storyboard", func(b *Board) *NodeID { return &b.Node })
	BoardCalls = chatTable(bucketBoardCalls, "call of a storyboard's tool", func(c *BoardCall) *CallID { return &c.ID })
)

// The tables of what lorebooks hold. The revisions of all entries of a book stand
// in one table.
var (
	LoreEntries = bookTable(bucketLoreEntries, "lorebook entry", func(e *LoreEntry) *EntryID { return &e.ID })
	// LoreChanges are what waits for the user's word.
	LoreChanges   = bookTable(bucketLoreChanges, "change to the lorebook", func(c *LoreChange) *LoreChangeID { return &c.ID })
	LoreRevisions = bookTable(bucketLoreRevisions, "revision", func(r *LoreRevision) *RevisionID { return &r.ID })
)

// The tables of what is remembered.
var (
	Memories = scopeTable(bucketMemories, "memory", func(m *Memory) *MemoryID { return &m.ID })
	Hooks    = scopeTable(bucketHooks, "hook", func(h *Hook) *HookID { return &h.ID })
	Vectors  = scopeTable(bucketVectors, "meaning of a memory", func(v *Vector) *MemoryID { return &v.Memory })
	// TasteMemories are keyed by the last message of their scene.
	TasteMemories = scopeTable(bucketTasteMemories, "memory of how a scene was directed", func(m *TasteMemory) *NodeID { return &m.Scene })
)

// Writable reports whether the transaction may change the store: what it reads may
// then never come to be.
func (tx *Tx) Writable() bool { return tx.open().Writable() }

// bookBuckets are the buckets that hold one bucket per lorebook.
func bookBuckets() []string {
	return []string{bucketLoreEntries, bucketLoreRevisions, bucketLoreChanges}
}

// scopeBuckets are the buckets that hold one bucket per story.
func scopeBuckets() []string {
	return []string{bucketMemories, bucketHooks, bucketVectors, bucketTasteMemories}
}

// chatBuckets are the buckets that hold one bucket per chat.
func chatBuckets() []string {
	return []string{bucketNodes, bucketChildren, bucketSpine, bucketBreaks, bucketRecaps, bucketRunnings, bucketLoreTurns, bucketBeats, bucketNotes,
		bucketBatches, bucketContinuity, bucketEdits, bucketBoards, bucketBoardCalls, bucketClocks, bucketWords, bucketChanges}
}

// Get returns the record, or a *NotFoundError.
func (t OwnedTable[O, K, V]) Get(tx *Tx, owner O, id K) (V, error) {
	var v V
	b := tx.inner(t.bucket, string(owner))
	if b == nil || id == "" {
		return v, &NotFoundError{Kind: t.kind, ID: string(id)}
	}
	data, err := b.get([]byte(id))
	if err != nil {
		return v, err
	}
	if data == nil {
		return v, &NotFoundError{Kind: t.kind, ID: string(id)}
	}
	if err := json.Unmarshal(data, &v); err != nil {
		var zero V
		return zero, fmt.Errorf("%w: %s %s: %w", ErrCorrupt, t.kind, id, err)
	}
	return v, nil
}

// Has reports whether there is such a record, without reading it.
func (t OwnedTable[O, K, V]) Has(tx *Tx, owner O, id K) bool {
	b := tx.inner(t.bucket, string(owner))
	return b != nil && id != "" && b.has([]byte(id))
}

// Any reports whether an owner has records at all.
func (t OwnedTable[O, K, V]) Any(tx *Tx, owner O) bool {
	b := tx.inner(t.bucket, string(owner))
	if b == nil {
		return false
	}
	for range b.after(nil) {
		return true
	}
	return false
}

// Put writes the record under its own id, in place of what was there. The owner
// must exist (*NotFoundError), or have the form of an id where owners are of
// several kinds.
func (t OwnedTable[O, K, V]) Put(tx *Tx, owner O, v V) error {
	id := *t.id(&v)
	if err := checkULID(string(id)); err != nil {
		return fmt.Errorf("save %s: %w", t.kind, err)
	}
	if t.owners == "" {
		if err := checkULID(string(owner)); err != nil {
			return fmt.Errorf("save %s of %s: %w", t.kind, t.owner, err)
		}
	} else if !tx.has(t.owners, string(owner)) {
		return &NotFoundError{Kind: t.owner, ID: string(owner)}
	}
	if !tx.open().Writable() {
		return ioError("save "+t.kind, bolterrors.ErrTxNotWritable)
	}
	b, err := tx.bucket(t.bucket).make(string(owner))
	if err != nil {
		return ioError("save "+t.kind, err)
	}
	return b.putJSON(t.kind, string(id), v)
}

// Delete removes the record; a *NotFoundError when there is none.
func (t OwnedTable[O, K, V]) Delete(tx *Tx, owner O, id K) error {
	if !t.Has(tx, owner, id) {
		return &NotFoundError{Kind: t.kind, ID: string(id)}
	}
	return ioError("delete "+t.kind, tx.inner(t.bucket, string(owner)).remove([]byte(id)))
}

// All goes through an owner's records in the order of their keys. Records that
// cannot be read are left out, see Tx.Skipped. In an Update, records may be put
// and deleted on the way.
func (t OwnedTable[O, K, V]) All(tx *Tx, owner O) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for k, data := range tx.entries(tx.inner(t.bucket, string(owner)), false) {
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

// After goes through an owner's records whose keys come after id, as All does.
func (t OwnedTable[O, K, V]) After(tx *Tx, owner O, id K) iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		b := tx.inner(t.bucket, string(owner))
		if b == nil {
			return
		}
		var keys []string // the bucket may change on the way
		for k := range b.after(append([]byte(id), 0)) {
			keys = append(keys, string(k))
		}
		for _, k := range keys {
			v, err := t.Get(tx, owner, K(k))
			if err != nil {
				if !errors.Is(err, ErrNotFound) {
					tx.skipped = append(tx.skipped, err)
				}
				continue
			}
			if !yield(K(k), v) {
				return
			}
		}
	}
}

func (t OwnedTable[O, K, V]) check(tx *Tx, found *CheckError) {
	outer := tx.bucket(t.bucket)
	if outer == nil {
		return
	}
	for _, owner := range outer.keys() {
		for k, data := range tx.readable(tx.inner(t.bucket, owner), t.kind, found) {
			var v V
			if err := json.Unmarshal(data, &v); err != nil {
				found.add("%s %s of %s %s cannot be read: %v", t.kind, k, t.owner, owner, err)
			} else if own := *t.id(&v); string(own) != k {
				found.add("%s %s of %s %s names itself %s", t.kind, k, t.owner, owner, own)
			}
		}
	}
}
