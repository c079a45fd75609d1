package ecosystem

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// compactBook is compact, several times as fast for the large files that books
// can be. What it is not sure of it leaves to compact, which also words errors.
func compactBook(data []byte) (json.RawMessage, error) {
	body := bytes.TrimPrefix(data, []byte(bom))
	if utf8.Valid(body) {
		c := compactor{in: body, out: make([]byte, 0, len(body))}
		if c.document() {
			return c.out, nil
		}
	}
	return compact(data)
}

// compactor copies a JSON text without its white space. It accepts only what is
// valid and nested no deeper than maxDepth.
type compactor struct {
	in, out []byte
	at      int
}

func (c *compactor) document() bool {
	if !c.value() {
		return false
	}
	c.space()
	return c.at == len(c.in)
}

func (c *compactor) space() {
	for c.at < len(c.in) {
		switch c.in[c.at] {
		case ' ', '\n', '\t', '\r':
			c.at++
		default:
			return
		}
	}
}

// next passes white space and returns the byte behind it, 0 at the end.
func (c *compactor) next() byte {
	c.space()
	if c.at == len(c.in) {
		return 0
	}
	return c.in[c.at]
}

func (c *compactor) keep(b byte) {
	c.out = append(c.out, b)
	c.at++
}

// value copies one value. closers holds what the open objects and lists wait
// for, so that hostile nesting cannot grow the stack.
func (c *compactor) value() bool {
	var closers [maxDepth]byte
	depth := 0
	for {
		b := c.next()
		if b == '{' || b == '[' {
			if depth == maxDepth {
				return false
			}
			closers[depth] = b + 2 // in ASCII each closes two behind
			depth++
			c.keep(b)
			if b = c.next(); b == closers[depth-1] {
				c.keep(b)
				depth--
			} else if closers[depth-1] == ']' {
				continue
			} else if !c.name() {
				return false
			} else {
				continue
			}
		} else if !c.scalar(b) {
			return false
		}
		for depth > 0 { // a value has ended
			b = c.next()
			if b == ',' {
				c.keep(b)
				if closers[depth-1] == '}' && !c.name() {
					return false
				}
				break
			}
			if b != closers[depth-1] {
				return false
			}
			c.keep(b)
			depth--
		}
		if depth == 0 {
			return true
		}
	}
}

func (c *compactor) name() bool {
	if c.next() != '"' || !c.text() || c.next() != ':' {
		return false
	}
	c.keep(':')
	return true
}

func (c *compactor) scalar(b byte) bool {
	switch b {
	case '"':
		return c.text()
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	}
	return c.number()
}

func (c *compactor) word(w string) bool {
	if len(c.in)-c.at < len(w) || string(c.in[c.at:c.at+len(w)]) != w {
		return false
	}
	c.out = append(c.out, w...)
	c.at += len(w)
	return true
}

func (c *compactor) text() bool {
	in := c.in
	for i := c.at + 1; i < len(in); i++ {
		switch b := in[i]; {
		case b == '"':
			c.out = append(c.out, in[c.at:i+1]...)
			c.at = i + 1
			return true
		case b < ' ':
			return false
		case b == '\\':
			i++
			if i == len(in) {
				return false
			}
			switch in[i] {
			case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
			case 'u':
				if len(in)-i < 5 || !hex4(in[i+1:i+5]) {
					return false
				}
				i += 4
			default:
				return false
			}
		}
	}
	return false
}

func hex4(b []byte) bool {
	for _, d := range b {
		if (d < '0' || d > '9') && (d|0x20 < 'a' || d|0x20 > 'f') {
			return false
		}
	}
	return true
}

func (c *compactor) number() bool {
	from := c.at
	if c.peek() == '-' {
		c.at++
	}
	if c.peek() == '0' {
		c.at++
	} else if !c.digits() {
		return false
	}
	if c.peek() == '.' {
		c.at++
		if !c.digits() {
			return false
		}
	}
	if c.peek()|0x20 == 'e' {
		c.at++
		if b := c.peek(); b == '+' || b == '-' {
			c.at++
		}
		if !c.digits() {
			return false
		}
	}
	c.out = append(c.out, c.in[from:c.at]...)
	return true
}

func (c *compactor) peek() byte {
	if c.at < len(c.in) {
		return c.in[c.at]
	}
	return 0
}

func (c *compactor) digits() bool {
	from := c.at
	for c.at < len(c.in) && c.in[c.at] >= '0' && c.in[c.at] <= '9' {
		c.at++
	}
	return c.at > from
}

// bookText is text without its allocation for texts that need no decoding.
func bookText(raw json.RawMessage) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1]), true
	}
	return text(raw)
}

func bookLoose(raw json.RawMessage) (s, odd string) {
	if s, ok := bookText(raw); ok {
		return s, ""
	}
	return loose(raw)
}

// bookQuoted is quoted, faster for texts that need no escapes.
func bookQuoted(s string) json.RawMessage {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == '"' || s[i] == '\\' || s[i] >= utf8.RuneSelf {
			return quoted(s)
		}
	}
	out := append(make([]byte, 0, len(s)+2), '"')
	return append(append(out, s...), '"')
}

// push adds a member that the object does not have yet. Unlike set it does not
// begin an index for a large object.
func (o *object) push(key string, name, raw []byte) {
	if o.index != nil {
		o.index[key] = len(o.members)
	}
	o.members = append(o.members, member{key, name, raw})
}
