package knowledge

import (
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/failure"
	"ghostlight/engine/knowledge"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
)

// tall is from how many lines on the chosen row is told of below the list.
const tall = 14

// Draw implements desk.Pane.
func (p *pane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	lk := p.Desk.Look()
	if p.Chat == "" || p.Chat == "\x00" {
		look.PutWrapped(buf, area, lk.Dim, "No chat is open.")
		return
	}
	p.area = uv.Rect(area.Min.X, area.Min.Y, area.Dx(), min(1, area.Dy()))
	body := uv.Rect(area.Min.X, area.Min.Y+1, area.Dx(), max(0, area.Dy()-1))
	switch {
	case p.Fault != nil:
		look.PutWrapped(buf, body, lk.Failure, failure.Words(p.Fault))
		return
	case !p.Loaded || body.Dy() == 0:
		return // it is being read
	}
	p.above(buf, p.area)
	if len(p.Lines) == 0 {
		p.Page = 0
		look.PutWrapped(buf, body, lk.Dim, p.nothing())
		return
	}
	if area.Dy() >= tall {
		body.Max.Y -= p.below(buf, body)
	}
	from, to := p.View(body.Dy())
	for i := from; i < to; i++ {
		p.line(buf, uv.Rect(body.Min.X, body.Min.Y+i-from, body.Dx()-1, 1), i, focused)
	}
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), p.Top, len(p.Lines), lk)
}

// nothing says why no row is shown.
func (p *pane) nothing() string {
	switch {
	case p.Filter.On() && !p.Filter.Done:
		return "searching …"
	case p.Filter.On():
		return "Nothing contains “" + look.Within(p.Filter.Text, 40) + "”."
	case p.as != "":
		return look.Within(p.view.AsName, 40) + " knows nothing that is noted."
	}
	return "Nothing is noted yet. Recaps, lorebooks, memories and hooks are shown here by what they are about: end a scene and make its recap, or write a memory."
}

// above draws the line above the list: the filter, or whose knowledge it is.
func (p *pane) above(buf uv.ScreenBuffer, area uv.Rectangle) {
	lk := p.Desk.Look()
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	if p.Filter.On() {
		room := look.PutRight(buf, x, y, w, lk.Dim, strconv.Itoa(len(p.Filter.Hits))) - x - 1
		look.Put(buf, x, y, room, lk.Accent, "/ "+p.Filter.Text)
		return
	}
	words := "All there is"
	if p.as != "" {
		words = "Known to " + look.Within(p.view.AsName, 24)
	}
	words += look.Separator + look.Plural(len(p.view.Facts), "fact")
	if p.view.Left > 0 {
		words += look.Separator + strconv.Itoa(p.view.Left) + " more left out"
	}
	if p.stale {
		words += look.Separator + "changed since: " + p.Desk.Keys().Key(keys.PaneRetry, keys.Pane) + " reads again"
	}
	look.Put(buf, x, y, w, lk.Dim, look.Hints(words, w))
}

// line draws a line of the list: a heading with how many stand under it, or a row.
func (p *pane) line(buf uv.ScreenBuffer, area uv.Rectangle, i int, focused bool) {
	lk := p.Desk.Look()
	n := p.Lines[i]
	if n < 0 {
		w := look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), lk.Title, p.Groups[-1-n])
		look.Put(buf, area.Min.X+w+1, area.Min.Y, area.Dx()-w-1, lk.Faint, strconv.Itoa(p.Counts[-1-n]))
		return
	}
	if n >= len(p.rows) {
		return
	}
	r := &p.rows[n]
	st, dim, sign := lk.Base, lk.Dim, lk.Dim
	mark := r.mark()
	if r.other == nil && r.fact.Told || r.other != nil && !r.same {
		sign = lk.Accent
	}
	if i == p.At && focused {
		st, dim, sign = lk.Selected, lk.SelectedDim, lk.Selected
		look.Fill(buf, area, lk.Selected)
	}
	left, y, w := area.Min.X+1, area.Min.Y, area.Dx()-1
	look.Put(buf, left, y, 1, sign, mark)
	right := ""
	if w >= 50 {
		right = r.where()
	}
	room := look.PutRight(buf, left+2, y, w-2, dim, right) - left - 3
	look.Put(buf, left+2, y, room, st, look.Within(r.text(), max(1, room)))
}

// mark is the sign of a row: told in the next prompt, or not; a contradiction, or the
// same twice.
func (r *row) mark() string {
	switch {
	case r.other != nil && r.same:
		return "="
	case r.other != nil:
		return "≠"
	case r.fact.Told:
		return "●"
	}
	return "○"
}

func (r *row) text() string {
	if r.other == nil {
		return r.fact.Text
	}
	return r.fact.Text + " / " + r.other.Text
}

// where is where a row's newest message stands, in a few cells.
func (r *row) where() string {
	f := &r.fact
	if r.other != nil {
		f = r.other
	}
	words := string(f.Kind)
	if n := len(f.Sources); n > 0 {
		words += " #" + strconv.Itoa(f.Sources[n-1].Number)
	}
	return words
}

// below draws at the bottom what there is to say about the chosen row, and says how many
// lines that took.
func (p *pane) below(buf uv.ScreenBuffer, area uv.Rectangle) int {
	i, ok := p.Chosen()
	if !ok || i >= len(p.rows) {
		return 0
	}
	lk, r := p.Desk.Look(), &p.rows[i]
	t := look.Lines{Width: area.Dx() - 2}
	if r.other != nil {
		t.Add(lk.Accent, r.verdict())
		t.Add(lk.Base, look.Within(r.fact.Text, 2*t.Width))
		t.Add(lk.Dim, strings.Join(about(&r.fact), look.Separator))
		t.Add(lk.Base, look.Within(r.other.Text, 2*t.Width))
		t.Add(lk.Dim, strings.Join(about(r.other), look.Separator))
	} else {
		t.Add(lk.Dim, strings.Join(about(&r.fact), look.Separator))
		t.Add(lk.Accent, becomes(&r.fact, p.view))
		t.Add(lk.Base, look.Within(r.fact.Text, 3*t.Width))
	}
	return look.PutBelow(buf, area, t.Text[:min(len(t.Text), look.MostBelow, area.Dy()/3)], lk)
}

// verdict says in what two facts do not go together.
func (r *row) verdict() string {
	switch {
	case r.same:
		return "Both say the same"
	case r.later:
		return "They say different things: the second is later"
	}
	return "They say different things, and neither is known to be later"
}

// about is what there is to say about a fact beside its text and the prompt.
func about(f *knowledge.Fact) []string {
	out := []string{look.Within(f.Home, 60)}
	if f.Scene > 0 {
		words := "since message " + strconv.Itoa(f.Since) + ", scene " + strconv.Itoa(f.Scene)
		if f.SceneName != "" {
			words += " “" + look.Within(f.SceneName, 40) + "”"
		}
		out = append(out, words)
	} else if f.Since > 0 {
		out = append(out, "since message "+strconv.Itoa(f.Since))
	}
	return append(out, knowers(f))
}

// knowers says who may know a fact.
func knowers(f *knowledge.Fact) string {
	switch {
	case f.Everybody:
		return "known to everybody"
	case len(f.Knowers) == 0:
		return "known to nobody who plays"
	}
	var names []string
	for i, k := range f.Knowers {
		if i == 6 {
			names = append(names, strconv.Itoa(len(f.Knowers)-i)+" more")
			break
		}
		names = append(names, look.Within(k.Name, 24))
	}
	return "known to " + strings.Join(names, ", ")
}

// becomes says what the next prompt makes of a fact.
func becomes(f *knowledge.Fact, v knowledge.View) string {
	switch {
	case v.Fault != "":
		return "The next prompt is not known: " + look.Within(v.Fault, 100)
	case f.Told:
		return "In " + look.Within(v.PromptOf, 24) + "’s next prompt: told by " + f.ToldBy
	}
	return "Not in " + look.Within(v.PromptOf, 24) + "’s next prompt: " + f.WhyNot
}
