package storage

import (
	"strings"

	bolt "go.etcd.io/bbolt"
)

// keySealed is in meta: sealedAll, or up to which place the values have their seals.
const (
	keySealed  = "sealed"
	sealedAll  = "all"
	sealedUpTo = "to " // a place follows; none where nothing is sealed yet
)

// sealValues is how many values, and a fourth of that in kilobytes, one transaction of
// sealAll takes on at most.
const sealValues = 32 << 10

// hasSeals reports whether all values of a file have seals.
func hasSeals(tx *bolt.Tx) bool {
	meta := tx.Bucket([]byte(bucketMeta))
	return meta != nil && string(meta.Get([]byte(keySealed))) == sealedAll
}

// sealRoom brings a file of version 8 to version 9: it is noted that its values have no
// seals yet, see sealAll. Every table is there from now on, empty ones too: one that is
// missing was lost.
func sealRoom(tx *bolt.Tx) error {
	for _, name := range lateBuckets() {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	meta, err := tx.CreateBucketIfNotExists([]byte(bucketMeta))
	if err != nil || meta.Get([]byte(keySealed)) != nil {
		return err
	}
	return meta.Put([]byte(keySealed), []byte(sealedUpTo))
}

// isIndex tells of a top-level bucket whose values have no seals.
func isIndex(name string) bool {
	return name == bucketMeta || name == bucketChildren || name == bucketSpine || name == bucketWords
}

// sealAll gives all values of a file their seals, where they have none, and goes on where
// it was interrupted. It takes several transactions, so that a large file does not have to
// fit into memory.
func (s *Store) sealAll() error {
	done := false
	err := s.read(func(tx *bolt.Tx) error { done = hasSeals(tx); return nil })
	if err != nil {
		return ioError("open", err)
	}
	for !done {
		err := s.write(func(tx *bolt.Tx) error {
			meta := tx.Bucket([]byte(bucketMeta))
			if meta == nil {
				done = true
				return nil
			}
			from, open := strings.CutPrefix(string(meta.Get([]byte(keySealed))), sealedUpTo)
			if !open {
				done = true
				return nil
			}
			state := sealedAll
			if to, err := sealSome(tx, from, sealValues); err != nil {
				return err
			} else if to != "" {
				state = sealedUpTo + to
			}
			return meta.Put([]byte(keySealed), []byte(state))
		})
		if err != nil {
			return ioError("give the records of the data file their checksums", err)
		}
	}
	return nil
}

// shelfOf is a bucket that holds values: a table, or what is one owner's in one.
type shelfOf struct {
	top, owner string
	b          *bolt.Bucket
}

// path names the bucket, as bucket.path does.
func (h shelfOf) path() string {
	if h.owner == "" {
		return h.top
	}
	return h.top + "/" + h.owner
}

// place is where a value stands; "" is before all.
func (h shelfOf) place(key string) string { return h.top + "\x00" + h.owner + "\x00" + key }

// sealedBuckets are all buckets that hold sealed values, in the order of their places.
func sealedBuckets(tx *bolt.Tx) (list []shelfOf, err error) {
	err = tx.ForEach(func(name []byte, b *bolt.Bucket) error {
		if isIndex(string(name)) {
			return nil
		}
		if isNested(string(name)) {
			for _, owner := range (&bucket{raw: b}).keys() {
				if inner := b.Bucket([]byte(owner)); inner != nil {
					list = append(list, shelfOf{string(name), owner, inner})
				}
			}
			return nil
		}
		list = append(list, shelfOf{string(name), "", b})
		return nil
	})
	return list, err
}

// sealSome seals the next values behind a place, and returns the place of the last; "" at
// the end of the file. most bounds how many.
func sealSome(tx *bolt.Tx, from string, most int) (to string, err error) {
	shelves, err := sealedBuckets(tx)
	if err != nil {
		return "", err
	}
	values, size := 0, 0
	for _, h := range shelves {
		if values >= most || size >= most<<8 {
			return to, nil
		}
		begin := h.place("")
		if !strings.HasPrefix(from, begin) && begin < from {
			continue
		}
		path := h.path()
		var keys, puts [][]byte
		c := h.b.Cursor()
		k, v := c.First()
		if after, here := strings.CutPrefix(from, begin); here {
			k, v = c.Seek([]byte(after + "\x00"))
		}
		for ; k != nil && values < most && size < most<<8; k, v = c.Next() {
			keys, puts = append(keys, append([]byte(nil), k...)), append(puts, seal(path, k, v))
			values, size = values+1, size+len(v)
		}
		ended := k == nil
		h.b.FillPercent = fullPages // they go in by order
		for i, key := range keys {
			if err := h.b.Put(key, puts[i]); err != nil {
				return "", err
			}
		}
		if len(keys) > 0 {
			to = h.place(string(keys[len(keys)-1]))
		}
		if !ended {
			return to, nil
		}
	}
	return "", nil
}
