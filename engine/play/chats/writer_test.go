package chats_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// writeAway writes, rewrites and deletes messages, and indexes their words, until it is killed. It
// prints the IDs of the stored messages; the last word of each message is its ID.
func writeAway(dir string) error {
	e, err := engine.Open(config.Config{DataDir: dir, Program: "test"})
	if err != nil {
		return err
	}
	id, _, err := e.Chats.Last()
	if err != nil {
		return err
	}
	store := e.Core().Store
	for i := 0; ; i++ {
		var safe []storage.NodeID
		err := store.Update(func(tx *storage.Tx) error {
			c, err := storage.Chats.Get(tx, id)
			if err != nil {
				return err
			}
			for range 1 + rand.IntN(40) {
				n := storage.Node{ID: storage.NodeID(storage.NewID()), Chat: id, Parent: c.Head, Role: storage.User, State: storage.Complete}
				n.Content = fmt.Sprintf("line number%d of the lamp %s", i, n.ID)
				if err := tx.AppendNode(&n); err != nil {
					return err
				}
				c.Head = n.ID
				safe = append(safe, n.ID)
			}
			old, err := tx.Node(id, safe[0])
			if err != nil {
				return err
			}
			if above, err := tx.Node(id, old.Parent); err == nil && above.Role == storage.User {
				above.Content = "rewritten " + above.Content
				if err := tx.PutNode(above); err != nil {
					return err
				}
			}
			return storage.Chats.Put(tx, id, c)
		})
		if err != nil {
			return err
		}
		for _, n := range safe {
			fmt.Println(n)
		}
		if i%2 == 0 {
			e.Chats.IndexSoon(id)
		}
	}
}
