package scenes

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// bringBack asks which fact that the visible version left out to restore in the running recap.
func (p *recapPane) bringBack() tea.Cmd {
	v := p.version()
	if len(v.Dropped) == 0 {
		return p.host.Say(event.Info, "this version has left out nothing")
	}
	var list []widget.Entry
	for i, d := range v.Dropped {
		list = append(list, widget.Entry{Title: draw.Truncate(d.Bullet, 200),
			Detail: draw.Truncate(d.Why, 60), Value: i})
	}
	eng, chat, id := p.host.Engine(), p.view.Chat, v.ID
	pick := widget.NewPicker(p.host.Styles(), "Restore a fact", list, func(e widget.Entry) tea.Cmd {
		return bringBack(p.host, func() (string, error) { return eng.Scenes.RestoreDropped(chat, id, e.Value.(int)) })
	})
	pick.Verb = func(widget.Entry) string { return "restore" }
	p.host.Open(pick)
	return nil
}

func bringBack(d pane.Host, do func() (string, error)) tea.Cmd {
	return pane.Get(d, do, func(line string) tea.Cmd {
		return d.Say(event.Info, "“"+draw.Truncate(line, 40)+"” is restored in the running recap and kept")
	})
}
