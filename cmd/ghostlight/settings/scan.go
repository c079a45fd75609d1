package settings

import (
	"bytes"
	"errors"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// entry is a key with its value, located in the text of a config file.
type entry struct {
	table      []string // the path of the header above it
	path       []string // of the value, from the root
	start      int      // of the key
	value, end int      // of the value
	within     int      // the index of the entry whose inline table contains it, -1 for none
	comments   []string // inside the value
}

// header is the line that begins a table.
type header struct {
	path []string
	list bool // it begins an element of a list of tables
	end  int  // of the line, the line break included
}

// layout holds the positions of the parts of a config file in its text.
type layout struct {
	headers []header
	entries []entry
}

// errLayout means that the text is not a valid config file. The TOML parser gives a better error.
var errLayout = errors.New("this is not a config file")

// scanner finds the parts of a config file without looking into values. The text
// should be one that can be parsed; of any other it finds something or fails.
type scanner struct {
	text     []byte
	at       int
	comments []string
	out      layout
}

// scan finds the parts of a config file.
func scan(text []byte) (layout, error) {
	s := scanner{text: text}
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		s.at = len("\ufeff")
	}
	var table []string
	for {
		s.gap(true)
		if s.at >= len(text) {
			return s.out, nil
		}
		var err error
		if text[s.at] == '[' {
			table, err = s.header()
		} else {
			err = s.entry(table, table, -1)
		}
		if err != nil {
			return layout{}, err
		}
	}
}

// peek returns the next byte, 0 at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// take steps over a byte, and reports whether it stood there.
func (s *scanner) take(c byte) bool {
	if s.peek() != c || s.at >= len(s.text) {
		return false
	}
	s.at++
	return true
}

// gap skips spaces and tabs, and if lines is set also comments and line breaks.
func (s *scanner) gap(lines bool) {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == ' ' || c == '\t':
			s.at++
		case lines && (c == '\n' || c == '\r'):
			s.at++
		case lines && c == '#':
			end := s.lineEnd()
			s.comments = append(s.comments, strings.TrimRight(string(s.text[s.at:end]), "\r\n"))
			s.at = end
		default:
			return
		}
	}
}

// lineEnd returns where the next line begins.
func (s *scanner) lineEnd() int { return lineEnd(s.text, s.at) }

func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

// header reads the header of a table.
func (s *scanner) header() ([]string, error) {
	s.at++
	h := header{list: s.take('[')}
	var err error
	if h.path, err = s.name(); err != nil {
		return nil, err
	}
	if !s.take(']') || h.list && !s.take(']') {
		return nil, errLayout
	}
	h.end = s.lineEnd()
	s.at = h.end
	s.out.headers = append(s.out.headers, h)
	return h.path, nil
}

// name reads a dotted key, with the white space around its parts.
func (s *scanner) name() (path []string, err error) {
	for {
		s.gap(false)
		start := s.at
		switch c := s.peek(); c {
		case '"', '\'':
			if err := s.text1(c); err != nil {
				return nil, err
			}
		default:
			for bare(s.peek()) {
				s.at++
			}
		}
		if s.at == start {
			return nil, errLayout
		}
		part, err := unquoted(s.text[start:s.at])
		if err != nil {
			return nil, err
		}
		path = append(path, part)
		s.gap(false)
		if !s.take('.') {
			return path, nil
		}
	}
}

func bare(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// unquoted returns a part of a key without its quotes.
func unquoted(raw []byte) (string, error) {
	if raw[0] != '"' && raw[0] != '\'' {
		return string(raw), nil
	}
	p := unstable.Parser{}
	p.Reset(append(bytes.Clone(raw), "=0"...))
	if !p.NextExpression() {
		return "", errLayout
	}
	it := p.Expression().Key()
	if !it.Next() {
		return "", errLayout
	}
	return string(it.Node().Data), nil
}

// entry reads a key and its value, and those of the inline table that the value may
// be.
func (s *scanner) entry(table, above []string, within int) error {
	e := entry{table: table, start: s.at, within: within}
	name, err := s.name()
	if err != nil || !s.take('=') {
		return errLayout
	}
	e.path = append(append([]string{}, above...), name...)
	s.gap(false)
	e.value = s.at
	at := len(s.out.entries)
	s.out.entries = append(s.out.entries, e)
	s.comments = nil
	if err := s.value(e.path, at); err != nil {
		return err
	}
	s.out.entries[at].end = s.at
	s.out.entries[at].comments = s.comments
	s.comments = nil
	return nil
}

// value steps over a value. path and at belong to the entry that has the value; at is -1 for an
// element of a list.
func (s *scanner) value(path []string, at int) error {
	switch c := s.peek(); c {
	case '"', '\'':
		return s.text1(c)
	case '[':
		s.at++
		for {
			s.gap(true)
			if s.take(']') {
				return nil
			}
			if err := s.value(nil, -1); err != nil {
				return err
			}
			s.gap(true)
			if !s.take(',') && s.peek() != ']' {
				return errLayout
			}
		}
	case '{':
		return s.inline(path, at)
	}
	start := s.at
	for s.at < len(s.text) && !bytes.ContainsRune([]byte(",]}#\r\n"), rune(s.text[s.at])) {
		s.at++
	}
	s.at = start + len(bytes.TrimRight(s.text[start:s.at], " \t"))
	if s.at == start {
		return errLayout
	}
	return nil
}

// inline steps over an inline table. Its entries are recorded, unless it is in a list.
func (s *scanner) inline(path []string, at int) error {
	s.at++
	comments := s.comments
	for {
		s.gap(true)
		if s.take('}') {
			s.comments = comments
			return nil
		}
		n := len(s.out.entries)
		if err := s.entry(path, path, at); err != nil {
			return err
		}
		if at < 0 {
			s.out.entries = s.out.entries[:n]
		}
		s.gap(true)
		if !s.take(',') && s.peek() != '}' {
			return errLayout
		}
	}
}

// text1 steps over a text in quotes.
func (s *scanner) text1(quote byte) error {
	three := bytes.Repeat([]byte{quote}, 3)
	if bytes.HasPrefix(s.text[s.at:], three) {
		for s.at += 3; s.at < len(s.text); s.at++ {
			switch {
			case quote == '"' && s.text[s.at] == '\\':
				s.at++
			case bytes.HasPrefix(s.text[s.at:], three):
				s.at += 3
				for n := 0; n < 2 && s.take(quote); n++ { // up to two more are part of the text
				}
				return nil
			}
		}
		return errLayout
	}
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '\n':
			return errLayout
		case c == '\\' && quote == '"':
			s.at++
		case c == quote:
			s.at++
			return nil
		}
	}
	return errLayout
}
