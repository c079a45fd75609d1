package tui

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/charmbracelet/x/ansi"

	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/safetext"
)

// mostPainted is how many pictures are shown while they are made; of the others
// it is only said that there are more.
const mostPainted = 2

// painting is what stands below the last message while a picture of this chat is
// being made: how far it has come, and what can be seen of it already.
func (a *app) painting(w, h int) []string {
	var jobs []*job
	for _, j := range a.work.running {
		if j.Capture != "" && j.Op.Type == desk.Paints && j.Chat == a.view.Chat.ID {
			jobs = append(jobs, j)
		}
	}
	slices.SortFunc(jobs, func(x, y *job) int { return cmp.Compare(x.Op.ID, y.Op.ID) })
	var lines []string
	shown := jobs[:min(len(jobs), mostPainted)]
	for _, j := range shown {
		head, st := "Scene Capture", a.lk.Accent
		if a.work.asked[j.Capture] { // it will stand here as the character's own
			if name, voice := a.play.SpokeLast(len(a.play.Items)); name != "" {
				head, st = look.Clip(name, max(1, w/2)), voice
			}
		}
		words := look.Clip(safetext.Line(captureProgress(&j.Job)), max(1, w-ansi.StringWidth(head)-1))
		lines = append(lines, st.Styled(head)+" "+a.lk.Dim.Styled(words))
		if s := a.display.shown[j.Capture]; s != nil && s.img != nil && a.display.mode != "off" {
			lines = append(lines, a.display.cellsOf(s, min(w, 48), max(4, h*2/5/len(shown)), a.lk.Dark)...)
		}
		lines = append(lines, "")
	}
	if n := len(jobs) - len(shown); n > 0 {
		steps, of := 0, 0
		for _, j := range jobs[len(shown):] {
			steps, of = steps+j.Progress.Step, of+j.Progress.Of
		}
		words := fmt.Sprintf("and %d more are being painted", n)
		if n == 1 {
			words = "and one more is being painted"
		}
		if of > 0 {
			words += " " + look.Meter(float64(steps)/float64(of), 8)
		}
		lines = append(lines, a.lk.Dim.Styled(look.Clip(words, w)), "")
	}
	return lines
}
