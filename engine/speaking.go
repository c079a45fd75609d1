package engine

import "ghostlight/storage"

// Speak has a character speak next, without a word of the user's.
func (e *Engine) Speak(chat storage.ChatID, who storage.CharacterID) error { return errUnbuilt }

// SendTo is Send in a chat of several characters: who is to answer, "" as the
// turn order says, and who hears it, nil for everybody present.
func (e *Engine) SendTo(chat storage.ChatID, text string, who storage.CharacterID, to []storage.CharacterID) (storage.NodeID, error) {
	return "", errUnbuilt
}

// Nudge asks for the next reply with an instruction for this one turn, which is
// not stored. Where a reply ends the chat, it asks for another in its place.
func (e *Engine) Nudge(chat storage.ChatID, instruction string) error { return errUnbuilt }
