package tui

import (
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"

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
	return lk
}

// uncolour keeps what only colours tell apart visible on a terminal that has
// none: whatever has a background is shown in reverse.
func (lk *look) uncolour() {
	for _, st := range []*uv.Style{&lk.selected, &lk.selectedDim, &lk.status, &lk.statusDim, &lk.statusMode} {
		st.Attrs = st.Attrs&^uv.AttrFaint | uv.AttrReverse
	}
}
