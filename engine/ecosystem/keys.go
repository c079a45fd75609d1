package ecosystem

import (
	"regexp"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// macro is a part of a key that is replaced before the key is looked for.
var macro = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{\{[^{}]*\}\}`) })

// escaped is a text as a JavaScript regex between slashes that means itself.
// each may write a part of it, up to the next macro, in another way.
func escaped(s string, each func(string) string) string {
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

var regexEscapes = strings.NewReplacer(`\`, `\\`, `^`, `\^`, `$`, `\$`, `.`, `\.`, `|`, `\|`, `?`, `\?`, `*`, `\*`, `+`, `\+`,
	`(`, `\(`, `)`, `\)`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`, `/`, `\/`)

func literal(s string) string { return escaped(s, regexEscapes.Replace) }

// isRegexKey reports whether World Info takes a key for a regex.
func isRegexKey(key string) bool {
	_, _, ok := storage.RegexKey(strings.TrimSpace(key))
	return ok
}

// slashed gives keys that are regexes without slashes the form that tells them
// from plain ones.
func slashed(keys []string, sensitive bool) []string {
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

// The forms below keep away from negated classes (\W, \S, [^x]): under the flag
// i they take a regex engine that knows all of Unicode tens of milliseconds
// each to compile.
const (
	wordBegins = `(?<!\w)`
	wordEnds   = `(?!\w)`
	oneOfWord  = `(?!\s).`
)

// boundedKey is a key that stands for whole words, also where it has several,
// which World Info does not bound.
func boundedKey(key string) string {
	key = strings.TrimSpace(key)
	if !strings.ContainsAny(key, " \t\n") && !isRegexKey(key) {
		return key
	}
	return "/" + wordBegins + literal(key) + wordEnds + "/i"
}

// globKey is a key with * for any text and ? for any one character, bounded by
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
	begins, ends := wordBegins, wordEnds
	if strings.HasPrefix(key, "*") {
		key, begins = key[1:], ""
	}
	if strings.HasSuffix(key, "*") {
		key, ends = key[:len(key)-1], ""
	}
	body := escaped(key, func(s string) string {
		s = regexEscapes.Replace(s)
		return strings.NewReplacer(`\*`, `.*`, `\?`, oneOfWord).Replace(s)
	})
	return "/" + begins + body + ends + "/is"
}

// loosenedKey is a key in which spaces do not count.
func loosenedKey(key string, sensitive bool) string {
	key = strings.TrimSpace(key)
	if !strings.Contains(key, " ") && !isRegexKey(key) {
		return key
	}
	flags := "i"
	if sensitive {
		flags = ""
	}
	body := escaped(key, func(s string) string {
		for strings.Contains(s, "  ") {
			s = strings.ReplaceAll(s, "  ", " ")
		}
		return strings.ReplaceAll(regexEscapes.Replace(s), " ", " *")
	})
	return "/" + body + "/" + flags
}

// togetherKey is a NovelAI key: a regex between slashes, or words, of which
// those joined by & must all be there.
func togetherKey(key string) string {
	key = strings.TrimSpace(key)
	if isRegexKey(key) {
		return key
	}
	parts := trimmed(strings.Split(key, " & "))
	if len(parts) < 2 {
		return boundedKey(key)
	}
	var out strings.Builder
	out.WriteString("/^")
	for _, part := range parts {
		out.WriteString(`(?=.*` + wordBegins + literal(part) + wordEnds + ")")
	}
	return out.String() + "/is"
}

// unlessKey is a key that does not match where one of others is found.
func unlessKey(key string, others []string, sensitive bool) string {
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

// commaList splits keys that stand in one text.
func commaList(s string) []string { return trimmed(strings.Split(s, ",")) }
