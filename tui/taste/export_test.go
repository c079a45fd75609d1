package taste

import (
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
)

// What tests of the whole program look at.

type Pane = pane

var CardKey = cardKey

// Stage makes the pane of a chat whose taste was read.
func Stage(d desk.Desk, chat storage.ChatID, v taste.View) *Pane {
	p := newPane(d)
	p.Chat = chat
	p.show(storage.ScopeID(chat), v)
	return p
}

func (p *pane) show(scope storage.ScopeID, v taste.View) {
	p.take(scope, v)
	p.Show(itemsOf(&v))
}

func (p *pane) Take(v taste.View)           { p.show(p.scope, v) }
func (p *pane) View() *taste.View           { return &p.view }
func (p *pane) ViewAt() int                 { return p.at }
func (p *pane) SetAt(i int)                 { p.ShowView(i) }
func (p *pane) ShowRemoved()                { p.removed = true }
func (p *pane) Unfold(scene storage.NodeID) { p.open[scene] = true }
func (p *pane) LayOut()                     { p.Show(itemsOf(&p.view)) }
func (p *pane) Choose(i int)                { p.Pick(i) }
func (p *pane) Len() int                    { return len(p.Lines) }
func (p *pane) Storing() bool               { return p.Order.Busy }

// Line is the key and the text of a line, "" for a heading.
func (p *pane) Line(i int) (key, text string) {
	if n := p.Lines[i]; n >= 0 {
		r := p.row(&p.Items[n], 80)
		return p.Items[n].key, r.Text
	}
	return "", ""
}
