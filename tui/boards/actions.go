package boards

import (
	"encoding/json"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Hints implements desk.Pane.
func (p *pane) Hints() []desk.Hint {
	hint := desk.NewHint
	scenes := desk.Hint{Action: keys.PaneBefore, Until: keys.PaneAfter, Words: "scenes"}
	more := []desk.Hint{hint(keys.PaneAll, "redo"), hint(keys.PaneWhy, "used"), hint(keys.PaneSwitch, "taste"), hint(keys.PaneExport, "export"), hint(keys.PaneImport, "import"), scenes}
	after := append([]desk.Hint{hint(keys.PaneInstruct, "steer"), hint(keys.PaneUndo, "undo")}, more...)
	begin := []desk.Hint{hint(keys.PanePause, "key beats"), hint(keys.PanePlanAll, "plan all"), hint(keys.PaneNew, "new"), hint(keys.PaneInstruct, "steer"),
		hint(keys.PaneImport, "import"), scenes, hint(keys.PaneSwitch, "taste")}
	with := func(rest []desk.Hint, first ...desk.Hint) []desk.Hint { return append(first, rest...) }
	move := desk.Hint{Action: keys.PaneJoin, Until: keys.PaneRaise, Words: "move"}
	switch {
	case p.node == "":
		return nil
	case p.playing != nil:
		return p.playingHints()
	case len(p.Marked) > 0:
		return []desk.Hint{hint("", strconv.Itoa(len(p.Marked))+" marked"), hint(keys.PaneMerge, "merge"), hint(keys.PaneDelete, "remove"), hint(keys.PaneRecapIt, "sketch"),
			hint(keys.PaneMarkAll, "all or none"), hint(keys.ToBrowse, "unmark")}
	case p.view.Working != "":
		return with(after, hint(keys.PaneStop, "cancel"))
	case p.view.Proposal != nil:
		return with(after, hint(keys.PaneAccept, "apply"), hint(keys.PaneReject, "reject"), hint(keys.PaneEnter, "read"))
	case len(p.items) == 0 && p.view.CanRedo: // all of it was taken back
		return with(begin, hint(keys.PaneAll, "redo"))
	case len(p.items) == 0:
		return begin
	case p.view.Stage == storage.BoardReady:
		return with(after, hint(keys.PaneRecapIt, "sketch"), hint(keys.PaneBeside, "play"), hint(keys.PaneExport, "export"), hint(keys.PaneEdit, "edit"), hint(keys.PaneNew, "new"), hint(keys.PaneDelete, "remove"), move)
	case len(p.view.Shots) > 0:
		return with(more, hint(keys.PaneEdit, "edit"), hint(keys.PaneInstruct, "steer"), hint(keys.PaneNew, "new"), hint(keys.PaneDelete, "remove"), move, hint(keys.PaneUndo, "undo"),
			hint(keys.PaneConstant, "confirm"), hint(keys.PaneBeside, "play"), hint(keys.PaneMerge, "merge"), hint(keys.PaneSplit, "split"))
	}
	return with(after, hint(keys.PanePause, "next step"), hint(keys.PanePlanAll, "plan all"), hint(keys.PaneRegenerate, "again"), hint(keys.PaneEdit, "edit"), hint(keys.PaneNew, "new"), hint(keys.PaneDelete, "remove"))
}

// Actions implements desk.Pane.
func (p *pane) Actions() []desk.Action {
	if p.playing != nil {
		return p.whilePlaying()
	}
	if p.always == nil { // with every key: they are made once
		p.always = slices.Clip(p.declare())
	}
	if len(p.Marked) > 0 {
		return append(p.always, desk.Action{Name: keys.ToBrowse, Do: func() tea.Cmd { clear(p.Marked); return nil }})
	}
	return p.always
}

// declare are the actions that there always are.
func (p *pane) declare() []desk.Action {
	move := func(act keys.Action, n func() int) desk.Action {
		return desk.Action{Name: act, Do: func() tea.Cmd { p.Move(n()); return nil }}
	}
	by := func(n int) func() int { return func() int { return n } }
	lines := func(sign int) func() int { return func() int { return sign * len(p.Lines) } }
	page := func(sign int) func() int { return func() int { return sign * max(1, p.Page-1) } }
	beside := func(act keys.Action, n int) desk.Action {
		return desk.Action{Name: act, Do: func() tea.Cmd { return p.beside(n) }}
	}
	return []desk.Action{
		move(keys.PaneUp, by(-1)), move(keys.PaneDown, by(1)), move(keys.PaneTop, lines(-1)), move(keys.PaneBottom, lines(1)),
		move(keys.PageUp, page(-1)), move(keys.PageDown, page(1)),
		beside(keys.PaneBefore, -1), beside(keys.PaneLeft, -1), beside(keys.PaneAfter, 1), beside(keys.PaneRight, 1),
		{Name: keys.PaneSwitch, Do: func() tea.Cmd { return p.Desk.Run(keys.PaneTaste) }},
	}
}

// Other implements desk.Other: the rest is for the storyboard, or for the chosen row.
func (p *pane) Other(act keys.Action) tea.Cmd {
	switch {
	case p.Chat == "" || !p.Loaded || p.Fault != nil || p.playing != nil:
		return nil
	case p.none:
		return p.Desk.Say(event.Info, "no scene has ended in this chat yet")
	}
	return p.actOnBoard(act)
}

// actOnBoard does what is for the storyboard as a whole.
func (p *pane) actOnBoard(act keys.Action) tea.Cmd {
	switch act {
	case keys.PanePause:
		return p.plan(boards.PlanRequest{})
	case keys.PanePlanAll:
		return p.plan(boards.PlanRequest{All: true})
	case keys.PaneRegenerate:
		p.openStep()
	case keys.PaneInstruct:
		p.openSteer()
	case keys.PaneStop:
		return p.cancel()
	case keys.PaneUndo:
		return p.change("", func() (func() (boards.View, error), tea.Cmd) { return p.on(p.Desk.Engine().Boards.Undo), nil })
	case keys.PaneAll:
		return p.change("", func() (func() (boards.View, error), tea.Cmd) { return p.on(p.Desk.Engine().Boards.Redo), nil })
	case keys.PaneBeside:
		return p.play()
	case keys.PaneConstant:
		return p.confirm()
	case keys.PaneRecapIt:
		return p.openSketch()
	case keys.PaneWhy:
		return p.openUsed()
	case keys.PaneExport:
		return p.openExport()
	case keys.PaneImport:
		return p.importBoard()
	case keys.PaneDiff:
		p.askDelete()
	case keys.PaneAccept:
		return p.answer(true)
	case keys.PaneReject:
		return p.answer(false)
	case keys.PaneMark:
		p.Mark()
		p.onlyShots()
	case keys.PaneMarkRange:
		p.MarkRange()
		p.onlyShots()
	case keys.PaneMarkAll:
		p.markShots()
	case keys.PaneNew, keys.PaneTest:
		return p.insert()
	default:
		return p.actOnRow(act)
	}
	return nil
}

// actOnRow does what is for the chosen row, or for the marked shots.
func (p *pane) actOnRow(act keys.Action) tea.Cmd {
	it, ok := p.item()
	if !ok {
		return nil
	}
	switch act {
	case keys.PaneEnter:
		return p.enter(it)
	case keys.PaneEdit:
		return p.edit(it)
	case keys.PaneSource:
		return p.source(it)
	case keys.PaneDelete:
		return p.remove(it)
	case keys.PaneRaise:
		return p.shift(it, -1)
	case keys.PaneJoin:
		return p.shift(it, 1)
	case keys.PaneMerge:
		return p.merge()
	case keys.PaneSplit:
		p.openSplit()
	case keys.PaneCopy:
		if s := p.shot(); s != nil {
			return p.Desk.Copy(s.Description, "description")
		}
	}
	return nil
}

// onlyShots takes marks away that are not on shots: the others are changed one by
// one.
func (p *pane) onlyShots() {
	for i := range p.items {
		if p.items[i].head != headShots {
			delete(p.Marked, p.Rows[i].Key)
		}
	}
}

// markShots marks all shots; where all are marked already, none.
func (p *pane) markShots() {
	if len(p.Marked) == len(p.view.Shots) {
		clear(p.Marked)
		return
	}
	for i := range p.view.Shots {
		p.Marked[shotKey(p.view.Shots[i].ID)] = true
	}
}

// on makes of a use case of one storyboard what change stores.
func (p *pane) on(use func(storage.ChatID, storage.NodeID) (boards.View, error)) func() (boards.View, error) {
	chat, node := p.Chat, p.node
	return func() (boards.View, error) { return use(chat, node) }
}

// params are the parameters of a tool.
type params map[string]any

// toolCall makes a call of a tool.
func toolCall(tool string, with params) storage.ToolCall {
	raw, err := json.Marshal(with)
	if err != nil {
		raw = []byte("{}") // the tool says what is missing
	}
	return storage.ToolCall{Tool: tool, Params: raw}
}

// call carries out tools in one go. make gets the storyboard as it is when its turn
// has come, and returns none with words where there is nothing to do.
func (p *pane) call(make func() (calls []storage.ToolCall, instead string)) tea.Cmd {
	return p.change("", func() (func() (boards.View, error), tea.Cmd) {
		calls, instead := make()
		if len(calls) == 0 {
			if instead == "" {
				return nil, nil
			}
			return nil, p.Desk.Say(event.Info, instead)
		}
		return p.calling(calls), nil
	})
}

// calling carries out tools in one go.
func (p *pane) calling(calls []storage.ToolCall) func() (boards.View, error) {
	eng := p.Desk.Engine()
	return p.on(func(chat storage.ChatID, node storage.NodeID) (boards.View, error) {
		return eng.Boards.Call(chat, node, calls...)
	})
}

// ask queues work of the model and says so, after the changes that are still being
// stored.
func (p *pane) ask(words string, add func(storage.ChatID, storage.NodeID) (storage.OperationID, error)) tea.Cmd {
	if p.changing {
		return p.wait(func() tea.Cmd { return p.ask(words, add) })
	}
	chat, node := p.Chat, p.node
	return p.Desk.Do(func() func() tea.Cmd {
		_, err := add(chat, node)
		return func() tea.Cmd {
			if err != nil {
				return p.Desk.Fail(err)
			}
			cmds := []tea.Cmd{p.Desk.Tick(), p.Read()}
			if words != "" {
				cmds = append(cmds, p.Desk.Say(event.Info, words))
			}
			return tea.Batch(cmds...)
		}
	})
}

// plan has the model do a step of the planning.
func (p *pane) plan(r boards.PlanRequest) tea.Cmd {
	eng := p.Desk.Engine()
	return p.ask("", func(chat storage.ChatID, node storage.NodeID) (storage.OperationID, error) {
		return eng.Boards.Plan(chat, node, r)
	})
}

// cancel ends the work of the model on this storyboard, or, where there is none,
// that on its sketches.
func (p *pane) cancel() tea.Cmd {
	if p.film != nil {
		p.film.cancel()
		return nil
	}
	if p.view.Working == "" {
		if b := p.view.Batch; b != nil && b.Painting+b.Prompting > 0 {
			return p.batches.CancelBatch(*b)
		}
		return p.Desk.Say(event.Info, "nothing is running on this storyboard")
	}
	chat, node := p.Chat, p.node
	return desk.Tell(p.Desk, "cancelled; the plan so far is kept", func() error { return p.Desk.Engine().Boards.Cancel(chat, node) })
}

// confirm says that the shots are as they shall be.
func (p *pane) confirm() tea.Cmd {
	if p.view.Stage == storage.BoardReady {
		return p.Desk.Say(event.Info, "already confirmed; "+p.Desk.Keys().Key(keys.PaneRecapIt, keys.Pane)+" sketches its shots")
	}
	return p.change("confirmed · "+p.Desk.Keys().Key(keys.PaneRecapIt, keys.Pane)+" sketches its shots", func() (func() (boards.View, error), tea.Cmd) {
		return p.calling([]storage.ToolCall{toolCall(storyboard.ConfirmShots, params{})}), nil
	})
}

// answer carries a proposal out, or drops it.
func (p *pane) answer(yes bool) tea.Cmd {
	if p.view.Proposal == nil {
		return p.Desk.Say(event.Info, "no proposal")
	}
	words, with := "", params{}
	if !yes {
		words, with["drop"] = "proposal rejected; "+p.Desk.Keys().Key(keys.PaneUndo, keys.Pane)+" restores it", true
	}
	return p.change(words, func() (func() (boards.View, error), tea.Cmd) {
		return p.calling([]storage.ToolCall{toolCall(storyboard.ExecuteEdit, with)}), nil
	})
}

// enter opens the chosen row: a proposal or what was said to be read, a beat's
// moment in the play, anything else to be edited.
func (p *pane) enter(it item) tea.Cmd {
	switch it.head {
	case headProposal:
		p.openProposal()
		return nil
	case headTalk:
		p.openSteer()
		return nil
	case headBeats:
		return p.source(it)
	}
	return p.edit(it)
}

// source goes to the message where the chosen beat, or that of the chosen row,
// happens.
func (p *pane) source(it item) tea.Cmd {
	var id storage.BeatID
	switch it.head {
	case headBeats:
		id = p.view.Beats[it.at].ID
	case headBudget:
		id = p.view.Budget[it.at].Beat
	case headShots:
		id = p.view.Shots[it.at].Beat
	}
	i := slices.IndexFunc(p.view.Beats, func(b storage.BoardBeat) bool { return b.ID == id && id != "" })
	if i < 0 || len(p.view.Beats[i].Messages) == 0 {
		return p.Desk.Say(event.Info, "no source message recorded")
	}
	return p.Desk.JumpTo(p.view.Beats[i].Messages[0])
}

// remove removes the marked shots, or the chosen row. It can be undone, so nothing
// is asked.
func (p *pane) remove(it item) tea.Cmd {
	if shots := p.shots(); len(shots) > 0 {
		clear(p.Marked)
		return p.call(func() ([]storage.ToolCall, string) {
			return []storage.ToolCall{toolCall(storyboard.RemoveShots, params{"shots": shots})}, ""
		})
	}
	if it.head != headBeats {
		return p.Desk.Say(event.Info, "only shots and beats can be removed; edit the rest or plan it again")
	}
	id := p.view.Beats[it.at].ID
	return p.call(func() ([]storage.ToolCall, string) {
		return p.beatCall(slices.DeleteFunc(slices.Clone(p.view.Beats), func(b storage.BoardBeat) bool { return b.ID == id })), ""
	})
}

// beatCall puts beats in place of those there are.
func (p *pane) beatCall(beats []storage.BoardBeat) []storage.ToolCall {
	return []storage.ToolCall{toolCall(storyboard.RecommendBeats, params{"beats": beats})}
}

// shift moves the chosen shot or beat by one place.
func (p *pane) shift(it item, n int) tea.Cmd {
	switch it.head {
	case headShots:
		id := p.view.Shots[it.at].ID
		return p.call(func() ([]storage.ToolCall, string) {
			at := p.shotAt(id)
			if to := at + n; at < 0 || to < 0 || to >= len(p.view.Shots) {
				return nil, ""
			}
			return []storage.ToolCall{toolCall(storyboard.ReorderShots, params{"shot": id, "to": at + n + 1})}, ""
		})
	case headBeats:
		id := p.view.Beats[it.at].ID
		return p.call(func() ([]storage.ToolCall, string) {
			beats := slices.Clone(p.view.Beats)
			at := slices.IndexFunc(beats, func(b storage.BoardBeat) bool { return b.ID == id })
			if to := at + n; at < 0 || to < 0 || to >= len(beats) {
				return nil, ""
			}
			beats[at], beats[at+n] = beats[at+n], beats[at]
			return p.beatCall(beats), ""
		})
	}
	return p.Desk.Say(event.Info, "only shots and beats can be moved")
}

// merge makes one shot of the marked ones, or of the chosen one and the next.
func (p *pane) merge() tea.Cmd {
	shots := p.shots()
	if s := p.shot(); len(p.Marked) == 0 && s != nil {
		at := p.shotAt(s.ID)
		if at+1 == len(p.view.Shots) {
			return p.Desk.Say(event.Info, "there is no next shot to merge with")
		}
		shots = []storage.ShotID{s.ID, p.view.Shots[at+1].ID}
	}
	if len(shots) < 2 {
		return p.Desk.Say(event.Info, "select two or more shots to merge, or the first of two")
	}
	clear(p.Marked)
	p.Wish = shotKey(shots[0])
	return p.call(func() ([]storage.ToolCall, string) {
		return []storage.ToolCall{toolCall(storyboard.MergeShots, params{"shots": shots})}, ""
	})
}

// askDelete asks before the storyboard goes: that cannot be undone.
func (p *pane) askDelete() {
	if !p.view.Begun {
		return
	}
	chat, node := p.Chat, p.node
	p.Desk.Open(&widget.Confirm{Title: "Delete the storyboard", Text: "Delete the storyboard of " + desk.SceneTitle(p.view.Scene) + " with its whole plan and undo history? Its sketches stay in the gallery.",
		Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil}, {Key: "y", Words: "delete", Do: func() tea.Cmd {
			return desk.Tell(p.Desk, "storyboard deleted", func() error { return p.Desk.Engine().Boards.Delete(chat, node) })
		}}}})
}
