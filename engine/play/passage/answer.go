package passage

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// MaxAnswer is how many bytes of an answer may go into a text.
const MaxAnswer = 64 << 10

// Clean returns what of an answer takes the place of the passage: without what models put
// around such a thing, without control characters, and with the space at its ends that
// the text needs there. It is "" where nothing of use was said. An answer of which only
// the beginning has come is cleaned as far as it goes.
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

// keepRune drops control characters and those that turn the direction of what follows.
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

// tagged returns what stands between the tags that the answer was asked to have; of several
// the first that says something new. An answer may break off inside of them, or begin
// with the tag that may still be growing.
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
	if inside, _, ok := strings.Cut(text, end); ok { // the first tag was forgotten
		return inside, strings.TrimSpace(inside) != ""
	}
	return text, false
}

// withoutBegun cuts the beginning of a tag off the end of a text.
func withoutBegun(text, tag string) string {
	for n := len(tag) - 1; n > 0; n-- {
		if strings.HasSuffix(text, tag[:n]) {
			return text[:len(text)-n]
		}
	}
	return text
}

// unfenced takes a fence of code off that stands around all of a text.
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
	// A first line that talks about what follows. It ends with a colon, and text follows it.
	preamble = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?i)^(?:\**)(?:(?:sure|certainly|of course|okay|ok|absolutely|gladly|great|alright|here(?:'s|’s| is| are` +
				`| you go| it is)?|below is|the (?:rewritten|revised|new|shorter|longer|edited|updated)` +
				`|this is (?:the|a|my)|i(?:'ve|’ve| have) (?:rewritten|revised|changed|made))\b[^\n]{0,160}|(?:my |a ` +
				`|the )?(?:rewritten|revised|new|shorter|longer|edited|updated|final) (?:passage|version|text|line` +
				`|sentence|paragraph)[^\n:]{0,60}):(?:\**)[ \t]*\n+`)
	})
	// The same before the text in one line.
	label = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?i)^\**(?:(?:sure|certainly|of course|okay|ok)[,!.][^\n:]{0,80}|here(?:'s|’s| is) (?:the|a|my` +
				`|your) [^\n:"“*]{0,60}|(?:the )?(?:(?:rewritten|revised|new|shorter|longer|edited` +
				`|updated) )?(?:passage|version|rewrite|rewritten text|new text))\s*:\**[ \t]+`)
	})
	// A polite beginning in a line of its own.
	courtesy = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?i)^(?:sure|certainly|of course|absolutely|okay|gladly)[!.,]?[ \t]*(?:thing[!.])?\n+`)
	})
	// A last paragraph that talks about what stands before it.
	remark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?i)^[\[(*_]*(?:note\b|notes:|let me know|i hope (?:this|that)|hope this|i(?:'ve|’ve| have) (?:kept|made` +
				`|changed|shortened|rewritten|tried|preserved|removed|added)|i kept |this (?:version|rewrite|revision` +
				`|passage) |changes made|feel free|would you like|if you(?:'d|’d| would) like|word count)`)
	})
)

// withoutLabel cuts off what leads up to the passage, unless the passage begins so itself.
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

// withoutRemarks cuts off last paragraphs that talk about the passage, unless it ends so
// itself.
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

// unquoted takes quotation marks off that stand around all of a text, where they are the
// model's and no speech: the passage has none, and nobody asked for speech.
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

// speech is what an instruction says that may want quotation marks.
var speech = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)\b(?:dialog|dialogue|speech|speak|spoken|say|says|said|saying|tell|ask|aloud|quot\w*|words|voice|whisper` +
			`|shout|line)\b`)
})

// How much of the text around it an answer has to repeat to be cut by it.
const minRepeated = 12

// withoutAround cuts off what stands in the text before or after the passage and was
// written out once more.
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

// overlap returns how many bytes end one text and begin the other, from the break of a word to
// the break of a word.
func overlap(head, tail string) int {
	for n := min(len(head), len(tail), maxAround); n >= minRepeated; n-- {
		if head[len(head)-n:] == tail[:n] && breaks(head, len(head)-n) && breaks(tail, n) {
			return n
		}
	}
	return 0
}

// breaks reports whether no word goes on at a place.
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

// joined gives a cleaned answer the space at its ends that the passage has; what is
// written on gets the space that stands between words.
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

// needsSpace reports whether words that follow a text need a space before them: not behind
// what opens something, and not before what only ends a sentence.
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
