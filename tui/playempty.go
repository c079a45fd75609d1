package tui

import (
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/tui/look"
)

// drawEmpty is what stands in the play before the first message.
func (a *app) drawEmpty(buf uv.ScreenBuffer, area uv.Rectangle) {
	lines := []struct {
		st   uv.Style
		text string
	}{
		{a.lk.Accent, "Ghostlight"},
		{a.lk.Dim, "a theatre for one"},
		{a.lk.Base, ""},
		{a.lk.Base, a.keys.Key("characters", 1) + "  choose who is on stage"},
		{a.lk.Base, a.keys.Key("import", 1) + "  import a card, or drop its file here"},
		{a.lk.Base, a.keys.Key("palette", 1) + "  all commands"},
	}
	if who := a.view.Character.Card.CharName(); a.view.Chat.ID != "" {
		lines = lines[:2]
		lines[0].text, lines[1].text = who, "There is no greeting: the first line is yours."
	}
	y := area.Min.Y + max(0, (area.Dy()-len(lines))/2)
	for i, l := range lines {
		if y+i < area.Max.Y {
			look.Put(buf, area.Min.X+max(1, (area.Dx()-40)/2), y+i, area.Dx()-2, l.st, l.text)
		}
	}
}
