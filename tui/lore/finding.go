package lore

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/linter"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
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
	eng, chat, undoing := p.d.Engine(), p.d.Chat().Chat.ID, &p.room.entries().Undoing
	return undoing.Order.Do(p.d, func() func() tea.Cmd {
		var touched []entryKey
		var fault error
		words, done := "", 0
		for _, f := range list {
			if p.d.Context().Err() != nil {
				break
			}
			what, err := eng.Lore.Fix(f.book, chat, f.Finding)
			if err != nil {
				fault = err
				continue
			}
			words = look.Within(what, 200)
			done++
			for _, id := range []storage.EntryID{f.Entry, f.Other} {
				if id != "" {
					touched = append(touched, entryKey{f.book, id})
				}
			}
		}
		slices.Reverse(touched)
		return func() tea.Cmd {
			switch {
			case fault != nil && done == 0:
				return p.d.Fail(fault)
			case fault != nil:
				p.d.Log().Warn("shown to the user", "err", fault)
				words = fmt.Sprintf("%d of %s fixed: %s", done, look.Plural(len(list), "finding"), failure.Words(fault))
			case done > 1 || words == "":
				words = look.Plural(done, "finding") + " fixed"
			}
			return tea.Batch(p.read(), undoing.ChangedBy(words, undoEach(eng, chat, touched)))
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
	text := fmt.Sprintf("Fix all %d findings of the rule “%s”? The first: %s. %s undoes all of it.", len(list),
		look.Within(rule, 40), strings.TrimRight(look.Within(list[0].Fix, 200), "."), p.room.key(keys.PaneUndo))
	p.d.Open(&widget.Confirm{Title: "Fix all", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "put " + look.Plural(len(list), "finding") + " right", Do: func() tea.Cmd { return p.fix(list) }},
	}})
	return nil
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
		for _, l := range look.Wrap(p.fixWords(f, 2*w), w) {
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
		words = p.fixWords(f, 200) + look.Separator + words
	}
	look.Put(buf, x+2, y+1, w-2, lk.Dim, words)
}

// fixWords are the key that fixes a finding and what that does, in n cells.
func (p *lintView) fixWords(f *lintFinding, n int) string {
	return p.room.key(keys.PaneAccept) + " " + look.Within(f.Fix, n)
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
