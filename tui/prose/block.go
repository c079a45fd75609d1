package prose

import "strings"

// blocks lays out clean text, block by block.
func (l *layouter) blocks(text string) {
	for pos := 0; pos < len(text); {
		line, next := cutLine(text, pos)
		switch {
		case blank(line):
			l.gap = true
			pos = next
		case fenceOpens(line) > 0:
			pos = l.fence(text, next, fenceOpens(line))
		default:
			pos = l.block(text, pos, line, next)
		}
	}
}

// block lays out the block that begins with the given line at pos and returns the position of the
// next one.
func (l *layouter) block(text string, pos int, line string, next int) int {
	switch blockKind(line) {
	case headingBlock:
		l.paragraph(strings.Trim(strings.TrimLeft(strings.TrimLeft(line, " "), "#"), " "), heading, lead{})
		return next
	case ruleBlock:
		l.begin()
		l.dim(strings.Repeat(l.glyph("─", "-"), min(l.width, 32)))
		l.end()
		return next
	case quoteBlock:
		body, depth := unquote(line)
		bar := strings.Repeat(l.glyph("▌ ", "| "), depth)
		l.paragraph(body, quote, lead{bar, bar, 2 * depth})
		return next
	case listBlock:
		l.item(line)
		return next
	}
	if end := l.table(text, pos, line, next); end > pos {
		return end
	}
	end := next
	for end < len(text) {
		line, after := cutLine(text, end)
		if blank(line) || fenceOpens(line) > 0 || blockKind(line) != plainBlock || isTable(text, line, after) {
			break
		}
		end = after
	}
	l.paragraph(strings.TrimSuffix(text[pos:end], "\n"), none, lead{})
	return end
}

// paragraph lays out text with inline styles.
func (l *layouter) paragraph(text string, base kind, ld lead) {
	l.inline(text, base)
	l.flow(text, ld)
}

// item lays out one item of a list, with a hanging indent. An asterisk becomes a dot; other markers
// stay, because in some languages a dash marks dialogue.
func (l *layouter) item(line string) {
	first, n := listMarker(line)
	width := len(first)
	if l.width-width < 4 {
		l.paragraph(line, none, lead{})
		return
	}
	if line[n-2] == '*' {
		first = first[:width-2] + l.glyph("• ", "* ")
	}
	l.paragraph(strings.TrimLeft(line[n:], " "), none, lead{first, strings.Repeat(" ", width), width})
}

// glyph returns the drawing character, or its replacement if such characters are two cells wide.
func (l *layouter) glyph(drawn, standIn string) string {
	if l.narrow {
		return drawn
	}
	return standIn
}

// cutLine returns the line of text at pos, without its newline, and the position of the next one.
func cutLine(text string, pos int) (line string, next int) {
	if n := strings.IndexByte(text[pos:], '\n'); n >= 0 {
		return text[pos : pos+n], pos + n + 1
	}
	return text[pos:], len(text)
}

func blank(line string) bool {
	return indent(line) == len(line)
}

// indent returns the number of spaces at the beginning of line.
func indent(line string) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}

// fenceOpens returns the number of backticks of a line that opens a code fence, 0 for any other
// line. Tildes open none: a row of them is a scene break.
func fenceOpens(line string) int {
	at := indent(line)
	n := at
	for n < len(line) && line[n] == '`' {
		n++
	}
	if n-at < 3 || at > 3 || strings.IndexByte(line[n:], '`') >= 0 {
		return 0
	}
	return n - at
}

// fenceCloses reports whether a line closes a fence of n backticks.
func fenceCloses(line string, n int) bool {
	line = strings.Trim(line, " ")
	return len(line) >= n && strings.Trim(line, "`") == ""
}

// fence lays out the code from pos on, up to the closing fence or the end, and returns the position
// after it.
func (l *layouter) fence(text string, pos, n int) int {
	for pos < len(text) {
		line, next := cutLine(text, pos)
		pos = next
		if fenceCloses(line, n) {
			break
		}
		l.code(strings.TrimRight(line, " "))
	}
	return pos
}

// code lays out one line of code: indented, never joined, broken only at the width.
func (l *layouter) code(text string) {
	l.text, l.at, l.base = text, 0, none
	l.runs = append(l.runs[:0], run{0, len(text), uint32(code)})
	l.setLead(lead{"  ", "  ", 2})
	if text == "" {
		l.begin()
		l.end()
		return
	}
	from, w := 0, 0
	for i := 0; i < len(text); {
		n, cw := l.cluster(text[i:])
		if w+cw > l.avail && i > from {
			l.line(from, i)
			from, w = i, 0
		}
		i += n
		w += cw
	}
	l.line(from, len(text))
}

type blockType uint8

const (
	plainBlock blockType = iota
	headingBlock
	ruleBlock
	quoteBlock
	listBlock
)

// blockKind returns the type of block that a line begins. The line must not be blank or a fence.
func blockKind(line string) blockType {
	at := indent(line)
	rest := line[at:]
	if rest == "" {
		return plainBlock
	}
	switch c := rest[0]; {
	case c == '#' && at < 4:
		n := len(rest) - len(strings.TrimLeft(rest, "#"))
		if n <= 6 && n < len(rest) && rest[n] == ' ' && !blank(rest[n:]) {
			return headingBlock
		}
	case c == '>' && at < 4:
		if _, depth := unquote(line); depth > 0 {
			return quoteBlock
		}
	case c == '*' || c == '-' || c == '_' || c == '+':
		if c != '+' && isRule(rest) {
			return ruleBlock
		}
		if _, n := listMarker(line); n > 0 {
			return listBlock
		}
	case c >= '0' && c <= '9':
		if _, n := listMarker(line); n > 0 {
			return listBlock
		}
	}
	return plainBlock
}

// isRule reports whether a line is three or more of one of * - _ and nothing else but spaces.
func isRule(rest string) bool {
	n := 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case rest[0]:
			n++
		case ' ':
		default:
			return false
		}
	}
	return n >= 3
}

// maxQuotes is the maximum depth of quotes that is shown.
const maxQuotes = 3

// unquote strips the marks of a quoted line and returns their number, at most maxQuotes. It returns
// 0 for a line that is not a quote, such as one that begins with an emoticon: a mark must be
// followed by a space or the end.
func unquote(line string) (body string, depth int) {
	body = strings.TrimLeft(line, " ")
	for strings.HasPrefix(body, ">") {
		rest := strings.TrimLeft(body, ">")
		if rest != "" && rest[0] != ' ' {
			break
		}
		depth += len(body) - len(rest)
		body = strings.TrimLeft(rest, " ")
	}
	return body, min(depth, maxQuotes)
}

// listMarker returns the marker of a list item with its indent and one space, and its length in the
// line; 0 for a line that is not an item.
func listMarker(line string) (marker string, n int) {
	at := indent(line)
	rest := line[at:]
	end := 1
	switch {
	case rest == "":
		return "", 0
	case strings.IndexByte("-+*", rest[0]) >= 0:
		if rest[0] == '*' && strings.HasSuffix(strings.TrimRight(rest, " "), "*") {
			return "", 0 // "* walks over *" is a loosely written action
		}
	default:
		digits := 0
		for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
			digits++
		}
		if digits == 0 || digits > 3 || digits == len(rest) || rest[digits] != '.' && rest[digits] != ')' {
			return "", 0
		}
		end = digits + 1
	}
	if end >= len(rest) || rest[end] != ' ' || blank(rest[end:]) {
		return "", 0
	}
	return spaces[:min(at, 12)] + rest[:end+1], at + end + 1
}
