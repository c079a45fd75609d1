package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/words"
)

// token is a word of a text as it is written, without what an apostrophe joins to it: of
// scripts that set no blanks, a letter.
type token struct {
	from, to int
	low      string
}

// tokens are the words of a text.
func tokens(text string) (out []token) {
	words.Runs(text, func(at, end int, dense bool) bool {
		run := text[at:end]
		if dense {
			for i, r := range run {
				n := utf8.RuneLen(r)
				out = append(out, token{at + i, at + i + n, run[i : i+n]})
			}
			return len(out) < mostTokens
		}
		from := 0
		for i, r := range run + "'" {
			if r != '\'' && r != '’' {
				continue
			}
			if i > from {
				out = append(out, token{at + from, at + i, words.Fold(run[from:i])})
			}
			from = i + utf8.RuneLen(r)
		}
		return len(out) < mostTokens
	})
	return out
}

// mostTokens bounds how many words of a text are looked at.
const mostTokens = 8 << 10

// find finds tokens in others, next to each other: where they begin and end, -1 for
// nowhere.
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

// mostSwapped bounds how long sentences may be whose words are held against each other.
const mostSwapped = 80

// swapsOf are the words of one sentence that another has otherwise; nil where little is
// the same. A word that one of them has beside the other's takes a neighbour with it.
func swapsOf(a, b []token, wrong, instead string) (out []swap) {
	if len(a) > mostSwapped || len(b) > mostSwapped {
		return nil
	}
	same := common(a, b)
	if len(same)*2 < len(a) {
		return nil
	}
	add := func(a0, a1, b0, b1 int) {
		if a0 == a1 && b0 == b1 {
			return
		}
		if a0 == a1 || b0 == b1 {
			switch {
			case a1 < len(a) && b1 < len(b):
				a1, b1 = a1+1, b1+1
			case a0 > 0 && b0 > 0:
				a0, b0 = a0-1, b0-1
			default:
				return
			}
		}
		var s swap
		for _, t := range a[a0:a1] {
			s.old = append(s.old, wrong[t.from:t.to])
		}
		s.now = instead[b[b0].from:b[b1-1].to]
		out = append(out, s)
	}
	i, j := 0, 0
	for _, p := range append(same, [2]int{len(a), len(b)}) {
		add(i, p[0], j, p[1])
		i, j = p[0]+1, p[1]+1
	}
	return out
}

// common are the pairs of tokens that two lists have in the same order.
func common(a, b []token) (out [][2]int) {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if length[i][j] = max(length[i+1][j], length[i][j+1]); a[i].low == b[j].low {
				length[i][j] = length[i+1][j+1] + 1
			}
		}
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].low == b[j].low:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// Sentences are those of a text, each a part of it.
func Sentences(text string) (out []string) {
	from := 0
	add := func(to int) {
		if s := strings.TrimSpace(text[from:to]); strings.ContainsFunc(s, unicode.IsLetter) {
			out = append(out, s)
		}
		from = to
	}
	for i, r := range text {
		end := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			continue
		}
		switch r {
		case '\n', '。', '！', '？':
			add(end)
		case '.', '!', '?', '…':
			if end == len(text) || strings.ContainsRune(" \n\t\"”“»*_)", rune(text[end])) || text[end] >= 0x80 {
				add(end)
			}
		}
	}
	add(len(text))
	return out
}
