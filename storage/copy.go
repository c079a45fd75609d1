package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// recordWriter writes values in their stored form into a store that is not in use yet, several
// megabytes per transaction.
type recordWriter struct {
	to   *Store
	list []record
	size int
}

type record struct {
	path        string // of its bucket
	key, stored []byte
}

func (w *recordWriter) put(path string, key, stored []byte) error {
	w.list = append(w.list, record{path, bytes.Clone(key), bytes.Clone(stored)})
	if w.size += len(key) + len(stored); w.size < 8<<20 {
		return nil
	}
	return w.flush()
}

// flush stores the collected values.
func (w *recordWriter) flush() error {
	err := w.to.Update(func(tx *Tx) error {
		for _, r := range w.list {
			b, err := tx.at(r.path)
			if err == nil {
				err = b.raw.Put(r.key, r.stored)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.list, w.size = w.list[:0], 0
	return err
}

// at returns the bucket of a path, and creates it if necessary.
func (tx *Tx) at(path string) (*bucket, error) {
	top, owner, nested := strings.Cut(path, "/")
	raw, err := tx.open().CreateBucketIfNotExists([]byte(top))
	if err == nil && nested {
		raw, err = raw.CreateBucketIfNotExists([]byte(owner))
	}
	if err != nil {
		return nil, err
	}
	raw.FillPercent = fullPages
	return tx.key.wrap(raw, path), nil
}

// buckets returns the buckets that hold values: top-level tables, or the owners' buckets in them.
// The index of words is left out.
func (tx *Tx) buckets() iter.Seq[*bucket] {
	return func(yield func(*bucket) bool) {
		for _, name := range tables() {
			b := tx.bucket(name)
			if b == nil || name == bucketWords {
				continue
			}
			if !isNested(name) {
				if !yield(b) {
					return
				}
				continue
			}
			for _, owner := range b.keys() {
				if inner := b.in(owner); inner != nil && !yield(inner) {
					return
				}
			}
		}
	}
}

// newStoreUnder creates a data file with the encryption of u.
func newStoreUnder(path string, u CopyEncryption) (*Store, error) {
	s, err := Open(path, Options{})
	if err != nil || u.Key == nil {
		return s, err
	}
	if err := s.encryptEmpty(u); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// CopyEncrypted writes a copy of the store to dst, with the encryption of u and without unused
// pages. dst must not exist. The search index of words is left out; it is built again. Every value
// is read: a damaged one makes it return an ErrCorrupt.
func (s *Store) CopyEncrypted(dst string, u CopyEncryption) (err error) {
	if _, err := os.Lstat(dst); err == nil {
		return fmt.Errorf("copy: %s: %w", dst, fs.ErrExist)
	}
	to, err := newStoreUnder(dst, u)
	if err != nil {
		return ioError("copy", err)
	}
	defer func() {
		if err = errors.Join(err, to.Close()); err != nil {
			_ = os.Remove(dst)
		}
	}()
	w := recordWriter{to: to}
	err = s.View(func(tx *Tx) error {
		for b := range tx.buckets() {
			as := u.Key.wrap(nil, b.path)
			for name, v := range tx.values(b, false) {
				data, err := v.read()
				if err != nil {
					return err
				}
				key := as.stored([]byte(name))
				if err := w.put(b.path, key, as.encode(key, []byte(name), data)); err != nil {
					return err
				}
			}
		}
		if err := w.flush(); err != nil {
			return err
		}
		return to.write(func(b *bolt.Tx) error {
			return copyMeta(tx.open().Bucket([]byte(bucketMeta)), b.Bucket([]byte(bucketMeta)))
		})
	})
	return ioError("copy", err)
}

// copyMeta copies what a file says of itself, but for how it is encrypted.
func copyMeta(from, to *bolt.Bucket) error {
	return from.ForEach(func(k, v []byte) error {
		switch string(k) {
		case keySchema, keyWrapped, keyFiles:
			return nil
		}
		return to.Put(k, v)
	})
}
