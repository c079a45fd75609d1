package rules

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Bounds of the moment note, in bytes: four of them are about a token.
const (
	maxAnchor  = 48 // the setting
	maxOpen    = 64
	maxAway    = 400 // the names of who is away
	maxMessage = 16 << 10
)

// Moment returns the note that anchors the next reply: the setting, and the unresolved tension. It
// does not repeat the last messages, which are right above it. Its length is bounded, and it is ""
// if neither is known.
func Moment(open, setting string) string {
	open = strings.TrimRight(text.Shorten(prompts.OneLine(head(open, maxMessage)), maxOpen), ".")
	setting = strings.TrimRight(text.Shorten(prompts.OneLine(head(setting, maxMessage)), maxAnchor), ".")
	if open == "" && setting == "" {
		return ""
	}
	var parts []string
	if setting != "" {
		parts = append(parts, "Here and now: "+withFullStop(setting))
	}
	if open != "" {
		parts = append(parts, "Unresolved: "+withFullStop(open))
	}
	return strings.Join(parts, " ")
}

// Away returns the note about the characters who are not on stage, for the place at which that
// changed.
func Away(names []string) string {
	if len(names) == 0 {
		return "Everybody is on stage again."
	}
	away := prompts.OneLine(head(strings.Join(names, ", "), maxMessage))
	return "Off the stage now, out of sight and hearing: " + withFullStop(text.Shorten(away, maxAway))
}

// tail returns at most the last n bytes.
func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// withFullStop returns a sentence with its full stop, unless it ends with another mark.
func withFullStop(s string) string {
	if strings.HasSuffix(s, "?") || strings.HasSuffix(s, "!") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}
