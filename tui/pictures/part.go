// Package pictures is the part of the screen for pictures: the captures of a chat and the gallery,
// the forms that create them, and the display that lays them out for the terminal.
package pictures

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/process"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Part is the part of the screen for pictures.
type Part struct {
	host      pane.Host
	play      Play
	display   *Display
	batching  batchLoader
	live      map[storage.OperationID]*livePreview
	requested map[storage.CaptureID]bool // painted because somebody requested them
}

// Play is the part's interface to the chat.
type Play interface {
	// CastNames returns the names of the cast of the open chat, as far as they are known.
	CastNames() []string
	// LastSpeaker returns the character who spoke last, and the style of its name; "" if there is
	// none.
	LastSpeaker() (name string, st uv.Style)
}

// New returns the part for a host.
func New(d pane.Host, p Play) *Part {
	return &Part{host: d, play: p, display: NewDisplay(d), live: map[storage.OperationID]*livePreview{},
		requested: map[storage.CaptureID]bool{}}
}

// Display returns the display that lays pictures out for the terminal.
func (r *Part) Display() *Display { return r.display }

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	const play = keys.PlayGroup
	all := []keys.Action{
		{Name: keys.Capture, Text: "capture the scene", Group: play, Modes: keys.Any, Keys: []string{"ctrl+g"},
			Do: r.captureScene},
		{Name: keys.Ask, Text: "picture of something you describe", Group: play, Modes: keys.Any, Do: r.openRequested},
		{Name: keys.CaptureHere, Text: "capture the selected message", Group: play, Modes: keys.Browse,
			Keys: []string{"c"}, Unavailable: pane.NeedsMessage(r.host), Do: pane.OfSelected(r.host, r.captureMessage)},
		{Name: keys.CaptureVideo, Text: "video of the current scene", Group: play, Modes: keys.Write | keys.Browse,
			Keys: []string{"alt+v"}, Do: r.captureVideo},
		{Name: keys.CaptureAngles, Text: "several camera angles", Group: play, Modes: keys.Any, Do: r.openAngles},
		{Name: keys.CaptureSeries, Text: "captures throughout the chat", Group: play, Modes: keys.Any,
			Do: r.openCaptureSeries},
		{Name: keys.Continuity, Text: "continuity sheet", Group: play, Modes: keys.Any, Keys: []string{"alt+t"},
			Do: r.openContinuity},
		{Name: keys.Workflows, Text: "workflows", Group: play, Modes: keys.Any, Do: r.openWorkflows},
		{Name: keys.SendDrafts, Text: "send pending captures", Group: play, Modes: keys.Any, Do: r.sendDrafts},
		{Name: keys.ContactSheet, Text: "contact sheet of this chat", Group: play, Modes: keys.Any,
			Do: r.openContactSheet},
		{Name: keys.PaneCaptures, Text: "gallery: all captures", Group: play, Modes: keys.Any, Keys: []string{"f2"},
			Do: r.toggleGallery},
		{Name: keys.Open, Text: "open picture", Group: keys.MessageGroup, Modes: keys.Browse, Keys: []string{"o"},
			Unavailable: pane.NeedsMessage(r.host), Do: pane.OfSelected(r.host, r.openPicture)},
	}
	all = pane.Unless(all, pane.NeedsChat(r.host), keys.Capture, keys.Ask, keys.CaptureVideo, keys.CaptureAngles,
		keys.CaptureSeries, keys.Continuity, keys.ContactSheet)
	return pane.Unless(all, pane.OfMessage(r.host, func(m chats.Message) string {
		if m.Picture == nil {
			return "this message has no picture; " + pane.PathTo(r.host, keys.CaptureHere) + " creates one"
		}
		return ""
	}), keys.Open)
}

func (r *Part) toggleGallery() tea.Cmd {
	return r.host.Panes().Open(keys.PaneCaptures, func() pane.Pane { return newGallery(r) })
}

// gallery returns the open gallery, nil if it is not open.
func (r *Part) gallery() *gallery {
	g, _ := r.host.Panes().Current().(*gallery)
	return g
}

// Event implements pane.Listener.
func (r *Part) Event(ev event.Event) tea.Cmd {
	var cmd tea.Cmd
	switch ev := ev.(type) {
	case pictures.CaptureChanged:
		cmd = r.captureChanged(ev.Capture)
	case pictures.BatchChanged:
		r.BatchChanged(ev.Batch)
	case pictures.PictureRequested:
		cmd = r.confirmRequested(ev.Capture)
	case pictures.ContinuityChanged:
		cmd = r.factsChanged(ev.Chat)
	case queue.Changed:
		if ev.Operation.Status != storage.InProgress {
			delete(r.live, ev.Operation.ID)
		}
	case queue.Progressed:
		cmd = r.progressed(ev)
	}
	if g := r.gallery(); g != nil {
		return tea.Batch(cmd, g.event(ev))
	}
	return cmd
}

// openPicture opens a message's picture in the system's viewer.
func (r *Part) openPicture(m chats.Message) tea.Cmd {
	if m.Picture == nil {
		return r.host.Say(event.Info, "this message has no picture")
	}
	return r.openFile(*m.Picture)
}

func (r *Part) openFile(c storage.Capture) tea.Cmd {
	if c.ImagePath == "" {
		return r.host.Say(event.Info, "this capture has no picture yet")
	}
	return r.host.Do(func() func() tea.Cmd {
		path, plain, err := r.host.Engine().Pictures.Gallery.ViewablePath(c)
		if err != nil {
			return func() tea.Cmd { return r.host.Fail(err) }
		}
		err = process.Open(path)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Say(event.Info, "the picture is in "+path)
			}
			if plain {
				return r.host.Say(event.Info, fmt.Sprintf("opened %s, a copy that is not encrypted", path))
			}
			return r.host.Say(event.Info, fmt.Sprintf("opened %s", path))
		}
	})
}
