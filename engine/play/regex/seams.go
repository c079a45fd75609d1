package regex

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html/atom"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// seams joins the parts of a shown text. If an element that begins or ends a line was between
// words, they stay separated.
type seams struct {
	text    []byte
	between string // separator before the next text
}

// write adds a text as it is.
func (s *seams) write(text string) {
	if text == "" {
		return
	}
	if s.between != "" && len(s.text) > 0 {
		last, _ := utf8.DecodeLastRune(s.text)
		next, _ := utf8.DecodeRuneInString(text)
		switch {
		case s.between == "\n" && last != '\n' && next != '\n':
			s.text = append(bytes.TrimRight(s.text, " "), '\n')
			text = strings.TrimLeft(text, " ")
		case s.between == " " && spaced(last) && spaced(next):
			s.text = append(s.text, ' ')
		}
	}
	s.between = ""
	s.text = append(s.text, text...)
}

// element adds the visible text of HTML that a script inserts. before and after report whether it
// begins and ends a line.
func (s *seams) element(seen string, before, after bool) {
	if before {
		s.between, seen = "\n", strings.TrimPrefix(seen, "\n")
	}
	if s.write(seen); after {
		s.between = "\n"
	}
}

// removed adds the replacement of a match. If it only removes tags, tags that begin or end lines
// leave a space, so that "one<br>two" does not become one word.
func (s *seams) removed(match, put string) {
	at := strings.Index(match, put)
	before, after := false, false
	if at >= 0 && strings.Contains(match, "<") {
		for _, tag := range tags().FindAllStringSubmatchIndex(match, -1) {
			if !endsLine(atom.Lookup([]byte(strings.ToLower(match[tag[2]:tag[3]])))) {
				continue
			}
			before, after = before || tag[1] <= at || put == "", after || put != "" && tag[0] >= at+len(put)
		}
	}
	if before && s.between == "" {
		s.between = " "
	}
	if s.write(put); after {
		s.between = " "
	}
}

// tags finds the tags of a text, with their names.
var tags = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`</?([A-Za-z][A-Za-z0-9]*)\b[^<>]*>`) })

// endsLine reports whether a browser begins or ends a line, or a cell, at an element.
func endsLine(a atom.Atom) bool { return lined[a] || a == atom.Br || a == atom.Td || a == atom.Th }

// spaced reports whether a character may be next to a space, and is not a space itself.
func spaced(r rune) bool { return !unicode.IsSpace(r) && !text.Unspaced(r) }
