package draw

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Hanging returns text after a lead; further lines are indented to the text of the first.
func Hanging(lead, text string, w int, st uv.Style) []string {
	var out []string
	n := ansi.StringWidth(lead)
	if w-n < 12 && n > 2 { // no room for a column
		out, lead, n = append(out, lead), "    ", 4
	}
	for _, l := range Wrap(strings.TrimSpace(text), max(1, w-n)) {
		out = append(out, lead+st.Styled(l))
		lead = strings.Repeat(" ", n)
	}
	return out
}

// Heading returns the style of the heading of a group.
func Heading(sty *Styles) uv.Style {
	return uv.Style{Fg: sty.Palette.Heading, Attrs: uv.AttrBold}
}
