package boards

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// offered are the words of a field of a shot, nothing first.
func offered(name string) []string {
	out := []string{""}
	for _, w := range storyboard.Words(name) {
		out = append(out, w.Label)
	}
	return out
}

// shotKinds are the kinds of shots as a form offers them.
var shotKinds = []string{"key: essential for the beat", "filler: connects shots"}

// The fields of a shot's form.
const (
	shotFieldKind = iota
	shotFieldBeat
	shotFieldSize
	shotFieldAngle
	shotFieldMovement
	shotFieldJob
	shotFieldSubject
	shotFieldDescription
	shotFieldSeconds
	shotFieldDialogue
)

const noBeat = "(none)"

// openShot opens the form of a shot with all its fields. keep gets what they say.
func (p *boardPane) openShot(title string, s storage.Shot, keep func(storage.Shot) []storage.ToolCall) {
	sty := p.Host.Styles()
	beats, beat, known := []string{noBeat}, noBeat, p.view.Beats
	for i := range known {
		beats = append(beats, p.beatWords(known[i].ID, 60))
		if known[i].ID == s.Beat {
			beat = beats[len(beats)-1]
		}
	}
	kind := shotKinds[0]
	if s.Kind == storage.FillerShot {
		kind = shotKinds[1]
	}
	word := func(label, name, value string) *widget.Field {
		f := widget.LineField(sty, label, storyboard.Label(name, value), "choose or type")
		f.Offers = offered(name)
		return f
	}
	seconds := ""
	if s.Seconds > 0 {
		seconds = strconv.FormatFloat(s.Seconds, 'f', -1, 64)
	}
	f := widget.Form{Title: title, Fields: []*widget.Field{
		widget.PickField("Kind", kind, shotKinds),
		widget.PickField("Beat", beat, beats),
		word("Size", storyboard.FieldSize, s.Size),
		word("Angle", storyboard.FieldAngle, s.Angle),
		word("Movement", storyboard.FieldMovement, s.Movement),
		word("Job", storyboard.FieldJob, s.Job),
		widget.LineField(sty, "Subject", s.Subject, "who or what it shows"),
		widget.TextField(sty, "Description", s.Description, 3),
		widget.LineField(sty, "Seconds", seconds, "for example 3.5"),
		widget.TextField(sty, "Dialogue", s.Dialogue, 2),
	}}
	pane.EditorKey(p.Host, &f, f.Fields[shotFieldDescription].Input)
	k := p.newForm(f, func(f *widget.Form) ([]storage.ToolCall, error) {
		n, err := takeShot(f, s, known)
		if err != nil {
			return nil, err
		}
		return keep(n), nil
	})
	k.Focus(shotFieldDescription)
	p.Host.Open(k)
}

// takeShot is a shot with what the fields of its form say, where the beats are
// offered that were known when it was opened.
func takeShot(f *widget.Form, s storage.Shot, known []storage.BoardBeat) (storage.Shot, error) {
	if f.Fields[shotFieldKind].Chosen == 0 {
		s.Kind = storage.KeyShot
	} else {
		s.Kind = storage.FillerShot
	}
	s.Beat = ""
	if i := f.Fields[shotFieldBeat].Chosen - 1; i >= 0 {
		s.Beat = known[i].ID
	}
	text := func(i int, to *string, field string) {
		if in := f.Fields[i].Input; in.Changed() {
			if *to = strings.TrimSpace(in.Value()); field != "" {
				*to = storyboard.Normal(field, *to)
			}
		}
	}
	text(shotFieldSize, &s.Size, storyboard.FieldSize)
	text(shotFieldAngle, &s.Angle, storyboard.FieldAngle)
	text(shotFieldMovement, &s.Movement, storyboard.FieldMovement)
	text(shotFieldJob, &s.Job, storyboard.FieldJob)
	text(shotFieldSubject, &s.Subject, "")
	text(shotFieldDescription, &s.Description, "")
	text(shotFieldDialogue, &s.Dialogue, "")
	if s.Description == "" {
		f.Focus(shotFieldDescription)
		return s, errors.New("enter a description: what the shot shows")
	}
	var err error
	if in := f.Fields[shotFieldSeconds].Input; in.Changed() {
		if s.Seconds, err = parseSeconds(in.Value()); err != nil {
			f.Focus(shotFieldSeconds)
		}
	}
	return s, err
}

// parseSeconds reads a length of time as a user writes it; nothing is none.
func parseSeconds(text string) (float64, error) {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "s"))
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
	if err != nil || !(n >= 0 && n <= 3600) { // not a number is neither
		return 0, errors.New("seconds must be a number such as 3.5, or empty for none")
	}
	return n, nil
}

// newForm makes a form whose save carries out calls of tools in one go. calls gets
// the fields, and returns none where nothing was changed.
func (p *boardPane) newForm(f widget.Form, calls func(f *widget.Form) ([]storage.ToolCall, error)) *pane.KeptForm {
	chat, node := p.Chat, p.node
	return pane.NewKeptForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		if p.changing { // what the fields are compared with is about to change
			return nil, errors.New("another change is being saved; save again")
		}
		list, err := calls(f)
		if err != nil || len(list) == 0 {
			return nil, err
		}
		before := p.view.Shots
		return func() (func() tea.Cmd, error) {
			v, err := p.Host.Engine().Boards.Call(chat, node, list...)
			if err != nil {
				return nil, err
			}
			return p.stored(v, before), nil
		}, nil
	})
}

// stored shows what has been made of the storyboard, with the first shot chosen that
// is new. It is told of the storyboard as it was before: by now an event may have
// had it read again.
func (p *boardPane) stored(v boards.View, before []storage.Shot) func() tea.Cmd {
	return func() tea.Cmd {
		if p.Chat != v.Chat || p.node != v.Node {
			return nil
		}
		was := make(map[storage.ShotID]bool, len(before))
		for i := range before {
			was[before[i].ID] = true
		}
		if i := slices.IndexFunc(v.Shots, func(s storage.Shot) bool { return !was[s.ID] }); i >= 0 {
			p.Wish = shotKey(v.Shots[i].ID)
		}
		p.changes++
		p.take(v)
		return nil
	}
}

// edit opens the form of the chosen row.
func (p *boardPane) edit(it item) tea.Cmd {
	switch it.head {
	case headShots:
		s := p.view.Shots[it.at]
		if words := pane.TooLong(s.Description + s.Dialogue); words != "" {
			return p.Host.Say(event.Warning, words)
		}
		p.openShot("Edit shot "+draw.Within(string(s.ID), 8), s, func(n storage.Shot) []storage.ToolCall {
			with := changedFields(s, n)
			if len(with) == 0 {
				return nil
			}
			with["shot"] = s.ID
			return []storage.ToolCall{toolCall(storyboard.ModifyShot, with)}
		})
	case headBeats:
		p.openBeat("Edit beat "+draw.Within(string(p.view.Beats[it.at].ID), 8), p.view.Beats[it.at], "")
	case headFiller:
		p.openFiller()
	case headBudget:
		p.openBudget(it.at)
	case headProposal:
		return p.openProposal()
	case headTalk:
		return p.openSteer()
	}
	return nil
}

// changedFields are the fields of a shot that another one has otherwise, as
// parameters.
func changedFields(s, n storage.Shot) params {
	out := params{}
	if n.Seconds != s.Seconds {
		out["seconds"] = n.Seconds
	}
	for name, v := range map[string][2]string{"kind": {string(s.Kind), string(n.Kind)}, "beat": {string(s.Beat), string(n.Beat)}, "subject": {s.Subject, n.Subject},
		"description": {s.Description, n.Description}, "dialogue": {s.Dialogue, n.Dialogue}, storyboard.FieldSize: {s.Size, n.Size},
		storyboard.FieldAngle: {s.Angle, n.Angle}, storyboard.FieldMovement: {s.Movement, n.Movement}, storyboard.FieldJob: {s.Job, n.Job}} {
		if v[0] != v[1] {
			out[name] = v[1]
		}
	}
	return out
}

// insert opens the form of a new beat where a beat is chosen, else of a new shot
// after the chosen one.
func (p *boardPane) insert() tea.Cmd {
	it, ok := p.item()
	if ok && it.head == headBeats {
		p.openBeat("New beat", storage.BoardBeat{}, p.view.Beats[it.at].ID)
		return nil
	}
	var after *storage.Shot
	if n := len(p.view.Shots); ok && it.head == headShots {
		after = &p.view.Shots[it.at]
	} else if n > 0 {
		after = &p.view.Shots[n-1]
	}
	fresh, title := storage.Shot{Kind: storage.FillerShot}, "New shot"
	where := params{}
	if after != nil {
		fresh.Beat, where["after"] = after.Beat, after.ID
		title += " after " + draw.Within(string(after.ID), 8)
	} else {
		fresh.Kind = storage.KeyShot
	}
	p.openShot(title, fresh, func(n storage.Shot) []storage.ToolCall {
		with := changedFields(storage.Shot{}, n)
		with["beat"] = n.Beat
		where["shots"] = []params{with}
		return []storage.ToolCall{toolCall(storyboard.InsertShot, where)}
	})
	return nil
}

// openBeat opens the form of a beat; without an id it is a new one, that comes to
// stand after another.
func (p *boardPane) openBeat(title string, b storage.BoardBeat, after storage.BeatID) {
	sty := p.Host.Styles()
	f := widget.Form{Title: title, Fields: []*widget.Field{widget.TextField(sty, "What happens", b.Text, 3), widget.TextField(sty, "Why it matters", b.Why, 3)}}
	k := p.newForm(f, func(f *widget.Form) ([]storage.ToolCall, error) {
		n := b
		n.Text, n.Why = strings.TrimSpace(f.Fields[0].Value()), strings.TrimSpace(f.Fields[1].Value())
		if n.Text == "" {
			f.Focus(0)
			return nil, errors.New("enter what happens")
		}
		beats := slices.Clone(p.view.Beats)
		switch i := slices.IndexFunc(beats, func(o storage.BoardBeat) bool { return o.ID == cmp.Or(b.ID, after) }); {
		case b.ID == "":
			beats = slices.Insert(beats, i+1, n)
		case i < 0:
			return nil, errors.New("this beat no longer exists")
		case beats[i].Text == n.Text && beats[i].Why == n.Why:
			return nil, nil
		default:
			beats[i] = n
		}
		return p.beatCall(beats), nil
	})
	p.Host.Open(k)
}

// fillerAmounts are how much may stand between the key shots.
var fillerAmounts = []string{"none", "light", "medium", "rich"}

// openFiller opens the form of the filler strategy.
func (p *boardPane) openFiller() {
	sty, s := p.Host.Styles(), *p.view.Filler
	jobs := make([]string, len(s.Jobs))
	for i, j := range s.Jobs {
		jobs[i] = storyboard.Label(storyboard.FieldJob, j)
	}
	f := widget.Form{Title: "Filler strategy", Fields: []*widget.Field{
		widget.PickField("Amount", s.Amount, fillerAmounts),
		widget.LineField(sty, "Jobs", strings.Join(jobs, ", "), "purposes, separated by commas"),
		widget.TextField(sty, "Where", s.Where, 2), widget.TextField(sty, "Why", s.Why, 2)}}
	p.Host.Open(p.newForm(f, func(f *widget.Form) ([]storage.ToolCall, error) {
		if !f.Changed() && f.Fields[0].Value() == s.Amount {
			return nil, nil
		}
		jobs := []string{}
		for j := range strings.SplitSeq(f.Fields[1].Value(), ",") {
			if j = strings.TrimSpace(j); j != "" {
				jobs = append(jobs, j)
			}
		}
		return []storage.ToolCall{toolCall(storyboard.RecommendFiller, params{"amount": f.Fields[0].Value(), "jobs": jobs,
			"where": f.Fields[2].Value(), "why": f.Fields[3].Value()})}, nil
	}))
}

// openBudget opens the form of the budget of one beat.
func (p *boardPane) openBudget(at int) {
	sty, b := p.Host.Styles(), p.view.Budget[at]
	f := widget.Form{Title: "Budget of " + p.beatWords(b.Beat, 50), Fields: []*widget.Field{
		widget.LineField(sty, "Key shots", strconv.Itoa(b.Key), ""),
		widget.LineField(sty, "Fillers", strconv.Itoa(b.Filler), ""),
		widget.LineField(sty, "Seconds", strconv.FormatFloat(b.Seconds, 'f', -1, 64), "in total")}}
	p.Host.Open(p.newForm(f, func(f *widget.Form) ([]storage.ToolCall, error) {
		n := b
		for i, to := range []*int{&n.Key, &n.Filler} {
			v, err := strconv.Atoi(strings.TrimSpace(f.Fields[i].Value()))
			if err != nil || v < 0 {
				f.Focus(i)
				return nil, errors.New("the number of shots must be 0 or more")
			}
			*to = v
		}
		var err error
		if n.Seconds, err = parseSeconds(f.Fields[2].Value()); err != nil {
			f.Focus(2)
			return nil, err
		}
		if n == b {
			return nil, nil
		}
		budget := slices.Clone(p.view.Budget)
		i := slices.IndexFunc(budget, func(o storage.Allotment) bool { return o.Beat == b.Beat })
		if i < 0 {
			return nil, errors.New("this beat no longer has a budget")
		}
		budget[i] = n
		return []storage.ToolCall{toolCall(storyboard.BudgetPackages, params{"budget": budget})}, nil
	}))
}
