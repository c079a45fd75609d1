// Package phrases holds the stock phrases that come with the program: what models write in
// roleplay again and again, whatever is played, one set per language. The sets are short, and
// written for this program.
//
// A set is text, one entry a line: a phrase, or a regular expression between slashes in the
// syntax of package regexp. A line that begins with # says why the entries below it are
// there; blank lines say nothing. Entries are folded: lower case, single spaces, no markup, and
// a straight apostrophe in phrases. They are to be looked for in text that is folded alike.
package phrases

import (
	"embed"
	"slices"
)

//go:embed *.txt
var files embed.FS

// languages are those that have a set.
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
