// Package scenes is the part of the screen about scenes and recaps: ending a scene and actions on
// scenes, the pane that lists them, the pane of recaps with its comparison, its search and its
// files, and recall tests.
package scenes

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/markdown"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Play is the part's interface to the play, which shows the scenes too.
type Play interface {
	// ReadScenes reads the scenes of the open chat again.
	ReadScenes() tea.Cmd
	// SetScenes shows scenes that were read after a change. A reading that runs meanwhile may be
	// older, and is repeated.
	SetScenes(s scenes.Scenes) tea.Cmd
	// Unfold scrolls to the recap under a scene's last message once it is read; "" cancels that.
	Unfold(last storage.NodeID)
	// Writing reports whether a message is still being written.
	Writing(node storage.NodeID) bool
}

// LoreUndo offers to undo lorebook changes.
type LoreUndo interface {
	// OfferUndo shows a notice about a scene's lorebook changes, if there are any, and how to undo
	// them. lead describes what happened to the scene.
	OfferUndo(chat storage.ChatID, s scenes.Scene, lead string) tea.Cmd
}

// Part is the part of the screen for scenes and recaps.
type Part struct {
	host     pane.Host
	play     Play
	loreUndo LoreUndo
	order    widget.Sequence // of changes of scenes
	news     breakNews
	texts    markdown.Cache // layouts of recaps
}

// New returns the part for its host.
func New(d pane.Host, p Play, l LoreUndo) *Part { return &Part{host: d, play: p, loreUndo: l} }

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	play := func(name keys.Name, words string, do func() tea.Cmd, k ...string) keys.Action {
		return keys.Action{Name: name, Text: words, Group: keys.PlayGroup, Modes: keys.Any, Keys: k, Do: do}
	}
	message := func(name keys.Name, words string, do func(m chats.Message) tea.Cmd, k ...string) keys.Action {
		return keys.Action{Name: name, Text: words, Group: keys.MessageGroup, Modes: keys.Browse, Keys: k,
			Unavailable: pane.NeedsMessage(r.host), Do: pane.OfSelected(r.host, do)}
	}
	undo := play(keys.UndoDetect, "revert detected breaks", r.undoDetection)
	undo.Modes = keys.Browse | keys.Pane
	all := []keys.Action{
		play(keys.PaneScenes, "scenes pane", r.toggleList, "alt+s"),
		play(keys.PaneRecap, "recap of the selected scene", r.toggleRecap, "ctrl+r"),
		play(keys.PaneRunning, "running recap: the story so far", r.toggleRunning, "alt+r"),
		play(keys.DetectAll, "detect scenes in the whole chat", r.openDetect),
		play(keys.RecapMissing, "recap all scenes without a recap", r.recapMissing),
		play(keys.Rebuild, "rebuild the running recap", r.openRebuild),
		play(keys.MemoryRecallTest, "test recap recall", r.testNewestRecall),
		play(keys.SearchRecaps, "search the recaps", r.openSearch),
		play(keys.ExportRecaps, "export the recaps", r.openExport),
		play(keys.ImportRecaps, "import recaps", r.openImport),
		play(keys.StoryClock, "story time", r.openClock),
		play(keys.UndoClock, "undo story time", r.undoClock),
		undo,
		message(keys.Break, "toggle scene break", r.toggleBreak, "b"),
		message(keys.SceneRecap, "recap of this scene", func(m chats.Message) tea.Cmd { return r.recapOf(m, true) }),
		message(keys.MessageRecap, "recap of this message", r.recapMessage),
		message(keys.SceneFold, "show or hide the recap under its scene", r.foldScene),
		message(keys.SceneBefore, "to the start of the scene, or the previous scene",
			func(m chats.Message) tea.Cmd { return r.toScene(m, -1) }, "["),
		message(keys.SceneAfter, "to the next scene", func(m chats.Message) tea.Cmd { return r.toScene(m, 1) }, "]"),
	}
	all = pane.Unless(all, pane.NeedsChat(r.host), keys.DetectAll, keys.StoryClock, keys.UndoClock, keys.UndoDetect,
		keys.ImportRecaps, keys.SearchRecaps)
	all = pane.Unless(all, pane.NeedsScene(r.host), keys.RecapMissing)
	return pane.Unless(all, pane.NeedsRecap(r.host), keys.Rebuild, keys.MemoryRecallTest, keys.ExportRecaps)
}

// Event implements pane.Listener: it reports detected breaks and follows the recap that is being
// made.
func (r *Part) Event(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case scenes.BreakDetected:
		return r.breakDetected(ev)
	case queue.Progressed:
		if p, ok := r.host.Panes().Current().(*recapPane); ok {
			p.progress(ev)
		}
	}
	return nil
}

// ScenesRead implements pane.SceneFollower.
func (r *Part) ScenesRead() {
	if p, ok := r.host.Panes().Current().(*listPane); ok {
		p.follow()
	}
}

func (r *Part) toggleList() tea.Cmd {
	return r.host.Panes().Open(keys.PaneScenes, func() pane.Pane {
		p := newListPane(r)
		if before, ok := r.host.Panes().Current().(*recapPane); ok {
			p.shownBefore = before.node
		}
		p.follow()
		return p
	})
}
