package tui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/engine/storyboard"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
)

// mostSaid is how much of what was said before the steering line's dialog shows.
const mostSaid = 3

// openSteer asks for a line that steers the storyboard. It shows what was said
// before, so that a question can be answered.
func (p *boardPane) openSteer() {
	f := form{title: "Steer the storyboard", foot: "enter send · esc close", unsaved: "esc again throws it away, enter sends it",
		fields: []*field{lineField(p.a.lk, "Say", "", "such as: make this more uncomfortable")}}
	for _, t := range p.view.Talk[max(0, len(p.view.Talk)-mostSaid):] {
		f.notes = append(f.notes, "you: "+look.Within(t.Line, 400), talkWords(&t))
	}
	eng := p.a.eng
	k := p.a.newKeptForm(f, func(f *form) (func() (func() tea.Cmd, error), error) {
		line := strings.TrimSpace(f.fields[0].value())
		switch {
		case line == "":
			return nil, errors.New("say what you want to be different")
		case p.none:
			return nil, errors.New("no scene has ended in this chat yet")
		case p.node == "":
			return nil, errors.New("the storyboard is still being read; try again")
		}
		chat, node := p.chat, p.node
		return func() (func() tea.Cmd, error) {
			if _, err := eng.SteerBoard(chat, node, line); err != nil {
				return nil, err
			}
			return func() tea.Cmd { return tea.Batch(p.a.startTicking(), p.read(p.a)) }, nil
		}, nil
	})
	k.busyWords = "sending …"
	p.a.dialogs.open(k)
}

// openStep asks which step of the planning is to be done, and what is wished for
// it.
func (p *boardPane) openStep() {
	var tools, words []string
	for _, t := range storyboard.Tools() {
		if t.Planning {
			tools, words = append(tools, t.Name), append(words, toolWords(t.Name))
		}
	}
	if len(tools) == 0 {
		return
	}
	beats := []string{"all that have none yet"}
	for i := range p.view.Beats {
		beats = append(beats, p.beatWords(p.view.Beats[i].ID, 60))
	}
	known := p.view.Beats
	f := &form{title: "Plan a step", foot: "←→ choose · tab next · ^S ask the model · esc close", unsaved: "esc again drops your wish, ^S asks the model",
		notes:  []string{"The model is asked for this step, also where it was done before. A wish is told to it for this step only; a proposal needs one."},
		fields: []*field{pickField("Step", p.stepWords(), words), pickField("For beat", beats[0], beats), textField(p.a.lk, "Wish", "", 3)}}
	f.save = func(f *form) (tea.Cmd, error) {
		r := engine.PlanRequest{Tool: tools[f.fields[0].chosen], Wish: strings.TrimSpace(f.fields[2].value())}
		if i := f.fields[1].chosen - 1; i >= 0 && r.Tool == storyboard.GeneratePackage {
			r.Beat = known[i].ID
		}
		if r.Tool == storyboard.ProposeEdit && r.Wish == "" {
			f.focus(2)
			return nil, errors.New("say what the proposal should change")
		}
		return p.plan(r), nil
	}
	p.a.dialogs.open(f.start())
}

// stepWords is the step that the chosen row belongs to, as a form calls it.
func (p *boardPane) stepWords() string {
	tool := storyboard.RecommendBeats
	if it, ok := p.item(); ok {
		switch it.head {
		case headFiller:
			tool = storyboard.RecommendFiller
		case headBudget:
			tool = storyboard.BudgetPackages
		case headShots, headProposal, headTalk:
			tool = storyboard.ProposeEdit
		}
	}
	return toolWords(tool)
}

// openSplit asks what the second half of the chosen shot shows.
func (p *boardPane) openSplit(a *app) {
	s := p.shot()
	if s == nil {
		return
	}
	id := s.ID
	f := form{title: "Split shot " + look.Within(string(id), 8), notes: []string{"Two shots of half its time each. The first stays as it is: " + look.Within(s.Description, 300)},
		fields: []*field{textField(a.lk, "What the second one shows", "", 3)}}
	a.editorKey(&f, f.fields[0].in)
	chat, node := p.chat, p.node
	a.dialogs.open(a.newKeptForm(f, func(f *form) (func() (func() tea.Cmd, error), error) {
		text := strings.TrimSpace(f.fields[0].value())
		if text == "" {
			return nil, errors.New("say what is seen in the second shot")
		}
		before := p.view.Shots
		return func() (func() tea.Cmd, error) {
			v, err := a.eng.SplitShot(chat, node, id, text)
			return p.stored(v, before), err
		}, nil
	}))
}

// openProposal shows what is proposed, change by change, and asks.
func (p *boardPane) openProposal(a *app) {
	e := p.view.Proposal
	if e == nil {
		return
	}
	var b strings.Builder
	b.WriteString(look.Within(e.Summary, 600) + "\n")
	for _, c := range e.Calls {
		b.WriteString("\n• " + callWords(c, 300))
	}
	a.dialogs.open(&confirm{title: "A change is proposed", text: b.String(), choices: []choice{
		{"a", "carry it out", func() tea.Cmd { return p.answer(true, a) }},
		{"x", "drop it", func() tea.Cmd { return p.answer(false, a) }},
		{"n", "decide later", nil}}})
}

// The fields of the form about sketches.
const (
	sketchWhich = iota
	sketchSend
	sketchPrompts
	sketchKind
)

var (
	sketchSends   = []string{"wait as drafts", "are painted at once"}
	sketchWriters = []string{"the model, from the shot and the scene", "the program, from the shot's fields alone"}
	sketchKinds   = []string{"pictures", "videos"}
)

// openSketch asks which shots become captures, and how.
func (p *boardPane) openSketch(a *app) tea.Cmd {
	if p.view.Stage != storage.BoardReady {
		return a.say(engine.Info, "the shots are to be confirmed first ("+a.keys.Key(keys.PaneConstant, keys.Pane)+"), then they can be sketched")
	}
	which := []string{"all that have no sketch yet", "all, also those that have one"}
	var marked []storage.ShotID
	if len(p.marked) > 0 {
		marked = p.shots()
		which = append([]string{"the marked: " + look.Plural(len(marked), "shot")}, which...)
	}
	f := form{title: "Sketch the shots", foot: "←→ choose · tab next · ^S sketch · esc close",
		notes:  []string{"Each shot becomes a capture, with the camera as the shot has it. They are one batch in the gallery."},
		fields: []*field{pickField("Which", which[0], which), pickField("They then", sketchSends[1], sketchSends), pickField("Prompt by", sketchWriters[0], sketchWriters), pickField("As", sketchKinds[0], sketchKinds)}}
	chat, node := p.chat, p.node
	k := a.newKeptForm(f, func(f *form) (func() (func() tea.Cmd, error), error) {
		r := engine.SketchRequest{Send: f.fields[sketchSend].chosen == 1, Plain: f.fields[sketchPrompts].chosen == 1, Kind: imageKind}
		if f.fields[sketchKind].chosen == 1 {
			r.Kind = videoKind
		}
		at := f.fields[sketchWhich].chosen
		r.Again = at == len(which)-1
		if marked != nil && at == 0 {
			r.Shots, r.Again = marked, true
		}
		return func() (func() tea.Cmd, error) {
			v, err := a.eng.SketchBoard(chat, node, r)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				clear(p.marked)
				a.batchChanged(v)
				return tea.Batch(a.startTicking(), p.read(a), a.say(engine.Info, counted(v.Total, "sketch is", "sketches are")+" being made"))
			}, nil
		}, nil
	})
	k.busyWords = "making them …"
	a.dialogs.open(k)
	return nil
}
