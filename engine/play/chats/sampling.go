package chats

import (
	"cmp"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// UseSampling sets the samplers of a chat to those of a profile. Of the other sampling values it
// takes those that the profile sets. It ignores the server and the model of the profile.
func (svc *Service) UseSampling(chat storage.ChatID, from storage.Profile) error {
	return svc.ChangeSampling(chat, func(p *storage.Profile) (err error) {
		*p, err = models.WithSamplers(*p, from)
		return err
	})
}

// SetSampling sets one of models.SamplingNames for a chat; "" removes it.
func (svc *Service) SetSampling(chat storage.ChatID, name, text string) error {
	return svc.ChangeSampling(chat, func(p *storage.Profile) error { return models.SamplingFields.Set(p, name, text) })
}

// ChangeSampling changes a chat's sampling. The change can be undone.
func (svc *Service) ChangeSampling(chat storage.ChatID, change func(*storage.Profile) error) error {
	var c storage.Chat
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) { c, err = storage.Chats.Get(tx, chat); return err })
	if err != nil {
		return failure.Wrap("change chat", err)
	}
	model := svc.models.ModelOf(c) // outside the transaction below, as it may read the store
	var refused error
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		was := c.Sampling
		if refused = change(&c.Sampling); refused == nil {
			refused = svc.models.CheckSampling(c, model, c.Sampling)
		}
		if refused != nil {
			return refused
		}
		said, says := samplingWords(was, c.Sampling)
		if said == says {
			return nil
		}
		if err := storage.Chats.Put(tx, chat, c); err != nil {
			return err
		}
		return svc.note(tx, chat, storage.Change{Kind: storage.ChangeSampling, Sampling: &was,
			Was: &storage.TextState{Text: said}, Now: &storage.TextState{Text: says}})
	})
	switch {
	case refused != nil:
		return refused
	case err != nil:
		return failure.Wrap("change chat", err)
	}
	svc.core.Emit(ChatChanged{chat})
	svc.core.Emit(ChatsChanged{})
	return nil
}

// samplingWords returns the sampling values of was and now that differ, as text.
func samplingWords(was, now storage.Profile) (said, says string) {
	var before, after []string
	for _, name := range models.SamplingNames() {
		a, b := models.SamplingText(was, name), models.SamplingText(now, name)
		if a != b {
			before = append(before, name+" "+cmp.Or(a, "-"))
			after = append(after, name+" "+cmp.Or(b, "-"))
		}
	}
	return strings.Join(before, ", "), strings.Join(after, ", ")
}

// swapSampling sets a chat's sampling to that of a change, and stores the old sampling in the
// change.
func swapSampling(tx *storage.Tx, chat storage.ChatID, c *storage.Change) (bool, error) {
	at, err := storage.Chats.Get(tx, chat)
	if err != nil || c.Sampling == nil {
		return false, err
	}
	was := at.Sampling
	at.Sampling, c.Sampling = *c.Sampling, &was
	return true, storage.Chats.Put(tx, chat, at)
}
