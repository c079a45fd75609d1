// Package passage is a part of a text that a model writes anew: how it is asked for, and what of
// the answer goes into the text.
package passage

import (
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Part is a passage that a model writes anew, in its text; where it is empty, the place at
// which the model writes on.
type Part struct {
	Text     string // all of it, as the user has it before the eyes
	From, To int    // bytes of Text
	// Whose names whose text it is, "" for the user's next line; Earlier is what was said
	// before it where that does not stand at the prompt's end.
	Whose, Earlier string
	Instruction    string // "" for none
}

// The files of requests about a passage.
const (
	rewriteFile = "chat/rewrite"
	writeOnFile = "chat/write-on"
)

// How much of the text around a passage, and of what was said before it, a model is
// shown.
const (
	maxAround  = 6000
	maxEarlier = 600
)

// passageFences are the tags of such a request.
var passageFences = []string{"text", "passage", "here"}

// IsInsertion reports whether nothing is replaced: the text goes on at a place.
func (p *Part) IsInsertion() bool { return p.From == p.To }

// Old returns what is rewritten.
func (p *Part) Old() string { return p.Text[p.From:p.To] }

func (p *Part) before() string { return p.Text[:p.From] }
func (p *Part) after() string  { return p.Text[p.To:] }

// Request returns the instruction that asks for a passage at the end of a chat's own prompt.
// What the user asks for stands last, so that another wish finds the rest of it in the
// server's cache.
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

// defineNames returns which text it is.
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

// lastOf returns at most n bytes of the end of a text, firstOf of its beginning. Where it is
// cut, a sign stands.
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
