package taste

import (
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// What tests of the whole program look at.

type Pane = tastePane

var CardKey = cardKey

// Stage makes the pane of a chat whose taste was read.
func Stage(d pane.Host, chat storage.ChatID, v taste.View) *Pane {
	p := newPane(d)
	p.Chat = chat
	p.show(storage.ScopeID(chat), v)
	return p
}

func (p *tastePane) show(scope storage.ScopeID, v taste.View) {
	p.setView(scope, v)
	p.Show(itemsOf(&v))
}

func (p *tastePane) Take(v taste.View)           { p.show(p.scope, v) }
func (p *tastePane) View() *taste.View           { return &p.view }
func (p *tastePane) ViewAt() int                 { return p.at }
func (p *tastePane) SetAt(i int)                 { p.ShowView(i) }
func (p *tastePane) ShowRemoved()                { p.removed = true }
func (p *tastePane) Unfold(scene storage.NodeID) { p.open[scene] = true }
func (p *tastePane) LayOut()                     { p.Show(itemsOf(&p.view)) }
func (p *tastePane) Choose(i int)                { p.Pick(i) }
func (p *tastePane) Len() int                    { return len(p.Lines) }
func (p *tastePane) Storing() bool               { return p.Order.Busy }

// Line is the key and the text of a line, "" for a heading.
func (p *tastePane) Line(i int) (key, text string) {
	if n := p.Lines[i]; n >= 0 {
		r := p.row(&p.Items[n], 80)
		return p.Items[n].key, r.Text
	}
	return "", ""
}
