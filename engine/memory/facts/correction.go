package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/engine/words"
)

// Correction is a wrong sentence and the correct one.
type Correction struct {
	Wrong, Instead string // Instead is "" if the sentence is only withdrawn

	words      Words
	wrong, now []token
	old        []token // the words of Wrong that differ in Instead, nil if most do
	new        string  // the words in their place
}

// Match is how well a text matches the wrong sentence.
type Match int

// The possible matches.
const (
	None  Match = iota // it does not
	Maybe              // it shares words with it: the user decides
	Exact              // in just these words
)

// NewCorrection reads a correction.
func NewCorrection(wrong, instead string) *Correction {
	c := &Correction{Wrong: trimSentence(wrong), Instead: trimSentence(instead)}
	c.words = WordsOf(c.Wrong)
	c.wrong, c.now = tokens(c.Wrong), tokens(c.Instead)
	c.old, c.new = difference(c.wrong, c.now, c.Instead)
	return c
}

// trimSentence returns a sentence on one line, without the stop at its end and marks around it.
func trimSentence(s string) string {
	s = strings.Trim(strings.Join(strings.Fields(s), " "), " *_\"“”„«»")
	return strings.TrimRight(strings.TrimRight(s, ".。"), " ")
}

// difference returns the words of a sentence that differ from another one, and the other's words in
// their place. A word that only one of them has is extended by a neighbour.
func difference(a, b []token, instead string) (old []token, now string) {
	from, end := 0, 0
	for from < min(len(a), len(b)) && a[from].low == b[from].low {
		from++
	}
	for end < min(len(a), len(b))-from && a[len(a)-1-end].low == b[len(b)-1-end].low {
		end++
	}
	if (from+end)*2 < len(a) || len(b) == 0 {
		return nil, ""
	}
	if from+end == min(len(a), len(b)) {
		switch {
		case end > 0:
			end--
		case from > 0:
			from--
		}
	}
	if from+end >= min(len(a), len(b)) {
		return nil, ""
	}
	return a[from : len(a)-end], instead[b[from].from:b[len(b)-end-1].to]
}

// Match returns how a text matches the wrong sentence. about is the subject of the text, "" for
// none, which the text may omit. The result is Exact only if the text can be corrected without a
// loss.
func (c *Correction) Match(s, about string) Match {
	best := None
	for _, line := range text.Sentences(s) {
		best = max(best, c.matchLine(line, about))
	}
	if _, whole := c.Apply(s); best == Exact && !whole {
		return Maybe
	}
	return best
}

func (c *Correction) matchLine(line, about string) Match {
	if len(c.wrong) == 0 {
		return None
	}
	at, _ := find(tokens(line), c.wrong)
	if at < 0 && about != "" {
		at, _ = find(tokens(about+" "+line), c.wrong)
	}
	switch {
	case at >= 0:
		return Exact
	case !c.IsStated(line) && c.Share(about+"\n"+line) >= minShare:
		return Maybe
	}
	return None
}

// minShare is the share of the wrong sentence's words that a text must have to be offered for
// correction.
const minShare = 0.5

// Share returns the share of the wrong sentence's words that a text has, from 0 to 1. It finds and
// sorts the places that the user is asked about.
func (c *Correction) Share(s string) float64 {
	return float64(WordsOf(s).Shared(c.words)) / float64(max(1, len(c.words.All)))
}

// IsStated reports whether a text has exactly the words of the correct sentence.
func (c *Correction) IsStated(s string) bool {
	at, _ := find(tokens(s), c.now)
	return at >= 0
}

// Apply returns a text with the correction in it, "" if nothing is left. whole is false if other
// contents would be lost.
func (c *Correction) Apply(s string) (after string, whole bool) {
	if after, ok := c.replaceWords(s); ok {
		return after, true
	}
	lines := 0
	after = s
	for _, line := range text.Sentences(s) {
		if lines++; c.matchLine(line, "") == None {
			continue
		}
		now, ok := c.replaceWords(line)
		if !ok {
			now = c.statement(line)
		}
		after = replacePart(after, line, now)
	}
	if lines > 1 && after != s {
		return after, true
	}
	return c.statement(s), len(WordsOf(s).All) <= len(c.words.All)+2
}

// statement returns the replacement of a whole statement.
func (c *Correction) statement(s string) string {
	if c.Instead == "" {
		return ""
	}
	return c.Instead + finalMark(s)
}

// replaceWords replaces only the wrong words of a text. If the text has the words of the wrong
// sentence in its order, it replaces these; otherwise it replaces the words that differ, as whole
// words.
func (c *Correction) replaceWords(s string) (string, bool) {
	said := tokens(s)
	if c.Instead == "" {
		at, to := find(said, c.wrong)
		if at < 0 {
			return "", false
		}
		return without(s, said, at, to)
	}
	if after, n := replaceAll(s, said, c.wrong, c.Instead, c.Wrong); n > 0 {
		return after, true
	}
	if c.old == nil {
		return "", false
	}
	like := c.Wrong[c.old[0].from:]
	after, n := replaceAll(s, said, c.old, c.new, like)
	first, _ := utf8.DecodeRuneInString(like)
	return after, n == 1 || n > 1 && unicode.IsUpper(first)
}

// without returns a text without some of its tokens and without the words that joined these to the
// rest. It returns false if the rest would be no statement.
func without(s string, said []token, at, to int) (string, bool) {
	before, after := s[:said[at].from], s[said[to-1].to:]
	if len(WordsOf(before+" "+after).All) == 0 {
		return "", true
	}
	head, tail := strings.TrimRight(before, " "), strings.TrimLeft(after, " ")
	starts := head == "" || strings.ContainsAny(head[len(head)-1:], ".!?\n")
	ends := tail == "" || strings.ContainsAny(tail[:1], ".!?\n")
	switch {
	case starts && ends: // a whole sentence
		tail = strings.TrimLeft(tail, ".!? ")
		return strings.TrimSpace(head + " " + tail), true
	case ends: // the last part of a sentence
		if cut := strings.TrimRight(head, ",; "); cut != head {
			return cut + tail, true
		}
	case starts: // the first
		if cut := strings.TrimLeft(tail, ",; "); cut != tail {
			return strings.TrimSpace(head + " " + capitalize(cut)), true
		}
	}
	return "", false
}

// replaceAll replaces words wherever they occur as whole words, and returns the number of
// replacements. like is the spelling of the old words in the wrong sentence: the new words change
// case as the old ones do.
func replaceAll(s string, said, old []token, now, like string) (string, int) {
	var b strings.Builder
	done, n := 0, 0
	for i := 0; i+len(old) <= len(said); {
		at, to := find(said[i:], old)
		if at < 0 {
			break
		}
		from, end := said[i+at].from, said[i+to-1].to
		b.WriteString(s[done:from])
		b.WriteString(withCaseOf(now, like, s[from:end]))
		done, n, i = end, n+1, i+to
	}
	b.WriteString(s[done:])
	return b.String(), n
}

// withCaseOf returns a text whose first letter has the case that it has in here, if that differs
// from the case in like.
func withCaseOf(now, like, here string) string {
	a, _ := utf8.DecodeRuneInString(like)
	b, _ := utf8.DecodeRuneInString(here)
	if unicode.IsUpper(a) == unicode.IsUpper(b) || now == "" {
		return now
	}
	if unicode.IsUpper(b) {
		return capitalize(now)
	}
	r, n := utf8.DecodeRuneInString(now)
	return string(unicode.ToLower(r)) + now[n:]
}

func capitalize(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// replacePart replaces a part of a text; "" removes the part.
func replacePart(s, part, now string) string {
	before, after, found := strings.Cut(s, part)
	if !found {
		return s
	}
	if now == "" {
		before, after = strings.TrimRight(before, " "), strings.TrimLeft(after, " ")
		if before != "" && after != "" && !strings.HasSuffix(before, "\n") && !strings.HasPrefix(after, "\n") {
			before += " "
		}
	}
	return before + now + after
}

// finalMark returns the mark that a statement ends with.
func finalMark(s string) string {
	s = strings.TrimRight(s, " \n\"”“»*_)")
	if r, n := utf8.DecodeLastRuneInString(s); n > 0 && strings.ContainsRune(".!?…。", r) {
		return "."
	}
	return ""
}

// MayMatch reports whether a long text has at least half of the words of the wrong sentence, so
// that its sentences must be checked.
func (c *Correction) MayMatch(s string) bool {
	has, n := words.Fold(s), 0
	for _, x := range c.words.All {
		if strings.Contains(has, x) {
			n++
		}
	}
	return n > 0 && n*2 >= len(c.words.All)
}

// token is a word of a text as it is written, without a part joined by an apostrophe. In scripts
// without blanks a token is a letter.
type token struct {
	from, to int
	low      string
}

// maxTokens is the maximum number of words of a text that are read.
const maxTokens = 8 << 10

// tokens returns the words of a text.
func tokens(s string) (out []token) {
	words.Runs(s, func(at, end int, dense bool) bool {
		run := s[at:end]
		if dense {
			for i, r := range run {
				n := utf8.RuneLen(r)
				out = append(out, token{at + i, at + i + n, run[i : i+n]})
			}
			return len(out) < maxTokens
		}
		from := 0
		for i, r := range run + "'" {
			if !isApostrophe(r) {
				continue
			}
			if i > from {
				out = append(out, token{at + from, at + i, words.Fold(run[from:i])})
			}
			from = i + utf8.RuneLen(r)
		}
		return len(out) < maxTokens
	})
	return out
}

// find returns the range of consecutive tokens in others; from is -1 if they do not occur.
func find(in, list []token) (from, to int) {
	for i := 0; len(list) > 0 && i+len(list) <= len(in); i++ {
		same := 0
		for same < len(list) && in[i+same].low == list[same].low {
			same++
		}
		if same == len(list) {
			return i, i + same
		}
	}
	return -1, -1
}
