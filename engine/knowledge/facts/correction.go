package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Correction is a sentence that is wrong, and what is so in its place.
type Correction struct {
	Wrong, Instead string // Instead is "" where it is only not so

	words, truth Words
	wrong, now   []token
	gone, came   []string // words of the one that the other lacks
	swaps        []swap
	people       map[string]bool // words of names
	names        []string        // of the wrong sentence, in its order
	denies       int
}

// Saying is how surely a text says what is wrong.
type Saying int

// What a text may say of what is wrong.
const (
	Elsewhere Saying = iota // nothing
	Unsure                  // something like it: the user is asked
	Certain                 // just that
)

// swap are words of the wrong sentence, and what stands there in the right one.
type swap struct {
	old []string
	now string
}

// NewCorrection reads a correction. people are names that are known.
func NewCorrection(wrong, instead string, people ...string) *Correction {
	c := &Correction{Wrong: bare(wrong), Instead: bare(instead), people: map[string]bool{}}
	c.words, c.truth = WordsOf(c.Wrong), WordsOf(c.Instead)
	c.wrong, c.now = tokens(c.Wrong), tokens(c.Instead)
	for _, name := range people {
		for _, w := range WordsOf(name).All {
			c.people[w] = true
		}
	}
	for _, w := range c.words.All {
		if !c.truth.has(w) {
			c.gone = append(c.gone, w)
		}
		if c.words.isName(w) {
			c.names = append(c.names, w)
		}
	}
	for _, w := range c.truth.All {
		if !c.words.has(w) {
			c.came = append(c.came, w)
		}
	}
	c.denies = denied(c.wrong)
	if c.Instead != "" {
		c.swaps = swapsOf(c.wrong, c.now, c.Wrong, c.Instead)
	} else {
		c.gone = nil
	}
	return c
}

// bare is a sentence on one line, without the stop at its end and marks around it.
func bare(s string) string {
	s = strings.Trim(strings.Join(strings.Fields(s), " "), " *_\"“”„«»")
	return strings.TrimRight(strings.TrimRight(s, ".。"), " ")
}

// Of tells how surely a text says what is wrong. about is what its home files it under,
// "" for nothing. What says the right thing already says nothing wrong.
func (c *Correction) Of(text, about string) Saying {
	best := Elsewhere
	for _, s := range Sentences(text) {
		best = max(best, c.of(s, about))
	}
	if _, whole := c.Mended(text); best == Certain && !whole {
		return Unsure
	}
	return best
}

func (c *Correction) of(text, about string) Saying {
	said := tokens(text)
	at, _ := find(said, c.wrong)
	w := WordsOf(about + "\n" + text)
	switch {
	case len(c.wrong) == 0, at < 0 && c.True(text):
		return Elsewhere
	case at >= 0 && denied(said) == c.denies:
		return Certain
	case at >= 0:
		return Unsure
	case c.says(w) && denied(said) == c.denies && c.sameNames(w, said, about):
		return Certain
	case c.near(w):
		return Unsure
	}
	return Elsewhere
}

// says tells whether words are those of the wrong sentence, with what is wrong of it. A
// text that has another word in the place of one of them may say something else.
func (c *Correction) says(w Words) bool {
	missing := len(c.words.All) - count(c.words.All, w)
	short := missing*4 <= len(c.words.All) && len(w.All) == len(c.words.All)-missing
	if len(c.words.All) < 2 || missing*6 > len(c.words.All) && !short {
		return false
	}
	return len(c.gone) == 0 || count(c.gone, w)*2 > len(c.gone)
}

// sameNames tells whether a text has the names and numbers of the wrong sentence in the
// order of that, and no other names: else it may say it of somebody else.
func (c *Correction) sameNames(w Words, said []token, about string) bool {
	if count(c.names, w) < len(c.names) {
		return false
	}
	subject := WordsOf(about)
	for i, x := range w.All {
		if i > 0 && w.isName(x) && !c.words.has(x) && !subject.has(x) && (len(c.people) == 0 || c.people[x]) {
			return false
		}
	}
	ordered := func(names []string) bool {
		last := -1
		for _, name := range names {
			at := slices.IndexFunc(said, func(t token) bool { return t.stem() == name })
			if at >= 0 && at < last {
				return false
			}
			last = max(last, at)
		}
		return true
	}
	who := slices.DeleteFunc(slices.Clone(c.names), func(n string) bool { return !c.people[n] })
	if len(who) == 0 {
		who = c.names
	}
	return ordered(who)
}

// near tells whether words may mean what is wrong, or say something else of the same.
func (c *Correction) near(w Words) bool {
	if Otherwise(w, c.words) || c.Instead != "" && Otherwise(w, c.truth) {
		return true
	}
	common, names := 0, 0
	// Where names alone are missing it may speak of somebody as he or she.
	onlyNames := !slices.ContainsFunc(w.All, func(x string) bool { return w.isName(x) && !c.words.has(x) })
	for _, x := range c.words.All {
		if w.has(x) {
			common++
			if c.words.names[x] && w.names[x] {
				names++
			}
		} else if !c.words.names[x] {
			onlyNames = false
		}
	}
	wrong := len(c.gone) == 0 || count(c.gone, w) > 0
	return wrong && common >= 2 && (onlyNames || names > 0 && common*2 >= len(c.words.All))
}

// True tells whether a text says what is so in place of what is wrong.
func (c *Correction) True(text string) bool {
	if c.Instead == "" {
		return false
	}
	said := tokens(text)
	if at, _ := find(said, c.now); at >= 0 {
		return true
	}
	w := WordsOf(text)
	return len(c.came) > 0 && count(c.came, w) == len(c.came) && count(c.gone, w) == 0 && len(w.All)*4 >= len(c.truth.All)*3 &&
		(Alike(w, c.truth) || Contains(w, c.truth)) && denied(said) == denied(c.now)
}

// More tells whether a text says more than what is so.
func (c *Correction) More(text string) bool {
	more := 0
	for _, x := range WordsOf(text).All {
		if !c.truth.has(x) {
			more++
		}
	}
	return more > 1
}

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
			if c.of(s, "") == Elsewhere {
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
			old[i] = token{low: strings.ToLower(w)}
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
		for _, join := range []string{" and", " und", " et", " y", ",", ";"} {
			if cut, ok := strings.CutSuffix(head, join); ok {
				return strings.TrimRight(cut, ",; ") + tail, true
			}
		}
	case starts: // the first
		for _, join := range []string{"and ", "und ", "et ", "y ", ", and ", ", ", "; "} {
			if cut, ok := strings.CutPrefix(tail, join); ok {
				return strings.TrimSpace(head + " " + raised(cut)), true
			}
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

func count(words []string, w Words) (n int) {
	for _, x := range words {
		if w.has(x) {
			n++
		}
	}
	return n
}

// Near tells whether a long text has so many of the words of the wrong sentence or of the
// right one that a look at its sentences is worth while.
func (c *Correction) Near(text string) bool {
	low := strings.ToLower(text)
	for _, w := range []Words{c.words, c.truth} {
		n := 0
		for _, x := range w.All {
			if strings.Contains(low, x) {
				n++
			}
		}
		if n > 0 && n*2 >= len(w.All) {
			return true
		}
	}
	return false
}
