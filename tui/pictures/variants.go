package pictures

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// variants is a dialog that shows the variants of a capture side by side.
type variants struct {
	widget.Base
	g   *gallery
	all []pictures.GalleryItem
	at  int
}

// openVariants compares the variants of a capture.
func (g *gallery) openVariants(c pictures.GalleryItem) tea.Cmd {
	v := &variants{g: g}
	for _, id := range g.variants[c.ID] {
		if i := g.index(id); i >= 0 {
			if id == c.ID {
				v.at = len(v.all)
			}
			v.all = append(v.all, g.items[i])
		}
	}
	g.Host.Open(v)
	return nil
}

// Actions implements widget.Dialog.
func (v *variants) Actions() []keys.Action {
	step := func(n int) func() tea.Cmd {
		return keys.Does(func() { v.at = (v.at + n + len(v.all)) % len(v.all) })
	}
	return []keys.Action{
		{Name: keys.DialogLeft, Hint: "choose", Until: keys.DialogRight, Do: step(-1)},
		{Name: keys.DialogRight, Do: step(1)},
		{Name: keys.DialogEnter, Hint: "go to", Do: keys.Does(func() {
			v.Close()
			v.g.batch = -1
			v.g.GoTo(string(v.all[v.at].ID))
		})},
		{Name: keys.PaneOutside, Hint: "open", Do: func() tea.Cmd { return v.g.part.openFile(v.all[v.at].Capture) }},
		v.Closing(),
	}
}

// Draw draws the chosen variant and as many others as fit.
func (v *variants) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	in := draw.Frame(buf, screen, sty, "Variants", v.Hints())
	n := max(1, min(len(v.all), in.Dx()/30, 3))
	from := max(0, min(v.at-n/2, len(v.all)-n))
	w := in.Dx() / n
	for i := range n {
		c := &v.all[from+i]
		area := uv.Rect(in.Min.X+i*w, in.Min.Y, w-1, in.Dy())
		st := sty.Dim
		if from+i == v.at {
			st = sty.Selected
			draw.Fill(buf, uv.Rect(area.Min.X, area.Min.Y, area.Dx(), 1), st)
		}
		draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), st,
			fmt.Sprintf(" %d/%d %s", from+i+1, len(v.all), draw.Ago(time.Now(), c.CreatedAt)))
		y := area.Min.Y + 1
		for _, l := range v.g.part.large(c, area.Dx(), max(minPictureRows, area.Dy()*3/5)) {
			if y < area.Max.Y {
				draw.PutStyled(buf, area.Min.X, y, area.Dx(), l)
				y++
			}
		}
		for _, l := range v.g.details(c, area.Dx(), area.Max.Y-y) {
			draw.PutStyled(buf, area.Min.X, y, area.Dx(), l)
			y++
		}
	}
	return nil
}
