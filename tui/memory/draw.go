package memory

import (
	"strconv"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// tall is from how many lines on the chosen row is told of below the list.
const tall = 14

// Draw implements desk.Pane.
func (p *pane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	lk := p.Desk.Look()
	if p.chat == "" {
		desk.DrawNoChat(p.Desk, buf, area)
		return
	}
	p.tabs.Draw(buf, area, tabNames[:], func(i int) string { return p.views[i].tab() }, p.at, lk)
	p.lines.Forget()
	p.area = uv.Rect(area.Min.X, area.Min.Y+1, area.Dx(), min(1, max(0, area.Dy()-1)))
	body := uv.Rect(area.Min.X, area.Min.Y+2, area.Dx(), max(0, area.Dy()-2))
	l := p.list()
	if l.DrawUnread(buf, body) {
		return
	}
	p.above(buf, p.area)
	if len(l.Lines) == 0 {
		l.Page = 0
		look.PutWrapped(buf, body, lk.Dim, p.nothing())
		return
	}
	if area.Dy() >= tall {
		body.Max.Y -= p.below(buf, body)
	}
	from, to := l.View(body.Dy())
	p.lines.Draw(uv.Rect(body.Min.X, body.Min.Y, body.Dx()-1, body.Dy()), from, to, 1, body.Dy()-len(l.Lines), func(area uv.Rectangle, i int) int {
		return p.line(buf, area, i, focused)
	})
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), l.Top, len(l.Lines), lk)
}

// nothing says why no row is shown.
func (p *pane) nothing() string {
	switch l := p.list(); {
	case l.Filter.On() && !l.Filter.Done:
		return "searching …"
	case l.Filter.On():
		return "No match for “" + look.Within(l.Filter.Text, 40) + "”."
	case len(l.Rows) > 0:
		return "All items are removed or on other branches: " + p.key(showHidden) + " shows them."
	}
	return p.view().empty()
}

// key is the key of an action of the pane.
func (p *pane) key(act keys.Name) string { return p.Desk.Keys().Key(act, keys.Pane) }

// line draws a line of the list: a heading with how many stand under it, or a row. It
// tells how many of the area's lines that took.
func (p *pane) line(buf uv.ScreenBuffer, area uv.Rectangle, i int, focused bool) int {
	l, lk := p.list(), p.Desk.Look()
	n := l.Lines[i]
	if n < 0 {
		w := look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), lk.Title, l.Groups[-1-n])
		look.Put(buf, area.Min.X+w+1, area.Min.Y, area.Dx()-w-1, lk.Faint, strconv.Itoa(l.Counts[-1-n]))
		return 1
	}
	chosen := i == l.At && focused
	mark := lk.Accent
	if chosen {
		mark = lk.Selected
		look.Fill(buf, uv.Rect(area.Min.X, area.Min.Y, area.Dx(), 1), lk.Selected)
	}
	if l.Marked[l.Rows[n].Key] {
		look.Put(buf, area.Min.X, area.Min.Y, 1, mark, "✓")
	}
	return p.view().row(buf, uv.Rect(area.Min.X+1, area.Min.Y, area.Dx()-1, area.Dy()), n, chosen)
}

// rowWords are what a row shows: its sign, its text, and what stands at its end.
type rowWords struct {
	mark, text, right string
	told, faint       bool
}

// putRow draws a row, and tells how many of the area's lines that took.
func putRow(buf uv.ScreenBuffer, area uv.Rectangle, r rowWords, chosen bool, lk *look.Look) int {
	st, dim, sign := lk.Base, lk.Dim, lk.Dim
	if r.told {
		sign = lk.Accent
	}
	if r.faint {
		st = lk.Dim
	}
	if chosen {
		st, dim, sign = lk.Selected, lk.SelectedDim, lk.Selected
	}
	left, y, w := area.Min.X, area.Min.Y, area.Dx()
	look.Put(buf, left, y, 1, sign, r.mark)
	room := look.PutRight(buf, left+2, y, w-2, dim, r.right) - left - 3
	return look.PutRest(buf, area, left+2, left+2+room, st, look.Within(r.text, 600))
}

// above draws the line above the list: the filter, or whose story it is.
func (p *pane) above(buf uv.ScreenBuffer, area uv.Rectangle) {
	l, lk := p.list(), p.Desk.Look()
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	marked := ""
	if n := len(l.Marked); n > 0 {
		marked = strconv.Itoa(n) + " marked" + look.Separator
	}
	if l.Filter.On() {
		room := look.PutRight(buf, x, y, w, lk.Dim, marked+strconv.Itoa(len(l.Filter.Hits))) - x - 1
		look.Put(buf, x, y, room, lk.Accent, "/ "+l.Filter.Text)
		return
	}
	words := marked + p.view().scope()
	if l.Left > 0 {
		words += look.Separator + strconv.Itoa(l.Left) + " hidden (" + p.key(showHidden) + ")"
	}
	look.Put(buf, x, y, w, lk.Dim, look.Parts(words, w))
}

// below draws at the bottom what there is to say about the chosen row, and says
// how many lines that took.
func (p *pane) below(buf uv.ScreenBuffer, area uv.Rectangle) int {
	i, ok := p.list().Chosen()
	if !ok {
		return 0
	}
	lines := p.view().details(i, area.Dx()-2)
	return look.PutBelow(buf, area, lines[:min(len(lines), look.MostBelow, area.Dy()/3)], p.Desk.Look())
}

// whoseStory is how the story that is shown is called: what somebody knows of it, that
// of a series, or of this chat alone.
func (p *pane) whoseStory(name string) string {
	if p.as.Character != "" {
		return "Known to " + look.Within(p.as.Name, 24)
	}
	if p.Desk.Chat().Chat.Play.Series == "" {
		return "This chat's story"
	}
	return "Story of “" + look.Within(name, max(8, p.area.Dx()-28)) + "”"
}
