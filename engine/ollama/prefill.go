package ollama

import (
	"strings"

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

// closesReply tells whether a model's template ends the assistant's message that stands last:
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
