package text

import "sync"

// Tokens estimates the number of tokens of s for a language model without measurements: 0 for an
// empty text, otherwise at least 1. It adds up a weight for every byte, which depends on the kind
// of the byte and of the one before it. This suits the tokenizers of today's models for English
// prose, and is rough for other text.
func Tokens(s string) int { return TokensAt(s, 100) }

// TokensAt is Tokens for a model that needs percent per cent of the estimated tokens. The same
// percent and text always give the same count.
func TokensAt(s string, percent int) int {
	if s == "" {
		return 0
	}
	const unit = weightUnit * 100
	return int(max((weigh(s)*uint64(percent)+unit-1)/unit, 1))
}

// weightUnit is the weight of one token.
const weightUnit = 100

// kind is a class of bytes that tokenizers treat alike.
type kind uint8

const (
	kindFollow  kind = iota // the second and later bytes of a character
	kindLower               // a-z
	kindUpper               // A-Z
	kindDigit               //
	kindSpace               // space and tab
	kindLine                // line breaks
	kindMark                // ASCII punctuation
	kindControl             //
	kindLatin               // accented Latin
	kindAlpha               // Greek, Cyrillic, Hebrew, Arabic: alphabets with two bytes a letter
	kindIndic               // Indic scripts, Thai and others that begin with E0 and E1
	kindSign                // dashes, quotes, arrows, symbols
	kindIdeo                // Chinese, Japanese, Korean
	kindEmoji               // four bytes
	kinds
)

// costs are the kinds of all bytes, and their weights.
type costs struct {
	kind   [256]kind
	weight [kinds][kinds]uint64 // weight[a][b] is the cost of a byte of kind b after one of kind a
}

// weights are computed on first use.
var weights = sync.OnceValue(func() *costs {
	var c costs
	for b := range c.kind {
		c.kind[b] = kindOf(byte(b))
	}
	w := &c.weight
	alone := [kinds]uint64{
		kindFollow: 0, kindLower: 90, kindUpper: 100, kindDigit: 60, kindSpace: 0, kindLine: 60,
		kindMark: 90, kindControl: 100,
		kindLatin: 75, kindAlpha: 45, kindIndic: 60, kindSign: 100, kindIdeo: 80, kindEmoji: 250,
	}
	for a := range kinds {
		w[a] = alone
	}
	// Inside a word a letter is cheap; the first one pays for the word.
	for _, a := range []kind{kindLower, kindUpper, kindFollow} {
		w[a][kindLower] = 10
	}
	w[kindUpper][kindUpper] = 35
	w[kindLower][kindUpper] = 70
	// Runs of the same sign share tokens.
	w[kindMark][kindMark] = 50
	w[kindLine][kindLine] = 10
	w[kindSpace][kindSpace] = 10
	w[kindLine][kindSpace] = 10
	return &c
})

func kindOf(b byte) kind {
	switch {
	case b >= 'a' && b <= 'z':
		return kindLower
	case b >= 'A' && b <= 'Z':
		return kindUpper
	case b >= '0' && b <= '9':
		return kindDigit
	case b == ' ', b == '\t':
		return kindSpace
	case b == '\n', b == '\r':
		return kindLine
	case b < 0x20, b == 0x7f:
		return kindControl
	case b < 0x80:
		return kindMark
	case b < 0xc0:
		return kindFollow
	case b < 0xca:
		return kindLatin
	case b < 0xe0:
		return kindAlpha
	case b < 0xe2:
		return kindIndic
	case b == 0xe2, b == 0xef:
		return kindSign
	case b < 0xf0:
		return kindIdeo
	}
	return kindEmoji
}

// weigh adds up the weights of a text.
func weigh(s string) uint64 {
	c := weights()
	var sum uint64
	before := kindSpace
	for i := range len(s) {
		k := c.kind[s[i]]
		sum += c.weight[before][k]
		before = k
	}
	return sum
}
