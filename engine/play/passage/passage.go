// Package passage handles parts of a text that a model rewrites: it builds the request, and returns
// the part of the answer that goes into the text.
package passage

import (
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Part is a passage of a text that a model rewrites. If it is empty, it is the place where the
// model continues the text.
type Part struct {
	Text     string // all of it, as the user sees it
	From, To int    // bytes of Text
	// Whose is the name of the text's speaker, "" for the user's next line. Earlier is the text
	// before it, if that is not at the end of the prompt.
	Whose, Earlier string
	Instruction    string // "" for none
}

// The prompt files of requests about a passage.
const (
	rewriteFile = "chat/rewrite"
	writeOnFile = "chat/write-on"
)

// Limits, in bytes, of the text around a passage and of the text before its message.
const (
	maxAround  = 6000
	maxEarlier = 600
)

// passageFences are the tags in such a request.
var passageFences = []string{"text", "passage", "here"}

// IsInsertion reports whether the part inserts text and replaces nothing.
func (p *Part) IsInsertion() bool { return p.From == p.To }

// Old returns the text to rewrite.
func (p *Part) Old() string { return p.Text[p.From:p.To] }

func (p *Part) before() string { return p.Text[:p.From] }
func (p *Part) after() string  { return p.Text[p.To:] }

// Request returns the instruction about a passage, for the end of a chat's own prompt. The user's
// instruction comes last, so that another instruction finds the rest in the server's cache.
func (p *Part) Request(set *prompts.Set, char, user string) string {
	file, wish := rewriteFile, "say it better."
	if p.IsInsertion() {
		file, wish = writeOnFile, "nothing in particular."
	}
	if w := strings.TrimSpace(p.Instruction); w != "" {
		wish = w
	}
	defuse := func(text string) string { return prompts.Defuse(text, passageFences) }
	list := set.Request(file, map[string]string{"char": char, "user": user, "text": p.defineNames(user, defuse),
		"instruction": wish,
		"before":      defuse(lastOf(p.before(), maxAround)), "passage": defuse(p.Old()),
		"after": defuse(firstOf(p.after(), maxAround))})
	parts := make([]string, len(list))
	for i := range list {
		parts[i] = list[i].Content
	}
	return strings.Join(parts, "\n\n")
}

// defineNames returns a description of the text for the request.
func (p *Part) defineNames(user string, defuse func(string) string) string {
	if p.Whose == "" {
		return user + "'s next message, which is not sent yet."
	}
	words := "a message of " + p.Whose + "."
	if p.Earlier != "" {
		words += " It follows what ends in “" +
			strings.Join(strings.Fields(defuse(lastOf(p.Earlier, maxEarlier))), " ") + "”."
	}
	return words
}

// lastOf returns the last n bytes of a text or a few less, and firstOf the first. An ellipsis marks
// the cut.
func lastOf(text string, n int) string {
	if len(text) <= n {
		return text
	}
	at := len(text) - n
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return "…" + text[at:]
}

func firstOf(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return text.Truncate(s, n) + "…"
}
