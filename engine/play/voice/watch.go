package voice

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Rules are the checks on a reply. Template signs are always checked; apart from that, the zero
// value allows everything.
type Rules struct {
	Set *Set // phrases, nil for none
	// AtSentence cuts before the sentence that contains a phrase, instead of before the phrase.
	AtSentence bool
	// User are the names of the user: a line that begins with one and a colon is unwanted. Acts are
	// those of them that must not be followed by an action either.
	User, Acts []string
	// Others are the names of those who do not speak in this reply.
	Others []string
	// Earlier holds the sentences of earlier replies, which must not be repeated; nil allows all.
	Earlier text.Shingles
	// Scripts are the scripts of the play, nil for any.
	Scripts map[string]bool
	// Items is the most points of a list, 0 for no limit.
	Items int
	// Words is the approximate number of wanted words, 0 for any number.
	Words int
	// TemplateTokens are those of the model's own template. Card is the text of the character's card: a sign
	// that it contains is allowed in a reply.
	TemplateTokens []string
	Card           string
}

// Tries at one place: after PhraseTries the whole sentence is written again, after MaxTries the
// text is let through. A reply is cut at most MaxCuts times.
const (
	PhraseTries = 3
	MaxTries    = 5
	MaxCuts     = 40
)

// Found is a finding, and what was done about it.
type Found struct {
	Kind    Kind
	Rule    Rule   // for Phrase
	Text    string // its text in the reply, shortened if it is long
	At      int    // its beginning, in bytes
	Cut     int    // number of bytes of the reply to keep
	Try     int    // number of cuts at this place, including this one
	Ends    bool   // the reply ends at Cut
	Allowed bool   // it was let through
	to      int    // its end, in bytes
}

// Filter watches one reply. It is for one goroutine.
type Filter struct {
	rules Rules
	text  []byte
	floor int // length of the initial text, which is never cut
	followState
	tries   map[int]int  // by the beginning of the sentence
	lenient map[int]bool // sentences in which everything is let through
	moved   bool         // another script was let through: the play has changed to it
	cuts    int
	found   []Found
	cut     *Found
}

// followState is the state of the analysis of a text.
type followState struct {
	news   []Found // found in the text added last
	starts []int   // beginnings of sentences
	split  int     // bytes that were split into sentences
	own    text.Shingles
	doubt  bool // the current sentence may be a repetition

	settled int // end of the complete words
	states  []partialMatch
	begun   int // beginning of an incomplete phrase, -1 for none
	telling int // the same, of one that is long enough to be held back
	quarter int // words so far, in quarters: a letter of a script without blanks counts less than a word

	plain   plain
	looked  int   // bytes of plain that expressions have searched
	needs   []int // by expression, the length of plain when text that it needs was last found
	pending int   // beginning of a match that may become longer, -1 for none

	line             int  // beginning of the line that is judged next
	judged           bool // the line was judged
	opens            bool // the line may become unwanted
	listed           int  // the line that is checked next for a list point
	points, apart    int  // consecutive points of a list, and lines since the last one
	strangers        int  // consecutive letters of a script that the play does not have
	strangeAt        int
	controlled       int // bytes that were searched for template signs
	signAt           int // where a sign may begin, -1 for none
	ownSentences     int // sentences that are in own
	lengthConsidered int // sentences at whose end the length was checked
}

// New returns a Filter for a reply that begins with text, which is never cut.
func New(r Rules, text string) *Filter {
	w := &Filter{rules: r, floor: len(text), tries: map[int]int{}, lenient: map[int]bool{}}
	w.reset(text)
	return w
}

// reset restarts the analysis with the kept text of the reply.
func (w *Filter) reset(s string) {
	w.text, w.cut = append(w.text[:0], s...), nil
	w.followState = followState{own: text.Shingles{}, begun: -1, telling: -1, pending: -1, signAt: -1,
		line: strings.LastIndexByte(s, '\n') + 1}
	if s != "" {
		w.look(false)
		w.news = nil
		w.looked, w.controlled = len(w.plain.out), len(s)
		w.opens = false
		w.judged = w.judged || strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:]) != ""
	}
}

// Add appends the next text, in whole runes. It returns what to cut, nil for nothing. After a cut,
// the caller calls Back and adds the replacement.
func (w *Filter) Add(piece string) *Found {
	w.text = append(w.text, piece...)
	w.look(false)
	return w.judge()
}

// Finish ends the reply, and returns what still has to be cut, nil for nothing.
func (w *Filter) Finish() *Found {
	w.look(true)
	return w.judge()
}

// look analyzes the new text. over means that no more follows.
func (w *Filter) look(over bool) {
	w.news = w.news[:0]
	w.sentences(over)
	w.words(over)
	w.expressions(over)
	w.heads(over)
	w.items()
	w.control()
}

// Back cuts the reply. It returns the kept text without white space at its end, and the white space
// that followed it.
func (w *Filter) Back() (kept, gap string) {
	f := *w.cut
	w.found = append(w.found, f)
	w.cuts++
	kept = string(w.text[:f.Cut])
	rest := string(w.text[f.Cut:])
	gap = rest[:len(rest)-len(strings.TrimLeftFunc(rest, unicode.IsSpace))]
	w.reset(kept)
	return kept, gap
}

// Text returns the reply.
func (w *Filter) Text() string { return string(w.text) }

// Piece returns the bytes [from, to) of the reply.
func (w *Filter) Piece(from, to int) string { return string(w.text[from:to]) }

// Cut returns what to cut, nil for nothing.
func (w *Filter) Cut() *Found { return w.cut }

// End shortens the reply to its first n bytes and appends closing. That is not analyzed again.
func (w *Filter) End(n int, closing string) { w.text, w.cut = append(w.text[:n], closing...), nil }

// Rescan analyzes the reply again, to continue after its end.
func (w *Filter) Rescan() { w.reset(string(w.text)) }

// Rewind shortens the reply to its first n bytes, and forgets findings and tries after them.
func (w *Filter) Rewind(n int) {
	w.found = slices.DeleteFunc(w.found, func(f Found) bool { return f.At >= n })
	maps.DeleteFunc(w.tries, func(at, _ int) bool { return at >= n })
	maps.DeleteFunc(w.lenient, func(at int, _ bool) bool { return at >= n })
	w.reset(string(w.text[:n]))
}

// AllowRest lets everything through from now on, and marks it: the reply is no longer cut, except
// at a finding that ends it.
func (w *Filter) AllowRest() { w.cuts = MaxCuts }

// Len returns the length of the reply in bytes.
func (w *Filter) Len() int { return len(w.text) }

// Found returns all findings, in order.
func (w *Filter) Found() []Found { return w.found }

// maxSentence is the most bytes of a sentence that are analyzed again with each piece. A longer
// sentence ends with its line.
const maxSentence = 2000

// sentences finds the beginnings of sentences and judges complete ones: whether they are
// repetitions, and whether the reply is long enough.
func (w *Filter) sentences(over bool) {
	w.doubt = false
	from := 0
	if n := len(w.starts); n > 0 {
		from = w.starts[n-1]
		if len(w.text)-from > maxSentence && !over && bytes.IndexByte(w.text[w.split:], '\n') < 0 {
			return
		}
		w.starts = w.starts[:n-1]
	}
	w.split = len(w.text)
	for at, s := range text.Sentences(string(w.text[from:])) {
		if n := len(w.starts); n > 0 && w.rules.Earlier != nil {
			w.checkSaid(string(w.text[w.starts[n-1]:from+at]), true)
		}
		w.starts = append(w.starts, from+at)
		if w.rules.Earlier != nil && !over {
			w.checkSaid(s, false)
		}
	}
	if n := len(w.starts); over && n > 0 && w.rules.Earlier != nil {
		w.checkSaid(string(w.text[w.starts[n-1]:]), true)
	}
	w.length()
}

// checkSaid judges whether the last sentence is a repetition. whole means that it is complete.
func (w *Filter) checkSaid(sentence string, whole bool) {
	if whole && len(w.starts) <= w.ownSentences {
		return
	}
	words, at := w.repeats(sentence), w.starts[len(w.starts)-1]
	w.doubt = words > 0 && !whole
	if words >= repeatRun || words > 0 && whole {
		w.find(Found{Kind: Repeat, At: at}, at+len(strings.TrimSpace(sentence)))
	}
	if whole {
		w.ownSentences = len(w.starts)
		maps.Copy(w.own, text.NewShingles(sentence))
	}
}

// length ends a reply that has the wanted number of words: at the end of a paragraph, or from one
// and a half times that number at the end of a sentence.
func (w *Filter) length() {
	want, n := w.rules.Words, len(w.starts)
	if want == 0 || n <= w.lengthConsidered {
		return
	}
	w.lengthConsidered = n
	at := w.starts[n-1]
	before := string(w.text[:at])
	words := w.quarter / 4
	if words < want || words < want*3/2 &&
		!strings.Contains(before[len(strings.TrimRightFunc(before, unicode.IsSpace)):], "\n") ||
		Open(strings.TrimRightFunc(before, unicode.IsSpace)) != "" {
		return
	}
	w.find(Found{Kind: Length, At: at, Ends: true}, len(w.text))
}

// find records a finding that ends at byte to.
func (w *Filter) find(f Found, to int) {
	if f.to = min(to, len(w.text)); f.to <= w.floor {
		return
	}
	f.At = max(f.At, w.floor)
	w.news = append(w.news, f)
}

// judge decides about the findings, in order, until something must be cut.
func (w *Filter) judge() *Found {
	slices.SortStableFunc(w.news, func(a, b Found) int { return cmp.Compare(a.At, b.At) })
	for _, f := range w.news {
		if w.cut == nil {
			w.decide(f)
		}
	}
	w.news = w.news[:0]
	return w.cut
}

func (w *Filter) decide(f Found) {
	f.Text = clip(string(w.text[f.At:max(f.At, f.to)]))
	sentence := max(w.floor, w.startOf(f.At))
	f.Try = w.tries[sentence] + 1
	f.Cut = trimmed(w.text, f.At, w.floor)
	switch {
	case f.Ends:
	case f.Try > MaxTries || w.cuts >= MaxCuts || w.lenient[sentence] || f.Kind == Language && w.moved:
		if f.Kind == User && f.Cut > w.floor {
			f.Ends = true
			break
		}
		w.lenient[sentence], f.Allowed, f.Cut = true, true, len(w.text)
		w.moved = w.moved || f.Kind == Language
		if n := len(w.found); n == 0 || !w.found[n-1].Allowed || w.found[n-1].At != f.At ||
			w.found[n-1].Rule != f.Rule {
			w.found = append(w.found, f)
		}
		return
	case f.Try > PhraseTries || w.rules.AtSentence || f.Kind != Phrase:
		f.Cut = trimmed(w.text, sentence, w.floor)
	}
	w.tries[sentence] = f.Try
	w.cut = &f
}

// startOf returns the beginning of the sentence that contains a byte.
func (w *Filter) startOf(at int) int {
	i, ok := slices.BinarySearch(w.starts, at)
	switch {
	case ok:
		return at
	case i == 0:
		return 0
	}
	return w.starts[i-1]
}

// Show returns the number of bytes that may be shown: later text may become unwanted.
func (w *Filter) Show() int { return w.upTo(w.telling) }

// Certain returns the number of bytes to keep if nothing else comes.
func (w *Filter) Certain() int { return w.upTo(w.begun) }

// Final returns the number of bytes that no cut takes back: complete sentences, without the white
// space after them.
func (w *Filter) Final() int {
	n := 0
	if len(w.starts) > 0 {
		n = len(bytes.TrimRightFunc(w.text[:w.starts[len(w.starts)-1]], unicode.IsSpace))
	}
	if c := w.Certain(); c < n {
		n, _ = LastEnd(string(w.text[:c]), w.floor)
	}
	return max(n, w.floor)
}

// Overdue judges matches that may still become longer. Call it after waiting long enough.
func (w *Filter) Overdue() *Found {
	if w.cut == nil && w.pending >= 0 {
		w.expressions(true)
		w.judge()
	}
	return w.cut
}

// Releasable returns how many bytes may be shown of text that has been held back for too long:
// never all of a phrase.
func (w *Filter) Releasable() int {
	n := len(w.text)
	if w.cut != nil {
		n = w.cut.Cut
	}
	if w.pending >= 0 {
		n = min(n, w.pending)
	}
	n = 1 + bytes.LastIndexFunc(w.text[:n], unicode.IsSpace)
	for n > 0 && n < len(w.text) && !utf8.RuneStart(w.text[n]) {
		n++
	}
	return max(n, w.Show())
}

// upTo returns the number of bytes that may be shown if a phrase begins at a byte, -1 for none.
func (w *Filter) upTo(phrase int) int {
	n := len(w.text)
	if w.cut != nil {
		n = w.cut.Cut
	}
	for _, at := range []int{phrase, w.pending, w.signAt} {
		if at >= 0 {
			n = min(n, at)
		}
	}
	if w.opens {
		n = min(n, w.line)
	}
	if w.doubt {
		n = min(n, w.starts[len(w.starts)-1])
	}
	if w.strangers > 0 && !w.moved {
		n = min(n, w.strangeAt)
	}
	if n < len(w.text) {
		n = unmarked(w.text, n)
	}
	return max(n, w.floor)
}

// unmarked returns the beginning of the markup that opens directly before byte at.
func unmarked(text []byte, at int) int {
	n := len(bytes.TrimRight(text[:at], "*_~`"))
	if before, _ := utf8.DecodeLastRune(text[:n]); n > 0 && !unicode.IsSpace(before) {
		return at
	}
	return n
}

// trimmed returns where to cut a reply that ends before byte at: white space and opening marks
// before it are removed too.
func trimmed(text []byte, at, floor int) int {
	for at > floor {
		r, n := utf8.DecodeLastRune(text[:at])
		if unicode.IsSpace(r) {
			at -= n
			continue
		}
		before, _ := utf8.DecodeLastRune(text[:at-n])
		if !strings.ContainsRune("*_~`\"'“„«‘([", r) || at-n > 0 && !unicode.IsSpace(before) {
			break
		}
		at -= n
	}
	return max(at, floor)
}

// clip returns the beginning of a text, for showing what was found.
func clip(s string) string {
	const most = 240
	if len(s) <= most {
		return s
	}
	return strings.TrimSpace(text.Truncate(s, most)) + "…"
}
