package lore

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// entriesView is the view of the books with their entries, and the actions on one or several of
// them.
type entriesView struct {
	pane.UndoStack
	pane.List[listLine]
	part          *Part
	chat          storage.ChatID
	books         []*listedBook
	wide          bool               // entries of folded books are read too, for the filter
	pendingSelect storage.LorebookID // to be unfolded once it exists
	// saved is called after an entry was edited for another part; nil in the pane.
	saved func(words string, back func() error) tea.Cmd
}

// entryKey identifies an entry; without one, its book.
type entryKey struct {
	book  storage.LorebookID
	entry storage.EntryID
}

// text returns the key of the row.
func (k entryKey) text() string { return string(k.book) + "/" + string(k.entry) }

// listedBook is a book with the rows that were read. rows are replaced, never changed: a search may
// be reading them.
type listedBook struct {
	lore.Book
	open  bool
	rows  []lore.Row
	texts []searchText // of the rows, prepared for searching
	fresh bool         // rows match the store, as far as known
	fault error
}

// listLine is a line of the list: the index of a book's entry, or one of the constants below in
// row.
type listLine struct {
	book *listedBook
	row  int
}

// Values of listLine.row for lines that are not entries.
const (
	lineBook  = -1 - iota
	lineEmpty // the book has no entries
	lineWait  // the book is being read
)

func newEntriesView(r *Part) *entriesView {
	p := &entriesView{part: r, UndoStack: pane.UndoStack{Host: r.host}, List: pane.NewList[listLine](r.host, 1)}
	p.Everywhere, p.Marks = true, true
	p.Source, p.Find = p.source, p.find
	p.ID = func(l *listLine) string {
		if l.row < lineBook {
			return string(l.book.ID)
		}
		return l.key().text()
	}
	p.Folded = func(l *listLine) bool { return l.row != lineBook && !l.book.open }
	p.Fixed = func(l *listLine) bool { return l.row < 0 }
	p.Row, p.Detail, p.Above, p.Empty = p.line, p.details, p.header, p.noBooks
	return p
}

// Read reads all books of the chat again.
func (p *entriesView) Read() tea.Cmd {
	if chat := p.Host.Play().Chat().Chat.ID; p.chat != chat {
		p.chat, p.books, p.wide = chat, nil, false
		p.Reset("")
	}
	p.invalidate("")
	return p.List.Read()
}

func (p *entriesView) changed(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case lore.Changed:
		p.invalidate(ev.Book)
	case play.ReplyEnded, chats.ChatChanged:
		p.invalidate("") // other entries may have triggered, or exist
	default:
		return nil
	}
	return p.List.Read()
}

// invalidate marks a book as outdated, all books for "".
func (p *entriesView) invalidate(id storage.LorebookID) {
	for _, b := range p.books {
		b.fresh = b.fresh && id != "" && b.ID != id
	}
}

// bookRead is a book as it was read, away from the screen's goroutine.
type bookRead struct {
	lore.Book
	read  bool
	rows  []lore.Row
	texts []searchText
	fault error
}

// source returns a function that reads the list of books. It also reads the entries of unfolded
// books that are not fresh, or those of all books once the list was filtered.
func (p *entriesView) source() func(storage.ChatID) ([]listLine, func(), error) {
	chat, eng, known := p.chat, p.Host.Engine(), map[storage.LorebookID]listedBook{}
	for _, b := range p.books {
		known[b.ID] = *b
	}
	all, wish := p.wide, p.pendingSelect
	return func(storage.ChatID) ([]listLine, func(), error) {
		books, err := eng.Lore.Books(chat)
		var got []bookRead
		for _, b := range books {
			st, ok := known[b.ID]
			if !ok {
				st.open = b.On
			}
			r := bookRead{Book: b}
			if !st.fresh && (st.open || all || wish == b.ID) {
				r.rows, r.fault = eng.Lore.Entries(b.ID, chat)
				r.texts, r.read = searchTexts(r.rows, st.rows, st.texts), true
			}
			got = append(got, r)
		}
		return nil, func() { p.setBooks(chat, got) }, err
	}
}

// setBooks sets the books that were read. What was invalidated meanwhile stays invalid and is read
// again.
func (p *entriesView) setBooks(chat storage.ChatID, got []bookRead) {
	old := map[storage.LorebookID]*listedBook{}
	for _, b := range p.books {
		old[b.ID] = b
	}
	if p.books = nil; p.chat != chat {
		got = nil
	}
	for _, g := range got {
		b := old[g.ID]
		if b == nil {
			b = &listedBook{open: g.On}
		}
		b.Book, b.open = g.Book, b.open || g.ID == p.pendingSelect
		if g.read {
			b.rows, b.texts, b.fault, b.fresh = g.rows, g.texts, g.fault, !p.Stale
		}
		if p.pendingSelect == g.ID && g.read {
			p.pendingSelect = ""
		}
		p.books = append(p.books, b)
	}
	p.Items = p.all()
}

// all returns the lines of all books, including folded ones.
func (p *entriesView) all() (out []listLine) {
	for _, b := range p.books {
		out = append(out, listLine{b, lineBook})
		switch {
		case b.rows == nil && !b.fresh && b.fault == nil:
			out = append(out, listLine{b, lineWait})
		case len(b.rows) == 0:
			out = append(out, listLine{b, lineEmpty})
		}
		for i := range b.rows {
			out = append(out, listLine{b, i})
		}
	}
	return out
}

// entry returns the entry of a line, nil for none.
func (l *listLine) entry() *lore.Row {
	if l.row < 0 {
		return nil
	}
	return &l.book.rows[l.row]
}

func (l *listLine) key() entryKey {
	if e := l.entry(); e != nil {
		return entryKey{l.book.ID, e.ID}
	}
	return entryKey{book: l.book.ID}
}

// key returns the key of the chosen line.
func (p *entriesView) key() entryKey {
	if l := p.Item(); l != nil {
		return l.key()
	}
	return entryKey{}
}

// book returns the chosen book, or that of the chosen entry; nil for none.
func (p *entriesView) book() *listedBook {
	if l := p.Item(); l != nil {
		return l.book
	}
	return nil
}

// row returns the chosen entry, nil for none.
func (p *entriesView) row() *lore.Row {
	if l := p.Item(); l != nil {
		return l.entry()
	}
	return nil
}

// entryOf returns an entry by its key, nil if it was not read.
func (p *entriesView) entryOf(k entryKey) *lore.Row {
	for _, b := range p.books {
		if b.ID != k.book {
			continue
		}
		for i := range b.rows {
			if b.rows[i].ID == k.entry {
				return &b.rows[i]
			}
		}
	}
	return nil
}

// Click implements paneView: it chooses a line; one above the list opens the filter.
func (p *entriesView) Click(x, y int) tea.Cmd {
	if y == p.part.pane().area.Min.Y && len(p.books) > 0 {
		return p.openFilter()
	}
	return p.List.Click(x, y)
}

// choose shows an entry in the list, for the other views.
func (p *entriesView) choose(book storage.LorebookID, entry storage.EntryID) tea.Cmd {
	cmd := p.SetFilter("")
	p.PendingKey, p.pendingSelect = entryKey{book, entry}.text(), book
	for _, b := range p.books {
		b.open = b.open || b.ID == book
	}
	p.Arrange()
	return tea.Batch(cmd, p.List.Read())
}
