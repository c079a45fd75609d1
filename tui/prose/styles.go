package prose

import (
	"image/color"
	"slices"

	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/themes"
)

// SGR returns the sequence that sets a foreground colour (nil: leave it) and attributes such as
// [ansi.AttrBold]. It is empty if there is nothing to set.
func SGR(fg color.Color, attrs ...ansi.Attr) string {
	s := ansi.Style{}
	if len(attrs) > 0 {
		s = ansi.NewStyle(slices.Clone(attrs)...)
	}
	if fg != nil {
		s = s.ForegroundColor(fg)
	}
	if len(s) == 0 {
		return ""
	}
	return s.String()
}

// StylesFor returns the styles of a theme's palette.
func StylesFor(p themes.Palette) Styles {
	narration := []ansi.Attr{}
	if p.ItalicNarration {
		narration = append(narration, ansi.AttrItalic)
	}
	return Styles{
		Base:      SGR(p.Text),
		Action:    SGR(p.Action, ansi.AttrItalic),
		Narration: SGR(p.Action, narration...),
		Speech:    SGR(p.Speech),
		Strong:    SGR(p.Strong, ansi.AttrBold),
		Code:      SGR(p.Code),
		Quote:     SGR(p.Quote),
		Heading:   SGR(p.Heading, ansi.AttrBold),
		OOC:       SGR(p.OOC),
		Dim:       SGR(p.Faint),
	}
}
