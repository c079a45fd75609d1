package passage

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// MaxAnswer is the most bytes of an answer that may go into a text.
const MaxAnswer = 64 << 10

// Clean returns the part of an answer that replaces the passage: without the wrapping that models
// add, without control characters, and with the white space that the text needs at its ends. It is
// "" if nothing is usable. An incomplete answer is cleaned as far as it goes.
func (p *Part) Clean(answer string) string {
	if len(answer) > MaxAnswer {
		answer = strings.TrimSuffix(firstOf(answer, MaxAnswer), "…")
	}
	text := strings.Map(keepRune, strings.ReplaceAll(strings.ToValidUTF8(answer, ""), "\r\n", "\n"))
	inside, tagged := p.tagged(text)
	if text = p.unfenced(inside); !tagged {
		text = p.unquoted(p.withoutRemarks(p.unfenced(p.withoutLabel(text))))
	}
	for _, tag := range []string{"<passage>", "</passage>", "<here/>", "<text>", "</text>"} {
		if !strings.Contains(p.Text, tag) {
			text = strings.ReplaceAll(text, tag, "")
		}
	}
	return p.joined(p.withoutAround(text))
}

// keepRune drops control characters and marks that change the text's direction.
func keepRune(r rune) rune {
	switch {
	case r == '\n' || r == '\t':
		return r
	case r == '\r' || r == '\u2028' || r == '\u2029':
		return '\n'
	case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\ufeff':
		return -1
	}
	return r
}

// tagged returns the text between the tags that the request asks for. If there are several, it is
// the first one with new text. An answer may break off within the tags, or within the opening tag
// itself.
func (p *Part) tagged(text string) (string, bool) {
	const open, end = "<passage>", "</passage>"
	rest, first, found := text, "", false
	for {
		_, after, ok := strings.Cut(rest, open)
		if !ok {
			break
		}
		inside, behind, closed := strings.Cut(after, end)
		if !closed {
			inside = withoutBegun(inside, end)
		}
		if !found {
			first, found = inside, true
		}
		if said := strings.TrimSpace(inside); said != "" && said != strings.TrimSpace(p.Old()) {
			return inside, true
		}
		rest = behind
	}
	if found {
		return first, true
	}
	if head := strings.TrimSpace(text); head != "" && strings.HasPrefix(open, head) {
		return "", true
	}
	if inside, _, ok := strings.Cut(text, end); ok { // the opening tag is missing
		return inside, strings.TrimSpace(inside) != ""
	}
	return text, false
}

// withoutBegun removes the beginning of a tag from the end of a text.
func withoutBegun(text, tag string) string {
	for n := len(tag) - 1; n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return text[:len(text)-n]
		}
	}
	return text
}

// unfenced removes a code fence around the whole text.
func (p *Part) unfenced(text string) string {
	const fence = "```"
	t := strings.TrimSpace(text)
	if !strings.HasPrefix(t, fence) || strings.HasPrefix(strings.TrimSpace(p.Old()), fence) {
		return text
	}
	head, rest, ok := strings.Cut(t, "\n")
	if !ok || strings.ContainsAny(strings.TrimPrefix(head, fence), " `") {
		return text
	}
	if at := strings.LastIndex(rest, fence); at >= 0 && strings.TrimSpace(rest[at+len(fence):]) == "" {
		rest = rest[:at]
	}
	return rest
}

var (
	// A first line that introduces the text. It ends with a colon, and text follows it.
	preamble = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?i)^(?:\**)(?:(?:sure|certainly|of course|okay|ok|absolutely|gladly|great|alright|here(?:'s|’s| is| are` +
				`| you go| it is)?|below is|the (?:rewritten|revised|new|shorter|longer|edited|updated)` +
				`|this is (?:the|a|my)|i(?:'ve|’ve| have) (?:rewritten|revised|changed|made))\b[^\n]{0,160}|(?:my |a ` +
				`|the )?(?:rewritten|revised|new|shorter|longer|edited|updated|final) (?:passage|version|text|line` +
				`|sentence|paragraph)[^\n:]{0,60}):(?:\**)[ \t]*\n+`)
	})
	// The same on one line with the text.
	label = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?i)^\**(?:(?:sure|certainly|of course|okay|ok)[,!.][^\n:]{0,80}|here(?:'s|’s| is) (?:the|a|my` +
				`|your) [^\n:"“*]{0,60}|(?:the )?(?:(?:rewritten|revised|new|shorter|longer|edited` +
				`|updated) )?(?:passage|version|rewrite|rewritten text|new text))\s*:\**[ \t]+`)
	})
	// A polite phrase on a line of its own.
	courtesy = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?i)^(?:sure|certainly|of course|absolutely|okay|gladly)[!.,]?[ \t]*(?:thing[!.])?\n+`)
	})
	// A last paragraph with remarks about the text.
	remark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?i)^[\[(*_]*(?:note\b|notes:|let me know|i hope (?:this|that)|hope this|i(?:'ve|’ve| have) (?:kept|made` +
				`|changed|shortened|rewritten|tried|preserved|removed|added)|i kept |this (?:version|rewrite|revision` +
				`|passage) |changes made|feel free|would you like|if you(?:'d|’d| would) like|word count)`)
	})
)

// withoutLabel removes an introduction before the passage, unless the old passage begins like that.
func (p *Part) withoutLabel(text string) string {
	leads := []*regexp.Regexp{courtesy(), preamble(), label()}
	own := strings.TrimSpace(p.Old())
	for _, lead := range leads {
		if lead.MatchString(own) || lead.MatchString(own+"\n\n.") {
			return text
		}
	}
	for _, lead := range leads {
		t := strings.TrimSpace(text)
		if at := lead.FindStringIndex(t); at != nil && at[1] < len(t) {
			text = strings.TrimSpace(t[at[1]:])
		}
	}
	return text
}

// withoutRemarks removes last paragraphs with remarks about the passage, unless the old passage
// ends like that.
func (p *Part) withoutRemarks(text string) string {
	if remark().MatchString(lastParagraph(p.Old())) {
		return text
	}
	for {
		at := strings.LastIndex(text, "\n\n")
		if at < 0 {
			return text
		}
		last := strings.TrimLeft(strings.TrimSpace(text[at:]), "-— \n")
		if last != "" && !remark().MatchString(last) {
			return text
		}
		text = strings.TrimSpace(text[:at])
	}
}

func lastParagraph(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndex(text, "\n\n")+1:])
}

var quotes = [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"«", "»"}}

// unquoted removes quotation marks around the whole text if they are the model's own and not
// speech: the old passage has none, and the instruction does not ask for speech.
func (p *Part) unquoted(text string) string {
	t := strings.TrimSpace(text)
	if p.IsInsertion() || strings.ContainsAny(p.Old(), `"“”„«»`) || speech().MatchString(p.Instruction) {
		return text
	}
	for _, q := range quotes {
		inner, ok := strings.CutPrefix(t, q[0])
		if !ok {
			continue
		}
		if inner, ok = strings.CutSuffix(inner, q[1]); ok && inner != "" && !strings.Contains(inner, q[0]) &&
			!strings.Contains(inner, q[1]) {
			return inner
		}
	}
	return text
}

// speech matches instructions that may ask for quotation marks.
var speech = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)\b(?:dialog|dialogue|speech|speak|spoken|say|says|said|saying|tell|ask|aloud|quot\w*|words|voice|whisper` +
			`|shout|line)\b`)
})

// minRepeated is the least number of bytes of repeated surrounding text that is removed from an
// answer.
const minRepeated = 12

// withoutAround removes text from before and after the passage that the answer repeats.
func (p *Part) withoutAround(text string) string {
	t := strings.TrimSpace(text)
	before, after := strings.TrimSpace(p.before()), strings.TrimSpace(p.after())
	old := strings.TrimSpace(p.Old())
	whole := before != "" && after != "" && strings.HasPrefix(t, before) && strings.HasSuffix(t, after)
	if n := len(before) + len(after); whole && n >= minRepeated && n < len(t) && !strings.HasPrefix(old, before) {
		return strings.TrimSpace(t[len(before) : len(t)-len(after)]) // the whole text was written out
	}
	if n := overlap(before, t); n >= minRepeated && (n > len(old) || !strings.HasPrefix(old, t[:n])) {
		t = strings.TrimLeftFunc(t[n:], unicode.IsSpace)
		text = t
	}
	if n := overlap(t, after); n >= minRepeated && (n > len(old) || !strings.HasSuffix(old, t[len(t)-n:])) {
		text = strings.TrimRightFunc(t[:len(t)-n], unicode.IsSpace)
	}
	return text
}

// overlap returns the number of bytes that end head and begin tail, between word boundaries.
func overlap(head, tail string) int {
	for n := min(len(head), len(tail), maxAround); n >= minRepeated; n-- {
		if head[len(head)-n:] == tail[:n] && breaks(head, len(head)-n) && breaks(tail, n) {
			return n
		}
	}
	return 0
}

// breaks reports whether a place is a word boundary.
func breaks(text string, at int) bool {
	if at <= 0 || at >= len(text) {
		return true
	}
	if !utf8.RuneStart(text[at]) {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := utf8.DecodeRuneInString(text[at:])
	return !wordRune(before) || !wordRune(after)
}

func wordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' || r == '’'
}

// joined gives a cleaned answer the white space at its ends that the passage has. An insertion gets
// the white space that is needed between words.
func (p *Part) joined(text string) string {
	own := strings.TrimRightFunc(text, unicode.IsSpace)
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if old := p.Old(); strings.TrimSpace(old) != "" {
		body := strings.TrimLeftFunc(old, unicode.IsSpace)
		return old[:len(old)-len(body)] + text + body[len(strings.TrimRightFunc(body, unicode.IsSpace)):]
	}
	lead := ""
	switch before := p.before(); {
	case before == "" || p.Old() != "" || strings.HasSuffix(before, "\n"):
	case strings.Contains(own[:len(own)-len(text)], "\n\n"):
		lead = "\n\n"
	case needsSpace(before, text):
		lead = " "
	}
	if after := p.after(); p.Old() == "" && after != "" {
		if r, _ := utf8.DecodeRuneInString(after); wordRune(r) || strings.ContainsRune("\"“„«(*_—", r) {
			text += " "
		}
	}
	return lead + text
}

// needsSpace reports whether next needs a space after before: not after an opening mark, and not
// before a closing one.
func needsSpace(before, next string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	first, _ := utf8.DecodeRuneInString(next)
	if unicode.IsSpace(last) || strings.ContainsRune("([{“„«-–—", last) || strings.ContainsRune(",.;:!?…)]}”»", first) {
		return false
	}
	if !strings.ContainsRune("\"*_'‘", last) {
		return true
	}
	return strings.Count(before, string(last))%2 == 0
}
