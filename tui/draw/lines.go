package draw

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Lines collects styled lines of Width cells.
type Lines struct {
	Width int
	Text  []string
}

// Blank adds an empty line.
func (t *Lines) Blank() { t.Text = append(t.Text, "") }

// Add adds text, wrapped.
func (t *Lines) Add(st uv.Style, text string) {
	for _, l := range Wrap(text, t.Width) {
		t.Text = append(t.Text, st.Styled(l))
	}
}

// Hang adds text after a lead that carries its own style. Wrapped lines are indented to the text of
// the first one.
func (t *Lines) Hang(lead string, st uv.Style, text string) {
	n := ansi.StringWidth(lead)
	for _, l := range Wrap(text, max(1, t.Width-n)) {
		t.Text = append(t.Text, lead+st.Styled(l))
		lead = strings.Repeat(" ", n)
	}
}

// HangingPlain returns the first rows of a text with a lead, each row plain.
func HangingPlain(lead, text string, w, rows int) []string {
	text = strings.Join(strings.Fields(text), " ")
	lines := Wrap(text, max(1, w-ansi.StringWidth(lead)))
	if len(lines) > rows {
		lines = lines[:rows]
		lines[rows-1] = Continued(lines[rows-1], w-ansi.StringWidth(lead))
	}
	for i := range lines {
		lines[i] = lead + lines[i]
		lead = strings.Repeat(" ", ansi.StringWidth(lead))
	}
	return lines
}

// Cut returns at most n bytes of a text.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + " …"
}
