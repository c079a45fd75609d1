package storage

import (
	"fmt"
	"iter"

	bolterrors "go.etcd.io/bbolt/errors"
)

// OwnedTable is one kind of record that belongs to an owner, keyed by an id
// within each. It holds no state: the tables below are shared by all stores.
type OwnedTable[O, K ~string, V any] struct {
	records[K, V]
	of    string // whose buckets it holds
	owner string // what an owner is called
}

// ChatTable holds what belongs to chats.
type ChatTable[K ~string, V any] = OwnedTable[ChatID, K, V]

// BookTable holds what belongs to lorebooks.
type BookTable[K ~string, V any] = OwnedTable[LorebookID, K, V]

// ScopeTable holds what belongs to a series, or to a chat that belongs to none.
type ScopeTable[K ~string, V any] = OwnedTable[ScopeID, K, V]

func scopeTable[K ~string, V any](bucket, kind string, id func(*V) *K) ScopeTable[K, V] {
	return ScopeTable[K, V]{records[K, V]{bucket, kind, id}, ofStories, "story"}
}

func chatTable[K ~string, V any](bucket, kind string, id func(*V) *K) ChatTable[K, V] {
	return ChatTable[K, V]{records[K, V]{bucket, kind, id}, ofChats, "chat"}
}

func bookTable[K ~string, V any](bucket, kind string, id func(*V) *K) BookTable[K, V] {
	return BookTable[K, V]{records[K, V]{bucket, kind, id}, ofBooks, "lorebook"}
}

// The tables of records about a chat's messages.
var (
	// Breaks are keyed by the last message of their scene.
	Breaks = chatTable("breaks", "scene break", func(b *Break) *NodeID { return &b.Node })
	// Recaps are the versions of scene and message recaps, RunningRecaps those of the
	// running recap.
	Recaps        = chatTable("recaps", "recap", func(r *Recap) *RecapID { return &r.ID })
	RunningRecaps = chatTable("running", "running recap", func(r *Recap) *RecapID { return &r.ID })
	// LoreTurns are keyed by the newest message of their prompt.
	LoreTurns = chatTable("lore_turns", "record of triggered lore", func(t *LoreTurn) *NodeID { return &t.Node })
	// TurnRecords are keyed by the reply that they are about, Notes by the user's message that they
	// are inserted before.
	TurnRecords = chatTable("beats", "director's turn record", func(b *TurnRecord) *NodeID { return &b.Node })
	Notes       = chatTable("stage_notes", "record of stage notes", func(n *StageNotesTurn) *NodeID { return &n.Node })
	// Clocks are keyed by the message at which the story's time changes.
	Clocks = chatTable("clocks", "time of the story", func(c *Clock) *NodeID { return &c.Node })
)

// The tables about the pictures of a chat.
var (
	Batches = chatTable("batches", "batch of captures", func(b *Batch) *BatchID { return &b.ID })
	// Facts are a chat's continuity sheet.
	Facts = chatTable("continuity", "fact of the continuity sheet", func(f *Fact) *FactID { return &f.ID })
	Edits = chatTable("edits", "edit", func(e *Edit) *EditID { return &e.ID })
	// Boards are keyed by the last message of their scene. The calls of all boards of a chat are in
	// one table.
	Boards     = chatTable("storyboards", "storyboard", func(b *Board) *NodeID { return &b.Node })
	BoardCalls = chatTable("storyboard_calls", "call of a storyboard's tool",
		func(c *BoardCall) *CallID { return &c.ID })
)

// The tables of lorebooks' contents. The revisions of all entries of a book are in one table.
var (
	LoreEntries = bookTable("lore_entries", "lorebook entry", func(e *LoreEntry) *EntryID { return &e.ID })
	// LoreChanges are proposed changes that wait for the user's decision.
	LoreChanges = bookTable("lore_changes", "change to the lorebook",
		func(c *LoreChange) *LoreChangeID { return &c.ID })
	LoreRevisions = bookTable("lore_revisions", "revision", func(r *LoreRevision) *RevisionID { return &r.ID })
)

// The tables about a story's memory.
var (
	Memories = scopeTable("memories", "memory", func(m *Memory) *MemoryID { return &m.ID })
	Hooks    = scopeTable("hooks", "hook", func(h *Hook) *HookID { return &h.ID })
	Vectors  = scopeTable("vectors", "meaning of a memory", func(v *Vector) *MemoryID { return &v.Memory })
	// TasteMemories are keyed by the last message of their scene.
	TasteMemories = scopeTable("taste_memories", "memory of how a scene was directed",
		func(m *TasteMemory) *NodeID { return &m.Scene })
)

// Writable reports whether the transaction may change the store. The state that such a transaction
// reads may never be committed.
func (tx *Tx) Writable() bool { return tx.open().Writable() }

func (t OwnedTable[O, K, V]) in(tx *Tx, owner O) *bucket { return tx.inner(t.bucket, string(owner)) }

// Get returns the record, or a *NotFoundError.
func (t OwnedTable[O, K, V]) Get(tx *Tx, owner O, id K) (V, error) { return t.get(t.in(tx, owner), id) }

// Has reports whether there is such a record, without reading it.
func (t OwnedTable[O, K, V]) Has(tx *Tx, owner O, id K) bool { return t.has(t.in(tx, owner), id) }

// Any reports whether an owner has records at all.
func (t OwnedTable[O, K, V]) Any(tx *Tx, owner O) bool {
	b := t.in(tx, owner)
	return b != nil && b.last() != nil
}

// Put stores the record under its own id, replacing any earlier one. If the owner does not exist,
// it returns a *NotFoundError. For tables of stories, whose owners are of several kinds, the owner
// only needs a well-formed id.
func (t OwnedTable[O, K, V]) Put(tx *Tx, owner O, v V) error {
	id := *t.id(&v)
	if err := checkULID(string(id)); err != nil {
		return fmt.Errorf("save %s: %w", t.kind, err)
	}
	if t.of == ofStories {
		if err := checkULID(string(owner)); err != nil {
			return fmt.Errorf("save %s of %s: %w", t.kind, t.owner, err)
		}
	} else if !tx.has(t.of, string(owner)) {
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
	return t.delete(t.in(tx, owner), id)
}

// All goes through an owner's records in the order of their keys. Records that
// cannot be read are left out, see Tx.Skipped. In an Update, records may be put
// and deleted on the way.
func (t OwnedTable[O, K, V]) All(tx *Tx, owner O) iter.Seq2[K, V] {
	return t.each(tx, t.in(tx, owner), false)
}

// Backward is All from the end.
func (t OwnedTable[O, K, V]) Backward(tx *Tx, owner O) iter.Seq2[K, V] {
	return t.each(tx, t.in(tx, owner), true)
}

func (t OwnedTable[O, K, V]) owners() (bucket, owners string) { return t.bucket, t.of }

func (t OwnedTable[O, K, V]) checkAll(tx *Tx, found *CheckError) {
	if outer := tx.bucket(t.bucket); outer != nil {
		for _, owner := range outer.keys() {
			t.check(tx, outer.in(owner), " of "+t.owner+" "+owner, found)
		}
	}
}
