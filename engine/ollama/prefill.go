package ollama

import (
	"errors"
	"strings"
	"text/template"
)

// Bounds of what a server's template may be and write.
const (
	mostTemplate = 64 << 10
	mostRendered = 64 << 10
)

// closesReply tells whether a model's template ends the assistant's message that stands last:
// its model cannot go on from one, and begins another. It is false where that cannot be
// told. The server lays out a prompt likewise; a template of the older kind, which knows of no
// messages, never ends the last one.
func closesReply(text string) bool {
	if len(text) > mostTemplate || !strings.Contains(text, ".Messages") {
		return false
	}
	none := func(...any) string { return "" }
	t, err := template.New("").Funcs(template.FuncMap{"json": none, "currentDate": none, "yesterdayDate": none, "toTypeScriptType": none}).Parse(text)
	if err != nil {
		return false
	}
	const last = "the words that stand last"
	var out bounded
	err = t.Execute(&out, map[string]any{"System": "", "Tools": nil, "Response": "", "Think": false, "ThinkLevel": "", "IsThinkSet": true,
		"Messages": []map[string]any{
			{"Role": "system", "Content": "s", "Thinking": ""}, {"Role": "user", "Content": "u", "Thinking": ""}, {"Role": "assistant", "Content": last, "Thinking": ""}}})
	_, behind, found := strings.Cut(out.String(), last)
	return err == nil && found && strings.TrimSpace(behind) != ""
}

// bounded takes as much as a template may write.
type bounded struct{ strings.Builder }

var errWrites = errors.New("the template writes too much")

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > mostRendered {
		return 0, errWrites
	}
	return b.Builder.Write(p)
}
