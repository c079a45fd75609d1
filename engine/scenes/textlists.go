package scenes

import (
	"encoding/json"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// readList reads a list that is stored as a chat text, so that it is exported and deleted with the
// chat. A damaged list is empty.
func readList[T any](tx *storage.Tx, kind string, chat storage.ChatID) (list []T) {
	text, err := tx.Text(kind, string(chat))
	if err != nil || text == "" || json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

// writeList stores the last most items of a list for readList.
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
