package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// Lost is a record that could not be read. Backup is the backup that an older version of it was
// restored from, "" if it is gone.
type Lost struct {
	Table  string
	Owner  string // the chat, book or story that it belonged to, "" for none
	Key    string
	Backup string
}

// Salvaged is the result of Salvage.
type Salvaged struct {
	Kept int // records that were read
	Lost []Lost
	// Gaps is the number of places that could not be read. The records there are known only as far
	// as other places or a backup mention them.
	Gaps int
}

// salvage is the state of a running Salvage.
type salvage struct {
	out    recordWriter
	key    *Key // the key of the damaged file and of the new one, nil if they are not encrypted
	unlock Unlock
	staged func(chat string) bool // reports whether a chat was still being stored, and so not visible yet
	err    error                  // of storing records

	got    Salvaged
	lost   map[string]int  // in got.Lost, by valueName
	read   map[string]bool // the paths with records that were read
	gaps   []keyRange      // ranges of keys whose missing records are taken from a backup
	places map[ChatID][]NodeInfo
}

// Salvage copies every readable record of the damaged data file at from into a new file at to. It
// only reads from. A lost record is taken from the first of the backups that has it. A message
// whose place is known but whose text is lost is replaced by an empty one that says so. The file at
// to passes Check. The caller makes sure that nobody writes to from. An encrypted file stays
// encrypted: unlock returns its key, and the keys of backups that have other ones. Salvage returns
// an ErrCorrupt if nothing at all can be read, and no backup has anything.
func Salvage(from, to string, backups []string, unlock Unlock) (got Salvaged, err error) {
	f, err := os.Open(from)
	if err != nil {
		return got, fmt.Errorf("repair: %w", err)
	}
	defer func() { _ = f.Close() }() // was only read
	meta, _ := metaOf(from)          // empty if the head cannot be read
	u, err := salvagedUnder(from, meta, backups, unlock)
	if err != nil {
		return got, fmt.Errorf("repair: %w", err)
	}
	store, err := newStoreUnder(to, u)
	if err != nil {
		return got, fmt.Errorf("repair: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	s := &salvage{out: recordWriter{to: store}, key: u.Key, unlock: KeyOr(u.Key, unlock),
		lost: map[string]int{}, read: map[string]bool{}, places: map[ChatID][]NodeInfo{},
		staged: func(chat string) bool { return meta[keyStaged+chat] != nil }}
	if err := s.readAll(f); err != nil {
		return got, ioError("repair", err)
	}
	for _, b := range backups {
		if err := errors.Join(s.countLostMessages(), s.fill(b)); err != nil {
			return got, ioError("repair", err)
		}
	}
	if err := store.Update(s.repair); err != nil {
		return got, ioError("repair", err)
	}
	filled := func(l Lost) bool { return l.Backup != "" }
	if s.got.Kept == 0 && !slices.ContainsFunc(s.got.Lost, filled) {
		return got, fmt.Errorf("repair: %w, and no backup has one: move it away to start afresh",
			corrupt(from, errors.New("no record of it can be read")))
	}
	return s.got, store.Check()
}

// salvagedUnder returns the encryption of a damaged file. If the file's wrapped key is lost, it uses the
// copy beside the file, or the newest backup's.
func salvagedUnder(path string, meta map[string][]byte, backups []string, unlock Unlock) (u CopyEncryption, err error) {
	_, encrypted, known := readVersion(meta[keySchema])
	encrypted = encrypted || meta[keyWrapped] != nil
	if known && !encrypted {
		return u, nil
	}
	u.Files = FilesLeft(meta[keyFiles])
	if !known {
		u.Files = FilesToClose // some may not be encrypted yet
	}
	if u.WrappedKey, err = readWrappedKey(meta[keyWrapped]); err != nil {
		u.WrappedKey, _ = WrappedKeyBeside(path)
	}
	for _, b := range backups {
		if u.WrappedKey.ID == "" {
			u.WrappedKey, _, _ = WrappedKeyOf(b) // the next one may have it
		}
	}
	switch {
	case u.WrappedKey.ID == "" && encrypted:
		return u, fmt.Errorf("%w: neither the file nor the copy beside it nor a backup has one that is whole",
			ErrKeyRecord)
	case u.WrappedKey.ID == "":
		return CopyEncryption{}, nil // nothing shows that it was encrypted
	case unlock == nil:
		return u, ErrNoPassphrase
	}
	u.Key, err = unlock(u.WrappedKey)
	return u, err
}

// readAll copies what can be read, and notes what cannot.
func (s *salvage) readAll(f io.ReaderAt) error {
	fault := func(at keyRange, _ error) {
		s.got.Gaps++
		s.addDoubt(at)
	}
	if p, err := openPages(f); err != nil {
		fault(keyRange{}, err)
	} else {
		w := pageWalk{pages: p, rescue: true, fault: fault,
			visit: func(at keyRange, e element) bool { return s.visit(at, e, fault) }}
		w.descend(p.root, keyRange{})
	}
	for name := range s.lost {
		path, _, _ := strings.Cut(name, "\x00")
		if top, _, nested := strings.Cut(path, "/"); nested && !s.read[path] {
			s.addDoubt(keyRange{path: top}) // it may be the owner's name that is damaged
		}
	}
	return errors.Join(s.err, s.out.flush())
}

// visit handles an element of a leaf. It copies a record, and returns true for a bucket that
// contains records.
func (s *salvage) visit(at keyRange, e element, fault func(keyRange, error)) (enter bool) {
	name := string(e.key)
	top, owner, isOwners := strings.Cut(at.path, "/")
	switch {
	case at.path == "":
		if e.bucket && slices.Contains(tables(), name) {
			return !isIndex(name) || name == bucketPlaces
		}
		if name != bucketMeta {
			fault(at, nil)
		}
	case isNested(top) && !isOwners:
		if e.bucket && (top == bucketTexts || checkULID(name) == nil) {
			return !s.staged(name)
		}
		fault(at, nil)
	case top == bucketPlaces:
		p, err := decodePlace(NodeID(name), e.value)
		if err == nil && checkULID(name) == nil && (p.Parent == "" || checkULID(string(p.Parent)) == nil) {
			s.places[ChatID(owner)] = append(s.places[ChatID(owner)], p)
		}
	default:
		_, _, err := s.key.wrap(nil, at.path).decode(e.key, e.value)
		if err != nil || e.bucket {
			s.addLost(at.path, e.key)
			s.addDoubt(at) // it may be its key that is damaged
		} else if s.err == nil {
			s.got.Kept++
			s.read[at.path] = true
			s.err = s.out.put(at.path, e.key, e.value)
		}
	}
	return false
}

// addDoubt marks a range of keys whose missing records are to be taken from a backup.
func (s *salvage) addDoubt(at keyRange) {
	s.gaps = append(s.gaps, keyRange{at.path, bytes.Clone(at.lo), bytes.Clone(at.hi)})
}

// addLost notes a value that cannot be read, by its stored key.
func (s *salvage) addLost(path string, key []byte) {
	top, owner, _ := strings.Cut(path, "/")
	if _, known := s.lost[valueName(path, key)]; !known {
		s.lost[valueName(path, key)] = len(s.got.Lost)
		s.got.Lost = append(s.got.Lost, Lost{Table: top, Owner: owner, Key: shownKey(key)})
	}
}

// valueName names a value by its path and its stored key.
func valueName(path string, key []byte) string { return path + "\x00" + string(key) }

// covers reports whether a value has its place in the range, or in a bucket that has.
func (g keyRange) covers(path string, key []byte) bool {
	next := key // the key in the range's bucket that leads to the value
	if path != g.path {
		rest, below := strings.CutPrefix(path, g.path)
		if !below || g.path != "" && rest[0] != '/' {
			return false
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
		next = []byte(name)
	}
	return bytes.Compare(next, g.lo) >= 0 && (g.hi == nil || bytes.Compare(next, g.hi) < 0)
}

// fill restores lost records from a backup. A backup that cannot be read, or has an older version,
// is skipped.
func (s *salvage) fill(backup string) error {
	from, err := Open(backup, Options{ReadOnly: true, Unlock: s.unlock})
	if err != nil {
		return nil // there may be others
	}
	defer func() { _ = from.Close() }() // was only read
	if from.Check() != nil {
		return nil
	}
	return from.View(func(tx *Tx) error {
		return s.out.to.Update(func(to *Tx) error {
			for b := range tx.buckets() {
				if b.plain {
					continue
				}
				if err := s.fillBucket(to, b, tx, backup); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (s *salvage) fillBucket(to *Tx, b *bucket, of *Tx, backup string) error {
	gaps := slices.DeleteFunc(slices.Clone(s.gaps), func(g keyRange) bool { return !strings.HasPrefix(b.path, g.path) })
	as := s.key.wrap(nil, b.path)
	for name, v := range of.values(b, false) {
		key := as.stored([]byte(name))
		_, lost := s.lost[valueName(b.path, key)]
		if !lost && !slices.ContainsFunc(gaps, func(g keyRange) bool { return g.covers(b.path, key) }) {
			continue
		}
		data, err := v.read()
		if err != nil {
			return err // it was read before
		}
		into, err := to.at(b.path)
		if err != nil {
			return err
		}
		if into.raw.Get(key) != nil {
			continue // it was read, or taken from a newer backup
		}
		if err := into.put([]byte(name), data); err != nil {
			return err
		}
		s.addLost(b.path, key)
		l := &s.got.Lost[s.lost[valueName(b.path, key)]]
		l.Backup = backup
		if as.hidden {
			l.Key = name
		}
	}
	return nil
}
