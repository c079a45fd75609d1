package tui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/engine"
	"ghostlight/storage"
	"ghostlight/tui/look"
	"ghostlight/tui/painter"
)

// keptForm is a form that stays open until what it says is stored. What could
// not be stored is still in it, with the reason.
type keptForm struct {
	form
	a         *app
	busy      bool
	busyWords string // while it is being stored
	cmd       tea.Cmd
}

// newKeptForm makes a form of f. keep gets its fields on the screen's goroutine
// and returns what stores them elsewhere, which answers with what to do then.
func (a *app) newKeptForm(f form, keep func(f *form) (func() (func() tea.Cmd, error), error)) *keptForm {
	k := &keptForm{form: f, a: a, busyWords: "saving …"}
	k.save = func(f *form) (tea.Cmd, error) {
		store, err := keep(f)
		if err != nil || store == nil {
			return nil, err
		}
		k.busy = true
		k.cmd = a.do(func() func() tea.Cmd {
			then, err := store()
			return func() tea.Cmd {
				k.busy = false
				if err != nil {
					k.fault = engine.Words(err)
					return nil
				}
				a.dialogs.remove(k)
				if then == nil {
					return nil
				}
				return then()
			}
		})
		return nil, errors.New(k.busyWords)
	}
	k.start()
	return k
}

func (k *keptForm) handle(msg tea.Msg) (tea.Cmd, bool) {
	if s := keystroke(msg); k.busy && s != "esc" && s != "ctrl+c" {
		return nil, false // what is being stored must not change meanwhile
	}
	cmd, done := k.form.handle(msg)
	if k.cmd != nil {
		cmd, k.cmd = k.cmd, nil
	}
	return cmd, done
}

// draw shows a fault that is longer than its line above the fields, where there
// is room for it.
func (k *keptForm) draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	notes, fault := k.notes, k.fault
	w := min(100, screen.Dx()) - 4
	if whole := look.Wrap("! "+fault, w); ansi.StringWidth(fault) > w {
		need := 3 + len(whole) + len(notes)
		for _, fd := range k.fields {
			need += fd.wish(w) + fd.head()
		}
		if need <= screen.Dy() {
			k.notes, k.fault = append(whole, notes...), ""
		}
	}
	cur := k.form.draw(buf, screen, lk)
	k.notes, k.fault = notes, fault
	return cur
}

// told runs a use case away from the screen's goroutine, and says something when
// it is done.
func (a *app) told(words string, work func() error) tea.Cmd {
	return a.do(func() func() tea.Cmd {
		err := work()
		return func() tea.Cmd {
			if err != nil {
				return a.fail(err)
			}
			return a.say(engine.Info, words)
		}
	})
}

// whose says what is told again: a scene, the story or a message.
func (p *recapPane) whose() string {
	switch {
	case p.running():
		return "the running recap"
	case p.message():
		return "a message"
	}
	return sceneTitle(p.view.Scene)
}

// called is how the version that is shown is called in a title.
func (p *recapPane) called() string {
	what := p.whose()
	if !p.running() {
		what = "the recap of " + what
	}
	return fmt.Sprintf("%s, v%d", what, p.shown()+1)
}

// openEditor lets the user rewrite the version that is shown.
func (p *recapPane) openEditor(a *app) tea.Cmd {
	v := p.version()
	id := v.ID
	chat := a.view.Chat.ID
	f := form{title: "Edit " + p.called(), fields: []*field{textField(a.lk, "", v.Text, 20)}}
	a.editorKey(&f, f.fields[0].in)
	a.dialogs.open(a.newKeptForm(f, func(f *form) (func() (func() tea.Cmd, error), error) {
		if !f.changed() {
			return nil, nil
		}
		text := f.fields[0].value()
		return func() (func() tea.Cmd, error) { return p.keep(a, chat, id, text) }, nil
	}))
	return nil
}

// keep stores an edited text, away from the screen's goroutine.
func (p *recapPane) keep(a *app, chat storage.ChatID, id storage.RecapID, text string) (func() tea.Cmd, error) {
	now, err := a.eng.EditRecap(chat, id, text)
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		if now == id {
			return tea.Batch(p.read(a), a.say(engine.Info, "saved; u brings the original text back"))
		}
		p.wish = false
		return tea.Batch(p.read(a), a.say(engine.Info, "your text is kept as a version of its own, because another one is being made"))
	}, nil
}

// editOutside opens the version that is shown in the user's own editor.
func (p *recapPane) editOutside(a *app) tea.Cmd {
	v := p.version()
	chat, id, before := a.view.Chat.ID, v.ID, strings.TrimRight(v.Text, "\n")
	return a.external(v.Text, func(a *app, text string) tea.Cmd {
		if text == before {
			return a.say(engine.Info, "nothing was changed")
		}
		return a.do(func() func() tea.Cmd {
			then, err := p.keep(a, chat, id, text)
			if err != nil {
				return func() tea.Cmd { return p.rescue(a, id, text, err) }
			}
			return then
		})
	})
}

// rescue opens a text that could not be stored in a form, so that it is not
// lost.
func (p *recapPane) rescue(a *app, id storage.RecapID, text string, err error) tea.Cmd {
	chat := a.view.Chat.ID
	f := form{title: "Edit " + p.called(), fields: []*field{textField(a.lk, "", text, 20)}}
	a.editorKey(&f, f.fields[0].in)
	k := a.newKeptForm(f, func(f *form) (func() (func() tea.Cmd, error), error) {
		text := f.fields[0].value()
		return func() (func() tea.Cmd, error) { return p.keep(a, chat, id, text) }, nil
	})
	k.fields[0].in.clean = "" // it is not kept yet
	k.fault = engine.Words(err)
	a.dialogs.open(k)
	return nil
}

// restore asks before the text that was made takes the place of the edited one.
func (p *recapPane) restore(a *app) tea.Cmd {
	v := p.version()
	if !v.Edited() {
		return a.say(engine.Info, "this version was not edited")
	}
	chat, id := a.view.Chat.ID, v.ID
	a.dialogs.open(&confirm{title: "Restore the original", text: fmt.Sprintf("Bring back the text of v%d as it was made? What you changed in it is lost.", p.shown()+1), choices: []choice{
		{"n", "keep the edited text", nil},
		{"y", "bring the original back", func() tea.Cmd {
			return a.told("the original text is back", func() error { return a.eng.RestoreRecap(chat, id) })
		}}}})
	return nil
}

// recapStyles are the ways to tell a scene again, with what the form calls them.
var recapStyles = [][2]string{
	{"", "as the settings say"},
	{"bullets", "bullets: a fact each"},
	{"narrative", "narrative: told in sentences"},
	{"dialogue", "dialogue: what was said"},
}

// openStyle asks how the next version is to be made.
func (p *recapPane) openStyle(a *app) tea.Cmd {
	if p.running() {
		return a.say(engine.Info, "the running recap is made of the scenes' recaps and has no style of its own")
	}
	var words []string
	chosen := recapStyles[0][1]
	v := p.version()
	for _, s := range recapStyles {
		words = append(words, s[1])
		if v != nil && v.Style == s[0] && s[0] != "bullets" {
			chosen = s[1]
		}
	}
	f := &form{title: "Another version", foot: "←→ choose · tab next · ^S make it · esc close", unsaved: "esc again drops your wish, ^S makes the version"}
	f.fields = []*field{pickField("Style", chosen, words)}
	if p.message() {
		f.notes = []string{"How this message is to be told again."}
	} else {
		f.notes = []string{"How this scene is to be told again. A wish is told to the model for this version only."}
		f.fields = append(f.fields, textField(a.lk, "Wish", "", 4))
	}
	f.save = func(f *form) (tea.Cmd, error) {
		r := engine.RecapRequest{Style: recapStyles[f.fields[0].chosen][0]}
		if len(f.fields) > 1 {
			r.Instruction = strings.TrimSpace(f.fields[1].value())
		}
		return a.makeRecap(p, r), nil
	}
	a.dialogs.open(f.start())
	return nil
}
