package regex

import (
	"regexp"
	"strings"
	"sync"

	"github.com/dlclark/regexp2/v2"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// wholeMatch finds {{match}}, however it is spelled.
var wholeMatch = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\{\{match\}\}`) })

// put returns the replacement of a match. names reports that it contained no macros except names.
func (r *ready) put(m *regexp2.Match, env Env, text string) (put string, names bool) {
	template := r.Replace
	if strings.Contains(template, "{{") {
		template = wholeMatch().ReplaceAllLiteralString(template, "$0")
	}
	var macros *prompts.Env
	of := func() *prompts.Env {
		if macros == nil {
			e := env.Macros()
			e.Place = isDrawing(r.Name, text)
			macros = &e
		}
		return macros
	}
	var out strings.Builder
	for i := 0; i < len(template); {
		group, size := groupAt(m, template[i:])
		if size == 0 {
			out.WriteByte(template[i])
			i++
			continue
		}
		i += size
		if group == "" {
			continue
		}
		for _, trim := range r.Trim {
			if strings.Contains(trim, "{{") || strings.Contains(trim, "<") {
				trim, _ = prompts.Expand(trim, *of())
			}
			if trim != "" {
				group = strings.ReplaceAll(group, trim, "")
			}
		}
		out.WriteString(group)
	}
	put = out.String()
	if !strings.Contains(put, "{{") && !strings.Contains(put, "<") {
		return put, true
	}
	names = onlyNames(put)
	put, _ = prompts.Expand(put, *of())
	return put, names
}

// groupAt returns the group at the beginning of a template, $1 or $<name>, and the length of the
// reference; size is 0 for none. A group that does not exist, or has matched nothing, is "".
func groupAt(m *regexp2.Match, s string) (text string, size int) {
	if len(s) < 2 || s[0] != '$' {
		return "", 0
	}
	if s[1] == '<' {
		end := strings.IndexByte(s, '>')
		if end < 3 {
			return "", 0
		}
		if g := m.GroupByName(s[2:end]); g != nil && len(g.Captures) > 0 {
			text = g.String()
		}
		return text, end + 1
	}
	n := 0
	for size = 1; size < len(s) && s[size] >= '0' && s[size] <= '9'; size++ {
		n = min(10*n+int(s[size]-'0'), 1<<20)
	}
	if size == 1 {
		return "", 0
	}
	if n < m.GroupCount() {
		if g := m.GroupByNumber(n); g != nil && len(g.Captures) > 0 {
			text = g.String()
		}
	}
	return text, size
}

// onlyNames reports whether all macros of a text have fixed values: the names of the characters,
// {{match}} and the like.
func onlyNames(text string) bool {
	for {
		i := strings.Index(text, "{{")
		if i < 0 {
			return true
		}
		end := strings.Index(text[i:], "}}")
		if end < 0 {
			return false
		}
		switch strings.ToLower(strings.TrimSpace(text[i+2 : i+end])) {
		case "user", "char", "match", "newline", "noop":
		default:
			return false
		}
		text = text[i+end+2:]
	}
}

// inPattern expands the macros in a pattern, with their values escaped or as they are.
func inPattern(find string, env prompts.Env, escaped bool) string {
	if !escaped {
		out, _ := prompts.Expand(find, env)
		return out
	}
	var out strings.Builder
	for i := 0; i < len(find); {
		size := macroAt(find[i:])
		if size == 0 {
			out.WriteByte(find[i])
			i++
			continue
		}
		macro := find[i : i+size]
		if value, _ := prompts.Expand(macro, env); value != macro {
			out.WriteString(Escape(value))
		} else {
			out.WriteString(macro)
		}
		i += size
	}
	return out.String()
}

// macroAt returns the length of the macro at the beginning of s, 0 for none.
func macroAt(s string) int {
	if strings.HasPrefix(s, "<") {
		for _, name := range []string{"<user>", "<char>", "<bot>", "<group>"} {
			if len(s) >= len(name) && strings.EqualFold(s[:len(name)], name) {
				return len(name)
			}
		}
		return 0
	}
	if !strings.HasPrefix(s, "{{") {
		return 0
	}
	depth := 0
	for i := 0; i+1 < len(s); i++ {
		switch s[i : i+2] {
		case "{{":
			depth++
			i++
		case "}}":
			if depth--; depth == 0 {
				return i + 2
			}
			i++
		}
	}
	return 0
}

// Escape returns a pattern that matches a text literally.
func Escape(text string) string {
	var out strings.Builder
	for _, r := range text {
		if named, ok := map[rune]string{'\n': `\n`, '\r': `\r`, '\t': `\t`, '\v': `\v`, '\f': `\f`, 0: `\0`}[r]; ok {
			out.WriteString(named)
			continue
		}
		if strings.ContainsRune(`.^$*+?{}[]\/|()`, r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}
