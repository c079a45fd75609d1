package voice

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// token is a folded word of a text, or a sign that counts in phrases.
type token struct {
	text     string
	from, to int
	word     bool
}

// tokens splits s, which begins at byte from of a text. White space, markup and quotes are ignored,
// all dashes are the same, and a repeated sign counts once.
func tokens(s string, from int) (list []token) {
	signs := func(at, end int) {
		for i, r := range s[at:end] {
			sign := string(signOf(r))
			if n := len(list); r == 0 || sign == "\x00" || n > 0 && list[n-1].text == sign {
				continue
			}
			list = append(list, token{sign, from + at + i, from + at + i + utf8.RuneLen(r), false})
		}
	}
	last := 0
	for at, w := range text.Words(s) {
		signs(last, at)
		last = at + len(w)
		list = append(list, token{text.Fold(w), from + at, from + last, true})
	}
	signs(last, len(s))
	return list
}

// signOf returns a normalized sign for r, 0 if r is ignored.
func signOf(r rune) rune {
	switch {
	case unicode.IsSpace(r), isMarkup(r), isQuote(r), isApostrophe(r), isInvisible(r):
		return 0
	case unicode.Is(unicode.Pd, r) || r == '−':
		return '-'
	case r == '…':
		return '.'
	}
	return r
}

func isMarkup(r rune) bool     { return r == '*' || r == '_' || r == '~' || r == '`' }
func isApostrophe(r rune) bool { return strings.ContainsRune("'’ʼ‘‛´′＇", r) }
func isQuote(r rune) bool      { return strings.ContainsRune("\"“”„«»‟″＂", r) }
func isInvisible(r rune) bool  { return unicode.In(r, unicode.Cf, unicode.Variation_Selector) }

// standsAlone reports whether a letter is a word by itself, so that the next letter begins another
// one.
func standsAlone(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana) }

// node is a node in the tree of all phrases. Its branches are words.
type node struct {
	next   map[string]*node
	rule   int            // rule that ends here, -1 for none
	open   map[string]int // rules by the beginning of their last word
	depth  int            // words from the root
	goesOn bool           // an expression begins with these words
}

// maxBegun is the number of bytes after which an expression that has begun no longer counts as
// incomplete.
const maxBegun = 60

func newNode(depth int) *node { return &node{next: map[string]*node{}, rule: -1, depth: depth} }

// put adds a phrase. The last word of an open one may be longer in a match.
func (n *node) put(words []token, open bool, rule int) {
	for i, w := range words {
		if last := i == len(words)-1; last && open {
			if n.open == nil {
				n.open = map[string]int{}
			}
			if _, had := n.open[w.text]; !had {
				n.open[w.text] = rule
			}
			return
		}
		if n.next[w.text] == nil {
			n.next[w.text] = newNode(i + 1)
		}
		n = n.next[w.text]
	}
	if n.rule < 0 {
		n.rule = rule
	}
}

// putBeginning adds the beginning of an expression, which is held back like a phrase. An incomplete
// last word is ignored.
func (n *node) putBeginning(head string, whole bool) {
	words := tokens(head, 0)
	if k := len(words); k > 0 && !whole && words[k-1].to == len(head) {
		words = words[:k-1]
	}
	for i, w := range words {
		if n.next[w.text] == nil {
			n.next[w.text] = newNode(i + 1)
		}
		n = n.next[w.text]
	}
	n.goesOn = n.goesOn || len(words) > 1
}

// begins reports whether an incomplete word may become a word that comes next.
func (n *node) begins(word string) bool {
	for w := range n.next {
		if strings.HasPrefix(w, word) {
			return true
		}
	}
	for w := range n.open {
		if strings.HasPrefix(w, word) {
			return true
		}
	}
	return false
}

// partialMatch is a phrase that a text has begun.
type partialMatch struct {
	at   *node
	from int // its beginning
}

// step advances states, and the root, by a token. It calls found for each phrase that ends with the
// token; whole means that the token does not become longer.
func (n *node) step(states []partialMatch, t token, whole bool, found func(rule, from int)) (next []partialMatch) {
	for _, s := range append(states[:len(states):len(states)], partialMatch{n, t.from}) {
		for end := range t.text {
			if rule, ok := s.at.open[t.text[:end]]; ok {
				found(rule, s.from)
			}
		}
		if rule, ok := s.at.open[t.text]; ok {
			found(rule, s.from)
		}
		if s.at.goesOn && t.to-s.from < maxBegun {
			next = append(next, s)
		}
		if child := s.at.next[t.text]; child != nil {
			if child.rule >= 0 && whole {
				found(child.rule, s.from)
			}
			next = append(next, partialMatch{child, s.from})
		}
	}
	return next
}

// words follows the words of the reply, and searches them for phrases and for other scripts.
func (w *Filter) words(over bool) {
	end := len(w.text)
	if !over {
		end = w.settled + bytes.LastIndexFunc(w.text[w.settled:],
			func(r rune) bool { return unicode.IsSpace(r) || standsAlone(r) })
		if end >= w.settled {
			_, n := utf8.DecodeRune(w.text[end:])
			end += n
		}
	}
	if end = max(end, w.settled); end > w.settled {
		for _, t := range tokens(string(w.text[w.settled:end]), w.settled) {
			w.states = w.step(w.states, t, true)
			w.count(t)
		}
		w.settled = end
	}
	w.begun, w.telling = -1, -1
	states := w.states
	for _, t := range tokens(string(w.text[end:]), end) {
		states = w.partly(states, t)
	}
	for _, s := range states {
		w.hold(s, len(w.text))
	}
}

// step advances the phrases that have begun by a token.
func (w *Filter) step(states []partialMatch, t token, whole bool) []partialMatch {
	if w.rules.Set == nil {
		return nil
	}
	return w.rules.Set.phrases.step(states, t, whole, func(rule, from int) {
		w.find(Found{Kind: Phrase, Rule: w.rules.Set.rules[rule], At: from}, t.to)
	})
}

// partly returns step for a token that may become longer.
func (w *Filter) partly(states []partialMatch, t token) []partialMatch {
	if w.rules.Set == nil {
		return nil
	}
	next := w.step(states, t, false)
	for _, s := range states {
		if s.at.begins(t.text) {
			w.hold(s, t.to)
		}
	}
	if t.to == len(w.text) && w.rules.Scripts != nil && t.word {
		strangers, at := w.strangers, w.strangeAt
		w.checkScript(t)
		w.strangers, w.strangeAt = strangers, at
	}
	return next
}

// minTelling is the least length, in bytes, of a phrase's beginning that is held back: its first
// word is mostly just an ordinary word.
const minTelling = 4

// hold holds back a phrase that has begun.
func (w *Filter) hold(s partialMatch, to int) {
	if w.begun < 0 || s.from < w.begun {
		w.begun = s.from
	}
	if (s.at.depth > 1 || to-s.from >= minTelling || s.at.rule >= 0) && (w.telling < 0 || s.from < w.telling) {
		w.telling = s.from
	}
}

// count counts a complete word, and checks its script.
func (w *Filter) count(t token) {
	if !t.word {
		return
	}
	if r, _ := utf8.DecodeRuneInString(t.text); standsAlone(r) {
		w.quarter += 2
	} else {
		w.quarter += 4
	}
	if w.rules.Scripts != nil {
		w.checkScript(t)
	}
}
