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

// Rules are what a reply is watched for. Signs of templates always are; beside them the zero value
// lets everything stand.
type Rules struct {
	Set *Set // phrases, nil for none
	// AtSentence cuts before the sentence in which a phrase stands, in place of before the phrase.
	AtSentence bool
	// User are the names of the user: a line that begins with one and a colon is not wanted. Acts
	// are those of them behind which an act is not wanted either.
	User, Acts []string
	// Others are the names of those who do not speak in this reply.
	Others []string
	// Said are the sentences of earlier replies, which are not to be said again; nil for any.
	Said text.Shingles
	// Scripts are the scripts of the play, nil for any.
	Scripts map[string]bool
	// Items is how many points a list may have, 0 for any number.
	Items int
	// Words is about how many words are wanted, 0 for any number.
	Words int
	// Signs are those of the model's own template, and Card is what the character's card says: a
	// sign that stands there may stand in a reply.
	Signs []string
	Card  string
}

// Tries at one place: after PhraseTries the sentence is begun anew, after MaxTries what comes
// is let through. A whole reply is cut MaxCuts times at most.
const (
	PhraseTries = 3
	MaxTries    = 5
	MaxCuts     = 40
)

// Found is something that was found, and what became of it.
type Found struct {
	Kind Kind
	Rule Rule   // for Phrase
	Text string // as it stands in the reply, its beginning where it is long
	At   int    // where it begins, in bytes
	Cut  int    // how many bytes of the reply stay
	Try  int    // how often this place has been cut, this time included
	Ends bool   // the reply ends at Cut
	Let  bool   // it stands there all the same
	to   int    // where it ends
}

// Watch follows one reply. It is for one goroutine.
type Watch struct {
	rules Rules
	text  []byte
	floor int // what stood there before, and is never cut
	followState
	tries   map[int]int  // by the place of the sentence
	lenient map[int]bool // sentences in which everything is let through
	moved   bool         // another script was let through: the play has moved there
	cuts    int
	found   []Found
	cut     *Found
}

// followState is how far a text has been looked at.
type followState struct {
	news   []Found // found in what was added last
	starts []int   // of sentences
	split  int     // bytes that sentences were looked for in
	own    text.Shingles
	doubt  bool // the sentence that is being written may be one that was said before

	settled int // up to where the words are whole
	states  []partialMatch
	begun   int // where a phrase begins that is not complete, -1 for nowhere
	telling int // the same of one that is long enough to be held back
	quarter int // words so far, in quarters: letters of scripts without blanks are less than one

	plain   plain
	looked  int   // bytes of plain that expressions have been run over
	needs   []int // by expression, up to where a text stands that it needs
	pending int   // where an expression matches that may go on, -1 for nowhere

	line             int  // whose beginning is judged next
	judged           bool // it was
	opens            bool // it may become what is not wanted
	listed           int  // the line that is looked at next for a point of a list
	points, apart    int  // of a list, one after the other, and lines since the last of them
	strangers        int  // letters of a script that the play does not have, one after the other
	strangeAt        int
	controlled       int // bytes in which signs of templates have been looked for
	signAt           int // where one may begin, -1 for nowhere
	ownSentences     int // sentences that are in own
	lengthConsidered int // sentences at whose end the length was judged
}

// New watches a reply that begins with text, which is never cut.
func New(r Rules, text string) *Watch {
	w := &Watch{rules: r, floor: len(text), tries: map[int]int{}, lenient: map[int]bool{}}
	w.reset(text)
	return w
}

// reset begins again with what stays of the reply.
func (w *Watch) reset(s string) {
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

// Add takes what comes next, whole runes. It returns what is to be cut, nil for nothing; the
// caller then calls Back, and adds what comes in its place.
func (w *Watch) Add(piece string) *Found {
	w.text = append(w.text, piece...)
	w.look(false)
	return w.judge()
}

// Finish says that the reply is over, and returns what is to be cut all the same.
func (w *Watch) Finish() *Found {
	w.look(true)
	return w.judge()
}

// look looks at what is new. over says that no more comes.
func (w *Watch) look(over bool) {
	w.news = w.news[:0]
	w.sentences(over)
	w.words(over)
	w.expressions(over)
	w.heads(over)
	w.items()
	w.control()
}

// Back takes the reply back to where it is cut. It returns what stays of it, without white
// space at its end, and the white space that stood there.
func (w *Watch) Back() (kept, gap string) {
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
func (w *Watch) Text() string { return string(w.text) }

// Piece returns a part of it, from byte from to byte to.
func (w *Watch) Piece(from, to int) string { return string(w.text[from:to]) }

// Cut returns what is to be cut, nil for nothing.
func (w *Watch) Cut() *Found { return w.cut }

// End says that the reply is its first n bytes, and what closes it. Nothing is looked for in
// it any more.
func (w *Watch) End(n int, closing string) { w.text, w.cut = append(w.text[:n], closing...), nil }

// Rescan goes on with a reply that was over.
func (w *Watch) Rescan() { w.reset(string(w.text)) }

// Rewind takes the reply back to its first n bytes, and forgets what was found behind them.
func (w *Watch) Rewind(n int) {
	w.found = slices.DeleteFunc(w.found, func(f Found) bool { return f.At >= n })
	maps.DeleteFunc(w.tries, func(at, _ int) bool { return at >= n })
	maps.DeleteFunc(w.lenient, func(at int, _ bool) bool { return at >= n })
	w.reset(string(w.text[:n]))
}

// AllowRest lets everything through from now on, and marks it: the reply cannot be cut any more.
func (w *Watch) AllowRest() { w.cuts = MaxCuts }

// Len returns how many bytes it has.
func (w *Watch) Len() int { return len(w.text) }

// Found returns all things that were found, in order.
func (w *Watch) Found() []Found { return w.found }

// maxSentence is how many bytes of a sentence are looked at anew with each piece. What goes on
// longer ends with its line.
const maxSentence = 2000

// sentences follows where sentences begin, and judges those that are whole: whether they were
// said before, and whether the reply is long enough with them.
func (w *Watch) sentences(over bool) {
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
		if n := len(w.starts); n > 0 && w.rules.Said != nil {
			w.checkSaid(string(w.text[w.starts[n-1]:from+at]), true)
		}
		w.starts = append(w.starts, from+at)
		if w.rules.Said != nil && !over {
			w.checkSaid(s, false)
		}
	}
	if n := len(w.starts); over && n > 0 && w.rules.Said != nil {
		w.checkSaid(string(w.text[w.starts[n-1]:]), true)
	}
	w.length()
}

// checkSaid judges whether the last sentence was said before.
func (w *Watch) checkSaid(sentence string, whole bool) {
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

// length ends a reply that has as many words as were wanted: with a paragraph soon, with a
// sentence in the end.
func (w *Watch) length() {
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

// find notes something that was found and ends at byte to.
func (w *Watch) find(f Found, to int) {
	if f.to = min(to, len(w.text)); f.to <= w.floor {
		return
	}
	f.At = max(f.At, w.floor)
	w.news = append(w.news, f)
}

// judge decides what becomes of what was found, from the beginning of the reply on, until
// something is to be cut.
func (w *Watch) judge() *Found {
	slices.SortStableFunc(w.news, func(a, b Found) int { return cmp.Compare(a.At, b.At) })
	for _, f := range w.news {
		if w.cut == nil {
			w.decide(f)
		}
	}
	w.news = w.news[:0]
	return w.cut
}

func (w *Watch) decide(f Found) {
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
		w.lenient[sentence], f.Let, f.Cut = true, true, len(w.text)
		w.moved = w.moved || f.Kind == Language
		if n := len(w.found); n == 0 || !w.found[n-1].Let || w.found[n-1].At != f.At || w.found[n-1].Rule != f.Rule {
			w.found = append(w.found, f)
		}
		return
	case f.Try > PhraseTries || w.rules.AtSentence || f.Kind != Phrase:
		f.Cut = trimmed(w.text, sentence, w.floor)
	}
	w.tries[sentence] = f.Try
	w.cut = &f
}

// startOf returns where the sentence begins that a byte belongs to.
func (w *Watch) startOf(at int) int {
	i, ok := slices.BinarySearch(w.starts, at)
	switch {
	case ok:
		return at
	case i == 0:
		return 0
	}
	return w.starts[i-1]
}

// Show returns how much of the reply may be shown: what follows may become what is not wanted.
func (w *Watch) Show() int { return w.upTo(w.telling) }

// Certain returns how much of it may be kept if nothing else comes.
func (w *Watch) Certain() int { return w.upTo(w.begun) }

// Final returns how much of it nothing takes back any more: full sentences, without what stands
// behind them.
func (w *Watch) Final() int {
	n := 0
	if len(w.starts) > 0 {
		n = len(bytes.TrimRightFunc(w.text[:w.starts[len(w.starts)-1]], unicode.IsSpace))
	}
	if c := w.Certain(); c < n {
		n, _ = LastEnd(string(w.text[:c]), w.floor)
	}
	return max(n, w.floor)
}

// Overdue judges what matches already and may only become longer. It is for a caller that has
// waited long enough.
func (w *Watch) Overdue() *Found {
	if w.cut == nil && w.pending >= 0 {
		w.expressions(true)
		w.judge()
	}
	return w.cut
}

// Releasable returns how much may be shown of what has been held back for too long: never all of a
// phrase.
func (w *Watch) Releasable() int {
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

// upTo returns how much may be shown where a phrase begins at a byte, -1 for nowhere.
func (w *Watch) upTo(phrase int) int {
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

// unmarked returns where the markup begins that opens before byte at.
func unmarked(text []byte, at int) int {
	n := len(bytes.TrimRight(text[:at], "*_~`"))
	if before, _ := utf8.DecodeLastRune(text[:n]); n > 0 && !unicode.IsSpace(before) {
		return at
	}
	return n
}

// trimmed returns where the reply is cut that is to stay before byte at: white space and marks
// that only open something go too.
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

// clip returns the beginning of a text, for those who want to know what was found.
func clip(s string) string {
	const most = 240
	if len(s) <= most {
		return s
	}
	return strings.TrimSpace(text.Truncate(s, most)) + "…"
}
