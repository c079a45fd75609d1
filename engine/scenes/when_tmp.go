package scenes

import "github.com/ghostlight-theatre/ghostlight/storage"

type When struct {
	Day, Time string
	Days      int
}

func (svc *Service) KeepWhen(tx *storage.Tx, chat storage.ChatID, reply storage.NodeID, w When) error {
	return nil
}
