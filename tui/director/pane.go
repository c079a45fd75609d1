package director

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// pane shows the episode that the open chat plays and what the director
// made of its exchanges, the newest first.
type pane struct {
	widget.List
	room *Room
	area uv.Rectangle   // where it was drawn last
	chat storage.ChatID // whose beat is chosen
	head int            // lines above the beats
	node storage.NodeID // of the chosen beat
}

func newPane(r *Room) *pane { return &pane{room: r} }

// Title implements desk.Pane.
func (*pane) Title() string { return "Director" }

// Name implements desk.Pane.
func (*pane) Name() string { return paneName }

// Read implements desk.Pane.
func (p *pane) Read() tea.Cmd { return p.room.read() }

// Move implements desk.Pane.
func (p *pane) Move(n int) { p.List.Move(n); p.node = "" }

// Click implements desk.Pane.
func (p *pane) Click(_, y int) tea.Cmd {
	p.List.Click(y - p.area.Min.Y + 1 - p.head)
	p.node = ""
	return nil
}

// stay keeps the chosen beat chosen when others have come.
func (p *pane) stay(v *director.View) {
	if p.chat != v.Chat.ID {
		p.chat, p.node, p.At, p.Top = v.Chat.ID, "", 0, 0
	}
	if p.node != "" {
		for i, b := range v.Beats {
			if b.Node == p.node && p.At != 0 { // who looks at the newest goes on to do so
				p.At = i
			}
		}
	}
	p.At = max(0, min(p.At, len(v.Beats)-1))
	if p.node = ""; len(v.Beats) > 0 {
		p.node = v.Beats[p.At].Node
	}
}

// Draw implements desk.Pane.
func (p *pane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	p.area = area
	d, lk, chat := &p.room.knowledge, p.room.desk.Look(), p.room.openChat()
	switch {
	case chat == "":
		look.PutWrapped(buf, area, lk.Dim, "No chat is open.")
		return
	case d.chat != chat || !d.loaded:
		return // it is being read
	case d.fault != nil:
		look.PutWrapped(buf, area, lk.Failure, failure.Words(d.fault))
		return
	}
	v := &d.view
	p.stay(v)
	p.head = p.card(buf, area, v)
	rows := uv.Rect(area.Min.X, area.Min.Y+p.head, area.Dx(), max(0, area.Dy()-p.head))
	if len(v.Beats) == 0 {
		look.PutWrapped(buf, uv.Rect(rows.Min.X+1, rows.Min.Y, rows.Dx()-2, rows.Dy()), lk.Dim, p.noBeats(v))
		return
	}
	step := 2
	switch {
	case rows.Dy() >= 24:
		step = 5
	case rows.Dy() >= 9:
		step = 4
	case rows.Dy() >= 6:
		step = 3
	}
	from, to := p.View(len(v.Beats), step, rows.Dy())
	for i := from; i < to; i++ {
		y := rows.Min.Y + (i-from)*step
		p.beat(buf, uv.Rect(rows.Min.X, y, rows.Dx(), min(step, rows.Max.Y-y)), i, focused)
	}
}

// noBeats says why nothing was seen yet.
func (p *pane) noBeats(v *director.View) string {
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
