package settings

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/settings"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// setup is the dialog of the first start: three questions, each with a default answer on enter.
// Each answer is stored before the next question, so a killed program continues there. The dialog
// never changes by itself: the servers' answers meanwhile are shown in a line.
type setup struct {
	widget.Base
	part    *Part
	step    settings.SetupStep
	name    *widget.Input
	known   string // the default name on enter; typed text replaces it
	cast    []storage.Character
	options []option
	at, top int
	away    bool // the options are those for an offline server
	waiting bool // for the server's answer
	area    uv.Rectangle
}

// option is an answer to choose.
type option struct {
	words, detail string
	do            func() tea.Cmd
}

// startSetup asks the unanswered questions of the first start.
func (r *Part) startSetup() tea.Cmd {
	if r.host.Play().Chat().Chat.ID != "" {
		return nil
	}
	r.asking = true
	eng := r.host.Engine()
	return r.host.Do(func() func() tea.Cmd {
		step := eng.Settings.SetupStep()
		cast, err := eng.Library.Characters()
		personas, _ := eng.Library.Personas() // without one the name is empty
		return func() tea.Cmd {
			if err != nil || step == settings.SetupDone || r.host.Play().Chat().Chat.ID != "" || !pane.Idle(r.host) {
				r.asking = false
				return r.serversKnown()
			}
			e := &setup{part: r, cast: cast, name: widget.NewInput(true)}
			e.name.SetStyles(r.host.Styles())
			name := r.userName
			if name == "" && len(personas) > 0 {
				name = personas[0].Name
			}
			e.name.Set(name)
			e.known = name
			e.name.Focus()
			r.setup = e
			r.host.Open(e)
			return e.showQuestion(step)
		}
	})
}

// serversKnown continues according to the servers' answers, if they have answered.
func (r *Part) serversKnown() tea.Cmd {
	if !r.asked {
		return nil
	}
	return r.welcome()
}

// showQuestion shows the question of a step.
func (e *setup) showQuestion(step settings.SetupStep) tea.Cmd {
	e.step, e.at, e.top = step, 0, 0
	switch step {
	case settings.SetupModel:
		return e.probe()
	case settings.SetupCast:
		e.options = nil
		for _, c := range e.cast {
			about := strings.Join(c.Card.Tags, ", ")
			if about == "" {
				about = c.Card.Description
			}
			e.options = append(e.options, option{safetext.Line(c.Card.Name), safetext.Line(about),
				func() tea.Cmd { return e.leave(e.part.library.BeginChat(c.ID)) }})
		}
		e.options = append(e.options, option{"Import a character card", "from a file",
			func() tea.Cmd { return e.leave(e.part.library.ImportCard()) }},
			option{"Import from SillyTavern", "folder or backup",
				func() tea.Cmd { return e.leave(e.part.library.AskMoveIn()) }},
			option{"Create a character", "write your own",
				func() tea.Cmd { return e.leave(e.part.library.NewCharacter()) }})
	}
	return nil
}

// probe offers the models of the server. A single model is chosen without asking. A model from a
// flag or the settings is not asked about, and the demo has its own.
func (e *setup) probe() tea.Cmd {
	r := e.part
	if r.screen.IsDemo() {
		return e.store(settings.SetupCast, nil, nil)
	}
	s := r.host.Work().Servers().Ollama
	e.options, e.at, e.top, e.away, e.waiting = nil, 0, 0, s.Asked && !s.Up, !s.Asked
	demo := option{"Try the demo", "scripted story, nothing to install",
		func() tea.Cmd { return e.store(settings.SetupCast, nil, r.screen.OpenDemo) }}
	switch {
	case !s.Asked:
		return nil
	case e.away:
		e.options = append(e.options, demo)
		if r.host.Engine().Models.OllamaInstalled() {
			e.options = append(e.options,
				option{"Start Ollama", "it is installed", func() tea.Cmd { return e.ask(true) }})
		}
		e.options = append(e.options, option{"Reconnect", "after you have started it",
			func() tea.Cmd { return e.ask(false) }})
		return nil
	}
	if s.HasModel() {
		return e.store(settings.SetupCast, nil, nil)
	}
	for _, m := range s.Models {
		detail := strings.TrimSpace(m.ParameterSize + "  " + draw.Size(m.Size))
		e.options = append(e.options, option{m.Name, detail, func() tea.Cmd { return e.use(m.Name) }})
	}
	if len(s.Models) == 0 {
		e.options = append(e.options, option{"Download a model", "then come back here",
			func() tea.Cmd { return e.leave(r.openPull()) }})
	}
	e.options = append(e.options, demo)
	if len(s.Models) == 1 {
		return e.use(s.Models[0].Name)
	}
	return nil
}

// use sets the model.
func (e *setup) use(model string) tea.Cmd {
	r := e.part
	r.screen.SetModel(model)
	return e.store(settings.SetupCast, func() error { return r.host.Engine().Models.SetDefaultModel(model) }, nil)
}

// ask probes the server again, after starting it if start is set.
func (e *setup) ask(start bool) tea.Cmd {
	e.waiting, e.options = true, nil
	r := e.part
	return r.host.Do(func() func() tea.Cmd {
		var err error
		if start {
			err = r.host.Engine().Models.StartOllama(r.host.Context())
		}
		s := r.host.Engine().Models.Probe(r.host.Context())
		return func() tea.Cmd {
			r.screen.SetServers(s)
			cmd := e.answered(true)
			if err != nil {
				return tea.Batch(cmd, r.host.Fail(err))
			}
			return cmd
		}
	})
}

// answered handles the server's answer, if it was awaited.
func (e *setup) answered(asked bool) tea.Cmd {
	if e.step != settings.SetupModel || !e.waiting && !asked {
		return nil
	}
	cmd := e.probe()
	e.part.host.Dialogs().MarkUnasked()
	return cmd
}

// store stores an answer, then asks the next question or runs then.
func (e *setup) store(next settings.SetupStep, store func() error, then func() tea.Cmd) tea.Cmd {
	r := e.part
	eng := r.host.Engine()
	return r.host.Do(func() func() tea.Cmd {
		var err error
		if store != nil {
			err = store()
		}
		if err == nil {
			err = eng.Settings.SetSetupStep(next)
		}
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			if then != nil {
				return then()
			}
			return e.showQuestion(next)
		}
	})
}

// leave closes the questions and runs then. They end permanently once a chat has begun.
func (e *setup) leave(then tea.Cmd) tea.Cmd {
	r := e.part
	r.setup, r.asking = nil, false
	r.host.Dialogs().Close(e)
	return then
}

// skip uses the defaults for unanswered questions.
func (e *setup) skip() tea.Cmd {
	r := e.part
	eng, name, named := r.host.Engine(), strings.TrimSpace(e.known), e.step == settings.SetupName
	model := ""
	if s := r.host.Work().Servers().Ollama; s.Model == "" && len(s.Models) > 0 {
		model = s.Models[0].Name
		r.screen.SetModel(model)
	}
	return e.leave(r.host.Do(func() func() tea.Cmd {
		var err error
		if named && name != "" {
			err = eng.Library.RenameDefaultPersona(name)
		}
		if err == nil && model != "" {
			err = eng.Models.SetDefaultModel(model)
		}
		if err == nil {
			err = eng.Settings.SetSetupStep(settings.SetupDone)
		}
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			return r.host.Play().Reload()
		}
	}))
}

// Handle implements widget.Dialog.
func (e *setup) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.PasteMsg:
		if e.step == settings.SetupName {
			return e.name.Update(m), false
		}
	case tea.MouseClickMsg:
		if i := e.top + m.Y - e.area.Min.Y; e.step != settings.SetupName && m.Y >= e.area.Min.Y && m.Y < e.area.Max.Y &&
			i < len(e.options) {
			if i == e.at { // a second click takes it
				return e.options[i].do(), false
			}
			e.at = i
		}
	case tea.KeyPressMsg:
		if e.Typing() {
			if m.Text != "" && e.name.Value() == e.known {
				e.name.Set("")
				e.known += " " // only once
			}
			return e.name.Update(m), false
		}
	}
	return nil, false
}

// Typing implements widget.Dialog.
func (e *setup) Typing() bool { return e.step == settings.SetupName }

// Actions implements widget.Dialog.
func (e *setup) Actions() []keys.Action {
	choosing := func() bool { return !e.Typing() }
	move := func(n int) { e.at = max(0, min(e.at+n, len(e.options)-1)) }
	list := []keys.Action{
		{Name: keys.DialogEnter, Hint: "next", Visible: e.Typing, Do: e.characterAnswer},
		{Name: keys.DialogEnter, Hint: "next", Visible: func() bool { return e.at < len(e.options) },
			Do: func() tea.Cmd { return e.options[e.at].do() }}}
	list = append(list, keys.When(choosing, append(widget.Choosing(move, func() int { return max(1, e.area.Dy()) }),
		keys.Action{Name: keys.DialogNext, Text: "down", Do: keys.Does(func() { move(1) })})...)...)
	return append(list, keys.Action{Name: keys.DialogClose, Hint: "skip setup", Do: e.skip})
}

// characterAnswer stores the typed name, or the default one.
func (e *setup) characterAnswer() tea.Cmd {
	name := cmp.Or(strings.TrimSpace(e.name.Value()), strings.TrimSpace(e.known))
	return e.store(settings.SetupModel, func() error { return e.part.host.Engine().Library.RenameDefaultPersona(name) },
		nil)
}

// words returns the question of a step, with its explanation.
func (e *setup) words() (title, text string) {
	s := e.part.host.Work().Servers().Ollama
	switch {
	case e.step == settings.SetupName:
		return "Welcome", "Your name"
	case e.step == settings.SetupCast:
		return "Welcome", "Choose a character"
	case e.waiting:
		return "Welcome", "Connecting to Ollama …"
	case e.away && s.Up:
		return "Welcome", "Ollama is online: choose “Reconnect” to see its models."
	case e.away:
		return "Welcome", "Ollama is not running. Start it with “ollama serve”, or try the demo."
	}
	return "Welcome", "Choose a model"
}

// Draw implements widget.Dialog.
func (e *setup) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	title, text := e.words()
	w := min(72, screen.Dx())
	lines := draw.Wrap(text, w-4)
	rows := max(1, len(e.options))
	if e.step == settings.SetupName {
		rows = 1
	}
	area := draw.Centred(screen, w, len(lines)+rows+4)
	in := draw.Frame(buf, area, sty, title, e.Hints())
	y := in.Min.Y + draw.PutWrapped(buf, in, sty.Base, text)
	if y+rows < in.Max.Y {
		y++
	}
	e.area = uv.Rect(in.Min.X, y, in.Dx(), max(0, in.Max.Y-y))
	if e.step == settings.SetupName {
		n := draw.Put(buf, in.Min.X, y, 2, sty.Accent, "› ")
		return e.name.Draw(buf, uv.Rect(in.Min.X+n, y, max(0, in.Dx()-n), 1))
	}
	e.top = max(0, min(e.top, e.at), e.at-e.area.Dy()+1)
	for i := 0; i < e.area.Dy() && e.top+i < len(e.options); i++ {
		o, base, dim, mark := e.options[e.top+i], sty.Base, sty.Dim, "  "
		if e.top+i == e.at {
			base, dim, mark = sty.Selected, sty.SelectedDim, "› "
			draw.Fill(buf, uv.Rect(in.Min.X, y+i, in.Dx(), 1), base)
		}
		n := draw.Put(buf, in.Min.X, y+i, in.Dx(), base, mark+o.words)
		if left := in.Dx() - n - 2; left > 6 {
			draw.Put(buf, in.Min.X+n+2, y+i, left, dim, draw.Clip(o.detail, left))
		}
	}
	return nil
}
