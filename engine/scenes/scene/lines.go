package scene

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Bounds of what is looked at: cues stand at the beginning or the end of a
// message, and a message may be anything.
const (
	maxEdge  = 2 << 10 // bytes from either end
	maxFirst = 5       // lines at the beginning
	maxLead  = 300     // bytes of prose that may stand before a cue that counts as in front
	maxCue   = 120     // runes
)

// rawLine is a line of a message that is not blank, without blanks around it.
type rawLine struct {
	text string
	at   int  // in the message
	cut  bool // it goes on beyond what is looked at
	last bool // nothing but blanks comes after it
}

// firstLines are the lines at the beginning of a message.
func firstLines(text string, limit int) []rawLine {
	var lines []rawLine
	window := text[:min(len(text), maxEdge)]
	for at := 0; at < len(window) && len(lines) < limit; {
		end, next := lineEnd(window, at)
		line := strings.TrimSpace(window[at:end])
		if line != "" {
			cut := end == len(window) && len(text) > len(window)
			lines = append(lines, rawLine{text: line, at: at, cut: cut, last: !cut && strings.TrimSpace(window[end:]) == "" && len(window) == len(text)})
		}
		at = next
	}
	return lines
}

// lastLines are the last line of a message and the one before it.
func lastLines(text string) (last, before rawLine) {
	start := max(0, len(text)-maxEdge)
	window := strings.TrimRightFunc(text[start:], unicode.IsSpace)
	for window != "" {
		i := strings.LastIndexAny(window, "\n\r")
		line := rawLine{text: strings.TrimSpace(window[i+1:]), at: start + i + 1, cut: i < 0 && start > 0}
		if last.text != "" {
			return last, line
		}
		last = line
		last.last = true
		if i < 0 {
			break
		}
		window = strings.TrimRightFunc(window[:i], unicode.IsSpace)
	}
	return last, rawLine{}
}

func lineEnd(s string, at int) (end, next int) {
	i := strings.IndexAny(s[at:], "\n\r")
	if i < 0 {
		return len(s), len(s)
	}
	return at + i, at + i + 1
}

// line is a line with its decoration told apart from its words.
type line struct {
	rawLine
	core   string
	level  int  // of a Markdown heading
	strong bool // bold
	soft   bool // italic, or between single dashes
	boxed  bool // in brackets, or marked as out of character
	ruled  rune // the glyph of the rules on both sides
	plain  bool // no decoration at all
	quoted bool // speech, a quotation or an item of a list
}

// framed tells whether the line's look alone says that it is no prose.
func (l line) framed() bool { return l.boxed || l.ruled != 0 || l.level > 0 }

// maxPeel is how many layers of decoration a line may have.
const maxPeel = 6

// peel takes the decoration off a line.
func peel(raw rawLine) line {
	l := line{rawLine: raw, core: raw.text}
	for range maxPeel {
		inner := l.layer(strings.TrimFunc(l.core, isOrnament))
		if inner == l.core || l.quoted {
			break
		}
		l.core = inner
	}
	l.plain = !l.framed() && !l.strong && !l.soft
	return l
}

// layer takes one layer of decoration off s and notes what it was.
func (l *line) layer(s string) string {
	if s == "" {
		return s
	}
	if isQuote(firstRune(s)) || isItem(s) {
		l.quoted = true
		return s
	}
	if inner, level := headingMark(s); level > 0 && l.level == 0 {
		l.level = level
		return inner
	}
	if inner, ok := oocPrefix(s); ok {
		l.boxed = true
		return inner
	}
	inner, glyph, n := betweenRules(s)
	if n > 1 {
		l.ruled = glyph
		return inner
	}
	for _, e := range enclosures {
		inner, ok := enclosed(s, e.open, e.shut)
		if !ok {
			continue
		}
		l.strong = l.strong || e.is == 'b'
		l.soft = l.soft || e.is == 'i'
		l.boxed = l.boxed || e.is == 'x'
		return inner
	}
	if n > 0 {
		l.soft = true
		return inner
	}
	l.quoted = isDash(firstRune(s)) // speech, in some languages
	return s
}

var enclosures = []struct {
	open, shut string
	is         byte // b bold, i italic, x box
}{
	{"**", "**", 'b'}, {"__", "__", 'b'}, {"*", "*", 'i'}, {"_", "_", 'i'}, {"~~", "~~", 'i'}, {"`", "`", 'i'},
	{"~", "~", 'i'}, {"—", "—", 'i'}, {"–", "–", 'i'}, {"-", "-", 'i'},
	{"((", "))", 'x'}, {"[[", "]]", 'x'}, {"[", "]", 'x'}, {"(", ")", 'x'}, {"{", "}", 'x'}, {"<", ">", 'x'}, {"【", "】", 'x'}, {"//", "", 'x'},
}

func enclosed(s, open, shut string) (string, bool) {
	if len(s) <= len(open)+len(shut) || !strings.HasPrefix(s, open) || !strings.HasSuffix(s, shut) {
		return "", false
	}
	inner := s[len(open) : len(s)-len(shut)]
	if strings.Contains(inner, open) || shut != "" && strings.Contains(inner, shut) {
		return "", false
	}
	if open == "*" && (inner[0] == '*' || inner[len(inner)-1] == '*') {
		return "", false
	}
	return strings.TrimSpace(inner), true
}

// headingMark cuts a Markdown heading's mark off.
func headingMark(s string) (string, int) {
	level := len(s) - len(strings.TrimLeft(s, "#"))
	if level == 0 || level > 6 || level == len(s) || s[level] != ' ' && s[level] != '\t' {
		return s, 0
	}
	return strings.TrimRight(strings.TrimSpace(s[level:]), "# \t"), level
}

// oocPrefix cuts "OOC:" off.
func oocPrefix(s string) (string, bool) {
	if len(s) < 4 || !strings.EqualFold(s[:3], "ooc") || isWordRune(firstRune(s[3:])) {
		return s, false
	}
	return strings.TrimLeft(s[3:], ":-–—,. "), true
}

// betweenRules cuts rules such as "---" off both sides of words; n is how many
// glyphs the shorter one has.
func betweenRules(s string) (inner string, glyph rune, n int) {
	head := len(s) - len(strings.TrimLeftFunc(s, isRule))
	tail := len(strings.TrimRightFunc(s, isRule))
	if head == 0 || tail == len(s) || head >= tail {
		return s, 0, 0
	}
	inner = strings.TrimSpace(s[head:tail])
	if len(inner) == tail-head { // glyphs that touch the words are something else
		return s, 0, 0
	}
	glyph, _ = utf8.DecodeRuneInString(s)
	return inner, glyph, min(utf8.RuneCountInString(s[:head]), utf8.RuneCountInString(s[tail:]))
}

func isRule(r rune) bool {
	if r < utf8.RuneSelf {
		return strings.IndexByte("-=~*_#+", byte(r)) >= 0
	}
	return r == '•' || r == '—' || r == '–' || r == '·' || r == '✦' || '─' <= r && r <= '╿'
}

func isQuote(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '"' || r == '\'' || r == '>'
	}
	return strings.ContainsRune("“”„«»‹›‘’‚「」『』", r)
}

func isDash(r rune) bool { return r == '—' || r == '–' }

// isOrnament is what may stand beside words and means nothing: symbols and
// invisible joiners.
func isOrnament(r rune) bool {
	switch {
	case r == ' ' || r == '\t' || r == '\ufe0f' || r == '\u200d' || r == '\u200b' || r == '\u00a0':
		return true
	case r < 0x2190:
		return false
	}
	return unicode.Is(unicode.So, r) && !isRule(r)
}

// isItem tells an item of a list from a line between dashes.
func isItem(s string) bool {
	if len(s) > 2 && s[1] == ' ' && (s[0] == '-' || s[0] == '*' || s[0] == '+') {
		return !strings.HasSuffix(s, s[:1])
	}
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	return digits > 0 && digits < 3 && len(s) > digits+1 && (s[digits] == '.' || s[digits] == ')') && s[digits+1] == ' '
}

// tail is what comes after the first end bytes of s.
type tail struct {
	rest  string // without what closes decoration
	ended bool   // the clause ends there
	asks  bool   // the sentence is a question
	words []word
}

func tailOf(s string, end int) tail {
	t := tail{rest: strings.TrimLeft(s[end:], "*_~`)]}\"”")}
	trimmed := strings.TrimLeft(t.rest, " \t")
	switch r := firstRune(trimmed); {
	case trimmed == "":
		t.ended = true
	case strings.ContainsRune(".,:;!…—–([*", r):
		t.ended = true
	case r == '-':
		t.ended = len(trimmed) == 1 || !isWordRune(firstRune(trimmed[1:])) || len(trimmed) < len(t.rest)
	}
	if i := strings.IndexAny(trimmed, ".!?…"); i >= 0 {
		t.asks = trimmed[i] == '?'
	}
	t.words = wordsOf(trimmed, 14)
	return t
}

func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }

// clip makes words from outside fit for a rationale: one line, at most n runes.
func clip(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n]
	}
	s = prompts.OneLine(s)
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	r := []rune(s)
	return strings.TrimSpace(string(r[:n-1])) + "…"
}
