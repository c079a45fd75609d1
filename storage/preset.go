package storage

import (
	"encoding/json"
	"time"
)

// PresetID names a Preset.
type PresetID string

// Preset is a file of settings of another program that was imported, whole. Kinds say
// what it holds. Profile is the sampling profile that was made of it, Files the prompt
// files, by their paths below the prompts folder; both may be gone or changed since.
type Preset struct {
	ID        PresetID        `json:"id"`
	Name      string          `json:"name"`
	Kinds     []string        `json:"kinds"`
	Profile   string          `json:"profile"`
	Files     []string        `json:"files"`
	Remarks   []string        `json:"remarks"`
	Source    json.RawMessage `json:"source"`
	CreatedAt time.Time       `json:"created_at"`
}

// Presets are the imported files of settings.
var Presets = table("presets", "preset", func(p *Preset) *PresetID { return &p.ID })
