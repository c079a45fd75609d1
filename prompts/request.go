package prompts

import (
	"slices"
	"strings"
)

// Message is one message of a request to a model.
type Message struct{ Role, Content string }

// divider is a line that divides a prompt file with a whole request: the text above the first
// divider is the system message, the text below it the user's. A file without a divider is one
// message of the user's.
const divider = "---"

// Request builds a request from such a file. Values are inserted last, so that nothing in them is
// treated as a macro or a divider.
func (s *Set) Request(file string, values map[string]string) []Message {
	stand := make(map[string]string, len(values))
	pairs := make([]string, 0, 2*len(values))
	for k, v := range values {
		stand[k] = "\x00" + k + "\x00"
		pairs = append(pairs, stand[k], v)
	}
	put := strings.NewReplacer(pairs...)
	text := s.Fill(file, stand)
	var out []Message
	add := func(role, content string) {
		if content = strings.TrimSpace(put.Replace(content)); content != "" {
			out = append(out, Message{Role: role, Content: content})
		}
	}
	at := 0
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == divider {
			add("system", text[:at])
			add("user", text[at+len(l):])
			return out
		}
		at += len(l)
	}
	add("user", text)
	return out
}

// Defuse changes text from outside so that it cannot end the block around it, which is marked by
// one of the tags in fences, and cannot look like a numbered line. It drops NUL bytes.
func Defuse(text string, fences []string) string {
	text = strings.ReplaceAll(text, "\x00", "")
	if !strings.ContainsAny(text, "<[") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		b.WriteByte(text[i])
		switch {
		case text[i] == '<' && opensFence(text[i+1:], fences):
			b.WriteByte(' ')
		case text[i] == '[' && (i == 0 || text[i-1] == '\n') && i+1 < len(text) && '0' <= text[i+1] && text[i+1] <= '9':
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func opensFence(s string, fences []string) bool {
	s = strings.TrimLeft(s[:min(len(s), 24)], "/ ")
	return slices.ContainsFunc(fences, func(f string) bool {
		return len(s) >= len(f) && strings.EqualFold(s[:len(f)], f)
	})
}
