package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/words"
)

// Correction is a sentence that is wrong, and what is so in its place.
type Correction struct {
	Wrong, Instead string // Instead is "" where it is only not so

	words, truth Words
	wrong, now   []token
	gone         []string // words of the wrong sentence that the right one lacks
	swaps        []swap
}

// Match is how a text says what is wrong.
type Match int

// How a text may say what is wrong.
const (
	None  Match = iota // it does not
	Maybe              // it shares words with it: the user decides
	Exact              // in just these words
)

// swap are words of the wrong sentence, and what stands there in the right one.
type swap struct {
	old []string
	now string
}

// NewCorrection reads a correction.
func NewCorrection(wrong, instead string) *Correction {
	c := &Correction{Wrong: bare(wrong), Instead: bare(instead)}
	c.words, c.truth = WordsOf(c.Wrong), WordsOf(c.Instead)
	c.wrong, c.now = tokens(c.Wrong), tokens(c.Instead)
	if c.Instead != "" {
		c.gone = c.words.Without(c.truth)
		c.swaps = swapsOf(c.wrong, c.now, c.Wrong, c.Instead)
	}
	return c
}

// bare is a sentence on one line, without the stop at its end and marks around it.
func bare(s string) string {
	s = strings.Trim(strings.Join(strings.Fields(s), " "), " *_\"“”„«»")
	return strings.TrimRight(strings.TrimRight(s, ".。"), " ")
}

// Of returns how a text says what is wrong. about is what its home files it under, "" for nothing:
// the text may leave that out. What the user is not asked about is in the very words, and can be
// mended without a loss.
func (c *Correction) Of(text, about string) Match {
	best := None
	for _, s := range Sentences(text) {
		best = max(best, c.of(s, about))
	}
	if _, whole := c.Mended(text); best == Exact && !whole {
		return Maybe
	}
	return best
}

func (c *Correction) of(text, about string) Match {
	if len(c.wrong) == 0 {
		return None
	}
	at, _ := find(tokens(text), c.wrong)
	if at < 0 && about != "" {
		at, _ = find(tokens(about+" "+text), c.wrong)
	}
	switch {
	case at >= 0:
		return Exact
	case c.True(text):
		return None
	}
	w := WordsOf(about + "\n" + text)
	share := c.share(w)
	has := slices.ContainsFunc(c.gone, w.has)
	if share >= enough && (has || len(c.gone) == 0) || share >= nearly {
		return Maybe
	}
	return None
}

// How many of the words of the wrong sentence a text has that the user is asked about: with a word
// among them that is wrong, and without one.
const (
	enough = 0.5
	nearly = 0.75
)

// share is how many of the words of the wrong sentence are among others, from 0 to 1.
func (c *Correction) share(w Words) float64 {
	return float64(w.Shared(c.words)) / float64(max(1, len(c.words.All)))
}

// Share returns how many of the words of the wrong sentence a text has, from 0 to 1. Places that
// the user is asked about are listed by it.
func (c *Correction) Share(text string) float64 { return c.share(WordsOf(text)) }

// True reports whether a text says what is so, in the very words.
func (c *Correction) True(text string) bool {
	at, _ := find(tokens(text), c.now)
	return at >= 0
}

// More reports whether a text says more than what is so.
func (c *Correction) More(text string) bool { return len(WordsOf(text).Without(c.truth)) > 1 }

// Mended is a text as it is with the correction in it, "" where nothing is left of it.
// whole is false where it loses what it says beside.
func (c *Correction) Mended(text string) (after string, whole bool) {
	if after, ok := c.inWords(text); ok {
		return after, true
	}
	list := Sentences(text)
	if len(list) > 1 {
		after, changed := text, false
		for _, s := range list {
			if c.of(s, "") == None {
				continue
			}
			now, ok := c.inWords(s)
			if !ok {
				now = c.alone(s)
			}
			after, changed = cutIn(after, s, now), true
		}
		if changed {
			return after, true
		}
	}
	return c.alone(text), len(WordsOf(text).All) <= len(c.words.All)+2
}

// alone is what stands in the place of a whole statement.
func (c *Correction) alone(text string) string {
	if c.Instead == "" {
		return ""
	}
	return c.Instead + stop(text)
}

// inWords mends a text in the words that are wrong alone: where they stand as in the
// wrong sentence, else by putting words in the place of others, whole ones.
func (c *Correction) inWords(text string) (string, bool) {
	said := tokens(text)
	if c.Instead == "" {
		at, to := find(said, c.wrong)
		if at < 0 {
			return "", false
		}
		return without(text, said, at, to)
	}
	if after, n := replaceAll(text, said, c.wrong, c.Instead, c.Wrong); n > 0 {
		return after, true
	}
	if len(c.swaps) == 0 {
		return "", false
	}
	for _, s := range c.swaps {
		old := make([]token, len(s.old))
		for i, w := range s.old {
			old[i] = token{low: words.Fold(w)}
		}
		after, n := replaceAll(text, tokens(text), old, s.now, strings.Join(s.old, " "))
		first, _ := utf8.DecodeRuneInString(s.old[0])
		if n == 0 || n > 1 && !unicode.IsUpper(first) {
			return "", false
		}
		text = after
	}
	return text, true
}

// without is a text without some of its tokens, and with what joined these to the rest;
// false where the rest would be no statement.
func without(text string, said []token, at, to int) (string, bool) {
	before, after := text[:said[at].from], text[said[to-1].to:]
	rest := len(WordsOf(before + " " + after).All)
	if rest == 0 {
		return "", true
	}
	head, tail := strings.TrimRight(before, " "), strings.TrimLeft(after, " ")
	starts := head == "" || strings.ContainsAny(head[len(head)-1:], ".!?\n")
	ends := tail == "" || strings.ContainsAny(tail[:1], ".!?\n")
	switch {
	case starts && ends: // a sentence of its own
		tail = strings.TrimLeft(tail, ".!? ")
		return strings.TrimSpace(head + " " + tail), true
	case ends: // the last part of a sentence
		if cut := strings.TrimRight(head, ",; "); cut != head {
			return cut + tail, true
		}
	case starts: // the first
		if cut := strings.TrimLeft(tail, ",; "); cut != tail {
			return strings.TrimSpace(head + " " + raised(cut)), true
		}
	}
	return "", false
}

// replaceAll puts words in the place of others wherever these stand as a whole, and
// tells how often. like is how the old ones are written: where they begin a sentence
// there and not here, or the other way round, so do the new ones.
func replaceAll(text string, said, old []token, now, like string) (string, int) {
	var b strings.Builder
	done, n := 0, 0
	for i := 0; i+len(old) <= len(said); {
		at, to := find(said[i:], old)
		if at < 0 {
			break
		}
		from, end := said[i+at].from, said[i+to-1].to
		b.WriteString(text[done:from])
		b.WriteString(cased(now, like, text[from:end]))
		done, n, i = end, n+1, i+to
	}
	b.WriteString(text[done:])
	return b.String(), n
}

// cased is a text with the first letter as large or small as in here, where that is
// otherwise than in like.
func cased(now, like, here string) string {
	a, _ := utf8.DecodeRuneInString(like)
	b, _ := utf8.DecodeRuneInString(here)
	if unicode.IsUpper(a) == unicode.IsUpper(b) || now == "" {
		return now
	}
	if unicode.IsUpper(b) {
		return raised(now)
	}
	r, n := utf8.DecodeRuneInString(now)
	return string(unicode.ToLower(r)) + now[n:]
}

func raised(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// cutIn puts a text in the place of a part of another; with "" the part goes.
func cutIn(text, part, now string) string {
	before, after, found := strings.Cut(text, part)
	if !found {
		return text
	}
	if now == "" {
		before, after = strings.TrimRight(before, " "), strings.TrimLeft(after, " ")
		if before != "" && after != "" && !strings.HasSuffix(before, "\n") && !strings.HasPrefix(after, "\n") {
			before += " "
		}
	}
	return before + now + after
}

// stop is the mark that a statement ends with.
func stop(text string) string {
	text = strings.TrimRight(text, " \n\"”“»*_)")
	if r, n := utf8.DecodeLastRuneInString(text); n > 0 && strings.ContainsRune(".!?…。", r) {
		return "."
	}
	return ""
}

// Near reports whether a long text has so many of the words of the wrong sentence or of the right
// one that a look at its sentences is worth while.
func (c *Correction) Near(text string) bool {
	has := words.Fold(text)
	for _, w := range []Words{c.words, c.truth} {
		n := 0
		for _, x := range w.All {
			if strings.Contains(has, x) {
				n++
			}
		}
		if n > 0 && n*2 >= len(w.All) {
			return true
		}
	}
	return false
}
