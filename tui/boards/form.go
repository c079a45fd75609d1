package boards

import (
	"cmp"
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

const noBeat = "(none)"

// change is the user's change of a record in a form.
type change[T any] func(v *T)

// openRecord opens the form of a part of the storyboard. Saving carries out calls in one turn:
// calls returns them for the current storyboard, or none.
func openRecord[T any](
	p *boardPane,
	f *pane.RecordForm[T],
	calls func(now boards.View, change change[T]) ([]storage.ToolCall, error),
) {
	chat, node, before, eng := p.Chat, p.node, p.view.Shots, p.Host.Engine()
	f.Save = func(change func(*T)) (func() tea.Cmd, error) {
		now, err := eng.Boards.Board(chat, node)
		if err != nil {
			return nil, err
		}
		list, err := calls(now, change)
		if err != nil || len(list) == 0 {
			return nil, err
		}
		v, err := eng.Boards.Call(chat, node, list...)
		if err != nil {
			return nil, err
		}
		return p.stored(v, before), nil
	}
	f.Open(p.Host)
}

// shotRecord returns the fields of a shot, with the existing beats as choices.
func (p *boardPane) shotRecord() *field.Record[storage.Shot] {
	beats := []field.Choice{{Label: noBeat}}
	for i := range p.view.Beats {
		id := p.view.Beats[i].ID
		beats = append(beats, field.Choice{Value: string(id), Label: p.beatText(id, 60)})
	}
	return storyboard.ShotFields.With("beat", beats)
}

// stored shows the changed storyboard and selects the first new shot. before is the storyboard
// before the change: an event may have updated the pane already.
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
			p.PendingKey = shotKey(v.Shots[i].ID)
		}
		p.changes++
		p.setView(v)
		return nil
	}
}

// edit opens the form of the selected row.
func (p *boardPane) edit(it item) tea.Cmd {
	switch it.head {
	case headShots:
		p.editShot(p.view.Shots[it.at])
	case headBeats:
		p.openBeat("Edit beat "+draw.Truncate(string(p.view.Beats[it.at].ID), 8), p.view.Beats[it.at], "")
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

// editShot opens the form of a shot.
func (p *boardPane) editShot(s storage.Shot) {
	f := &pane.RecordForm[storage.Shot]{
		Title:  "Edit shot " + draw.Truncate(string(s.ID), 8),
		Record: p.shotRecord(),
		Value:  s,
	}
	openRecord(p, f, func(now boards.View, change change[storage.Shot]) ([]storage.ToolCall, error) {
		before := s
		if i := slices.IndexFunc(now.Shots, func(o storage.Shot) bool { return o.ID == s.ID }); i >= 0 {
			before = now.Shots[i]
		}
		after := before
		change(&after)
		with := params(storyboard.ChangedFields(before, after))
		if len(with) == 0 {
			return nil, nil
		}
		with["shot"] = s.ID
		return []storage.ToolCall{toolCall(storyboard.ModifyShot, with)}, nil
	})
}

// insert opens the form of a new beat if a beat is selected, else of a new shot after the selected
// one.
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
		title += " after " + draw.Truncate(string(after.ID), 8)
	} else {
		fresh.Kind = storage.KeyShot
	}
	f := &pane.RecordForm[storage.Shot]{Title: title, Record: p.shotRecord(), Value: fresh, Fresh: true}
	openRecord(p, f, func(_ boards.View, change change[storage.Shot]) ([]storage.ToolCall, error) {
		s := fresh
		change(&s)
		with := params(storyboard.ChangedFields(storage.Shot{}, s))
		with["beat"] = s.Beat
		where["shots"] = []params{with}
		return []storage.ToolCall{toolCall(storyboard.InsertShot, where)}, nil
	})
	return nil
}

// openBeat opens the form of a beat; one without an ID is new and is inserted after another.
func (p *boardPane) openBeat(title string, b storage.BoardBeat, after storage.BeatID) {
	f := &pane.RecordForm[storage.BoardBeat]{Title: title, Record: &storyboard.BeatFields, Value: b, Fresh: b.ID == ""}
	openRecord(p, f, func(now boards.View, change change[storage.BoardBeat]) ([]storage.ToolCall, error) {
		i := slices.IndexFunc(now.Beats, func(o storage.BoardBeat) bool { return o.ID == cmp.Or(b.ID, after) })
		switch {
		case b.ID == "":
			i++
			now.Beats = slices.Insert(now.Beats, i, b)
		case i < 0:
			return nil, errors.New("this beat no longer exists")
		}
		change(&now.Beats[i])
		return p.beatCall(now.Beats), nil
	})
}

// openFiller opens the form of the filler strategy.
func (p *boardPane) openFiller() {
	f := &pane.RecordForm[storage.FillerStrategy]{
		Title:  "Filler strategy",
		Record: &storyboard.FillerFields,
		Value:  *p.view.Filler,
	}
	openRecord(p, f, func(now boards.View, change change[storage.FillerStrategy]) ([]storage.ToolCall, error) {
		var s storage.FillerStrategy
		if now.Filler != nil {
			s = *now.Filler
		}
		change(&s)
		return []storage.ToolCall{
			toolCall(
				storyboard.RecommendFiller,
				params{"amount": s.Amount, "jobs": s.Jobs, "where": s.Where, "why": s.Why},
			),
		}, nil
	})
}

// openBudget opens the form of a beat's budget.
func (p *boardPane) openBudget(at int) {
	b := p.view.Budget[at]
	f := &pane.RecordForm[storage.Allotment]{
		Title:  "Budget of " + p.beatText(b.Beat, 50),
		Record: &storyboard.AllotmentFields,
		Value:  b,
	}
	openRecord(p, f, func(now boards.View, change change[storage.Allotment]) ([]storage.ToolCall, error) {
		i := slices.IndexFunc(now.Budget, func(o storage.Allotment) bool { return o.Beat == b.Beat })
		if i < 0 {
			return nil, errors.New("this beat no longer has a budget")
		}
		change(&now.Budget[i])
		return []storage.ToolCall{toolCall(storyboard.BudgetPackages, params{"budget": now.Budget})}, nil
	})
}
