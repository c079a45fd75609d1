package prose

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// lead is the text before the text of each line: first on the first line, rest on the others. Both
// are width cells wide.
type lead struct {
	first, rest string
	width       int
}

// cursor is the state of wrapping one paragraph. A break is a place where the line may end: the
// text before it ends at text, the next line begins at next, and width is the width of the line up
// to there.
type cursor struct {
	start int // where the line begins
	w     int // its width so far
	can   bool
	text  int
	next  int
	width int
	last  rune // the rune before, for breaks between ideographs; 0 at the start of a line
	wide  bool // it is two cells wide
}

// flow wraps the paragraph whose runs are in l.runs. Newlines in it stay.
func (l *layouter) flow(text string, ld lead) {
	l.text, l.at = text, 0
	l.setLead(ld)
	var c cursor
	fresh := true // at the start of a source line, spaces are an indent
	for ri := 0; ri < len(l.runs); ri++ {
		r := l.runs[ri]
		for i := r.from; i < r.to; {
			if fresh {
				fresh = false
				if n := indent(text[i:r.to]); n > 0 && ld.width == 0 {
					l.setLead(indentLead(n))
					i += n
					c = cursor{start: i}
					continue
				}
			}
			switch text[i] {
			case '\n':
				l.line(c.start, c.trimmed(i))
				l.setLead(lead{ld.rest, ld.rest, ld.width})
				c, fresh = cursor{start: i + 1}, true
				i++
			case ' ':
				if c.last != ' ' {
					c.text = i
				}
				c.w++
				c.can, c.next, c.width, c.last, c.wide = true, i+1, c.w, ' ', false
				i++
			default:
				i += l.put(&c, text[i:r.to], i)
			}
		}
	}
	l.line(c.start, c.trimmed(len(text)))
}

// trimmed returns the end of the text of a line that ends at i.
func (c *cursor) trimmed(i int) int {
	if c.last == ' ' {
		return c.text
	}
	return i
}

// setLead sets the lead of the next lines, if it leaves room for text.
func (l *layouter) setLead(ld lead) {
	if l.width-ld.width < 4 {
		ld = lead{}
	}
	l.lead, l.avail = ld, l.width-ld.width
}

const spaces = "                                "

// indentLead returns the lead of a source line that begins with n spaces.
func indentLead(n int) lead {
	n = min(n, len(spaces)/2)
	return lead{spaces[:n], spaces[:n], n}
}

// put places the grapheme cluster at the beginning of s, which is at offset i, and ends lines as
// needed. It returns the cluster's length in bytes.
func (l *layouter) put(c *cursor, s string, i int) int {
	n, w := l.cluster(s)
	r := rune(s[0])
	if r >= utf8.RuneSelf {
		r, _ = utf8.DecodeRuneInString(s)
	}
	if c.last != 0 && (c.wide || w == 2) && breaksBetween(c.last, c.wide, r, w == 2) {
		c.can, c.text, c.next, c.width = true, i, i, c.w
	}
	for c.w+w > l.avail && i > c.start {
		if !c.can || c.next <= c.start {
			l.line(c.start, c.trimmed(i))
			c.start, c.w, c.can = i, 0, false
			break
		}
		l.line(c.start, c.text)
		c.start, c.w, c.can = c.next, c.w-c.width, false
	}
	c.w += w
	if r == '-' && letter(c.last) || r == '—' {
		if next, _ := utf8.DecodeRuneInString(s[n:]); letter(next) {
			c.can, c.text, c.next, c.width = true, i+n, i+n, c.w
		}
	}
	c.last, c.wide = r, w == 2
	return n
}

// line writes text[from:to] as one line, with the styles of its runs.
func (l *layouter) line(from, to int) {
	l.begin()
	if l.lead.width > 0 {
		if strings.TrimLeft(l.lead.first, " ") == "" {
			l.buf = append(l.buf, l.lead.first...)
		} else {
			l.dim(l.lead.first)
		}
		l.lead.first = l.lead.rest
	}
	l.write(from, to)
	l.end()
}

// write writes text[from:to] with the styles of its runs. Calls go forward through the paragraph.
func (l *layouter) write(from, to int) {
	styled, current := false, ^uint32(0)
	for l.at < len(l.runs) {
		r := l.runs[l.at]
		a, b := max(r.from, from), min(r.to, to)
		if a < b {
			if r.style != current {
				if styled {
					l.buf = append(l.buf, reset...)
				}
				before := len(l.buf)
				l.style(r.style)
				styled, current = len(l.buf) > before, r.style
			}
			l.buf = append(l.buf, l.text[a:b]...)
		}
		if r.to > to {
			break
		}
		l.at++
	}
	if styled {
		l.buf = append(l.buf, reset...)
	}
}

// style writes the sequences of a style.
func (l *layouter) style(s uint32) {
	l.buf = append(l.buf, l.st.Base...)
	for ; s != 0; s >>= 4 {
		l.buf = append(l.buf, l.sgr(kind(s&0xf))...)
	}
}

// cluster measures the grapheme cluster at the beginning of s: its length in bytes and its width in
// cells. The width is the greater one of the two that a terminal may use, so that no line is ever
// too long.
func (l *layouter) cluster(s string) (n, width int) {
	if s[0] < utf8.RuneSelf {
		if len(s) == 1 || s[1] < utf8.RuneSelf {
			return 1, 1
		}
		if r, _ := utf8.DecodeRuneInString(s[1:]); plainWidth(r) > 0 {
			return 1, 1
		}
	} else if l.narrow {
		r, size := utf8.DecodeRuneInString(s)
		if w := plainWidth(r); w > 0 {
			if size == len(s) || s[size] < utf8.RuneSelf {
				return size, w
			}
			if next, _ := utf8.DecodeRuneInString(s[size:]); plainWidth(next) > 0 {
				return size, w
			}
		}
	}
	return l.slowCluster(s)
}

// maxCluster is the maximum length of a cluster, in bytes. Some scripts have no limit, and a long
// cluster would be measured repeatedly.
const maxCluster = 64

func (l *layouter) slowCluster(s string) (n, width int) {
	if len(s) > maxCluster {
		end := maxCluster
		for !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end]
	}
	cl, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if w == 0 || !safetext.HasAgreedWidth(cl) {
		w = max(w, ansi.StringWidthWc(cl))
	}
	if w > 2 && w > l.avail { // a stack of signs in some scripts: give the parts their own lines
		_, size := utf8.DecodeRuneInString(s)
		cl = s[:size]
		w = max(ansi.StringWidth(cl), ansi.StringWidthWc(cl))
	}
	return len(cl), w
}

// plainWidth returns the width of a rune of the common blocks that forms no cluster with another
// such rune, 0 for others.
func plainWidth(r rune) int {
	switch {
	case r < 0x20:
		return 0
	case r < 0x7f:
		return 1
	case r < 0xa0:
		return 0
	case r < 0x300 && r != 0xad && r != 0xa9 && r != 0xae,
		r >= 0x400 && r < 0x483, r >= 0x48a && r < 0x530, r >= 0x370 && r < 0x400,
		r >= 0x2010 && r < 0x2028, r >= 0x2030 && r < 0x203c:
		return 1
	case r >= 0x4e00 && r < 0xa000, r >= 0xac00 && r < 0xd7a4, r >= 0x3041 && r < 0x3097, r >= 0x30a0 && r < 0x3100,
		r >= 0x3001 && r < 0x3003, r >= 0x3008 && r < 0x3012, r >= 0xff01 && r < 0xff61:
		return 2
	}
	return 0
}

// breaksBetween reports whether a line may end between two runes, at least one of them wide. It
// must not end before closing punctuation or after opening punctuation, and next to a narrow rune
// only if that is a letter or a digit.
func breaksBetween(a rune, aWide bool, b rune, bWide bool) bool {
	if aWide && strings.ContainsRune("（［｛「『【《〈", a) || bWide && strings.ContainsRune("、。，．：；？！）］｝」』】》〉ー々", b) {
		return false
	}
	return (aWide || letter(a)) && (bWide || letter(b))
}

func letter(r rune) bool {
	return r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z' || r >= 0xc0 && r < 0x2000
}
