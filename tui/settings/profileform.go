package settings

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// edit opens the form of a profile, or of a new one. It stays open until the profile was checked,
// against its server too, and stored. A renamed profile replaces the old one.
func (l *profileList) edit(p storage.Profile) tea.Cmd {
	f := &pane.RecordForm[storage.Profile]{
		Title:  "New profile",
		Record: &models.ProfileFields,
		Value:  p,
		Fresh:  p.Name == "",
	}
	if p.Name != "" {
		f.Title = "Profile " + draw.Truncate(p.Name, 40)
	}
	f.Save = func(change func(*storage.Profile)) (func() tea.Cmd, error) {
		n := p
		change(&n)
		notes, err := l.Host.Engine().Models.RewriteProfile(l.Host.Context(), p.Name, n)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd { return l.saved(n, notes) }, nil
	}
	f.Keys = []keys.Action{{Name: keys.DialogBrowse, Hint: "models", Do: func() tea.Cmd { return l.pickModel(f) }}}
	f.Open(l.Host)
	f.BusyWords = "connecting …"
	return nil
}

// saved selects a stored profile, and shows what could not be checked.
func (l *profileList) saved(p storage.Profile, notes []string) tea.Cmd {
	words, level := "saved "+draw.Truncate(p.Name, 40), event.Info
	if len(notes) > 0 {
		words, level = strings.Join(notes, "; "), event.Warning
	}
	l.PendingKey = (&profileRow{profile: p}).key()
	return tea.Batch(l.Read(), l.Host.Say(level, words))
}

// pickModel offers the models of the server for the form's field.
func (l *profileList) pickModel(f *pane.RecordForm[storage.Profile]) tea.Cmd {
	if server := strings.TrimSpace(f.Typed("server")); server != "" && server != l.Host.Work().Servers().Ollama.URL {
		f.Fault = "models on another server cannot be listed here: type the name"
		return nil
	}
	if s := l.Host.Work().Servers().Ollama; !s.Up || len(s.Models) == 0 {
		f.Fault = "the server is offline or has no models: type the name"
		return nil
	}
	entries := []widget.Entry{{Title: "(same as the chat)", Value: ""}}
	at := 0
	for _, m := range l.Host.Work().Servers().Ollama.Models {
		if m.Name == f.Typed("model") {
			at = len(entries)
		}
		entries = append(entries, widget.Entry{Title: m.Name,
			Detail: strings.TrimSpace(m.ParameterSize + " " + m.Quantization),
			Right:  draw.Size(m.Size), Value: m.Name})
	}
	p := widget.NewPicker(l.Host.Styles(), "Model of this profile", entries, func(e widget.Entry) tea.Cmd {
		f.Set("model", safetext.Line(e.Value.(string)))
		return nil
	})
	p.At = at
	l.Host.Open(p)
	return nil
}
