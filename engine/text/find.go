package text

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Finder finds phrases in texts, such as the names of a cast: whole words in their order,
// folded, whatever stands between them that is no word. "Mara" stands in "MARA’S" and not in
// "Maranatha". Korean sets what a name is in the sentence right behind it, so a syllable there
// counts as a word, as a character does in Chinese. A Finder is safe for concurrent use.
type Finder struct {
	byFirst map[string][]phrase // by their first piece
}

type phrase struct {
	number int
	pieces []string
}

// Match is a phrase, by its place in the list of the Finder, and the bytes where it stands.
type Match struct {
	Phrase   int
	From, To int
}

// NewFinder returns a Finder of phrases. One without words is never found.
func NewFinder(phrases []string) *Finder {
	f := &Finder{byFirst: make(map[string][]phrase, len(phrases))}
	for i, p := range phrases {
		var pieces []string
		for _, x := range piecesOf(p) {
			pieces = append(pieces, x.folded)
		}
		if len(pieces) > 0 {
			f.byFirst[pieces[0]] = append(f.byFirst[pieces[0]], phrase{i, pieces})
		}
	}
	return f
}

// Find returns where the phrases stand in s, by where they begin; those that begin at the same
// word in the order of the list. Matches may overlap.
func (f *Finder) Find(s string) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		if len(f.byFirst) == 0 {
			return
		}
		all := piecesOf(s)
		for i := range all {
			for _, p := range f.byFirst[all[i].folded] {
				if end := i + len(p.pieces); end <= len(all) && begins(all[i:], p.pieces) &&
					!yield(Match{p.number, all[i].from, all[end-1].to}) {
					return
				}
			}
		}
	}
}

// begins reports whether a text of at least as many pieces begins with those of a phrase.
func begins(text []piece, phrase []string) bool {
	for i, p := range phrase {
		if text[i].folded != p {
			return false
		}
	}
	return true
}

// piece is a word, or a part of one that an apostrophe sets apart.
type piece struct {
	folded   string
	from, to int
}

func piecesOf(s string) (out []piece) {
	for at, w := range Words(s) {
		for from := 0; from < len(w); {
			n := pieceLen(w[from:])
			if folded := strings.Trim(Fold(w[from:from+n]), "'"); folded != "" {
				out = append(out, piece{folded, at + from, at + from + n})
			}
			_, joint := utf8.DecodeRuneInString(w[from+n:])
			if !isApostrophe(w[from+n:]) {
				joint = 0
			}
			from += n + joint
		}
	}
	return out
}

// pieceLen returns how many bytes of the beginning of a word are a piece.
func pieceLen(w string) int {
	for i, r := range w {
		switch {
		case i == 0 && unicode.Is(unicode.Hangul, r):
			n := utf8.RuneLen(r)
			return n + marks(w[n:])
		case isApostrophe(w[i:]), i > 0 && unicode.Is(unicode.Hangul, r):
			return i
		}
	}
	return len(w)
}

// marks returns how many bytes at the beginning of s belong to the character before it.
func marks(s string) int {
	for i, r := range s {
		if !unicode.IsMark(r) {
			return i
		}
	}
	return len(s)
}

func isApostrophe(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '\'' || r == '’' || r == 'ʼ'
}
