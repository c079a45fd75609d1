package settings

import (
	"github.com/ghostlight-theatre/ghostlight/engine/config"
)

// ComfyUI says how pictures are generated, and how the graphics card's memory is managed meanwhile.
type ComfyUI struct {
	URLs           []string `toml:"urls" json:"urls"`
	Headers        []string `toml:"headers" json:"headers"` // "Name: value", secret
	APIKey         string   `toml:"api_key" json:"api_key"` // secret
	UnloadOllama   *bool    `toml:"unload_ollama" json:"unload_ollama"`
	FreeAfter      bool     `toml:"free_after" json:"free_after"`
	TimeoutSeconds int      `toml:"timeout_seconds" json:"timeout_seconds"`
	Style          string   `toml:"style" json:"style"`
	NegativePrompt string   `toml:"negative_prompt" json:"negative_prompt"`
}

// withDefaults returns the section with defaults for what is not set.
func (c ComfyUI) withDefaults() ComfyUI {
	c.Headers = orElse(c.Headers, []string{})
	c.URLs = orElse(c.URLs, []string{config.DefaultComfy})
	c.UnloadOllama = new(!IsOff(c.UnloadOllama))
	return c
}

// VRAM returns how the graphics card's memory is managed, in the engine's form.
func (c ComfyUI) VRAM() config.VRAM {
	return config.VRAM{KeepOllama: IsOff(c.UnloadOllama), FreeComfy: c.FreeAfter}
}

// Images are about pictures that are asked for in the talk.
type Images struct {
	Requests *bool `toml:"requests" json:"requests"`
	Confirm  *bool `toml:"confirm" json:"confirm"`
}

// withDefaults returns the section with defaults for what is not set.
func (s Images) withDefaults() Images {
	return Images{Requests: new(!IsOff(s.Requests)), Confirm: new(!IsOff(s.Confirm))}
}

// Config returns the section in the engine's form.
func (s Images) Config() config.Images {
	return config.Images{Off: IsOff(s.Requests), Unasked: IsOff(s.Confirm)}
}
