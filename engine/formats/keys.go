package formats

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// macro matches a macro in a key, which is replaced before the key is searched for.
var macro = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{[^{}]*\}\}`) })

// escapeKey returns a JavaScript regular expression between slashes that matches a text literally.
// each may change the parts between macros.
func escapeKey(s string, each func(string) string) string {
	var out strings.Builder
	at := 0
	for _, m := range macro().FindAllStringIndex(s, -1) {
		out.WriteString(each(s[at:m[0]]))
		out.WriteString(s[m[0]:m[1]])
		at = m[1]
	}
	out.WriteString(each(s[at:]))
	return out.String()
}

var regexEscapes = strings.NewReplacer(`\`, `\\`, `^`, `\^`, `$`, `\$`, `.`, `\.`, `|`, `\|`, `?`, `\?`, `*`,
	`\*`, `+`, `\+`,
	`(`, `\(`, `)`, `\)`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`, `/`, `\/`)

func literal(s string) string { return escapeKey(s, regexEscapes.Replace) }

// isRegexKey reports whether World Info treats a key as a regular expression.
func isRegexKey(key string) bool {
	_, _, ok := storage.RegexKey(strings.TrimSpace(key))
	return ok
}

// withSlashes adds slashes to keys that are regular expressions.
func withSlashes(keys []string, sensitive bool) []string {
	if len(keys) == 0 {
		return nil
	}
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = slashedKey(key, sensitive)
	}
	return out
}

func slashedKey(key string, sensitive bool) string {
	if strings.TrimSpace(key) == "" || isRegexKey(key) {
		return key
	}
	var inner strings.Builder
	for i := 0; i < len(key); i++ {
		if key[i] == '/' {
			inner.WriteByte('\\')
		}
		inner.WriteByte(key[i])
		if key[i] == '\\' && i+1 < len(key) {
			i++
			inner.WriteByte(key[i])
		}
	}
	flags := "i"
	if sensitive {
		flags = ""
	}
	return "/" + inner.String() + "/" + flags
}

// The forms below avoid negated classes (\W, \S, [^x]): with the flag i, a regex engine that
// supports all of Unicode needs tens of milliseconds to compile each of them.
const (
	wordStart = `(?<!\w)`
	wordEnd   = `(?!\w)`
	oneOfWord = `(?!\s).`
)

// boundedKey returns a key that matches whole words, also for several words, which World Info does
// not bound.
func boundedKey(key string) string {
	key = strings.TrimSpace(key)
	if !strings.ContainsAny(key, " \t\n") && !isRegexKey(key) {
		return key
	}
	return "/" + wordStart + literal(key) + wordEnd + "/i"
}

// globKey returns a key for a pattern with * for any text and ? for any one character, bounded by
// words.
func globKey(key string) string {
	key = strings.TrimSpace(key)
	plain := macro().ReplaceAllString(key, "")
	if !strings.ContainsAny(plain, "*?") {
		return boundedKey(key)
	}
	for strings.Contains(key, "**") {
		key = strings.ReplaceAll(key, "**", "*")
	}
	if key == "*" {
		return "/./s"
	}
	begins, ends := wordStart, wordEnd
	if strings.HasPrefix(key, "*") {
		key, begins = key[1:], ""
	}
	if strings.HasSuffix(key, "*") {
		key, ends = key[:len(key)-1], ""
	}
	body := escapeKey(key, func(s string) string {
		s = regexEscapes.Replace(s)
		return strings.NewReplacer(`\*`, `.*`, `\?`, oneOfWord).Replace(s)
	})
	return "/" + begins + body + ends + "/is"
}

// spacelessKey returns a key that ignores spaces.
func spacelessKey(key string, sensitive bool) string {
	key = strings.TrimSpace(key)
	if !strings.Contains(key, " ") && !isRegexKey(key) {
		return key
	}
	flags := "i"
	if sensitive {
		flags = ""
	}
	body := escapeKey(key, func(s string) string {
		for strings.Contains(s, "  ") {
			s = strings.ReplaceAll(s, "  ", " ")
		}
		return strings.ReplaceAll(regexEscapes.Replace(s), " ", " *")
	})
	return "/" + body + "/" + flags
}

// allWordsKey converts a NovelAI key: a regular expression between slashes, or words. Words joined
// by & must all occur.
func allWordsKey(key string) string {
	key = strings.TrimSpace(key)
	if isRegexKey(key) {
		return key
	}
	parts := trimList(strings.Split(key, " & "))
	if len(parts) < 2 {
		return boundedKey(key)
	}
	var out strings.Builder
	out.WriteString("/^")
	for _, part := range parts {
		out.WriteString(`(?=.*` + wordStart + literal(part) + wordEnd + ")")
	}
	return out.String() + "/is"
}

// exceptKey returns a key that does not match where one of others is found.
func exceptKey(key string, others []string, sensitive bool) string {
	flags := "is"
	if sensitive {
		flags = "s"
	}
	list := make([]string, len(others))
	for i, other := range others {
		list[i] = literal(other)
	}
	return `/^(?!.*(?:` + strings.Join(list, "|") + `))(?=.*` + literal(key) + ")/" + flags
}

// commaList splits a comma-separated text.
func commaList(s string) []string { return trimList(strings.Split(s, ",")) }
