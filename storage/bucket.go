package storage

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// bucket is a bucket of the file as the tables use it: all keys and values of records are encoded
// and decoded here. Only the places of messages and the index of their children, which contain no
// text, are also read directly.
type bucket struct {
	raw *bolt.Bucket
	// path names it within the file: the names of the buckets down to it.
	path string
	// plain reports whether its values have no seals. That is so for meta and for every index
	// except the index of words.
	plain bool
	key   *Key // nil if the file is not encrypted
	// hidden reports whether the file is encrypted and the bucket's keys reveal text. A keyed hash
	// is then stored in place of each key, and each value begins with its own key.
	hidden bool
}

// wrap returns a bucket of the file as the tables see it.
func (k *Key) wrap(raw *bolt.Bucket, path string) *bucket {
	top, _, _ := strings.Cut(path, "/")
	return &bucket{raw: raw, path: path, plain: isIndex(top) && top != bucketWords, key: k,
		hidden: k != nil && keysRevealText(top)}
}

// keysRevealText reports whether the keys of a top-level bucket are names, words or paths.
func keysRevealText(name string) bool {
	switch name {
	case bucketSettings, bucketTexts, "profiles", bucketAssets, "moved_in":
		return true
	}
	return false
}

// bucket returns a top-level bucket, nil only in a damaged file.
func (tx *Tx) bucket(name string) *bucket {
	raw := tx.open().Bucket([]byte(name))
	if raw == nil {
		return nil
	}
	return tx.key.wrap(raw, name)
}

// inner returns the bucket of one owner, such as a chat or a lorebook, in the top-level bucket
// name; nil if there is none.
func (tx *Tx) inner(name, owner string) *bucket {
	outer := tx.open().Bucket([]byte(name))
	if outer == nil || owner == "" {
		return nil
	}
	raw := outer.Bucket([]byte(owner))
	if raw == nil {
		return nil
	}
	return tx.key.wrap(raw, name+"/"+owner)
}

// in returns a bucket in this one, nil if there is none.
func (b *bucket) in(name string) *bucket {
	raw := b.raw.Bucket([]byte(name))
	if raw == nil {
		return nil
	}
	return b.key.wrap(raw, b.path+"/"+name)
}

// make returns a bucket in this one, and creates it if necessary.
func (b *bucket) make(name string) (*bucket, error) {
	raw, err := b.raw.CreateBucketIfNotExists([]byte(name))
	if err != nil {
		return nil, err
	}
	return b.key.wrap(raw, b.path+"/"+name), nil
}

// drop removes what an owner has in some tables.
func (tx *Tx) drop(owner string, tables ...string) error {
	for _, name := range tables {
		if outer := tx.bucket(name); outer != nil && outer.in(owner) != nil {
			if err := outer.raw.DeleteBucket([]byte(owner)); err != nil {
				return err
			}
		}
	}
	return nil
}

// stored returns the key that a value is stored under.
func (b *bucket) stored(key []byte) []byte {
	if b.hidden {
		return b.key.name(b.path, key)
	}
	return key
}

// has reports whether there is a value, without reading it.
func (b *bucket) has(key []byte) bool { return b.raw.Get(b.stored(key)) != nil }

// get returns a value, nil if there is none. The value is valid until the transaction's next write.
// An unreadable value gives an ErrCorrupt.
func (b *bucket) get(key []byte) ([]byte, error) {
	at := b.stored(key)
	stored := b.raw.Get(at)
	if b.plain || stored == nil {
		return stored, nil
	}
	name, data, err := b.decode(at, stored)
	if err == nil && b.hidden && !bytes.Equal(name, key) {
		return nil, fmt.Errorf("%w: %s in %s: %w", ErrCorrupt, clip(string(key), 80), clip(b.path, 80), errSeal)
	}
	return data, err
}

// decode returns the key and the value that were put, from a stored key and its stored value.
func (b *bucket) decode(at, stored []byte) (key, value []byte, err error) {
	switch {
	case b.plain:
		return at, stored, nil
	case b.key == nil:
		value, err = unseal(b.path, at, stored)
		return at, value, err
	}
	data, err := b.key.decrypt(b.path, at, stored)
	if err != nil || !b.hidden {
		return at, data, err
	}
	n, used := binary.Uvarint(data)
	if used <= 0 || n > uint64(len(data)-used) {
		return at, nil, fmt.Errorf("%w: %s in %s: it does not say what it is", ErrCorrupt, shownKey(at),
			clip(b.path, 80))
	}
	end := used + int(n) //nolint:gosec // not more than the length
	return data[used:end], data[end:], nil
}

// put keeps a value. It must not be changed until the transaction ends. What is there
// already is not written again.
func (b *bucket) put(key, value []byte) error {
	at := b.stored(key)
	if b.raw.Writable() && b.hasValue(at, key, value) {
		return nil
	}
	return b.raw.Put(at, b.encode(at, key, value))
}

// hasValue reports whether value is stored for key under the stored key at, and can be read.
func (b *bucket) hasValue(at, key, value []byte) bool {
	stored := b.raw.Get(at)
	if stored == nil {
		return false
	}
	name, was, err := b.decode(at, stored)
	return err == nil && bytes.Equal(was, value) && (!b.hidden || bytes.Equal(name, key))
}

// encode returns a value in its stored form.
func (b *bucket) encode(at, key, value []byte) []byte {
	switch {
	case b.plain:
		return value
	case b.key == nil:
		return seal(b.path, at, value)
	case b.hidden:
		value = append(append(binary.AppendUvarint(nil, uint64(len(key))), key...), value...)
	}
	return b.key.encrypt(b.path, at, value)
}

// remove removes a value, if there is one.
func (b *bucket) remove(key []byte) error { return b.raw.Delete(b.stored(key)) }

// last returns the last key, nil in an empty bucket. It must not be used on a bucket whose keys are
// hidden.
func (b *bucket) last() []byte {
	k, _ := b.raw.Cursor().Last()
	return k
}

// keys returns all keys in order, those of buckets in this one too. Of hidden ones those are
// missing whose values cannot be read.
func (b *bucket) keys() []string {
	var keys []string
	if b.hidden && !isNested(b.path) {
		for _, v := range b.decodedValues() {
			if v.err == nil {
				keys = append(keys, string(v.key))
			}
		}
		return keys
	}
	c := b.raw.Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		keys = append(keys, string(k))
	}
	return keys
}

// decodedValues returns the values of a bucket whose keys are hidden, read, in the order of their keys.
func (b *bucket) decodedValues() (list []value) {
	c := b.raw.Cursor()
	for k, stored := c.First(); k != nil; k, stored = c.Next() {
		if stored == nil {
			continue
		}
		key, data, err := b.decode(k, stored)
		if err != nil {
			key = []byte(shownKey(k))
		}
		list = append(list, value{of: b, key: bytes.Clone(key), stored: stored, data: data, err: err})
	}
	slices.SortFunc(list, func(a, b value) int { return bytes.Compare(a.key, b.key) })
	return list
}

// count returns how many keys there are; of no bucket there are none.
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
		if b.hidden {
			for _, k := range b.keys() {
				if k >= string(from) && !yield([]byte(k)) {
					return
				}
			}
			return
		}
		c := b.raw.Cursor()
		for k, _ := c.Seek(from); k != nil; k, _ = c.Next() {
			if !yield(k) {
				return
			}
		}
	}
}

// value is one value of a bucket in its stored form.
type value struct {
	of     *bucket
	key    []byte
	stored []byte
	data   []byte // set only if the key is hidden: the value was decoded to get its key
	err    error
}

// read returns the decoded value.
func (v value) read() ([]byte, error) {
	if v.of.hidden {
		return v.data, v.err
	}
	_, data, err := v.of.decode(v.key, v.stored)
	return data, err
}

// size returns how many bytes that are.
func (v value) size() int {
	switch {
	case v.of.plain:
		return len(v.stored)
	case v.of.hidden:
		return len(v.data)
	case v.of.key != nil:
		return max(0, len(v.stored)-sealOverhead)
	}
	return max(0, len(v.stored)-sealSize)
}

// values iterates over the undecoded values of a bucket, in the order of their keys or backward. A
// nil bucket has none. A bbolt cursor loses its place when its bucket changes, so a writing
// transaction iterates over a list of keys instead.
func (tx *Tx) values(b *bucket, backward bool) iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		switch {
		case b == nil:
		case b.hidden:
			b.eachDecoded(tx.open().Writable(), backward, yield)
		case tx.open().Writable():
			keys := b.keys()
			if backward {
				slices.Reverse(keys)
			}
			for _, k := range keys {
				key := []byte(k)
				if v := b.raw.Get(key); v != nil && !yield(k, value{of: b, key: key, stored: v}) {
					return
				}
			}
		default:
			c := b.raw.Cursor()
			first, next := c.First, c.Next
			if backward {
				first, next = c.Last, c.Prev
			}
			for k, v := first(); k != nil; k, v = next() {
				if v != nil && !yield(string(k), value{of: b, key: k, stored: v}) {
					return
				}
			}
		}
	}
}

// eachDecoded is values for a bucket whose keys are hidden.
func (b *bucket) eachDecoded(changes, backward bool, yield func(string, value) bool) {
	list := b.decodedValues()
	if backward {
		slices.Reverse(list)
	}
	for _, v := range list {
		if changes && v.err == nil { // it may be another by now, or gone
			data, err := b.get(v.key)
			if v.data, v.err = data, err; data == nil && err == nil {
				continue
			}
		}
		if !yield(string(v.key), v) {
			return
		}
	}
}

// entries iterates over a bucket's decoded values in the same way as values. Unreadable ones are
// left out, see Tx.Skipped.
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

// has reports whether there is such a value, without reading it.
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
	var stored error
	err := encoded(v, func(data []byte) error {
		if b != nil && b.plain {
			data = bytes.Clone(data) // it is stored unchanged, and not copied into a sealed value
		}
		stored = b.putBytes(kind, key, data)
		return nil
	})
	if err != nil {
		return fmt.Errorf("save %s: %w", kind, err)
	}
	return stored
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
