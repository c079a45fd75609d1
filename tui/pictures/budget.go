package pictures

import (
	"cmp"
	"slices"
)

// memoryUse limits the memory of pictures. The zero value is the default.
type memoryUse struct {
	own      int // bytes in the program
	terminal int // bytes that the terminal holds
}

const (
	maxOwnBytes      = 64 << 20
	maxTerminalBytes = 192 << 20
)

// measure returns the memory of a picture, in the program and in the terminal.
func (p *Display) measure(s *cachedPicture) (here, there int) {
	here = weighContent(s)
	for _, z := range s.sizes {
		for _, l := range z.cells {
			here += len(l)
		}
		here += p.overlay.bytes(z.id)
		there += z.held
	}
	return here, there
}

func weighContent(s *cachedPicture) int {
	if s.img == nil {
		return 0
	}
	return 4*s.img.Bounds().Dx()*s.img.Bounds().Dy() + len(s.png)
}

// trim drops the pictures that were not shown for the longest time until the limits are met.
// Pictures of the current frame stay.
func (p *Display) trim() {
	limit := memoryUse{cmp.Or(p.budget.own, maxOwnBytes), cmp.Or(p.budget.terminal, maxTerminalBytes)}
	var here, there int
	for _, s := range p.pictures {
		h, t := p.measure(s)
		here, there = here+h, there+t
	}
	if here <= limit.own && there <= limit.terminal {
		return
	}
	var old []*cachedPicture
	for _, s := range p.pictures {
		if s.frame < p.frame-1 {
			old = append(old, s)
		}
	}
	slices.SortFunc(old, func(x, y *cachedPicture) int { return cmp.Compare(x.frame, y.frame) })
	for _, s := range old { // layouts can show everything except another size
		if here <= limit.own {
			break
		}
		here -= weighContent(s)
		s.img, s.png, s.requested = nil, nil, false
	}
	for _, s := range old {
		if here <= limit.own && there <= limit.terminal {
			break
		}
		h, t := p.measure(s)
		here, there = here-h, there-t
		s.img, s.png, s.requested = nil, nil, false
		p.drop(s)
	}
}
