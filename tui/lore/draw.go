package lore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// wide is how many cells a row needs for its type and its keys.
const wide = 60

func (p *entriesView) title() string { return "" }

func (p *entriesView) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	switch {
	case p.fault != nil:
		look.PutWrapped(buf, area, p.Desk.Look().Failure, failure.Words(p.fault))
		return
	case !p.loaded:
		return // it is being read
	}
	p.head = p.header(buf, area)
	body := uv.Rect(area.Min.X, area.Min.Y+p.head, area.Dx(), max(0, area.Dy()-p.head))
	if area.Dy() >= 14 {
		body.Max.Y -= p.details(buf, body)
	}
	if len(p.books) == 0 {
		p.page = 0
		words := "No lorebooks yet. " + p.room.key(keys.PaneNew) + " creates one, " + p.Desk.WayTo(keys.LoreImport) +
			" imports one: World Info, a card with a lorebook, or a file from another client. " +
			"A chat gets its own lorebook as soon as its recaps have something to add."
		look.PutWrapped(buf, body, p.Desk.Look().Dim, words)
		return
	}
	typing := p.filtering()
	p.page = max(1, body.Dy())
	p.top = max(0, min(p.top, p.at, len(p.lines)-p.page), p.at-p.page+1)
	for i := 0; i < body.Dy() && p.top+i < len(p.lines); i++ {
		p.line(buf, uv.Rect(body.Min.X, body.Min.Y+i, body.Dx()-1, 1), p.top+i, focused || typing)
	}
	if p.find.on() && len(p.lines) == 0 {
		words := "searching …"
		if p.find.done {
			words = "No match for “" + look.Within(p.find.text, 40) + "”."
		}
		look.PutWrapped(buf, body, p.Desk.Look().Dim, words)
	}
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), p.top, len(p.lines), p.Desk.Look())
}

// filterLine is where the filter stands, ok is false where there is no room.
func (p *entriesView) filterLine() (uv.Rectangle, bool) {
	lp := p.room.pane()
	if lp == nil || lp.view() != paneView(p) || lp.area.Dy() < 2 {
		return uv.Rectangle{}, false
	}
	return uv.Rect(lp.area.Min.X, lp.area.Min.Y, lp.area.Dx(), 1), true
}

// filtering tells whether the filter is being typed.
func (p *entriesView) filtering() bool {
	return slices.Contains(p.Desk.Dialogs(), widget.Dialog(p.typed))
}

// header is the line above the list: the filter, or what all books cost. It says
// how many lines it took.
func (p *entriesView) header(buf uv.ScreenBuffer, area uv.Rectangle) int {
	typing := p.filtering()
	if area.Dy() < 2 || len(p.books) == 0 && !typing {
		return 0
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	switch {
	case typing:
	case p.find.on():
		right := p.markedWords() + strconv.Itoa(len(p.find.hits))
		if p.find.near > 0 && p.find.near < len(p.find.hits) {
			right = fmt.Sprintf("%s%d + %d similar", p.markedWords(), p.find.near, len(p.find.hits)-p.find.near)
		}
		room := look.PutRight(buf, x, y, w, p.Desk.Look().Dim, right) - x - 1
		look.Put(buf, x, y, room, p.Desk.Look().Accent, "/ "+p.find.text)
	default:
		look.Put(buf, x, y, w, p.Desk.Look().Dim, look.Parts(p.markedWords()+p.totals(), w))
	}
	return 1
}

// markedWords say how many entries are marked, "" for none.
func (p *entriesView) markedWords() string {
	if n := len(p.marked); n > 0 {
		return strconv.Itoa(n) + " marked" + look.Separator
	}
	return ""
}

// totals is what the books that are on hold and cost.
func (p *entriesView) totals() string {
	entries, tokens, constant, waiting := 0, 0, 0, 0
	for _, b := range p.books {
		waiting += b.Waiting
		if b.On {
			entries, tokens, constant = entries+b.Active, tokens+b.Tokens, constant+b.Constant
		}
	}
	words := look.Plural(entries, "entry") + " on · " + look.Thousands(tokens) + " tokens"
	if entries != 1 {
		words = strconv.Itoa(entries) + " entries on · " + look.Thousands(tokens) + " tokens"
	}
	if constant > 0 {
		words += look.Separator + look.Thousands(constant) + " always"
	}
	if waiting > 0 {
		words += look.Separator + strconv.Itoa(waiting) + " to review" + p.room.viewKey(keys.PaneView3)
	}
	return words
}

// line draws a line of the list.
func (p *entriesView) line(buf uv.ScreenBuffer, area uv.Rectangle, i int, active bool) {
	l := p.lines[i]
	chosen := i == p.at && active
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	switch l.row {
	case lineLess:
		look.Put(buf, x+2, y, w-2, p.Desk.Look().Faint, "similar")
		return
	case lineEmpty, lineWait:
		words := "no entries yet: " + p.room.key(keys.PaneNew) + " creates one"
		if l.row == lineWait {
			words = "…"
		} else if f := p.books[l.book].fault; f != nil {
			words = failure.Words(f)
		}
		st := p.Desk.Look().Dim
		if chosen {
			st = p.Desk.Look().Selected
		}
		look.Put(buf, x+4, y, w-4, st, words)
		return
	case lineBook:
		p.bookLine(buf, area, p.books[l.book], chosen)
		return
	}
	p.entryLine(buf, area, l, chosen)
}

func (p *entriesView) bookLine(buf uv.ScreenBuffer, area uv.Rectangle, b *listedBook, chosen bool) {
	st, dim := p.Desk.Look().Strong, p.Desk.Look().Dim
	if !b.On {
		st = p.Desk.Look().Dim
	}
	if chosen {
		st, dim = p.Desk.Look().Selected, p.Desk.Look().SelectedDim
		look.Fill(buf, area, st)
	}
	mark := "▸ "
	if b.open {
		mark = "▾ "
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	right := bookFigures(b.Book, w >= wide)
	room := look.PutRight(buf, x, y, w, dim, right) - x - 1
	n := look.Put(buf, x, y, min(room, max(12, w/2)), st, mark+look.Within(b.Name, 60))
	words := string(b.Kind)
	if w >= wide && b.Why != "" {
		words = b.Why
	}
	if !b.On {
		words += ", off"
	}
	if left := room - n - 2; left >= 6 {
		look.Put(buf, x+n+2, y, left, dim, words)
	}
}

// bookFigures is what a book holds and costs, at the right of its line.
func bookFigures(b lore.Book, wide bool) string {
	var parts []string
	if b.Waiting > 0 {
		parts = append(parts, "+"+strconv.Itoa(b.Waiting))
		if wide {
			parts[0] += " waiting"
		}
	}
	if !wide {
		return strings.Join(append(parts, strconv.Itoa(b.Entries)+look.Separator+look.Thousands(b.Tokens)), look.Separator)
	}
	if b.Constant > 0 {
		parts = append(parts, look.Thousands(b.Constant)+" always")
	}
	noun := " entries"
	if b.Entries == 1 {
		noun = " entry"
	}
	return strings.Join(append(parts, strconv.Itoa(b.Entries)+noun, look.Thousands(b.Tokens)+" tokens"), look.Separator)
}

func (p *entriesView) entryLine(buf uv.ScreenBuffer, area uv.Rectangle, l listLine, chosen bool) {
	b := p.books[l.book]
	e := &b.rows[l.row]
	st, dim, mark := p.Desk.Look().Base, p.Desk.Look().Dim, p.Desk.Look().Accent
	if e.Disabled || !b.On {
		st = p.Desk.Look().Dim
	}
	if chosen {
		st, dim, mark = p.Desk.Look().Selected, p.Desk.Look().SelectedDim, p.Desk.Look().Selected
		look.Fill(buf, area, st)
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	if p.marked[entryKey{b.ID, e.ID}] {
		look.Put(buf, x, y, 1, mark, "✓")
	}
	indent := 2
	if p.find.on() {
		indent = 1
	}
	x, w = x+indent, w-indent
	right := strings.TrimSpace(rowMarks(e) + fmt.Sprintf("%6s", look.Thousands(e.Tokens)))
	room := look.PutRight(buf, x, y, w, dim, right) - x - 1
	name := room
	if w >= wide {
		name = min(room, max(20, w*2/5))
	}
	n := look.Put(buf, x, y, name, st, desk.Within(p.Desk, entryName(e), 80))
	if w < wide {
		return
	}
	words := p.about(e, b)
	if left := room - max(n+2, name); words != "" && left > 6 {
		look.Put(buf, x+max(n+2, name), y, left, dim, words)
	}
}

// about is what stands behind an entry's name: its type and its keys, and its
// book where those of several are listed.
func (p *entriesView) about(e *lore.Row, b *listedBook) string {
	var parts []string
	if e.Type != "" {
		parts = append(parts, look.Within(e.Type, 12))
	}
	if p.find.on() && len(p.books) > 1 {
		parts = append(parts, look.Within(b.Name, 24))
	}
	if k := desk.Within(p.Desk, keysLine(e.Keys, 60), 60); k != "" {
		parts = append(parts, k)
	}
	return strings.Join(parts, look.Separator)
}

// keysLine is keys on a line of about n cells.
func keysLine(list []string, n int) string {
	var b strings.Builder
	for _, k := range list {
		if b.Len() > 4*n {
			break
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(look.Within(k, n))
	}
	return ansi.Truncate(b.String(), n, "…")
}

func entryName(e *lore.Row) string {
	for _, name := range append([]string{e.Name}, e.Keys...) {
		if s := look.Within(name, 80); s != "" {
			return s
		}
	}
	return "entry " + strconv.Itoa(e.UID)
}

// rowMarks are the letters of what is special about an entry.
func rowMarks(e *lore.Row) string {
	s := ""
	for _, m := range []struct {
		on   bool
		mark string
	}{{e.Constant, "C"}, {e.Disabled, "O"}, {e.Locked, "L"}, {e.Here, "Y"}} {
		if m.on {
			s += m.mark
		}
	}
	if e.Waiting > 0 {
		s += "+" + strconv.Itoa(e.Waiting)
	}
	return s
}

// marksWords says the same in words, and when the entry fired.
func marksWords(e *lore.Row) []string {
	var parts []string
	for _, m := range []struct {
		on    bool
		words string
	}{{e.Disabled, "off"}, {e.Constant, "constant"}, {e.Locked, "locked"}, {e.Here, "only on this branch (Y)"}} {
		if m.on {
			parts = append(parts, m.words)
		}
	}
	if e.Waiting > 0 {
		parts = append(parts, look.Plural(e.Waiting, "change")+" waiting")
	}
	if e.Fired >= 0 {
		parts = append(parts, "last triggered at message "+strconv.Itoa(e.Fired+1))
	}
	return parts
}

// details draws at the bottom what there is to say about the chosen line, and
// says how many lines that took.
func (p *entriesView) details(buf uv.ScreenBuffer, area uv.Rectangle) int {
	lines := p.detailLines(area.Dx()-2, p.Desk.Look())
	return look.PutBelow(buf, area, lines[:min(len(lines), look.MostBelow, area.Dy()/3)], p.Desk.Look())
}

func (p *entriesView) detailLines(w int, lk *look.Look) []string {
	var out []string
	add := func(st uv.Style, text string) {
		for _, l := range look.Wrap(text, w) {
			out = append(out, st.Styled(l))
		}
	}
	if e := p.row(); e != nil {
		if words := marksWords(e); len(words) > 0 {
			add(lk.Accent, strings.Join(words, look.Separator))
		}
		if len(e.Keys) > 0 {
			add(lk.Dim, "keys: "+desk.Within(p.Desk, keysLine(e.Keys, 2*w-8), 2*w-8))
		} else if !e.Constant {
			add(lk.Warning, "no keys: triggered only in other ways")
		}
		if e.Synopsis != "" {
			add(lk.Dim, desk.Within(p.Desk, e.Synopsis, 2*w))
		}
		add(lk.Base, desk.Within(p.Desk, e.Content, 5*w))
		return out
	}
	if b := p.book(); b != nil {
		words := []string{b.Why}
		if b.Why == "" {
			words = []string{string(b.Kind)}
		}
		if !b.On {
			words = append(words, "off in this chat")
		}
		if b.Format != "" {
			words = append(words, "imported from "+look.Within(b.Format, 30))
		}
		if n := len(b.Cases); n > 0 {
			words = append(words, look.Plural(n, "test"))
		}
		add(lk.Dim, strings.Join(words, look.Separator))
		if b.Description != "" {
			add(lk.Base, look.Within(b.Description, 3*w))
		}
	}
	return out
}
