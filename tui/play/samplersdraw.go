package play

import (
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// Draw implements desk.Pane.
func (p *samplersPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	lk, l := p.Desk.Look(), &p.list
	p.lines.Forget()
	switch {
	case l.Chat == "":
		desk.DrawNoChat(p.Desk, buf, area)
		return
	case l.DrawUnread(buf, area):
		return
	}
	body := area
	p.head(buf, uv.Rect(body.Min.X, body.Min.Y, body.Dx(), 1))
	body.Min.Y++
	if area.Dy() >= tallPane {
		body.Max.Y -= p.below(buf, body)
	}
	p.top = body.Min.Y
	if len(l.Lines) == 0 && l.Filter.Done {
		look.PutWrapped(buf, body, lk.Dim, "No match for “"+look.Within(l.Filter.Text, 40)+"”.")
		return
	}
	from, to := l.View(body.Dy())
	p.lines.Draw(uv.Rect(body.Min.X, body.Min.Y, body.Dx()-1, body.Dy()), from, to, 1, 0, func(area uv.Rectangle, i int) int {
		p.row(buf, area, i, focused)
		return 1
	})
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), l.Top, len(l.Lines), lk)
}

// head draws the line above the list: the filter, or which model is asked.
func (p *samplersPane) head(buf uv.ScreenBuffer, line uv.Rectangle) {
	lk, l := p.Desk.Look(), &p.list
	p.filter = line
	if l.Filter.On() {
		room := look.PutRight(buf, line.Min.X, line.Min.Y, line.Dx(), lk.Dim, strconv.Itoa(len(l.Filter.Hits))) - line.Min.X - 1
		look.Put(buf, line.Min.X, line.Min.Y, room, lk.Accent, "/ "+l.Filter.Text)
		return
	}
	words := "model " + look.Within(p.model, 60)
	marked := false
	for _, v := range p.rows {
		marked = marked || v.Chat
	}
	if !marked {
		words = "this chat: no preset, custom values" + look.Separator + words
	}
	look.Put(buf, line.Min.X, line.Min.Y, line.Dx(), lk.Dim, look.Parts(words, line.Dx()))
}

// row draws a heading or a preset.
func (p *samplersPane) row(buf uv.ScreenBuffer, area uv.Rectangle, i int, focused bool) {
	l, lk := &p.list, p.Desk.Look()
	n := l.Lines[i]
	if n < 0 {
		look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), lk.Title, l.Groups[-1-n])
		return
	}
	v, st, dim, sign := p.rows[n], lk.Base, lk.Dim, lk.Accent
	if i == l.At && focused {
		st, dim, sign = lk.Selected, lk.SelectedDim, lk.Selected
		look.Fill(buf, uv.Rect(area.Min.X, area.Min.Y, area.Dx(), 1), st)
	}
	if v.Chat {
		look.Put(buf, area.Min.X, area.Min.Y, 1, sign, "✓")
	}
	right := presetMarks(v)
	if len(v.Lacks) > 0 && right == "" {
		right = "lacks " + strconv.Itoa(len(v.Lacks))
	}
	end := look.PutRight(buf, area.Min.X+2, area.Min.Y, area.Dx()-2, dim, right)
	look.Put(buf, area.Min.X+2, area.Min.Y, end-area.Min.X-3, st, look.Within(v.Name, end-area.Min.X-3))
}

// below tells of the chosen preset at the bottom, and says how many lines that took: with
// what each value does where there is room, else the values alone.
func (p *samplersPane) below(buf uv.ScreenBuffer, area uv.Rectangle) int {
	v, ok := p.chosen()
	if !ok {
		return 0
	}
	lk, most := p.Desk.Look(), area.Dy()/2
	t := look.Lines{Width: area.Dx() - 2}
	if v.Why != "" {
		t.Add(lk.Accent, v.Why)
	}
	long := t
	for _, words := range presetWords(v) {
		name, rest, is := strings.Cut(words, ": ")
		if !is {
			long.Add(lk.Dim, words)
			continue
		}
		long.Hang(lk.Base.Styled(look.Within(name, max(8, long.Width/2)))+"  ", lk.Dim, rest)
	}
	if len(long.Text) <= most {
		return look.PutBelow(buf, area, long.Text, lk)
	}
	var values []string
	for _, s := range house.SamplerValues(*v.Profile) {
		values = append(values, s.Name+" "+look.Within(s.Value, 40))
	}
	if len(values) > 0 {
		t.Add(lk.Base, strings.Join(values, look.Separator))
	}
	var lacks []string
	for _, l := range v.Lacks {
		lacks = append(lacks, l.Name)
	}
	if len(lacks) > 0 {
		k := p.Desk.Keys().Key(samplersWhy, keys.Pane)
		t.Add(lk.Dim, "not supported by Ollama: "+strings.Join(lacks, ", ")+"; "+k+" shows alternatives")
	}
	if n := len(v.Banned); n > 0 {
		t.Add(lk.Dim, p.Desk.Keys().Key(keys.PaneStop, keys.Pane)+" has the "+look.Plural(n, "phrase")+" that it bans cut here too")
	}
	return look.PutBelow(buf, area, t.Text[:min(len(t.Text), most)], lk)
}
