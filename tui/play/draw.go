package play

import (
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// ComposerRows returns the number of text lines that the composer wants in a play of w cells, on a
// screen of h rows.
func (r *Part) ComposerRows(w, h int) int { return r.composer.rows(w, h) }

// Resize gives the messages h rows, with prose of at most w cells. tail are lines that are shown
// below the last message while the end is in view.
func (r *Part) Resize(w, h int, tail []string) {
	if r.list.Resize(w, h) && r.host.Mode() == keys.Browse && r.list.Current() != nil {
		r.list.Reveal(r.list.Selected)
	}
	r.list.Tail = append(r.composer.branchNotice(w), tail...)
}

// branchNotice returns a notice, shown below the last message, that a branch begins there and has
// no messages yet.
func (c *composer) branchNotice(w int) []string {
	r := c.part
	if !r.view.Fork || r.turn.running {
		return nil
	}
	var out []string
	back := r.host.Keys().Key(keys.SwipeLeft, keys.Browse)
	for _, l := range draw.Wrap("⑂ a new branch starts here; "+back+" goes back to the old one", w) {
		out = append(out, r.host.Styles().Dim.Styled(l))
	}
	return append(out, "")
}

// Draw draws the messages; marked reports whether the selected one shows.
func (r *Part) Draw(buf uv.ScreenBuffer, area uv.Rectangle, marked bool) {
	r.list.Draw(buf, area, marked)
	if len(r.list.Items) == 0 {
		r.drawEmpty(buf, area)
	}
}

// DrawComposer draws the composer, with the rule above it, on blank lines.
func (r *Part) DrawComposer(buf uv.ScreenBuffer, area uv.Rectangle) *painter.Cursor {
	return r.composer.draw(buf, area)
}

// drawEmpty draws the play before the first message.
func (r *Part) drawEmpty(buf uv.ScreenBuffer, area uv.Rectangle) {
	sty, km := r.host.Styles(), r.host.Keys()
	lines := []struct {
		st   uv.Style
		text string
	}{
		{sty.Accent, "Ghostlight"},
		{sty.Dim, "roleplay with local models"},
		{sty.Base, ""},
		{sty.Base, km.Key(keys.Characters, keys.Write) + "  choose a character"},
		{sty.Base, km.Key(keys.ImportFile, keys.Write) + "  import a card, or drop its file here"},
		{sty.Base, km.Key(keys.Palette, keys.Write) + "  all commands"},
	}
	if who := r.view.Character.Card.CharName(); r.view.Chat.ID != "" {
		lines = lines[:2]
		lines[0].text, lines[1].text = who, "There is no greeting: write the first message."
	}
	y := area.Min.Y + max(0, (area.Dy()-len(lines))/2)
	for i, l := range lines {
		if y+i < area.Max.Y {
			draw.Put(buf, area.Min.X+max(1, (area.Dx()-40)/2), y+i, area.Dx()-2, l.st, l.text)
		}
	}
}
