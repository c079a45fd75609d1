package boards

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// maxDirections is the maximum number of earlier lines in the steering dialog.
const maxDirections = 3

// openSteer asks for a steering line. It shows the earlier lines, so that a question can be
// answered.
func (p *boardPane) openSteer() tea.Cmd {
	f := widget.Form{Title: "Instruct the storyboard", Verb: "send",
		Fields: []*widget.Field{widget.LineField(p.Host.Styles(), "Say", "",
			"for example: make this more uncomfortable")}}
	for _, t := range p.view.Talk[max(0, len(p.view.Talk)-maxDirections):] {
		f.Notes = append(f.Notes, "you: "+draw.Truncate(t.Line, 400), talkText(&t))
	}
	eng := p.Host.Engine()
	k := pane.NewSavingForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		line := strings.TrimSpace(f.Fields[0].Value())
		switch {
		case line == "":
			return nil, errors.New("enter what should change")
		case p.noScene:
			return nil, errors.New("no scene has ended in this chat yet")
		case p.node == "":
			return nil, errors.New("the storyboard is still loading; try again")
		}
		chat, node := p.Chat, p.node
		return func() (func() tea.Cmd, error) {
			if _, err := eng.Boards.Steer(chat, node, line); err != nil {
				return nil, err
			}
			return func() tea.Cmd { return tea.Batch(p.Host.Work().Tick(), p.Read()) }, nil
		}, nil
	})
	k.BusyWords = "sending …"
	p.Host.Open(k)
	return nil
}

// openStep asks for a planning step and an instruction.
func (p *boardPane) openStep() tea.Cmd {
	var tools, words []string
	for _, t := range storyboard.Tools() {
		if t.Planning {
			tools, words = append(tools, t.Name), append(words, pane.ToolWords(t.Name))
		}
	}
	beats := []string{"all without shots"}
	for i := range p.view.Beats {
		beats = append(beats, p.beatText(p.view.Beats[i].ID, 60))
	}
	known := p.view.Beats
	f := &widget.Form{Title: "Plan a step", Verb: "ask the model",
		Notes: []string{"The model runs this step, even if it was done before. The instruction applies to this step " +
			"only; a proposal needs one."},
		Fields: []*widget.Field{widget.PickField("Step", p.stepText(), words),
			widget.PickField("For beat", beats[0], beats), widget.TextField(p.Host.Styles(), "Instruction", "", 3)}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		r := boards.PlanRequest{Tool: tools[f.Fields[0].Chosen], Instruction: strings.TrimSpace(f.Fields[2].Value())}
		if i := f.Fields[1].Chosen - 1; i >= 0 && r.Tool == storyboard.GeneratePackage {
			r.Beat = known[i].ID
		}
		if r.Tool == storyboard.ProposeEdit && r.Instruction == "" {
			f.Focus(2)
			return nil, errors.New("enter what the proposal should change")
		}
		return p.plan(r), nil
	}
	p.Host.Open(f.Start())
	return nil
}

// stepText returns the planning step of the selected row, as a form names it.
func (p *boardPane) stepText() string {
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
	return pane.ToolWords(tool)
}

// openSplit asks for the description of the second half of the selected shot.
func (p *boardPane) openSplit() tea.Cmd {
	s := p.shot()
	id := s.ID
	f := widget.Form{Title: "Split shot " + draw.Truncate(string(id), 8),
		Notes: []string{"Each shot gets half the time. The first stays as it is: " +
			draw.Truncate(s.Description, 300)},
		Fields: []*widget.Field{widget.TextField(p.Host.Styles(), "What the second shot shows", "", 3)}}
	pane.EditorKey(p.Host, &f, f.Fields[0].Input)
	chat, node := p.Chat, p.node
	p.Host.Open(pane.NewSavingForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		text := strings.TrimSpace(f.Fields[0].Value())
		if text == "" {
			return nil, errors.New("enter what the second shot shows")
		}
		before := p.view.Shots
		return func() (func() tea.Cmd, error) {
			v, err := p.Host.Engine().Boards.SplitShot(chat, node, id, text)
			return p.stored(v, before), err
		}, nil
	}))
	return nil
}

// openProposal shows a proposal, change by change, and asks.
func (p *boardPane) openProposal() tea.Cmd {
	e := p.view.Proposal
	var b strings.Builder
	b.WriteString(draw.Truncate(e.Summary, 600) + "\n")
	for _, c := range e.Calls {
		b.WriteString("\n• " + callText(c, 300))
	}
	p.Host.Open(&widget.Confirm{Title: "Proposed change", Text: b.String(), Choices: []widget.Choice{
		{Key: "a", Words: "apply", Do: func() tea.Cmd { return p.answer(true) }},
		{Key: "x", Words: "reject", Do: func() tea.Cmd { return p.answer(false) }},
		{Key: "n", Words: "later", Do: nil}}})
	return nil
}

// The fields of the sketch form.
const (
	sketchWhich = iota
	sketchSend
	sketchPrompts
	sketchKind
	sketchSeed
)

var (
	sketchSends   = []string{"are saved as drafts", "are sent at once"}
	sketchWriters = []string{"the model, from the shot and the scene", "the program, from the shot's fields alone"}
	sketchKinds   = []string{"pictures", "videos"}
	sketchSeeds   = []string{"random for each", "same for the whole storyboard"}
)

// openSketch asks which shots are captured, and how.
func (p *boardPane) openSketch() tea.Cmd {
	which := []string{"all without a sketch", "all, even those with a sketch"}
	var marked []storage.ShotID
	if len(p.Marked) > 0 {
		marked = p.shots()
		which = append([]string{"selected: " + draw.Plural(len(marked), "shot")}, which...)
	}
	f := widget.Form{Title: "Sketch the shots", Verb: "sketch",
		Notes: []string{"Each shot becomes a capture with the shot's camera, all in one batch in the gallery."},
		Fields: []*widget.Field{widget.PickField("Which", which[0], which),
			widget.PickField("Then they", sketchSends[1], sketchSends), widget.PickField("Prompt by", sketchWriters[0],
				sketchWriters), widget.PickField("As", sketchKinds[0], sketchKinds),
			widget.PickField("Seed", sketchSeeds[0], sketchSeeds)}}
	chat, node := p.Chat, p.node
	k := pane.NewSavingForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		r := boards.SketchRequest{Send: f.Fields[sketchSend].Chosen == 1, Plain: f.Fields[sketchPrompts].Chosen == 1,
			OneSeed: f.Fields[sketchSeed].Chosen == 1, Kind: string(capture.Image)}
		if f.Fields[sketchKind].Chosen == 1 {
			r.Kind = string(capture.Video)
		}
		at := f.Fields[sketchWhich].Chosen
		r.Again = at == len(which)-1
		if marked != nil && at == 0 {
			r.Shots, r.Again = marked, true
		}
		return func() (func() tea.Cmd, error) {
			v, err := p.Host.Engine().Boards.Sketch(chat, node, r)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd {
				clear(p.Marked)
				p.batches.BatchChanged(v)
				return tea.Batch(p.Host.Work().Tick(), p.Read(),
					p.Host.Say(event.Info, draw.Counted(v.Total, "sketch is", "sketches are")+" being generated"))
			}, nil
		}, nil
	})
	k.BusyWords = "creating …"
	p.Host.Open(k)
	return nil
}
