package engine

import "ghostlight/storage"

// WaitingDrafts are captures that were sent while no server was there, of a chat
// or with "" of all, oldest first.
func (e *Engine) WaitingDrafts(chat storage.ChatID) ([]storage.Capture, error) { return nil, nil }

// SendDrafts sends captures as they stand, in one go. Those that cannot be sent
// stay what they are.
func (e *Engine) SendDrafts(ids []storage.CaptureID) (Sent, error) {
	return Sent{}, fail("send drafts", errNotYet)
}
