package cli

import (
	"cmp"
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
)

// SettingsInForce returns the settings with flags, environment and defaults.
func (app *App) SettingsInForce() settings.Settings { return app.given().WithDefaults() }

// Current returns the settings of the config file as they were read or written last. It is safe
// for concurrent use.
func (app *App) Current() settings.Settings {
	app.changing.Lock()
	defer app.changing.Unlock()
	return app.Settings
}

// given returns the settings with flags and environment.
func (app *App) given() settings.Settings {
	s := app.Current()
	s.Ollama.URL = cmp.Or(app.ollama, s.Ollama.URL, fromOllamaHost(os.Getenv("OLLAMA_HOST")))
	s.Ollama.Model = cmp.Or(app.model, s.Ollama.Model)
	s.ComfyUI.URLs = app.comfyURLs()
	return s
}

// SettingList returns all settings in force, with their sources.
func (app *App) SettingList() ([]config.Setting, error) {
	list, err := settings.File{Path: app.Dirs.File}.List(app.given())
	for i, s := range list {
		switch {
		case s.Name == "ollama.url" && app.ollama != "", s.Name == "ollama.model" && app.model != "",
			s.Name == "comfyui.urls" && len(app.comfy) > 0:
			list[i].Source = config.FromFlag
		case s.Name == "ollama.url" && s.Source == config.FromDefault && fromOllamaHost(os.Getenv("OLLAMA_HOST")) != "":
			list[i].Source = config.FromEnvironment
		}
	}
	return list, err
}

// NoteOutdated says which settings of the config file count no longer.
func (app *App) NoteOutdated() {
	if words := app.Current().OutdatedWords(); words != "" {
		app.Note("note: %s", words)
	}
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
	// It is a name of the user's own that was taken out.
	return config.Setting{Name: name, Choices: []string{}, Source: config.FromDefault}, err
}

// Reconfigure applies the present settings to an engine that Open opened.
func (app *App) Reconfigure(e *engine.Engine) {
	e.Reconfigure(app.engineConfig(app.program))
}

// Reload applies the config file to the front end that these commands run in, and returns the names
// of the settings that have changed.
func (app *App) Reload() (names []string, err error) {
	front := app.front
	before, err := front.SettingList()
	if err != nil {
		return nil, err
	}
	s, err := settings.Read(front.Dirs.File, front.Dirs.named)
	if err != nil {
		return nil, err
	}
	front.changing.Lock()
	front.Settings = s
	front.changing.Unlock()
	front.Reconfigure(app.shared)
	after, err := front.SettingList()
	if err != nil {
		return nil, err
	}
	was := map[string]config.Setting{}
	for _, s := range before {
		was[s.Name] = s
	}
	for _, s := range after {
		if w, met := was[s.Name]; !met || w.Value != s.Value || w.Source != s.Source {
			names = append(names, s.Name)
		}
		delete(was, s.Name)
	}
	names = append(names, slices.Sorted(maps.Keys(was))...) // of the user's own that were taken out
	if len(names) == 0 {
		return nil, nil
	}
	return names, app.shared.Settings.Tell(names)
}

// ReloadOpenProgram has the open program, if there is one, reload the config file that this run has
// changed. If it cannot, because it uses another config file or is another version, a note says so;
// the change to the file is kept.
func (app *App) ReloadOpenProgram(ctx context.Context) {
	var err error
	if app.IsInside() {
		_, err = app.Reload()
	} else if app.Args != nil {
		other := *app
		other.Args, other.In, other.Out, other.Err = []string{"config", "reload"}, strings.NewReader(""),
			io.Discard, io.Discard
		_, err = other.ask(ctx)
	}
	if err != nil {
		app.Note("the open program keeps its old settings: %v", err)
	}
}

// engineConfig returns what settings, flags and folders say of an engine, its servers left
// out.
func (app *App) engineConfig(program string) config.Config {
	s := app.Current()
	cfg := config.Config{
		DataDir: app.Dirs.Data, ConfigDir: app.Dirs.Config, Unlock: app.Unlock, Model: app.model,
		Fallback:  s.Ollama.Model,
		KeepAlive: s.Ollama.Kept(), GiveUp: s.Ollama.GiveUp(), OllamaHeaders: s.Ollama.Headers,
		ComfyHeaders: s.ComfyUI.Headers,
		ComfyKey:     s.ComfyUI.APIKey,
		Sampling:     s.Ollama.Profile(), VRAM: s.ComfyUI.VRAM(), Images: s.Images.Config(),
		CaptureTimeout: time.Duration(s.ComfyUI.TimeoutSeconds) * time.Second,
		Style:          s.ComfyUI.Style, Negative: s.ComfyUI.NegativePrompt,
		Scenes: s.Scenes.Config(), Memory: s.Memory.Config(), Lore: s.Lore.Config(),
		Stage: s.Stage(program == OnScreen),
		Jobs:  s.Queue.Config(), Taste: s.Taste.Config(), Voice: s.Voice.Config(),
		Demo: app.Demo, Program: program, Version: app.Version, Log: app.Log,
	}
	if app.Demo {
		cfg.Stage.EmbedServer = "" // no real server is asked
	}
	return cfg
}
