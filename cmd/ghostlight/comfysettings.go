package main

import (
	"ghostlight/engine/config"
)

// comfySettings say how pictures are painted, and what is done about the memory of
// the graphics card around that.
type comfySettings struct {
	URLs           []string `toml:"urls" json:"urls"`
	UnloadOllama   *bool    `toml:"unload_ollama" json:"unload_ollama"`
	VerifyUnload   *bool    `toml:"verify_unload" json:"verify_unload"`
	HoldLanguage   *bool    `toml:"hold_language_model" json:"hold_language_model"`
	FreeAfter      bool     `toml:"free_after" json:"free_after"`
	WarmAfter      *bool    `toml:"warm_after" json:"warm_after"`
	TimeoutSeconds int      `toml:"timeout_seconds" json:"timeout_seconds"`
	Style          string   `toml:"style" json:"style"`
	NegativePrompt string   `toml:"negative_prompt" json:"negative_prompt"`
}

// effective is what the section comes to with the defaults.
func (c comfySettings) effective() comfySettings {
	c.UnloadOllama, c.VerifyUnload = new(!isOff(c.UnloadOllama)), new(!isOff(c.VerifyUnload))
	c.HoldLanguage, c.WarmAfter = new(!isOff(c.HoldLanguage)), new(!isOff(c.WarmAfter))
	return c
}

func (c comfySettings) vram() config.VRAM {
	return config.VRAM{KeepOllama: isOff(c.UnloadOllama), NoVerify: isOff(c.VerifyUnload), NoHold: isOff(c.HoldLanguage),
		FreeComfy: c.FreeAfter, NoWarm: isOff(c.WarmAfter)}
}
