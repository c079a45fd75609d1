package voice

import (
	"regexp"
	"strings"
	"sync"
)

// controls are the control signs that separate messages in chat templates: a model that writes one
// has ended its reply. In ChatML, Llama, Phi, Command R, DeepSeek and harmony they are between
// bars; Gemma, Mistral and Llama 2 have others, and Alpaca has headings. Headings that a play may
// have too count only if the model's own template has them.
var controls = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`<\|[^|<>\s]{1,40}\|>|<｜[^｜<>\s]{1,40}｜>|</s>|<(?:start|end)_of_turn>|<(?:eos|bos|EOT)>|` +
			`\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>|` +
			`(?m:^#{2,3} ?(?:Instruction|Response):)`)
})

// beginsControl matches the possible beginning of such a sign at the end of a text.
var beginsControl = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:<[^<>\s]{0,42}|<</?S?Y?S?>?|\[/?[A-Z_]{0,20}|(?m:^)#{1,3} ?[A-Za-z]{0,12})$`)
})

// maxControl is the longest sign, in bytes.
const maxControl = 140

// control looks for template signs in the new text. Signs that the character's card contains are
// part of the play.
func (w *Filter) control() {
	from := max(w.floor, w.controlled-maxControl)
	tail := string(w.text[from:])
	w.controlled, w.signAt = len(w.text), -1
	if !strings.ContainsAny(tail, "<[#") {
		return
	}
	for _, at := range controls().FindAllStringIndex(tail, -1) {
		sign := tail[at[0]:at[1]]
		heads := sign[0] != '#' || from+at[0] == 0 || w.text[from+at[0]-1] == '\n' // a heading begins its line
		struck := sign == "</s>" && strings.Contains(string(w.text), "<s>")
		if !struck && !strings.Contains(w.rules.Card, sign) && heads {
			w.find(Found{Kind: Control, At: from + at[0], Ends: true}, from+at[1])
		}
	}
	for _, sign := range w.rules.TemplateTokens {
		if i := strings.Index(tail, sign); i >= 0 && !strings.Contains(w.rules.Card, sign) {
			w.find(Found{Kind: Control, At: from + i, Ends: true}, from+i+len(sign))
		}
	}
	tail = tail[max(0, len(tail)-maxControl):]
	if at := beginsControl().FindStringIndex(tail); at != nil {
		w.signAt = len(w.text) - len(tail) + at[0]
	}
}
