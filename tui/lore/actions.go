package lore

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (p *entriesView) act(act keys.Action) tea.Cmd {
	switch act {
	case keys.PaneUp:
		p.move(-1)
	case keys.PaneDown:
		p.move(1)
	case keys.PaneTop:
		p.move(-len(p.lines))
	case keys.PaneBottom:
		p.move(len(p.lines))
	case keys.PaneFilter:
		return p.openFilter()
	case keys.PaneMarkAll:
		p.markAll()
	case keys.PaneNewBook:
		return p.openBook(nil)
	case keys.PaneNew:
		if b := p.book(); b != nil {
			return p.newEntry(b)
		}
		return p.openBook(nil)
	case keys.PaneImport:
		return p.room.openImport()
	case keys.PaneUndo:
		return p.takeBack()
	case keys.PaneMerge:
		return p.merge()
	default:
		return p.onLine(act)
	}
	return nil
}

// onLine does what needs a line: a book, or an entry in one.
func (p *entriesView) onLine(act keys.Action) tea.Cmd {
	b := p.book()
	if b == nil {
		return nil
	}
	switch act {
	case keys.PaneEnter:
		return p.enter()
	case keys.PaneLeft, keys.PaneRight, keys.PaneFold:
		return p.foldBook(act, b)
	case keys.PaneTest:
		return openTest(p.room, b.ID)
	case keys.PaneExport:
		return p.openExport(b.Book)
	}
	if len(p.marked) > 0 || p.row() != nil {
		return p.onEntries(act)
	}
	switch act {
	case keys.PaneOnOff:
		return p.switchBook(b)
	case keys.PaneEdit, keys.PaneRename:
		return p.openBook(&b.Book)
	case keys.PaneDelete:
		return p.removeBook(b.Book)
	}
	return nil
}

// onEntries does what is done to the marked entries, or the chosen one.
func (p *entriesView) onEntries(act keys.Action) tea.Cmd {
	switch act {
	case keys.PaneMark:
		p.mark()
		return nil
	case keys.PaneMarkRange:
		p.markRange()
		return nil
	case keys.PaneOnOff:
		off := func(e *lore.Row) bool { return e.Disabled }
		return p.toggle(off, [2]lore.Action{lore.Disable, lore.Enable}, "switched off", "switched on")
	case keys.PaneLock:
		locked := func(e *lore.Row) bool { return e.Locked }
		return p.toggle(locked, [2]lore.Action{lore.Lock, lore.Unlock}, "locked: only you can change it", "unlocked")
	case keys.PaneConstant:
		constant := func(e *lore.Row) bool { return e.Constant }
		return p.toggle(constant, [2]lore.Action{lore.Constant, lore.Keyed}, "constant: always in the prompt", "triggered by keys again")
	case keys.PaneDelete:
		return p.delete()
	case keys.PaneRetype:
		return p.openRetype()
	case keys.PaneOrder:
		p.openOrder()
		return nil
	}
	return p.onEntry(act)
}

// onEntry does what is done to one entry.
func (p *entriesView) onEntry(act keys.Action) tea.Cmd {
	e := p.row()
	if e == nil {
		return nil
	}
	k := entryKey{e.Book, e.ID}
	switch act {
	case keys.PaneEdit:
		return p.room.editEntry(p, k)
	case keys.PaneRename:
		p.openRename(e)
	case keys.PaneHistory, keys.PaneDiff:
		return p.room.openHistory(p, k)
	case keys.PaneWhy:
		return p.room.showEntry(whyTab, k.book, k.entry)
	case keys.PaneSource:
		return p.room.origin(k)
	case keys.PaneSplit:
		return p.room.openSplit(p, k)
	case keys.PaneCompact:
		chat := p.chat
		return desk.Queue(p.Desk, "a shorter version of “"+entryName(e)+"” is being written; it will be in the inbox (3) when done", func() (storage.OperationID, error) {
			return p.Desk.Engine().Lore.Compact(k.book, chat, k.entry)
		})
	case keys.PaneCopy:
		return p.Desk.Copy(e.Content, "content")
	}
	return nil
}

// enter folds a book, or opens an entry.
func (p *entriesView) enter() tea.Cmd {
	if e := p.row(); e != nil {
		return p.room.openEntry(p, entryKey{e.Book, e.ID})
	}
	if b := p.book(); b != nil {
		return p.foldBook(keys.PaneFold, b)
	}
	return nil
}

// foldBook folds or unfolds a book. Left from an entry goes to its book first.
func (p *entriesView) foldBook(act keys.Action, b *listedBook) tea.Cmd {
	if p.find.on() {
		return nil
	}
	if act == keys.PaneLeft && p.lines[p.at].row != lineBook {
		p.goTo(entryKey{book: b.ID})
		return nil
	}
	open := !b.open
	switch act {
	case keys.PaneLeft:
		open = false
	case keys.PaneRight:
		open = true
	}
	b.open = open
	p.goTo(entryKey{book: b.ID})
	p.lay(p.key())
	if open && !b.fresh {
		return p.load()
	}
	return nil
}

// narrowed tells whether the list is filtered or has marks.
func (p *entriesView) narrowed() bool { return p.find.on() || len(p.marked) > 0 }

// widen takes the marks away, or then the filter.
func (p *entriesView) widen() tea.Cmd {
	if len(p.marked) > 0 {
		clear(p.marked)
		return nil
	}
	return p.setFilter("")
}

// mark marks the chosen entry or takes its mark away, and goes on to the next.
func (p *entriesView) mark() {
	k := p.key()
	if k.entry == "" {
		return
	}
	if p.marked[k] {
		delete(p.marked, k)
	} else {
		p.marked[k] = true
	}
	p.last = k
	p.move(1)
}

// markRange marks what lies between the entry that was marked last and the
// chosen one.
func (p *entriesView) markRange() {
	from := slices.IndexFunc(p.lines, func(l listLine) bool { return p.last.entry != "" && p.keyOf(l) == p.last })
	if from < 0 {
		from = p.at
	}
	for i := min(from, p.at); i <= max(from, p.at) && i < len(p.lines); i++ {
		if k := p.keyOf(p.lines[i]); k.entry != "" {
			p.marked[k] = true
		}
	}
	p.last = p.key()
}

// markAll marks all entries that are listed; where all are marked already, none.
// Of what was searched it leaves out what is less alike, if there is anything
// else.
func (p *entriesView) markAll() {
	fresh := 0
	for i, l := range p.lines {
		if l.row == lineLess && i > 0 {
			break
		}
		if k := p.keyOf(l); k.entry != "" && !p.marked[k] {
			p.marked[k] = true
			fresh++
		}
	}
	if fresh == 0 {
		clear(p.marked)
	}
}

// targets are the entries that an action is for, by book: the marked ones in the
// order of the books, or the chosen one. but leaves some out; it may be nil.
func (p *entriesView) targets(but func(*lore.Row) bool) []entryBatch {
	var out []entryBatch
	add := func(batch *entryBatch, e *lore.Row) {
		if but == nil || !but(e) {
			batch.ids, batch.name = append(batch.ids, e.ID), entryName(e)
		}
	}
	if len(p.marked) == 0 {
		if e := p.row(); e != nil {
			batch := entryBatch{book: e.Book}
			if add(&batch, e); len(batch.ids) > 0 {
				out = append(out, batch)
			}
		}
		return out
	}
	for _, b := range p.books {
		batch := entryBatch{book: b.ID}
		for i := range b.rows {
			if e := &b.rows[i]; p.marked[entryKey{b.ID, e.ID}] {
				add(&batch, e)
			}
		}
		if len(batch.ids) > 0 {
			out = append(out, batch)
		}
	}
	return out
}

// entryBatch are entries of one book; name is that of one of them.
type entryBatch struct {
	book storage.LorebookID
	ids  []storage.EntryID
	name string
}

// batchWords is how entries are called in a sentence.
func batchWords(batches []entryBatch) string {
	n := 0
	for _, b := range batches {
		n += len(b.ids)
	}
	if n == 1 {
		return "“" + batches[0].name + "”"
	}
	return strconv.Itoa(n) + " entries"
}

// toggle does the first of two actions to all targets that are not so yet; where
// all are, the second one to all.
func (p *entriesView) toggle(is func(*lore.Row) bool, do [2]lore.Action, on, off string) tea.Cmd {
	if len(p.targets(is)) > 0 {
		return p.bulk(do[0], "", on, is)
	}
	return p.bulk(do[1], "", off, nil)
}

// bulk does something to all targets, and says what was done. but are those that
// it would not change: undoing would take something else back there.
func (p *entriesView) bulk(do lore.Action, arg, done string, but func(*lore.Row) bool) tea.Cmd {
	batches, chat := p.targets(but), p.chat
	if len(batches) == 0 {
		return p.Desk.Say(event.Info, "nothing to change")
	}
	if do == lore.Delete {
		clear(p.marked)
	}
	words := batchWords(batches) + " " + done
	return p.Change(words, func() error { return actAll(p.Desk.Engine(), chat, batches, do, arg) },
		func() error { return actAll(p.Desk.Engine(), chat, batches, lore.UndoDelete, "") })
}

// actAll does something to entries of several books.
func actAll(eng *engine.Engine, chat storage.ChatID, batches []entryBatch, do lore.Action, arg string) error {
	for _, b := range batches {
		if _, err := eng.Lore.Act(b.book, chat, b.ids, do, arg); err != nil {
			return err
		}
	}
	return nil
}

// takeBack undoes what was done last here, also where that is only being stored.
func (p *entriesView) takeBack() tea.Cmd {
	return p.Order.When(func() tea.Cmd { return p.undoLast() })
}

func (p *entriesView) undoLast() tea.Cmd {
	n := len(p.Steps)
	if taken := &p.room.news.taken; n == 0 && taken.undo.Back != nil && taken.chat == p.chat {
		u := taken.undo
		taken.undo.Back = nil
		return p.Change("undone: "+u.Words, u.Back, nil)
	}
	if n == 0 {
		words := "nothing to undo"
		if p.row() != nil {
			words += "; " + p.Desk.Keys().Key(keys.PaneHistory, keys.Pane) + " shows the history of the entry"
		}
		return p.Desk.Say(event.Info, words)
	}
	u := p.Steps[n-1]
	p.Steps = p.Steps[:n-1]
	words := "undone: " + u.Words
	if again, ok := strings.CutPrefix(u.Words, "undone: "); ok {
		words = "redone: " + again
	}
	return p.Change(words, u.Back, nil)
}

// delete asks before several entries are deleted; one goes at once.
func (p *entriesView) delete() tea.Cmd {
	batches := p.targets(nil)
	drop := func() tea.Cmd { return p.bulk(lore.Delete, "", "deleted", nil) }
	if len(batches) == 1 && len(batches[0].ids) == 1 {
		return drop()
	}
	p.Desk.Open(&widget.Confirm{Title: "Delete entries", Text: "Delete " + batchWords(batches) + "? " + p.Desk.Keys().Key(keys.PaneUndo, keys.Pane) + " restores them.",
		Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil}, {Key: "y", Words: "delete", Do: drop}}})
	return nil
}

// openRetype offers the types for the targets.
func (p *entriesView) openRetype() tea.Cmd {
	words := batchWords(p.targets(nil))
	return p.Desk.Do(func() func() tea.Cmd {
		types := p.Desk.Engine().Lore.Types()
		return func() tea.Cmd {
			entries := []widget.Entry{{Title: "(none)", Detail: "what the user wrote for no type", Value: ""}}
			for _, t := range types {
				entries = append(entries, widget.Entry{Title: t, Value: t})
			}
			p.Desk.Open(widget.NewPicker(p.Desk.Look(), "Type of "+words, entries, func(e widget.Entry) tea.Cmd {
				typ := e.Value.(string)
				return p.bulk(lore.Retype, typ, "of type "+e.Title+" now", func(e *lore.Row) bool { return e.Type == typ })
			}))
			return nil
		}
	})
}

// openOrder asks for the order of the targets.
func (p *entriesView) openOrder() {
	now := ""
	if e := p.row(); e != nil {
		now = strconv.Itoa(e.Order)
	}
	f := &widget.Form{Title: "Order of " + batchWords(p.targets(nil)), Foot: "enter save · esc close",
		Notes:  []string{"Entries with a higher order are chosen first when the budget is tight, and come closer to the end."},
		Fields: []*widget.Field{widget.LineField(p.Desk.Look(), "Order", now, "for example 100")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		v := strings.TrimSpace(f.Fields[0].Value())
		n, err := strconv.Atoi(v)
		if err != nil {
			return nil, errors.New("the order must be a whole number, such as 100")
		}
		return p.bulk(lore.Reorder, v, "at order "+v+" now", func(e *lore.Row) bool { return e.Order == n }), nil
	}
	p.Desk.Open(f.Start())
}

// openRename asks for an entry's name.
func (p *entriesView) openRename(e *lore.Row) {
	chat, k, was := p.chat, entryKey{e.Book, e.ID}, e.Name
	f := widget.Form{Title: "Rename " + entryName(e), Foot: "enter save · esc close", Notes: []string{"The old name becomes an alias, so it still works."},
		Fields: []*widget.Field{widget.LineField(p.Desk.Look(), "Name", was, "")}}
	p.Desk.Open(desk.NewKeptForm(p.Desk, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		name := strings.TrimSpace(f.Fields[0].Value())
		if !f.Changed() || name == was {
			return func() (func() tea.Cmd, error) { return nil, nil }, nil
		}
		if name == "" {
			return nil, desk.ErrNeedsName
		}
		return func() (func() tea.Cmd, error) {
			err := p.Desk.Engine().Lore.Rename(k.book, chat, k.entry, name)
			return func() tea.Cmd {
				return p.ChangedBy("renamed to “"+look.Within(name, 60)+"”", p.undoOf(k))
			}, err
		}, nil
	}))
}

// undoOf takes the last change of an entry back.
func (p *entriesView) undoOf(ks ...entryKey) func() error {
	return undoEach(p.Desk.Engine(), p.chat, ks)
}

// undoEach takes back the last change of each of some entries.
func undoEach(eng *engine.Engine, chat storage.ChatID, ks []entryKey) func() error {
	return func() error {
		for _, k := range ks {
			if _, err := eng.Lore.Undo(k.book, chat, k.entry); err != nil {
				return err
			}
		}
		return nil
	}
}

// merge asks which of two entries takes the other in: the two that are marked, or
// the marked and the chosen one.
func (p *entriesView) merge() tea.Cmd {
	var two []entryKey
	for _, b := range p.targets(nil) {
		for _, id := range b.ids {
			two = append(two, entryKey{b.book, id})
		}
	}
	if k := p.key(); len(two) == 1 && k.entry != "" && k != two[0] {
		two = append(two, k)
	}
	if len(two) != 2 {
		return p.Desk.Say(event.Info, fmt.Sprintf("select two entries to merge; %d selected", len(two)))
	}
	if two[0].book != two[1].book {
		return p.Desk.Say(event.Info, "only two entries of the same book can be merged")
	}
	x, y := p.entryOf(two[0]), p.entryOf(two[1])
	if x == nil || y == nil {
		return nil
	}
	names := [2]string{entryName(x), entryName(y)}
	into := func(i int) func() tea.Cmd {
		return func() tea.Cmd {
			chat, k, from := p.chat, two[i], two[1-i]
			clear(p.marked)
			p.wish = k
			return p.Change("“"+names[1-i]+"” merged into “"+names[i]+"”",
				func() error { return p.Desk.Engine().Lore.Merge(k.book, chat, k.entry, from.entry) }, p.undoOf(k, from))
		}
	}
	p.Desk.Open(&widget.Confirm{Title: "Merge two entries", Text: "Their facts, keys and aliases are combined into one entry. Which one stays?", Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil}, {Key: "1", Words: "“" + names[0] + "” absorbs the other", Do: into(0)}, {Key: "2", Words: "“" + names[1] + "” absorbs the other", Do: into(1)}}})
	return nil
}
