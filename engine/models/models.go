package models

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// KnownModel holds the known properties of a model: its limits and the number of tokens in its
// texts.
type KnownModel struct {
	Name           string
	context        int // the longest context, 0 while unknown
	Thinks         bool
	Tools          bool     // can be offered tools
	CannotContinue bool     // cannot go on from the beginning of a reply
	TemplateTokens []string // that its template puts between messages
	Meter          *ollama.Meter
}

// demoModel is the one model of the demo server.
const demoModel = "demo:latest"

// ModelOf returns the model that a chat would ask, "" while none is chosen.
func (svc *Service) ModelOf(c storage.Chat) string {
	switch {
	case svc.core.Settings().Model != "":
		return svc.core.Settings().Model
	case svc.core.Config.Demo:
		return demoModel
	case c.Model != "":
		return c.Model
	}
	if m := svc.chosenModel(); m != "" {
		return m
	}
	return svc.core.Settings().Fallback
}

// settingModel is the key of the model that the user chose last.
const settingModel = "model"

// chosenModel returns the model that the user chose last, "" when there is none.
func (svc *Service) chosenModel() (name string) {
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(settingModel, &name)
		return err
	}); err != nil {
		svc.core.Log.Warn("reading a setting failed", "key", settingModel, "err", err)
	}
	return name
}

// ChooseModel is ModelOf, or the server's only model if none is chosen.
func (svc *Service) ChooseModel(ctx context.Context, c storage.Chat) (string, error) {
	if m := svc.ModelOf(c); m != "" {
		return m, nil
	}
	list, err := svc.Ollama.Models(ctx)
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
		return "", fmt.Errorf("%w, and the server at %s has none: ghostlight model pull NAME downloads one",
			failure.ErrNoModelChosen, svc.Ollama.BaseURL())
	}
	return "", fmt.Errorf("%w: choose one of %v with --model NAME or in the program", failure.ErrNoModelChosen,
		names[:min(len(names), 12)])
}

// Model returns a model's properties. It asks the server once per model.
func (svc *Service) Model(ctx context.Context, model string) (*KnownModel, error) {
	return svc.modelAt(ctx, svc.Ollama, "", model)
}

// modelAt is Model for a profile's server; server is "" for the chats' own.
func (svc *Service) modelAt(ctx context.Context, client *ollama.Client, server, model string) (*KnownModel, error) {
	key := model
	if server != "" {
		key = server + " " + model
	}
	svc.mu.Lock()
	k := svc.models[key]
	svc.mu.Unlock()
	if k != nil {
		return k, nil
	}
	d, err := client.Show(ctx, model)
	if err != nil {
		return nil, err
	}
	n := svc.NewKnownModel(model)
	n.context, n.Thinks, n.Tools, n.CannotContinue, n.TemplateTokens = d.ContextLength, d.Has("thinking"),
		d.Has("tools"),
		d.CannotContinue, d.TemplateTokens
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if k := svc.models[key]; k != nil {
		return k, nil // somebody was faster
	}
	svc.models[key] = n
	return n, nil
}

// ModelOr is Model, with a guess if the server does not answer.
func (svc *Service) ModelOr(ctx context.Context, model string) *KnownModel {
	if model != "" {
		if k, err := svc.Model(ctx, model); err == nil {
			return k
		}
	}
	return svc.NewKnownModel(model)
}

// NewKnownModel returns the properties of a model before its server was asked.
func (svc *Service) NewKnownModel(model string) *KnownModel {
	ratio := 1.0
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(MeterKey(model), &ratio)
		return err
	}); err != nil {
		svc.core.Log.Warn("reading the token estimate failed", "err", err)
	}
	return &KnownModel{Name: model, Meter: ollama.NewMeter(ratio)}
}

// SetDefaultModel sets the model for chats without one of their own.
func (svc *Service) SetDefaultModel(name string) error {
	if svc.core.Config.Demo {
		return nil
	}
	return svc.core.Store.Update(func(tx *storage.Tx) error { return tx.PutSetting(settingModel, name) })
}

// Models lists the models of the server.
func (svc *Service) Models(ctx context.Context) ([]ollama.Model, error) {
	return svc.Ollama.Models(ctx)
}

// ModelDetails returns the details of a model.
func (svc *Service) ModelDetails(ctx context.Context, name string) (ollama.Details, error) {
	return svc.Ollama.Show(ctx, name)
}

// UnloadModels unloads all models of the server and returns their names.
func (svc *Service) UnloadModels(ctx context.Context) ([]string, error) {
	names, err := svc.Ollama.UnloadAll(ctx)
	if len(names) > 0 {
		svc.Unloaded.Run(names)
	}
	return names, err
}

// errPulling: only one download runs at a time.
var errPulling = errors.New("another download is already running")

// download downloads a model and waits for its end. Progress comes by events.
func (svc *Service) download(ctx context.Context, name string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	svc.mu.Lock()
	if svc.pull != nil {
		svc.mu.Unlock()
		return errPulling
	}
	svc.pull = cancel
	svc.mu.Unlock()
	defer func() {
		svc.mu.Lock()
		svc.pull = nil
		svc.mu.Unlock()
	}()
	err := svc.Ollama.Pull(ctx, name, func(p ollama.PullProgress) {
		svc.core.Emit(PullProgressed{Model: name, Status: p.Status, Done: p.Done, Total: p.Total})
	})
	if ctx.Err() != nil {
		err = nil // stopped on purpose: the server keeps the finished parts
		svc.core.Emit(event.Notice{Level: event.Info, Text: "the download of " + name + " was stopped"})
	}
	svc.core.Emit(PullProgressed{Model: name, Finished: true, Err: err})
	return err
}

// PullModel downloads a model in the background.
func (svc *Service) PullModel(name string) error {
	svc.mu.Lock()
	busy := svc.pull != nil
	open := !busy && svc.core.BeginWork()
	svc.mu.Unlock()
	switch {
	case busy:
		return errPulling
	case !open:
		return storage.ErrClosed
	}
	crash.Go("a download", func() {
		defer svc.core.Work.Done()
		_ = svc.download(svc.core.Ctx, name) // the error is in its event
	})
	return nil
}

// CancelPull stops the download that runs, if any.
func (svc *Service) CancelPull() {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if svc.pull != nil {
		svc.pull()
	}
}

// refusedMore is the assumed length of a refused prompt, as a multiple of the context, if nobody
// has counted it.
const refusedMore = 1.25

// LearnRefused corrects and stores the token estimate of a model after its server has refused a
// prompt as too long. estimated is the meter's estimate, tokens the real number, 0 if unknown. It
// reports whether the estimate has changed: if not, the same prompt would be built again.
func (svc *Service) LearnRefused(model string, meter *ollama.Meter, estimated, tokens, context int) bool {
	if tokens <= 0 {
		tokens = int(refusedMore * float64(context))
	}
	before := meter.Ratio()
	meter.Refused(estimated, tokens)
	ratio := meter.Ratio()
	svc.core.Log.Info("a prompt was longer than estimated", "model", model, "estimated", estimated, "tokens", tokens,
		"context", context, "ratio", ratio)
	if ratio == before {
		return false
	}
	if err := svc.core.Store.Update(func(tx *storage.Tx) error {
		return tx.PutSetting(MeterKey(model), ratio)
	}); err != nil {
		svc.core.Log.Warn("keeping the estimate of tokens failed", "model", model, "err", err)
	}
	return true
}

// MeterKey returns the key of the setting that stores a model's token ratio.
func MeterKey(model string) string { return "meter/" + model }
