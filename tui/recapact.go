package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
)

func (p *recapPane) act(act keys.Action, a *app) tea.Cmd {
	p.enliven(a) // it may have ended since the last frame
	switch act {
	case keys.PaneUp:
		p.step(-1)
	case keys.PaneDown:
		p.step(1)
	case keys.PaneTop:
		p.mark(0)
		p.scroll(-len(p.text))
	case keys.PaneBottom:
		p.mark(max(0, p.lastBullet()))
		p.scroll(len(p.text))
	case keys.PaneSwitch:
		return p.other(a)
	case keys.PaneFind:
		return a.openRecapSearch()
	case keys.PaneBreak:
		return p.toggleBreak(a)
	case keys.PaneCancel:
		return p.cancel(a)
	default:
		if p.open {
			return a.Say(event.Info, "this scene is still open; b ends it")
		}
		return p.work(act, a)
	}
	return nil
}

// work is what makes versions and what can be done with one.
func (p *recapPane) work(act keys.Action, a *app) tea.Cmd {
	switch act {
	case keys.PaneRetry, keys.PaneRecapIt:
		return p.again(scenes.RecapRequest{}, a)
	case keys.PaneAll:
		return p.again(scenes.RecapRequest{Force: true}, a)
	case keys.PaneAgain:
		return p.openStyle(a)
	case keys.PaneRename:
		if p.of != "" {
			return a.Say(event.Info, "only a scene has a name")
		}
		a.openRenameScene(p.view.Scene)
		return nil
	case keys.PaneFold:
		if p.of != "" {
			return nil
		}
		return a.fold(p.view.Scene)
	}
	if !p.loaded {
		return nil // what the key was meant for is being read
	}
	if p.version() == nil {
		return a.Say(event.Info, "there is no recap here yet; r makes one")
	}
	return p.onVersion(act, a)
}

// onVersion does what needs a version.
func (p *recapPane) onVersion(act keys.Action, a *app) tea.Cmd {
	v := p.version()
	switch act {
	case keys.PaneLeft:
		return p.roll(-1, a)
	case keys.PaneRight:
		return p.roll(1, a)
	case keys.PaneEnter:
		return p.source(a)
	case keys.PaneEdit:
		return p.openEditor(a)
	case keys.PaneSystem:
		return p.editOutside(a)
	case keys.PaneRestore:
		return p.restore(a)
	case keys.PaneDiff:
		return p.compare(false, a)
	case keys.PaneBeside:
		return p.compare(true, a)
	case keys.PaneMerge:
		return p.merge(a)
	case keys.PaneExam:
		return p.exam(a)
	case keys.PaneRepair:
		return p.repair(a)
	case keys.PaneCopy:
		return tea.Batch(a.Copy(v.Text), a.Say(event.Info, "recap copied"))
	}
	return nil
}

// other goes from a scene's recap to the running one and back.
func (p *recapPane) other(a *app) tea.Cmd {
	if p.running() || p.message() {
		p.aim("", p.scene)
	} else {
		p.aim(storage.RunningRecap, "")
	}
	return p.read(a)
}

// roll shows the version before or after and makes it the current one. Of a
// message the newest one always counts, so there it only shows it.
func (p *recapPane) roll(step int, a *app) tea.Cmd {
	at, last := p.shown(), len(p.view.Versions)-1
	j := p.job(a)
	switch {
	case p.live && step < 0:
		p.wish, p.live = false, false // to the newest that is finished
		at, step = last+1, -1
	case p.live:
		return nil
	case at == last && step > 0 && j != nil:
		p.wish, p.follow = true, true
		return nil
	}
	to := at + step
	if to < 0 || to > last {
		words := "this is the newest version; r makes another"
		if to < 0 {
			words = "this is the first version"
		}
		return a.Say(event.Info, words)
	}
	p.pick, p.cycle, p.top = p.view.Versions[to].ID, 0, 0
	if p.message() || p.choosing {
		return nil
	}
	return p.choose(a)
}

// choose makes the picked version the current one. Picks that come while one is
// being stored follow it, so that the last one wins.
func (p *recapPane) choose(a *app) tea.Cmd {
	p.choosing = true
	chat, of, node, id := a.view.Chat.ID, p.of, p.node, p.pick
	return a.Do(func() func() tea.Cmd {
		err := a.eng.Scenes.ChooseRecap(chat, id)
		v, merged, readErr := readRecap(a.eng, chat, of, node)
		return func() tea.Cmd {
			p.choosing = false
			if p.of != of || p.node != node || a.view.Chat.ID != chat {
				return nil
			}
			if readErr == nil {
				p.reads.Begin() // what is being read is older
				p.take(v, merged, nil)
			}
			switch {
			case err != nil:
				p.pick = ""
				return a.Fail(err)
			case p.pick != id && p.pick != "":
				return p.choose(a)
			}
			p.pick = ""
			return nil
		}
	})
}

// again has another version made.
func (p *recapPane) again(r scenes.RecapRequest, a *app) tea.Cmd {
	if p.running() {
		return a.openRebuild()
	}
	if p.job(a) != nil && !r.Force {
		return a.Say(event.Info, "a version is being made; x cancels it")
	}
	return a.makeRecap(p, r)
}

// makeRecap queues a version of the recap that a pane shows. Where one of the
// very same inputs is there, the engine shows that and says so.
func (a *app) makeRecap(p *recapPane, r scenes.RecapRequest) tea.Cmd {
	chat, of, node := a.view.Chat.ID, p.of, p.node
	p.pick = ""
	return tea.Batch(a.Tick(), desk.Try(a, func() (err error) {
		if of == storage.MessageRecap {
			_, err = a.eng.Scenes.RecapMessage(chat, node, r)
		} else {
			_, err = a.eng.Scenes.Recap(chat, node, r)
		}
		return err
	}))
}

// merge puts the scene's recap into the running one, or rebuilds that.
func (p *recapPane) merge(a *app) tea.Cmd {
	chat, node := a.view.Chat.ID, p.node
	switch {
	case p.running():
		return a.openRebuild()
	case p.message():
		return a.Say(event.Info, "only a scene's recap goes into the running recap")
	}
	return a.queued("it is being merged into the running recap", func() (storage.OperationID, error) {
		return a.eng.Scenes.MergeRunning(chat, node)
	})
}

// toggleBreak ends the open scene, or takes the end of this one away.
func (p *recapPane) toggleBreak(a *app) tea.Cmd {
	chat, node := a.view.Chat.ID, p.node
	switch {
	case p.of != "":
		return nil
	case !p.open:
		if p.fault == nil {
			return a.dropBreak(p.view.Scene, a.keys.Key(keys.PaneBreak, keys.Pane))
		}
	case node == "":
		if len(a.play.Items) == 0 {
			return a.Say(event.Info, "there is no message yet")
		}
		node = a.play.Items[len(a.play.Items)-1].Msg.ID
	}
	return a.Do(func() func() tea.Cmd {
		_, err := a.eng.Scenes.SetBreak(chat, node, true)
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			if !a.shows(p) {
				return nil
			}
			p.aim("", node)
			return tea.Batch(p.read(a), a.Say(event.Info, "the scene ends there · r makes its recap"))
		}
	})
}

// cancel ends the work on this recap.
func (p *recapPane) cancel(a *app) tea.Cmd {
	chat, of, node := a.view.Chat.ID, p.of, p.node
	ours := func(op storage.Operation) bool {
		j := newJob(op)
		return j.Chat == chat && (p.makes(op.Type, j.Node) || of == "" && op.Type == "examine_recap" && j.Node == node)
	}
	return a.Do(func() func() tea.Cmd {
		ops, err := a.eng.House.Operations()
		n := 0
		for _, op := range ops {
			if open := op.Status == storage.Pending || op.Status == storage.InProgress; err == nil && open && ours(op) {
				err = a.eng.House.QueueCancel(op.ID)
				n++
			}
		}
		return func() tea.Cmd {
			switch {
			case err != nil:
				return a.Fail(err)
			case n == 0:
				return a.Say(event.Info, "nothing is being made here")
			}
			return a.Say(event.Info, "cancelled; the versions that are there stay")
		}
	})
}

// source goes to the message that the chosen bullet came from; each time to
// the next one of them.
func (p *recapPane) source(a *app) tea.Cmd {
	from, ok := p.bullet()
	if !ok {
		return a.Say(event.Info, "no bullet is chosen; j and k go through them")
	}
	if len(from) == 0 {
		return a.Say(event.Info, "nothing says which message this came from")
	}
	n := p.cycle % len(from)
	p.cycle = n + 1
	words := "this came from here"
	if len(from) > 1 {
		words = fmt.Sprintf("message %d of %d that this came from · enter goes to the next", n+1, len(from))
	}
	return p.reach(from[n], words, a)
}

// reach shows a message in the play and says something. Beside the play the pane
// keeps the keys, so that the next enter goes on.
func (p *recapPane) reach(node storage.NodeID, words string, a *app) tea.Cmd {
	if a.play.Find(node) < 0 && a.play.More {
		first, had := a.play.First(), len(a.play.Items)
		return a.loadOlder(searchStep, func() tea.Cmd {
			if !a.shows(p) || len(a.play.Items) == had && a.play.First() == first {
				return nil
			}
			return p.reach(node, words, a)
		})
	}
	if a.play.Find(node) < 0 {
		return a.Say(event.Info, "the message that this came from is not on the path that is shown")
	}
	cmd := a.JumpTo(node)
	if a.pane != nil {
		a.mode = keys.Pane
		p.pointed = true
	}
	return tea.Batch(cmd, a.Say(event.Info, words))
}

// pointing tells whether the play shows where a bullet or a fact came from, while
// the pane has the keys.
func (a *app) pointing() bool {
	if p, ok := a.pane.(desk.Pointer); ok {
		return p.Pointing() && a.mode == keys.Pane
	}
	switch p := a.old().(type) {
	case *recapPane:
		return p.pointed && a.mode == keys.Pane
	case *lorePane:
		return a.toasts.pointed == p && a.mode == keys.Pane
	}
	return false
}
