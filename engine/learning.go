package engine

import (
	"context"

	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// The operations of learning.
const (
	opHarvest   = "taste_harvest"
	opAggregate = "taste_aggregate"
)

// Taste reads what is known of how the user directs a story.
func (e *Engine) Taste(scope storage.ScopeID) (TasteView, error) { return TasteView{}, errUnbuilt }

// Tastes lists the stories of which anything is known.
func (e *Engine) Tastes() ([]TasteView, error) { return nil, errUnbuilt }

// SaveCard keeps the user's words for a card, or a card of the user's own where it
// has no id.
func (e *Engine) SaveCard(scope storage.ScopeID, c storage.PreferenceCard) (storage.PreferenceCard, error) {
	return c, errUnbuilt
}

// ActCards does something to cards and says to how many.
func (e *Engine) ActCards(scope storage.ScopeID, ids []storage.CardID, do TasteAction) (int, error) {
	return 0, errUnbuilt
}

// SaveTasteSummary keeps the user's words in place of the profile's summary; ""
// gives the profile's back.
func (e *Engine) SaveTasteSummary(scope storage.ScopeID, text string) error { return errUnbuilt }

// DeleteTasteMemory forgets what a scene has taught, and has the profile made anew.
func (e *Engine) DeleteTasteMemory(scope storage.ScopeID, scene storage.NodeID) error {
	return errUnbuilt
}

// ResetTaste forgets everything that was learnt of a story, the user's own cards
// among it.
func (e *Engine) ResetTaste(scope storage.ScopeID) error { return errUnbuilt }

// HarvestScene queues the learning from a scene.
func (e *Engine) HarvestScene(chat storage.ChatID, node storage.NodeID) (storage.OperationID, error) {
	return "", errUnbuilt
}

// AggregateTaste queues a new profile of a story.
func (e *Engine) AggregateTaste(scope storage.ScopeID) (storage.OperationID, error) {
	return "", errUnbuilt
}

// TasteBlock is what a tool would be told now of how the user directs a story.
func (e *Engine) TasteBlock(scope storage.ScopeID, tool string) (storage.TasteUsed, error) {
	return storage.TasteUsed{}, errUnbuilt
}

// tasteFor is what a tool is told for a chat. It is empty where there is no
// profile; a failure is for the log.
func (e *Engine) tasteFor(chat storage.ChatID, tool string) storage.TasteUsed {
	return storage.TasteUsed{}
}

// learnFrom queues the learning from a scene in the transaction of what has
// changed it, once for all that comes within a short time.
func (e *Engine) learnFrom(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	return nil
}

func (e *Engine) runHarvest(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	return queue.Effect{}, errUnbuilt
}

func (e *Engine) runAggregate(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	return queue.Effect{}, errUnbuilt
}
