package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"github.com/pelletier/go-toml/v2"

	"ghostlight/engine"
	"ghostlight/engine/comfy"
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
	p.file = filepath.Join(p.config, "config.toml")
	if file != "" {
		if p.file, err = absolute(file); err != nil {
			return p, fmt.Errorf("--config: %w", err)
		}
		p.config, p.named = filepath.Dir(p.file), true
	}
	return p, nil
}

// settings are what the config file says. Zero fields were not said.
type settings struct {
	Ollama  ollamaSettings      `toml:"ollama" json:"ollama"`
	ComfyUI comfySettings       `toml:"comfyui" json:"comfyui"`
	UI      screenSettings      `toml:"ui" json:"ui"`
	Keys    map[string][]string `toml:"keys" json:"keys"`
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

type comfySettings struct {
	URLs           []string `toml:"urls" json:"urls"`
	UnloadOllama   *bool    `toml:"unload_ollama" json:"unload_ollama"`
	FreeAfter      bool     `toml:"free_after" json:"free_after"`
	TimeoutSeconds int      `toml:"timeout_seconds" json:"timeout_seconds"`
	Style          string   `toml:"style" json:"style"`
	NegativePrompt string   `toml:"negative_prompt" json:"negative_prompt"`
}

func (c comfySettings) unload() bool { return c.UnloadOllama == nil || *c.UnloadOllama }

type screenSettings struct {
	Theme  string `toml:"theme" json:"theme"`
	Dark   string `toml:"dark" json:"dark"`     // auto, dark or light
	Images string `toml:"images" json:"images"` // auto, kitty, blocks or off
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

// parseSettings reads settings strictly: what is not known is a fault, because
// it is mostly a slip of the pen.
func parseSettings(name string, data []byte) (s settings, err error) {
	err = toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&s)
	var unknown *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		var faults []string
		for _, e := range unknown.Errors {
			row, col := e.Position()
			faults = append(faults, fmt.Sprintf("%s:%d:%d: there is no setting %s", name, row, col, strings.Join(e.Key(), ".")))
		}
		return s, errors.New(strings.Join(faults, "\n"))
	case errors.As(err, &bad):
		row, col := bad.Position()
		return s, fmt.Errorf("%s:%d:%d: %s", name, row, col, strings.TrimPrefix(bad.Error(), "toml: "))
	case err != nil:
		return s, fmt.Errorf("%s: %w", name, err)
	}
	if err := s.check(); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// check looks for values that no part of the program could use.
func (s settings) check() error {
	switch {
	case s.Ollama.NumCtx < 0, s.Ollama.NumPredict < 0:
		return errors.New("ollama.num_ctx and ollama.num_predict are numbers of tokens, so not below 0")
	case s.ComfyUI.TimeoutSeconds < 0:
		return errors.New("comfyui.timeout_seconds is not below 0")
	case !slices.Contains([]string{"", "auto", "dark", "light"}, s.UI.Dark):
		return fmt.Errorf("ui.dark is auto, dark or light, not %q", s.UI.Dark)
	case !slices.Contains([]string{"", "auto", "kitty", "blocks", "off"}, s.UI.Images):
		return fmt.Errorf("ui.images is auto, kitty, blocks or off, not %q", s.UI.Images)
	}
	if _, err := ollama.New(s.Ollama.URL); err != nil {
		return fmt.Errorf("ollama.url: %w", err)
	}
	for _, u := range s.ComfyUI.URLs {
		if _, err := comfy.New(u); err != nil {
			return fmt.Errorf("comfyui.urls: %w", err)
		}
	}
	return nil
}

// effective is what the settings come to with flags, environment and defaults.
func (d *door) effective() settings {
	s := d.set
	s.Ollama.URL = first(d.ollama, s.Ollama.URL, fromOllamaHost(os.Getenv("OLLAMA_HOST")), ollama.DefaultURL)
	s.Ollama.Model = first(d.model, s.Ollama.Model)
	s.ComfyUI.URLs = orElse(orElse(d.comfy, s.ComfyUI.URLs), []string{engine.DefaultComfy})
	if s.Ollama.NumCtx == 0 {
		s.Ollama.NumCtx = engine.DefaultContext
	}
	if s.Ollama.NumPredict == 0 {
		s.Ollama.NumPredict = engine.DefaultReply
	}
	if s.Ollama.Temperature == nil {
		t := engine.DefaultTemperature
		s.Ollama.Temperature = &t
	}
	unload := s.ComfyUI.unload()
	s.ComfyUI.UnloadOllama = &unload
	s.UI.Dark, s.UI.Images = first(s.UI.Dark, "auto"), first(s.UI.Images, "auto")
	if s.Keys == nil {
		s.Keys = map[string][]string{}
	}
	return s
}

// fromOllamaHost reads the variable that Ollama itself goes by. It may lack
// scheme, host or port; with a scheme but no port it means the scheme's own
// port. "" stays "".
func fromOllamaHost(s string) string {
	s = strings.Trim(strings.TrimSpace(s), `"'`)
	if s == "" {
		return ""
	}
	scheme, rest, found := strings.Cut(s, "://")
	port := ""
	switch {
	case !found:
		scheme, rest, port = "http", s, "11434"
	case scheme == "http":
		port = "80"
	case scheme == "https":
		port = "443"
	}
	rest, path, _ := strings.Cut(rest, "/")
	host, given, err := net.SplitHostPort(rest)
	if err != nil {
		host, given = strings.Trim(rest, "[]"), port
	}
	u := url.URL{Scheme: scheme, Host: net.JoinHostPort(first(host, "127.0.0.1"), first(given, port)), Path: path}
	return strings.TrimSuffix(u.String(), "/")
}
