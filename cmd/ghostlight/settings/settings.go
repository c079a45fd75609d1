// Package settings reads the config file strictly: unknown settings and invalid values are refused,
// with their position in the file.
package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// configLimit is the largest config file that is read.
const configLimit = 1 << 20

// Settings holds the values of the config file. The zero value of a field means that it is not set.
type Settings struct {
	// Outdated are the settings of the file that the program knows no longer.
	Outdated []string `toml:"-" json:"-"`

	Ollama   Ollama              `toml:"ollama" json:"ollama"`
	Scenes   Scenes              `toml:"scenes" json:"scenes"`
	Memory   Memory              `toml:"memory" json:"memory"`
	Lore     Lore                `toml:"lore" json:"lore"`
	Director Director            `toml:"director" json:"director"`
	Remember Remember            `toml:"remember" json:"remember"`
	Taste    Taste               `toml:"taste" json:"taste"`
	Voice    Voice               `toml:"voice" json:"voice"`
	Prompt   Prompt              `toml:"prompt" json:"prompt"`
	Queue    Queue               `toml:"queue" json:"queue"`
	ComfyUI  ComfyUI             `toml:"comfyui" json:"comfyui"`
	Images   Images              `toml:"images" json:"images"`
	UI       Screen              `toml:"ui" json:"ui"`
	Keys     map[string][]string `toml:"keys" json:"keys"`
	Quick    []QuickReply        `toml:"quick_replies" json:"quick_replies"`
}

// Ollama says where the language model is and how it is asked.
type Ollama struct {
	URL              string   `toml:"url" json:"url"`
	Headers          []string `toml:"headers" json:"headers"` // "Name: value", secret
	Model            string   `toml:"model" json:"model"`
	NumCtx           int      `toml:"num_ctx" json:"num_ctx"`
	NumPredict       int      `toml:"num_predict" json:"num_predict"`
	Temperature      *float64 `toml:"temperature" json:"temperature"`
	TopP             *float64 `toml:"top_p,omitempty" json:"top_p,omitempty"`
	TopK             *int     `toml:"top_k,omitempty" json:"top_k,omitempty"`
	MinP             *float64 `toml:"min_p,omitempty" json:"min_p,omitempty"`
	TypicalP         *float64 `toml:"typical_p,omitempty" json:"typical_p,omitempty"`
	RepeatPenalty    *float64 `toml:"repeat_penalty,omitempty" json:"repeat_penalty,omitempty"`
	RepeatLastN      *int     `toml:"repeat_last_n,omitempty" json:"repeat_last_n,omitempty"`
	PresencePenalty  *float64 `toml:"presence_penalty,omitempty" json:"presence_penalty,omitempty"`
	FrequencyPenalty *float64 `toml:"frequency_penalty,omitempty" json:"frequency_penalty,omitempty"`
	Seed             *int     `toml:"seed,omitempty" json:"seed,omitempty"`
	Stop             []string `toml:"stop,omitempty" json:"stop,omitempty"`
	Think            any      `toml:"think,omitempty" json:"think,omitempty"` // as storage.Thinking is in JSON
	KeepAlive        string   `toml:"keep_alive" json:"keep_alive"`           // "30m", "always", "server"
	GiveUpAfter      string   `toml:"give_up_after" json:"give_up_after"`     // a time, or "never", or "0" for it
}

// GiveUp returns the time after which a request without visible progress is given up, in the
// engine's form.
func (o Ollama) GiveUp() time.Duration {
	d, err := time.ParseDuration(o.GiveUpAfter)
	switch {
	case o.GiveUpAfter == neverEnds, err == nil && d == 0:
		return -1
	case err != nil: // it was checked: it is not set
		return 0
	}
	return d
}

// neverEnds is the value that a setting has instead of a duration.
const neverEnds = "never"

// Kept returns how long a model stays loaded after a request, negative for ever; nil leaves it
// to the server.
func (o Ollama) Kept() *time.Duration {
	switch text := cmp.Or(o.KeepAlive, config.DefaultKeepAlive); text {
	case "server":
		return nil
	case "always", "-1": // "-1" is Ollama's own notation
		return new(time.Duration(-1))
	default:
		d, err := time.ParseDuration(text)
		if err != nil {
			return nil
		}
		return &d
	}
}

// Profile returns the parameters that are sent to the server with a prompt.
func (o Ollama) Profile() storage.Profile {
	think, _ := storage.ThinkingOf(o.Think) // it was checked
	return storage.Profile{NumCtx: o.NumCtx, NumPredict: o.NumPredict, Temperature: o.Temperature,
		TopP: o.TopP, TopK: o.TopK,
		MinP: o.MinP, RepeatPen: o.RepeatPenalty, TypicalP: o.TypicalP, RepeatLastN: o.RepeatLastN,
		PresencePen:  o.PresencePenalty,
		FrequencyPen: o.FrequencyPenalty, Seed: o.Seed, Stop: o.Stop, Think: think}
}

// Screen says how the terminal interface looks.
type Screen struct {
	Theme  string `toml:"theme" json:"theme"`
	Dark   string `toml:"dark" json:"dark"`     // auto, dark or light
	Images string `toml:"images" json:"images"` // auto, kitty, sixel, iterm, blocks or off
	Plain  bool   `toml:"plain" json:"plain"`   // no screen: line by line
	Tips   *bool  `toml:"tips" json:"tips"`     // words at the right moment; nil: they are shown
	// LockAfter is after how long without a key the screen asks for the passphrase: a time,
	// or "never".
	LockAfter string `toml:"lock_after" json:"lock_after"`
}

// DarkMode returns true or false as the user has set it, nil for automatic.
func (s Screen) DarkMode() *bool {
	switch yes, no := true, false; s.Dark {
	case "dark":
		return &yes
	case "light":
		return &no
	}
	return nil
}

// Read reads a config file. Where it does not exist, and need not, nothing
// is set.
func Read(file string, needed bool) (Settings, error) {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) && !needed {
		return Settings{}, nil
	}
	if err != nil {
		return Settings{}, fmt.Errorf("the config file cannot be read: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, configLimit+1))
	_ = f.Close() // was only read
	if err != nil {
		return Settings{}, fmt.Errorf("the config file cannot be read: %w", err)
	}
	if len(data) > configLimit {
		return Settings{}, fmt.Errorf("%s is too large for a config file", file)
	}
	return parse(file, data)
}

// WithDefaults returns the settings in force: defaults fill in what is not set.
func (s Settings) WithDefaults() Settings {
	s.Ollama = s.Ollama.withDefaults()
	s.Scenes, s.Memory, s.Lore, s.Queue = s.Scenes.withDefaults(), s.Memory.withDefaults(), s.Lore.withDefaults(),
		s.Queue.withDefaults()
	s.Director, s.Remember, s.Prompt, s.Quick = s.Director.withDefaults(), s.Remember.withDefaults(),
		s.Prompt.withDefaults(), effectiveQuick(s.Quick)
	s.Taste, s.Voice = s.Taste.withDefaults(), s.Voice.withDefaults()
	s.ComfyUI, s.Images = s.ComfyUI.withDefaults(), s.Images.withDefaults()
	s.UI.Dark, s.UI.Images = cmp.Or(s.UI.Dark, "auto"), cmp.Or(s.UI.Images, "auto")
	s.UI.Tips, s.UI.LockAfter = new(!IsOff(s.UI.Tips)), cmp.Or(s.UI.LockAfter, neverEnds)
	if s.Keys == nil {
		s.Keys = map[string][]string{}
	}
	return s
}

// Shown returns the settings as they can be shown to anybody: without the values of headers,
// keys and the passwords of addresses.
func (s Settings) Shown() Settings {
	s.Ollama.Headers, s.ComfyUI.Headers = hide(s.Ollama.Headers, config.HideHeader),
		hide(s.ComfyUI.Headers, config.HideHeader)
	s.ComfyUI.APIKey = config.HideKey(s.ComfyUI.APIKey)
	s.Ollama.URL, s.Remember.EmbedServer = config.HideAddress(s.Ollama.URL), config.HideAddress(s.Remember.EmbedServer)
	if s.ComfyUI.URLs != nil {
		s.ComfyUI.URLs = hide(s.ComfyUI.URLs, config.HideAddress)
	}
	return s
}

func hide(list []string, one func(string) string) []string {
	out := []string{}
	for _, text := range list {
		out = append(out, one(text))
	}
	return out
}

// checkAddresses refuses addresses that were shown without their password.
func (s Settings) checkAddresses() error {
	if err := config.CheckHidden(s.Ollama.URL); err != nil {
		return refuse("ollama.url", "%v", err)
	}
	if err := config.CheckHidden(s.Remember.EmbedServer); err != nil {
		return refuse("remember.embed_server", "%v", err)
	}
	for _, u := range s.ComfyUI.URLs {
		if err := config.CheckHidden(u); err != nil {
			return refuse("comfyui.urls", "%v", err)
		}
	}
	return nil
}

// checkHeaders refuses headers that cannot be sent. No word of theirs is repeated.
func checkHeaders(key string, headers []string) error {
	for i, h := range headers {
		if _, err := config.ParseHeader(h); err != nil {
			return refuse(key, "has an invalid header (the %s): %v", ordinal(i+1), err)
		}
	}
	return nil
}

func ordinal(n int) string {
	if n <= 3 {
		return []string{"first", "second", "third"}[n-1]
	}
	return fmt.Sprintf("%dth", n)
}

func (o Ollama) withDefaults() Ollama {
	o.Headers = orElse(o.Headers, []string{})
	o.URL = cmp.Or(o.URL, ollama.DefaultURL)
	o.KeepAlive = cmp.Or(o.KeepAlive, config.DefaultKeepAlive)
	o.GiveUpAfter = cmp.Or(o.GiveUpAfter, "30m")
	o.NumCtx, o.NumPredict = cmp.Or(o.NumCtx, config.DefaultContext), cmp.Or(o.NumPredict, config.DefaultReply)
	if o.Temperature == nil {
		o.Temperature = new(config.DefaultTemperature)
	}
	return o
}
