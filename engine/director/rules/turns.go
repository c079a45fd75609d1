package rules

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// NextRoundRobin returns the next speaker in turn: the one after last among present, or the first if
// last is not among them. It is "" if nobody is present.
func NextRoundRobin(present []storage.CharacterID, last storage.CharacterID) storage.CharacterID {
	if len(present) == 0 {
		return ""
	}
	return present[(slices.Index(present, last)+1)%len(present)]
}

// Bounds of what is searched for names.
const (
	maxMentions  = 64 << 10 // bytes at the end of a text
	maxNames     = 128
	maxNameBytes = 240
	maxNameWords = 8
)

// Mentioned returns the indexes of the names that a text mentions, each once. They are sorted by
// their last mention, so the last index is the name that was mentioned last. Names count as whole
// words, whatever their case. A name of several words also counts by its first word that is no
// title, if that word is unambiguous. A name that is also an everyday word ("Will") counts only
// with its capital letter.
func Mentioned(said string, names []string) []int {
	said = tail(said, maxMentions)
	names = names[:min(len(names), maxNames)]
	words, forms := spellings(said), formsOf(names)
	last := map[int]int{} // position of the last mention, by name
	for i := 0; i < len(words); {
		n := 1
		for _, f := range forms[words[i].folded] {
			if f.stands(words[i:]) {
				last[f.name] = words[i].at
				n = len(f.words)
				break
			}
		}
		i += n
	}
	out := make([]int, 0, len(last))
	for i := range last {
		out = append(out, i)
	}
	slices.SortFunc(out, func(a, b int) int { return cmp.Or(cmp.Compare(last[a], last[b]), cmp.Compare(a, b)) })
	return out
}

// spelling is a word of a text.
type spelling struct {
	folded  string
	at      int // in bytes
	capital bool
}

// spellings returns the words of a text. In scripts without blanks each character is a word.
func spellings(s string) (out []spelling) {
	for at, word := range text.Words(s) {
		r, _ := utf8.DecodeRuneInString(word)
		folded := strings.TrimSuffix(strings.ReplaceAll(text.Fold(word), "’", "'"), "'s")
		if folded = strings.ReplaceAll(folded, "'", ""); folded != "" {
			out = append(out, spelling{folded: folded, at: at, capital: unicode.IsUpper(r)})
		}
	}
	return out
}

// form is a way to name somebody.
type form struct {
	name    int
	words   []string
	capital bool // it needs a capital letter
}

func (f form) stands(words []spelling) bool {
	if len(words) < len(f.words) || f.capital && !words[0].capital {
		return false
	}
	for i, w := range f.words {
		if words[i].folded != w {
			return false
		}
	}
	return true
}

// formsOf returns the ways to name each of the names, by their first word, the longest first.
func formsOf(names []string) map[string][]form {
	split := make([][]string, len(names))
	owners := map[string]int{} // how many names have a word
	for i, n := range names {
		for _, w := range spellings(head(n, maxNameBytes)) {
			if len(split[i]) < maxNameWords {
				if !slices.Contains(split[i], w.folded) {
					owners[w.folded]++
				}
				split[i] = append(split[i], w.folded)
			}
		}
	}
	forms := map[string][]form{}
	add := func(i int, words []string) {
		forms[words[0]] = append(forms[words[0]],
			form{name: i, words: words, capital: len(words) == 1 && everyday()[words[0]]})
	}
	for i, words := range split {
		if len(words) == 0 {
			continue
		}
		add(i, words)
		if strings.ContainsFunc(names[i], text.Unspaced) {
			continue // its words are single characters
		}
		rest := words
		for len(rest) > 1 && titles()[rest[0]] {
			rest = rest[1:]
		}
		if len(words) > 1 && owners[rest[0]] == 1 && !titles()[rest[0]] {
			add(i, rest[:1])
		}
	}
	for _, list := range forms {
		slices.SortStableFunc(list, func(a, b form) int { return cmp.Compare(len(b.words), len(a.words)) })
	}
	return forms
}

func wordSet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		set := map[string]bool{}
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
		return set
	})
}

// titles are words that may precede a name and are not part of it.
var titles = wordSet(`the a an mr mrs ms miss mister dr doctor sir dame lord lady king queen prince princess captain
	professor prof father mother brother sister saint st old young uncle aunt von van de der den la le du of herr frau
	monsieur madame señor señora don doña master commander sergeant`)

// everyday are names that are also everyday words.
var everyday = wordSet(`will may rose hope mark bill grace faith joy dawn summer autumn art pat sue drew frank chance
	hunter angel king queen prince sky star storm ray rob guy rich chase pierce wade lance dean earl duke bishop carol
	gene olive ginger sandy sunny misty clay cliff dale glen heath brook forest reed stone wood woods the it she he
	you i one no so an a in on is me as am we they mother father`)
