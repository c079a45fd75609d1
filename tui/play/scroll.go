package play

// place puts the top of item i at a row of the view, which may lie above it, or
// as near to it as what follows allows.
func (p *List) place(i, row int) {
	avail := max(1, p.Height) - row
	have := 0
	for j := i; j <= p.rangeEnd(i); j++ {
		if have += p.HeightOf(j); have >= avail {
			p.Anchor, p.Below = j, have-avail
			p.clampScroll()
			return
		}
	}
	p.Anchor, p.Below = p.rangeEnd(i), 0
	p.clampScroll()
}

// ToTop selects a message and shows it at the top of the view.
func (p *List) ToTop(i int) {
	p.Selected = i
	p.place(i, 0)
}

// KeepInPlace makes a change that heights depend on. While the end of the list is not
// in view, the message that is selected, or else the lowest one, stays where it
// is.
func (p *List) KeepInPlace(change func()) {
	i := p.Anchor
	if p.Selected >= p.rangeStart(i) && p.Selected < i && i-p.Selected < p.Height {
		i = p.Selected
	}
	if p.Follow || i < 0 || i >= len(p.Items) || p.Anchor >= len(p.Items) {
		change()
		return
	}
	top := func() int {
		row := p.Height + p.Below
		for j := i; j <= p.Anchor; j++ {
			row -= p.HeightOf(j)
		}
		return row
	}
	before := top()
	change()
	if before < p.Height && top() != before {
		p.place(i, before)
	}
}

// Unfold brings what stands under a message into view, from its scene's line on.
func (p *List) Unfold(i int) {
	if i < 0 {
		return
	}
	h := p.HeightOf(i)
	if own := p.Items[i].own; h-own > p.Height {
		p.place(i, -own)
		return
	}
	p.Reveal(i)
	if i == p.Anchor && p.Below > 0 || i > p.Anchor {
		p.Anchor, p.Below = i, 0
		p.clampScroll()
	}
}
