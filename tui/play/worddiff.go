package play

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// span is a piece of a line of a comparison; marked pieces are missing from the other text.
type span struct {
	text   string
	marked bool
}

// wordDiff shows the comparison of two texts, in rows of w cells: each changed paragraph before and
// after, with a sign in front. Differences are underlined, so that they are visible without colours
// too.
func wordDiff(list []scene.DiffLine, w int, sty *draw.Styles) []string {
	var out []string
	var old, next [][]span
	fresh := func() { old, next = [][]span{nil}, [][]span{nil} }
	add := func(to *[][]span, text string, marked bool) {
		for i, part := range strings.Split(text, "\n") {
			if i > 0 {
				*to = append(*to, nil)
			}
			if part != "" {
				last := len(*to) - 1
				(*to)[last] = append((*to)[last], span{part, marked})
			}
		}
	}
	flush := func() {
		if !changed(old) && !changed(next) && len(old) == len(next) {
			out = append(out, spanRows(old, "  ", w, sty.Dim)...)
		} else {
			if !blank(old) {
				out = append(out, spanRows(old, "− ", w, sty.Failure)...)
			}
			if !blank(next) {
				out = append(out, spanRows(next, "+ ", w, sty.Success)...)
			}
		}
		fresh()
	}
	fresh()
	for _, l := range list {
		switch l.Op {
		case '-':
			add(&old, l.Text, true)
		case '+':
			add(&next, l.Text, true)
		default:
			for i, part := range strings.Split(l.Text, "\n") {
				if i > 0 {
					flush()
				}
				add(&old, part, false)
				add(&next, part, false)
			}
		}
	}
	flush()
	return out
}

func changed(lines [][]span) bool {
	for _, l := range lines {
		for _, s := range l {
			if s.marked {
				return true
			}
		}
	}
	return len(lines) > 1
}

func blank(lines [][]span) bool {
	for _, l := range lines {
		if len(l) > 0 {
			return false
		}
	}
	return true
}

// spanRows lays lines out in rows; the sign is before the first one.
func spanRows(lines [][]span, sign string, w int, st uv.Style) (out []string) {
	avail := max(1, w-2)
	under := st
	under.Underline = uv.UnderlineSingle
	for _, line := range lines {
		row, used := "", 0
		end := func() {
			out = append(out, st.Styled(sign)+row)
			row, used, sign = "", 0, "  "
		}
		for _, s := range line {
			style := st
			if s.marked {
				style = under
			}
			for _, word := range strings.SplitAfter(safetext.Line(s.text), " ") {
				if n := ansi.StringWidth(strings.TrimRight(word, " ")); used > 0 && used+n > avail {
					end()
				}
				for _, part := range draw.Wrap(word, avail) {
					if n := ansi.StringWidth(part); n > avail-used && used > 0 {
						end()
					}
					if part != "" {
						row, used = row+style.Styled(part), used+ansi.StringWidth(part)
					}
				}
			}
		}
		end()
	}
	return out
}
