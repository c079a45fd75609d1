package storage

import (
	"encoding/json"
	"time"
)

// PresetID names a Preset.
type PresetID string

// Preset is a complete settings file that was imported from another program. Kinds lists its
// contents. Profile is the sampling profile that was made from it. Files are the prompt files that
// were made from it, by their paths below the prompts folder. Both may have been deleted or changed
// since.
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
