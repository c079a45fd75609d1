package scenes

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// The names of the panes; their actions are declared under them.
const (
	listName  = "scenes"
	recapName = "recap"
)

// Actions of the recap pane only.
const (
	recapEndScene   keys.Name = "recap-end-scene"
	recapMerge      keys.Name = "recap-merge"
	recapBeside     keys.Name = "recap-beside"
	recapRecallTest keys.Name = "recap-exam"
	recapRepair     keys.Name = "recap-repair"
)

// Panes implements pane.PaneOwner.
func (r *Part) Panes() []pane.PaneActions {
	return []pane.PaneActions{
		{Name: listName, System: keys.SystemScenes, Actions: newListPane(r).Actions()},
		{Name: recapName, System: keys.SystemScenes, Actions: (&recapPane{part: r}).Actions()},
	}
}

// Actions implements pane.Pane.
func (p *recapPane) Actions() []keys.Action {
	do := func(name keys.Name, f func()) keys.Action {
		return keys.Action{Name: name, Do: func() tea.Cmd { f(); return nil }}
	}
	all := []keys.Action{
		do(keys.PaneUp, func() { p.step(-1) }),
		do(keys.PaneDown, func() { p.step(1) }),
		do(keys.PageUp, func() { p.turn(-1) }),
		do(keys.PageDown, func() { p.turn(1) }),
		do(keys.PaneTop, func() { p.mark(0); p.scroll(-len(p.text)) }),
		do(keys.PaneBottom, func() { p.mark(max(0, p.lastBullet())); p.scroll(len(p.text)) }),
		{Name: keys.PaneEnter, Text: "go to the source message", Hint: "source", Unavailable: p.whyNothing,
			Do: p.source},
		{Name: recapEndScene, Text: "end the scene here", Group: keys.PaneGroup, Keys: []string{"b"},
			OldNames: []keys.Name{"pane-break"},
			Hint:     "end scene here", Visible: func() bool { return p.open && p.of == "" }, Do: p.endScene},
		{Name: keys.PaneStop, Text: "stop the recap", Hint: "cancel", Unavailable: p.whyNoWork, Do: p.cancel},
	}
	all = append(all, keys.When(func() bool { return !p.open && p.version() != nil }, p.onVersion()...)...)
	all = append(all, keys.When(func() bool { return !p.open }, p.making()...)...)
	all = append(all, keys.When(func() bool { return p.shownRecap() != nil },
		keys.Action{Name: keys.PaneCopy, Text: "copy the recap", Hint: "copy", Do: p.copyText})...)
	all = append(all, keys.Action{Name: keys.PaneFilter, Text: "search the recaps", Hint: "search",
		Do: func() tea.Cmd { return p.part.openSearch() }})
	return append(all, p.lacking()...)
}

// lacking returns actions that are not available, each with the reason.
func (p *recapPane) lacking() (all []keys.Action) {
	for _, act := range []keys.Name{keys.PaneEdit, keys.PaneUndo, keys.PaneDiff, keys.PaneCopy,
		keys.PaneRegenerate, keys.PaneInstruct, keys.PaneRename, keys.PaneFold} {
		all = append(all, keys.Action{Name: act, Unavailable: p.whyNothing, Do: func() tea.Cmd { return nil }})
	}
	return keys.When(func() bool { return p.whyNothing() != "" }, all...)
}

// whyNothing returns the reason why there is no recap to work on, "" if there is one or it is being
// read.
func (p *recapPane) whyNothing() string {
	switch {
	case p.open && p.soFar != nil:
		return "an interim recap cannot be changed: it is replaced by the scene's recap when the scene ends"
	case p.open:
		return "this scene is still open; " + p.key(recapEndScene) + " ends it"
	case p.loaded && p.version() == nil:
		return "there is no recap here yet; " + p.key(keys.PaneRegenerate) + " creates one"
	}
	return ""
}

// whyNoWork returns the reason why there is no work to cancel, "" if there is some.
func (p *recapPane) whyNoWork() string {
	if p.job() == nil && !p.view.Working {
		return "nothing is being generated here"
	}
	return ""
}

// making returns the actions that make versions, and those that need none.
func (p *recapPane) making() []keys.Action {
	scene := func() bool { return p.of == "" }
	return []keys.Action{
		{Name: keys.PaneRegenerate, Text: "create a recap", Hint: "create",
			Visible: func() bool { return p.version() == nil && !p.view.Working },
			Do:      func() tea.Cmd { return p.again(scenes.RecapRequest{Force: true}) }},
		{Name: keys.PaneInstruct, Text: "recap in another style",
			Hint: "style", Visible: func() bool { return !p.running() },
			Do: func() tea.Cmd { return p.openStyle() }},
		{Name: keys.PaneRename, Text: "rename the scene", Visible: scene,
			Do: func() tea.Cmd { p.part.openRename(p.view.Scene); return nil }},
		{Name: keys.PaneFold, Text: "show or hide in the chat", Visible: scene,
			Do: func() tea.Cmd { return p.part.fold(p.view.Scene) }},
	}
}

// onVersion returns the actions that need a version.
func (p *recapPane) onVersion() []keys.Action {
	roll := func(step int) func() tea.Cmd { return func() tea.Cmd { return p.stepVersion(step) } }
	merge := keys.NewPaneAction(recapMerge, "pane-merge", "merge into the running recap, or rebuild that", p.merge)
	beside := keys.NewPaneAction(recapBeside, "pane-beside", "compare side by side",
		func() tea.Cmd { return p.compare(true) }, "v")
	beside.Hint = "side by side"
	return []keys.Action{
		{Name: keys.PaneEdit, Text: "edit the recap", Hint: "edit", Do: p.openEditor},
		{Name: keys.PaneLeft, Text: "previous version", Hint: "versions", Until: keys.PaneRight, Do: roll(-1)},
		{Name: keys.PaneRight, Text: "next version", Do: roll(1)},
		{Name: keys.PaneAccept, Text: "restore a left-out fact", Hint: "restore a fact",
			Visible: func() bool { v := p.version(); return p.running() && v != nil && len(v.Dropped) > 0 },
			Do:      p.bringBack},
		{Name: keys.PaneRegenerate, Text: "rebuild it from the scene recaps", Hint: "rebuild",
			Visible: p.running, Do: p.merge},
		{Name: keys.PaneRegenerate, Text: "write another version", Hint: "another",
			Do: func() tea.Cmd { return p.again(scenes.RecapRequest{Force: true}) }},
		{Name: keys.PaneDiff, Text: "what changed since the previous version", Hint: "diff",
			Do: func() tea.Cmd { return p.compare(false) }},
		beside,
		{Name: keys.PaneOutside, Text: "edit in $EDITOR", Do: p.editOutside},
		{Name: keys.PaneUndo, Text: "restore the original text", Do: p.restore},
		merge,
		keys.NewPaneAction(recapRecallTest, "pane-exam", "test recap recall", p.recallTest),
		keys.NewPaneAction(recapRepair, "pane-repair", "new version with the lost facts", p.repair),
	}
}

func (p *recapPane) copyText() tea.Cmd {
	return p.host.Copy(p.shownRecap().Text, "recap")
}

// stepVersion shows the previous or next version and makes it the current one. For a message the
// newest version is always current, so there it only shows it.
func (p *recapPane) stepVersion(step int) tea.Cmd {
	p.updateLive() // it may have ended since the last frame
	at, last := p.shown(), len(p.view.Versions)-1
	j := p.job()
	switch {
	case p.live && step < 0:
		p.wish, p.live = false, false // to the newest finished version
		at, step = last+1, -1
	case p.live:
		return nil
	case at == last && step > 0 && j != nil:
		p.wish, p.follow = true, true
		return nil
	}
	to := at + step
	if to < 0 || to > last {
		words := "this is the newest version; " + p.key(keys.PaneRegenerate) + " creates another"
		if to < 0 {
			words = "this is the first version"
		}
		return p.host.Say(event.Info, words)
	}
	p.pick, p.cycle, p.top = p.view.Versions[to].ID, 0, 0
	if p.message() {
		return nil
	}
	return p.choose()
}

// choose makes the picked version the current one. The last of several picks wins.
func (p *recapPane) choose() tea.Cmd {
	eng := p.host.Engine()
	chat, of, node, id := p.host.Play().Chat().Chat.ID, p.of, p.node, p.pick
	return p.choices.Do(p.host, func() func() tea.Cmd {
		err := eng.Scenes.ChooseRecap(chat, id)
		v, merged, readErr := readRecap(eng.Scenes, chat, of, node)
		return func() tea.Cmd {
			if p.of != of || p.node != node || p.host.Play().Chat().Chat.ID != chat {
				return nil
			}
			if readErr == nil {
				p.reads.Begin() // a running reading is older
				p.setData(v, merged, nil)
			}
			if p.pick == id || err != nil {
				p.pick = ""
			}
			if err != nil {
				return p.host.Fail(err)
			}
			return nil
		}
	})
}

// again requests another version.
func (p *recapPane) again(r scenes.RecapRequest) tea.Cmd {
	if p.running() {
		return p.part.openRebuild()
	}
	if p.job() != nil {
		return p.host.Say(event.Info, "a version is being generated; "+p.key(keys.PaneStop)+" cancels it")
	}
	return p.part.makeRecap(p, r)
}

// makeRecap queues a version of the visible recap. If one with the same inputs exists, the engine
// shows it and reports that.
func (r *Part) makeRecap(p *recapPane, want scenes.RecapRequest) tea.Cmd {
	chat, of, node := r.host.Play().Chat().Chat.ID, p.of, p.node
	p.pick = ""
	return tea.Batch(r.host.Work().Tick(), pane.Try(r.host, func() (err error) {
		if of == storage.MessageRecap {
			_, err = r.host.Engine().Scenes.RecapMessage(chat, node, want)
		} else {
			_, err = r.host.Engine().Scenes.Recap(chat, node, want)
		}
		return err
	}))
}

// merge merges the scene's recap into the running one, or rebuilds that.
func (p *recapPane) merge() tea.Cmd {
	eng := p.host.Engine()
	chat, node := p.host.Play().Chat().Chat.ID, p.node
	switch {
	case p.running():
		return p.part.openRebuild()
	case p.message():
		return p.host.Say(event.Info, "only scene recaps are merged into the running recap")
	}
	return pane.Queue(p.host, "it is being merged into the running recap", func() (storage.OperationID, error) {
		return eng.Scenes.MergeRunning(chat, node)
	})
}

// endScene ends the open scene at the message whose recap was requested, or at the last one.
func (p *recapPane) endScene() tea.Cmd {
	eng := p.host.Engine()
	chat, node := p.host.Play().Chat().Chat.ID, p.node
	if node == "" {
		m, ok := p.host.Play().LastMessage()
		if !ok {
			return p.host.Say(event.Info, "there are no messages yet")
		}
		node = m.ID
	}
	return p.host.Do(func() func() tea.Cmd {
		_, err := eng.Scenes.SetBreak(chat, node, true)
		return func() tea.Cmd {
			if err != nil {
				return p.host.Fail(err)
			}
			if p.host.Panes().Current() != pane.Pane(p) {
				return nil
			}
			p.setTarget("", node)
			return tea.Batch(p.Read(), p.host.Say(event.Info, "the scene ends there"))
		}
	})
}

// cancel cancels the work on this recap.
func (p *recapPane) cancel() tea.Cmd {
	eng := p.host.Engine()
	chat, of, node := p.host.Play().Chat().Chat.ID, p.of, p.node
	shown := *p // the pane may show another one later
	ours := func(op storage.Operation) bool {
		j := pane.NewOperation(op)
		return j.Chat == chat && (shown.makes(op.Type, j.Node) ||
			of == "" && op.Type == "examine_recap" && j.Node == node)
	}
	return p.host.Do(func() func() tea.Cmd {
		ops, err := eng.Queue.List()
		n := 0
		for _, op := range ops {
			if open := op.Status == storage.Pending || op.Status == storage.InProgress; err == nil && open && ours(op) {
				err = eng.Queue.Cancel(op.ID)
				n++
			}
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return p.host.Fail(err)
			case n == 0:
				return p.host.Say(event.Info, "nothing is being generated here")
			}
			return p.host.Say(event.Info, "cancelled; existing versions are kept")
		}
	})
}

// source goes to the source messages of the selected bullet, one after the other.
func (p *recapPane) source() tea.Cmd {
	from, ok := p.bullet()
	if !ok {
		return p.host.Say(event.Info, "no bullet is selected; "+p.key(keys.PaneDown)+" and "+p.key(keys.PaneUp)+
			" select one")
	}
	if len(from) == 0 {
		return p.host.Say(event.Info, "no source message recorded")
	}
	n := p.cycle % len(from)
	p.cycle = n + 1
	words := "source message"
	if len(from) > 1 {
		words = fmt.Sprintf("source message %d of %d · %s goes to the next", n+1, len(from), p.key(keys.PaneEnter))
	}
	return p.goToMessage(from[n], words)
}

// goToMessage shows a message and a notice. Beside the play the pane keeps the focus, so that the
// next enter continues.
func (p *recapPane) goToMessage(node storage.NodeID, words string) tea.Cmd {
	return p.host.Play().Find(node, func(found bool) tea.Cmd {
		switch {
		case p.host.Panes().Current() != pane.Pane(p):
			return nil
		case !found:
			return p.host.Say(event.Info, "the source message is not on the current branch")
		}
		cmd := p.host.Play().JumpTo(node)
		if p.host.Panes().Current() != nil { // it does not cover the messages
			p.host.Panes().Focus()
			p.pointed = true
		}
		return tea.Batch(cmd, p.host.Say(event.Info, words))
	})
}
