package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/director"
	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/engine/memory"
	"ghostlight/engine/play"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// memoryView is one of the views of the memory pane.
type memoryView interface {
	list() *desk.GroupList
	// tab is what stands on the view's tab behind its name, such as a count; ""
	// for nothing.
	tab() string
	foot() string
	// scope says whose story is shown, and how much of it there is.
	scope(a *app) string
	// empty says what fills the view while there is nothing in it.
	empty() string
	// row draws a row of the list.
	row(buf uv.ScreenBuffer, area uv.Rectangle, i int, chosen bool, a *app)
	// details are styled lines about a row, for the bottom of the pane.
	details(i, w int, a *app) []string
	act(act keys.Action, a *app) tea.Cmd
	// read reads all of it anew.
	read() tea.Cmd
}

// The views of the memory pane.
const (
	memoriesView = iota
	hooksView
	threadsView
)

var memoryTabs = [...]string{"Memories", "Hooks", "Threads"}

// memoryPane is the pane of what the story remembers and what is still to come:
// a line of tabs, a line about the scope, and the view below them.
type memoryPane struct {
	desk.Undoing
	a     *app
	views [len(memoryTabs)]memoryView
	at    int
	chat  storage.ChatID        // that was read last
	whose storage.ScopeID       // its story, "" while it is not known
	shown [len(memoryTabs)]bool // views that are read, or being read
	area  uv.Rectangle          // of the line above the list, in the last frame
	tabs  widget.Tabs           // in the last frame
	wish  struct {
		chat storage.ChatID // that is being opened
		node storage.NodeID // to be shown then
	}
}

func newMemoryPane(a *app) *memoryPane {
	p := &memoryPane{a: a, Undoing: desk.Undoing{Desk: a}, chat: "\x00"}
	p.views = [...]memoryView{newMemoryList(p), newHookList(p), newThreadList(p)}
	return p
}

func (p *memoryPane) view() memoryView { return p.views[p.at] }

func (*memoryPane) kind() paneKind { return paneMemory }
func (*memoryPane) title() string  { return "Memory" }
func (p *memoryPane) Move(n int)   { p.view().list().Move(n) }

func (p *memoryPane) foot() string {
	l := p.view().list()
	if n := len(l.Marked); n > 0 {
		return strconv.Itoa(n) + " marked · " + p.view().foot()
	}
	return p.view().foot()
}

// click chooses a row. Above the list are the pane's own line, the tabs and the
// line about the scope.
func (p *memoryPane) click(row int) {
	l, y := p.view().list(), row-3
	if y >= 0 && y < l.Page && l.Top+y < len(l.Lines) {
		l.Pick(l.Top + y)
	}
}

// clickAt chooses a tab, or a row.
func (p *memoryPane) clickAt(x, y int, a *app) tea.Cmd {
	if i, ok := p.tabs.Hit(x, y); ok {
		return p.show(i)
	}
	p.click(y - a.lay.pane.Min.Y)
	return nil
}

// read reads the view again where another chat was opened: what changes is told
// by events. A message that was to be shown in that chat is shown.
func (p *memoryPane) read(a *app) tea.Cmd {
	if p.chat == a.view.Chat.ID {
		return p.show(p.at)
	}
	p.chat, p.whose, p.Steps, p.shown = a.view.Chat.ID, "", nil, [len(memoryTabs)]bool{}
	for _, v := range p.views {
		v.list().Renew(p.chat)
	}
	cmd, wish := p.show(p.at), p.wish
	p.wish.chat, p.wish.node = "", ""
	if wish.node != "" && wish.chat == p.chat {
		return tea.Batch(cmd, a.JumpTo(wish.node))
	}
	return cmd
}

// show brings a view into view.
func (p *memoryPane) show(i int) tea.Cmd {
	p.at = i
	if p.shown[i] || p.chat == "" {
		return nil
	}
	p.shown[i] = true
	return p.view().read()
}

func (p *memoryPane) act(act keys.Action, a *app) tea.Cmd {
	l := p.view().list()
	switch act {
	case keys.PaneView1:
		return p.show(memoriesView)
	case keys.PaneView2:
		return p.show(hooksView)
	case keys.PaneView3:
		return p.show(threadsView)
	case keys.PaneUp:
		l.Move(-1)
	case keys.PaneDown:
		l.Move(1)
	case keys.PaneTop:
		l.Move(-len(l.Lines))
	case keys.PaneBottom:
		l.Move(len(l.Lines))
	case keys.PaneMark:
		l.Mark()
	case keys.PaneMarkRange:
		l.MarkRange()
	case keys.PaneMarkAll:
		l.MarkAll()
	case keys.PaneFind:
		return p.openFilter(a)
	case keys.PaneBeside:
		return p.showAll(a)
	case keys.PaneRestore:
		return p.TakeBack()
	default:
		if p.chat == "" {
			return nil
		}
		return p.view().act(act, a)
	}
	return nil
}

// showAll shows or hides what is left out of the list.
func (p *memoryPane) showAll(a *app) tea.Cmd {
	l := p.view().list()
	was := l.Key()
	l.All = !l.All
	l.Lay(was)
	if l.All {
		return a.Say(event.Info, "those that are removed or of other branches are shown too")
	}
	return a.Say(event.Info, "those that are removed or of other branches are hidden")
}

// event reads the view that is shown again where something in it may have
// changed; the others are read when they are shown next.
func (p *memoryPane) event(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case memory.Changed:
		if p.whose != "" && ev.Scope != p.whose {
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
	case director.SeriesChanged:
	default:
		return nil
	}
	p.shown = [len(memoryTabs)]bool{}
	return p.show(p.at)
}

// memoryEvent follows what happens to memories, hooks and threads.
func (a *app) memoryEvent(ev event.Event) tea.Cmd {
	if p, ok := paneOf[*memoryPane](a); ok {
		return p.event(ev)
	}
	return nil
}

func (p *memoryPane) draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	if p.chat == "" {
		look.PutWrapped(buf, area, a.lk.Dim, "No chat is open.")
		return
	}
	p.tabs.Draw(buf, area, memoryTabs[:], func(i int) string { return p.views[i].tab() }, p.at, a.lk)
	p.area = uv.Rect(area.Min.X, area.Min.Y+1, area.Dx(), min(1, max(0, area.Dy()-1)))
	body := uv.Rect(area.Min.X, area.Min.Y+2, area.Dx(), max(0, area.Dy()-2))
	v := p.view()
	l := v.list()
	switch {
	case l.Fault != nil:
		look.PutWrapped(buf, body, a.lk.Failure, failure.Words(l.Fault))
		return
	case !l.Loaded || body.Dy() == 0:
		return // it is being read
	}
	p.above(buf, p.area, a)
	if len(l.Lines) == 0 {
		l.Page = 0
		words := v.empty()
		switch {
		case l.Filter.On() && !l.Filter.Done:
			words = "searching …"
		case l.Filter.On():
			words = "Nothing has “" + look.Within(l.Filter.Text, 40) + "” in it."
		case len(l.Rows) > 0:
			words = "All of it is removed or belongs to other branches: " + a.keys.Key(keys.PaneBeside, keys.Pane) + " shows it."
		}
		look.PutWrapped(buf, body, a.lk.Dim, words)
		return
	}
	if area.Dy() >= 14 {
		body.Max.Y -= p.below(buf, body, a)
	}
	from, to := l.View(body.Dy())
	for i := from; i < to; i++ {
		p.line(buf, uv.Rect(body.Min.X, body.Min.Y+i-from, body.Dx()-1, 1), i, a)
	}
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), l.Top, len(l.Lines), a.lk)
}

// line draws a line of the list: a heading with how many stand under it, or a
// row.
func (p *memoryPane) line(buf uv.ScreenBuffer, area uv.Rectangle, i int, a *app) {
	v := p.view()
	l := v.list()
	n := l.Lines[i]
	if n < 0 {
		w := look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), a.lk.Title, l.Groups[-1-n])
		look.Put(buf, area.Min.X+w+1, area.Min.Y, area.Dx()-w-1, a.lk.Faint, strconv.Itoa(l.Counts[-1-n]))
		return
	}
	chosen := i == l.At && a.mode == keys.Pane
	mark := a.lk.Accent
	if chosen {
		mark = a.lk.Selected
		look.Fill(buf, area, a.lk.Selected)
	}
	if l.Marked[l.Rows[n].Key] {
		look.Put(buf, area.Min.X, area.Min.Y, 1, mark, "✓")
	}
	v.row(buf, uv.Rect(area.Min.X+1, area.Min.Y, area.Dx()-1, 1), n, chosen, a)
}

// above draws the line above the list: the filter, or whose story it is.
func (p *memoryPane) above(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	l := p.view().list()
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	switch {
	case l.Filter.On():
		room := look.PutRight(buf, x, y, w, a.lk.Dim, strconv.Itoa(len(l.Filter.Hits))) - x - 1
		look.Put(buf, x, y, room, a.lk.Accent, "/ "+l.Filter.Text)
	default:
		words := p.view().scope(a)
		if l.Left > 0 {
			words += look.Separator + strconv.Itoa(l.Left) + " hidden (" + a.keys.Key(keys.PaneBeside, keys.Pane) + ")"
		}
		look.Put(buf, x, y, w, a.lk.Dim, look.Hints(words, w))
	}
}

// below draws at the bottom what there is to say about the chosen row, and says
// how many lines that took.
func (p *memoryPane) below(buf uv.ScreenBuffer, area uv.Rectangle, a *app) int {
	i, ok := p.view().list().Chosen()
	if !ok {
		return 0
	}
	lines := p.view().details(i, area.Dx()-2, a)
	return look.PutBelow(buf, area, lines[:min(len(lines), mostDetails, area.Dy()/3)], a.lk)
}

// whoseStory is how the story that is shown is called: that of a series, or of
// this chat alone.
func (p *memoryPane) whoseStory(name string, a *app) string {
	if a.view.Chat.Play.Series == "" {
		return "This chat's story"
	}
	return "Story of “" + look.Within(name, max(8, p.area.Dx()-28)) + "”"
}

// goTo shows the message that something came from. One of another chat is shown
// when that is open.
func (p *memoryPane) goTo(chat storage.ChatID, node storage.NodeID, a *app) tea.Cmd {
	if node == "" {
		return a.Say(event.Info, "it came from no message: you wrote it, or nobody noted which it was")
	}
	if chat == "" || chat == a.view.Chat.ID {
		return a.JumpTo(node)
	}
	p.wish.chat, p.wish.node = chat, node
	return a.SwitchTo(chat)
}

// memory are the actions of the memory pane.
func (all actions) memory() {
	do := all.plain
	do[keys.PaneMemory] = func(a *app) tea.Cmd { return a.togglePane(paneMemory) }
	inPane(all, keys.PaneFocus, func(p *memoryPane, _ *app) tea.Cmd { return p.show((p.at + 1) % len(memoryTabs)) })
	inPane(all, keys.ToBrowse, func(p *memoryPane, a *app) tea.Cmd {
		if l := p.view().list(); l.Filter.On() || len(l.Marked) > 0 {
			return p.widen()
		}
		return a.toBrowse()
	})
	inPane(all, keys.PageUp, func(p *memoryPane, _ *app) tea.Cmd { p.Move(-max(1, p.view().list().Page-1)); return nil })
	inPane(all, keys.PageDown, func(p *memoryPane, _ *app) tea.Cmd { p.Move(max(1, p.view().list().Page-1)); return nil })
}
