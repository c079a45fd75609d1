package main

import "ghostlight/engine"

type comfySettings struct {
	URLs           []string `toml:"urls" json:"urls"`
	UnloadOllama   *bool    `toml:"unload_ollama" json:"unload_ollama"`
	FreeAfter      bool     `toml:"free_after" json:"free_after"`
	TimeoutSeconds int      `toml:"timeout_seconds" json:"timeout_seconds"`
	Style          string   `toml:"style" json:"style"`
	NegativePrompt string   `toml:"negative_prompt" json:"negative_prompt"`
}

// effective is what the section comes to with the defaults.
func (c comfySettings) effective() comfySettings {
	unload := c.unload()
	c.UnloadOllama = &unload
	return c
}

func (c comfySettings) unload() bool { return c.UnloadOllama == nil || *c.UnloadOllama }

func (c comfySettings) vram() engine.VRAMConfig {
	return engine.VRAMConfig{KeepOllama: !c.unload(), FreeComfy: c.FreeAfter}
}

// imageSettings are about pictures that are asked for in the talk.
type imageSettings struct {
}

func (s imageSettings) effective() imageSettings { return s }

func (s imageSettings) config() engine.ImageConfig { return engine.ImageConfig{} }
