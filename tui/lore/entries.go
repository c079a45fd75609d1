package lore

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// entriesView is the view of the books with their entries, and what can be done
// with several of them at once.
type entriesView struct {
	desk.Undoing
	room *Room
	chat storage.ChatID
	busy bool     // books are being read
	wish entryKey // to be chosen as soon as it is there
	// saved is told of an entry that was edited for another room; nil in the pane.
	saved func(words string, back func() error) tea.Cmd
	listed
}

// listed is what the view knows of its chat.
type listed struct {
	books  []*listedBook
	loaded bool
	fault  error
	again  bool // the books must be read once more

	find   entrySearch
	typed  *widget.FilterLine // where that is written
	lines  []listLine
	at     int // of lines
	top    int
	page   int // lines in view
	head   int // lines above them
	marked map[entryKey]bool
	last   entryKey // that was marked last: where a range begins
}

// entryKey names an entry; without one, its book.
type entryKey struct {
	book  storage.LorebookID
	entry storage.EntryID
}

// listedBook is a book with what of it was read. rows are replaced, never changed:
// a search may be reading them.
type listedBook struct {
	lore.Book
	open  bool
	rows  []lore.Row
	texts []searchText // of the rows, made ready to be searched
	fresh bool         // rows are as the store has them, as far as is known
	fault error
}

// listLine is a line of the list: the row of a book, or what row says.
type listLine struct {
	book int
	row  int
}

// What a line is that is no entry.
const (
	lineBook  = -1 - iota
	lineEmpty // the book has no entries
	lineWait  // the book is being read
	lineLess  // what follows is less alike
)

func newEntriesView(r *Room) paneView {
	return &entriesView{room: r, Undoing: desk.Undoing{Desk: r.desk}, listed: listed{marked: map[entryKey]bool{}}}
}

// read reads all books of the chat anew.
func (p *entriesView) Read() tea.Cmd {
	if p.chat != p.Desk.Chat().Chat.ID {
		p.chat, p.listed = p.Desk.Chat().Chat.ID, listed{marked: map[entryKey]bool{}, find: entrySearch{nth: p.find.nth + 1}}
	}
	p.spoil("")
	return p.load()
}

func (p *entriesView) changed(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case lore.Changed:
		p.spoil(ev.Book)
	case play.ReplyEnded, chats.ChatChanged:
		p.spoil("") // other entries may have fired, or be here
	default:
		return nil
	}
	return p.load()
}

// spoil notes that a book must be read again, all for "".
func (p *entriesView) spoil(id storage.LorebookID) {
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

// load reads the list of books, and the entries of those that are unfolded and
// not fresh; of all while the list is filtered. What is asked for while it reads
// is read after it.
func (p *entriesView) load() tea.Cmd {
	if p.busy {
		p.again = true
		return nil
	}
	p.busy, p.again = true, false
	chat := p.chat
	known := map[storage.LorebookID]listedBook{}
	for _, b := range p.books {
		known[b.ID] = *b
	}
	all, wish := p.find.wide, p.wish.book
	return p.Desk.Do(func() func() tea.Cmd {
		books, err := p.Desk.Engine().Lore.Books(chat)
		var got []bookRead
		for _, b := range books {
			st, ok := known[b.ID]
			if !ok {
				st.open = b.On
			}
			r := bookRead{Book: b}
			if !st.fresh && (st.open || all || wish == b.ID) {
				r.rows, r.fault = p.Desk.Engine().Lore.Entries(b.ID, chat)
				r.texts, r.read = searchTexts(r.rows, st.rows, st.texts), true
			}
			got = append(got, r)
		}
		return func() tea.Cmd {
			if p.busy = false; p.chat != chat {
				return p.load()
			}
			p.take(got, err)
			if p.again {
				return p.load()
			}
			if p.find.on() {
				return p.search()
			}
			return nil
		}
	})
}

// take shows what was read. What was spoilt meanwhile stays so: it is read again.
func (p *entriesView) take(got []bookRead, err error) {
	p.loaded, p.fault = true, err
	if err != nil {
		return
	}
	was, old := p.key(), map[storage.LorebookID]*listedBook{}
	for _, b := range p.books {
		old[b.ID] = b
	}
	p.books = make([]*listedBook, 0, len(got))
	for _, g := range got {
		b := old[g.ID]
		if b == nil {
			b = &listedBook{open: g.On}
		}
		b.Book = g.Book
		if g.read {
			b.rows, b.texts, b.fault, b.fresh = g.rows, g.texts, g.fault, !p.again
		}
		p.books = append(p.books, b)
	}
	p.forget()
	p.lay(was)
}

// forget drops the marks of entries that are gone.
func (p *entriesView) forget() {
	if len(p.marked) == 0 {
		return
	}
	there := map[entryKey]bool{}
	for _, b := range p.books {
		if !b.fresh {
			for k := range p.marked {
				there[k] = there[k] || k.book == b.ID
			}
			continue
		}
		for i := range b.rows {
			if k := (entryKey{b.ID, b.rows[i].ID}); p.marked[k] {
				there[k] = true
			}
		}
	}
	for k := range p.marked {
		if !there[k] {
			delete(p.marked, k)
		}
	}
}

// lay makes the lines of what was read and found, and chooses the one that was
// chosen before. It takes as long as there are entries, so it is done when these
// change, not for every frame.
func (p *entriesView) lay(was entryKey) {
	p.lines = p.lines[:0]
	if p.find.on() {
		p.found()
	} else {
		for i, b := range p.books {
			p.lines = append(p.lines, listLine{i, lineBook})
			switch {
			case !b.open:
			case b.rows == nil && !b.fresh && b.fault == nil:
				p.lines = append(p.lines, listLine{i, lineWait})
			case len(b.rows) == 0:
				p.lines = append(p.lines, listLine{i, lineEmpty})
			default:
				for j := range b.rows {
					p.lines = append(p.lines, listLine{i, j})
				}
			}
		}
	}
	if p.wish != (entryKey{}) && p.goTo(p.wish) {
		p.wish = entryKey{}
	} else if was != (entryKey{}) {
		p.goTo(was)
	}
	p.settle(p.at)
}

// found lays what a search has found. Until it has looked again through a book
// that was read anew, a line may show another entry of it.
func (p *entriesView) found() {
	for i, h := range p.find.hits {
		if i == p.find.near && i > 0 {
			p.lines = append(p.lines, listLine{-1, lineLess})
		}
		if h.book < len(p.books) && h.row < len(p.books[h.book].rows) {
			p.lines = append(p.lines, listLine{h.book, h.row})
		}
	}
}

// goTo chooses the line of an entry or a book, and tells whether there is one.
func (p *entriesView) goTo(k entryKey) bool {
	same := func(l listLine) bool { return p.keyOf(l) == k }
	if p.at < len(p.lines) && same(p.lines[p.at]) {
		return true
	}
	i := slices.IndexFunc(p.lines, same)
	if i >= 0 {
		p.at = i
	}
	return i >= 0
}

// pick is the user's choice of a line: what was to be chosen once it is there is
// not any more.
func (p *entriesView) pick(i int) {
	p.wish = entryKey{}
	p.settle(i)
}

// settle makes a line the chosen one, or the next that can be.
func (p *entriesView) settle(i int) {
	step := 1
	if i < p.at {
		step = -1
	}
	i = max(0, min(i, len(p.lines)-1))
	for j := i; j >= 0 && j < len(p.lines); j += step {
		if p.lines[j].row != lineLess {
			p.at = j
			return
		}
	}
	p.at = max(0, min(p.at, len(p.lines)-1))
}

func (p *entriesView) keyOf(l listLine) entryKey {
	if l.book < 0 || l.book >= len(p.books) {
		return entryKey{}
	}
	b := p.books[l.book]
	if l.row < 0 || l.row >= len(b.rows) {
		return entryKey{book: b.ID}
	}
	return entryKey{b.ID, b.rows[l.row].ID}
}

// key names the chosen line.
func (p *entriesView) key() entryKey {
	if p.at >= len(p.lines) {
		return entryKey{}
	}
	return p.keyOf(p.lines[p.at])
}

// book is the chosen book, or that of the chosen entry; nil for none.
func (p *entriesView) book() *listedBook {
	if p.at < len(p.lines) && p.lines[p.at].book >= 0 {
		return p.books[p.lines[p.at].book]
	}
	return nil
}

// row is the chosen entry, nil for none.
func (p *entriesView) row() *lore.Row {
	if b := p.book(); b != nil && p.lines[p.at].row >= 0 {
		return &b.rows[p.lines[p.at].row]
	}
	return nil
}

// entryOf is an entry by its name, nil where it was not read.
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

func (p *entriesView) Move(n int) { p.pick(p.at + n) }

// click chooses a line; a chosen one is opened.
func (p *entriesView) Click(_, y int) tea.Cmd {
	i := p.top + y - p.head
	if y < p.head && len(p.books) > 0 {
		return p.openFilter()
	}
	if y < p.head || y >= p.head+p.page || i >= len(p.lines) {
		return nil
	}
	p.pick(i)
	return nil
}

// choose shows an entry in the list, for the other views.
func (p *entriesView) choose(book storage.LorebookID, entry storage.EntryID) tea.Cmd {
	p.find.clear()
	p.wish = entryKey{book, entry}
	for _, b := range p.books {
		b.open = b.open || b.ID == book
	}
	p.lay(p.key())
	return p.load()
}
