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
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// actions implements paneView.
func (p *entriesView) actions() []keys.Action {
	return slices.Concat(
		keys.When(func() bool { return len(p.Marked) > 0 }, p.onMarked()...),
		keys.When(func() bool { return p.row() != nil }, p.onEntry()...),
		keys.When(func() bool { return p.book() != nil && p.row() == nil }, p.onBook()...),
		p.onList(),
		keys.When(func() bool { return p.row() != nil }, p.onTargets()...),
		p.undoActions(),
		keys.When(func() bool { return p.row() != nil }, p.withEntry()...),
		keys.When(func() bool { return p.book() != nil }, p.withBook()...),
	)
}

// onMarked returns the actions that come first while entries are marked.
func (p *entriesView) onMarked() []keys.Action {
	return append(p.onTargets(),
		keys.Action{Name: keys.PaneJoin, Text: "merge two entries", Hint: "merge two", Do: p.merge},
		keys.Action{Name: keys.PaneMarkRange, Text: "select from the last selected to here", Hint: "range",
			Do: keys.Does(p.MarkRange)},
		keys.Action{Name: keys.PaneMarkAll, Text: "select all, or none", Hint: "all or none",
			Do: keys.Does(p.MarkAll)})
}

// onEntry returns the actions that come first on an entry.
func (p *entriesView) onEntry() []keys.Action {
	return []keys.Action{
		{Name: keys.PaneEnter, Text: "read the entry", Hint: "read", Do: p.withKey(p.part.openEntry)},
		{Name: keys.PaneEdit, Text: "edit the entry", Hint: "edit", Do: p.withKey(p.part.editEntry)},
		{Name: keys.PaneMark, Text: "select or unselect the entry", Hint: "select", Do: keys.Does(p.Mark)},
	}
}

// withKey calls do with the chosen entry.
func (p *entriesView) withKey(do func(p *entriesView, k entryKey) tea.Cmd) func() tea.Cmd {
	return func() tea.Cmd { return do(p, p.key()) }
}

// onBook returns the actions on the line of a book.
func (p *entriesView) onBook() []keys.Action {
	rename := func() tea.Cmd { return p.openBook(&p.book().Book) }
	return []keys.Action{
		{Name: keys.PaneEnter, Text: "fold or unfold the lorebook", Hint: "fold", Do: p.toggleBook},
		{Name: keys.PaneOnOff, Text: "turn the lorebook on or off in this chat", Hint: "on/off",
			Unavailable: p.whyNoSwitch, Do: p.switchBook},
		{Name: keys.PaneEdit, Text: "edit the lorebook", Hint: "edit", Do: rename},
		{Name: keys.PaneRename, Text: "rename the lorebook", Do: rename},
		{Name: keys.PaneDelete, Text: "remove the lorebook", Hint: "remove",
			Do: func() tea.Cmd { return p.removeBook(p.book().Book) }},
	}
}

// onList returns the actions that do not need a line.
func (p *entriesView) onList() []keys.Action {
	newBook := func() tea.Cmd { return p.openBook(nil) }
	some := func() bool { return len(p.books) > 0 }
	all := []keys.Action{
		{Name: keys.PaneFilter, Text: "filter the entries", Hint: "filter", Visible: some, Do: p.openFilter},
		{Name: keys.PaneNew, Text: "new entry", Hint: "new entry", Visible: func() bool { return p.book() != nil },
			Do: func() tea.Cmd { return p.newEntry(p.book()) }},
		{Name: keys.PaneNew, Text: "new lorebook", Hint: "new book", Do: newBook},
	}
	return append(append(all, p.Moves()...),
		keys.Action{Name: keys.PaneMarkAll, Visible: some, Do: keys.Does(p.MarkAll)},
		keys.Action{Name: keys.PaneJoin, Text: "merge two entries", Visible: some, Do: p.merge},
		keys.Action{Name: keys.ToBrowse, Text: "unselect all, or show all entries", Visible: p.narrowed, Do: p.widen},
		keys.NewPaneAction(bookNew, "pane-new-book", "new lorebook", newBook))
}

// onTargets returns the actions on the marked entries, or the chosen one.
func (p *entriesView) onTargets() []keys.Action {
	toggle := func(is func(*lore.Row) bool, do [2]lore.Action, on, off string) func() tea.Cmd {
		return func() tea.Cmd { return p.toggle(is, do, on, off) }
	}
	isOff := func(e *lore.Row) bool { return e.Disabled }
	isLocked := func(e *lore.Row) bool { return e.Locked }
	isConstant := func(e *lore.Row) bool { return e.Constant }
	return []keys.Action{
		{Name: keys.PaneOnOff, Text: "turn entries on or off", Hint: "on/off",
			Do: toggle(isOff, [2]lore.Action{lore.Disable, lore.Enable}, "switched off", "switched on")},
		{Name: keys.PaneDelete, Text: "delete entries", Hint: "delete", Do: p.delete},
		{Name: keys.PaneLock, Text: "lock or unlock entries", Hint: "lock",
			Do: toggle(isLocked, [2]lore.Action{lore.Lock, lore.Unlock}, "locked: only you can change it", "unlocked")},
		keys.NewPaneAction(entryConstant, "pane-constant", "make entries constant, or triggered by keys",
			toggle(isConstant, [2]lore.Action{lore.Constant, lore.Keyed},
				"constant: always in the prompt", "triggered by keys again")),
		keys.NewPaneAction(entryType, "pane-retype", "change the type of entries", p.openRetype),
		keys.NewPaneAction(entryOrder, "pane-order", "change the order of entries", keys.Does(p.openOrder)),
	}
}

// withEntry returns more actions on the chosen entry.
func (p *entriesView) withEntry() []keys.Action {
	states := keys.NewPaneAction(entryHistory, "pane-history", "history of the entry",
		p.withKey(p.part.openHistory), "H")
	states.Hint = "history"
	why := keys.NewPaneAction(entryWhy, "pane-why", "why the entry is in the prompt, or not", func() tea.Cmd {
		return p.part.showEntry(whyTab, p.key().book, p.key().entry)
	}, "W")
	why.Hint = "why"
	return []keys.Action{
		states, why,
		{Name: keys.PaneMarkRange, Do: keys.Does(p.MarkRange)},
		{Name: keys.PaneRename, Text: "rename the entry", Hint: "rename",
			Do: keys.Does(func() { p.openRename(p.row()) })},
		{Name: keys.PaneSource, Text: "go to the message it came from", Hint: "source",
			Do: func() tea.Cmd { return p.part.origin(p.key()) }},
		{Name: keys.PaneCopy, Text: "copy the content",
			Do: func() tea.Cmd { return p.Host.Copy(p.row().Content, "content") }},
		keys.NewPaneAction(entrySplit, "pane-split", "split the entry", p.withKey(p.part.openSplit)),
		keys.NewPaneAction(entryCompact, "pane-compact", "propose a shorter entry", p.compact),
	}
}

// withBook returns more actions on the chosen book, or that of the chosen entry.
func (p *entriesView) withBook() []keys.Action {
	return []keys.Action{
		{Name: keys.PaneLeft, Text: "go to the lorebook, then fold it", Do: p.foldBook},
		{Name: keys.PaneRight, Text: "unfold the lorebook", Do: func() tea.Cmd { return p.unfold(true) }},
		{Name: keys.PaneFold, Text: "fold or unfold the lorebook", Do: p.toggleBook},
		keys.NewPaneAction(bookTest, "pane-test", "test which entries of the lorebook a text triggers",
			func() tea.Cmd { return openTest(p.part, p.book().ID) }),
		keys.NewPaneAction(bookExport, "pane-export", "export the lorebook",
			func() tea.Cmd { return p.openExport(p.book().Book) }),
	}
}

// compact requests a shorter version of the chosen entry.
func (p *entriesView) compact() tea.Cmd {
	k, chat := p.key(), p.chat
	words := "a shorter version of “" + entryName(p.row()) + "” is being written; it will be in the inbox" +
		p.part.viewKey(keys.PaneView3) + " when done"
	return pane.Queue(p.Host, words, func() (storage.OperationID, error) {
		return p.Host.Engine().Lore.Compact(k.book, chat, k.entry)
	})
}

// foldBook goes from an entry to its book, and folds a book.
func (p *entriesView) foldBook() tea.Cmd {
	if !p.Filter.Active() && p.Item().row != lineBook {
		p.GoTo(entryKey{book: p.book().ID}.text())
		return nil
	}
	return p.unfold(false)
}

func (p *entriesView) toggleBook() tea.Cmd { return p.unfold(!p.book().open) }

// unfold shows the entries of the chosen book, or hides them.
func (p *entriesView) unfold(open bool) tea.Cmd {
	if p.Filter.Active() {
		return nil
	}
	b := p.book()
	b.open = open
	p.GoTo(entryKey{book: b.ID}.text())
	p.Arrange()
	if open && !b.fresh {
		return p.List.Read()
	}
	return nil
}

// narrowed reports whether the list is filtered or has marks.
func (p *entriesView) narrowed() bool { return p.Filter.Active() || len(p.Marked) > 0 }

// widen removes the marks, or if there are none the filter.
func (p *entriesView) widen() tea.Cmd {
	if len(p.Marked) > 0 {
		clear(p.Marked)
		return nil
	}
	return p.SetFilter("")
}

// targets returns the targets of an action, by book: the marked entries in the order of the books,
// or the chosen one. Entries for which but returns true are left out; it may be nil.
func (p *entriesView) targets(but func(*lore.Row) bool) []entryBatch {
	var out []entryBatch
	add := func(batch *entryBatch, e *lore.Row) {
		if but == nil || !but(e) {
			batch.ids, batch.name = append(batch.ids, e.ID), entryName(e)
		}
	}
	if len(p.Marked) == 0 {
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
			if e := &b.rows[i]; p.Marked[entryKey{b.ID, e.ID}.text()] {
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

// batchWords names entries in a sentence.
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

// toggle applies the first of two actions to all targets for which is returns false. If there are
// none, it applies the second one to all.
func (p *entriesView) toggle(is func(*lore.Row) bool, do [2]lore.Action, on, off string) tea.Cmd {
	if len(p.targets(is)) > 0 {
		return p.bulk(do[0], "", on, is)
	}
	return p.bulk(do[1], "", off, nil)
}

// bulk applies an action to all targets and shows a notice with done. but selects targets that it
// would not change and that undo must skip.
func (p *entriesView) bulk(do lore.Action, arg, done string, but func(*lore.Row) bool) tea.Cmd {
	batches, chat := p.targets(but), p.chat
	if len(batches) == 0 {
		return p.Host.Say(event.Info, "nothing to change")
	}
	if do == lore.Delete {
		clear(p.Marked)
	}
	words := batchWords(batches) + " " + done
	return p.Change(words, func() error { return actAll(p.Host.Engine(), chat, batches, do, arg) },
		func() error { return actAll(p.Host.Engine(), chat, batches, lore.UndoDelete, "") })
}

// actAll applies an action to entries of several books.
func actAll(eng *engine.Engine, chat storage.ChatID, batches []entryBatch, do lore.Action, arg string) error {
	for _, b := range batches {
		if _, err := eng.Lore.Act(b.book, chat, b.ids, do, arg); err != nil {
			return err
		}
	}
	return nil
}

// undo undoes the last change here, even while it is being stored. If there is none, it restores a
// scene's lorebook changes that were undone.
func (p *entriesView) undo() tea.Cmd {
	return p.Order.Start(func() tea.Cmd {
		t := &p.part.news.undone
		if len(p.Steps) == 0 && t.undo.Back != nil && t.chat == p.Host.Play().Chat().Chat.ID {
			p.Steps, t.undo.Back = append(p.Steps, t.undo), nil
		}
		return p.UndoLast()
	})
}

func (p *entriesView) undoActions() []keys.Action {
	all := p.UndoActions()
	all[0].Do = p.undo
	return all
}

// delete deletes the targets. It asks for confirmation if there are several.
func (p *entriesView) delete() tea.Cmd {
	batches := p.targets(nil)
	drop := func() tea.Cmd { return p.bulk(lore.Delete, "", "deleted", nil) }
	if len(batches) == 1 && len(batches[0].ids) == 1 {
		return drop()
	}
	text := "Delete " + batchWords(batches) + "? " + p.part.key(keys.PaneUndo) + " restores them."
	p.Host.Open(&widget.Confirm{Title: "Delete entries", Text: text,
		Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil}, {Key: "y", Words: "delete", Do: drop}}})
	return nil
}

// openRetype offers the types for the targets.
func (p *entriesView) openRetype() tea.Cmd {
	words := batchWords(p.targets(nil))
	return p.Host.Do(func() func() tea.Cmd {
		types := p.Host.Engine().Lore.Types()
		return func() tea.Cmd {
			entries := []widget.Entry{{Title: "(none)", Detail: "what the user wrote for no type", Value: ""}}
			for _, t := range types {
				entries = append(entries, widget.Entry{Title: t, Value: t})
			}
			p.Host.Open(widget.NewPicker(p.Host.Styles(), "Type of "+words, entries, func(e widget.Entry) tea.Cmd {
				typ := e.Value.(string)
				return p.bulk(lore.Retype, typ, "of type "+e.Title+" now",
					func(e *lore.Row) bool { return e.Type == typ })
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
	f := &widget.Form{Title: "Order of " + batchWords(p.targets(nil)),
		Notes: []string{
			"Entries with a higher order are chosen first when the budget is tight, and come closer to the end."},
		Fields: []*widget.Field{widget.LineField(p.Host.Styles(), "Order", now, "for example 100")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		v := strings.TrimSpace(f.Fields[0].Value())
		n, err := strconv.Atoi(v)
		if err != nil {
			return nil, errors.New("the order must be a whole number, such as 100")
		}
		return p.bulk(lore.Reorder, v, "at order "+v+" now", func(e *lore.Row) bool { return e.Order == n }), nil
	}
	p.Host.Open(f.Start())
}

// openRename asks for an entry's name.
func (p *entriesView) openRename(e *lore.Row) {
	chat, k, was := p.chat, entryKey{e.Book, e.ID}, e.Name
	f := widget.Form{Title: "Rename " + entryName(e),
		Notes:  []string{"The old name becomes an alias, so it still works."},
		Fields: []*widget.Field{widget.LineField(p.Host.Styles(), "Name", was, "")}}
	p.Host.Open(pane.NewSavingForm(p.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		name := strings.TrimSpace(f.Fields[0].Value())
		if !f.Changed() || name == was {
			return func() (func() tea.Cmd, error) { return nil, nil }, nil
		}
		if name == "" {
			return nil, pane.ErrNeedsName
		}
		return func() (func() tea.Cmd, error) {
			err := p.Host.Engine().Lore.Rename(k.book, chat, k.entry, name)
			return func() tea.Cmd {
				return p.Changed("renamed to “"+draw.Truncate(name, 60)+"”", p.undoOf(k))
			}, err
		}, nil
	}))
}

// undoOf undoes the last change of each entry.
func (p *entriesView) undoOf(ks ...entryKey) func() error {
	return undoEach(p.Host.Engine(), p.chat, ks)
}

// undoEach undoes the last change of each given entry.
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

// merge asks which of two entries absorbs the other: the two marked ones, or the marked and the
// chosen one.
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
		return p.Host.Say(event.Info, fmt.Sprintf("select two entries to merge; %d selected", len(two)))
	}
	if two[0].book != two[1].book {
		return p.Host.Say(event.Info, "only two entries of the same lorebook can be merged")
	}
	x, y := p.entryOf(two[0]), p.entryOf(two[1])
	if x == nil || y == nil {
		return nil
	}
	names := [2]string{entryName(x), entryName(y)}
	into := func(i int) func() tea.Cmd {
		return func() tea.Cmd {
			chat, k, from := p.chat, two[i], two[1-i]
			clear(p.Marked)
			p.PendingKey = k.text()
			return p.Change("“"+names[1-i]+"” merged into “"+names[i]+"”",
				func() error { return p.Host.Engine().Lore.Merge(k.book, chat, k.entry, from.entry) },
				p.undoOf(k, from))
		}
	}
	p.Host.Open(&widget.Confirm{Title: "Merge two entries",
		Text: "Their facts, keys and aliases are combined into one entry. Which one stays?", Choices: []widget.Choice{
			{Key: "n", Words: "cancel", Do: nil}, {Key: "1", Words: "keep “" + names[0] + "”", Do: into(0)},
			{Key: "2", Words: "keep “" + names[1] + "”", Do: into(1)}}})
	return nil
}
