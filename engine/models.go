package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ghostlight/engine/crash"
	"ghostlight/engine/ollama"
	"ghostlight/storage"
)

// knownModel is what is known of a model: its limits and how many tokens its
// texts have.
type knownModel struct {
	name    string
	context int // the most it can hold, 0 while unknown
	thinks  bool
	tools   bool // can be offered tools
	meter   *ollama.Meter
}

// rehearsalModel is the one model of the rehearsal server.
const rehearsalModel = "rehearsal:latest"

// modelOf is the model that a chat would ask, "" while none is chosen.
func (e *Engine) modelOf(c storage.Chat) string {
	switch {
	case e.cfg.Model != "":
		return e.cfg.Model
	case e.cfg.Rehearse:
		return rehearsalModel
	case c.Model != "":
		return c.Model
	}
	if m := e.Setting(settingModel); m != "" {
		return m
	}
	return e.cfg.Fallback
}

// chooseModel is modelOf, and the server's only model where none was chosen.
func (e *Engine) chooseModel(ctx context.Context, c storage.Chat) (string, error) {
	if m := e.modelOf(c); m != "" {
		return m, nil
	}
	list, err := e.ollama.Models(ctx)
	if err != nil {
		return "", err
	}
	if len(list) == 1 {
		return list[0].Name, nil
	}
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	slices.Sort(names)
	if len(names) == 0 {
		return "", fmt.Errorf("%w, and the server at %s has none: ghostlight model pull NAME brings one", ErrNoModelChosen, e.ollama.BaseURL())
	}
	return "", fmt.Errorf("%w: choose one of %v with --model NAME or in the program", ErrNoModelChosen, names[:min(len(names), 12)])
}

// know asks the server once for a model's limits.
func (e *Engine) know(ctx context.Context, model string) (*knownModel, error) {
	return e.knowAt(ctx, e.ollama, "", model)
}

// knowAt is know for a profile's server; server is "" for the chats' own.
func (e *Engine) knowAt(ctx context.Context, client *ollama.Client, server, model string) (*knownModel, error) {
	key := model
	if server != "" {
		key = server + " " + model
	}
	e.mu.Lock()
	k := e.models[key]
	e.mu.Unlock()
	if k != nil {
		return k, nil
	}
	d, err := client.Show(ctx, model)
	if err != nil {
		return nil, err
	}
	n := e.newKnown(model)
	n.context, n.thinks, n.tools = d.ContextLength, d.Has("thinking"), d.Has("tools")
	e.mu.Lock()
	defer e.mu.Unlock()
	if k := e.models[key]; k != nil {
		return k, nil // somebody was faster
	}
	e.models[key] = n
	return n, nil
}

// knowOr is know, with a plain guess where the server does not answer.
func (e *Engine) knowOr(ctx context.Context, model string) *knownModel {
	if model != "" {
		if k, err := e.know(ctx, model); err == nil {
			return k
		}
	}
	return e.newKnown(model)
}

func (e *Engine) newKnown(model string) *knownModel {
	ratio := 1.0
	if err := e.store.View(func(tx *storage.Tx) error { _, err := tx.Setting(meterKey(model), &ratio); return err }); err != nil {
		e.log.Warn("reading the token estimate failed", "err", err)
	}
	return &knownModel{name: model, meter: ollama.NewMeter(ratio)}
}

// SetDefaultModel chooses the model that chats without one of their own ask.
func (e *Engine) SetDefaultModel(name string) error {
	if e.cfg.Rehearse {
		return nil
	}
	return e.putSetting(settingModel, name)
}

// SetModel chooses a chat's own model, "" for the default one.
func (e *Engine) SetModel(chat storage.ChatID, name string) error {
	if e.cfg.Rehearse {
		return nil
	}
	return e.change(chat, func(c *storage.Chat) { c.Model = name })
}

// Models lists the models of the server.
func (e *Engine) Models(ctx context.Context) ([]ollama.Model, error) { return e.ollama.Models(ctx) }

// ModelDetails tells about one model.
func (e *Engine) ModelDetails(ctx context.Context, name string) (ollama.Details, error) {
	return e.ollama.Show(ctx, name)
}

// UnloadModels makes the server give the memory of all its models back and
// names them.
func (e *Engine) UnloadModels(ctx context.Context) ([]string, error) { return e.ollama.UnloadAll(ctx) }

// errPulling says that one download at a time is enough.
var errPulling = errors.New("another model is being downloaded already")

// Pull downloads a model and waits for its end. Progress comes by events.
func (e *Engine) Pull(ctx context.Context, name string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	e.mu.Lock()
	if e.pull != nil {
		e.mu.Unlock()
		return errPulling
	}
	e.pull = cancel
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.pull = nil
		e.mu.Unlock()
	}()
	err := e.ollama.Pull(ctx, name, func(p ollama.PullProgress) {
		e.emit(PullProgressed{Model: name, Status: p.Status, Done: p.Done, Total: p.Total})
	})
	if ctx.Err() != nil {
		err = nil // stopped on purpose: what has come stays on the server
		e.emit(Notice{Info, "the download of " + name + " was stopped"})
	}
	e.emit(PullProgressed{Model: name, Finished: true, Err: err})
	return err
}

// PullModel downloads a model behind the play.
func (e *Engine) PullModel(name string) error {
	e.mu.Lock()
	busy := e.pull != nil
	open := !busy && e.enter()
	e.mu.Unlock()
	switch {
	case busy:
		return errPulling
	case !open:
		return storage.ErrClosed
	}
	crash.Go("a download", func() {
		defer e.work.Done()
		_ = e.Pull(e.ctx, name) // told of by its event
	})
	return nil
}

// CancelPull stops the download that runs, if any.
func (e *Engine) CancelPull() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pull != nil {
		e.pull()
	}
}
