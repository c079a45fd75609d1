package ollama

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

const (
	maxModels   = 10000
	unloadPause = 20 * time.Millisecond
	unloadWait  = 5 * time.Second
)

// Model is a model that the server has on its disk.
type Model struct {
	Name          string    `json:"name"`
	Digest        string    `json:"-"`
	Size          int64     `json:"size"` // bytes
	Family        string    `json:"family"`
	ParameterSize string    `json:"parameter_size"`
	Quantization  string    `json:"quantization"`
	Modified      time.Time `json:"modified_at"`
}

// Details holds the server's information about a model. ContextLength is the longest context the
// model was made for, 0 if the server does not report it.
type Details struct {
	Name          string   `json:"name"`
	ContextLength int      `json:"context_length"`
	Capabilities  []string `json:"capabilities"`
	Family        string   `json:"family"`
	ParameterSize string   `json:"parameter_size"`
	Quantization  string   `json:"quantization"`
	// CannotContinue means that the model cannot continue a reply that has begun: its template ends the
	// last message, whatever it is.
	CannotContinue bool `json:"begins_anew"`
	// TemplateTokens are the signs that its template puts between messages.
	TemplateTokens []string `json:"-"`
}

// Has reports whether the model has a capability, such as thinking or completion.
func (d Details) Has(capability string) bool { return slices.Contains(d.Capabilities, capability) }

// Loaded is a model in memory. ContextLength is the context it runs with.
type Loaded struct {
	Name          string
	Size, VRAM    int64 // bytes in all, and of them on the GPU
	ContextLength int
	Expires       time.Time
}

// Version returns the server's version. It is the cheapest way to find out whether the server
// answers.
func (c *Client) Version(ctx context.Context) (string, error) {
	k := c.short(ctx)
	defer k.end()
	v, err := k.Version(k.ctx)
	if err != nil || v == "" {
		return "", c.failed(ctx, "version", "", k, err)
	}
	return clip(v), nil
}

// Models returns the models on the server's disk in the server's order: newest first.
func (c *Client) Models(ctx context.Context) ([]Model, error) {
	k := c.short(ctx)
	defer k.end()
	list, err := k.List(k.ctx)
	if err != nil || list.Models == nil {
		return nil, c.failed(ctx, "models", "", k, err)
	}
	out := make([]Model, 0, len(list.Models))
	for _, m := range list.Models[:min(len(list.Models), maxModels)] {
		out = append(out, Model{
			Name: clip(m.Name), Digest: clip(m.Digest), Size: m.Size, Modified: m.ModifiedAt,
			Family: clip(m.Details.Family), ParameterSize: clip(m.Details.ParameterSize),
			Quantization: clip(m.Details.QuantizationLevel),
		})
	}
	return out, nil
}

// Show returns the details of a model.
func (c *Client) Show(ctx context.Context, name string) (Details, error) {
	if why := badName(name); why != "" {
		return Details{}, c.refuse("show", name, why)
	}
	k := c.short(ctx)
	defer k.end()
	s, err := k.Show(k.ctx, &api.ShowRequest{Model: name})
	if err != nil || s.ModelInfo == nil && s.Modelfile == "" && s.Details.Family == "" {
		return Details{}, c.failed(ctx, "show", name, k, err)
	}
	d := Details{
		Name: name, Family: clip(s.Details.Family), ParameterSize: clip(s.Details.ParameterSize),
		Quantization:   clip(s.Details.QuantizationLevel),
		CannotContinue: closesReply(s.Template), TemplateTokens: signsOf(s.Template),
	}
	for _, one := range s.Capabilities[:min(len(s.Capabilities), 32)] {
		d.Capabilities = append(d.Capabilities, clip(string(one)))
	}
	if arch, ok := s.ModelInfo["general.architecture"].(string); ok {
		if n, ok := s.ModelInfo[arch+".context_length"].(float64); ok && n > 0 && n < 1<<31 {
			d.ContextLength = int(n)
		}
	}
	return d, nil
}

// Running returns the models in memory.
func (c *Client) Running(ctx context.Context) ([]Loaded, error) {
	k := c.short(ctx)
	defer k.end()
	list, err := k.ListRunning(k.ctx)
	if err != nil || list.Models == nil {
		return nil, c.failed(ctx, "running", "", k, err)
	}
	out := make([]Loaded, 0, len(list.Models))
	for _, m := range list.Models[:min(len(list.Models), maxModels)] {
		out = append(out, Loaded{Name: clip(m.Name), Size: m.Size, VRAM: m.SizeVRAM, ContextLength: m.ContextLength,
			Expires: m.ExpiresAt})
	}
	return out, nil
}

// Unload unloads a model from memory and returns when it is gone. A model that is still answering
// is unloaded when it is done: if that takes more than 5 seconds the error is ErrBusy.
func (c *Client) Unload(ctx context.Context, name string) error {
	if why := badName(name); why != "" {
		return c.refuse("unload", name, why)
	}
	k := c.short(ctx)
	defer k.end()
	stream := false
	req := &api.ChatRequest{Model: name, Messages: []api.Message{}, KeepAlive: &api.Duration{}, Stream: &stream}
	seen := false
	err := k.chat(req, func(line api.ChatResponse) error { seen = seen || line.Done; return nil })
	if err != nil || !seen {
		return c.failed(ctx, "unload", name, k, err)
	}
	if err := c.gone(ctx, name); err != nil {
		return err
	}
	c.cache.forget(name)
	return nil
}

// gone waits until a model is unloaded.
func (c *Client) gone(ctx context.Context, name string) error {
	deadline := time.Now().Add(unloadWait)
	tick := time.NewTicker(unloadPause)
	defer tick.Stop()
	for {
		list, err := c.Running(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(list, func(l Loaded) bool { return SameModel(l.Name, name) }) {
			return nil
		}
		if time.Now().After(deadline) {
			return &Error{Op: "unload", URL: c.BaseURL(), Model: name, Kind: ErrBusy, Text: "the model is still in use"}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("ollama unload: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

// UnloadAll unloads every model from memory and returns the names of the unloaded ones, also with
// an error.
func (c *Client) UnloadAll(ctx context.Context) ([]string, error) {
	list, err := c.Running(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range list {
		if slices.Contains(names, l.Name) {
			continue
		}
		if err := c.Unload(ctx, l.Name); err != nil {
			return names, err
		}
		names = append(names, l.Name)
	}
	return names, nil
}

// failed is fail, with errNoReply for complete answers that are not Ollama's.
func (c *Client) failed(ctx context.Context, op, model string, k *call, err error) error {
	if err == nil && !k.w.broken() {
		err = errNoReply
	}
	return c.fail(ctx, op, model, k, err)
}

// SameModel reports whether two names mean the same model, as the server compares them: the tag
// latest may be left out.
func SameModel(a, b string) bool {
	full := func(s string) string {
		if !strings.Contains(s[strings.LastIndexByte(s, '/')+1:], ":") {
			s += ":latest"
		}
		return strings.ToLower(s)
	}
	return full(a) == full(b)
}

func badName(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "no model is named"
	case len(name) > 500 || clip(name) != name:
		return "that is not the name of a model"
	}
	return ""
}
