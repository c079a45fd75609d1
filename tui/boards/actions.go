package boards

import (
	"encoding/json"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// paneName is the pane's name; its actions are declared under it.
const paneName = "storyboard"

// Actions of this pane only.
const (
	planNext     keys.Name = "storyboard-plan"
	planAll      keys.Name = "storyboard-plan-all"
	sketchShots  keys.Name = "storyboard-sketch"
	confirmShots keys.Name = "storyboard-confirm"
	playShots    keys.Name = "storyboard-play"
	showCalls    keys.Name = "storyboard-why"
	rowUp        keys.Name = "storyboard-up"
	rowDown      keys.Name = "storyboard-down"
	splitShot    keys.Name = "storyboard-split"
	sceneBefore  keys.Name = "storyboard-before"
	sceneAfter   keys.Name = "storyboard-after"
	exportBoard  keys.Name = "storyboard-export"
	importBoard  keys.Name = "storyboard-import"
	deleteBoard  keys.Name = "storyboard-delete"
)

// Panes implements pane.PaneOwner.
func (r *Part) Panes() []pane.PaneActions {
	p := newPane(r.host, r.batches, r.pictures)
	return []pane.PaneActions{{Name: paneName, System: keys.SystemBoards, Actions: p.Actions()}}
}

// Name implements pane.Pane.
func (*boardPane) Name() string { return paneName }

// Actions implements pane.Pane.
func (p *boardPane) Actions() []keys.Action {
	loaded := func() bool { return p.playing == nil && p.Chat != "" && p.Loaded && p.Fault == nil }
	board := p.needsScene(slices.Concat(p.onMarked(), p.onWork(), p.onRow(), p.onBoard()))
	return slices.Concat(keys.When(loaded, board...),
		keys.When(func() bool { return p.playing == nil }, p.moveActions()...),
		keys.When(func() bool { return p.playing != nil }, p.playerActions()...))
}

// needsScene disables actions if no scene has ended, before their own reasons.
func (p *boardPane) needsScene(list []keys.Action) []keys.Action {
	for i := range list {
		own := list[i].Unavailable
		list[i].Unavailable = func() string {
			if p.noScene {
				return "no scene has ended in this chat yet"
			}
			if own != nil {
				return own()
			}
			return ""
		}
	}
	return list
}

// moveActions returns the actions that move the selection, or open the storyboards of other
// scenes.
func (p *boardPane) moveActions() []keys.Action {
	page := func(sign int) func() tea.Cmd {
		return func() tea.Cmd { p.Move(sign * max(1, p.Page-1)); return nil }
	}
	scene := func(act keys.Name, words string, n int) keys.Action {
		return keys.Action{Name: act, Text: words, Unavailable: p.whyNoScenes,
			Do: func() tea.Cmd { return p.moveScene(n) }}
	}
	const beforeWords, afterWords = "storyboard of the previous scene", "storyboard of the next scene"
	before := keys.PaneAction(scene(sceneBefore, beforeWords, -1), "pane-before", "[")
	before.Hint, before.Until = "scenes", sceneAfter
	return append(p.Moves(),
		keys.Action{Name: keys.PageUp, Do: page(-1)},
		keys.Action{Name: keys.PageDown, Do: page(1)},
		before,
		keys.PaneAction(scene(sceneAfter, afterWords, 1), "pane-after", "]"),
		scene(keys.PaneLeft, beforeWords, -1), scene(keys.PaneRight, afterWords, 1))
}

// onMarked returns the actions on the marked shots.
func (p *boardPane) onMarked() []keys.Action {
	return keys.When(func() bool { return len(p.Marked) > 0 },
		keys.Action{Name: keys.PaneJoin, Text: "merge the selected shots", Hint: "merge",
			Unavailable: p.whyNoMerge, Do: p.merge},
		keys.Action{Name: keys.PaneDelete, Text: "remove the selected shots", Hint: "remove", Do: p.removeShots},
		keys.Action{Name: keys.PaneMarkAll, Text: "select all shots, or none", Hint: "all or none", Do: p.markShots},
		keys.Action{Name: keys.ToBrowse, Text: "select none", Hint: "select none",
			Do: func() tea.Cmd { clear(p.Marked); return nil }})
}

// onWork returns the actions on the model's work and proposals, and on the planning.
func (p *boardPane) onWork() []keys.Action {
	plan := func(r boards.PlanRequest) func() tea.Cmd { return func() tea.Cmd { return p.plan(r) } }
	answer := func(yes bool) func() tea.Cmd { return func() tea.Cmd { return p.answer(yes) } }
	return []keys.Action{
		{Name: keys.PaneStop, Text: "cancel the model's work", Hint: "cancel",
			Unavailable: p.whyNothingRuns, Do: p.cancel},
		{Name: keys.PaneAccept, Text: "apply the proposal", Hint: "apply", Unavailable: p.whyNoProposal,
			Do: answer(true)},
		{Name: keys.PaneReject, Text: "reject the proposal", Hint: "reject", Unavailable: p.whyNoProposal,
			Do: answer(false)},
		{Name: keys.PaneEnter, Text: "read the proposal", Hint: "read", Visible: p.rowOf(headProposal),
			Do: p.openProposal},
		{Name: keys.PaneRedo, Text: "restore the storyboard", Hint: "redo",
			Visible: func() bool { return len(p.Items) == 0 && p.view.CanRedo }, Do: p.redo},
		keys.PaneAction(keys.Action{Name: sketchShots, Text: "sketch the shots as captures",
			Hint: "sketch", Unavailable: p.whyNoSketch,
			Do: p.openSketch}, "pane-recap", "c"),
		keys.PaneAction(keys.Action{Name: playShots, Text: "play the shots as a film, or stop",
			Hint: "play", Unavailable: p.whyNoPlay,
			Do: p.play}, "pane-beside", "v"),
		keys.PaneAction(keys.Action{Name: planNext, Text: "plan the next step",
			Hint: "plan next", Unavailable: p.whyPlanned,
			Do: plan(boards.PlanRequest{})}, "pane-pause", "p"),
		keys.PaneAction(keys.Action{Name: planAll, Text: "plan all steps", Hint: "plan all", Unavailable: p.whyPlanned,
			Do: plan(boards.PlanRequest{All: true})}, "pane-plan-all", "P"),
	}
}

// rowOf reports whether a row under one of the headings is selected.
func (p *boardPane) rowOf(heads ...int) func() bool {
	return func() bool {
		it, ok := p.item()
		return ok && slices.Contains(heads, it.head)
	}
}

// onRow returns the actions on the selected row.
func (p *boardPane) onRow() []keys.Action {
	do := func(f func(it item) tea.Cmd) func() tea.Cmd {
		return func() tea.Cmd { it, _ := p.item(); return f(it) }
	}
	shift := func(n int) func() tea.Cmd { return do(func(it item) tea.Cmd { return p.moveRow(it, n) }) }
	list := []keys.Action{
		{Name: keys.PaneEnter, Text: "go to the message of the beat", Hint: "message", Visible: p.rowOf(headBeats),
			Unavailable: p.whyNoSource, Do: p.goToSource},
		{Name: keys.PaneEnter, Text: "edit it", Do: do(p.edit)},
		{Name: keys.PaneEdit, Text: "edit it", Hint: "edit", Do: do(p.edit)},
		{Name: keys.PaneSource, Text: "go to the message of the beat",
			Visible:     p.rowOf(headBeats, headBudget, headShots),
			Unavailable: p.whyNoSource, Do: p.goToSource},
		{Name: keys.PaneNew, Text: "new beat", Hint: "new beat", Visible: p.rowOf(headBeats), Do: p.insert},
		{Name: keys.PaneDelete, Text: "remove the beat", Hint: "remove", Visible: p.rowOf(headBeats),
			Do: do(p.removeBeat)},
		{Name: keys.PaneDelete, Text: "remove the shot", Hint: "remove", Visible: p.rowOf(headShots),
			Do: p.removeShots},
		{Name: keys.PaneDelete, Text: "remove it", Unavailable: p.whyFixed("removed; edit the rest or plan it again"),
			Do: p.removeShots},
		{Name: keys.PaneJoin, Text: "merge the shot with the next", Hint: "merge", Unavailable: p.whyNoMerge,
			Do: p.merge},
		keys.PaneAction(keys.Action{Name: rowUp, Text: "move the shot or beat up", Unavailable: p.whyFixed("moved"),
			Do: shift(-1)}, "pane-raise", "alt+up"),
		keys.PaneAction(keys.Action{Name: rowDown, Text: "move the shot or beat down", Unavailable: p.whyFixed("moved"),
			Do: shift(1)}, "pane-lower", "alt+down"),
		keys.PaneAction(keys.Action{Name: splitShot, Text: "split the shot", Visible: p.rowOf(headShots),
			Do: p.openSplit},
			"pane-split"),
		{Name: keys.PaneMark, Text: "select the shot", Visible: p.rowOf(headShots),
			Do: func() tea.Cmd { p.Mark(); return nil }},
		{Name: keys.PaneMarkRange, Do: p.markRange},
		{Name: keys.PaneMarkAll, Text: "select all shots", Do: p.markShots},
		{Name: keys.PaneCopy, Text: "copy the description", Visible: p.rowOf(headShots),
			Do: func() tea.Cmd { return p.Host.Copy(p.shot().Description, "description") }},
	}
	return keys.When(func() bool { _, ok := p.item(); return ok }, list...)
}

// onBoard returns the actions on the whole storyboard.
func (p *boardPane) onBoard() []keys.Action {
	return []keys.Action{
		{Name: keys.PaneInstruct, Text: "instruct the model", Hint: "instruct", Do: p.openSteer},
		{Name: keys.PaneNew, Text: "new shot", Hint: "new shot", Do: p.insert},
		{Name: keys.PaneUndo, Text: "undo", Hint: "undo", Unavailable: p.whyNoUndo, Do: p.undo},
		keys.PaneAction(keys.Action{Name: confirmShots, Text: "confirm the shots",
			Hint: "confirm", Unavailable: p.whyNoConfirm,
			Do: p.confirm}, "pane-constant", "C"),
		{Name: keys.PaneRegenerate, Text: "plan a step with an instruction", Hint: "plan a step", Do: p.openStep},
		{Name: keys.PaneRedo, Text: "redo", Hint: "redo", Unavailable: p.whyNoRedo, Do: p.redo},
		keys.PaneAction(keys.Action{Name: showCalls, Text: "planning calls, and the taste profile sent",
			Hint:        "taste used",
			Unavailable: p.whyNotBegun, Do: p.openUsed}, "pane-why", "W"),
		keys.PaneAction(keys.Action{Name: exportBoard, Text: "export the storyboard", Unavailable: p.whyNotBegun,
			Do: p.openExport}, "pane-export"),
		keys.PaneAction(keys.Action{Name: importBoard, Text: "import a storyboard", Do: p.importBoard}, "pane-import"),
		{Name: deleteBoard, Text: "delete the storyboard", Group: keys.PaneGroup, Unavailable: p.whyNotBegun,
			Do: p.askDelete},
	}
}

// key returns the key of an action while the pane has the focus, "" for none.
func (p *boardPane) key(act keys.Name) string { return p.Host.Keys().Key(act, keys.Pane) }

// keyHint returns the key of an action with the given words, "" if it has none.
func (p *boardPane) keyHint(act keys.Name, does string) string {
	k := p.key(act)
	if k == "" {
		return ""
	}
	return draw.Separator + k + " " + does
}

// markRange marks the shots between the last marked and the selected row. Other rows are toggled.
func (p *boardPane) markRange() tea.Cmd {
	p.MarkRange()
	for i := range p.Items {
		if p.Items[i].head != headShots {
			delete(p.Marked, p.Items[i].key)
		}
	}
	return nil
}

// markShots marks all shots, or none if all are marked.
func (p *boardPane) markShots() tea.Cmd {
	if len(p.Marked) == len(p.view.Shots) {
		clear(p.Marked)
		return nil
	}
	for i := range p.view.Shots {
		p.Marked[shotKey(p.view.Shots[i].ID)] = true
	}
	return nil
}

// forScene binds a use case to the shown scene, for change.
func (p *boardPane) forScene(use func(storage.ChatID, storage.NodeID) (boards.View, error)) func() (boards.View,
	error) {
	chat, node := p.Chat, p.node
	return func() (boards.View, error) { return use(chat, node) }
}

// params are the parameters of a tool.
type params map[string]any

// toolCall returns a call of a tool.
func toolCall(tool string, with params) storage.ToolCall {
	raw, err := json.Marshal(with)
	if err != nil {
		raw = []byte("{}") // the tool reports the missing arguments
	}
	return storage.ToolCall{Tool: tool, Params: raw}
}

// call runs several tool calls as one change. make receives no arguments and runs when it is this
// change's turn. If there is nothing to do, it returns no calls, and instead holds a notice or "".
func (p *boardPane) call(make func() (calls []storage.ToolCall, instead string)) tea.Cmd {
	return p.change("", func() (func() (boards.View, error), tea.Cmd) {
		calls, instead := make()
		if len(calls) == 0 {
			if instead == "" {
				return nil, nil
			}
			return nil, p.Host.Say(event.Info, instead)
		}
		return p.runCall(calls), nil
	})
}

// runCall carries out calls in one turn.
func (p *boardPane) runCall(calls []storage.ToolCall) func() (boards.View, error) {
	eng := p.Host.Engine()
	return p.forScene(func(chat storage.ChatID, node storage.NodeID) (boards.View, error) {
		return eng.Boards.Call(chat, node, calls...)
	})
}

// ask queues work of the model and reports it, after pending changes are stored.
func (p *boardPane) ask(words string, add func(storage.ChatID, storage.NodeID) (storage.OperationID, error)) tea.Cmd {
	if p.changing {
		return p.wait(func() tea.Cmd { return p.ask(words, add) })
	}
	chat, node := p.Chat, p.node
	return p.Host.Do(func() func() tea.Cmd {
		_, err := add(chat, node)
		return func() tea.Cmd {
			if err != nil {
				return p.Host.Fail(err)
			}
			cmds := []tea.Cmd{p.Host.Work().Tick(), p.Read()}
			if words != "" {
				cmds = append(cmds, p.Host.Say(event.Info, words))
			}
			return tea.Batch(cmds...)
		}
	})
}

// plan runs a planning step.
func (p *boardPane) plan(r boards.PlanRequest) tea.Cmd {
	eng := p.Host.Engine()
	return p.ask("", func(chat storage.ChatID, node storage.NodeID) (storage.OperationID, error) {
		return eng.Boards.Plan(chat, node, r)
	})
}

// cancel cancels the film that is being written, else the model's work on this storyboard, else
// that on its sketches.
func (p *boardPane) cancel() tea.Cmd {
	switch {
	case p.film != nil:
		p.film.cancel()
		return nil
	case p.view.Working == "":
		return p.batches.CancelBatch(*p.view.Batch)
	}
	chat, node := p.Chat, p.node
	return pane.Tell(p.Host, "cancelled; the plan so far is kept", func() error {
		return p.Host.Engine().Boards.Cancel(chat, node)
	})
}

// undo undoes the last change.
func (p *boardPane) undo() tea.Cmd {
	return p.change("", func() (func() (boards.View, error), tea.Cmd) {
		return p.forScene(p.Host.Engine().Boards.Undo), nil
	})
}

// redo repeats the change that was undone last.
func (p *boardPane) redo() tea.Cmd {
	return p.change("", func() (func() (boards.View, error), tea.Cmd) {
		return p.forScene(p.Host.Engine().Boards.Redo), nil
	})
}

// confirm confirms the shots.
func (p *boardPane) confirm() tea.Cmd {
	return p.change("confirmed"+p.keyHint(sketchShots, "sketches the shots"), func() (func() (boards.View, error),
		tea.Cmd) {
		return p.runCall([]storage.ToolCall{toolCall(storyboard.ConfirmShots, params{})}), nil
	})
}

// answer executes or discards a proposal.
func (p *boardPane) answer(yes bool) tea.Cmd {
	words, with := "", params{}
	if !yes {
		words, with["drop"] = "proposal rejected"+p.keyHint(keys.PaneUndo, "restores it"), true
	}
	return p.change(words, func() (func() (boards.View, error), tea.Cmd) {
		return p.runCall([]storage.ToolCall{toolCall(storyboard.ExecuteEdit, with)}), nil
	})
}

// sourceOf returns the message of the selected beat, or of the selected row's beat; "" if unknown.
func (p *boardPane) sourceOf() storage.NodeID {
	it, ok := p.item()
	if !ok {
		return ""
	}
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
		return ""
	}
	return p.view.Beats[i].Messages[0]
}

func (p *boardPane) goToSource() tea.Cmd { return p.Host.Play().JumpTo(p.sourceOf()) }

// removeShots removes the marked shots, or the selected one. It does not ask, because it can be
// undone.
func (p *boardPane) removeShots() tea.Cmd {
	shots := p.shots()
	clear(p.Marked)
	return p.call(func() ([]storage.ToolCall, string) {
		return []storage.ToolCall{toolCall(storyboard.RemoveShots, params{"shots": shots})}, ""
	})
}

// removeBeat removes the selected beat.
func (p *boardPane) removeBeat(it item) tea.Cmd {
	id := p.view.Beats[it.at].ID
	return p.call(func() ([]storage.ToolCall, string) {
		isIt := func(b storage.BoardBeat) bool { return b.ID == id }
		return p.beatCall(slices.DeleteFunc(slices.Clone(p.view.Beats), isIt)), ""
	})
}

// beatCall returns the call that replaces the beats.
func (p *boardPane) beatCall(beats []storage.BoardBeat) []storage.ToolCall {
	return []storage.ToolCall{toolCall(storyboard.RecommendBeats, params{"beats": beats})}
}

// moveRow moves the selected shot or beat by one position.
func (p *boardPane) moveRow(it item, n int) tea.Cmd {
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
	return nil
}

// mergeable returns the shots to merge: the marked ones, or the selected one and the next; or else
// why there are none.
func (p *boardPane) mergeable() (shots []storage.ShotID, why string) {
	shots = p.shots()
	if s := p.shot(); len(p.Marked) == 0 && s != nil {
		at := p.shotAt(s.ID)
		if at+1 == len(p.view.Shots) {
			return nil, "there is no next shot to merge with"
		}
		shots = []storage.ShotID{s.ID, p.view.Shots[at+1].ID}
	}
	if len(shots) < 2 {
		return nil, "select two or more shots to merge, or the first of two"
	}
	return shots, ""
}

// merge merges several shots.
func (p *boardPane) merge() tea.Cmd {
	shots, _ := p.mergeable()
	clear(p.Marked)
	p.PendingKey = shotKey(shots[0])
	return p.call(func() ([]storage.ToolCall, string) {
		return []storage.ToolCall{toolCall(storyboard.MergeShots, params{"shots": shots})}, ""
	})
}

// askDelete asks before the storyboard is deleted, which cannot be undone.
func (p *boardPane) askDelete() tea.Cmd {
	chat, node := p.Chat, p.node
	text := "Delete the storyboard of " + pane.SceneTitle(p.view.Scene) + " with its whole plan and undo history? " +
		"Its sketches stay in the gallery."
	p.Host.Open(&widget.Confirm{Title: "Delete the storyboard", Text: text,
		Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil}, {Key: "y", Words: "delete", Do: func() tea.Cmd {
			return pane.Tell(p.Host, "storyboard deleted",
				func() error { return p.Host.Engine().Boards.Delete(chat, node) })
		}}}})
	return nil
}
