package pictures

import (
	"cmp"
	"slices"
)

// budget is how much memory pictures may take. The zero value is the usual one.
type budget struct {
	here  int // bytes of the program's own
	there int // bytes that the terminal holds
}

const (
	usualHere  = 64 << 20
	usualThere = 192 << 20
)

// weigh is what a picture takes, in the program and in the terminal.
func (p *Display) weigh(s *shownPicture) (here, there int) {
	here = weighContent(s)
	for _, z := range s.sizes {
		for _, l := range z.cells {
			here += len(l)
		}
		here += p.overlay.weigh(z.id)
		there += z.held
	}
	return here, there
}

func weighContent(s *shownPicture) int {
	if s.img == nil {
		return 0
	}
	return 4*s.img.Bounds().Dx()*s.img.Bounds().Dy() + len(s.png)
}

// trim forgets pictures that were not seen for the longest time, until the others
// fit into the budget. What the present frame shows stays.
func (p *Display) trim() {
	limit := budget{cmp.Or(p.budget.here, usualHere), cmp.Or(p.budget.there, usualThere)}
	var here, there int
	for _, s := range p.shown {
		h, t := p.weigh(s)
		here, there = here+h, there+t
	}
	if here <= limit.here && there <= limit.there {
		return
	}
	var old []*shownPicture
	for _, s := range p.shown {
		if s.frame < p.frame-1 {
			old = append(old, s)
		}
	}
	slices.SortFunc(old, func(x, y *shownPicture) int { return cmp.Compare(x.frame, y.frame) })
	for _, s := range old { // from a layout everything can be shown but another size
		if here <= limit.here {
			break
		}
		here -= weighContent(s)
		s.img, s.png, s.asked = nil, nil, false
	}
	for _, s := range old {
		if here <= limit.here && there <= limit.there {
			break
		}
		h, t := p.weigh(s)
		here, there = here-h, there-t
		s.img, s.png, s.asked = nil, nil, false
		p.drop(s)
	}
}
