package scenes

import (
	"encoding/json"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// readList reads a list that a chat keeps as a text of a kind, so that it goes with the chat. A
// damaged one is empty.
func readList[T any](tx *storage.Tx, kind string, chat storage.ChatID) (list []T) {
	text, err := tx.Text(kind, string(chat))
	if err != nil || text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

// writeList stores the last of a list that readList reads, so many at most.
func writeList[T any](tx *storage.Tx, kind string, chat storage.ChatID, list []T, most int) error {
	list = list[max(0, len(list)-most):]
	if len(list) == 0 {
		return tx.PutText(kind, string(chat), "")
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return tx.PutText(kind, string(chat), string(data))
}
