package tui

import (
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/themes"
	"ghostlight/tui/prose"
)

// look is a theme made ready for drawing: cell styles, and the prefixes that
// prose is styled with. It is rebuilt when the theme or the background changes,
// and gen tells caches so.
type look struct {
	gen     int
	dark    bool
	name    string
	palette themes.Palette

	base, dim, faint, strong, accent, key    uv.Style
	title, border, selected, selectedDim     uv.Style
	status, statusDim, statusMode            uv.Style
	warning, failure, success                uv.Style
	user, character, bar, meterFull, meterAt uv.Style

	prose prose.Styles
	faded prose.Styles // of what a recap stands for in the prompt
}

func newLook(t themes.Theme, dark bool, gen int) *look {
	p := t.Palette(dark)
	fg := func(c color.Color) uv.Style { return uv.Style{Fg: c} }
	on := func(c, bg color.Color) uv.Style { return uv.Style{Fg: c, Bg: bg} }
	bold := func(s uv.Style) uv.Style { s.Attrs |= uv.AttrBold; return s }
	lk := &look{gen: gen, dark: dark, name: t.Name, palette: p,
		base: fg(p.Text), dim: fg(p.Dim), faint: fg(p.Faint), strong: bold(fg(p.Text)),
		accent: bold(fg(p.Accent)), key: fg(p.Accent), title: bold(fg(p.Accent)), border: fg(p.Border),
		selected: on(p.SelectionText, p.Selection), selectedDim: on(p.SelectionText, p.Selection),
		status: on(p.StatusText, p.Status), statusDim: on(p.StatusText, p.Status),
		statusMode: bold(on(p.AccentText, p.Accent)),
		warning:    fg(p.Warning), failure: fg(p.Error), success: fg(p.Success),
		user: bold(fg(p.User)), character: bold(fg(p.Character)), bar: fg(p.Accent),
		meterFull: on(p.Accent, p.Status), meterAt: on(p.Warning, p.Status),
	}
	lk.statusDim.Attrs |= uv.AttrFaint
	lk.selectedDim.Attrs |= uv.AttrFaint
	lk.prose = prose.StylesFor(p)
	lk.faded = prose.StylesFor(lk.fadedPalette())
	return lk
}

// fade takes a colour most of the way to the one of what may be overlooked, near
// enough to it to stand back and far enough to be read.
func (lk *look) fade(c color.Color) color.Color {
	const share = 11 // sixteenths
	if c == nil || lk.palette.Faint == nil {
		return lk.palette.Dim
	}
	mix := func(a, b uint32) uint8 { return uint8((a*(16-share) + b*share) / 16 >> 8) }
	r, g, b, _ := c.RGBA()
	tr, tg, tb, _ := lk.palette.Faint.RGBA()
	return color.RGBA{mix(r, tr), mix(g, tg), mix(b, tb), 0xff}
}

// fadedPalette is the theme's palette with the colours of prose faded.
func (lk *look) fadedPalette() themes.Palette {
	p := lk.palette
	for _, c := range []*color.Color{&p.Text, &p.Speech, &p.Action, &p.Strong, &p.Code, &p.Quote, &p.Heading, &p.OOC} {
		*c = lk.fade(*c)
	}
	return p
}

// uncolour keeps what only colours tell apart visible on a terminal that has
// none: whatever has a background is shown in reverse.
func (lk *look) uncolour() {
	for _, st := range []*uv.Style{&lk.selected, &lk.selectedDim, &lk.status, &lk.statusDim, &lk.statusMode} {
		st.Attrs = st.Attrs&^uv.AttrFaint | uv.AttrReverse
	}
	lk.faded.Base = prose.SGR(nil, ansi.AttrFaint)
}
