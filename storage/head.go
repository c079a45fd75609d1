package storage

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"time"

	bolt "go.etcd.io/bbolt"
)

// bbolt keeps two heads of a file, the newer one and the one before it. If the newer one cannot be
// read, it silently uses the older one: the last transaction is then lost. The heads follow the
// page headers of the first two pages.
const (
	headAt    = 16
	headMagic = 0xED0CDAED
	headSum   = 56 // FNV-1a of all before it
	headSize  = 64
)

// head is a parsed head.
type head struct {
	size int    // of a page
	root uint64 // the page of the root
	free uint64 // the page of the list of free pages
	high uint64 // the number of pages; all page numbers are below it
	tx   uint64 // the number of its transaction
}

// keyHeadFallback is in meta: when a file was opened whose newer head could not be read.
const keyHeadFallback = "fell"

// readHead reads a head behind a page's header; sound reports whether it can be relied on.
func readHead(r io.ReaderAt, page int64) (h head, sound bool) {
	b := make([]byte, headSize)
	if _, err := r.ReadAt(b, page+headAt); err != nil {
		return h, false
	}
	sum := fnv.New64a()
	_, _ = sum.Write(b[:headSum]) // a hash takes everything
	word := func(at int) uint64 { return binary.NativeEndian.Uint64(b[at:]) }
	h = head{size: int(binary.NativeEndian.Uint32(b[8:])), root: word(16), free: word(32), high: word(40), tx: word(48)}
	return h, binary.NativeEndian.Uint32(b) == headMagic && word(headSum) == sum.Sum64()
}

// lostHead reports whether a file's newer head cannot be read. The older one is no loss: it is
// written over next.
func lostHead(r io.ReaderAt, pageSize int) bool {
	one, sound := readHead(r, 0)
	two, alsoSound := readHead(r, int64(pageSize))
	switch {
	case sound && !alsoSound:
		return two.tx != one.tx-1
	case alsoSound && !sound:
		return one.tx != two.tx-1
	}
	return false
}

// recordHeadFallback records that the newer head was lost, so that Check can report it.
func (s *Store) recordHeadFallback() error {
	err := s.write(func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(keyHeadFallback),
			time.Now().UTC().AppendFormat(nil, time.RFC3339))
	})
	return ioError("note a damage of the data file", err)
}

// checkHeadFallback reports a lost head that was recorded earlier.
func (tx *Tx) checkHeadFallback(found *CheckError) {
	if meta := tx.open().Bucket([]byte(bucketMeta)); meta != nil {
		if at := meta.Get([]byte(keyHeadFallback)); at != nil {
			when := string(at)
			if t, err := time.Parse(time.RFC3339, when); err == nil {
				when = t.Local().Format("2 Jan 2006 15:04")
			}
			found.add("on %s %s", when, headFallbackText)
		}
	}
}

// headFallbackText describes the damage of a file whose newer head could not be read.
const headFallbackText = "the head of the file could not be read, and the one before it was taken: " +
	"the change that was made last before then may be missing"
