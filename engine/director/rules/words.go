package rules

import (
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Bounds of the texts that are stored from an answer, in runes. The schema is tighter.
const (
	maxContent   = 300
	maxOpener    = 200
	maxBeat      = 160
	maxTone      = 60
	maxRationale = 1000
	maxName      = 80
)

// named returns a name for a prompt, or its replacement.
func named(name, fallback string) string {
	if name = prompts.Bounded(prompts.OneLine(name), maxName); name != "" {
		return name
	}
	return fallback
}
