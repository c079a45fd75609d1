// Package draw defines the look of the screen: the styles of a theme, and functions that draw text,
// rules and frames into cells. It makes all text that it draws safe first, unless a function says
// otherwise.
package draw

import (
	"image/color"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/prose"
)

// Styles is a theme prepared for drawing: cell styles, and the escape prefixes for prose. It is
// rebuilt when the theme or the background changes; caches compare Gen to notice that.
type Styles struct {
	Gen     int
	Dark    bool
	Name    string
	Palette themes.Palette
	Plain   bool // the terminal has no colours; see Uncolour

	Base, Dim, Faint, Strong, Accent, Key    uv.Style
	Title, Border, Selected, SelectedDim     uv.Style
	Status, StatusDim, StatusMode            uv.Style
	Warning, Failure, Success                uv.Style
	User, Character, Bar, MeterFull, MeterAt uv.Style

	Prose prose.Styles
	Faded prose.Styles // for text that a recap replaces in the prompt
}

// New prepares a theme for drawing on a dark or a light background. gen must differ from that of
// earlier styles; caches compare it.
func New(t themes.Theme, dark bool, gen int) *Styles {
	p := t.Palette(dark)
	fg := func(c color.Color) uv.Style { return uv.Style{Fg: c} }
	on := func(c, bg color.Color) uv.Style { return uv.Style{Fg: c, Bg: bg} }
	bold := func(s uv.Style) uv.Style { s.Attrs |= uv.AttrBold; return s }
	sty := &Styles{Gen: gen, Dark: dark, Name: t.Name, Palette: p,
		Base: fg(p.Text), Dim: fg(p.Dim), Faint: fg(p.Faint), Strong: bold(fg(p.Text)),
		Accent: bold(fg(p.Accent)), Key: fg(p.Accent), Title: bold(fg(p.Accent)), Border: fg(p.Border),
		Selected: on(p.SelectionText, p.Selection), SelectedDim: on(p.SelectionDim(), p.Selection),
		Status: on(p.StatusText, p.Status), StatusDim: on(p.StatusText, p.Status),
		StatusMode: bold(on(p.AccentText, p.Accent)),
		Warning:    fg(p.Warning), Failure: fg(p.Error), Success: fg(p.Success),
		User: bold(fg(p.User)), Character: bold(fg(p.Character)), Bar: fg(p.Accent),
		MeterFull: on(p.Accent, p.Status), MeterAt: on(p.Warning, p.Status),
	}
	sty.StatusDim.Attrs |= uv.AttrFaint
	sty.Prose = prose.StylesFor(p)
	sty.Faded = prose.StylesFor(sty.FadedPalette())
	return sty
}

// Fade mixes a colour with the theme's faint colour, most of the way: the result recedes but can
// still be read.
func (sty *Styles) Fade(c color.Color) color.Color {
	const share = 11 // sixteenths
	if c == nil || sty.Palette.Faint == nil {
		return sty.Palette.Dim
	}
	mix := func(a, b uint32) uint8 { return uint8((a*(16-share) + b*share) / 16 >> 8) }
	r, g, b, _ := c.RGBA()
	tr, tg, tb, _ := sty.Palette.Faint.RGBA()
	return color.RGBA{mix(r, tr), mix(g, tg), mix(b, tb), 0xff}
}

// FadedPalette returns the theme's palette with the colours of prose faded.
func (sty *Styles) FadedPalette() themes.Palette {
	p := sty.Palette
	for _, c := range []*color.Color{&p.Text, &p.Speech, &p.Action, &p.Strong, &p.Code, &p.Quote, &p.Heading, &p.OOC} {
		*c = sty.Fade(*c)
	}
	return p
}

// Uncolour keeps things that differ only in colour distinguishable on a terminal without colours:
// whatever has a background is shown in reverse.
func (sty *Styles) Uncolour() {
	sty.Plain = true
	for _, st := range []*uv.Style{&sty.Selected, &sty.SelectedDim, &sty.Status, &sty.StatusDim, &sty.StatusMode} {
		st.Attrs = st.Attrs&^uv.AttrFaint | uv.AttrReverse
	}
	sty.Prose.Narration, sty.Faded.Narration = "", "" // only its colour would distinguish it from speech
	sty.Faded.Base = prose.SGR(nil, ansi.AttrFaint)
}

// SameColor reports whether two colours are shown alike.
func SameColor(a, b color.Color) bool {
	if a == nil || b == nil {
		return a == b
	}
	r, g, bl, _ := a.RGBA()
	r2, g2, b2, _ := b.RGBA()
	return r == r2 && g == g2 && bl == b2
}
