package scenes

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// bringBack asks which of the facts that the shown version left out comes back into the
// running recap.
func (p *recapPane) bringBack() tea.Cmd {
	v := p.version()
	if len(v.Dropped) == 0 {
		return p.desk.Say(event.Info, "this version has left out nothing")
	}
	var list []widget.Entry
	for i, d := range v.Dropped {
		list = append(list, widget.Entry{Title: look.Within(d.Bullet, 200), Detail: look.Within(d.Why, 60), Value: i})
	}
	eng, chat, id := p.desk.Engine(), p.view.Chat, v.ID
	pick := widget.NewPicker(p.desk.Look(), "Restore a fact", list, func(e widget.Entry) tea.Cmd {
		return bringBack(p.desk, func() (string, error) { return eng.Scenes.BringBack(chat, id, e.Value.(int)) })
	})
	pick.Verb = func(widget.Entry) string { return "restore" }
	p.desk.Open(pick)
	return nil
}

func bringBack(d desk.Desk, do func() (string, error)) tea.Cmd {
	return desk.Get(d, do, func(line string) tea.Cmd {
		return d.Say(event.Info, "“"+look.Within(line, 40)+"” is restored in the running recap and kept")
	})
}
