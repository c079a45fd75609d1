package memory

import (
	"context"
	"errors"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// QueryMeaning is what a query means to the embedding model, which is asked for 3 seconds
// at the most, and once for several that ask the same. It is nil where none is set or it
// gives no answer. It must not be called inside a transaction.
func (svc *Service) QueryMeaning(ctx context.Context, query string) []float32 {
	model := svc.core.Settings().Stage.EmbedModel
	if model == "" || strings.TrimSpace(query) == "" {
		return nil
	}
	q, err := svc.askMeanings(ctx, "", model, query, nil, nil)
	if err != nil && ctx.Err() == nil {
		svc.core.Log.Info("facts are not found by their meaning", "model", model, "err", err)
	}
	return q
}

// TextMeaning is what is kept of the meaning of a fact's words, nil for nothing.
func (svc *Service) TextMeaning(tx *storage.Tx, scope storage.ScopeID, text string) []float32 {
	v, err := storage.Vectors.Get(tx, scope, storage.MemoryID(storage.IDOf(text)))
	if err != nil || v.Model != svc.core.Settings().Stage.EmbedModel {
		return nil
	}
	return v.Values
}

// KeepTextMeanings asks what facts mean, and keeps it. done hears of each that is kept.
func (svc *Service) KeepTextMeanings(ctx context.Context, scope storage.ScopeID, texts []string, done func(n int)) error {
	model := svc.core.Settings().Stage.EmbedModel
	for at := 0; at < len(texts); at += embedBatch {
		some := texts[at:min(at+embedBatch, len(texts))]
		made, err := svc.Embed(ctx, model, append([]string{}, some...), nil)
		if err != nil {
			return err
		}
		err = svc.core.Store.Update(func(tx *storage.Tx) error {
			for i, text := range some {
				v := storage.Vector{Memory: storage.MemoryID(storage.IDOf(text)), Model: model, Hash: core.ContentHash(text), Values: made[i]}
				if err := storage.Vectors.Put(tx, scope, v); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		done(at + len(some))
	}
	return nil
}

// mostTextMeanings is how many meanings of facts may be kept of a story before those that
// no fact has any more are let go of.
const mostTextMeanings = 5000

// DropTextMeanings lets go of meanings that belong to none of a story's memories and of
// some texts, where there are very many.
func DropTextMeanings(tx *storage.Tx, scope storage.ScopeID, texts []string) error {
	keep := map[storage.MemoryID]bool{}
	for _, text := range texts {
		keep[storage.MemoryID(storage.IDOf(text))] = true
	}
	var idle []storage.MemoryID
	n := 0
	for id := range storage.Vectors.All(tx, scope) {
		if n++; !keep[id] && !storage.Memories.Has(tx, scope, id) {
			idle = append(idle, id)
		}
	}
	var gone []error
	for _, id := range idle {
		if n > mostTextMeanings {
			gone = append(gone, storage.Vectors.Delete(tx, scope, id))
		}
	}
	return errors.Join(gone...)
}
