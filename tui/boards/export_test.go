package boards

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// What tests of the whole program look at.

type (
	Pane   = boardPane
	Params = params
)

var (
	ToolCall = toolCall
)

// Stage makes the pane of a scene whose storyboard was read.
func Stage(d pane.Host, v boards.View) *Pane {
	p := newPane(d, nil, nil)
	p.Chat = d.Play().Chat().Chat.ID
	p.Take(v)
	return p
}

// Take shows a storyboard as that of the second scene.
func (p *boardPane) Take(v boards.View) {
	p.node = "n2"
	v.Chat, v.Node = p.Chat, p.node
	v.Scene = scenes.Scene{Number: 2, Name: "The Next Morning", Break: p.node}
	p.setView(v)
}

// TakeNone shows a chat without a scene that has ended.
func (p *boardPane) TakeNone() {
	p.setView(boards.View{Chat: p.Chat})
	p.node, p.noScene = "", true
}

// Talk sets the earlier steering lines and results.
func (p *boardPane) Talk(talk []storage.BoardTalk) { p.view.Talk = talk }

func (p *boardPane) Changing() bool                       { return p.changing }
func (p *boardPane) View() *boards.View                   { return &p.view }
func (p *boardPane) Shot() *storage.Shot                  { return p.shot() }
func (p *boardPane) News(talk []storage.BoardTalk) string { return p.steerResult(talk) }

// HeadText returns the text under the stages.
func (p *boardPane) HeadText(w int) (text string) {
	for _, l := range p.headLines(w) {
		text += l.text + "\n"
	}
	return text
}

// PlayAt shows a moment of a shot, stopped.
func (p *boardPane) PlayAt(id storage.ShotID, at time.Duration) {
	p.playing = &player{shot: id, at: at}
}

// Playing returns which shot is played, "" for none, whether it goes on, and how often it
// was set going or stopped.
func (p *boardPane) Playing() (shot storage.ShotID, running bool, turn int) {
	if p.playing == nil {
		return "", false, 0
	}
	return p.playing.shot, p.playing.running, p.playing.run
}

// Pictured gives the pane pictures.
func (p *boardPane) Pictured(pictures Pictures) { p.pictures = pictures }
