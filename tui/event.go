package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// eventMsg brings an event of the engine to the screen.
type eventMsg struct{ event event.Event }

// event updates what the screen holds of what has happened.
func (a *app) event(ev event.Event) tea.Cmd {
	cmd := tea.Batch(a.follow(ev), a.tell(ev))
	return tea.Batch(cmd, a.tips.hear(ev))
}

func (a *app) follow(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case house.OperationChanged:
		return a.operationChanged(ev.Operation)
	case house.OperationProgress:
		a.operationProgress(ev)
	case house.ServerChanged:
		a.setServers(ev.Servers)
	case house.SettingsChanged:
		return houseScreen{a}.adopt(ev.Names)
	case house.DataFile:
		a.gone.saw(ev, pane.WayTo(a, keys.CopyTo))
	case event.Notice:
		return a.Say(ev.Level, ev.Text)
	}
	return nil
}

func (a *app) operationChanged(op storage.Operation) tea.Cmd {
	a.work.took(op)
	cmd := tea.Batch(a.Panes().Refresh(), a.Work().Tick())
	if op.Status == storage.Failed {
		return tea.Batch(cmd, a.Say(event.Error, house.OperationWords(op.Type)+" failed: "+op.Error))
	}
	return cmd
}

func (a *app) operationProgress(ev house.OperationProgress) {
	if j := a.work.running[ev.ID]; j != nil {
		j.Progress = ev.Progress
	}
}

// setServers takes over how the servers answered.
func (a *app) setServers(s house.Servers) {
	a.servers = s
	if a.Play().Chat().Model == "" {
		a.parts.play.SetModel(s.Ollama.Model)
	}
	for _, d := range a.dialogs.All {
		if p, ok := d.(*widget.Picker); ok && p.Renew != nil {
			p.Again()
		}
	}
}
