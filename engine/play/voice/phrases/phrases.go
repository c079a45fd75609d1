// Package phrases holds the stock phrases that come with the program: phrases that models repeat in
// roleplay, whatever is played, in one set per language. The sets are short, and written for this
// program.
//
// A set is text with one entry per line: a phrase, or a regular expression between slashes in the
// syntax of package regexp. A line that begins with # is a comment about the entries below it;
// blank lines are ignored. Entries are folded: lower case, single spaces, no markup, and a straight
// apostrophe in phrases. The searched text must be folded in the same way.
package phrases

import (
	"embed"
	"slices"
)

//go:embed *.txt
var files embed.FS

// languages are the languages that have a set.
var languages = []string{"de", "en", "es", "fr"}

// Languages returns the codes (ISO 639-1) of the languages that have a set, sorted. The list is
// the caller's.
func Languages() []string { return slices.Clone(languages) }

// Bundled returns the set of a language in the format that the package comment describes, nil if
// there is none.
func Bundled(lang string) []byte {
	if !slices.Contains(languages, lang) {
		return nil
	}
	set, err := files.ReadFile(lang + ".txt")
	if err != nil {
		panic(err) // it is embedded, or the build failed
	}
	return set
}
