package tui

import "ghostlight/storage"

// first reads the chat to open before the first frame, so that the first frame
// is the play itself.
func (a *app) first() error {
	id := a.opts.Chat
	if id == "" {
		last, ok, err := a.eng.Chats.Last()
		if err != nil || !ok {
			return err
		}
		id = last
	}
	return a.open(id)
}

func (a *app) open(id storage.ChatID) error {
	v, err := a.eng.Play.View(id, firstRead)
	if err != nil {
		return err
	}
	sent, err := a.eng.Chats.SentHistory(id)
	if err != nil {
		return err
	}
	a.openView(v, sent) // Init reads what it wants to read
	a.reads = sceneReading{}
	return nil
}
