package director

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// directorPane shows the episode of the open chat and the director's evaluations, the newest first.
type directorPane struct {
	pane.List[director.TurnView]
	part *Part
}

func newPane(r *Part) *directorPane {
	p := &directorPane{part: r, List: pane.NewList[director.TurnView](r.host, 2)}
	p.ID = func(b *director.TurnView) string { return string(b.Node) }
	p.Row, p.Detail, p.Above, p.Empty = p.row, p.detail, p.card, p.noBeats
	return p
}

// Title implements pane.Pane.
func (*directorPane) Title() string { return "Director" }

// Name implements pane.Pane.
func (*directorPane) Name() string { return paneName }

// Read implements pane.Pane.
func (p *directorPane) Read() tea.Cmd {
	if chat := p.part.openChat(); p.Chat != chat {
		p.Reset(chat)
		p.Items = nil
	}
	return p.part.read()
}

// setView shows what the part has read. If the newest turn was selected, the newest one is selected
// again.
func (p *directorPane) setView() {
	d := &p.part.directorState
	if p.Chat != d.chat {
		return
	}
	newest := p.At == 0
	p.Show(d.view.Turns)
	if p.Fault = d.fault; newest {
		p.Pick(0)
	}
}

// noBeats returns the reason why there are no evaluations yet.
func (p *directorPane) noBeats() string {
	v := &p.part.view
	switch {
	case v.Off:
		return "The director is turned off in the settings."
	case v.Working:
		return "The director is checking the last turn."
	case v.State == director.PlayPaused:
		return "The episode is paused; the director is inactive."
	}
	words := "Nothing yet: the director checks each turn once the reply is complete."
	if k := p.part.host.Keys().Key(keys.PaneRegenerate, keys.Pane); k != "" {
		words += " " + k + " checks the last turn now."
	}
	return words
}

// row returns the row of an exchange: a possible picture, and what happened to it.
func (p *directorPane) row(b *director.TurnView, _ int) pane.Row {
	sty := p.part.host.Styles()
	sign, r := " ", pane.Row{SignStyle: sty.Dim, More: draw.Truncate(b.Excerpt, 200)}
	switch {
	case b.Fault != "":
		sign, r.SignStyle = "!", sty.Warning
	case b.Capture != "":
		sign, r.SignStyle = "✦", sty.Accent
	}
	r.Sign = fmt.Sprintf("%s %*d", sign, len(strconv.Itoa(p.Items[0].Turn)), b.Turn)
	if !b.Evaluated {
		r.Text, r.Faint = "not checked", true
		return r
	}
	r.Right = fmt.Sprintf("%s %d", draw.Truncate(b.Status, 12), b.Tension)
	if r.Text = visualWords(&b.Evaluation); r.Text == "" {
		r.Text, r.Faint = "no picture suggested", true
	}
	if words := draw.Truncate(b.Beat, 200); words != "" {
		r.More = words
	}
	return r
}

// detail returns lines about the reasons for an exchange's evaluation, and what followed.
func (p *directorPane) detail(b *director.TurnView, w int) []string {
	t := draw.Lines{Width: max(1, w)}
	add := func(text string) {
		if text != "" {
			t.Add(p.part.host.Styles().Dim, text)
		}
	}
	if b.Evaluated {
		add(draw.Truncate(b.Why, 200))
	} else if b.Fault != "" {
		add("the check failed: " + draw.Truncate(b.Fault, 200))
	}
	add(draw.Join(pictureWords(b), takenWords(b, p.part.hooks, 60)))
	return t.Text
}

// visualWords returns a suggestion for a picture, "" for none.
func visualWords(e *storage.Evaluation) string {
	if e.VisualType == "" || e.VisualType == "none" {
		return ""
	}
	return strings.TrimSuffix(draw.Truncate(e.VisualType, 20)+": "+draw.Truncate(e.VisualHint, 200), ": ")
}
