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
	p.chat, p.loaded, p.open = chat, true, map[storage.NodeID]bool{}
	p.take(storage.ScopeID(chat), v)
	return p
}

func (p *pane) Take(v taste.View)           { p.take(p.scope, v) }
func (p *pane) View() *taste.View           { return &p.view }
func (p *pane) At() int                     { return p.at }
func (p *pane) SetAt(i int)                 { p.at = i }
func (p *pane) ShowRemoved()                { p.all = true }
func (p *pane) Unfold(scene storage.NodeID) { p.open[scene] = true }
func (p *pane) LayOut()                     { p.layOut() }
func (p *pane) GoTo(key string)             { p.list().goTo(key) }
func (p *pane) Choose(i int)                { p.list().Choose(i) }
func (p *pane) Len() int                    { return len(p.list().items) }
func (p *pane) Wish(key string)             { p.list().wish = key }
func (p *pane) Storing() bool               { return p.Order.Busy }

// Chosen is the key of the chosen row, "" for none.
func (p *pane) Chosen() string {
	if it := p.list().item(); it != nil {
		return it.key
	}
	return ""
}

// Row is the key and the first line of a row.
func (p *pane) Row(i int) (key, text string) {
	it := p.list().items[i]
	return it.key, it.lines[0].text
}
