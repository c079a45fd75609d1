// Package fill turns a recap's candidates into lorebook entries: it decides which entry a candidate
// is about, builds the requests to a model if names and contents do not decide it, and makes
// entries from the answers. It is pure: it reads no store and calls no server.
package fill

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The prompt files.
const (
	LookupFile  = "lore/lookup"
	ResolveFile = "lore/resolve"
	MergeFile   = "lore/merge"
	CompactFile = "lore/compact"
)

// Prompt is a message of a request.
type Prompt = prompts.Message

// MaxContent is the default length of an entry, in characters, from which on shortening is
// proposed.
const MaxContent = 1200

// MaxSynopsis is the maximum number of words in the synopsis of an entry.
const MaxSynopsis = 15

// RegistryEntry is an entry in the registry that candidates are compared with.
type RegistryEntry struct {
	ID       storage.EntryID
	Name     string
	Aliases  []string
	Synopsis string
	// Content is the entry's; if it is empty, only names count.
	Content string
}

// NewRegistryEntry returns an entry as a registry entry.
func NewRegistryEntry(e *storage.LoreEntry) RegistryEntry {
	return RegistryEntry{ID: e.ID, Name: e.Name, Aliases: e.Aliases, Synopsis: e.Synopsis, Content: e.Content}
}

// Types returns the types of entries, unless the user has set others.
func Types() []string { return []string{"character", "location", "item", "faction", "quest", "rule"} }

// MatchType returns the type that a model names, "" if it is none of types.
func MatchType(types []string, raw string) string {
	for _, t := range types {
		if Same(t, clip(raw, 80)) {
			return t
		}
	}
	return ""
}

// oneLine replaces all white space with single blanks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts a text to most characters.
func clip(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i]
		}
		n++
	}
	return s
}

func or(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
