package taste

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// effectItems are the rows that tell whether the profile helps: the curve of edits per
// shot, and the scenes that were not learnt from.
func (p *pane) effectItems(out []item) []item {
	e := &p.view.Effects
	if len(e.Points) > 0 {
		it := item{kind: numbersRow, key: "effect"}
		points := e.Points[max(0, len(e.Points)-max(1, p.w)):] // the newest that there is room for
		curve, told := curveOf(points)
		it.lines = append(it.lines, textLine{text: curve}, textLine{text: told, dim: true})
		it.add(effectWords(e), p.w, 3, true)
		out = append(p.head(out, "Edits per shot, scene by scene"), it)
	}
	if n := len(e.Missed); n > 0 {
		it := item{kind: missedRow, key: "missed", lead: "▸ "}
		it.add(look.Plural(n, "confirmed scene")+" not learned yet: enter learns", p.w, 2, false)
		out = append(p.head(out, "Not learned"), it)
	}
	return out
}

// bars are the heights of the curve.
var bars = []rune("▁▂▃▄▅▆▇█")

// curveOf draws edits per shot, a column for each scene, and below it for which of them
// the profile was told.
func curveOf(points []taste.Point) (curve, told string) {
	most := 0.0
	for _, p := range points {
		most = max(most, p.PerShot())
	}
	var a, b strings.Builder
	for _, p := range points {
		at := 0
		if most > 0 {
			at = int(p.PerShot()/most*float64(len(bars)-1) + 0.5)
		}
		a.WriteRune(bars[at])
		if p.Told {
			b.WriteRune('●')
		} else {
			b.WriteRune('○')
		}
	}
	return a.String(), b.String()
}

// effectWords say what the curve shows.
func effectWords(e *taste.Effects) string {
	var parts []string
	if e.Told > 0 {
		parts = append(parts, fmt.Sprintf("● with the profile %.2f (%s)", e.With, look.Plural(e.Told, "scene")))
	}
	if e.Untold > 0 {
		parts = append(parts, fmt.Sprintf("○ without %.2f (%s)", e.Without, look.Plural(e.Untold, "scene")))
	}
	return strings.Join(parts, look.Separator)
}

// doubted tells whether the user's edits keep going against a card.
func (p *pane) doubted(c *lessons.Card) bool {
	return !c.Own && !c.Muted && !c.Deleted && slices.Contains(p.view.Effects.Doubted, c.ID)
}

// keep says that a doubted card shall stay as it is.
func (p *pane) keep(c lessons.Card) tea.Cmd {
	eng, scope := p.Desk.Engine(), p.scope
	return p.alter("“"+look.Within(c.Preference, 30)+"” is kept", func() error { return eng.Taste.KeepCard(scope, c.ID) })
}

// learnMissed learns from the confirmed scenes that were not learnt from.
func (p *pane) learnMissed() tea.Cmd {
	eng, scope := p.Desk.Engine(), p.scope
	return p.queue("learning from them", func() error {
		_, err := eng.Taste.LearnMissed(scope)
		return err
	})
}
