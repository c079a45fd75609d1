package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"ghostlight/engine/config"
	"ghostlight/engine/ollama"
	"ghostlight/storage"
)

// configLimit is the largest config file that is read.
const configLimit = 1 << 20

// places are the folders and files of a run, all absolute.
type places struct {
	data, config, state string
	file                string // the config file
	named               bool   // by the user, so that it has to be there
}

func (p places) log() string { return filepath.Join(p.state, "ghostlight.log") }

// findPlaces finds the folders. The config file's folder is also where prompts,
// themes and workflows lie.
func findPlaces(data, file string) (p places, err error) {
	p = places{data: filepath.Join(xdg.DataHome, "ghostlight"), config: filepath.Join(xdg.ConfigHome, "ghostlight"),
		state: filepath.Join(xdg.StateHome, "ghostlight")}
	if data != "" {
		if p.data, err = absolute(data); err != nil {
			return p, fmt.Errorf("--data: %w", err)
		}
	}
	if home, err := os.UserHomeDir(); err != nil || !filepath.IsAbs(home) {
		if err := p.withoutHome(data != ""); err != nil {
			return p, err
		}
	}
	if info, err := os.Stat(p.data); err == nil && !info.IsDir() {
		fault := p.data + " is a file; what Ghostlight keeps needs a folder"
		if data != "" {
			return p, misuse{"--data: " + fault}
		}
		return p, errors.New(fault)
	}
	p.file = filepath.Join(p.config, "config.toml")
	if file != "" {
		if p.file, err = absolute(file); err != nil {
			return p, fmt.Errorf("--config: %w", err)
		}
		p.config, p.named = filepath.Dir(p.file), true
	}
	return p, nil
}

// withoutHome moves the folders that nobody named into the data folder, where
// the user named that one.
func (p *places) withoutHome(named bool) error {
	for name, at := range map[string]*string{"XDG_CONFIG_HOME": &p.config, "XDG_STATE_HOME": &p.state, "XDG_DATA_HOME": &p.data} {
		switch {
		case filepath.IsAbs(os.Getenv(name)) || named && at == &p.data:
		case !named:
			return errors.New("there is no home folder to keep things in, as HOME is not set to a full path; --data DIR names a folder")
		case at == &p.config:
			*at = filepath.Join(p.data, "config")
		default:
			*at = filepath.Join(p.data, "state")
		}
	}
	return nil
}

// settings are what the config file says. Zero fields were not said.
type settings struct {
	Ollama   ollamaSettings      `toml:"ollama" json:"ollama"`
	Scenes   sceneSettings       `toml:"scenes" json:"scenes"`
	Memory   memorySettings      `toml:"memory" json:"memory"`
	Lore     loreSettings        `toml:"lore" json:"lore"`
	Director directorSettings    `toml:"director" json:"director"`
	Remember rememberSettings    `toml:"remember" json:"remember"`
	Taste    tasteSettings       `toml:"taste" json:"taste"`
	Prompt   promptSettings      `toml:"prompt" json:"prompt"`
	Queue    queueSettings       `toml:"queue" json:"queue"`
	ComfyUI  comfySettings       `toml:"comfyui" json:"comfyui"`
	Images   imageSettings       `toml:"images" json:"images"`
	UI       screenSettings      `toml:"ui" json:"ui"`
	Keys     map[string][]string `toml:"keys" json:"keys"`
	Quick    []quickSetting      `toml:"quick_replies" json:"quick_replies"`
}

type ollamaSettings struct {
	URL           string   `toml:"url" json:"url"`
	Model         string   `toml:"model" json:"model"`
	NumCtx        int      `toml:"num_ctx" json:"num_ctx"`
	NumPredict    int      `toml:"num_predict" json:"num_predict"`
	Temperature   *float64 `toml:"temperature" json:"temperature"`
	TopP          *float64 `toml:"top_p,omitempty" json:"top_p,omitempty"`
	TopK          *int     `toml:"top_k,omitempty" json:"top_k,omitempty"`
	MinP          *float64 `toml:"min_p,omitempty" json:"min_p,omitempty"`
	RepeatPenalty *float64 `toml:"repeat_penalty,omitempty" json:"repeat_penalty,omitempty"`
	Seed          *int     `toml:"seed,omitempty" json:"seed,omitempty"`
	Stop          []string `toml:"stop,omitempty" json:"stop,omitempty"`
	Think         *bool    `toml:"think,omitempty" json:"think,omitempty"`
}

func (o ollamaSettings) profile() storage.Profile {
	return storage.Profile{NumCtx: o.NumCtx, NumPredict: o.NumPredict, Temperature: o.Temperature, TopP: o.TopP, TopK: o.TopK,
		MinP: o.MinP, RepeatPen: o.RepeatPenalty, Seed: o.Seed, Stop: o.Stop, Think: o.Think}
}

type screenSettings struct {
	Theme  string `toml:"theme" json:"theme"`
	Dark   string `toml:"dark" json:"dark"`     // auto, dark or light
	Images string `toml:"images" json:"images"` // auto, kitty, sixel, iterm, blocks or off
}

func (s screenSettings) dark() *bool {
	switch yes, no := true, false; s.Dark {
	case "dark":
		return &yes
	case "light":
		return &no
	}
	return nil
}

// readSettings reads the config file where there is one.
func readSettings(p places) (settings, error) {
	f, err := os.Open(p.file)
	if errors.Is(err, fs.ErrNotExist) && !p.named {
		return settings{}, nil
	}
	if err != nil {
		return settings{}, fmt.Errorf("the config file cannot be read: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, configLimit+1))
	_ = f.Close() // was only read
	if err != nil {
		return settings{}, fmt.Errorf("the config file cannot be read: %w", err)
	}
	if len(data) > configLimit {
		return settings{}, fmt.Errorf("%s is larger than a config file can be", p.file)
	}
	return parseSettings(p.file, data)
}

// effective is what the settings come to with flags, environment and defaults.
func (d *door) effective() settings {
	s := d.set
	s.Ollama.URL = first(d.ollama, s.Ollama.URL, fromOllamaHost(os.Getenv("OLLAMA_HOST")), ollama.DefaultURL)
	s.Ollama.Model = first(d.model, s.Ollama.Model)
	s.ComfyUI.URLs = orElse(orElse(d.comfy, s.ComfyUI.URLs), []string{config.DefaultComfy})
	if s.Ollama.NumCtx == 0 {
		s.Ollama.NumCtx = config.DefaultContext
	}
	if s.Ollama.NumPredict == 0 {
		s.Ollama.NumPredict = config.DefaultReply
	}
	if s.Ollama.Temperature == nil {
		t := config.DefaultTemperature
		s.Ollama.Temperature = &t
	}
	s.Scenes, s.Memory, s.Lore, s.Queue = s.Scenes.effective(), s.Memory.effective(), s.Lore.effective(), s.Queue.effective()
	s.Director, s.Remember, s.Prompt, s.Quick = s.Director.effective(), s.Remember.effective(), s.Prompt.effective(), effectiveQuick(s.Quick)
	s.Taste = s.Taste.effective()
	s.ComfyUI, s.Images = s.ComfyUI.effective(), s.Images.effective()
	s.UI.Dark, s.UI.Images = first(s.UI.Dark, "auto"), first(s.UI.Images, "auto")
	if s.Keys == nil {
		s.Keys = map[string][]string{}
	}
	return s
}
