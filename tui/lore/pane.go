package lore

import (
	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// paneView is one of the views of the lore pane.
type paneView interface {
	// title is the text on the view's tab after its name, such as a count; "" for none.
	title() string
	// actions are the view's actions, the most useful first.
	actions() []keys.Action
	// Draw, Move and Click are as in pane.Pane.
	Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool)
	Move(n int)
	Click(x, y int) tea.Cmd
	// Read reads all that is shown. It is called when the view becomes visible, or another chat was
	// opened.
	Read() tea.Cmd
	// changed is called for events that may concern the visible view: changes of lorebooks, chats,
	// scenes and operations, and the ends of replies.
	changed(ev event.Event) tea.Cmd
}

// chooser is a view that can show an entry.
type chooser interface {
	choose(book storage.LorebookID, entry storage.EntryID) tea.Cmd
}

// The views of the lore pane.
const (
	entriesTab = iota
	whyTab
	inboxTab
	lintTab
)

// paneName is the pane's name; its actions are declared under it.
const paneName = "lore"

// Actions of this pane only.
const (
	bookNew       keys.Name = "lore-new-book"
	bookTest      keys.Name = "lore-test-book"
	bookExport    keys.Name = "lore-export"
	entryHistory  keys.Name = "lore-history"
	entryWhy      keys.Name = "lore-explain"
	entryShow     keys.Name = "lore-show-entry"
	entryConstant keys.Name = "lore-constant"
	entryType     keys.Name = "lore-type"
	entryOrder    keys.Name = "lore-order"
	entrySplit    keys.Name = "lore-split"
	entryCompact  keys.Name = "lore-compact"
	factAccept    keys.Name = "lore-accept-fact"
	factReject    keys.Name = "lore-reject-fact"
	sceneShow     keys.Name = "lore-show-scene"
)

var tabNames = [...]string{"Entries", "Why", "Inbox", "Check"}

// lorePane is the pane of the lorebooks: a line of tabs, and the view below it.
type lorePane struct {
	host  pane.Host
	views [len(tabNames)]paneView
	at    int
	chat  storage.ChatID      // that was read last
	shown [len(tabNames)]bool // views that were read for it
	tabs  widget.Tabs         // in the last frame
	area  uv.Rectangle        // of the view in the last frame
	// pointing reports whether a view has led to the message that the play shows.
	pointing bool
}

func newPane(r *Part) *lorePane {
	return &lorePane{host: r.host, views: [...]paneView{newEntriesView(r), newWhyView(r), newInboxView(r),
		newLintView(r)}, chat: "\x00"}
}

func (p *lorePane) view() paneView { return p.views[p.at] }

// Title implements pane.Pane.
func (*lorePane) Title() string { return "Lorebooks" }

// Name implements pane.Pane.
func (*lorePane) Name() string { return paneName }

func (p *lorePane) entries() *entriesView { return p.views[entriesTab].(*entriesView) }

// Move implements pane.Pane.
func (p *lorePane) Move(n int) { p.view().Move(n) }

// page goes a page up or down.
func (p *lorePane) page(step int) tea.Cmd {
	p.Move(step * max(1, p.area.Dy()-2))
	return nil
}

// Read implements pane.Pane. It reads the view again if another chat was opened; changes arrive as
// events.
func (p *lorePane) Read() tea.Cmd {
	if chat := p.host.Play().Chat().Chat.ID; p.chat != chat {
		p.chat, p.shown = chat, [len(tabNames)]bool{}
		p.entries().UndoStack.Clear()
	}
	return p.show(p.at)
}

// show shows a view.
func (p *lorePane) show(i int) tea.Cmd {
	p.at = i
	if p.shown[i] {
		return nil
	}
	p.shown[i] = true
	return p.view().Read()
}

// Actions implements pane.Pane. All views but the inbox share what can be undone.
func (p *lorePane) Actions() []keys.Action {
	all := []keys.Action{
		{Name: keys.PageUp, Do: func() tea.Cmd { return p.page(-1) }},
		{Name: keys.PageDown, Do: func() tea.Cmd { return p.page(1) }},
	}
	for i, v := range p.views {
		all = append(all, keys.When(func() bool { return p.at == i }, v.actions()...)...)
	}
	return append(all, keys.When(func() bool { return p.at != inboxTab }, p.entries().undoActions()...)...)
}

// event passes an event to the visible view; the others are read again when they are shown.
func (p *lorePane) event(ev event.Event) tea.Cmd {
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
	case queue.Changed:
		return p.view().changed(ev) // other events report what it did
	default:
		return nil
	}
	at := p.shown[p.at]
	p.shown = [len(tabNames)]bool{}
	p.shown[p.at] = at
	return p.view().changed(ev)
}

// Click implements pane.Pane: it chooses a tab, or clicks into the view.
func (p *lorePane) Click(x, y int) tea.Cmd {
	if i, ok := p.tabs.Hit(x, y); ok {
		return p.show(i)
	}
	if y < p.area.Min.Y || y >= p.area.Max.Y {
		return nil
	}
	return p.view().Click(x, y)
}

// Draw implements pane.Pane.
func (p *lorePane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	p.tabs.Draw(buf, area, tabNames[:], func(i int) string { return p.views[i].title() }, p.at, p.host.Styles())
	p.area = uv.Rect(area.Min.X, area.Min.Y+1, area.Dx(), max(0, area.Dy()-1))
	p.view().Draw(buf, p.area, focused)
}

// Views implements pane.Tabbed.
func (p *lorePane) Views() ([]string, int) { return tabNames[:], p.at }

// ShowView implements pane.Tabbed.
func (p *lorePane) ShowView(i int) tea.Cmd { return p.show(i) }

// Pointing implements pane.Pointer.
func (p *lorePane) Pointing() bool { return p.pointing }
