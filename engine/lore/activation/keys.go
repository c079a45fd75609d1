package activation

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/dlclark/regexp2/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/ecmascript"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The maximum time for one search of one regex in one text, and for all searches of an activation
// together. They are variables because tests of other things must not depend on how busy the
// machine is.
var (
	matchTimeout = ecmascript.Limit
	regexBudget  = time.Second
)

// spec is a key in its normalized form. Keys with equal specs are searched for once.
type spec struct {
	text    string // folded, unless cased; of a regex the pattern
	cased   bool
	whole   bool // no character of a word may touch it
	regex   bool
	options regexp2.RegexOptions
	sticky  bool // JavaScript's y: at the very start of the text, or not at all
}

// parseKey parses a key after macro expansion; fault is set for an invalid regex. ok is false for
// an empty key.
func parseKey(key string, cased, whole bool) (sp spec, ok bool, fault string) {
	key = trim(key)
	if key == "" {
		return spec{}, false, ""
	}
	if pattern, flags, ok := storage.RegexKey(key); ok {
		sp = spec{text: pattern, regex: true}
		sp.options, sp.sticky, fault = ecmascript.Options(pattern, flags)
		return sp, true, fault
	}
	sp = spec{text: key, cased: cased}
	if !cased {
		sp.text = fold(key)
	}
	// As in the original, only a key of one word can be limited to whole words.
	sp.whole = whole && strings.IndexFunc(sp.text, isSpace) < 0
	return sp, true, ""
}

// hasMacro reports whether expanding macros may change the key.
func hasMacro(key string) bool {
	if strings.Contains(key, "{{") {
		return true
	}
	for i := range len(key) {
		if key[i] != '<' {
			continue
		}
		for _, name := range [...]string{"user>", "char>", "bot>", "group>"} {
			if rest := key[i+1:]; len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) {
				return true
			}
		}
	}
	return false
}

// keysOf returns the non-empty keys.
func keysOf(keys []string) []string {
	blank := func(key string) bool { return trim(key) == "" }
	if !slices.ContainsFunc(keys, blank) {
		return keys
	}
	return slices.DeleteFunc(slices.Clone(keys), blank)
}

// isSpace reports whether JavaScript's trim and \s take r for white space. Unlike
// Go's, that counts the byte order mark and does not count U+0085.
func isSpace(r rune) bool {
	return r == '\ufeff' || r != '\u0085' && unicode.IsSpace(r)
}

// trim does what JavaScript's trim does.
func trim(s string) string { return strings.TrimFunc(s, isSpace) }

// fold does what JavaScript's toLowerCase does, for comparisons that ignore case. Two letters have
// no simple lower case: İ becomes two characters, and Σ depends on the word around it.
func fold(s string) string {
	if !strings.Contains(s, "Σ") && !strings.Contains(s, "İ") {
		return strings.ToLower(s)
	}
	// No character gets longer than three times its length. The library loses the context of a Σ if
	// it runs out of room, so it gets enough for everything.
	out := make([]byte, 3*len(s))
	n, _, err := cases.Lower(language.Und).Transform(out, []byte(s), true)
	if err != nil {
		return strings.ToLower(s)
	}
	return string(out[:n])
}

// containsPlain looks for a plain key in a text that is folded if the key is.
func containsPlain(s string, sp *spec) bool {
	for at := 0; at <= len(s)-len(sp.text); {
		i := strings.Index(s[at:], sp.text)
		if i < 0 {
			return false
		}
		if i += at; !sp.whole || text.Alone(s, i, i+len(sp.text)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		at = i + size
	}
	return false
}
