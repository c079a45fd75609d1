package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/settings"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// eventMsg passes an event of the engine to the screen.
type eventMsg struct{ event event.Event }

// event updates the screen after an event.
func (a *app) event(ev event.Event) tea.Cmd {
	cmd := tea.Batch(a.notifyFrame(ev), a.notifyParts(ev))
	return tea.Batch(cmd, a.tips.handle(ev))
}

func (a *app) notifyFrame(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case queue.Changed:
		return a.operationChanged(ev.Operation)
	case queue.Progressed:
		a.operationProgress(ev)
	case models.ServerChanged:
		a.setServers(ev.Servers)
	case settings.Changed:
		return settingsScreen{a}.adopt(ev.Names)
	case backup.File:
		a.gone.update(ev, pane.PathTo(a, keys.CopyTo))
	case event.Notice:
		return a.Say(ev.Level, ev.Text)
	}
	return nil
}

func (a *app) operationChanged(op storage.Operation) tea.Cmd {
	a.work.update(op)
	cmd := tea.Batch(a.Panes().Refresh(), a.Work().Tick())
	if op.Status == storage.Failed {
		return tea.Batch(cmd, a.Say(event.Error, queue.TypeText(op.Type)+" failed: "+op.Error))
	}
	return cmd
}

func (a *app) operationProgress(ev queue.Progressed) {
	if j := a.work.running[ev.ID]; j != nil {
		j.Progress = ev.Progress
	}
}

// setServers stores the state of the servers.
func (a *app) setServers(s models.Servers) {
	a.servers = s
	if a.Play().Chat().Model == "" {
		a.parts.play.SetModel(s.Ollama.Model)
	}
	for _, d := range a.dialogs.All {
		if p, ok := d.(*widget.Picker); ok && p.Renew != nil {
			p.Reload()
		}
	}
}
