package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// remark is a line below the fields of a form.
type remark struct {
	label string // dim, before the words
	text  string
	bad   bool
}

// below returns a function for the lines below a form's fields, the most important remark first.
func below(remarks func() []remark) func(int, *draw.Styles) []string {
	return func(w int, sty *draw.Styles) []string {
		t := draw.Lines{Width: w}
		for _, r := range remarks() {
			lead, st := r.label, sty.Base
			switch {
			case r.bad:
				lead, st = "! ", sty.Warning
			case r.label == "":
				st = sty.Dim
			}
			t.Hang(sty.Dim.Styled(lead), st, r.text)
		}
		return t.Text
	}
}
