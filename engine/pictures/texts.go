package pictures

import (
	"context"
	"sync"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// settingTexts has the user's choice of the prompt form, by workflow.
const settingTexts = "workflow-texts"

// textTimeout limits the time that a server may take to name its models before a prompt is written.
// textTTL is the time that the answer is cached.
const (
	textTimeout = 3 * time.Second
	textTTL     = 5 * time.Minute
)

// textCache caches what servers reported of the models that workflows leave open.
type textCache struct {
	mu    sync.Mutex
	known map[string]cachedText // by the hash of the workflow
}

type cachedText struct {
	text comfy.Text
	at   time.Time
}

// Text returns what the text encoder of a workflow reads best, without asking a server: the user's
// choice, else what the file shows, else what a server last reported.
func (flows *Workflows) Text(w comfy.Workflow) comfy.Text {
	found := w.Inspect().Text
	if !found.Known() {
		flows.texts.mu.Lock()
		found = flows.texts.known[w.Hash()].text
		flows.texts.mu.Unlock()
	}
	said := map[string]string{}
	if err := flows.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(settingTexts, &said)
		return err
	}); err != nil {
		flows.core.Log.Warn("the forms of prompts could not be read", "err", err)
	}
	switch form := said[w.Name]; form {
	case comfy.Prose, comfy.Tags:
		found.Form, found.From = form, "you"
		if form == comfy.Tags && found.Tokens == 0 {
			found.Tokens, found.Encoder = comfy.CLIPTokens, "CLIP"
		}
	}
	return found
}

// SetText stores the form of prompts for a workflow: prose or tags; "" means automatic.
func (flows *Workflows) SetText(name, form string) error {
	if _, err := flows.file(name); err != nil {
		return failure.Wrap("workflow", err)
	}
	if form != "" && form != comfy.Prose && form != comfy.Tags {
		return failure.Wrap("workflow",
			failure.Refusef("the prompt form must be prose or tags, not %q", failure.FirstRunes(form, 40)))
	}
	err := flows.core.Store.Update(func(tx *storage.Tx) error {
		said := map[string]string{}
		if _, err := tx.Setting(settingTexts, &said); err != nil {
			said = map[string]string{}
		}
		delete(said, name)
		if form != "" {
			said[name] = form
		}
		if len(said) > maxMaps {
			return failure.Refusef("%d workflows already have a prompt form: delete some", maxMaps)
		}
		return tx.PutSetting(settingTexts, said)
	})
	if err != nil {
		return failure.Wrap("workflow", err)
	}
	return nil
}

// Form returns how prompts of a kind are written for a workflow, "" for the default one. If its
// file leaves the model open, a server is asked, with a short timeout.
func (flows *Workflows) Form(ctx context.Context, name, kind string) capture.Form {
	w, err := flows.find(name, kind)
	if err != nil {
		return capture.Form{}
	}
	flows.learnText(ctx, w)
	return FormOf(flows.Text(w))
}

// FormOf converts a text encoder's preference to the form of a prompt.
func FormOf(t comfy.Text) capture.Form {
	if !t.Known() {
		return capture.Form{}
	}
	return capture.Form{Tags: t.Form == comfy.Tags, Tokens: t.Tokens, Encoder: t.Encoder}
}

// learnText asks the servers for the model that a workflow leaves open.
func (flows *Workflows) learnText(ctx context.Context, w comfy.Workflow) {
	key, now := w.Hash(), flows.core.Config.Now()
	flows.texts.mu.Lock()
	told, have := flows.texts.known[key]
	flows.texts.mu.Unlock()
	if w.Inspect().Text.Known() || have && now.Sub(told.at) < textTTL && now.Sub(told.at) >= 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, textTimeout)
	defer cancel()
	for _, server := range flows.models.Comfy {
		text, err := server.TextOf(ctx, w)
		if err != nil {
			flows.core.Log.Debug("a server does not name its models", "server", server.BaseURL(), "err", err)
			continue
		}
		flows.texts.mu.Lock()
		defer flows.texts.mu.Unlock()
		if flows.texts.known == nil || len(flows.texts.known) >= maxMaps {
			flows.texts.known = map[string]cachedText{}
		}
		flows.texts.known[key] = cachedText{text, now}
		return
	}
}

// settingLast has the workflow that was chosen last, by kind.
const settingLast = "workflow-last"

// LastUsed returns the workflow that the user chose last, by kind.
func (flows *Workflows) LastUsed() map[string]string {
	out := map[string]string{}
	if err := flows.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(settingLast, &out)
		return err
	}); err != nil {
		flows.core.Log.Warn("the last workflow could not be read", "err", err)
	}
	return out
}

// storeLast stores a choice.
func (flows *Workflows) storeLast(tx *storage.Tx, kind, name string) error {
	last := map[string]string{}
	if _, err := tx.Setting(settingLast, &last); err != nil {
		last = map[string]string{} // an unreadable value must not stop the painting
	}
	if name == "" || last[kind] == name {
		return nil
	}
	last[kind] = name
	return tx.PutSetting(settingLast, last)
}
