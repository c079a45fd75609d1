package boards

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
)

// What tests of the whole program look at.

type (
	Pane   = pane
	Params = params
)

var (
	ToolCall      = toolCall
	ChangedFields = changedFields
)

// Stage makes the pane of a scene whose storyboard was read.
func Stage(d desk.Desk, v boards.View) *Pane {
	p := newPane(d, nil, nil)
	p.Chat = d.Play().Chat().Chat.ID
	p.Take(v)
	return p
}

// Take shows a storyboard as that of the second scene.
func (p *pane) Take(v boards.View) {
	p.node = "n2"
	v.Chat, v.Node = p.Chat, p.node
	v.Scene = scenes.Scene{Number: 2, Name: "The Next Morning", Break: p.node}
	p.take(v)
}

// TakeNone shows a chat without a scene that has ended.
func (p *pane) TakeNone() {
	p.take(boards.View{Chat: p.Chat})
	p.node, p.none = "", true
}

// Talk is what was said, and told, before.
func (p *pane) Talk(talk []storage.BoardTalk) { p.view.Talk = talk }

func (p *pane) Changing() bool                       { return p.changing }
func (p *pane) View() *boards.View                   { return &p.view }
func (p *pane) Shot() *storage.Shot                  { return p.shot() }
func (p *pane) News(talk []storage.BoardTalk) string { return p.news(talk) }
func (p *pane) OpenShot(keep func(storage.Shot)) {
	p.openShot("Edit shot", p.view.Shots[0], func(s storage.Shot) []storage.ToolCall { keep(s); return nil })
}

// HeadText is what stands under the stages.
func (p *pane) HeadText(w int) (text string) {
	for _, l := range p.headLines(w) {
		text += l.text + "\n"
	}
	return text
}

// PlayAt shows a moment of a shot, stopped.
func (p *pane) PlayAt(id storage.ShotID, at time.Duration) {
	p.playing = &player{shot: id, at: at}
}

// Playing is which shot is played, "" for none, whether it goes on, and how often it
// was set going or stopped.
func (p *pane) Playing() (shot storage.ShotID, running bool, turn int) {
	if p.playing == nil {
		return "", false, 0
	}
	return p.playing.shot, p.playing.running, p.playing.turn
}

// Pictured gives the pane pictures.
func (p *pane) Pictured(pictures Pictures) { p.pictures = pictures }
