package keys

import (
	"slices"
	"strings"
	"unicode"
)

// Find returns the offered actions that match a query, best match first: a word of the query in the
// title, then in the other words that the action is known by, then as a prefix, then a similar
// word. An empty query returns all offered actions in the order of the table.
func (m *Map) Find(query string) []Binding {
	words := wordsOf(query)
	type hit struct {
		b     Binding
		score float64
	}
	var hits []hit
	for i, b := range m.bindings {
		if !b.Offered() {
			continue
		}
		if m.known == nil {
			m.known = map[Name]*known{}
		}
		k := m.known[b.Action]
		if k == nil {
			k = knownOf(&m.bindings[i])
			m.known[b.Action] = k
		}
		if s := k.score(words, query); s > 0 {
			hits = append(hits, hit{b, s})
		}
	}
	slices.SortStableFunc(hits, func(x, y hit) int {
		switch {
		case x.score > y.score:
			return -1
		case x.score < y.score:
			return 1
		}
		return 0
	})
	out := make([]Binding, len(hits))
	for i, h := range hits {
		out[i] = h.b
	}
	return out
}

// known is an action prepared for searching.
type known struct {
	title   string   // its words, normalized
	words   []string // of it
	aside   int      // words from here on explain the title
	name    []string // words of its name
	phrases []string // other words for it
	system  []string
}

func knownOf(b *Binding) *known {
	k := &known{name: wordsOf(strings.ReplaceAll(string(b.Action), "-", " ")), system: wordsOf(string(b.System))}
	head, rest, _ := strings.Cut(b.Description(), ":")
	k.words = wordsOf(head)
	k.aside = len(k.words)
	k.words = append(k.words, wordsOf(rest)...)
	k.title = strings.Join(k.words, " ")
	for p := range strings.SplitSeq(b.Also, ",") {
		if w := wordsOf(p); len(w) > 0 {
			k.phrases = append(k.phrases, strings.Join(w, " "))
		}
	}
	return k
}

// Scores of a word by where it was found.
const (
	inTitle   = 100.0
	known1    = 92.0 // a word of Also
	inName    = 88.0
	inAside   = 84.0
	inPhrase  = 58.0
	inSystem  = 45.0
	begins    = 0.55 // of the worth of the whole word
	typo      = 0.4
	within    = 0.25
	resembles = 6.0
)

// score returns how well an action matches a query, 0 for not at all.
func (k *known) score(words []string, query string) float64 {
	if len(words) == 0 {
		if strings.TrimSpace(query) == "" {
			return 1
		}
		return 0
	}
	whole := strings.Join(words, " ")
	sum, missing := 0.0, 0
	for _, w := range words {
		s := k.word(w)
		if s == 0 {
			missing++
		}
		sum += s
	}
	sum /= float64(len(words))
	switch {
	case missing*2 > len(words), missing == len(words):
		return 0
	case missing > 0:
		sum *= 0.4
	}
	switch {
	case whole == k.title, whole == strings.Join(k.words[:k.aside], " "):
		sum += 60
	case strings.HasPrefix(k.title, whole+" "):
		sum += 12
	}
	if len(words) > 1 {
		for _, p := range k.phrases {
			switch {
			case p == whole:
				sum = max(sum, 110)
			case strings.HasPrefix(p, whole), strings.Contains(p, " "+whole):
				sum = max(sum, 70)
			}
		}
	}
	return sum
}

// word returns the score of an action for one word.
func (k *known) word(w string) float64 {
	best, second := 0.0, 0.0
	take := func(v float64) {
		if v > best {
			best, second = v, best
		} else {
			second = max(second, v)
		}
	}
	for i, x := range k.words {
		worth := inTitle - float64(min(i, 5))
		if i >= k.aside {
			worth = inAside
		}
		take(worth * like(w, x))
	}
	for _, x := range k.name {
		take(inName * like(w, x))
	}
	for i, p := range k.phrases {
		worth := known1 - 0.3*float64(min(i, 20))
		if !strings.Contains(p, " ") {
			take(worth * like(w, p))
			continue
		}
		for x := range strings.SplitSeq(p, " ") {
			take(inPhrase * like(w, x))
		}
	}
	for _, x := range k.system {
		take(inSystem * like(w, x))
	}
	if best == 0 && len(w) > 2 && scattered(w, k.title) {
		return resembles
	}
	return best + 0.08*second
}

// like returns how well the typed word w matches the word x, from 0 to 1.
func like(w, x string) float64 {
	switch {
	case w == x:
		return 1
	case strings.HasPrefix(x, w):
		return begins
	case len(w) > 3 && nearly(w, x):
		return typo
	case len(w) > 2 && strings.Contains(x, w):
		return within
	}
	return 0
}

// nearly reports whether two words differ by one letter more, fewer or other, or by two
// that changed places.
func nearly(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(y)-len(x) > 1 {
		return false
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	if len(x) < len(y) {
		return string(x[i:]) == string(y[i+1:])
	}
	rest := func(n int) bool { return i+n <= len(x) && string(x[i+n:]) == string(y[i+n:]) }
	return rest(1) || i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && rest(2)
}

// scattered reports whether a text contains the letters of a word in their order.
func scattered(w, text string) bool {
	for _, r := range w {
		i := strings.IndexRune(text, r)
		if i < 0 {
			return false
		}
		text = text[i+len(string(r)):]
	}
	return true
}

// filler are words that carry no meaning in a query.
var filler = strings.Fields("a an the my of to for in on is it its how do i with and this that one me what")

var oneSpelling = strings.NewReplacer("'", "", "’", "", "colour", "color")

// wordsOf returns the words of a text for comparison: in lower case, stemmed, and without filler
// words if others are left.
func wordsOf(text string) []string {
	text = oneSpelling.Replace(strings.ToLower(text))
	all := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	out := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return slices.Contains(filler, w) })
	if len(out) == 0 {
		out = all
	}
	for i := range out {
		out[i] = stem(out[i])
	}
	return out
}

// stem returns a word without its most common endings.
func stem(w string) string {
	cut := func(end, put string, least int) bool {
		if len(w) < least || !strings.HasSuffix(w, end) {
			return false
		}
		w = strings.TrimSuffix(w, end) + put
		return true
	}
	switch {
	case cut("ise", "ize", 6):
	case cut("ising", "ize", 8), cut("izing", "ize", 8):
	case cut("ies", "y", 5), cut("ss", "ss", 3), cut("us", "us", 3), cut("is", "is", 3):
	case cut("ing", "", 6), cut("s", "", 4):
	case cut("ed", "", 6):
	}
	cut("e", "", 4)
	return w
}
