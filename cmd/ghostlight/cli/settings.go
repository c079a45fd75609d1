package cli

import (
	"cmp"
	"os"
	"time"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
)

// SettingsInForce are the settings with flags, environment and defaults.
func (app *App) SettingsInForce() settings.Settings { return app.given().WithDefaults() }

// given are the settings with flags and environment.
func (app *App) given() settings.Settings {
	s := app.Settings
	s.Ollama.URL = cmp.Or(app.ollama, s.Ollama.URL, fromOllamaHost(os.Getenv("OLLAMA_HOST")))
	s.Ollama.Model = cmp.Or(app.model, s.Ollama.Model)
	s.ComfyUI.URLs = app.comfyURLs()
	return s
}

// SettingList are all settings as they are in force, and where they came from.
func (app *App) SettingList() ([]config.Setting, error) {
	list, err := settings.File{Path: app.Dirs.File}.List(app.given())
	for i, s := range list {
		switch {
		case s.Name == "ollama.url" && app.ollama != "", s.Name == "ollama.model" && app.model != "", s.Name == "comfyui.urls" && len(app.comfy) > 0:
			list[i].Source = config.FromFlag
		case s.Name == "ollama.url" && s.Source == config.FromDefault && fromOllamaHost(os.Getenv("OLLAMA_HOST")) != "":
			list[i].Source = config.FromEnvironment
		}
	}
	return list, err
}

// SetSetting writes a setting into the config file, by the rules of its reader.
func (app *App) SetSetting(name, value string) (config.Setting, error) {
	return app.changed(name, func(f settings.File) (settings.Settings, error) { return f.Set(name, value) })
}

// UnsetSetting takes a setting out of the config file, so that its default counts.
func (app *App) UnsetSetting(name string) (config.Setting, error) {
	return app.changed(name, func(f settings.File) (settings.Settings, error) { return f.Unset(name) })
}

func (app *App) changed(name string, change func(settings.File) (settings.Settings, error)) (config.Setting, error) {
	s, err := change(settings.File{Path: app.Dirs.File})
	if err != nil {
		return config.Setting{}, err
	}
	app.changing.Lock()
	app.Settings = s
	app.changing.Unlock()
	list, err := app.SettingList()
	for _, s := range list {
		if s.Name == name {
			return s, err
		}
	}
	return config.Setting{Name: name, Choices: []string{}, Source: config.FromDefault}, err // a name of the user's own that was taken out
}

// Reconfigure has an engine that Open opened go by the settings as they are now.
func (app *App) Reconfigure(e *engine.Engine, program string) {
	e.Reconfigure(app.engineConfig(program))
}

// engineConfig is what settings, flags and folders say of an engine, its servers left
// out.
func (app *App) engineConfig(program string) config.Config {
	s := app.Settings
	cfg := config.Config{
		DataDir: app.Dirs.Data, ConfigDir: app.Dirs.Config, Unlock: app.Unlock, Model: app.model, Fallback: s.Ollama.Model,
		KeepAlive: s.Ollama.Kept(), Patience: s.Ollama.Patience(), OllamaHeaders: s.Ollama.Headers, ComfyHeaders: s.ComfyUI.Headers,
		Sampling: s.Ollama.Profile(), VRAM: s.ComfyUI.VRAM(), Images: s.Images.Config(),
		CaptureTimeout: time.Duration(s.ComfyUI.TimeoutSeconds) * time.Second,
		Style:          s.ComfyUI.Style, Negative: s.ComfyUI.NegativePrompt,
		Scenes: s.Scenes.Config(), Memory: s.Memory.Config(), Lore: s.Lore.Config(), Stage: s.Stage(program == OnScreen),
		Jobs: s.Queue.Config(), Taste: s.Taste.Config(), Voice: s.Voice.Config(),
		Rehearse: app.Rehearse, Program: program, Version: app.Version, Log: app.Log,
	}
	if app.Rehearse {
		cfg.Stage.EmbedServer = "" // no real server is asked
	}
	return cfg
}
