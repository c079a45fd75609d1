package memory

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Doubt is a question to the user: whether something that is known has ended.
type Doubt struct {
	ID      string         `json:"id"` // of the first fact that says it
	Kind    facts.Kind     `json:"kind"`
	Home    string         `json:"home"`    // in words
	Text    string         `json:"text"`    // the fact, which may have ended
	Instead string         `json:"instead"` // the statement in its place, "" if that is unknown
	Why     string         `json:"why"`     // it is in doubt
	Message storage.NodeID `json:"message"` // the message that states it, "" for none
	Number  int            `json:"number"`  // the message's number in chat show, 0 for none
	Copies  int            `json:"copies"`  // number of places that state it

	items []item
	end   storage.End // of the first
	lines []storage.StatementEnd
}

// Verdict is the user's answer to a doubt.
type Verdict string

// The answers to a doubt: it has ended, it still holds, or it is reworded.
const (
	HasEnded   Verdict = "ended"
	StillHolds Verdict = "holds"
	Reworded   Verdict = "mend"
)

// Doubts returns the questions that wait for the user at the head of a chat, the oldest first.
func (svc *Service) Doubts(chat storage.ChatID) (out []Doubt, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		out, err = svc.doubts(tx, c)
		return err
	})
	if err != nil {
		return nil, failure.Wrap("read what is in doubt", err)
	}
	return out, nil
}

// doubts finds the doubts; statements with the same text are one doubt.
func (svc *Service) doubts(tx *storage.Tx, c storage.Chat) ([]Doubt, error) {
	out := []Doubt{}
	at := func(text string) *Doubt {
		i := slices.IndexFunc(out, func(d Doubt) bool { return scene.SameBullet(d.Text, text) })
		if i < 0 {
			return nil
		}
		out[i].Copies++
		return &out[i]
	}
	ask := func(d Doubt, e storage.End) {
		d.Text, d.Instead, d.Why, d.Copies = oneLine(d.Text), oneLine(e.Instead), oneLine(e.Why), 1
		if p, err := tx.NodeInfo(c.ID, e.Node); err == nil {
			d.Message, d.Number = p.ID, p.Depth+1
		}
		out = append(out, d)
	}
	for _, x := range PathsOf(tx, chats.ScopeOf(c), c.ID, c.Head).doubts() {
		if d := at(x.text()); d != nil {
			d.items = append(d.items, x.item)
			continue
		}
		d := Doubt{ID: x.address().String(), Kind: facts.Memory, Home: "a memory", Text: x.text(),
			items: []item{x.item}, end: x.end}
		if x.hook != nil {
			d.Kind, d.Home = facts.Hook, "a hook"
		}
		ask(d, x.end)
	}
	lines := scenes.DoubtfulLines(tx, c.ID, c.Head)
	if len(lines) == 0 {
		return out, nil
	}
	var found []statement
	err := svc.walk(svc.newFactGatherer(tx, c), nil, nil, func(x statement) { found = append(found, x) })
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		i := slices.IndexFunc(found, func(x statement) bool { return x.says(l.Text) })
		if i < 0 {
			continue // nothing states it any more
		}
		if d := at(l.Text); d != nil {
			d.lines = append(d.lines, l)
			continue
		}
		x := found[i]
		ask(Doubt{ID: x.at.String(), Kind: x.kind, Home: x.home, Text: l.Text, lines: []storage.StatementEnd{l}}, l.End)
	}
	return out, nil
}

// says reports whether x is a recap line or a lorebook fact that prompts contain and that has a
// statement.
func (x *statement) says(statement string) bool {
	if x.at.kind == recapHome && !x.current || x.at.kind == memoryHome || x.at.kind == hookHome {
		return false
	}
	all := append(scene.Statements(x.text), oneLine(x.text), x.as)
	return slices.ContainsFunc(all, func(s string) bool { return scene.SameBullet(s, statement) })
}

// AnsweredDoubt is a doubt that was answered.
type AnsweredDoubt struct {
	Doubt
	Answer Verdict `json:"answer"`
	CorrectionResult
}

// AnswerDoubt answers a doubt, named by its id or a unique beginning or end of it, in one step,
// which UndoCorrection undoes. With Reworded, text replaces the old words in every place that
// certainly has them.
func (svc *Service) AnswerDoubt(chat storage.ChatID, id string, v Verdict, text string) (out AnsweredDoubt, err error) {
	var tell func()
	err = svc.update(chat, "answer a question", false, func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		list, err := svc.doubts(tx, c)
		if err != nil {
			return err
		}
		if out.Doubt, err = doubtOf(list, id); err != nil {
			return err
		}
		tell = svc.emitCorrected(c)
		out.Answer = v
		out.CorrectionResult, err = svc.answerDoubt(tx, c, &out.Doubt, v, oneLine(text))
		return err
	})
	if err != nil {
		return AnsweredDoubt{}, err
	}
	tell()
	return out, nil
}

func doubtOf(list []Doubt, ref string) (Doubt, error) {
	var named []core.Named
	for _, d := range list {
		named = append(named, core.Named{ID: d.ID, Name: failure.FirstRunes(d.Text, 40)})
	}
	id, err := ByEnds("fact in doubt", ref, named)
	if err != nil {
		return Doubt{}, err
	}
	return list[slices.IndexFunc(list, func(d Doubt) bool { return d.ID == id })], nil
}

func (svc *Service) answerDoubt(tx *storage.Tx, c storage.Chat, d *Doubt, v Verdict,
	text string) (done CorrectionResult, err error) {
	step := correctionStep{ID: storage.NewID(), At: svc.core.Config.Now(), Wrong: d.Text, Instead: text, Answer: v}
	switch {
	case v != HasEnded && v != StillHolds && v != Reworded:
		return done, failure.Refusef("answer with %s, %s or %s", HasEnded, StillHolds, Reworded)
	case v == Reworded && text == "":
		return done, failure.Refusef("enter the correct text")
	}
	for _, x := range d.items {
		step.Kept = append(step.Kept, x.previous())
		x.answerDoubts(v == HasEnded)
		if err := x.put(tx, chats.ScopeOf(c), step.At); err != nil {
			return done, err
		}
	}
	if err := svc.answerLineDoubts(tx, c, d, v, &step); err != nil {
		return done, err
	}
	if v == Reworded {
		return svc.answerByCorrection(tx, c, d, step)
	}
	if err := chats.AddCorrection(tx, c.ID, step.change()); err != nil {
		return done, err
	}
	return CorrectionResult{Count: d.Copies + len(step.Ends), Step: step.ID},
		putSteps(tx, c.ID, append(stepsOf(tx, c.ID), step))
}

// answerLineDoubts answers the doubts about lines. If a memory ends, recap lines and lorebook facts
// with its words end too.
func (svc *Service) answerLineDoubts(tx *storage.Tx, c storage.Chat, d *Doubt, v Verdict, step *correctionStep) error {
	list := scenes.StatementEnds(tx, c.ID)
	for i := range list {
		if x := &list[i]; slices.ContainsFunc(d.lines, func(o storage.StatementEnd) bool { return sameEnd(o, *x) }) {
			step.Doubts = append(step.Doubts, *x)
			x.Doubt, x.Undone = v != HasEnded, v != HasEnded
		}
	}
	if v == HasEnded && len(d.items) > 0 {
		e := d.end
		e.Doubt, e.At = false, step.At
		if e.Chat == "" {
			e.Chat = c.ID
		}
		err := svc.walk(svc.newFactGatherer(tx, c), nil, nil, func(x statement) {
			if e.Chat == c.ID && len(step.Ends) == 0 && x.says(d.Text) { // an end is one of all lines that say it
				step.Ends = append(step.Ends, storage.StatementEnd{Text: d.Text, Rests: x.from, End: e})
			}
		})
		if err != nil {
			return err
		}
	}
	list = append(list, step.Ends...)
	if len(step.Doubts)+len(step.Ends) == 0 {
		return nil
	}
	return scenes.PutStatementEnds(tx, c.ID, list)
}

func sameEnd(a, b storage.StatementEnd) bool {
	return a.Text == b.Text && a.Node == b.Node && a.Chat == b.Chat && a.Kind == b.Kind && a.At.Equal(b.At)
}

// answerByCorrection replaces the doubted words in every place that certainly has them, and in the
// place of the doubt.
func (svc *Service) answerByCorrection(tx *storage.Tx, c storage.Chat, d *Doubt,
	step correctionStep) (done CorrectionResult, err error) {
	f, err := svc.findPlaces(tx, Correction{Chat: c.ID, Wrong: d.Text, Instead: step.Instead, Message: d.Message})
	if err != nil {
		return done, err
	}
	var ids []string
	for _, p := range f.places {
		own := slices.ContainsFunc(d.items, func(x item) bool { return p.at == x.address() })
		if p.Chosen || own {
			ids = append(ids, p.ID)
		}
	}
	f.step = step
	return f.apply(svc, ids)
}

// restoreDoubts restores the ends of lines to what they were before a doubt was answered.
func restoreDoubts(tx *storage.Tx, chat storage.ChatID, was []storage.StatementEnd) error {
	if len(was) == 0 {
		return nil
	}
	list := scenes.StatementEnds(tx, chat)
	for i := range list {
		if at := slices.IndexFunc(was, func(o storage.StatementEnd) bool { return sameEnd(o, list[i]) }); at >= 0 {
			list[i] = was[at]
		}
	}
	return scenes.PutStatementEnds(tx, chat, list)
}
