package plist

import (
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Facts returns the separate facts of a content as written: the properties of a list, otherwise the
// lines, or the sentences of lines with several.
func Facts(content string) []string {
	s := split(content)
	out := make([]string, 0, len(s.pieces))
	for _, p := range s.pieces {
		if !p.head {
			out = append(out, p.text)
		}
	}
	return out
}

// SameFact reports whether two facts have the same words; see text.Equal.
func SameFact(a, b string) bool { return factKey(a) == factKey(b) }

// piece is a fact, or the head of an entry, with the text before it.
type piece struct {
	lead, text string
	head       bool
}

// splitting is a content in pieces: all leads and texts, and the tail, are the
// content byte for byte.
type splitting struct {
	list   bool // an entry of the form
	pieces []piece
	tail   string
}

func split(content string) splitting {
	if p := parse(content); p.isValid() {
		s := splitting{list: true, pieces: make([]piece, 0, len(p.facts)+1)}
		s.pieces = append(s.pieces, piece{lead: content[:p.typ.from], text: content[p.typ.from:p.name.to], head: true})
		last := p.name.to
		for _, f := range p.facts {
			s.pieces = append(s.pieces, piece{lead: content[last:f.from], text: p.at(f)})
			last = f.to
		}
		s.tail = content[last:]
		return s
	}
	var s splitting
	last := 0
	for from, sentence := range text.Sentences(content) {
		s.pieces = append(s.pieces, piece{lead: content[last:from], text: sentence})
		last = from + len(sentence)
	}
	s.tail = content[last:]
	return s
}

// factKey returns the normalized text that SameFact compares. Blanks next to parentheses and commas
// are removed.
func factKey(s string) string { return tight.Replace(text.Normalize(s)) }

var tight = strings.NewReplacer(" (", "(", "( ", "(", " )", ")", " ,", ",", ", ", ",")
