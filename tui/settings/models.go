package settings

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (r *Part) openModels() tea.Cmd {
	if s := r.host.Work().Servers().Ollama; s.Asked && !s.Up {
		r.openAway()
		return nil
	}
	r.host.Open(r.modelPicker())
	return nil
}

// models returns the entries of the model picker, and the index of the current model.
func (r *Part) models() (entries []widget.Entry, at int) {
	for i, m := range r.host.Work().Servers().Ollama.Models {
		now := ""
		if m.Name == r.host.Play().Chat().Model {
			at, now = i, "now · "
		}
		entries = append(entries, widget.Entry{Title: m.Name,
			Detail: strings.TrimSpace(m.ParameterSize + " " + m.Quantization),
			Right:  now + draw.Size(m.Size), Value: m.Name})
	}
	return entries, at
}

// modelPicker lists the models of the server. The choice applies to all chats.
func (r *Part) modelPicker() *widget.Picker {
	entries, at := r.models()
	p := widget.NewPicker(r.host.Styles(), "Models", entries,
		func(e widget.Entry) tea.Cmd { return r.useModel(e.Value.(string)) },
		widget.Extra{Name: keys.DialogNew, Description: "new: download", Always: true,
			Do: func(widget.Entry) tea.Cmd { return r.openPull() }})
	p.At = at
	p.Renew = func() []widget.Entry {
		entries, _ := r.models()
		p.Empty = "the server has no models yet: " + r.host.Keys().DialogKey(keys.DialogNew, true) + " downloads one"
		if !r.host.Work().Servers().Ollama.Asked {
			p.Empty = "connecting …"
		}
		return entries
	}
	p.Reload()
	return p
}

// useModel sets the model.
func (r *Part) useModel(name string) tea.Cmd {
	eng, chat := r.host.Engine(), r.host.Play().Chat().Chat.ID
	r.screen.SetModel(name)
	return r.host.Do(func() func() tea.Cmd {
		err := eng.Models.SetDefaultModel(name)
		if err == nil && chat != "" {
			err = eng.Chats.SetModel(chat, name)
		}
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			return tea.Batch(r.host.Play().Reload(), r.library.FirstChat(), r.probe())
		}
	})
}

func (r *Part) openPull() tea.Cmd {
	eng := r.host.Engine()
	if r.pulling() {
		r.host.Open(&widget.Confirm{Title: "Download", Text: r.pull.Model + " is being downloaded.",
			Choices: []widget.Choice{
				{Key: "g", Words: "keep downloading", Do: nil},
				{Key: "s", Words: "stop; the part downloaded so far is kept",
					Do: func() tea.Cmd { eng.Models.CancelPull(); return nil }}}})
		return nil
	}
	f := &widget.Form{Title: "Download a model",
		Notes: []string{"A name from Ollama's library, for example llama3.2 or mistral-nemo. It downloads in the " +
			"background; the same command stops it."},
		Fields: []*widget.Field{widget.LineField(r.host.Styles(), "Model", "", "name or name:tag")}, Verb: "download"}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		name := strings.TrimSpace(f.Fields[0].Value())
		if name == "" {
			return nil, pane.ErrNeedsName
		}
		return pane.Try(r.host, func() error { return eng.Models.PullModel(name) }), nil
	}
	r.host.Open(f.Start())
	return nil
}

// pulling reports whether a model is being downloaded.
func (r *Part) pulling() bool { return r.pull.Model != "" && !r.pull.Finished }

func (r *Part) pullProgressed(ev models.PullProgressed) tea.Cmd {
	r.pull = ev
	switch {
	case ev.Err != nil:
		return r.host.Fail(ev.Err)
	case ev.Finished:
		return tea.Batch(r.host.Say(event.Info, ev.Model+" is installed"), r.probe())
	}
	return nil
}

// Doing implements pane.Activity: it reports the download of a model.
func (r *Part) Doing() string {
	if !r.pulling() {
		return ""
	}
	words := "downloading " + r.pull.Model
	if r.pull.Total > 0 {
		words += fmt.Sprintf(" %d%%", r.pull.Done*100/r.pull.Total)
	}
	return words
}

func (r *Part) unloadModels() tea.Cmd {
	return pane.Get(r.host, func() ([]string, error) { return r.host.Engine().Models.UnloadModels(r.host.Context()) },
		func(names []string) tea.Cmd {
			if len(names) == 0 {
				return r.host.Say(event.Info, "no model was loaded")
			}
			return r.host.Say(event.Info, "unloaded "+strings.Join(names, ", "))
		})
}
