package storage

import (
	"bytes"
	"fmt"
	"iter"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// bucket is a bucket of the file as the tables see it: whatever a record is stored as,
// its key and its value go in and come out through here. Only the places of messages and
// the index of their children, which hold no word of anybody's, are read beside it.
type bucket struct {
	raw *bolt.Bucket
	// path names it within the file: the names of the buckets down to it.
	path string
	// plain is whether its values have no seals: of an index.
	plain bool
}

// bucket is nil only in a damaged file, and where a bucket is made late.
func (tx *Tx) bucket(name string) *bucket {
	raw := tx.tx.Bucket([]byte(name))
	if raw == nil {
		return nil
	}
	return &bucket{raw: raw, path: name, plain: isIndex(name)}
}

// make returns a top-level bucket, made where it is not there.
func (tx *Tx) make(name string) (*bucket, error) {
	raw, err := tx.tx.CreateBucketIfNotExists([]byte(name))
	if err != nil {
		return nil, err
	}
	return &bucket{raw: raw, path: name, plain: isIndex(name)}, nil
}

// inner is the own bucket of a chat or a lorebook in one of theirs, nil where it has none.
func (tx *Tx) inner(name, owner string) *bucket {
	outer := tx.tx.Bucket([]byte(name))
	if outer == nil || owner == "" {
		return nil
	}
	raw := outer.Bucket([]byte(owner))
	if raw == nil {
		return nil
	}
	return &bucket{raw: raw, path: name + "/" + owner, plain: isIndex(name)}
}

// in is a bucket in this one, nil where there is none.
func (b *bucket) in(name string) *bucket {
	raw := b.raw.Bucket([]byte(name))
	if raw == nil {
		return nil
	}
	return &bucket{raw: raw, path: b.path + "/" + name, plain: b.plain}
}

// make returns a bucket in this one, made where it is not there.
func (b *bucket) make(name string) (*bucket, error) {
	raw, err := b.raw.CreateBucketIfNotExists([]byte(name))
	if err != nil {
		return nil, err
	}
	return &bucket{raw: raw, path: b.path + "/" + name, plain: b.plain}, nil
}

// drop removes a bucket in this one.
func (b *bucket) drop(name string) error { return b.raw.DeleteBucket([]byte(name)) }

// has tells whether there is a value, without reading it.
func (b *bucket) has(key []byte) bool { return b.raw.Get(key) != nil }

// get returns a value, nil where there is none, good until the transaction's next write.
// An ErrCorrupt where it cannot be read.
func (b *bucket) get(key []byte) ([]byte, error) { return b.open(key, b.raw.Get(key)) }

// open makes of what is stored under a key the value that was put there.
func (b *bucket) open(key, stored []byte) ([]byte, error) {
	if b.plain || stored == nil {
		return stored, nil
	}
	return unseal(b.path, key, stored)
}

// put keeps a value. It must not be changed until the transaction ends.
func (b *bucket) put(key, value []byte) error {
	if b.plain {
		return b.raw.Put(key, value)
	}
	return b.raw.Put(key, seal(b.path, key, value))
}

// remove removes a value, if there is one.
func (b *bucket) remove(key []byte) error { return b.raw.Delete(key) }

// last is the last key, nil in an empty bucket.
func (b *bucket) last() []byte {
	k, _ := b.raw.Cursor().Last()
	return k
}

// keys are all keys in order, those of buckets in this one too.
func (b *bucket) keys() []string {
	var keys []string
	c := b.raw.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		keys = append(keys, string(k))
	}
	return keys
}

// count is how many keys there are; of no bucket there are none.
func (b *bucket) count() (n int) {
	if b == nil {
		return 0
	}
	c := b.raw.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		n++
	}
	return n
}

// after gives the keys that come at from or behind it, in order. The bucket must not
// change on the way.
func (b *bucket) after(from []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		c := b.raw.Cursor()
		for k, _ := c.Seek(from); k != nil; k, _ = c.Next() {
			if !yield(k) {
				return
			}
		}
	}
}

// size is how large the value is that is stored so.
func (b *bucket) size(stored []byte) int {
	if b.plain {
		return len(stored)
	}
	return max(0, len(stored)-sealSize)
}

// value is one value of a bucket, as it is stored.
type value struct {
	of     *bucket
	key    []byte
	stored []byte
}

// read is what was put.
func (v value) read() ([]byte, error) { return v.of.open(v.key, v.stored) }

// size is how many bytes that are.
func (v value) size() int { return v.of.size(v.stored) }

// values goes through the values of a bucket, unread, in the order of their keys or from
// the last one to the first. Of no bucket there are none. A bbolt cursor loses its place
// when the bucket changes under it, so a writing transaction goes by a list of keys.
func (tx *Tx) values(b *bucket, backward bool) iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		if b == nil {
			return
		}
		if tx.tx.Writable() {
			keys := b.keys()
			if backward {
				slices.Reverse(keys)
			}
			for _, k := range keys {
				key := []byte(k)
				if v := b.raw.Get(key); v != nil && !yield(k, value{b, key, v}) {
					return
				}
			}
			return
		}
		c := b.raw.Cursor()
		first, next := c.First, c.Next
		if backward {
			first, next = c.Last, c.Prev
		}
		for k, v := first(); k != nil; k, v = next() {
			if v != nil && !yield(string(k), value{b, k, v}) {
				return
			}
		}
	}
}

// entries goes through a bucket's values likewise, and reads them. Those that cannot be
// read are left out, see Tx.Skipped.
func (tx *Tx) entries(b *bucket, backward bool) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for k, v := range tx.values(b, backward) {
			data, err := v.read()
			if err != nil {
				tx.skipped = append(tx.skipped, err)
				continue
			}
			if !yield(k, data) {
				return
			}
		}
	}
}

// get returns the value of a key in a top-level bucket, as bucket.get does.
func (tx *Tx) get(name, key string) ([]byte, error) {
	b := tx.bucket(name)
	if b == nil || key == "" {
		return nil, nil
	}
	return b.get([]byte(key))
}

// has tells whether there is such a value, without reading it.
func (tx *Tx) has(name, key string) bool {
	b := tx.bucket(name)
	return b != nil && key != "" && b.has([]byte(key))
}

// put stores v as JSON.
func (tx *Tx) put(name, kind, key string, v any) error {
	return tx.bucket(name).putJSON(kind, key, v)
}

// putJSON stores v as JSON in a bucket, which may be nil.
func (b *bucket) putJSON(kind, key string, v any) error {
	data, err := encode(v)
	if err != nil {
		return fmt.Errorf("save %s: %w", kind, err)
	}
	return b.putBytes(kind, key, data)
}

// putBytes stores data in a bucket, which may be nil.
func (b *bucket) putBytes(kind, key string, data []byte) error {
	if b == nil {
		return fmt.Errorf("save %s: %w: its table is missing", kind, ErrCorrupt)
	}
	if len(data) > MaxRecord {
		return fmt.Errorf("save %s: %w: %d MB", kind, ErrTooLarge, len(data)>>20)
	}
	return ioError("save "+kind, b.put([]byte(key), data))
}

// eachWord gives the words of a shelf that begin with a text, with their places. The
// bucket must not change on the way.
func (b *bucket) eachWord(shelf uint32, begin string, yield func(word, places []byte)) {
	prefix := shelfKey(shelf, 'w')
	none := len(prefix)
	prefix = append(prefix, begin...)
	c := b.raw.Cursor()
	for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
		yield(k[none:], v)
	}
}
