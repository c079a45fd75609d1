package pictures

import (
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// remark is said below the fields of a form of the studio.
type remark struct {
	label string // dim, before the words
	text  string
	bad   bool
}

// below makes the lines below a form's fields of remarks, the most important first.
func below(remarks func() []remark) func(int, *look.Look) []string {
	return func(w int, lk *look.Look) []string {
		t := look.Lines{Width: w}
		for _, r := range remarks() {
			lead, st := r.label, lk.Base
			switch {
			case r.bad:
				lead, st = "! ", lk.Warning
			case r.label == "":
				st = lk.Dim
			}
			t.Hang(lk.Dim.Styled(lead), st, r.text)
		}
		return t.Text
	}
}
