package bundled

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The files of the rehearsal: the evening's replies in order, what a word of
// the user's adds in front of them, other takes of a reply, replies for any
// other character, the rest of an unfinished reply, and lines for the user.
//
//go:embed script.md
var scriptMD string

//go:embed asides.md
var asidesMD string

//go:embed takes.md
var takesMD string

//go:embed others.md
var othersMD string

//go:embed continued.md
var continuedMD string

//go:embed yours.md
var yoursMD string

// pages are the parsed files.
type pages struct {
	script, takes, others, continued, yours []string
	keywordReplies                          []keywordReply
	goOn, changeSides, mend, outline        string // how the chat's instructions begin
}

type keywordReply struct {
	words []string
	text  string
}

var book = sync.OnceValue(func() pages {
	p := pages{
		script: split(scriptMD), takes: split(takesMD), others: split(othersMD),
		continued: split(continuedMD), yours: split(yoursMD),
		goOn: head("chat/continue"), changeSides: head("chat/impersonate"), mend: head("chat/rewrite"), outline: head("chat/outline"),
	}
	for _, part := range split(asidesMD) {
		keys, text, _ := strings.Cut(part, "\n")
		p.keywordReplies = append(p.keywordReplies, keywordReply{words: strings.Split(keys, ", "), text: text})
	}
	return p
})

func split(text string) []string {
	parts := strings.Split(text, "\n=====\n")
	for i, p := range parts {
		parts[i] = strings.Trim(p, "\n")
	}
	return parts
}

// head is how a built-in instruction begins, up to its first macro.
func head(name string) string {
	text, _, _ := strings.Cut(prompts.BuiltIn().Text(name), "{{")
	return text[:min(len(text), 40)]
}

// Length is the number of replies in the bundled script.
func Length() int { return len(book().script) }

// Reply writes the next turn of a rehearsal, in place of a model. messages are
// those of the request, oldest first, with Role and Content; take counts how
// often the same request has been made before, so that another try gets another
// answer. With the bundled character it follows the script from whatever reply
// came last, whatever the user says; with any other character it improvises. It
// is safe for concurrent use.
func Reply(messages []storage.Node, take int) string {
	b := book()
	n := len(messages)
	if n == 0 {
		return strings.ReplaceAll(b.others[0], "{{char}}", "the other")
	}
	turn := 0
	for _, m := range messages {
		if m.Role == storage.Assistant {
			turn++
		}
	}
	instruction := messages[n-1].Content
	if kept := messages[n-1]; kept.Role == storage.Assistant {
		if rest, ok := b.onward(kept.Content, take); ok {
			return rest
		}
	}
	switch {
	case messages[n-1].Role == storage.Assistant || b.goOn != "" && strings.Contains(instruction, b.goOn):
		return pick(b.continued, turn+take)
	case b.changeSides != "" && strings.Contains(instruction, b.changeSides):
		if line := outlined(instruction, b.outline, turn+take); b.outline != "" && line != "" {
			return line
		}
		return pick(b.yours, turn+take)
	case b.mend != "" && strings.Contains(instruction, b.mend):
		if answer, ok := passage(instruction, take); ok {
			return answer
		}
	}
	return steered(b.turn(messages, turn, take), instruction)
}

// turn is the next turn of whoever is played, as the script has it.
func (b pages) turn(messages []storage.Node, turn, take int) string {
	name := Character().Card.CharName()
	if !plays(messages, name) {
		return strings.ReplaceAll(pick(b.others, max(turn-1, 0)+take), "{{char}}", character(messages))
	}
	if take > 0 {
		return pick(b.takes, turn+take)
	}
	next := b.next(messages, turn)
	if next >= len(b.script) { // the play is over; the night need not be
		return pick(b.takes, next)
	}
	if said := b.keywordReply(messages); said != "" {
		return said + "\n\n" + b.script[next]
	}
	return b.script[next]
}

// next is the place in the script after the newest reply that comes from it.
// Where none does, the number of replies so far decides; the greeting is one.
func (b pages) next(messages []storage.Node, turn int) int {
	since := 0
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != storage.Assistant {
			continue
		}
		for at, page := range b.script {
			if strings.Contains(messages[i].Content, opening(page)) {
				return at + 1 + since
			}
		}
		since++
	}
	return max(turn-1, 0)
}

// onward is the rest of a page that was cut: the sentence that is open ends in another way,
// and one that was to come is left out. ok is false for what is no page, or all of one.
func (b pages) onward(kept string, take int) (rest string, ok bool) {
	const least = 8
	for _, page := range slices.Concat(b.script, b.takes, b.others, b.continued) {
		head := opening(page)
		if len(kept) < least || !strings.HasPrefix(kept, head) && !strings.HasPrefix(page, kept) {
			continue
		}
		at := 0 // of the page, as far as what is kept follows it
		for at < len(kept) && at < len(page) && kept[at] == page[at] {
			at++
		}
		if at == len(page) {
			return "", false
		}
		done := strings.TrimRightFunc(kept, unicode.IsSpace)
		closed := strings.HasSuffix(strings.TrimRight(done, "\"*"), ".") || strings.HasSuffix(done, "\n")
		next := at + sentenceEnd(page[at:])
		if closed && take == 0 {
			next = at
		}
		if rest = page[next:]; !closed {
			rest = " " + pick(bridges, take) + rest
		}
		if strings.TrimSpace(rest) != "" {
			return rest, true
		}
	}
	return "", false
}

// bridges end a sentence that was cut.
var bridges = []string{"says nothing more.", "lets it rest there.", "leaves it at that."}

// sentenceEnd is where the first sentence of a text ends, its length where it has no end.
func sentenceEnd(text string) int {
	for i, r := range text {
		if !strings.ContainsRune(".!?", r) {
			continue
		}
		at := i + 1
		for at < len(text) && strings.ContainsRune("\"*'", rune(text[at])) {
			at++
		}
		if at == len(text) || text[at] == ' ' || text[at] == '\n' {
			return at
		}
	}
	return len(text)
}

// opening is enough of a page to know it by, also when it was cut short.
func opening(page string) string {
	r := []rune(page)
	return string(r[:min(len(r), 40)])
}

// keywordReply is what a word in the user's newest message adds in front of the next
// page, "" for most messages.
func (b pages) keywordReply(messages []storage.Node) string {
	said := ""
	for _, m := range messages {
		if m.Role == storage.User && !strings.HasPrefix(m.Content, "[") { // that is an instruction
			said = m.Content
		}
	}
	words := strings.FieldsFunc(strings.ToLower(said), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, a := range b.keywordReplies {
		for _, key := range a.words {
			for _, w := range words {
				if w == key && !alreadySaid(messages, a.text) {
					return a.text
				}
			}
		}
	}
	return ""
}

// alreadySaid reports whether an aside has been used already.
func alreadySaid(messages []storage.Node, text string) bool {
	for _, m := range messages {
		if m.Role == storage.Assistant && strings.Contains(m.Content, text) {
			return true
		}
	}
	return false
}

// plays reports whether the request is for the character of that name.
func plays(messages []storage.Node, name string) bool {
	for _, m := range messages {
		if m.Role == storage.System && strings.Contains(m.Content, name) {
			return true
		}
	}
	return false
}

// character finds whom a request's instructions are for.
func character(messages []storage.Node) string {
	for _, m := range messages {
		if m.Role != storage.System {
			continue
		}
		for _, lead := range []string{"You play ", "You are ", "Write "} {
			_, after, ok := strings.Cut(m.Content, lead)
			if !ok {
				continue
			}
			name := after[:strings.IndexAny(after+",", ",.;:'’\n")]
			if r := []rune(name); len(r) > 0 && len(r) < 40 && unicode.IsUpper(r[0]) {
				return name
			}
		}
	}
	return "The other"
}

func pick(list []string, n int) string { return list[n%len(list)] }
