package boards

import (
	"strings"
)

// about is what a request is about, in words by which what was learnt of the user is
// chosen for it: the beat at hand and what the user asks for, then the scene.
func (a boardAsk) about() string {
	var b strings.Builder
	for _, beat := range a.in.Plan.Beats {
		if beat.ID == a.in.Beat {
			b.WriteString(beat.Text + "\n")
		}
	}
	b.WriteString(a.Wish + "\n" + a.in.Scene + "\n" + a.in.Recap + "\n")
	for _, m := range a.in.Messages {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}
