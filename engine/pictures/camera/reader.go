package camera

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest bounds, in bytes, the text that is read: nobody sends more.
const longest = 32 << 10

// token is a word of a text. Those of a word with hyphens are tokens of their own.
type token struct {
	low      string // without apostrophes
	from, to int
	sentence int
	gap      bool // a comma or the like stands before it
	upper    bool
	own      bool // it ended in the mark of a possessive
}

type reader struct {
	text string
	list []token
}

// read splits a text into words. What stands between quotation marks is somebody's
// speech and is left out.
func read(text string) *reader {
	r := &reader{text: text}
	if len(text) > longest {
		text = text[:longest]
	}
	sentence, gap := 0, false
	for at := 0; at < len(text); {
		c, size := utf8.DecodeRuneInString(text[at:])
		if !wordRune(c) {
			switch {
			case c == '.' && !stops(text, at):
			case strings.ContainsRune(".!?\n", c):
				sentence++
			case strings.ContainsRune(",;:()–—/", c):
				gap = true
			case c == '"' || c == '“':
				if n := speech(text[at+size:]); n > 0 {
					at += n
					gap = true
				}
			}
			at += size
			continue
		}
		end := at
		for end < len(text) {
			c, n := utf8.DecodeRuneInString(text[end:])
			if !wordRune(c) && (c != '\'' && c != '’' || end+n >= len(text) || !followed(text[end+n:])) {
				break
			}
			end += n
		}
		word := text[at:end]
		t := token{from: at, to: end, sentence: sentence, gap: gap, upper: unicode.IsUpper(c)}
		t.low = strings.ToLower(word)
		if strings.ContainsAny(word, "'’") {
			t.own = strings.HasSuffix(word, "'s") || strings.HasSuffix(word, "’s")
			t.low = strings.ReplaceAll(strings.ReplaceAll(t.low, "'", ""), "’", "")
		}
		r.list = append(r.list, t)
		gap = false
		at = end
	}
	return r
}

func wordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

func followed(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return wordRune(r)
}

// stops tells whether the full stop at a place ends a sentence: not within a number
// or behind a title.
func stops(text string, at int) bool {
	if at+1 < len(text) && !unicode.IsSpace(rune(text[at+1])) && text[at+1] != '"' && text[at+1] != ')' {
		return text[at+1] >= utf8.RuneSelf
	}
	begin := strings.LastIndexFunc(text[:at], func(r rune) bool { return !wordRune(r) })
	switch strings.ToLower(text[begin+1 : at]) {
	case "mr", "mrs", "ms", "dr", "st":
		return false
	}
	return true
}

// speech is the length of what a quotation mark opens, its end included, 0 where
// nothing closes it in its paragraph.
func speech(rest string) int {
	rest = rest[:min(len(rest), 2000)]
	if stop := strings.Index(rest, "\n\n"); stop >= 0 {
		rest = rest[:stop]
	}
	end := strings.IndexAny(rest, "\"”")
	if end < 0 {
		return 0
	}
	_, n := utf8.DecodeRuneInString(rest[end:])
	return end + n
}

// is tells whether the word at i is one of a list, and no other sentence's than that
// at base.
func (r *reader) is(i, base int, words map[string]bool) bool {
	return i >= 0 && i < len(r.list) && r.list[i].sentence == r.list[base].sentence && words[r.list[i].low]
}

// near looks for a word of a list among the n before the one at i, within its
// sentence. With clause a comma ends the search.
func (r *reader) near(i, n int, clause bool, words map[string]bool) bool {
	for j := i - 1; j >= max(0, i-n); j-- {
		if clause && r.list[j+1].gap {
			return false
		}
		if r.is(j, i, words) {
			return true
		}
	}
	return false
}

// ahead looks for a word of a list among the n words behind the one at i.
func (r *reader) ahead(i, n int, words map[string]bool) bool {
	for j := i + 1; j <= i+n; j++ {
		if r.is(j, i, words) {
			return true
		}
	}
	return false
}

// begins tells whether nothing but articles stands before i in its sentence or clause.
func (r *reader) begins(i int) bool {
	for j := i; ; j-- {
		if j == 0 || r.list[j-1].sentence != r.list[i].sentence || r.list[j].gap {
			return true
		}
		if !articles[r.list[j-1].low] {
			return false
		}
	}
}

func words(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

// Span is a part of a text, in bytes.
type Span struct{ From, To int }

// In is the text of a span.
func (s Span) In(text string) string { return text[s.From:s.To] }

// Sentences are the sentences of a text, without the blanks around them.
func Sentences(text string) (out []Span) {
	from := 0
	add := func(to int) {
		part := text[from:to]
		left := len(part) - len(strings.TrimLeftFunc(part, unicode.IsSpace))
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, Span{from + left, from + left + len(part)})
		}
		from = to
	}
	for i, c := range text {
		if c == '\n' || (c == '!' || c == '?' || c == '.' && stops(text, i)) && closed(text[i+1:]) {
			end := i + utf8.RuneLen(c)
			for end < len(text) && (text[end] == '"' || text[end] == ')') {
				end++
			}
			if end > from {
				add(end)
			}
		}
	}
	add(len(text))
	return out
}

// closed tells whether a sentence may end before a rest of a text.
func closed(rest string) bool {
	rest = strings.TrimLeft(rest, "\")”")
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || unicode.IsSpace(r)
}

// Framing are the sentences of a text that say how it is looked at: all that is
// written anew when the camera is another.
func Framing(text string) (out []Span) {
	spans, marks := Sentences(text), Find(text)
	r := read(text)
	for _, s := range spans {
		hit := false
		for _, m := range marks {
			hit = hit || !m.weak && m.From >= s.From && m.From < s.To
		}
		for _, t := range r.list {
			hit = hit || t.from >= s.From && t.from < s.To && framers[t.low]
		}
		if hit {
			out = append(out, s)
		}
	}
	return out
}

// framers are words of nothing but pictures.
var framers = words("camera lens foreground viewpoint framing palette backlit vantage")
