package play

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Recover closes replies that were being written when the process died. Which
// ones is noted with their first word, so that nothing has to be searched.
func (svc *Service) Recover() error {
	live := map[storage.NodeID]storage.ChatID{}
	if err := svc.core.Store.View(func(tx *storage.Tx) error { _, err := tx.Setting(settingLive, &live); return err }); err != nil {
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

// Close stores what could not be stored when it was said, after everything has
// stopped.
func (svc *Service) Close() {
	for chat := range svc.lastTurns {
		svc.CatchUp(chat)
	}
}

const settingLive = "live"
