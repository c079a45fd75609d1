package lore

import (
	"fmt"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// firing is what the lorebooks do for a prompt or over a text, laid out as rows
// under headings.
type firing struct {
	widget.Outline
	does lore.Activation
	all  []firingRow
}

// firingRow is a heading, an entry that was decided about, or one that stays from
// an earlier turn. Exactly one of the three is set.
type firingRow struct {
	head  string
	trace *activation.Trace
	stay  *lore.Standing
}

// firingGroup is what an entry is listed under.
type firingGroup int

const (
	groupAlways firingGroup = iota
	groupFired
	groupCut
	groupLost
	groupRest
)

// groupOf is the group that a trace belongs to.
func groupOf(t *activation.Trace) firingGroup {
	switch {
	case t.Verdict == activation.Fired && t.Constant:
		return groupAlways
	case t.Verdict == activation.Fired:
		return groupFired
	case t.Verdict == activation.CutByBudget:
		return groupCut
	case t.Verdict == activation.FailedChance || t.Verdict == activation.LostGroup:
		return groupLost
	}
	return groupRest
}

// take shows another activation. The chosen entry stays chosen while it is there.
func (f *firing) take(act lore.Activation) {
	before := f.entry()
	f.does = act
	f.all = firingRows(&f.does)
	shape := make([]widget.OutlineRow, len(f.all))
	for i, r := range f.all {
		shape[i] = widget.OutlineRow{Height: 2}
		if r.head != "" {
			shape[i] = widget.OutlineRow{Height: 1, Heading: true}
		}
	}
	f.Outline.Fill(shape)
	for i := range f.all {
		if before != "" && f.all[i].entry() == before {
			f.Outline.Choose(i)
			return
		}
	}
}

// firingRows are the rows of an activation: what is in the prompt first, then
// what is not, each group under its heading.
func firingRows(act *lore.Activation) []firingRow {
	var groups [groupRest + 1][]firingRow
	var tokens [groupRest + 1]int
	add := func(t *activation.Trace) {
		g := groupOf(t)
		groups[g] = append(groups[g], firingRow{trace: t})
		tokens[g] += t.Tokens
	}
	for i := range act.Fired {
		add(&act.Fired[i])
	}
	for i := range act.Lost {
		add(&act.Lost[i])
	}
	var stays []firingRow
	kept := 0
	for i := range act.Stays {
		stays = append(stays, firingRow{stay: &act.Stays[i]})
		kept += act.Stays[i].Tokens
	}
	var out []firingRow
	section := func(name string, rows []firingRow, tokens int) {
		if len(rows) == 0 {
			return
		}
		out = append(out, firingRow{head: fmt.Sprintf("%s%s%d%s%s", name, look.Separator, len(rows), look.Separator, look.Plural(tokens, "token"))})
		out = append(out, rows...)
	}
	section("Constant", groups[groupAlways], tokens[groupAlways])
	section("Triggered now", groups[groupFired], tokens[groupFired])
	section("Still active from earlier turns", stays, kept)
	section("Cut by the budget", groups[groupCut], tokens[groupCut])
	section("Lost by probability or group", groups[groupLost], tokens[groupLost])
	section("Matched but suppressed", groups[groupRest], tokens[groupRest])
	return out
}

func (r *firingRow) entry() storage.EntryID {
	switch {
	case r.trace != nil && r.trace.Entry != nil:
		return r.trace.Entry.ID
	case r.stay != nil:
		return r.stay.Entry
	}
	return ""
}

// row is the chosen row, nil for none.
func (f *firing) row() *firingRow {
	if i := f.Outline.Chosen(); i >= 0 && i < len(f.all) {
		return &f.all[i]
	}
	return nil
}

// entry is the entry of the chosen row, "" for none.
func (f *firing) entry() storage.EntryID {
	if r := f.row(); r != nil {
		return r.entry()
	}
	return ""
}

// draw shows the rows that are in view.
func (f *firing) draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool, lk *look.Look) {
	f.Outline.Show(area, func(i int, room uv.Rectangle) {
		f.drawRow(buf, room, &f.all[i], focused && i == f.Outline.Chosen(), lk)
	})
}

func (f *firing) drawRow(buf uv.ScreenBuffer, room uv.Rectangle, r *firingRow, chosen bool, lk *look.Look) {
	x, y, w := room.Min.X, room.Min.Y, room.Dx()
	if r.head != "" {
		look.Put(buf, x, y, w, look.Heading(lk), r.head)
		return
	}
	mark, st, name, tokens, why := f.words(r, lk)
	base, dim := lk.Base, lk.Dim
	if chosen {
		base, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), base)
		st.Bg = base.Bg
	}
	look.Put(buf, x, y, 1, st, mark)
	end := look.PutRight(buf, x, y, w, dim, fmt.Sprint(tokens))
	look.Put(buf, x+2, y, end-x-3, base, name)
	if room.Dy() > 1 {
		look.Put(buf, x+2, y+1, w-2, lk.Dim, why)
	}
}

// words are what a row says: its mark, the entry's name, what it costs and why it
// is where it is. ● is in the prompt, ○ is not.
func (f *firing) words(r *firingRow, lk *look.Look) (mark string, st uv.Style, name string, tokens int, why string) {
	if s := r.stay; s != nil {
		why = look.Within(s.Reason, 200)
		if why == "" {
			why = "triggered earlier"
		}
		_, book := f.bookOf(s)
		return "●", lk.Dim, look.Within(s.Name, 120), s.Tokens, why + look.Separator + look.Within(book, 60)
	}
	t := r.trace
	mark, st = "○", lk.Warning
	if t.Verdict == activation.Fired {
		mark, st = "●", lk.Success
	}
	return mark, st, traceName(t), t.Tokens, traceWhy(t)
}

// traceName is how a trace's entry is called.
func traceName(t *activation.Trace) string {
	if t.Entry == nil {
		return "an entry"
	}
	if name := look.Within(t.Entry.Name, 120); name != "" {
		return name
	}
	if len(t.Entry.Keys) > 0 {
		return look.Within(strings.Join(t.Entry.Keys, ", "), 120)
	}
	return fmt.Sprintf("entry %d", t.Entry.UID)
}

// traceWhy says in a line why an entry fired, or did not.
func traceWhy(t *activation.Trace) string {
	why := look.Within(t.Reason, 240)
	if why == "" {
		why = string(t.Verdict)
	}
	parts := []string{why}
	if len(t.Path) > 1 { // one is named in the reason
		parts = append(parts, "via "+look.Within(strings.Join(t.Path, " → "), 120))
	}
	if t.Group != "" {
		parts = append(parts, look.Within(t.Group, 120))
	}
	if t.BookName != "" {
		parts = append(parts, look.Within(t.BookName, 60))
	}
	return strings.Join(parts, look.Separator)
}

// budget draws how much of the budget is used, and says how many lines that took.
func (f *firing) budget(buf uv.ScreenBuffer, area uv.Rectangle, lk *look.Look) int {
	if area.Dy() < 1 || f.does.Budget == 0 {
		return 0
	}
	share, st := 0.0, lk.Accent
	if f.does.Budget > 0 {
		share = float64(f.does.Used) / float64(f.does.Budget)
	}
	words := fmt.Sprintf(" %d of %s", f.does.Used, look.Plural(f.does.Budget, "token"))
	if f.does.Over {
		st, words = lk.Warning, words+look.Separator+"over budget"
	}
	x := area.Min.X
	x += look.Put(buf, x, area.Min.Y, area.Dx(), st, look.Meter(share, 10))
	look.Put(buf, x, area.Min.Y, area.Max.X-x, lk.Base, words)
	return 1
}
