package activation

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"

	"github.com/dlclark/regexp2/v2"
)

// A key may be as long as it likes; a regex may not, because what an engine
// makes of one can be far longer than it.
const maxPattern = 4 << 10

// How long one look of one regex at one text may take, and all those of an
// activation together. They are variables because tests that are not about them
// must not depend on how busy the machine is.
var (
	matchTimeout = 50 * time.Millisecond
	regexBudget  = time.Second
)

func init() {
	// The engine looks at the clock in periods; with the period that it is set to,
	// a bound of 50 ms would be one of 200.
	regexp2.SetTimeoutCheckPeriod(10 * time.Millisecond)
}

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

func parseRegex(pattern, flags string) (spec, string) {
	if len(pattern) > maxPattern {
		return spec{}, fmt.Sprintf("the regex is longer than %d bytes", maxPattern)
	}
	sp := spec{text: pattern, regex: true, options: regexp2.ECMAScript}
	for i, flag := range flags {
		if strings.ContainsRune(flags[:i], flag) {
			return spec{}, fmt.Sprintf("the regex is not valid: flag %q is given twice", flag)
		}
		switch flag {
		case 'i':
			sp.options |= regexp2.IgnoreCase
		case 'm':
			sp.options |= regexp2.Multiline
		case 's':
			sp.options |= regexp2.Singleline
		case 'u':
			sp.options |= regexp2.Unicode
		case 'y':
			sp.sticky = true
		}
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
