// Package config holds the configuration of an engine, with one section for each part of the config
// file. It contains only values.
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

// Config is the configuration of an engine. Zero fields mean the defaults.
type Config struct {
	DataDir   string // absolute
	ConfigDir string // holds prompts/ and workflows/; "" for none
	// OrRead opens a data file that cannot be written read-only: each change is then a
	// storage.ErrReadOnly.
	OrRead bool
	// Unlock returns the key of an encrypted data file. If it is nil, an encrypted file is refused.
	Unlock storage.Unlock
	Ollama string // base URL
	// KeepAlive is the time that a model stays loaded after a request, negative for ever; nil
	// leaves it to the server.
	KeepAlive *time.Duration
	// GiveUp is the time that a request to a language model may go on without visible progress; 0
	// means ollama.DefaultGiveUp, a negative time for ever.
	GiveUp time.Duration
	Comfy  []string
	// OllamaHeaders and ComfyHeaders are sent with the requests to these servers, in the form that
	// ParseHeader reads.
	OllamaHeaders, ComfyHeaders []string
	// ComfyKey is sent with every job for nodes of vendors; "" for none.
	ComfyKey string
	Model    string          // overrides every other choice
	Fallback string          // model if neither chat nor user has chosen one
	Sampling storage.Profile // of chats; zero fields mean the defaults

	VRAM            VRAM
	Images          Images
	CaptureTimeout  time.Duration // without progress; 0: the limit of ComfyUI's client
	Style, Negative string        // of pictures, for characters without their own

	Scenes Scenes
	Memory Memory
	Lore   Lore
	Stage  Stage
	Jobs   Jobs
	Taste  Taste
	Voice  Voice

	Demo     bool // the servers are demo servers: their model is never remembered
	Program  string
	Version  string
	LockWait time.Duration
	Log      *slog.Logger
	Now      func() time.Time
}

// DefaultComfy is the default address of ComfyUI.
const DefaultComfy = "http://127.0.0.1:8188"
