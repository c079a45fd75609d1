package pictures

import (
	"image"
	"image/color"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"

	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/picture"
)

// overlay draws pictures with Sixel or iTerm2's inline images over cells that reserve their place.
// These are the cells of Kitty's placeholders, because each part of them is unique.
type overlay struct {
	drawn map[uint32]*overlayPicture
}

// overlayPicture is a picture in screen pixels. It is empty until they are rendered.
type overlayPicture struct {
	cell    picture.Cell
	sixel   *image.Paletted
	iterm   *image.RGBA
	encoded map[uv.Rectangle]string // parts that were drawn
	weight  int                     // of encoded
}

// maxEncodedParts limits how many encoded parts of a picture are cached: the whole, and parts cut
// by the edges of the screen.
const maxEncodedParts = 4

// Mark implements painter.Overlay.
func (o *overlay) Mark(c *uv.Cell) (m painter.Mark, ok bool) {
	if !strings.HasPrefix(c.Content, string(kitty.Placeholder)) {
		return m, false
	}
	at, ok := picture.ReadPlaceholder(c.Content, c.Style.Fg)
	return painter.Mark{ID: at.ID, Col: at.Col, Row: at.Row}, ok
}

// Image implements painter.Overlay.
func (o *overlay) Image(id uint32, part uv.Rectangle) string {
	x := o.drawn[id]
	if x == nil {
		return ""
	}
	if seq, ok := x.encoded[part]; ok {
		return seq
	}
	seq := x.encode(part)
	if seq != "" {
		x.keep(part, seq)
	}
	return seq
}

// keep caches an encoded part.
func (x *overlayPicture) keep(part uv.Rectangle, seq string) {
	if len(x.encoded) >= maxEncodedParts || x.encoded == nil {
		x.encoded, x.weight = map[uv.Rectangle]string{}, 0
	}
	x.encoded[part] = seq
	x.weight += len(seq)
}

func (x *overlayPicture) encode(part uv.Rectangle) string {
	area := image.Rect(part.Min.X*x.cell.W, part.Min.Y*x.cell.H, part.Max.X*x.cell.W, part.Max.Y*x.cell.H)
	switch {
	case x.sixel != nil:
		return picture.EncodeSixel(x.sixel, area)
	case x.iterm != nil:
		return picture.EncodeITerm(x.iterm, area, part.Dx(), part.Dy())
	}
	return ""
}

// bytes returns the size of a picture's pixels.
func (o *overlay) bytes(id uint32) int {
	x := o.drawn[id]
	if id == 0 || x == nil {
		return 0
	}
	n := x.weight
	if x.sixel != nil {
		n += len(x.sixel.Pix)
	}
	if x.iterm != nil {
		n += len(x.iterm.Pix)
	}
	return n
}

// prepare lays a picture out for the overlay: its cells immediately, its pixels off the screen's
// goroutine.
func (p *Display) prepare(s *cachedPicture, z *sizedPicture, c, r int, dark bool) {
	z.id = p.nextID()
	z.cells = picture.Placeholders(z.id, c, r)
	x := &overlayPicture{cell: p.displayMode.cell.OrDefault()}
	if p.overlay.drawn == nil {
		p.overlay.drawn = map[uint32]*overlayPicture{}
	}
	p.overlay.drawn[z.id] = x
	img, mode, cell, background := s.img, p.mode, x.cell, color.Color(color.White)
	if dark {
		background = color.Black
	}
	p.wanted = append(p.wanted, p.host.Do(func() func() tea.Cmd {
		px := picture.Pixels(img, c*cell.W, r*cell.H, background)
		var sixel *image.Paletted
		if mode == picture.Sixel {
			sixel, px = media.Quantize(px), nil
		}
		made := &overlayPicture{cell: cell, sixel: sixel, iterm: px}
		whole := uv.Rect(0, 0, c, r)
		seq := made.encode(whole)
		return func() tea.Cmd {
			*x = *made
			x.keep(whole, seq)
			return nil
		}
	}))
}

// Overlay returns the overlay that draws pictures over cells, nil if cells are enough.
func (p *Display) Overlay() painter.Overlay {
	if p.plain || p.mode != picture.Sixel && p.mode != picture.ITerm {
		return nil
	}
	return &p.overlay
}
