package activation

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/ecmascript"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// How long one look of one regex at one text may take, and all those of an
// activation together. They are variables because tests that are not about them
// must not depend on how busy the machine is.
var (
	matchTimeout = ecmascript.Limit
	regexBudget  = time.Second
)

// spec is a key in the form in which it is looked for. Keys of equal specs are
// one.
type spec struct {
	text    string // folded, unless cased; of a regex the pattern
	cased   bool
	whole   bool // no word character may touch it
	regex   bool
	options regexp2.RegexOptions
	sticky  bool // JavaScript's y: at the very start of the text, or not at all
}

// parseKey reads a key whose macros are expanded; fault is set where it is a
// regex that cannot be used. ok is false of an empty key, which counts as none.
func parseKey(key string, cased, whole bool) (sp spec, ok bool, fault string) {
	key = trim(key)
	if key == "" {
		return spec{}, false, ""
	}
	if pattern, flags, is := storage.RegexKey(key); is {
		sp, fault = parseRegex(pattern, flags)
		return sp, true, fault
	}
	sp = spec{text: key, cased: cased}
	if !cased {
		sp.text = fold(key)
	}
	// Only a key of one word can ask to stand alone: that is how it is there.
	sp.whole = whole && strings.IndexFunc(sp.text, space) < 0
	return sp, true, ""
}

func parseRegex(pattern, flags string) (sp spec, fault string) {
	sp = spec{text: pattern, regex: true}
	if sp.options, sp.sticky, fault = ecmascript.Options(pattern, flags); fault != "" {
		return spec{}, fault
	}
	return sp, ""
}

// hasMacro tells whether expanding macros may change the key.
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

// keysOf are the keys that count: those that are not empty.
func keysOf(keys []string) []string {
	for i, key := range keys {
		if trim(key) != "" {
			continue
		}
		kept := append([]string(nil), keys[:i]...)
		for _, key := range keys[i+1:] {
			if trim(key) != "" {
				kept = append(kept, key)
			}
		}
		return kept
	}
	return keys
}

// containsPlain looks for a plain key the slow way, in a text that is folded if
// the key is.
func containsPlain(text string, sp *spec) bool {
	for at := 0; at <= len(text)-len(sp.text); {
		i := strings.Index(text[at:], sp.text)
		if i < 0 {
			return false
		}
		if i += at; !sp.whole || alone(text, i, i+len(sp.text)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[i:])
		at = i + size
	}
	return false
}
