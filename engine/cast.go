package engine

import "ghostlight/storage"

// Cast is who plays in a chat.
func (e *Engine) Cast(chat storage.ChatID) (CastList, error) { return CastList{}, errUnbuilt }

// JoinCast brings a character into a chat; LeaveCast takes one out for good, which
// the main one cannot.
func (e *Engine) JoinCast(chat storage.ChatID, who storage.CharacterID) error { return errUnbuilt }

// LeaveCast takes a character out of a chat. What it said stays.
func (e *Engine) LeaveCast(chat storage.ChatID, who storage.CharacterID) error { return errUnbuilt }

// SetAway says whether a character is away: it then witnesses nothing and does
// not speak.
func (e *Engine) SetAway(chat storage.ChatID, who storage.CharacterID, away bool) error {
	return errUnbuilt
}

// SetTurnOrder chooses how the next speaker is found.
func (e *Engine) SetTurnOrder(chat storage.ChatID, order storage.TurnOrder) error { return errUnbuilt }
