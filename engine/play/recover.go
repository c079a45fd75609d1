package play

import (
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Recover closes replies that were being written when the process died. They were recorded with
// their first word, so no search is needed.
func (svc *Service) Recover() error {
	live := map[storage.NodeID]storage.ChatID{}
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(settingLive, &live)
		return err
	}); err != nil {
		return err
	}
	if len(live) == 0 {
		return nil
	}
	return svc.core.Store.Update(func(tx *storage.Tx) error {
		for id, chat := range live {
			n, err := tx.Node(chat, id)
			if err != nil {
				continue // its chat was deleted
			}
			if n.State == storage.Draft {
				n.State, n.Fault = storage.Broken, "the program ended while this was being written"
				if err := tx.PutNode(n); err != nil {
					return err
				}
			}
		}
		return tx.PutSetting(settingLive, nil)
	})
}

// Close stores messages that could not be stored earlier. Call it after everything has stopped.
func (svc *Service) Close() {
	for _, t := range svc.chats.Turns.All() {
		t.RetrySave()
	}
}

// CopyTo writes a full copy of the data to a new file, or into a folder, and returns the file's
// path. The copy includes what could not be stored, for example because the data file is gone, and
// draft as the text being written in chat, if any. It is encrypted as the data file is.
func (svc *Service) CopyTo(path string, chat storage.ChatID, draft string) (string, error) {
	return svc.backup.CopyTo(path, func(tx *storage.Tx) error {
		if err := svc.addUnsaved(tx); err != nil || chat == "" || draft == "" {
			return err
		}
		return tx.PutText("draft", string(chat), draft)
	})
}

// addUnsaved adds to a copy of the store the replies, or parts of them, that the store lacks:
// replies being written, and replies that could not be stored when they ended.
func (svc *Service) addUnsaved(tx *storage.Tx) error {
	for _, t := range svc.chats.Turns.All() {
		t := t.(*liveTurn)
		t.mu.Lock()
		n, stored, owed := t.msg.Node, t.stored, t.started && (t.unsaved != nil || t.msg.State == storage.Draft)
		if t.unsaved != nil {
			n = *t.unsaved
		} else if t.watched {
			n.Content = n.Content[:min(t.storable, len(n.Content))]
		}
		t.mu.Unlock()
		if !owed || n.Content == "" && n.Thinking == "" {
			continue
		}
		if n.State == storage.Draft {
			n.State, n.Fault = storage.Broken, "the data file was gone while this was being written"
		}
		if err := svc.storeInCopy(tx, t, n, stored); err != nil {
			return err
		}
	}
	return nil
}

// storeInCopy adds a turn's message to a copy of the store, without running what follows from a
// reply.
func (svc *Service) storeInCopy(tx *storage.Tx, t *liveTurn, n storage.Node, stored bool) error {
	if err := svc.recordLive(tx, t.chat, &n); err != nil {
		return err
	}
	if stored {
		return tx.PutNode(n)
	}
	c, err := storage.Chats.Get(tx, t.chat)
	if err != nil {
		return err
	}
	n.Parent = chats.Below(tx, c, t.parent)
	if err := tx.AppendNode(&n); err != nil {
		return err
	}
	from := c.Head
	c.Head = n.ID
	takeSteer(&c, &n)
	if err := storage.Chats.Put(tx, c.ID, c); err != nil {
		return err
	}
	return svc.chats.HeadMoved.Run(tx, chats.HeadMove{Chat: c, From: from})
}

const settingLive = "live"
