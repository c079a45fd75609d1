package director

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// pane shows the episode that the open chat plays and what the director
// made of its exchanges, the newest first.
type pane struct {
	desk.List[director.BeatView]
	room *Room
}

func newPane(r *Room) *pane {
	p := &pane{room: r, List: desk.NewList[director.BeatView](r.desk, 2)}
	p.ID = func(b *director.BeatView) string { return string(b.Node) }
	p.Row, p.Detail, p.Above, p.Empty = p.row, p.detail, p.card, p.noBeats
	return p
}

// Title implements desk.Pane.
func (*pane) Title() string { return "Director" }

// Name implements desk.Pane.
func (*pane) Name() string { return paneName }

// Read implements desk.Pane.
func (p *pane) Read() tea.Cmd {
	if chat := p.room.openChat(); p.Chat != chat {
		p.Renew(chat)
		p.Items = nil
	}
	return p.room.read()
}

// take shows what the room has read. Who looks at the newest beat goes on to do so.
func (p *pane) take() {
	d := &p.room.knowledge
	if p.Chat != d.chat {
		return
	}
	newest := p.At == 0
	p.Show(d.view.Beats)
	if p.Fault = d.fault; newest {
		p.Pick(0)
	}
}

// noBeats says why nothing was seen yet.
func (p *pane) noBeats() string {
	v := &p.room.view
	switch {
	case v.Off:
		return "The director is turned off in the settings."
	case v.Working:
		return "The director is checking the last turn."
	case v.State == director.PlayPaused:
		return "The episode is paused; the director is inactive."
	}
	words := "Nothing yet: the director checks each turn once the reply is complete."
	if k := p.room.desk.Keys().Key(keys.PaneRegenerate, keys.Pane); k != "" {
		words += " " + k + " checks the last turn now."
	}
	return words
}

// row is what was made of an exchange: what could be pictured, and what happened.
func (p *pane) row(b *director.BeatView, _ int) desk.Row {
	lk := p.room.desk.Look()
	sign, r := " ", desk.Row{SignStyle: lk.Dim, More: look.Within(b.Said, 200)}
	switch {
	case b.Fault != "":
		sign, r.SignStyle = "!", lk.Warning
	case b.Capture != "":
		sign, r.SignStyle = "✦", lk.Accent
	}
	r.Sign = fmt.Sprintf("%s %*d", sign, len(strconv.Itoa(p.Items[0].Turn)), b.Turn)
	if b.Seen == nil {
		r.Text, r.Faint = "not checked", true
		return r
	}
	r.Right = fmt.Sprintf("%s %d", look.Within(b.Seen.Status, 12), b.Seen.Tension)
	if r.Text = visualWords(b.Seen); r.Text == "" {
		r.Text, r.Faint = "no picture suggested", true
	}
	if words := look.Within(b.Seen.Beat, 200); words != "" {
		r.More = words
	}
	return r
}

// detail says why an exchange was seen so, and what came of it.
func (p *pane) detail(b *director.BeatView, w int) []string {
	t := look.Lines{Width: max(1, w)}
	add := func(text string) {
		if text != "" {
			t.Add(p.room.desk.Look().Dim, text)
		}
	}
	if b.Seen != nil {
		add(look.Within(b.Seen.Why, 200))
	} else if b.Fault != "" {
		add("the check failed: " + look.Within(b.Fault, 200))
	}
	add(look.Join(pictureWords(b), takenWords(b, p.room.hooks, 60)))
	return t.Text
}

// visualWords is what could be pictured, "" for nothing.
func visualWords(e *storage.Evaluation) string {
	if e.VisualType == "" || e.VisualType == "none" {
		return ""
	}
	return strings.TrimSuffix(look.Within(e.VisualType, 20)+": "+look.Within(e.VisualHint, 200), ": ")
}
