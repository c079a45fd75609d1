package prose

import (
	"strings"
	"unicode"
)

// maxColumns is the maximum number of columns of a table that is drawn as one.
const maxColumns = 24

// isTable reports whether line, which ends before next, is the head of a table: the line below it is made of dashes.
func isTable(text, line string, next int) bool {
	if strings.IndexByte(line, '|') < 0 || next >= len(text) {
		return false
	}
	below, _ := cutLine(text, next)
	return isDelimiter(below)
}

// isDelimiter reports whether a line is the delimiter below the head of a table, such as |---|:-:|.
func isDelimiter(line string) bool {
	if strings.IndexByte(line, '|') < 0 || strings.IndexByte(line, '-') < 0 {
		return false
	}
	return strings.Trim(line, " |:-") == ""
}

// table lays out the table that begins at pos and returns the position after it, or pos if there is
// none.
func (l *layouter) table(text string, pos int, line string, next int) int {
	if !isTable(text, line, next) {
		return pos
	}
	below, end := cutLine(text, next)
	head, align := cells(line), cells(below)
	rows := [][]string{head}
	lines := []string{line}
	for end < len(text) {
		line, after := cutLine(text, end)
		if strings.IndexByte(line, '|') < 0 || fenceOpens(line) > 0 {
			break
		}
		rows = append(rows, cells(line))
		lines = append(lines, line)
		end = after
	}
	if widths, ok := l.columns(rows); ok {
		for i, row := range rows {
			l.row(row, widths, align, i == 0)
			if i == 0 {
				l.tableRule(widths)
			}
		}
		return end
	}
	for _, line := range lines { // too wide for columns: shown as written
		l.paragraph(strings.Trim(line, " "), none, lead{})
	}
	return end
}

// cells splits a row. A bar after a backslash is text.
func cells(line string) []string {
	line = strings.Trim(line, " ")
	line = strings.TrimPrefix(line, "|")
	if strings.HasSuffix(line, "|") && !strings.HasSuffix(line, `\|`) {
		line = line[:len(line)-1]
	}
	var out []string
	from := 0
	for i := 0; i <= len(line); i++ {
		if i == len(line) || line[i] == '|' && (i == 0 || line[i-1] != '\\') {
			cell := strings.TrimLeftFunc(strings.Trim(line[from:i], " "), unicode.IsMark) // an accent on a bar
			out = append(out, strings.ReplaceAll(cell, `\|`, "|"))
			from = i + 1
		}
	}
	return out
}

// columns returns the width of each column; ok is false when the table does not fit.
func (l *layouter) columns(rows [][]string) (widths []int, ok bool) {
	l.setLead(lead{})
	for _, row := range rows {
		if len(row) > maxColumns {
			return nil, false
		}
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 1)
			}
			l.inline(cell, none)
			widths[i] = max(widths[i], l.measure(cell))
		}
	}
	total := 3 * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	return widths, total <= l.width
}

// measure returns the width of the runs of text.
func (l *layouter) measure(text string) int {
	w := 0
	for _, r := range l.runs {
		for i := r.from; i < r.to; {
			n, cw := l.cluster(text[i:r.to])
			i += n
			w += cw
		}
	}
	return w
}

// row writes one row of a table.
func (l *layouter) row(row []string, widths []int, align []string, head bool) {
	base := none
	if head {
		base = strong
	}
	l.begin()
	for i, w := range widths {
		if i > 0 {
			l.dim(l.glyph(" │ ", " | "))
		}
		cell := ""
		if i < len(row) {
			cell = row[i]
		}
		l.inline(cell, base)
		left, right := 0, w-l.measure(cell)
		if i < len(align) && strings.HasSuffix(align[i], ":") {
			left, right = right, 0
			if strings.HasPrefix(align[i], ":") {
				left, right = left/2, left-left/2
			}
		}
		l.pad(left)
		l.text, l.at = cell, 0
		l.write(0, len(cell))
		if i < len(widths)-1 {
			l.pad(right)
		}
	}
	l.end()
}

// pad writes n spaces.
func (l *layouter) pad(n int) {
	for ; n > 0; n-- {
		l.buf = append(l.buf, ' ')
	}
}

// tableRule writes the line below the head.
func (l *layouter) tableRule(widths []int) {
	var b strings.Builder
	for i, w := range widths {
		if i > 0 {
			b.WriteString(l.glyph("─┼─", "-+-"))
		}
		b.WriteString(strings.Repeat(l.glyph("─", "-"), w))
	}
	l.begin()
	l.dim(b.String())
	l.end()
}
