package look

import (
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// Lines gathers styled lines of Width cells.
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

// Hang adds text behind a lead that carries its own style; further lines stand
// under the first.
func (t *Lines) Hang(lead string, st uv.Style, text string) {
	n := ansi.StringWidth(lead)
	for _, l := range Wrap(text, max(1, t.Width-n)) {
		t.Text = append(t.Text, lead+st.Styled(l))
		lead = strings.Repeat(" ", n)
	}
}
