package scene

import (
	"encoding/json"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// maxPartial is the maximum number of bytes of an unfinished answer that are read.
const maxPartial = 128 << 10

// Partial returns the readable part of an unfinished answer, as Markdown: the recap's bullets so
// far with their headings. It is "" if there is nothing yet. It reads answers to RecapPrompt,
// Merge.Prompt and MessagePrompt.
func Partial(answer string) string {
	answer = answer[:min(len(answer), maxPartial)]
	answer = answer[max(0, strings.IndexByte(answer, '{')):]
	fields, err := prompts.Object(completed(answer))
	if err != nil {
		return ""
	}
	if text, ok := parseString(fields["recap"]); ok {
		return strings.TrimSpace(paragraphs(text))
	}
	var out strings.Builder
	for i, s := range parseBody(fields["recap"]).sections {
		if len(s) > 0 {
			out.WriteString("\n## " + headings[i] + "\n\n")
		}
		for _, it := range s {
			out.WriteString("- " + it.text + "\n")
		}
	}
	return strings.TrimSpace(out.String())
}

// completed returns JSON that may end anywhere with all that it lacks to be whole.
func completed(s string) json.RawMessage {
	var open []byte // closing brackets of what is open, the innermost last
	inText := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inText && c == '\\':
			if end := i + 2; end > len(s) || s[i+1] == 'u' && i+6 > len(s) {
				s = s[:i] // an escape that is not finished
			}
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
		case (c == '}' || c == ']') && len(open) > 0:
			if open = open[:len(open)-1]; len(open) == 0 {
				s = s[:i+1]
			}
		}
	}
	if inText {
		s += `"`
	}
	var closing strings.Builder
	for i := len(open) - 1; i >= 0; i-- {
		closing.WriteByte(open[i])
	}
	s = strings.TrimRight(s, " \t\r\n")
	// It may end in a key, behind one, or in a number.
	for _, whole := range []string{s, s + ":null", s + "null", s + "0", strings.TrimSuffix(s, ",")} {
		if whole += closing.String(); json.Valid([]byte(whole)) {
			return json.RawMessage(whole)
		}
	}
	return nil
}
