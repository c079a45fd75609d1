package scenes

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// whose names the subject of the recap: a scene, the story or a message.
func (p *recapPane) whose() string {
	switch {
	case p.running():
		return "the running recap"
	case p.message():
		return "a message"
	}
	return pane.SceneTitle(p.view.Scene)
}

// called returns the name of the visible version for a title.
func (p *recapPane) called() string {
	what := p.whose()
	if !p.running() {
		what = "the recap of " + what
	}
	return fmt.Sprintf("%s, v%d", what, p.shown()+1)
}

// openEditor lets the user edit the visible version.
func (p *recapPane) openEditor() tea.Cmd {
	eng := p.host.Engine()
	v := p.version()
	id := v.ID
	chat := p.host.Play().Chat().Chat.ID
	f := widget.Form{Title: "Edit " + p.called(),
		Fields: []*widget.Field{widget.TextField(p.host.Styles(), "", v.Text, 20)}}
	pane.EditorKey(p.host, &f, f.Fields[0].Input)
	p.host.Open(pane.NewSavingForm(p.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		if !f.Changed() {
			return nil, nil
		}
		text := f.Fields[0].Value()
		return func() (func() tea.Cmd, error) { return p.keep(eng, chat, id, text) }, nil
	}))
	return nil
}

// keep stores an edited text, away from the screen's goroutine.
func (p *recapPane) keep(eng *engine.Engine, chat storage.ChatID, id storage.RecapID,
	text string) (func() tea.Cmd, error) {
	now, err := eng.Scenes.EditRecap(chat, id, text)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		if now == id {
			return tea.Batch(p.Read(),
				p.host.Say(event.Info, "saved; "+p.key(keys.PaneUndo)+" restores the original text"))
		}
		p.wish = false
		return tea.Batch(p.Read(),
			p.host.Say(event.Info, "your text was saved as a separate version, because another one is being generated"))
	}, nil
}

// editOutside opens the visible version in the user's editor.
func (p *recapPane) editOutside() tea.Cmd {
	eng := p.host.Engine()
	v := p.version()
	chat, id, before := p.host.Play().Chat().Chat.ID, v.ID, strings.TrimRight(v.Text, "\n")
	return p.host.EditText(v.Text, func(text string) tea.Cmd {
		if text == before {
			return p.host.Say(event.Info, "no changes")
		}
		return p.host.Do(func() func() tea.Cmd {
			then, err := p.keep(eng, chat, id, text)
			if err != nil {
				return func() tea.Cmd { return p.reopenText(id, text, err) }
			}
			return then
		})
	})
}

// reopenText opens a text that could not be stored in a form, so that it is not
// lost.
func (p *recapPane) reopenText(id storage.RecapID, text string, err error) tea.Cmd {
	eng := p.host.Engine()
	chat := p.host.Play().Chat().Chat.ID
	f := widget.Form{Title: "Edit " + p.called(),
		Fields: []*widget.Field{widget.TextField(p.host.Styles(), "", text, 20)}}
	pane.EditorKey(p.host, &f, f.Fields[0].Input)
	k := pane.NewSavingForm(p.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		text := f.Fields[0].Value()
		return func() (func() tea.Cmd, error) { return p.keep(eng, chat, id, text) }, nil
	})
	k.Fields[0].Input.Clean = "" // it is not stored yet
	k.Fault = failure.Text(err)
	p.host.Open(k)
	return nil
}

// restore asks before the generated text replaces the edited one.
func (p *recapPane) restore() tea.Cmd {
	eng := p.host.Engine()
	v := p.version()
	if !v.Edited() {
		return p.host.Say(event.Info, "this version was not edited")
	}
	chat, id := p.host.Play().Chat().Chat.ID, v.ID
	p.host.Open(&widget.Confirm{Title: "Restore the original",
		Text: fmt.Sprintf("Restore the original text of v%d? Your edits to it are lost.", p.shown()+1),
		Choices: []widget.Choice{
			{Key: "n", Words: "keep the edited text", Do: nil},
			{Key: "y", Words: "restore the original", Do: func() tea.Cmd {
				return pane.Tell(p.host, "original text restored",
					func() error { return eng.Scenes.RestoreRecap(chat, id) })
			}}}})
	return nil
}

// recapStyles are the styles of recaps with their labels in the form.
var recapStyles = [][2]string{
	{"", "same as settings"},
	{"bullets", "bullets: one fact each"},
	{"narrative", "narrative: prose"},
	{"dialogue", "dialogue: what was said"},
}

// openStyle asks for the options of the next version.
func (p *recapPane) openStyle() tea.Cmd {
	var words []string
	chosen := recapStyles[0][1]
	v := p.version()
	for _, s := range recapStyles {
		words = append(words, s[1])
		if v != nil && v.Style == s[0] && s[0] != "bullets" {
			chosen = s[1]
		}
	}
	f := &widget.Form{Title: "New version", Verb: "create"}
	f.Fields = []*widget.Field{widget.PickField("Style", chosen, words)}
	if p.message() {
		f.Notes = []string{"How to recap this message."}
	} else {
		f.Notes = []string{"How to recap this scene. The instruction applies to this version only."}
		f.Fields = append(f.Fields, widget.TextField(p.host.Styles(), "Instruction", "", 4))
	}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		r := scenes.RecapRequest{Style: recapStyles[f.Fields[0].Chosen][0]}
		if len(f.Fields) > 1 {
			r.Instruction = strings.TrimSpace(f.Fields[1].Value())
		}
		return p.part.makeRecap(p, r), nil
	}
	p.host.Open(f.Start())
	return nil
}
