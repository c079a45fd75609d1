package tui

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/event"
	"ghostlight/engine/house"
	"ghostlight/engine/lore"
	"ghostlight/engine/play"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/widget"
)

// loreView is one of the views of the lore pane.
type loreView interface {
	// title is what stands on the view's tab behind its name, such as a count; ""
	// for nothing.
	title() string
	foot() string
	draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app)
	move(n int)
	// click gets cells counted from the top left corner of what draw had.
	click(x, y int, a *app) tea.Cmd
	act(act keys.Action, a *app) tea.Cmd
	// read reads all that is shown: the view has come into view, or another chat
	// was opened.
	read(a *app) tea.Cmd
	// changed is told of what may concern the view while it is in view:
	// LoreChanged, ReplyEnded, ChatChanged, ScenesChanged, OperationChanged.
	changed(ev event.Event, a *app) tea.Cmd
}

// loreChooser is a view that can be asked to show an entry.
type loreChooser interface {
	choose(book storage.LorebookID, entry storage.EntryID, a *app) tea.Cmd
}

// The views of the lore pane.
const (
	loreEntriesView = iota
	loreWhyView
	loreInboxView
	loreLintView
)

var loreTabs = [...]string{"Entries", "Why", "Inbox", "Check"}

// lorePane is the pane of the lorebooks: a line of tabs, and the view below it.
type lorePane struct {
	views [len(loreTabs)]loreView
	at    int
	chat  storage.ChatID      // that was read last
	shown [len(loreTabs)]bool // views that were read for it
	tabs  widget.Tabs         // in the last frame
	area  uv.Rectangle        // of the view in the last frame
}

func newLorePane(a *app) *lorePane {
	return &lorePane{views: [...]loreView{newLoreEntries(a), newLoreWhy(a), newLoreInbox(a), newLoreLint(a)}, chat: "\x00"}
}

func (p *lorePane) view() loreView { return p.views[p.at] }

func (*lorePane) kind() paneKind  { return paneLore }
func (*lorePane) title() string   { return "Lorebooks" }
func (p *lorePane) foot() string  { return p.view().foot() }
func (p *lorePane) Move(n int)    { p.view().move(n) }
func (p *lorePane) click(row int) {}

// read reads the view again where another chat was opened: what changes is told
// by events.
func (p *lorePane) read(a *app) tea.Cmd {
	if p.chat != a.view.Chat.ID {
		p.chat, p.shown = a.view.Chat.ID, [len(loreTabs)]bool{}
	}
	return p.show(p.at, a)
}

// show brings a view into view.
func (p *lorePane) show(i int, a *app) tea.Cmd {
	p.at = i
	if p.shown[i] {
		return nil
	}
	p.shown[i] = true
	return p.view().read(a)
}

func (p *lorePane) act(act keys.Action, a *app) tea.Cmd {
	switch act {
	case keys.PaneView1:
		return p.show(loreEntriesView, a)
	case keys.PaneView2:
		return p.show(loreWhyView, a)
	case keys.PaneView3:
		return p.show(loreInboxView, a)
	case keys.PaneView4:
		return p.show(loreLintView, a)
	}
	return p.view().act(act, a)
}

// event tells the view that is shown; the others read again when they are shown
// next.
func (p *lorePane) event(ev event.Event, a *app) tea.Cmd {
	switch ev := ev.(type) {
	case lore.Changed:
		if ev.Chat != "" && ev.Chat != p.chat {
			return nil
		}
	case play.ReplyEnded:
		if ev.Chat != p.chat {
			return nil
		}
	case chats.ChatChanged:
		if ev.Chat != p.chat {
			return nil
		}
	case scenes.Changed:
		if ev.Chat != p.chat {
			return nil
		}
	case house.OperationChanged:
		return p.view().changed(ev, a) // what it did is told by the other events
	default:
		return nil
	}
	at := p.shown[p.at]
	p.shown = [len(loreTabs)]bool{}
	p.shown[p.at] = at
	return p.view().changed(ev, a)
}

// loreEvent follows what happens to the lorebooks.
func (a *app) loreEvent(ev event.Event) tea.Cmd {
	cmds := []tea.Cmd{a.loreToast(ev)}
	if p, ok := paneOf[*lorePane](a); ok {
		cmds = append(cmds, p.event(ev, a))
	}
	if _, ok := ev.(lore.Changed); ok {
		for _, d := range a.dialogs.All {
			if r, ok := d.(refresher); ok {
				cmds = append(cmds, r.refresh())
			}
		}
	}
	return tea.Batch(cmds...)
}

// refresher is a dialog about lorebooks that reads again what it shows.
type refresher interface{ refresh() tea.Cmd }

// clickAt chooses a tab, or clicks into the view.
func (p *lorePane) clickAt(x, y int, a *app) tea.Cmd {
	if i, ok := p.tabs.Hit(x, y); ok {
		return p.show(i, a)
	}
	if y < p.area.Min.Y || y >= p.area.Max.Y {
		return nil
	}
	return p.view().click(x-p.area.Min.X, y-p.area.Min.Y, a)
}

func (p *lorePane) draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	p.tabs.Draw(buf, area, loreTabs[:], func(i int) string { return p.views[i].title() }, p.at, a.lk)
	p.area = uv.Rect(area.Min.X, area.Min.Y+1, area.Dx(), max(0, area.Dy()-1))
	p.view().draw(buf, p.area, a)
}

// openLore shows a view of the lore pane. Where it is shown already, the pane
// closes.
func (a *app) openLore(view int) tea.Cmd {
	p, ok := paneOf[*lorePane](a)
	if ok && p.at == view {
		a.closePane()
		return nil
	}
	return a.showLore(view)
}

// showLore shows a view of the lore pane.
func (a *app) showLore(view int) tea.Cmd {
	p, ok := paneOf[*lorePane](a)
	if !ok {
		p = newLorePane(a)
		a.setPane(p)
	}
	a.mode = keys.Pane
	p.at = view
	return p.read(a)
}

// showLoreEntry shows a view of the lore pane and an entry in it.
func (a *app) showLoreEntry(view int, book storage.LorebookID, entry storage.EntryID) tea.Cmd {
	cmd := a.showLore(view)
	if v, ok := thePane[*lorePane](a).view().(loreChooser); ok {
		return tea.Batch(cmd, v.choose(book, entry, a))
	}
	return cmd
}

// lore are the actions on lorebooks.
func (all actions) lore() {
	do := all.plain
	do[keys.PaneLore] = func(a *app) tea.Cmd {
		if p, ok := paneOf[*lorePane](a); ok {
			return a.openLore(p.at)
		}
		return a.openLore(loreEntriesView)
	}
	do[keys.LoreWhy] = func(a *app) tea.Cmd { return a.showLore(loreWhyView) }
	do[keys.LoreInbox] = func(a *app) tea.Cmd { return a.showLore(loreInboxView) }
	do[keys.LoreLint] = func(a *app) tea.Cmd { return a.showLore(loreLintView) }
	do[keys.LoreTest] = func(a *app) tea.Cmd { return openLoreTest(a, "") }
	do[keys.LoreFill] = (*app).fillLore
	do[keys.LoreUndo] = (*app).undoReview
	do[keys.PaneTakeBack] = (*app).takeBack
	do[keys.LoreImport] = (*app).openLoreImport
	inPane(all, keys.ToBrowse, func(p *lorePane, a *app) tea.Cmd {
		if v, ok := p.view().(*loreEntries); ok && v.narrowed() {
			return v.widen()
		}
		return a.toBrowse()
	})
	inPane(all, keys.PageUp, func(p *lorePane, _ *app) tea.Cmd { p.Move(-max(1, p.area.Dy()-2)); return nil })
	inPane(all, keys.PageDown, func(p *lorePane, _ *app) tea.Cmd { p.Move(max(1, p.area.Dy()-2)); return nil })
}
