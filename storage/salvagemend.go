package storage

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
	bolt "go.etcd.io/bbolt"
)

// covers reports whether a value stood in the pages that are missing.
func (g gap) covers(path string, key []byte) bool {
	next := key // what stands in the bucket of the gap on the way to the value
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

// fill takes what is lost from a backup, as far as that has it. One that cannot be read, or
// is of an older version, is left aside.
func (s *salvage) fill(backup string) error {
	from, err := Open(backup, Options{ReadOnly: true, Unlock: s.unlock})
	if err != nil {
		return nil // there may be others
	}
	defer func() { _ = from.Close() }() // was only read
	if from.Check() != nil {
		return nil
	}
	return from.read(func(tx *bolt.Tx) error {
		of := &Tx{tx: tx, key: from.key}
		list, err := sealedBuckets(tx)
		if err != nil {
			return err
		}
		return s.to.write(func(to *bolt.Tx) error {
			for _, h := range list {
				if err := s.fillBucket(of, h, to, backup); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (s *salvage) fillBucket(of *Tx, h shelfOf, to *bolt.Tx, backup string) error {
	path := h.path()
	gaps := slices.DeleteFunc(slices.Clone(s.gaps), func(g gap) bool {
		return g.path != path && !strings.HasPrefix(path, g.path)
	})
	as := s.key.wrap(nil, h.top, path)
	for name, v := range of.values(of.key.wrap(h.b, h.top, path), false) {
		k := as.stored([]byte(name))
		i, lost := s.lost[at(path, string(k))]
		if !lost && !slices.ContainsFunc(gaps, func(g gap) bool { return g.covers(path, k) }) {
			continue
		}
		data, err := v.read()
		if err != nil {
			return ioError("repair", err) // it was read before
		}
		raw, err := bucketAt(to, path)
		if err != nil {
			return ioError("repair", err)
		}
		if raw.Get(k) != nil {
			continue // it was read, or taken from a newer backup
		}
		if err := s.key.wrap(raw, h.top, path).put([]byte(name), data); err != nil {
			return ioError("repair", err)
		}
		if !lost {
			s.lose(path, string(k))
			i = len(s.got.Lost) - 1
		}
		s.got.Lost[i].Backup = backup
		if as.hidden {
			s.got.Lost[i].Key = name
		}
	}
	return nil
}

// lostWords stand where a message was.
const lostWords = "what this message said was lost: the data file was damaged, and no backup had it"

// mend makes whole what hangs together: owners of what is left, and the trees of messages.
func (s *salvage) mend() error {
	return s.to.Update(func(tx *Tx) error {
		for _, chat := range s.coming {
			if err := dropStaged(tx.open(), chat); err != nil {
				return ioError("repair", err)
			}
		}
		spines := tx.bucket(bucketSpine)
		for _, id := range spines.keys() {
			if !tx.has(bucketChats, id) && tx.inner(bucketNodes, id) == nil { // nothing else knows of such a chat
				if err := spines.drop(id); err != nil {
					return ioError("repair", err)
				}
			}
		}
		for _, name := range chatBuckets() {
			for _, id := range tx.bucket(name).keys() {
				if checkULID(id) == nil && !tx.has(bucketChats, id) {
					s.lose(bucketChats, id)
					err := Chats.Put(tx, ChatID(id), Chat{Title: "(repaired)", CreatedAt: madeAt(id)})
					if err != nil {
						return err
					}
				}
			}
		}
		for _, name := range bookBuckets() {
			for _, id := range tx.bucket(name).keys() {
				if checkULID(id) == nil && !tx.has(bucketLorebooks, id) {
					s.lose(bucketLorebooks, id)
					if err := Lorebooks.Put(tx, LorebookID(id), Lorebook{Name: "(repaired)"}); err != nil {
						return err
					}
				}
			}
		}
		for _, id := range Chats.Keys(tx) {
			if err := s.mendTree(tx, id); err != nil {
				return err
			}
		}
		return nil
	})
}

// madeAt is when an id was made.
func madeAt(id string) time.Time {
	u, err := ulid.ParseStrict(id)
	if err != nil {
		return time.Time{}
	}
	return ulid.Time(u.Time()).UTC()
}

// loseMessages notes the messages that others speak of and that were not read, so that a
// backup is asked for them.
func (s *salvage) loseMessages() error {
	return s.to.View(func(tx *Tx) error {
		chats := map[string]bool{}
		for _, name := range []string{bucketNodes, bucketSpine} {
			for _, id := range tx.bucket(name).keys() {
				chats[id] = true
			}
		}
		for id := range chats {
			there, known, err := placesOf(tx, ChatID(id))
			if err != nil {
				return err
			}
			for node := range lostPlaces(there, known) {
				s.lose(bucketNodes+"/"+id, string(node))
			}
		}
		return nil
	})
}

// placesOf are the places of the messages of a chat that are there, and those that are known
// without them.
func placesOf(tx *Tx, chat ChatID) (there map[NodeID]Place, known []Place, err error) {
	if b := tx.inner(bucketSpine, string(chat)); b != nil {
		for k, v := range tx.entries(b, false) {
			if p, err := decodePlace(NodeID(k), v); err == nil {
				known = append(known, p)
			}
		}
	}
	there = map[NodeID]Place{}
	for k, data := range tx.entries(tx.inner(bucketNodes, string(chat)), false) {
		n, err := tree{chat: chat}.decode(NodeID(k), data)
		if err != nil || n.ID != NodeID(k) {
			return nil, nil, fmt.Errorf("repair: %w: %s %s names itself %s (%v)", ErrCorrupt, kindNode, k, n.ID, err)
		}
		there[n.ID] = placeOf(n)
	}
	return there, known, nil
}

// lostPlaces are those of messages that have a place, or that others hang below, and that are
// not there.
func lostPlaces(there map[NodeID]Place, known []Place) map[NodeID]Place {
	lost := map[NodeID]Place{}
	for _, p := range there {
		if _, ok := there[p.Parent]; p.Parent != "" && !ok {
			lost[p.Parent] = Place{ID: p.Parent, Role: Assistant}
		}
	}
	for _, p := range known {
		if _, ok := there[p.ID]; !ok {
			lost[p.ID] = p
		}
	}
	for _, p := range lost {
		if _, ok := there[p.Parent]; p.Parent != "" && !ok && lost[p.Parent].ID == "" {
			lost[p.Parent] = Place{ID: p.Parent, Role: Assistant}
		}
	}
	return lost
}

// mendTree puts an empty message where one is lost, and makes the indexes of a chat anew.
func (s *salvage) mendTree(tx *Tx, chat ChatID) error {
	there, known, err := placesOf(tx, chat)
	if err != nil {
		return err
	}
	if len(known)+len(there) == 0 {
		return nil
	}
	for _, name := range []string{bucketSpine, bucketChildren} {
		if b := tx.bucket(name); b.in(string(chat)) != nil {
			if err := b.drop(string(chat)); err != nil {
				return ioError("repair", err)
			}
		}
	}
	t, err := tx.grow(chat)
	if err != nil {
		return err
	}
	if err := s.mendNodes(t, there, known); err != nil {
		return err
	}
	depths(there)
	ids := make([]NodeID, 0, len(there))
	for id := range there {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		p := there[id]
		n, err := t.get(id)
		if err == nil && (n.Depth != p.Depth || n.Parent != p.Parent) {
			n.Depth, n.Parent = p.Depth, p.Parent
			err = t.nodes.putJSON(kindNode, string(id), n)
		}
		if err = errors.Join(err, t.index(p.Parent, id, p.Deleted), t.putPlace(p)); err != nil {
			return err
		}
	}
	return mendHead(tx, chat, there, ids)
}

// mendNodes puts an empty message where one is lost.
func (s *salvage) mendNodes(t tree, there map[NodeID]Place, known []Place) error {
	for id, p := range lostPlaces(there, known) {
		s.lose(bucketNodes+"/"+string(t.chat), string(id))
		n := Node{ID: id, Chat: t.chat, Parent: p.Parent, Role: p.Role, State: Broken, Fault: lostWords, CreatedAt: madeAt(string(id)),
			Deleted: p.Deleted, Checked: p.Checked}
		if err := t.nodes.putJSON(kindNode, string(id), n); err != nil {
			return err
		}
		there[id] = placeOf(n)
	}
	return nil
}

// depths counts how deep each message is. One whose way up leads in a circle becomes a root.
func depths(there map[NodeID]Place) {
	done := map[NodeID]bool{}
	for id := range there {
		var way []NodeID
		on := map[NodeID]bool{}
		for at := id; at != "" && !done[at]; at = there[at].Parent {
			if on[at] {
				p := there[at]
				p.Parent = ""
				there[at] = p
				break
			}
			on[at], way = true, append(way, at)
		}
		for _, at := range slices.Backward(way) {
			p := there[at]
			if p.Depth = 0; p.Parent != "" {
				p.Depth = there[p.Parent].Depth + 1
			}
			there[at], done[at] = p, true
		}
	}
}

// mendHead puts a head that is lost on the newest message that is not deleted.
func mendHead(tx *Tx, chat ChatID, there map[NodeID]Place, ids []NodeID) error {
	c, err := Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	if _, ok := there[c.Head]; ok {
		return nil
	}
	c.Head = ""
	for _, id := range slices.Backward(ids) {
		if !there[id].Deleted {
			c.Head = id
			break
		}
	}
	return Chats.Put(tx, chat, c)
}
