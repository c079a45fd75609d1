package taste

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CallsOf reads the calls of a storyboard that are in force, oldest first.
func CallsOf(tx *storage.Tx, chat storage.ChatID, b storage.Board) ([]storage.BoardCall, error) {
	list := make([]storage.BoardCall, 0, b.Done)
	for _, id := range b.Calls[:b.Done] {
		c, err := storage.BoardCalls.Get(tx, chat, id)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}
