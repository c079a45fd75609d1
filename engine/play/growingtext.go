package play

import "strings"

// GrowingText appends pieces to a text that others hold meanwhile. It copies the text only now and
// then, not for each piece: a reply of 1,000 words was copied 1,000 times, by the stream and by the
// screen, which made most of the garbage.
type GrowingText struct{ text strings.Builder }

// Append returns have followed by more. It is fast if have is the string that it returned last.
func (g *GrowingText) Append(have, more string) string {
	if more == "" {
		return have
	}
	if g.text.String() != have { // the same bytes at the same place are not compared
		g.text.Reset()
		g.text.WriteString(have)
	}
	g.text.WriteString(more)
	return g.text.String()
}
