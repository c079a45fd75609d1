package house

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// evening is the dialog of the first evening: three questions, each with an answer that
// enter takes. What was answered is stored before the next is asked, so that a program
// that was killed asks on. It never changes by itself: what the servers answer meanwhile
// is told in a line.
type evening struct {
	widget.Base
	room    *Room
	step    house.Evening
	name    *widget.Input
	known   string // the name that enter takes; what is typed takes its place
	cast    []storage.Character
	options []option
	at, top int
	away    bool // the options are those for a server that does not answer
	waiting bool // for the server's answer
	area    uv.Rectangle
}

// option is an answer to choose.
type option struct {
	words, detail string
	do            func() tea.Cmd
}

// beginEvening asks the questions of the first evening that were not answered yet.
func (r *Room) beginEvening() tea.Cmd {
	if r.desk.Play().Chat().Chat.ID != "" {
		return nil
	}
	r.asking = true
	eng := r.desk.Engine()
	return r.desk.Do(func() func() tea.Cmd {
		step := eng.House.EveningStep()
		cast, err := eng.Library.Characters()
		personas, _ := eng.Library.Personas() // without one the name is empty
		return func() tea.Cmd {
			if err != nil || step == house.EveningOver || r.desk.Play().Chat().Chat.ID != "" || !desk.Idle(r.desk) {
				r.asking = false
				return r.serversKnown()
			}
			e := &evening{room: r, cast: cast, name: widget.NewInput(true)}
			e.name.Dress(r.desk.Look())
			name := r.userName
			if name == "" && len(personas) > 0 {
				name = personas[0].Name
			}
			e.name.Set(name)
			e.known = name
			e.name.Focus()
			r.evening = e
			r.desk.Open(e)
			return e.pose(step)
		}
	})
}

// serversKnown goes on as the servers have answered, where they have.
func (r *Room) serversKnown() tea.Cmd {
	if !r.asked {
		return nil
	}
	return r.welcome()
}

// pose asks the question of a step.
func (e *evening) pose(step house.Evening) tea.Cmd {
	e.step, e.at, e.top = step, 0, 0
	switch step {
	case house.EveningModel:
		return e.lookAround()
	case house.EveningStage:
		e.options = nil
		for _, c := range e.cast {
			about := strings.Join(c.Card.Tags, ", ")
			if about == "" {
				about = c.Card.Description
			}
			e.options = append(e.options, option{safetext.Line(c.Card.Name), safetext.Line(about), func() tea.Cmd { return e.leave(e.room.library.Begin(c.ID)) }})
		}
		e.options = append(e.options, option{"Import a character card", "from a file", func() tea.Cmd { return e.leave(e.room.library.ImportCard()) }},
			option{"Import from SillyTavern", "folder or backup", func() tea.Cmd { return e.leave(e.room.library.AskMoveIn()) }},
			option{"Create a character", "write your own", func() tea.Cmd { return e.leave(e.room.library.NewCharacter()) }})
	}
	return nil
}

// lookAround offers what can play, as the server is now. The only model there is is chosen
// without asking, one that a flag or the settings name is not asked about, and a rehearsal has its
// own.
func (e *evening) lookAround() tea.Cmd {
	r := e.room
	if r.screen.Rehearsing() {
		return e.keep(house.EveningStage, nil, nil)
	}
	s := r.desk.Work().Servers().Ollama
	e.options, e.at, e.top, e.away, e.waiting = nil, 0, 0, s.Asked && !s.Up, !s.Asked
	rehearse := option{"Rehearse", "scripted demo, nothing to install", func() tea.Cmd { return e.keep(house.EveningStage, nil, r.screen.Rehearse) }}
	switch {
	case !s.Asked:
		return nil
	case e.away:
		e.options = append(e.options, rehearse)
		if r.desk.Engine().House.OllamaInstalled() {
			e.options = append(e.options, option{"Start Ollama", "it is installed", func() tea.Cmd { return e.ask(true) }})
		}
		e.options = append(e.options, option{"Reconnect", "after you have started it", func() tea.Cmd { return e.ask(false) }})
		return nil
	}
	if s.HasModel() {
		return e.keep(house.EveningStage, nil, nil)
	}
	for _, m := range s.Models {
		detail := strings.TrimSpace(m.ParameterSize + "  " + look.Size(m.Size))
		e.options = append(e.options, option{m.Name, detail, func() tea.Cmd { return e.use(m.Name) }})
	}
	if len(s.Models) == 0 {
		e.options = append(e.options, option{"Download a model", "then come back here", func() tea.Cmd { return e.leave(r.openPull()) }})
	}
	e.options = append(e.options, rehearse)
	if len(s.Models) == 1 {
		return e.use(s.Models[0].Name)
	}
	return nil
}

// use has a model play from now on.
func (e *evening) use(model string) tea.Cmd {
	r := e.room
	r.screen.SetModel(model)
	return e.keep(house.EveningStage, func() error { return r.desk.Engine().House.SetDefaultModel(model) }, nil)
}

// ask asks the server again, or starts it first.
func (e *evening) ask(start bool) tea.Cmd {
	e.waiting, e.options = true, nil
	r := e.room
	return r.desk.Do(func() func() tea.Cmd {
		var err error
		if start {
			err = r.desk.Engine().House.StartOllama(r.desk.Context())
		}
		s := r.desk.Engine().House.Probe(r.desk.Context())
		return func() tea.Cmd {
			r.screen.SetServers(s)
			cmd := e.answered(true)
			if err != nil {
				return tea.Batch(cmd, r.desk.Fail(err))
			}
			return cmd
		}
	})
}

// answered takes how the server has answered, where that was waited for.
func (e *evening) answered(asked bool) tea.Cmd {
	if e.step != house.EveningModel || !e.waiting && !asked {
		return nil
	}
	cmd := e.lookAround()
	e.room.desk.Dialogs().Unasked()
	return cmd
}

// keep stores an answer, then asks the next question or does what follows.
func (e *evening) keep(next house.Evening, store func() error, then func() tea.Cmd) tea.Cmd {
	r := e.room
	eng := r.desk.Engine()
	return r.desk.Do(func() func() tea.Cmd {
		var err error
		if store != nil {
			err = store()
		}
		if err == nil {
			err = eng.House.SetEveningStep(next)
		}
		return func() tea.Cmd {
			if err != nil {
				return r.desk.Fail(err)
			}
			if then != nil {
				return then()
			}
			return e.pose(next)
		}
	})
}

// leave ends the questions and does what was chosen. They are over for good once a chat
// has begun.
func (e *evening) leave(then tea.Cmd) tea.Cmd {
	r := e.room
	r.evening, r.asking = nil, false
	r.desk.Dialogs().Close(e)
	return then
}

// skip takes the defaults for what was not answered.
func (e *evening) skip() tea.Cmd {
	r := e.room
	eng, name, named := r.desk.Engine(), strings.TrimSpace(e.known), e.step == house.EveningName
	model := ""
	if s := r.desk.Work().Servers().Ollama; s.Model == "" && len(s.Models) > 0 {
		model = s.Models[0].Name
		r.screen.SetModel(model)
	}
	return e.leave(r.desk.Do(func() func() tea.Cmd {
		var err error
		if named && name != "" {
			err = eng.Library.NameUser(name)
		}
		if err == nil && model != "" {
			err = eng.House.SetDefaultModel(model)
		}
		if err == nil {
			err = eng.House.SetEveningStep(house.EveningOver)
		}
		return func() tea.Cmd {
			if err != nil {
				return r.desk.Fail(err)
			}
			return r.desk.Play().Reload()
		}
	}))
}

// Handle implements widget.Dialog.
func (e *evening) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.PasteMsg:
		if e.step == house.EveningName {
			return e.name.Update(m), false
		}
	case tea.MouseClickMsg:
		if i := e.top + m.Y - e.area.Min.Y; e.step != house.EveningName && m.Y >= e.area.Min.Y && m.Y < e.area.Max.Y && i < len(e.options) {
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
func (e *evening) Typing() bool { return e.step == house.EveningName }

// Actions implements widget.Dialog.
func (e *evening) Actions() []keys.Action {
	choosing := func() bool { return !e.Typing() }
	move := func(n int) { e.at = max(0, min(e.at+n, len(e.options)-1)) }
	list := []keys.Action{
		{Name: keys.DialogEnter, Hint: "next", Here: e.Typing, Do: e.named},
		{Name: keys.DialogEnter, Hint: "next", Here: func() bool { return e.at < len(e.options) }, Do: func() tea.Cmd { return e.options[e.at].do() }}}
	list = append(list, keys.At(choosing, append(widget.Choosing(move, func() int { return max(1, e.area.Dy()) }),
		keys.Action{Name: keys.DialogNext, Words: "down", Do: keys.Does(func() { move(1) })})...)...)
	return append(list, keys.Action{Name: keys.DialogClose, Hint: "skip setup", Do: e.skip})
}

// named keeps the name that was typed, or the one that is offered.
func (e *evening) named() tea.Cmd {
	name := cmp.Or(strings.TrimSpace(e.name.Value()), strings.TrimSpace(e.known))
	return e.keep(house.EveningModel, func() error { return e.room.desk.Engine().Library.NameUser(name) }, nil)
}

// words are what a step asks, and what there is to say of it.
func (e *evening) words() (title, text string) {
	s := e.room.desk.Work().Servers().Ollama
	switch {
	case e.step == house.EveningName:
		return "Welcome", "Your name"
	case e.step == house.EveningStage:
		return "Welcome", "Choose a character"
	case e.waiting:
		return "Welcome", "Connecting to Ollama …"
	case e.away && s.Up:
		return "Welcome", "Ollama is online: choose “Reconnect” to see its models."
	case e.away:
		return "Welcome", "Ollama is not running. Start it with “ollama serve”, or try the demo (Rehearse)."
	}
	return "Welcome", "Choose a model"
}

// Draw implements widget.Dialog.
func (e *evening) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	title, text := e.words()
	w := min(72, screen.Dx())
	lines := look.Wrap(text, w-4)
	rows := max(1, len(e.options))
	if e.step == house.EveningName {
		rows = 1
	}
	area := look.Centred(screen, w, len(lines)+rows+4)
	in := look.Frame(buf, area, lk, title, e.Hints())
	y := in.Min.Y + look.PutWrapped(buf, in, lk.Base, text)
	if y+rows < in.Max.Y {
		y++
	}
	e.area = uv.Rect(in.Min.X, y, in.Dx(), max(0, in.Max.Y-y))
	if e.step == house.EveningName {
		n := look.Put(buf, in.Min.X, y, 2, lk.Accent, "› ")
		return e.name.Draw(buf, uv.Rect(in.Min.X+n, y, max(0, in.Dx()-n), 1))
	}
	e.top = max(0, min(e.top, e.at), e.at-e.area.Dy()+1)
	for i := 0; i < e.area.Dy() && e.top+i < len(e.options); i++ {
		o, base, dim, mark := e.options[e.top+i], lk.Base, lk.Dim, "  "
		if e.top+i == e.at {
			base, dim, mark = lk.Selected, lk.SelectedDim, "› "
			look.Fill(buf, uv.Rect(in.Min.X, y+i, in.Dx(), 1), base)
		}
		n := look.Put(buf, in.Min.X, y+i, in.Dx(), base, mark+o.words)
		if left := in.Dx() - n - 2; left > 6 {
			look.Put(buf, in.Min.X+n+2, y+i, left, dim, look.Clip(o.detail, left))
		}
	}
	return nil
}
