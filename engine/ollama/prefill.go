package ollama

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama/layout"
)

// mostTemplate is how long a server's template may be, in bytes.
const mostTemplate = 64 << 10

// The words that a template is given as the assistant's message that stands last, and all
// that it is given. Shared: nobody changes them.
const lastWords = "the words that stand last"

var openReply = map[string]any{
	"System": "", "Response": "", "Think": false, "ThinkLevel": "", "IsThinkSet": true, "Tools": nil,
	"Messages": []any{
		map[string]any{"Role": "system", "Content": "s", "Thinking": ""},
		map[string]any{"Role": "user", "Content": "u", "Thinking": ""},
		map[string]any{"Role": "assistant", "Content": lastWords, "Thinking": ""},
	},
}

// closesReply reports whether a model's template ends the assistant's message that stands last:
// its model cannot go on from one, and begins another. It is false where that cannot be
// told. The server lays out a prompt likewise; a template of the older kind, which knows of no
// messages, never ends the last one.
func closesReply(text string) bool {
	if len(text) > mostTemplate || !strings.Contains(text, ".Messages") {
		return false
	}
	out, err := layout.Write(text, openReply)
	_, behind, found := strings.Cut(out, lastWords)
	return err == nil && found && strings.TrimSpace(behind) != ""
}

// bracketed finds the signs that a template has outside of its own language: between bars, in
// brackets with an underscore, as nobody writes a word, and headings.
var bracketed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<[|｜][^<>\s{}|｜]{1,40}[|｜]>|</?[A-Za-z]*_[^<>\s{}|｜]{1,40}>|\[/?[A-Z]+_[A-Z_]{1,20}\]|` +
		`#{2,3} ?(?:Instruction|Response|Input|Human|Assistant|System):`)
})

// mostSigns bounds how many signs a template has.
const mostSigns = 32

// signsOf are the signs with which a model's template parts messages. Those of thoughts and tools
// are not among them: they stand within a reply.
func signsOf(template string) (list []string) {
	for _, sign := range bracketed().FindAllString(template[:min(len(template), mostTemplate)], -1) {
		low := strings.ToLower(sign)
		if strings.Contains(low, "think") || strings.Contains(low, "tool") || strings.Contains(low, "function") || slices.Contains(list, sign) {
			continue
		}
		if list = append(list, sign); len(list) == mostSigns {
			break
		}
	}
	return list
}
