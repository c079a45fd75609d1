package engine

import "ghostlight/storage"

// Continuity is a chat's continuity sheet: what stays as it is from picture to
// picture, by kind, then by who it is about.
func (e *Engine) Continuity(chat storage.ChatID) ([]storage.Fact, error) {
	return nil, fail("continuity", errNotYet)
}

// PutFact keeps a line of the sheet as the user has it. One without an id is new.
func (e *Engine) PutFact(chat storage.ChatID, f storage.Fact) (storage.Fact, error) {
	return f, fail("continuity", errNotYet)
}

// DeleteFact takes a line off the sheet.
func (e *Engine) DeleteFact(chat storage.ChatID, id storage.FactID) error {
	return fail("continuity", errNotYet)
}

// Contradictions says in which places a prompt disagrees with the chat's sheet,
// in words for the user.
func (e *Engine) Contradictions(chat storage.ChatID, prompt string) ([]string, error) {
	return nil, nil
}
