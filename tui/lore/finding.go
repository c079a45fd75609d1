package lore

import (
	"cmp"
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
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// turn shows the findings of the rule n positions further; all findings come before the first rule.
func (p *lintView) turn(n int) {
	list := append([]string{""}, p.rules...)
	at := slices.Index(list, p.rule) + n + len(list)
	p.showRule(list[at%len(list)])
	p.Pick(0)
}

// showRule shows only the findings of a rule, or all for "".
func (p *lintView) showRule(rule string) {
	p.rule = rule
	p.Arrange()
}

// fix fixes findings one after the other. One that cannot be fixed stays, and the others continue.
func (p *lintView) fix(list []lintFinding) tea.Cmd {
	eng, chat, undoing := p.Host.Engine(), p.Host.Play().Chat().Chat.ID, &p.part.entries().UndoStack
	return undoing.Order.Do(p.Host, func() func() tea.Cmd {
		var touched []entryKey
		var fault error
		words, done := "", 0
		for _, f := range list {
			if p.Host.Context().Err() != nil {
				break
			}
			what, err := eng.Lore.Fix(f.book, chat, f.Finding)
			if err != nil {
				fault = err
				continue
			}
			words = draw.Truncate(what, 200)
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
				return p.Host.Fail(fault)
			case fault != nil:
				p.Host.Log().Warn("shown to the user", "err", fault)
				words = fmt.Sprintf("%d of %s fixed: %s", done, draw.Plural(len(list), "finding"), failure.Text(fault))
			case done > 1 || words == "":
				words = draw.Plural(done, "finding") + " fixed"
			}
			return tea.Batch(p.Read(), undoing.Changed(words, undoEach(eng, chat, touched)))
		}
	})
}

// fixAll asks for confirmation and fixes all fixable findings of a rule.
func (p *lintView) fixAll(of lintFinding) tea.Cmd {
	rule := of.Rule
	list := slices.DeleteFunc(slices.Clone(p.Items), func(f lintFinding) bool { return f.Rule != rule || f.Fix == "" })
	if len(list) == 0 {
		return p.Host.Say(event.Info, "no finding of the rule “"+draw.Truncate(rule, 40)+"” can be fixed automatically")
	}
	text := fmt.Sprintf("Fix all %d findings of the rule “%s”? The first: %s. %s undoes all of it.", len(list),
		draw.Truncate(rule, 40), strings.TrimRight(draw.Truncate(list[0].Fix, 200), "."), p.part.key(keys.PaneUndo))
	p.Host.Open(&widget.Confirm{Title: "Fix all", Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "fix " + draw.Plural(len(list), "finding"), Do: func() tea.Cmd { return p.fix(list) }},
	}})
	return nil
}

// details returns the full text of the selected finding, which its row may cut.
func (p *lintView) details(f *lintFinding, w int) []string {
	sty, t := p.Host.Styles(), draw.Lines{Width: w}
	t.Add(sty.Base, draw.Truncate(f.Text, 5*w))
	if f.Fix != "" {
		t.Add(sty.Dim, p.fixWords(f, 2*w))
	}
	return t.Text
}

// strip returns the line of rules with the selected one in brackets.
func (p *lintView) strip(w, h int) []string {
	if h < 5 || len(p.Items) == 0 {
		return nil
	}
	labels, at := []string{fmt.Sprintf("all %d", len(p.Items))}, 0
	for i, r := range p.rules {
		labels = append(labels, fmt.Sprintf("%s %d", draw.Truncate(r, 24), p.of[r]))
		if r == p.rule {
			at = i + 1
		}
	}
	return []string{pickedStrip(labels, at, w, p.Host.Styles())}
}

func (p *lintView) row(f *lintFinding, _ int) pane.Row {
	name, words := draw.Truncate(cmp.Or(f.Name, f.bookName), 80), draw.Truncate(f.bookName, 60)
	if f.Fix != "" {
		words = p.fixWords(f, 200) + draw.Separator + words
	}
	r := pane.Row{Text: name + ": " + f.Text, Right: draw.Truncate(f.Rule, 20), More: words}
	r.Sign, r.SignStyle = severityMark(f.Severity, p.Host.Styles())
	return r
}

// fixWords returns the key that fixes a finding and its effect, in n cells.
func (p *lintView) fixWords(f *lintFinding, n int) string {
	return p.part.key(keys.PaneAccept) + " " + draw.Truncate(f.Fix, n)
}

// severityMark returns the sign and the style of a severity.
func severityMark(s linter.Severity, sty *draw.Styles) (string, uv.Style) {
	switch s {
	case linter.Error:
		return "✗", sty.Failure
	case linter.Warning:
		return "!", sty.Warning
	}
	return "·", sty.Dim
}

// pickedStrip returns a line of labels, the one at in brackets. Labels that do not fit are left out
// at the ends.
func pickedStrip(labels []string, at, w int, sty *draw.Styles) string {
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
		b.WriteString(sty.Faint.Styled("… "))
	}
	for i := from; i < to; i++ {
		st := sty.Dim
		if i == at {
			st = sty.Accent
		}
		b.WriteString(st.Styled(labels[i]) + "  ")
	}
	if to < len(labels) {
		b.WriteString(sty.Faint.Styled("…"))
	}
	return strings.TrimRight(b.String(), " ")
}
