package lore

import (
	"fmt"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// inboxRow is a row of the inbox: a proposal, or a line of what it would change.
// hunk is its hunk, -1 for none; a row of neither kind is only read.
type inboxRow struct {
	proposal int
	hunk     int
	lines    []string // the lines below a proposal: styled and safe
}

// maxHunkLines is the maximum number of lines of a hunk in the list; the diff shows all of it.
const maxHunkLines = 6

// maxHunks is the maximum number of shown hunks of a proposal.
const maxHunks = 300

func moreHunks(n int) string { return "… and " + draw.Plural(n, "fact") + " more" }

// laid returns the rows of all proposals in w cells; the open one is unfolded.
func (p *inboxView) laid(w int, sty *draw.Styles, where func([]storage.NodeID) string) []inboxRow {
	var out []inboxRow
	for i := range p.all {
		out = append(out, inboxRow{proposal: i, hunk: -1})
		if p.all[i].ID == p.open {
			out = append(out, p.unfolded(i, w, sty, where)...)
		}
	}
	return out
}

// choosable reports whether a hunk can be accepted or rejected. Kept text stays anyway, and a new
// entry needs its head.
func choosable(h *lore.Hunk) bool {
	return h.Kind != plist.Kept && (!h.Head || h.Kind != plist.Added)
}

// unfolded returns the rows below a proposal: its hunks, and its other fields. Consecutive
// unchanged facts are shown as a count.
func (p *inboxView) unfolded(i, w int, sty *draw.Styles, where func([]storage.NodeID) string) []inboxRow {
	c := &p.all[i]
	var out []inboxRow
	for n := 0; n < len(c.Hunks); n++ {
		if n >= maxHunks {
			out = append(out,
				inboxRow{i, -1, []string{sty.Dim.Styled(draw.Clip("      "+moreHunks(len(c.Hunks)-n), w))}})
			break
		}
		h := &c.Hunks[n]
		kept := 0
		for n+kept < len(c.Hunks) && c.Hunks[n+kept].Kind == plist.Kept {
			kept++
		}
		if kept > 2 {
			words := fmt.Sprintf("      … %s unchanged", draw.Plural(kept, "fact"))
			out = append(out, inboxRow{i, -1, []string{sty.Dim.Styled(draw.Clip(words, w))}})
			n += kept - 1
			continue
		}
		if !choosable(h) {
			out = append(out, inboxRow{i, -1, hunkLines(h, "    ", w, maxHunkLines, sty)})
			continue
		}
		box := "[×] "
		if !p.taken(c, n) {
			box = "[ ] "
		}
		lines := hunkLines(h, box, w, maxHunkLines, sty)
		if from := where(h.Messages); from != "" {
			lines = append(lines, sty.Dim.Styled("      "+draw.Truncate(from, max(1, w-6))))
		}
		out = append(out, inboxRow{i, n, lines})
	}
	for _, f := range c.Fields {
		words := nameOrNone(f.Before) + " → " + nameOrNone(f.After)
		if f.Before == "" {
			words = nameOrNone(f.After)
		}
		lines := draw.Hanging(sty.Dim.Styled("      "+draw.Truncate(f.Name, 40)+" "), words, w, sty.Base)
		out = append(out, inboxRow{i, -1, lines[:min(len(lines), maxHunkLines)]})
	}
	for _, d := range c.Cause.Dropped[:min(len(c.Cause.Dropped), maxHunks)] {
		lines := draw.Hanging(sty.Dim.Styled("      left out "),
			draw.Truncate(d.Fact, 200)+": "+draw.Truncate(d.Why, 120),
			w, sty.Base)
		out = append(out, inboxRow{i, -1, lines[:min(len(lines), maxHunkLines)]})
	}
	return out
}

func nameOrNone(s string) string {
	if s = draw.Truncate(s, 400); s != "" {
		return s
	}
	return "–"
}

// hunkLines returns a change of an entry's content: removed text with −, added text with +. Each
// side has no more than most lines; 0 is no limit.
func hunkLines(h *lore.Hunk, lead string, w, most int, sty *draw.Styles) []string {
	var out []string
	side := func(mark string, st uv.Style, text string) {
		if strings.TrimSpace(text) == "" {
			return
		}
		lines := draw.Hanging(sty.Base.Styled(lead)+st.Styled(mark), draw.Cut(text, maxShown), w, st)
		if most > 0 && len(lines) > most {
			lines = append(lines[:most-1:most-1], sty.Dim.Styled("      …"))
		}
		out = append(out, lines...)
		lead = strings.Repeat(" ", len([]rune(lead)))
	}
	if h.Kind == plist.Kept {
		side("  ", sty.Dim, h.After)
		return out
	}
	side("− ", sty.Failure, h.Before)
	side("+ ", sty.Success, h.After)
	if len(out) == 0 {
		out = []string{sty.Dim.Styled(lead + "a space")}
	}
	return out
}

// taken reports whether a hunk of a proposal is to be accepted.
func (p *inboxView) taken(c *lore.Proposal, hunk int) bool {
	left := p.left[c.ID]
	return hunk >= len(left) || !left[hunk]
}

// chosenHunks returns the argument of lore.Service.Accept: nil for all hunks of a proposal.
func (p *inboxView) chosenHunks(c *lore.Proposal) []bool {
	some := false
	out := make([]bool, len(c.Hunks))
	for i := range out {
		out[i] = p.taken(c, i)
		some = some || !out[i]
	}
	if !some {
		return nil
	}
	return out
}

// facts counts a proposal's changes, and those that are selected to be accepted.
func (p *inboxView) facts(c *lore.Proposal) (n, taken int) {
	for i := range c.Hunks {
		if !choosable(&c.Hunks[i]) {
			continue
		}
		n++
		if p.taken(c, i) {
			taken++
		}
	}
	return n, taken
}

// proposalName returns the name of a proposal.
func proposalName(c *lore.Proposal) string {
	for _, name := range []string{c.Name, c.After.Name, c.Cause.Candidate} {
		if name = draw.Truncate(name, 120); name != "" {
			return name
		}
	}
	return "an entry without a name"
}

// proposalKind returns the effect of a proposal, in a word.
func proposalKind(c *lore.Proposal) string {
	switch c.Kind {
	case storage.LoreAdds:
		return "new"
	case storage.LoreCompacts:
		return "shorten"
	}
	return "update"
}

// about returns the second line of a proposal: its changes, its reason, and its source.
func (p *inboxView) about(c *lore.Proposal) string {
	var parts []string
	n, taken := p.facts(c)
	switch {
	case n > 0 && taken < n:
		parts = append(parts, fmt.Sprintf("%d of %s", taken, draw.Plural(n, "fact")))
	case n > 0:
		parts = append(parts, draw.Plural(n, "fact"))
	case len(c.Fields) > 0:
		parts = append(parts, draw.Plural(len(c.Fields), "field"))
	}
	if scene := draw.Truncate(c.Scene, 80); scene != "" {
		parts = append(parts, scene)
	} else if c.Cause.Origin == storage.LoreByCompact {
		parts = append(parts, "it is too long")
	}
	return strings.Join(append(parts, draw.Truncate(c.BookName, 60)), draw.Separator)
}

// drawRow draws one row of the inbox.
func (p *inboxView) drawRow(buf uv.ScreenBuffer, room uv.Rectangle, r *inboxRow, chosen bool, sty *draw.Styles) {
	x, y, w := room.Min.X, room.Min.Y, room.Dx()
	if r.lines != nil {
		for i := 0; i < min(len(r.lines), room.Dy()); i++ {
			draw.PutStyled(buf, x+1, y+i, w-1, r.lines[i])
			if chosen {
				draw.Put(buf, x, y+i, 1, sty.Bar, "▌")
			}
		}
		return
	}
	c := &p.all[r.proposal]
	base, dim := sty.Base, sty.Dim
	if chosen {
		base, dim = sty.Selected, sty.SelectedDim
		draw.Fill(buf, uv.Rect(x, y, w, 1), base)
	}
	fold := "▸ "
	if c.ID == p.open {
		fold = "▾ "
	}
	right := proposalKind(c)
	if c.After.Type != "" {
		right += draw.Separator + draw.Truncate(c.After.Type, 20)
	}
	end := draw.PutRight(buf, x, y, w, dim, right)
	n := draw.Put(buf, x, y, 2, dim, fold)
	draw.Put(buf, x+n, y, end-x-n-1, base, proposalName(c))
	if room.Dy() < 2 {
		return
	}
	x, w = x+2, w-2
	if c.Outdated {
		k := draw.Put(buf, x, y+1, w, sty.Warning, "! outdated")
		x, w = x+k, w-k
		k = draw.Put(buf, x, y+1, w, sty.Dim, draw.Separator)
		x, w = x+k, w-k
	}
	draw.Put(buf, x, y+1, w, sty.Dim, p.about(c))
}
