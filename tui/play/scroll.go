package play

// place puts the top of item i at a row of the view, which may be above it, or as near to it as the
// following items allow.
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

// KeepInPlace makes a change that affects heights. While the end of the list is not in view, the
// selected message, or else the lowest one, keeps its place.
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

// Unfold scrolls to the lines under a message, from its scene's line on.
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
