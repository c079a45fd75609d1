package storage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// maxFaults is the maximum number of faults that a CheckError lists.
const maxFaults = 20

// CheckError lists what Check found. It is an ErrCorrupt.
type CheckError struct {
	Faults []string // at most 20
	More   int      // number of further faults
}

func (e *CheckError) Error() string {
	text := strings.Join(e.Faults, "; ")
	if e.More > 0 {
		text += fmt.Sprintf("; and %d more", e.More)
	}
	return fmt.Sprintf("%v: %s", ErrCorrupt, text)
}

// Is makes errors.Is(err, ErrCorrupt) true.
func (e *CheckError) Is(target error) bool { return target == ErrCorrupt }

func (e *CheckError) add(format string, args ...any) {
	if len(e.Faults) == maxFaults {
		e.More++
		return
	}
	e.Faults = append(e.Faults, clip(fmt.Sprintf(format, args...), 300))
}

// Check verifies the whole file: that its pages are sound, that every record is intact and stored
// under its own id, that every message's parent exists and has a matching depth and index, and that
// every chat's head exists. It returns nil, a *CheckError, or an error if the file cannot be read.
// Writers wait for it. It changes nothing.
func (s *Store) Check() error {
	// No writer may move pages meanwhile, so the check runs as a writer if there can be one.
	within := s.write
	if s.db.IsReadOnly() {
		within = s.read
	}
	var found *CheckError
	err := within(func(tx *bolt.Tx) error {
		found = &CheckError{}
		checkPages(s.file, found)
		// A broken page could end the program in what follows.
		if len(found.Faults) == 0 {
			if s.fell {
				found.add("%s", headFallbackText)
			}
			t := &Tx{tx: tx, key: s.key}
			t.checkHeadFallback(found)
			t.checkShape(found)
			t.checkTables(found)
			t.checkTrees(found)
		}
		return errUnchanged
	})
	switch {
	case err != errUnchanged:
		return ioError("check", err)
	case len(found.Faults) > 0:
		return found
	}
	return nil
}

// readable goes through a bucket's values, and finds those that cannot be read.
func (tx *Tx) readable(b *bucket, kind string, found *CheckError) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for k, v := range tx.values(b, false) {
			data, err := v.read()
			if err != nil {
				found.add("%s %s cannot be read: %v", kind, k, err)
			} else if !yield(k, data) {
				return
			}
		}
	}
}

func (tx *Tx) checkTables(found *CheckError) {
	for _, t := range recordTables {
		t.checkAll(tx, found)
	}
	for k, v := range tx.readable(tx.bucket(bucketSettings), "setting", found) {
		if !json.Valid(v) {
			found.add("setting %s cannot be read", k)
		}
	}
	tx.checkBytes(tx.bucket(bucketAvatars), bucketAvatars, found)
	for _, name := range []string{bucketTexts, bucketAssets} {
		if outer := tx.bucket(name); outer != nil {
			for _, owner := range outer.keys() {
				tx.checkBytes(outer.in(owner), name, found)
			}
		}
	}
}

// checkBytes looks at values that are no records.
func (tx *Tx) checkBytes(b *bucket, kind string, found *CheckError) {
	for range tx.readable(b, kind, found) {
	}
}

// checkShape verifies that all tables exist and contain entries of the right kind only: nothing
// would ever read the others.
func (tx *Tx) checkShape(found *CheckError) {
	for _, name := range tables() {
		b := tx.open().Bucket([]byte(name))
		if b == nil {
			found.add("the table %s is missing", name)
			continue
		}
		nested, strange := isNested(name), 0
		c := b.Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			if (v == nil) != nested {
				strange++
			} else if inner := b.Bucket(k); nested && !isIndex(name) {
				in := inner.Cursor()
				for k, v := in.First(); k != nil; k, v = in.Next() {
					if v == nil {
						strange++
					}
				}
			}
		}
		if strange > 0 {
			found.add("the table %s has %d entries that do not belong into it", name, strange)
		}
	}
}

func (tx *Tx) checkTrees(found *CheckError) {
	coming := staged(tx.open())
	for _, bucket := range tablesOf(ofChats) {
		b := tx.bucket(bucket)
		if b == nil {
			continue
		}
		for _, chat := range b.keys() {
			if slices.Contains(coming, ChatID(chat)) {
				continue
			}
			if !tx.has(bucketChats, chat) {
				found.add("%s of a chat %s that does not exist", bucket, chat)
			} else if tx.tree(ChatID(chat)).nodes == nil {
				found.add("chat %s lacks its messages, their index or their places", chat)
			}
		}
	}
	for id, chat := range Chats.All(tx) {
		t := tx.tree(id)
		if chat.Head != "" && !t.has(chat.Head) {
			found.add("chat %s stands on a message %s that does not exist", id, chat.Head)
		}
		if t.nodes != nil {
			t.check(tx, found)
		}
	}
}

// check compares one chat's messages with each other and with the index.
func (t tree) check(tx *Tx, found *CheckError) {
	places := map[NodeID]NodeInfo{}
	for k, data := range tx.readable(t.nodes, kindNode, found) {
		id := NodeID(k)
		n, err := t.decode(id, data)
		if err != nil {
			found.add("%v", err)
			continue
		}
		if n.ID != id || checkULID(string(id)) != nil {
			found.add("message %q of chat %s names itself %q", id, t.chat, n.ID)
		}
		places[id] = placeOf(n)
		if !bytes.Equal(t.places.Get([]byte(id)), places[id].encode()) {
			found.add("the place of message %s of chat %s is not what it says itself", id, t.chat)
		}
	}
	for id, p := range places {
		want := 0
		if p.Parent != "" {
			parent, ok := places[p.Parent]
			if !ok {
				found.add("message %s of chat %s has a parent %s that does not exist", id, t.chat, p.Parent)
				continue
			}
			want = parent.Depth + 1
		}
		if p.Depth != want {
			found.add("message %s of chat %s has depth %d instead of %d", id, t.chat, p.Depth, want)
		}
	}
	c := t.places.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		if _, ok := places[NodeID(k)]; !ok {
			found.add("chat %s has a place for a message %q that cannot be read or does not exist", t.chat, k)
		}
	}
	t.checkIndex(places, found)
}

func (t tree) checkIndex(places map[NodeID]NodeInfo, found *CheckError) {
	indexed := 0
	c := t.kids.Cursor()
	for k, v := c.First(); k != nil; k, v = c.Next() {
		parent, child, _ := strings.Cut(string(k), "\x00")
		p, ok := places[NodeID(child)]
		if !ok || string(p.Parent) != parent {
			found.add("the index of chat %s has %s below %q, where it is not", t.chat, child, parent)
			continue
		}
		indexed++
		if p.Deleted != (string(v) == markDeleted) || !p.Deleted && len(v) > 0 {
			found.add("the index of chat %s is wrong about whether %s is deleted", t.chat, child)
		}
	}
	if indexed < len(places) {
		found.add("%d messages are missing in the index of chat %s", len(places)-indexed, t.chat)
	}
}
