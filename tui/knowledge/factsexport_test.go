package knowledge

import "ghostlight/engine/knowledge"

// What tests of the whole program look at.
type Pane = pane

// Fill puts what is known into the pane, without the store.
func (p *pane) Fill(v knowledge.View) {
	p.Rows = p.take(v)
	p.Loaded, p.Fault, p.Busy, p.Again = true, nil, false, false
	p.Lay("")
}
