// Package boards is the part of the screen about storyboards: the pane of a scene's storyboard with its
// beats, budget and shots, their forms, its files, and what the model is asked for.
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

// Batches follows the batches of captures: sketches are made as one.
type Batches interface {
	// BatchChanged takes over where a batch stands now.
	BatchChanged(b pictures.BatchView)
	// CancelBatch stops the work on all captures of a batch.
	CancelBatch(b pictures.BatchView) tea.Cmd
}

// Part is the part of the screen about storyboards.
type Part struct {
	host     pane.Host
	batches  Batches
	pictures Pictures
}

// New makes it for its host; b is told of sketches, and pictures lays them out.
func New(d pane.Host, b Batches, pictures Pictures) *Part {
	return &Part{host: d, batches: b, pictures: pictures}
}

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	all := []keys.Action{
		{Name: keys.PaneStory, Words: "storyboard of the selected scene", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"alt+h"}, Do: r.toggle},
		{Name: keys.SteerStory, Words: "instruct the storyboard", Group: keys.PlayGroup, Modes: keys.Any, Do: r.steer},
	}
	return pane.Unless(all, pane.NeedsScene(r.host), keys.SteerStory)
}

// Event implements pane.Listener: it follows what happens to the storyboard that is
// shown.
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

// currentScene is the last message of the scene that the user looks at: of the
// selected message, or of the row of a list of scenes. It is "" where that scene is
// open, or for none.
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

// toggle shows the storyboard of the scene that the user looks at, or of the newest
// one that has ended; where that is shown already, the pane closes.
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

// steer asks for a line that steers the storyboard of the scene that the user looks
// at.
func (r *Part) steer() tea.Cmd {
	if p, ok := r.host.Panes().Current().(*boardPane); ok && p.node != "" {
		return p.openSteer()
	}
	p, cmd := r.show(r.currentScene())
	return tea.Batch(cmd, p.openSteer())
}
