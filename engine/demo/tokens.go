package demo

import (
	"hash/fnv"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// longest is the maximum number of letters in a token.
const longest = 6

// tokenizer cuts text into tokens. Its value is the average number of characters per token,
// whatever the words; 0 cuts tokens of a plausible size. The tokens joined are the text, byte for
// byte.
type tokenizer float64

func (c tokenizer) cut(text string, yield func(string)) {
	for i := 0.0; len(text) > 0; i++ {
		n := 0
		if c <= 0 {
			n = piece(text)
		}
		for left := int((i+1)*float64(c)) - int(i*float64(c)); left > 0 && n < len(text); left-- {
			_, size := utf8.DecodeRuneInString(text[n:])
			n += size
		}
		if n > 0 {
			yield(text[:n])
		}
		text = text[n:]
	}
}

func (c tokenizer) pieces(text string) (out []string) {
	c.cut(text, func(piece string) { out = append(out, piece) })
	return out
}

// piece returns the length in bytes of the token that text begins with: part of a
// word with the blank before it, up to three digits, or a single rune.
func piece(text string) int {
	at := 0
	r, size := utf8.DecodeRuneInString(text)
	if r == ' ' && len(text) > 1 {
		at = size
		r, size = utf8.DecodeRuneInString(text[at:])
		if r == ' ' || r == '\n' {
			return at
		}
	}
	of, limit := unicode.IsLetter, longest
	if unicode.IsDigit(r) {
		of, limit = unicode.IsDigit, 3
	} else if !unicode.IsLetter(r) {
		return at + size
	}
	for n := 0; n < limit && at < len(text); n++ {
		r, size = utf8.DecodeRuneInString(text[at:])
		if !of(r) {
			break
		}
		at += size
	}
	return at
}

// tokens hashes the tokens of text onto list.
func (c tokenizer) tokens(list []uint64, text string) []uint64 {
	c.cut(text, func(piece string) { list = append(list, hash(piece)) })
	return list
}

func hash(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		_, _ = h.Write([]byte(p)) // never fails
		_, _ = h.Write([]byte{0})
	}
	return h.Sum64()
}

// render returns the prompt as the model reads it: every message between markers,
// and the opening of the answer. An assistant's message at the end stays open,
// to be carried on.
func (c tokenizer) render(messages []storage.Node, noThink bool) []uint64 {
	var list []uint64
	for i, m := range messages {
		list = append(list, hash("<|im_start|>"), hash(string(m.Role)), hash("\n"))
		list = c.tokens(list, m.Content)
		if i == len(messages)-1 && m.Role == storage.Assistant {
			return list
		}
		list = append(list, hash("<|im_end|>"), hash("\n"))
	}
	list = append(list, hash("<|im_start|>"), hash(string(storage.Assistant)), hash("\n"))
	if noThink {
		list = append(list, hash("<think>"), hash("</think>"))
	}
	return list
}

// shared returns how many tokens two prompts have in common from the start.
func shared(a, b []uint64) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
