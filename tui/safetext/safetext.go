// Package safetext makes text from outside (models, cards, files, servers) safe to show in a
// terminal.
//
// Everything the program displays passes through it once. It guarantees about its output:
//
//   - it is valid UTF-8, and the only control rune in it is the newline (none at all in [Line] and [Title]);
//   - an escape sequence in the input has lost its introducer and is plain, harmless text;
//   - nothing in it reorders, hides or joins the text around it: no bidirectional controls, tag characters or
//     invisible formatting;
//   - its width is the same whether a terminal measures runes or whole grapheme clusters, as far as the script allows:
//     variation selectors, skin tones and the tails of joined emoji are gone;
//   - it is a fixed point: cleaning it again changes nothing.
//
// The functions are pure and safe for concurrent use. Stored text stays raw; cleaning happens at
// display.
package safetext

import (
	"strings"
	"unicode/utf8"
)

// TitleLimit is the greatest number of runes that [Title] returns.
const TitleLimit = 120

// tab is the replacement of a tab in a block of text.
const tab = "    "

// Line cleans s for a place with one line: newlines and tabs become single spaces. Printable ASCII
// is returned as the same string without an allocation.
func Line(s string) string {
	if plain(s, false) {
		return s
	}
	c := Cleaner{oneLine: true}
	return c.clean(s)
}

// Block cleans s for a place with many lines: \n stays, \r\n and \r become \n, a tab becomes four
// spaces. Printable ASCII is returned as the same string without an allocation.
func Block(s string) string {
	if plain(s, true) {
		return s
	}
	var c Cleaner
	return c.clean(s)
}

// Title cleans s for the title of a terminal window: one line, outer spaces trimmed, at most [TitleLimit] runes.
func Title(s string) string {
	if len(s) > 16*TitleLimit {
		s = s[:16*TitleLimit] // a title is short; do not clean a long text for it
	}
	s = strings.TrimSpace(Line(s))
	n := 0
	for i := range s {
		if n == TitleLimit {
			return strings.TrimSpace(s[:i])
		}
		n++
	}
	return s
}

// plain reports whether s is printable ASCII, with newlines where allowed.
func plain(s string, newlines bool) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c-0x20 > 0x7e-0x20 && (c != '\n' || !newlines) {
			return false
		}
	}
	return true
}

// Cleaner cleans text that arrives in pieces, as [Block] would clean the whole. The zero value is
// ready to use. A Cleaner is not safe for concurrent use.
type Cleaner struct {
	oneLine bool
	prev    rune // the last rune kept; 0 at the start of a line. Neither that nor a space carries a mark
	marks   int  // combining marks kept on the current base
	joined  bool // a joiner after an emoji was dropped: the emoji that follows goes too
	cr      bool // the last rune was \r, so a \n now belongs to it
	held    [utf8.UTFMax]byte
	nheld   int // bytes in held: the beginning of an incomplete rune
}

// Append cleans s as the next piece of the text and appends the result to dst. An incomplete rune
// at the end of s is held back until the rest arrives or [Cleaner.Flush] is called.
func (c *Cleaner) Append(dst []byte, s string) []byte {
	for c.nheld > 0 && len(s) > 0 {
		c.held[c.nheld] = s[0]
		c.nheld++
		s = s[1:]
		for c.nheld > 0 && utf8.FullRune(c.held[:c.nheld]) {
			dst = c.release(dst)
		}
	}
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			if !utf8.FullRuneInString(s[i:]) {
				c.nheld = copy(c.held[:], s[i:])
				return dst
			}
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		dst = c.add(dst, r)
		i += size
	}
	return dst
}

// Flush ends the text: an incomplete rune is appended to dst as U+FFFD for each of its bytes.
func (c *Cleaner) Flush(dst []byte) []byte {
	for c.nheld > 0 {
		dst = c.release(dst)
	}
	return dst
}

// release decodes one rune (or one bad byte) from the held bytes and keeps the others.
func (c *Cleaner) release(dst []byte) []byte {
	r, size := utf8.DecodeRune(c.held[:c.nheld])
	dst = c.add(dst, r)
	c.nheld = copy(c.held[:], c.held[size:c.nheld])
	return dst
}

// clean cleans s in one call. It copies nothing before the first rune that has to change.
func (c *Cleaner) clean(s string) string {
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		before := *c
		if out, n := c.step(r); n == 1 && out == r && (r != utf8.RuneError || size == 3) {
			i += size
			continue
		}
		*c = before
		dst := make([]byte, i, len(s)+len(s)/8+8)
		copy(dst, s[:i])
		dst = c.Append(dst, s[i:])
		return string(c.Flush(dst))
	}
	return s
}

// add cleans one rune and appends the result.
func (c *Cleaner) add(dst []byte, r rune) []byte {
	out, n := c.step(r)
	switch n {
	case 0:
		return dst
	case 1:
		return utf8.AppendRune(dst, out)
	}
	return append(dst, tab...)
}

// step decides about one rune: n is 0 to drop it, 1 to write out, len(tab) for a tab.
func (c *Cleaner) step(r rune) (out rune, n int) {
	cr := c.cr
	c.cr = false
	if r >= 0x20 && r < 0x7f {
		c.prev, c.marks, c.joined = r, 0, false
		return r, 1
	}
	switch classOf(r) {
	case keep:
		c.prev, c.marks, c.joined = r, 0, false
		return r, 1
	case replace:
		c.prev, c.marks, c.joined = utf8.RuneError, 0, false
		return utf8.RuneError, 1
	case newline:
		c.cr = r == '\r'
		if r == '\n' && cr {
			return 0, 0
		}
		return c.newline()
	case tabulator:
		c.prev, c.marks, c.joined = ' ', 0, false
		if c.oneLine {
			return ' ', 1
		}
		return ' ', len(tab)
	case mark:
		if c.prev == 0 || c.prev == ' ' || c.marks >= maxMarks || c.marks >= maxAccents && isAccent(r) {
			return 0, 0
		}
		c.marks++
		return r, 1
	case emoji:
		if c.joined {
			c.joined = false
			return 0, 0
		}
		c.prev, c.marks = r, 0
		return r, 1
	case joiner:
		if isShaping(c.prev) {
			c.prev = r
			return r, 1
		}
		c.joined = r == zwj && classOf(c.prev) == emoji
		return 0, 0
	}
	return 0, 0
}

// newline ends a line: a combining mark after it has no base.
func (c *Cleaner) newline() (rune, int) {
	c.marks, c.joined = 0, false
	if c.oneLine {
		c.prev = ' '
		return ' ', 1
	}
	c.prev = 0
	return '\n', 1
}
