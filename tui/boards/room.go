// Package boards is the room of storyboards: the pane of a scene's storyboard with its
// beats, budget and shots, their forms, its files, and what the model is asked for.
package boards

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Batches follows the batches of captures: sketches are made as one.
type Batches interface {
	// BatchChanged takes over where a batch stands now.
	BatchChanged(b pictures.BatchView)
	// CancelBatch stops the work on all captures of a batch.
	CancelBatch(b pictures.BatchView) tea.Cmd
}

// Room is the room of storyboards.
type Room struct {
	desk     desk.Desk
	batches  Batches
	pictures Pictures
}

// New makes the room on its desk; b is told of sketches, and pictures lays them out.
func New(d desk.Desk, b Batches, pictures Pictures) *Room {
	return &Room{desk: d, batches: b, pictures: pictures}
}

// Actions implements desk.Room.
func (r *Room) Actions() []keys.Action {
	all := []keys.Action{
		{Name: keys.PaneStory, Words: "storyboard of the selected scene", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"alt+h"}, Do: r.toggle},
		{Name: keys.SteerStory, Words: "instruct the storyboard", Group: keys.PlayGroup, Modes: keys.Any, Do: r.steer},
	}
	return desk.Unless(all, desk.NeedsScene(r.desk), keys.SteerStory)
}

// Event implements desk.Listener: it follows what happens to the storyboard that is
// shown.
func (r *Room) Event(ev event.Event) tea.Cmd {
	p, ok := r.desk.Panes().Current().(*pane)
	if !ok {
		return nil
	}
	switch ev := ev.(type) {
	case boards.Changed:
		if ev.Chat == p.Chat && (ev.Node == p.node || p.node == "") {
			return p.Read()
		}
	case boards.AnimaticDrawn:
		p.drawn(ev)
	case pictures.BatchChanged:
		if b := p.view.Batch; b != nil && b.ID == ev.Batch.ID {
			fresh := ev.Batch
			p.view.Batch = &fresh
		}
	}
	return nil
}

// sceneMeant is the last message of the scene that the user looks at: of the
// selected message, or of the row of a list of scenes. It is "" where that scene is
// open, or for none.
func (r *Room) sceneMeant() storage.NodeID {
	switch r.desk.Mode() {
	case keys.Browse:
		if m, ok := r.desk.Play().Selected(); ok {
			s, _ := desk.SceneOf(r.desk.Play().Scenes(), m.Depth)
			return s.Break
		}
	case keys.Pane:
		if p, ok := r.desk.Panes().Current().(desk.SceneList); ok {
			s, _ := p.ChosenScene()
			return s.Break
		}
	}
	return ""
}

// toggle shows the storyboard of the scene that the user looks at, or of the newest
// one that has ended; where that is shown already, the pane closes.
func (r *Room) toggle() tea.Cmd {
	node := r.sceneMeant()
	if p, ok := r.desk.Panes().Current().(*pane); ok && (node == "" || node == p.node) {
		return r.desk.Run(keys.PaneClose)
	}
	_, cmd := r.show(node)
	return cmd
}

// show shows the storyboard of the scene that ends at node, of the newest one for "".
func (r *Room) show(node storage.NodeID) (*pane, tea.Cmd) {
	p := newPane(r.desk, r.batches, r.pictures)
	p.Chat = r.desk.Play().Chat().Chat.ID
	p.aim(node)
	return p, r.desk.Panes().Show(keys.PaneStory, p)
}

// steer asks for a line that steers the storyboard of the scene that the user looks
// at.
func (r *Room) steer() tea.Cmd {
	if p, ok := r.desk.Panes().Current().(*pane); ok && p.node != "" {
		return p.openSteer()
	}
	p, cmd := r.show(r.sceneMeant())
	return tea.Batch(cmd, p.openSteer())
}
