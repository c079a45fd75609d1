package prompts

import "strings"

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
