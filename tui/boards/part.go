// Package boards is the part of the screen for storyboards: the pane of a scene's storyboard, its
// forms, its files, and its requests to the model.
package boards

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Batches updates the batches of captures, which sketches are made as.
type Batches interface {
	// BatchChanged updates a batch.
	BatchChanged(b pictures.BatchView)
	// CancelBatch stops the work on all captures of a batch.
	CancelBatch(b pictures.BatchView) tea.Cmd
}

// Part is the part of the screen for storyboards.
type Part struct {
	host     pane.Host
	batches  Batches
	pictures Pictures
}

// New returns the part for a host; b is informed of sketches, and pictures lays them out.
func New(d pane.Host, b Batches, pictures Pictures) *Part {
	return &Part{host: d, batches: b, pictures: pictures}
}

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	all := []keys.Action{
		{Name: keys.PaneStory, Text: "storyboard of the selected scene", Group: keys.PlayGroup, Modes: keys.Any,
			Keys: []string{"alt+h"}, Do: r.toggle},
		{Name: keys.SteerStory, Text: "instruct the storyboard", Group: keys.PlayGroup, Modes: keys.Any, Do: r.steer},
	}
	return pane.Unless(all, pane.NeedsScene(r.host), keys.SteerStory)
}

// Event implements pane.Listener: it follows changes of the shown storyboard.
func (r *Part) Event(ev event.Event) tea.Cmd {
	p, ok := r.host.Panes().Current().(*boardPane)
	if !ok {
		return nil
	}
	switch ev := ev.(type) {
	case boards.Changed:
		if ev.Chat == p.Chat && (ev.Node == p.node || p.node == "") {
			return p.Read()
		}
	case boards.AnimaticProgress:
		p.filmProgress(ev)
	case pictures.BatchChanged:
		if b := p.view.Batch; b != nil && b.ID == ev.Batch.ID {
			fresh := ev.Batch
			p.view.Batch = &fresh
		}
	}
	return nil
}

// currentScene returns the last message of the scene that the user is viewing: that of the
// selected message, or of a row in a list of scenes. It is "" if that scene is open, or for none.
func (r *Part) currentScene() storage.NodeID {
	switch r.host.Mode() {
	case keys.Browse:
		if m, ok := r.host.Play().Selected(); ok {
			s, _ := pane.SceneOf(r.host.Play().Scenes(), m.Depth)
			return s.Break
		}
	case keys.Pane:
		if p, ok := r.host.Panes().Current().(pane.SceneList); ok {
			s, _ := p.ChosenScene()
			return s.Break
		}
	}
	return ""
}

// toggle shows the storyboard of the scene that the user is viewing, or of the newest ended one;
// if it is shown already, the pane closes.
func (r *Part) toggle() tea.Cmd {
	node := r.currentScene()
	if p, ok := r.host.Panes().Current().(*boardPane); ok && (node == "" || node == p.node) {
		return r.host.Run(keys.PaneClose)
	}
	_, cmd := r.show(node)
	return cmd
}

// show shows the storyboard of the scene that ends at node, of the newest one for "".
func (r *Part) show(node storage.NodeID) (*boardPane, tea.Cmd) {
	p := newPane(r.host, r.batches, r.pictures)
	p.Chat = r.host.Play().Chat().Chat.ID
	p.selectScene(node)
	return p, r.host.Panes().Show(keys.PaneStory, p)
}

// steer asks for a steering line for the scene that the user is viewing.
func (r *Part) steer() tea.Cmd {
	if p, ok := r.host.Panes().Current().(*boardPane); ok && p.node != "" {
		return p.openSteer()
	}
	p, cmd := r.show(r.currentScene())
	return tea.Batch(cmd, p.openSteer())
}
