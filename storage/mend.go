package storage

import (
	"maps"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"
)

// lostText replaces the text of a message that was lost.
const lostText = "what this message said was lost: the data file was damaged, and no backup had it"

// repair restores the relations between the copied records: lost owners, and the trees of messages.
func (s *salvage) repair(tx *Tx) error {
	for _, name := range tablesOf(ofChats) {
		for _, id := range tx.bucket(name).keys() {
			if tx.has(bucketChats, id) {
				continue
			}
			s.addLost(bucketChats, []byte(id))
			if err := Chats.Put(tx, ChatID(id), Chat{Title: "(repaired)", CreatedAt: createdAt(id)}); err != nil {
				return err
			}
		}
	}
	for _, name := range tablesOf(ofBooks) {
		for _, id := range tx.bucket(name).keys() {
			if tx.has(bucketLorebooks, id) {
				continue
			}
			s.addLost(bucketLorebooks, []byte(id))
			if err := Lorebooks.Put(tx, LorebookID(id), Lorebook{Name: "(repaired)"}); err != nil {
				return err
			}
		}
	}
	for _, id := range Chats.Keys(tx) {
		if err := s.repairTree(tx, id); err != nil {
			return err
		}
	}
	return nil
}

// countLostMessages notes the messages that a place or an answer to them names and that were not
// read, so that a backup is asked for them.
func (s *salvage) countLostMessages() error {
	return s.out.to.View(func(tx *Tx) error {
		chats := map[ChatID]bool{}
		for _, id := range tx.bucket(bucketNodes).keys() {
			chats[ChatID(id)] = true
		}
		for id := range s.places {
			chats[id] = true
		}
		for chat := range chats {
			there, named := map[NodeID]bool{}, map[NodeID]bool{}
			for k, data := range tx.entries(tx.inner(bucketNodes, string(chat)), false) {
				n, err := tree{chat: chat}.decode(NodeID(k), data)
				if err != nil {
					return err
				}
				there[n.ID], named[n.Parent] = true, true
			}
			for _, p := range s.places[chat] {
				named[p.ID] = true
			}
			for id := range named {
				if id != "" && !there[id] {
					s.addLost(bucketNodes+"/"+string(chat), []byte(id))
				}
			}
		}
		return nil
	})
}

// createdAt returns the time at which an id was made, the zero time for an invalid id.
func createdAt(id string) time.Time {
	u, err := ulid.ParseStrict(id)
	if err != nil {
		return time.Time{}
	}
	return ulid.Time(u.Time()).UTC()
}

// repairTree replaces lost messages of a chat by empty ones, and rebuilds the chat's indexes.
func (s *salvage) repairTree(tx *Tx, chat ChatID) error {
	places := map[NodeID]NodeInfo{}
	b := tx.inner(bucketNodes, string(chat))
	for k, data := range tx.entries(b, false) {
		n, err := tree{chat: chat}.decode(NodeID(k), data)
		if err != nil {
			return err
		}
		places[n.ID] = placeOf(n)
	}
	if len(places)+len(s.places[chat]) == 0 {
		return nil
	}
	t, err := tx.ensureTree(chat)
	if err != nil {
		return err
	}
	for _, p := range s.places[chat] {
		if err := s.repairNode(t, places, p); err != nil {
			return err
		}
	}
	for _, p := range slices.Collect(maps.Values(places)) {
		if p.Parent == "" {
			continue
		}
		if err := s.repairNode(t, places, NodeInfo{ID: p.Parent, Role: Assistant}); err != nil {
			return err
		}
	}
	depths(places)
	ids := slices.Sorted(maps.Keys(places))
	for _, id := range ids {
		if err := t.repairPlace(places[id]); err != nil {
			return err
		}
	}
	return repairHead(tx, chat, places, ids)
}

// repairNode adds an empty message at a place that has no message.
func (s *salvage) repairNode(t tree, places map[NodeID]NodeInfo, p NodeInfo) error {
	if _, there := places[p.ID]; there {
		return nil
	}
	s.addLost(bucketNodes+"/"+string(t.chat), []byte(p.ID))
	n := Node{ID: p.ID, Chat: t.chat, Parent: p.Parent, Role: p.Role, State: Broken, Fault: lostText,
		CreatedAt: createdAt(string(p.ID)), Deleted: p.Deleted, Checked: p.Checked}
	places[p.ID] = placeOf(n)
	return t.nodes.putJSON(kindNode, string(p.ID), n)
}

// depths counts how deep each message is. One whose way up leads in a circle becomes a root.
func depths(places map[NodeID]NodeInfo) {
	done := map[NodeID]bool{}
	for id := range places {
		var way []NodeID
		on := map[NodeID]bool{}
		for at := id; at != "" && !done[at]; at = places[at].Parent {
			if on[at] {
				p := places[at]
				p.Parent = ""
				places[at] = p
				break
			}
			on[at], way = true, append(way, at)
		}
		for _, at := range slices.Backward(way) {
			p := places[at]
			if p.Depth = 0; p.Parent != "" {
				p.Depth = places[p.Parent].Depth + 1
			}
			places[at], done[at] = p, true
		}
	}
}

// repairPlace indexes a message at its place, and updates the message's own parent and depth if
// they differ.
func (t tree) repairPlace(p NodeInfo) error {
	n, err := t.get(p.ID)
	if err != nil {
		return err
	}
	if n.Depth != p.Depth || n.Parent != p.Parent {
		n.Depth, n.Parent = p.Depth, p.Parent
		if err := t.nodes.putJSON(kindNode, string(p.ID), n); err != nil {
			return err
		}
	}
	if err := t.index(p.Parent, p.ID, p.Deleted); err != nil {
		return err
	}
	return t.putPlace(p)
}

// repairHead puts a head that is lost on the newest message that is not deleted.
func repairHead(tx *Tx, chat ChatID, places map[NodeID]NodeInfo, ids []NodeID) error {
	c, err := Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	if _, there := places[c.Head]; there {
		return nil
	}
	c.Head = ""
	for _, id := range slices.Backward(ids) {
		if !places[id].Deleted {
			c.Head = id
			break
		}
	}
	return Chats.Put(tx, chat, c)
}
