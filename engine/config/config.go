// Package config is what an engine is opened with: a section for each column, as
// the config file has them. It is values, and nothing else.
package config

import (
	"log/slog"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The defaults of a chat.
const (
	DefaultContext     = 8192
	DefaultReply       = 1024
	DefaultTemperature = 0.8
	DefaultKeepAlive   = "30m"
)

// Config is what an engine is opened with. Zero fields mean the defaults.
type Config struct {
	DataDir   string // absolute
	ConfigDir string // holds prompts/ and workflows/; "" for none
	// OrRead has the engine open a data file that cannot be written for reading: whatever
	// would change it is then a storage.ErrReadOnly.
	OrRead bool
	// Unlock gives the key of a data file that is encrypted; nil refuses those.
	Unlock storage.Unlock
	Ollama string // base URL
	// KeepAlive is how long a model stays loaded after a request, negative for ever; nil
	// leaves it to the server.
	KeepAlive *time.Duration
	// GiveUp is how long a request to a language model may go on without visible progress;
	// 0: ollama.DefaultGiveUp, less than zero: for ever.
	GiveUp time.Duration
	Comfy  []string
	// OllamaHeaders and ComfyHeaders go with the requests to these servers, as ParseHeader
	// reads them.
	OllamaHeaders, ComfyHeaders []string
	// ComfyKey is the key that nodes of vendors get with every job; "" for none.
	ComfyKey string
	Model    string          // overrides every other choice
	Fallback string          // model where neither chat nor user has chosen one
	Sampling storage.Profile // of chats; zero fields mean the defaults

	VRAM            VRAM
	Images          Images
	CaptureTimeout  time.Duration // without progress; 0: what ComfyUI's client allows
	Style, Negative string        // of pictures, for characters without their own

	Scenes Scenes
	Memory Memory
	Lore   Lore
	Stage  Stage
	Jobs   Jobs
	Taste  Taste
	Voice  Voice

	Rehearse bool // the servers are stand-ins: their model is never remembered
	Program  string
	Version  string
	LockWait time.Duration
	Log      *slog.Logger
	Now      func() time.Time
}

// DefaultComfy is where ComfyUI listens when nobody says otherwise.
const DefaultComfy = "http://127.0.0.1:8188"
