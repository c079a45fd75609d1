package lore

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// wide is the minimum width, in cells, at which a row shows its type and its keys.
const wide = 60

func (p *entriesView) title() string { return "" }

// noBooks returns words about how to get the first lorebook.
func (p *entriesView) noBooks() string {
	return "No lorebooks yet. " + p.part.key(keys.PaneNew) + " creates one, " + pane.PathTo(p.Host, keys.LoreImport) +
		" imports one: World Info, a card with a lorebook, or a file from another client. " +
		"A chat gets its own lorebook as soon as its recaps have something to add."
}

// header returns the line above the list: the cost of all books.
func (p *entriesView) header(w, h int) []string {
	if h < 2 || len(p.books) == 0 {
		return nil
	}
	return []string{p.Host.Styles().Dim.Styled(draw.Parts(p.totals(), w))}
}

// totals returns the entries and the cost of all books that are on.
func (p *entriesView) totals() string {
	entries, tokens, constant, waiting := 0, 0, 0, 0
	for _, b := range p.books {
		waiting += b.Waiting
		if b.On {
			entries, tokens, constant = entries+b.Active, tokens+b.Tokens, constant+b.Constant
		}
	}
	words := draw.Plural(entries, "entry") + " on · " + draw.Thousands(tokens) + " tokens"
	if entries != 1 {
		words = strconv.Itoa(entries) + " entries on · " + draw.Thousands(tokens) + " tokens"
	}
	if constant > 0 {
		words += draw.Separator + draw.Thousands(constant) + " always"
	}
	if waiting > 0 {
		words += draw.Separator + strconv.Itoa(waiting) + " to review" + p.part.viewKey(keys.PaneView3)
	}
	return words
}

// line returns the row of a line of the list.
func (p *entriesView) line(l *listLine, w int) pane.Row {
	switch l.row {
	case lineBook:
		return p.bookLine(l.book, w)
	case lineWait:
		return pane.Row{Text: "…", Faint: true}
	case lineEmpty:
		words := "no entries yet: " + p.part.key(keys.PaneNew) + " creates one"
		if f := l.book.fault; f != nil {
			words = failure.Text(f)
		}
		return pane.Row{Text: words, Faint: true}
	}
	e := l.entry()
	r := pane.Row{Text: pane.Truncate(p.Host, entryName(e), 80), Faint: e.Disabled || !l.book.On,
		Right: strings.TrimSpace(rowMarks(e) + fmt.Sprintf("%6s", draw.Thousands(e.Tokens)))}
	if w >= wide {
		r.Column = p.about(e, l.book)
	}
	return r
}

// bookLine returns the line of a book.
func (p *entriesView) bookLine(b *listedBook, w int) pane.Row {
	r := pane.Row{Sign: "▸", SignStyle: p.Host.Styles().Dim, Text: draw.Truncate(b.Name, 60),
		Strong: true, Faint: !b.On,
		Right: bookFigures(b.Book, w >= wide), Column: string(b.Kind)}
	if b.open {
		r.Sign = "▾"
	}
	if w >= wide && b.Why != "" {
		r.Column = b.Why
	}
	if !b.On {
		r.Column += ", off"
	}
	return r
}

// bookFigures returns the counts and the cost of a book, at the right of its line.
func bookFigures(b lore.Book, wide bool) string {
	var parts []string
	if b.Waiting > 0 {
		parts = append(parts, "+"+strconv.Itoa(b.Waiting))
		if wide {
			parts[0] += " waiting"
		}
	}
	if !wide {
		return strings.Join(append(parts, strconv.Itoa(b.Entries)+draw.Separator+draw.Thousands(b.Tokens)),
			draw.Separator)
	}
	if b.Constant > 0 {
		parts = append(parts, draw.Thousands(b.Constant)+" always")
	}
	noun := " entries"
	if b.Entries == 1 {
		noun = " entry"
	}
	return strings.Join(append(parts, strconv.Itoa(b.Entries)+noun, draw.Thousands(b.Tokens)+" tokens"), draw.Separator)
}

// about returns the text after an entry's name: its type and its keys, and its book if the list is
// filtered and has several books.
func (p *entriesView) about(e *lore.Row, b *listedBook) string {
	var parts []string
	if e.Type != "" {
		parts = append(parts, draw.Truncate(e.Type, 12))
	}
	if p.Filter.Active() && len(p.books) > 1 {
		parts = append(parts, draw.Truncate(b.Name, 24))
	}
	if k := pane.Truncate(p.Host, keysLine(e.Keys, 60), 60); k != "" {
		parts = append(parts, k)
	}
	return strings.Join(parts, draw.Separator)
}

// keysLine returns keys in a line of about n cells.
func keysLine(list []string, n int) string {
	var b strings.Builder
	for _, k := range list {
		if b.Len() > 4*n {
			break
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(draw.Truncate(k, n))
	}
	return ansi.Truncate(b.String(), n, "…")
}

func entryName(e *lore.Row) string {
	for _, name := range append([]string{e.Name}, e.Keys...) {
		if s := draw.Truncate(name, 80); s != "" {
			return s
		}
	}
	return "entry " + strconv.Itoa(e.UID)
}

// rowMarks returns letters for the special states of an entry.
func rowMarks(e *lore.Row) string {
	s := ""
	for _, m := range []struct {
		on   bool
		mark string
	}{{e.Constant, "C"}, {e.Disabled, "O"}, {e.Locked, "L"}, {e.OnPath, "Y"}} {
		if m.on {
			s += m.mark
		}
	}
	if e.Waiting > 0 {
		s += "+" + strconv.Itoa(e.Waiting)
	}
	return s
}

// marksWords returns the same states in words, and when the entry triggered.
func marksWords(e *lore.Row) []string {
	var parts []string
	for _, m := range []struct {
		on    bool
		words string
	}{{e.Disabled, "off"}, {e.Constant, "constant"}, {e.Locked, "locked"}, {e.OnPath, "only on this branch (Y)"}} {
		if m.on {
			parts = append(parts, m.words)
		}
	}
	if e.Waiting > 0 {
		parts = append(parts, draw.Plural(e.Waiting, "change")+" waiting")
	}
	if e.LastTriggered > 0 {
		parts = append(parts, "last triggered at message "+strconv.Itoa(e.LastTriggered))
	}
	return parts
}

// details returns the details of a line.
func (p *entriesView) details(l *listLine, w int) []string {
	sty := p.Host.Styles()
	var out []string
	add := func(st uv.Style, text string) {
		for _, l := range draw.Wrap(text, w) {
			out = append(out, st.Styled(l))
		}
	}
	if e := l.entry(); e != nil {
		if words := marksWords(e); len(words) > 0 {
			add(sty.Accent, strings.Join(words, draw.Separator))
		}
		if len(e.Keys) > 0 {
			add(sty.Dim, "keys: "+pane.Truncate(p.Host, keysLine(e.Keys, 2*w-8), 2*w-8))
		} else if !e.Constant {
			add(sty.Warning, "no keys: triggered only in other ways")
		}
		if e.Synopsis != "" {
			add(sty.Dim, pane.Truncate(p.Host, e.Synopsis, 2*w))
		}
		add(sty.Base, pane.Truncate(p.Host, e.Content, 5*w))
		return out
	}
	b, words := l.book, []string{cmp.Or(l.book.Why, string(l.book.Kind))}
	if !b.On {
		words = append(words, "off in this chat")
	}
	if b.Format != "" {
		words = append(words, "imported from "+draw.Truncate(b.Format, 30))
	}
	if n := len(b.Cases); n > 0 {
		words = append(words, draw.Plural(n, "test"))
	}
	add(sty.Dim, strings.Join(words, draw.Separator))
	if b.Description != "" {
		add(sty.Base, draw.Truncate(b.Description, 3*w))
	}
	return out
}
