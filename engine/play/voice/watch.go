package voice

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Rules are what a reply is watched for. The zero value lets everything stand.
type Rules struct {
	Set *Set // phrases, nil for none
	// AtSentence cuts before the sentence in which a phrase stands, in place of before the phrase.
	AtSentence bool
	// User are the names of the user: lines that speak or act for one of them are not wanted.
	User []string
	// Others are the names of those who do not speak in this reply.
	Others []string
	// Said are earlier replies, whose sentences are not to be said again; nil for none.
	Said *Said
	// Tongue are the languages and scripts of the play, nil for any.
	Tongue *Tongue
	// Items is how many points a list may have, 0 for any number.
	Items int
	// Words is about how many words are wanted, 0 for any number.
	Words int
}

// Tries at one place: after PhraseTries the sentence is begun anew, after MostTries what comes
// is let through. A whole reply is cut MostCuts times at most.
const (
	PhraseTries = 3
	MostTries   = 5
	MostCuts    = 40
)

// Found is something that was found, and what became of it.
type Found struct {
	Kind Kind
	Rule Rule   // for Phrase and Role
	Text string // as it stands in the reply, its beginning where it is long
	At   int    // where it begins, in bytes
	Cut  int    // how many bytes of the reply stay
	Try  int    // how often this place has been cut, this time included
	Ends bool   // the reply ends at Cut
	Let  bool   // it stands there all the same
}

// Watch follows one reply. It is for one goroutine.
type Watch struct {
	rules  Rules
	text   []byte
	floor  int // what stood there before, and is never cut
	fold   folder
	node   int32 // of the tree
	read   int   // bytes of fold.out that the tree has seen
	scan   scanner
	said   follower
	looked int // bytes of fold.plain that expressions have been run over
	needs  needing
	begun  begun
	// pending is where an expression matches that may go on, -1 for nowhere.
	pending   int
	decided   bool // what the sentence begins with has been judged
	opens     bool // it may become what is not wanted
	astray    bool // it may be in another language
	points    int  // of a list, one after the other
	apart     int  // lines since the last of them
	lineAt    int  // where the line before this one begins
	strange   int  // letters of a script that the play does not have, one after the other
	strangeAt int

	tries   map[int]int  // by the place of the sentence
	lenient map[int]bool // sentences in which everything is let through
	moved   bool         // another language was let through: the play has moved there
	cuts    int
	found   []Found
	replay  bool
	cut     *Found
}

// New watches a reply that begins with text, which is never cut.
func New(r Rules, text string) *Watch {
	w := &Watch{rules: r, floor: len(text), tries: map[int]int{}, lenient: map[int]bool{}}
	w.reset(text)
	return w
}

// reset begins again with what stays of the reply.
func (w *Watch) reset(text string) {
	w.text, w.fold, w.node, w.read = w.text[:0], folder{}, 0, 0
	w.scan, w.looked, w.needs, w.pending, w.begun = scanner{}, 0, needing{}, -1, begun{}
	w.decided, w.opens, w.astray, w.points, w.strange, w.cut = false, false, false, 0, 0, nil
	w.apart, w.lineAt = 0, 0
	w.said = follower{said: w.rules.Said}
	w.replay = true
	w.add(text)
	w.replay = false
	w.looked = len(w.fold.plain)
}

// Add takes what comes next, whole runes. It returns what is to be cut, nil for nothing; the
// caller then calls Back, and adds what comes in its place.
func (w *Watch) Add(piece string) *Found {
	w.add(piece)
	return w.cut
}

// Finish says that the reply is over, and returns what is to be cut all the same.
func (w *Watch) Finish() *Found {
	w.fold.finish()
	w.search()
	w.expressions(true)
	w.sentence(w.scan.sent, len(w.text))
	return w.cut
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

// Text is the reply.
func (w *Watch) Text() string { return string(w.text) }

// Piece is a part of it, from byte from to byte to.
func (w *Watch) Piece(from, to int) string { return string(w.text[from:to]) }

// Cut is what is to be cut, nil for nothing.
func (w *Watch) Cut() *Found { return w.cut }

// End says that the reply is its first n bytes, and what closes it. Nothing is looked for in
// it any more.
func (w *Watch) End(n int, closing string) { w.text, w.cut = append(w.text[:n], closing...), nil }

// Again goes on with a reply that was over.
func (w *Watch) Again() { w.reset(string(w.text)) }

// LetAll lets everything through from now on, and marks it: the reply cannot be cut any more.
func (w *Watch) LetAll() { w.cuts = MostCuts }

// Len is how many bytes it has.
func (w *Watch) Len() int { return len(w.text) }

// Found are all things that were found, in order.
func (w *Watch) Found() []Found { return w.found }

// Note keeps something that was found elsewhere.
func (w *Watch) Note(f Found) { w.found = append(w.found, f) }

func (w *Watch) add(piece string) {
	from := len(w.text)
	w.text = append(w.text, piece...)
	for i := 0; i < len(piece) && w.cut == nil; {
		r, n := utf8.DecodeRuneInString(piece[i:])
		at := from + i
		if w.scan.rune(w.text, r, at) {
			w.sentence(w.scan.before(), w.scan.endAt)
			w.decided, w.opens = false, false
			w.items()
			w.length()
		}
		w.alien(r, at)
		if w.fold.rune(r, at); w.fold.composed {
			w.composed()
		}
		w.search()
		w.opening()
		i += n
	}
	w.expressions(false)
	w.strays()
}

// search reads what is folded: for phrases, and for sentences that were said before.
func (w *Watch) search() {
	for ; w.read < len(w.fold.out); w.read++ {
		b, at := w.fold.out[w.read], int(w.fold.at[w.read])
		w.said.take(b, at)
		if !w.replay && w.cut == nil && w.said.certain() {
			w.judge(Found{Kind: Repeat, At: w.scan.sent}, at)
		}
		if w.rules.Set == nil {
			continue
		}
		t := w.rules.Set.tree
		w.node = t.step(w.node, b)
		h := t.hit[w.node]
		if h == 0 || w.replay || w.cut != nil {
			continue
		}
		to := at
		if b != wordEnds {
			to = w.runeEnd(at)
		}
		r := w.rules.Set.rules[t.leaf[h]]
		w.judge(Found{Kind: r.Kind, Rule: r, At: int(w.fold.at[w.read+1-int(t.depth[h])])}, to)
	}
}

func (w *Watch) runeEnd(at int) int {
	_, n := utf8.DecodeRune(w.text[min(at, len(w.text)):])
	for at += n; at < len(w.text); at += n {
		var r rune
		if r, n = utf8.DecodeRune(w.text[at:]); !unicode.IsMark(r) {
			break
		}
	}
	return min(at, len(w.text))
}

// composed goes back to before a letter that is another one with the mark that came.
func (w *Watch) composed() {
	w.fold.composed = false
	to, in := w.fold.lastOut, w.fold.lastIn
	w.looked, w.read = min(w.looked, in), min(w.read, to)
	if w.rules.Set == nil {
		return
	}
	w.node = 0
	for _, b := range w.fold.out[max(0, to-3*MostRule):to] {
		w.node = w.rules.Set.tree.step(w.node, b)
	}
	w.needs.again(&w.rules.Set.needs, w.fold.plain, in)
	w.begun.again(in)
}

// since is from where an expression is run: a word's beginning, where words have one.
func (w *Watch) since(p *pattern) int {
	plain := w.fold.plain
	from := max(0, w.looked-p.reach)
	if p.begins && w.looked <= farReach {
		from = 0
	}
	for n := 0; n < p.back && from > 0 && plain[from-1] != ' '; n++ {
		from--
	}
	for from > 0 && !utf8.RuneStart(plain[from]) {
		from--
	}
	return from
}

// expressions runs the regular expressions over what is new. What matches at the very end may
// be more, or another word: it is judged when it is over.
func (w *Watch) expressions(over bool) {
	plain := w.fold.plain
	if w.rules.Set == nil || len(w.rules.Set.patterns) == 0 || len(plain) == 0 {
		return
	}
	w.needs.take(&w.rules.Set.needs, len(w.rules.Set.patterns), plain)
	w.begun.take(w.rules.Set.begins, plain)
	if w.cut != nil || w.replay {
		return
	}
	looked := len(plain)
	w.pending = -1
	for i := range w.rules.Set.patterns {
		p := &w.rules.Set.patterns[i]
		if !p.begins && w.needs.ends[i] <= max(0, w.looked-p.reach-p.back-utf8.UTFMax) {
			continue // before it is looked for where a word begins: most are left out here
		}
		from := w.since(p)
		if w.needs.ends[i] <= from || p.begins && from > 0 {
			continue
		}
		for _, m := range p.re.FindAllIndex(plain[from:], -1) {
			begin, end := from+m[0], from+m[1]
			if end <= w.looked || w.cut != nil { // it was judged when it came
				continue
			}
			start := int(w.fold.plainAt[begin])
			if end == len(plain) && !over {
				looked = min(looked, end-1)
				if w.pending < 0 || start < w.pending {
					w.pending = start
				}
				continue
			}
			r := w.rules.Set.rules[p.rule]
			w.judge(Found{Kind: r.Kind, Rule: r, At: start}, w.runeEnd(int(w.fold.plainAt[end-1])))
		}
	}
	w.looked = looked
}

// judge decides what becomes of something that was found and ends at byte to.
func (w *Watch) judge(f Found, to int) {
	if w.replay || w.cut != nil || to <= w.floor || f.Kind == Role && w.maySay(f) {
		return
	}
	f.At = max(f.At, w.floor)
	f.Text = clip(string(w.text[f.At:max(f.At, min(to, len(w.text)))]))
	sentence := max(w.floor, w.scan.startOf(w.text, f.At))
	f.Try = w.tries[sentence] + 1
	f.Cut = trimmed(w.text, f.At, w.floor)
	switch {
	case f.Ends:
	case f.Try > MostTries || w.cuts >= MostCuts || w.lenient[sentence] || f.Kind == Language && w.moved:
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

// sentence judges a sentence that is complete.
func (w *Watch) sentence(from, to int) {
	if w.replay || w.cut != nil {
		w.said.ended()
		return
	}
	if w.said.repeats() {
		w.judge(Found{Kind: Repeat, At: from}, to)
	}
	if w.cut == nil && w.rules.Tongue.foreign(string(w.text[from:to])) {
		w.judge(Found{Kind: Language, At: from}, to)
	}
	w.said.ended()
}

// Show is how much of the reply may be shown: what follows may become what is not wanted.
func (w *Watch) Show() int { return w.upTo(false) }

// Certain is how much of it may be kept if nothing else comes.
func (w *Watch) Certain() int { return w.upTo(true) }

// Firm is how much of it nothing takes back any more: full sentences, without what stands
// behind them.
func (w *Watch) Firm() int {
	n := w.scan.full
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
	}
	return w.cut
}

// Late is how much may be shown of what has been held back for too long: never all of a
// phrase.
func (w *Watch) Late() int {
	n := len(w.text)
	if w.cut != nil {
		n = w.cut.Cut
	}
	if w.pending >= 0 {
		n = min(n, w.pending)
	}
	for n > 0 {
		r, size := utf8.DecodeLastRune(w.text[:n])
		if unicode.IsSpace(r) {
			break
		}
		n -= size
	}
	return max(n, w.Show())
}

func (w *Watch) upTo(strict bool) int {
	n := len(w.text)
	if w.cut != nil {
		n = w.cut.Cut
	}
	if t := w.rules.Set; t != nil && w.node != 0 {
		depth := int(t.tree.depth[w.node])
		if begin := len(w.fold.out) - depth; strict || telling(w.fold.out[begin:]) || t.tree.whole(w.node) {
			n = min(n, int(w.fold.at[begin]))
		}
	}
	if w.pending >= 0 {
		n = min(n, w.pending)
	}
	if from := w.begun.from(); from >= 0 {
		n = min(n, int(w.fold.plainAt[from]))
	}
	if w.opens || w.astray {
		n = min(n, w.scan.sent)
	}
	if w.strange > 0 && !w.moved {
		n = min(n, w.strangeAt)
	}
	if from, ok := w.said.doubtful(); ok {
		n = min(n, from)
	}
	if n < len(w.text) {
		n = unmarked(w.text, n)
	}
	return max(n, w.floor)
}

// unmarked is where the markup begins that opens before byte at.
func unmarked(text []byte, at int) int {
	n := len(bytes.TrimRight(text[:at], "*_~`"))
	if before, _ := utf8.DecodeLastRune(text[:n]); n > 0 && !unicode.IsSpace(before) {
		return at
	}
	return n
}

// telling says whether a beginning of a phrase is long enough to be held back: the first word
// of one is mostly just a word.
func telling(begin []byte) bool {
	words, letters := 0, 0
	for _, b := range begin {
		if b == wordBegins {
			words++
		} else {
			letters++
		}
	}
	return words > 1 || letters >= 4
}

// trimmed is where the reply is cut that is to stay before byte at: white space and marks
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

// clip is the beginning of a text, for those who want to know what was found.
func clip(s string) string {
	const most = 240
	if len(s) <= most {
		return s
	}
	return strings.TrimSpace(text.Truncate(s, most)) + "…"
}
