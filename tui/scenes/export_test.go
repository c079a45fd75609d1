package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/markdown"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// What tests of the whole program look at.

type (
	RecapPane = recapPane
	ListPane  = listPane
)

func (p *recapPane) Lines() []markdown.Line { return p.text }
func (p *recapPane) Node() storage.NodeID   { return p.node }
func (p *recapPane) SetWorking()            { p.view.Working = true }
func (p *recapPane) Choosing() bool         { return p.choices.Busy || p.pick != "" }

// Spoil puts a text wherever the version that is shown has one.
func (p *recapPane) Spoil(text string) {
	v := p.version()
	v.Atmosphere, v.EmotionalBeats, v.SceneName, v.Model, v.Style, v.Instruction = text, text, text, text, text, text
	v.Lorebooks = []storage.LoreCandidate{{Name: text, Type: text, Content: text}}
	v.RecallTest = &storage.RecallTest{Model: text, Questions: []storage.RecallQuestion{{Question: text, Expected: text, Answer: text, Lost: true}}}
	p.view.Scene.Name, p.top = text, 1<<20
}

// Dialogs are those of the recap pane that is shown, with a text wherever they have one.
func Dialogs(d pane.Host, text string) []widget.Dialog {
	p := d.Panes().Current().(*recapPane)
	found := newSearch(d, nil)
	found.setHits("x", []scenes.RecapHit{{Kind: storage.SceneRecap, Scene: 1, Name: text, Snippet: text}})
	return []widget.Dialog{p.recallReader(text, p.version().RecallTest), found}
}
