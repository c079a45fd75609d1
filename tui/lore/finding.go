package lore

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/linter"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// turn shows the findings of the rule before or after; before the first one are
// all.
func (p *lintView) turn(on bool) {
	at := -1
	for i, r := range p.rules {
		if r == p.rule {
			at = i
		}
	}
	if on {
		at++
	} else {
		at--
	}
	switch n := len(p.rules); {
	case n == 0 || at == -1 || at >= n:
		p.rule = ""
	case at < -1:
		p.rule = p.rules[n-1]
	default:
		p.rule = p.rules[at]
	}
	p.lay()
	p.Outline.Choose(0)
}

// openRules lets the user choose the rule whose findings are shown.
func (p *lintView) openRules() {
	entries := []widget.Entry{{Title: "all rules", Right: fmt.Sprint(len(p.all)), Value: ""}}
	for _, r := range p.rules {
		entries = append(entries, widget.Entry{Title: r, Right: fmt.Sprint(p.of[r]), Value: r})
	}
	p.d.Open(widget.NewPicker(p.d.Look(), "Filter by rule", entries, func(e widget.Entry) tea.Cmd {
		p.rule = e.Value.(string)
		p.lay()
		p.Outline.Choose(0)
		return nil
	}))
}

// fix puts findings right, one after the other; one that cannot be put right
// stays, and the others go on.
func (p *lintView) fix(list []lintFinding) tea.Cmd {
	chat := p.d.Chat().Chat.ID
	return p.order.Do(p.d, func() func() tea.Cmd {
		var touched []lintTouched
		var fault error
		what, done := "", 0
		for _, f := range list {
			if p.d.Context().Err() != nil {
				break
			}
			w, err := p.d.Engine().Lore.Fix(f.book, chat, f.Finding)
			if err != nil {
				fault = err
				continue
			}
			what = look.Within(w, 200)
			done++
			if f.Entry != "" {
				touched = append(touched, lintTouched{f.book, f.Entry})
			}
			if f.Other != "" {
				touched = append(touched, lintTouched{f.book, f.Other})
			}
		}
		return func() tea.Cmd {
			if done > 0 && p.chat == chat {
				p.fixed = touched
			}
			cmd := p.read()
			switch {
			case fault != nil && done == 0:
				return tea.Batch(cmd, p.d.Fail(fault))
			case fault != nil:
				return tea.Batch(cmd, p.d.Say(event.Error, fmt.Sprintf("%d of %s fixed: %s", done, look.Plural(len(list), "finding"), failure.Words(fault))))
			case done > 1 || what == "":
				what = look.Plural(done, "finding") + " fixed"
			}
			return tea.Batch(cmd, p.d.Say(event.Info, what+p.room.undoReviewWords()))
		}
	})
}

// fixAll asks before all findings of a rule are put right that can be by key.
func (p *lintView) fixAll(rule string) tea.Cmd {
	var list []lintFinding
	for i := range p.all {
		if p.all[i].Rule == rule && p.all[i].Fix != "" {
			list = append(list, p.all[i])
		}
	}
	if len(list) == 0 {
		return p.d.Say(event.Info, "no finding of the rule “"+look.Within(rule, 40)+"” can be fixed automatically")
	}
	text := fmt.Sprintf("Fix all %d findings of the rule “%s”? The first: %s. u undoes all of it.", len(list), look.Within(rule, 40), strings.TrimRight(look.Within(list[0].Fix, 200), "."))
	p.d.Open(&widget.Confirm{Title: "Fix all", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "put " + look.Plural(len(list), "finding") + " right", Do: func() tea.Cmd { return p.fix(list) }},
	}})
	return nil
}

// undo takes the last fix back, of each entry that it has changed, also where that
// is only being stored.
func (p *lintView) undo() tea.Cmd {
	return p.order.When(func() tea.Cmd { return p.undoLast() })
}

func (p *lintView) undoLast() tea.Cmd {
	if len(p.fixed) == 0 {
		return p.d.Say(event.Info, "no fix to undo; an entry's history has all its earlier versions")
	}
	list, chat := p.fixed, p.d.Chat().Chat.ID
	p.fixed = nil
	return p.order.Do(p.d, func() func() tea.Cmd {
		done := 0
		var fault error
		for i := len(list) - 1; i >= 0; i-- {
			if _, err := p.d.Engine().Lore.Undo(list[i].book, chat, list[i].entry); err != nil {
				fault = err
			} else {
				done++
			}
		}
		return func() tea.Cmd {
			cmd := p.read()
			if fault != nil && done == 0 {
				return tea.Batch(cmd, p.d.Fail(fault))
			}
			return tea.Batch(cmd, p.d.Say(event.Info, "the fix was undone: "+desk.EntryCount(done)))
		}
	})
}

func (p *lintView) draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	switch {
	case p.fault != nil:
		look.PutWrapped(buf, area, p.d.Look().Failure, failure.Words(p.fault))
		return
	case !p.loaded:
		look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), p.d.Look().Dim, "Checking the lorebooks …")
		return
	case len(p.all) == 0:
		look.PutWrapped(buf, area, p.d.Look().Dim, "No problems found in this chat's lorebooks.")
		return
	}
	p.First = 0
	if area.Dy() >= 5 {
		look.PutStyled(buf, area.Min.X, area.Min.Y, area.Dx(), p.strip(area.Dx(), p.d.Look()))
		p.First = 1
	}
	if area.Dy() >= 12 {
		p.First++
	}
	under := 0
	if area.Dy() >= 12 {
		under = p.details(buf, area, p.d.Look())
	}
	rows := uv.Rect(area.Min.X, area.Min.Y+p.First, area.Dx(), max(0, area.Dy()-p.First-under))
	p.Outline.Show(rows, func(i int, room uv.Rectangle) {
		p.drawRow(buf, room, &p.shown[i], focused && i == p.Outline.Chosen(), p.d.Look())
	})
}

// details draws at the bottom all words of the chosen finding, of which its row
// may show the beginning only, and says how many lines that took.
func (p *lintView) details(buf uv.ScreenBuffer, area uv.Rectangle, lk *look.Look) int {
	f := p.finding()
	if f == nil {
		return 0
	}
	w := area.Dx() - 2
	var lines []string
	for _, l := range look.Wrap(look.Within(f.Text, 5*w), w) {
		lines = append(lines, lk.Base.Styled(l))
	}
	if f.Fix != "" {
		for _, l := range look.Wrap("f "+look.Within(f.Fix, 2*w), w) {
			lines = append(lines, lk.Dim.Styled(l))
		}
	}
	return look.PutBelow(buf, area, lines[:min(len(lines), look.MostBelow, area.Dy()/3)], lk)
}

// strip is the line of rules, the one that is shown in brackets.
func (p *lintView) strip(w int, lk *look.Look) string {
	labels := []string{fmt.Sprintf("all %d", len(p.all))}
	at := 0
	for i, r := range p.rules {
		labels = append(labels, fmt.Sprintf("%s %d", look.Within(r, 24), p.of[r]))
		if r == p.rule {
			at = i + 1
		}
	}
	return pickedStrip(labels, at, w, lk)
}

// drawRow draws a heading or a finding.
func (p *lintView) drawRow(buf uv.ScreenBuffer, room uv.Rectangle, r *lintRow, chosen bool, lk *look.Look) {
	x, y, w := room.Min.X, room.Min.Y, room.Dx()
	if r.head != "" {
		look.Put(buf, x, y, w, look.Heading(lk), r.head)
		return
	}
	f := &p.all[r.finding]
	mark, st := severityMark(f.Severity, lk)
	base, dim := lk.Base, lk.Dim
	if chosen {
		base, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), base)
		st.Bg = base.Bg
	}
	look.Put(buf, x, y, 1, st, mark)
	end := look.PutRight(buf, x, y, w, dim, look.Within(f.Rule, 20))
	name := look.Within(f.Name, 80)
	if name == "" {
		name = look.Within(f.bookName, 80)
	}
	look.Put(buf, x+2, y, end-x-3, base, name+": "+look.Within(f.Text, 300))
	if room.Dy() < 2 {
		return
	}
	words := look.Within(f.bookName, 60)
	if f.Fix != "" {
		words = "f " + look.Within(f.Fix, 200) + look.Separator + words
	}
	look.Put(buf, x+2, y+1, w-2, lk.Dim, words)
}

// severityMark is the sign and the style of a severity.
func severityMark(s linter.Severity, lk *look.Look) (string, uv.Style) {
	switch s {
	case linter.Fault:
		return "✗", lk.Failure
	case linter.Doubt:
		return "!", lk.Warning
	}
	return "·", lk.Dim
}

// pickedStrip is a line of labels, the one at in brackets; those that find no room
// are left out at the ends.
func pickedStrip(labels []string, at, w int, lk *look.Look) string {
	labels[at] = "‹" + labels[at] + "›"
	width := func(i int) int { return ansi.StringWidth(labels[i]) + 2 }
	from, to, used := at, at+1, width(at)+4
	for grown := true; grown; {
		grown = false
		if to < len(labels) && used+width(to) <= w {
			used, to, grown = used+width(to), to+1, true
		}
		if from > 0 && used+width(from-1) <= w {
			from--
			used, grown = used+width(from), true
		}
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString(lk.Faint.Styled("… "))
	}
	for i := from; i < to; i++ {
		st := lk.Dim
		if i == at {
			st = lk.Accent
		}
		b.WriteString(st.Styled(labels[i]) + "  ")
	}
	if to < len(labels) {
		b.WriteString(lk.Faint.Styled("…"))
	}
	return strings.TrimRight(b.String(), " ")
}
