package rehearsal

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// matching writes a string that a schema's pattern accepts, of at least that
// many runes where the pattern lets it grow.
func matching(pattern string, least int) (string, error) {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "", errSchema
	}
	re = re.Simplify()
	text := ""
	for extra := 0; extra <= maxRepeat; extra += max(1, extra/2) {
		var b strings.Builder
		spell(&b, re, extra)
		if text = b.String(); utf8.RuneCountInString(text) >= least {
			break
		}
	}
	return text, nil
}

// spell writes the plainest string that re matches; loops run extra times more
// than they have to.
func spell(b *strings.Builder, re *syntax.Regexp, extra int) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		b.WriteRune(plainRune(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			spell(b, sub, extra)
		}
	case syntax.OpAlternate:
		spell(b, re.Sub[0], extra)
	case syntax.OpPlus:
		for range 1 + extra {
			spell(b, re.Sub[0], extra)
		}
	case syntax.OpStar:
		for range extra {
			spell(b, re.Sub[0], extra)
		}
	case syntax.OpQuest:
		if extra > 0 {
			spell(b, re.Sub[0], extra)
		}
	}
}

// plainRune prefers a letter or digit of a class given as pairs of bounds.
func plainRune(pairs []rune) rune {
	for _, want := range "aA0_- " {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] <= want && want <= pairs[i+1] {
				return want
			}
		}
	}
	if len(pairs) == 0 {
		return 'a'
	}
	return pairs[0]
}
