package lore

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// activationList lists what the lorebooks do for a prompt or a text: first what is in the prompt,
// then what is not.
type activationList struct {
	pane.List[activationRow]
	does lore.Activation
}

// activationRow is an entry with its verdict, or one that stays from an earlier turn.
type activationRow struct {
	group string
	trace *activation.Trace // nil for one that stays
	stay  *lore.PinnedEntry
}

// Headings of entries.
const (
	groupAlways    = "Constant"
	groupTriggered = "Triggered now"
	groupStays     = "Still active from earlier turns"
	groupCut       = "Cut by the budget"
	groupLost      = "Lost by probability or group"
	groupRest      = "Matched but suppressed"
)

var activationGroups = []string{groupAlways, groupTriggered, groupStays, groupCut, groupLost, groupRest}

// groupOf returns the group that a trace belongs to.
func groupOf(t *activation.Trace) string {
	switch {
	case t.Verdict == activation.Triggered && t.Constant:
		return groupAlways
	case t.Verdict == activation.Triggered:
		return groupTriggered
	case t.Verdict == activation.CutByBudget:
		return groupCut
	case t.Verdict == activation.FailedChance || t.Verdict == activation.LostGroup:
		return groupLost
	}
	return groupRest
}

// begin makes the list.
func (f *activationList) begin(d pane.Host) {
	f.List = pane.NewList[activationRow](d, 2)
	f.ID = func(r *activationRow) string { return string(f.book(r)) + " " + string(r.entry()) }
	f.Head = func(r *activationRow) string { return r.group }
	f.HeadingNote = func(head string) string {
		n, tokens := 0, 0
		for i := range f.Items {
			if r := &f.Items[i]; r.group == head {
				n, tokens = n+1, tokens+r.tokens()
			}
		}
		return strconv.Itoa(n) + draw.Separator + draw.Plural(tokens, "token")
	}
	f.List.Row = f.row
}

// setActivation shows another activation.
func (f *activationList) setActivation(act lore.Activation) {
	f.does = act
	var rows []activationRow
	for _, list := range [][]activation.Trace{act.Triggered, act.Lost} {
		for i := range list {
			rows = append(rows, activationRow{group: groupOf(&list[i]), trace: &list[i]})
		}
	}
	for i := range act.Pinned {
		rows = append(rows, activationRow{group: groupStays, stay: &act.Pinned[i]})
	}
	slices.SortStableFunc(rows, func(a, b activationRow) int {
		return slices.Index(activationGroups, a.group) - slices.Index(activationGroups, b.group)
	})
	f.Show(rows)
}

func (r *activationRow) entry() storage.EntryID {
	switch {
	case r.stay != nil:
		return r.stay.Entry
	case r.trace.Entry != nil:
		return r.trace.Entry.ID
	}
	return ""
}

func (r *activationRow) tokens() int {
	if r.stay != nil {
		return r.stay.Tokens
	}
	return r.trace.Tokens
}

// row returns the row of an entry: name, cost and reason. ● is in the prompt, ○ is not.
func (f *activationList) row(r *activationRow, _ int) pane.Row {
	sty, out := f.Host.Styles(), pane.Row{Sign: "●", Right: strconv.Itoa(r.tokens())}
	if s := r.stay; s != nil {
		_, book := f.bookOf(s)
		out.SignStyle, out.Text = sty.Dim, draw.Truncate(s.Name, 120)
		out.More = cmp.Or(draw.Truncate(s.Reason, 200), "triggered earlier") + draw.Separator + draw.Truncate(book, 60)
		return out
	}
	out.SignStyle, out.Text, out.More = sty.Success, traceName(r.trace), traceWhy(r.trace)
	if r.trace.Verdict != activation.Triggered {
		out.Sign, out.SignStyle = "○", sty.Warning
	}
	return out
}

// traceName returns the name of a trace's entry.
func traceName(t *activation.Trace) string {
	if t.Entry == nil {
		return "an entry"
	}
	if name := draw.Truncate(t.Entry.Name, 120); name != "" {
		return name
	}
	if len(t.Entry.Keys) > 0 {
		return draw.Truncate(strings.Join(t.Entry.Keys, ", "), 120)
	}
	return fmt.Sprintf("entry %d", t.Entry.UID)
}

// traceWhy returns a line about why an entry triggered, or did not.
func traceWhy(t *activation.Trace) string {
	why := draw.Truncate(t.Reason, 240)
	if why == "" {
		why = string(t.Verdict)
	}
	parts := []string{why}
	if len(t.Path) > 1 { // the reason names a single one
		parts = append(parts, "via "+draw.Truncate(strings.Join(t.Path, " → "), 120))
	}
	if t.Group != "" {
		parts = append(parts, draw.Truncate(t.Group, 120))
	}
	if t.BookName != "" {
		parts = append(parts, draw.Truncate(t.BookName, 60))
	}
	return strings.Join(parts, draw.Separator)
}

// budget returns a line of w cells about the used share of the budget, nil if there is no budget.
func (f *activationList) budget(w int) []string {
	if f.does.Budget == 0 {
		return nil
	}
	sty, share := f.Host.Styles(), 0.0
	if f.does.Budget > 0 {
		share = float64(f.does.Used) / float64(f.does.Budget)
	}
	st, words := sty.Accent, fmt.Sprintf(" %d of %s", f.does.Used, draw.Plural(f.does.Budget, "token"))
	if f.does.Over {
		st, words = sty.Warning, words+draw.Separator+"over budget"
	}
	return []string{st.Styled(draw.Meter(share, 10)) + sty.Base.Styled(draw.Clip(words, w-10))}
}
