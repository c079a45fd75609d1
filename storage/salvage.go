package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// Lost is a record that could not be read. Backup is the file from which it was taken
// instead, as it was then; "" where it is gone.
type Lost struct {
	Table  string
	Owner  string // the chat, book or story that it belonged to, "" for none
	Key    string // "" where not even that is known
	Backup string
}

// Salvaged is what Salvage has done.
type Salvaged struct {
	Kept int // records that were read
	Lost []Lost
	// Gaps are pages that could not be read; what stood in them is known only as far as
	// other pages or a backup tell of it.
	Gaps int
}

// gap are the keys of a table that stood in pages which cannot be read: those from lo on
// and before hi, nil for no end.
type gap struct {
	path   string
	lo, hi []byte
}

// salvage is a rescue on its way.
type salvage struct {
	from *pages
	to   *Store
	got  Salvaged
	gaps []gap
	lost map[string]int // in got.Lost, by path and key; see at

	key    *Key // of the damaged file and of what is made of it, nil where it is not encrypted
	unlock Unlock

	puts []put // read, and not stored yet
	size int
	err  error // of storing them

	coming []ChatID // that were on their way in; nobody was told of them
}

type put struct{ path, key, stored []byte }

// Salvage makes a new data file at to of all that can be read in the damaged one at from,
// which it only reads. What is lost is taken from the first of the backups that has it.
// Messages whose place is still known, but not what they said, leave an empty one that
// says so. The file at to passes Check. The caller sees to it that nobody writes to from.
// One that is encrypted stays so: unlock gives the key of it, and of backups that have
// another. An ErrCorrupt where nothing at all can be read, and no backup has anything.
func Salvage(from, to string, backups []string, unlock Unlock) (got Salvaged, err error) {
	f, err := os.Open(from)
	if err != nil {
		return got, fmt.Errorf("repair: %w", err)
	}
	defer func() { _ = f.Close() }() // was only read
	p, unread := openPages(f)
	store, err := Open(to, Options{Program: "ghostlight doctor --repair"})
	if err != nil {
		return got, fmt.Errorf("repair: %w", err)
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	s := &salvage{from: p, to: store, unlock: unlock, lost: map[string]int{}}
	if err := s.keep(from, f, backups); err != nil {
		return got, fmt.Errorf("repair: %w", err)
	}
	if unread == nil {
		p.rescue(p.root, nil, nil, "", s)
	} else {
		s.missed("", nil, nil)
	}
	if err := errors.Join(s.err, s.flush()); err != nil {
		return got, err
	}
	for _, b := range backups {
		// What comes from one backup may hang below what only the next one has.
		if err := s.loseMessages(); err != nil {
			return got, err
		}
		if err := s.fill(b); err != nil {
			return got, err
		}
	}
	if err := s.mend(); err != nil {
		return got, err
	}
	filled := func(l Lost) bool { return l.Backup != "" }
	if s.got.Kept == 0 && !slices.ContainsFunc(s.got.Lost, filled) {
		return got, fmt.Errorf("repair: %w, and no backup has one: move it away to start afresh",
			corrupt(from, errors.New("no record of it can be read")))
	}
	return s.got, store.Check()
}

// keep has what is made encrypted as the damaged file is. Its guard may be lost: then that of
// the copy beside it is tried, and those of the backups, the newest first.
func (s *salvage) keep(path string, f io.ReaderAt, backups []string) error {
	var meta map[string][]byte
	if p, err := openPages(f); err == nil { // s.from marks the pages that it reads
		meta = p.metaValues()
	}
	for k := range meta {
		if chat, ok := strings.CutPrefix(k, keyStaged); ok {
			s.coming = append(s.coming, ChatID(chat))
		}
	}
	version, encrypted, known := readVersion(meta[keySchema])
	if known && version < schemaOldest || meta[oldSealed] != nil && string(meta[oldSealed]) != oldAll {
		return fmt.Errorf("%w: %s is from before records had checksums, so that nothing tells which of them can be read: restore a backup",
			ErrCorrupt, path)
	}
	u := Under{Files: FilesLeft(meta[keyFiles])}
	if !known {
		u.Files = FilesToClose // some may not be encrypted yet
	}
	var err error
	u.Guard, err = readGuard(meta[keyGuard])
	if known && !encrypted && meta[keyGuard] == nil {
		return nil
	}
	if err != nil {
		if u.Guard, _, err = readGuardCopy(path); err != nil {
			for _, b := range backups {
				if g, _, bad := GuardOf(b); bad == nil && g.ID != "" {
					u.Guard, err = g, nil
					break
				}
			}
		}
	}
	switch {
	case err != nil && (encrypted || meta[keyGuard] != nil):
		return fmt.Errorf("%w: neither the file nor the copy beside it nor a backup has one that is whole", ErrKeyRecord)
	case err != nil:
		return nil // nothing tells that it was encrypted
	case s.unlock == nil:
		return ErrShut
	}
	if u.Key, err = s.unlock(u.Guard); err != nil {
		return err
	}
	s.key, s.unlock = u.Key, KeyOr(u.Key, s.unlock)
	return s.to.encryptEmpty(u)
}

// rescue goes down from a page as checkTree does, and on where that stops.
func (p *pages) rescue(id uint64, lo, hi []byte, path string, s *salvage) {
	page, err := p.read(id)
	if err != nil {
		s.missed(path, lo, hi)
		return
	}
	flags := binary.NativeEndian.Uint16(page[8:])
	if flags != pageLeaf && flags != pageBranch {
		s.missed(path, lo, hi)
		return
	}
	list := anyElements(page)
	whole, _, err := elements(page)
	if err == nil {
		err = ordered(whole, lo, hi) // else it is another page than the one that should be there
	}
	if err != nil || len(whole) != len(list) {
		s.missed(path, lo, hi)
	}
	for i, e := range list {
		if flags == pageLeaf {
			s.take(gap{path, lo, hi}, e)
			continue
		}
		from, end := e.key, hi
		if i+1 < len(list) {
			end = list[i+1].key
		}
		p.rescue(e.page, from, end, path, s)
	}
}

// anyElements are those elements of a page that lie within it, whatever its count says.
func anyElements(page []byte) (list []element) {
	leaf := binary.NativeEndian.Uint16(page[8:]) == pageLeaf
	n := int(binary.NativeEndian.Uint16(page[10:]))
	if _, at, err := elementAt(page, 0, leaf); err == nil && at.from > pageHead && (at.from-pageHead)%pageElement == 0 {
		n = max(n, (at.from-pageHead)/pageElement) // where the first one stands tells how many there are
	}
	for i := range n {
		if e, at, err := elementAt(page, i, leaf); err == nil && at.from >= pageHead {
			list = append(list, e)
		}
	}
	return list
}

// missed notes that something between two keys cannot be read.
func (s *salvage) missed(path string, lo, hi []byte) {
	s.got.Gaps++
	s.doubt(gap{path, lo, hi})
}

// doubt has what is missing there taken from a backup.
func (s *salvage) doubt(g gap) {
	s.gaps = append(s.gaps, gap{g.path, bytes.Clone(g.lo), bytes.Clone(g.hi)})
}

// take takes an element of a leaf: a bucket, whose own it goes on with, or a value. within is
// where it may have stood if that is not what it says.
func (s *salvage) take(within gap, e element) {
	path := within.path
	top, owner, _ := strings.Cut(path, "/")
	switch {
	case path == "":
		if name := string(e.key); name == bucketMeta || isIndex(name) && name != bucketSpine {
			return
		} else if !slices.Contains(tables(), name) {
			s.missed("", within.lo, within.hi)
			return
		}
		s.open(string(e.key), e)
	case isNested(top) && path == top:
		if top != bucketTexts && checkULID(string(e.key)) != nil {
			s.missed(path, within.lo, within.hi)
			return
		}
		kept, lost := s.got.Kept, len(s.got.Lost)
		s.open(path+"/"+string(e.key), e)
		if top != bucketSpine && kept == s.got.Kept && lost < len(s.got.Lost) {
			s.missed(path, within.lo, within.hi) // it is another's
		}
	case top == bucketSpine:
		s.place(path, e)
	default:
		if _, _, err := s.key.wrap(nil, top, path).open(e.key, e.value); err == nil {
			s.put(path, e.key, e.value)
			return
		}
		if key := string(e.key); checkName(key) == nil || top == bucketAssets || s.key != nil && tells(top) && len(key) == nameSize {
			s.lose(path, key)
		} else {
			s.got.Lost = append(s.got.Lost, Lost{Table: top, Owner: owner})
		}
		s.doubt(within)
	}
}

// open goes on with a bucket.
func (s *salvage) open(name string, e element) {
	if len(e.value) < bucketHead {
		s.missed(name, nil, nil)
		return
	}
	if root := binary.NativeEndian.Uint64(e.value); root != 0 {
		s.from.rescue(root, nil, nil, name, s)
		return
	}
	if len(e.value) < bucketHead+pageHead {
		s.missed(name, nil, nil)
		return
	}
	page := e.value[bucketHead:]
	if _, _, err := elements(page); err != nil {
		s.missed(name, nil, nil)
	}
	for _, e := range anyElements(page) {
		s.take(gap{path: name}, e)
	}
}

// place takes the place of a message. It is only needed where the message is lost.
func (s *salvage) place(path string, e element) {
	p, err := decodePlace(NodeID(e.key), e.value)
	if err == nil && checkULID(string(p.ID)) == nil && (p.Parent == "" || checkULID(string(p.Parent)) == nil) {
		s.put(path, e.key, e.value)
	}
}

// lose notes a value that cannot be read.
func (s *salvage) lose(path, key string) {
	top, owner, _ := strings.Cut(path, "/")
	if _, known := s.lost[at(path, key)]; known {
		return
	}
	s.lost[at(path, key)] = len(s.got.Lost)
	s.got.Lost = append(s.got.Lost, Lost{Table: top, Owner: owner, Key: shownKey([]byte(key))})
}

// at names a value by its path and key.
func at(path, key string) string { return path + "\x00" + key }

func (s *salvage) put(path string, key, stored []byte) {
	if !strings.HasPrefix(path, bucketSpine+"/") {
		s.got.Kept++
	}
	s.puts = append(s.puts, put{[]byte(path), bytes.Clone(key), bytes.Clone(stored)})
	if s.size += len(stored); s.size > 8<<20 || len(s.puts) > 32<<10 {
		s.err = errors.Join(s.err, s.flush())
	}
}

// flush stores what was read.
func (s *salvage) flush() error {
	err := s.to.write(func(tx *bolt.Tx) error {
		for _, p := range s.puts {
			b, err := bucketAt(tx, string(p.path))
			if err == nil {
				err = b.Put(p.key, p.stored)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return ioError("repair", err)
	}
	s.puts, s.size = s.puts[:0], 0
	return nil
}

// bucketAt is the bucket of a path, made where it is not there.
func bucketAt(tx *bolt.Tx, path string) (*bolt.Bucket, error) {
	top, owner, nested := strings.Cut(path, "/")
	b, err := tx.CreateBucketIfNotExists([]byte(top))
	if err == nil && nested {
		b, err = b.CreateBucketIfNotExists([]byte(owner))
	}
	if err == nil {
		b.FillPercent = fullPages
	}
	return b, err
}
