package prompts

import (
	"slices"
	"strings"
)

// Message is one message of a request to a model.
type Message struct{ Role, Content string }

// A prompt file may hold a whole request: what stands above the first line
// "---" is the system message, what stands below is the user's. A file without
// such a line is one message of the user's.
const divider = "---"

// Request builds a request of such a file. Values are put in last, so that
// nothing in them is taken for a macro or a divider.
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

// Defuse keeps text from outside from ending the block that it stands in, which
// one of the tags named by fences is around, and from looking like a numbered
// line. It drops NUL bytes.
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
	return slices.ContainsFunc(fences, func(f string) bool { return len(s) >= len(f) && strings.EqualFold(s[:len(f)], f) })
}
