package storage

import (
	"errors"
	"fmt"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// A chat that is too long for one transaction is stored in several. A marker in meta says that its
// messages do not belong to a chat yet. The last transaction, which stores the chat, removes the
// marker. Chats that have a marker when the file is opened are removed: they were never visible.
const keyStaged = "staged/" // in meta; the chat's id follows

// Staging is a chat that is being stored in several transactions. None of it is visible before
// Tx.CommitStaged.
type Staging struct {
	store *Store
	chat  ChatID
}

// Stage begins to take in the messages of a chat that does not exist. Nothing is stored
// yet.
func (s *Store) Stage(chat ChatID) *Staging { return &Staging{store: s, chat: chat} }

// Append adds messages, each below one that was added before or as a root, in one
// transaction. They must have ids that sort behind those of all before them. It sets
// their Chat and Depth.
func (g *Staging) Append(list []Node) error {
	return g.store.Update(func(tx *Tx) error {
		if err := checkULID(string(g.chat)); err != nil {
			return fmt.Errorf("append %s: %w", kindNode, err)
		}
		if tx.has(bucketChats, string(g.chat)) {
			return fmt.Errorf("append %s: %w: chat %s is there already", kindNode, ErrBadID, g.chat)
		}
		if err := tx.open().Bucket([]byte(bucketMeta)).Put([]byte(keyStaged+string(g.chat)), nil); err != nil {
			return ioError("save "+kindNode, err)
		}
		t, err := tx.createTree(g.chat)
		if err != nil {
			return err
		}
		for i := range list {
			list[i].Chat = g.chat
			if err := t.add(&list[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// Drop removes the messages that were added so far.
func (g *Staging) Drop() error {
	return ioError("remove what was not finished", g.store.Update(func(tx *Tx) error { return dropStaged(tx, g.chat) }))
}

// CommitStaged makes the staged messages of a chat visible. The chat must exist by now.
func (tx *Tx) CommitStaged(chat ChatID) error {
	if !tx.has(bucketChats, string(chat)) {
		return &NotFoundError{Kind: Chats.kind, ID: string(chat)}
	}
	return ioError("save "+Chats.kind, tx.open().Bucket([]byte(bucketMeta)).Delete([]byte(keyStaged+string(chat))))
}

// staged returns the chats that are being staged.
func staged(tx *bolt.Tx) (list []ChatID) {
	meta := tx.Bucket([]byte(bucketMeta))
	if meta == nil {
		return nil
	}
	c := meta.Cursor()
	for k, _ := c.Seek([]byte(keyStaged)); strings.HasPrefix(string(k), keyStaged); k, _ = c.Next() {
		list = append(list, ChatID(k[len(keyStaged):]))
	}
	return list
}

func dropStaged(tx *Tx, chat ChatID) error {
	if err := tx.drop(string(chat), bucketNodes, bucketChildren, bucketPlaces); err != nil {
		return err
	}
	return tx.open().Bucket([]byte(bucketMeta)).Delete([]byte(keyStaged + string(chat)))
}

// sweepStaged removes staged chats that were unfinished when the program ended.
func (s *Store) sweepStaged() (err error) {
	var left []ChatID
	err = s.read(func(tx *bolt.Tx) error { left = staged(tx); return nil })
	for _, chat := range left {
		err = errors.Join(err, s.Stage(chat).Drop())
	}
	return ioError("open", err)
}
