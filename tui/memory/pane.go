package memory

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// view is one of the views of the pane: a list with its actions.
type view interface {
	group() *pane.GroupList
	// tab is the text on the view's tab after its name, such as a count; "" for none.
	tab() string
	// actions are the view's actions, the most useful first.
	actions() []keys.Action
	// Read reads everything again.
	Read() tea.Cmd
	Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool)
	Click(x, y int) tea.Cmd
}

// The views of the pane.
const (
	factsView = iota
	memoriesView
	hooksView
	threadsView
)

var tabNames = [...]string{"Facts", "Memories", "Hooks", "Threads"}

// memoryPane is a line of tabs, and the view below it.
type memoryPane struct {
	pane.UndoStack
	services
	views [len(tabNames)]view
	facts *facts // the first of them
	at    int
	chat  storage.ChatID      // the last chat that was read
	whose storage.ScopeID     // its story
	as    chats.CastView      // the character whose knowledge is shown; zero for all
	shown [len(tabNames)]bool // views that were read, or are being read
	tabs  widget.Tabs         // in the last frame
	wish  struct {
		chat storage.ChatID // that is being opened
		node storage.NodeID // to be shown once it is open
	}
}

func newPane(d pane.Host, n services) *memoryPane {
	p := &memoryPane{UndoStack: pane.UndoStack{Host: d}, services: n, chat: "\x00"}
	p.facts = newFacts(p)
	p.views = [...]view{p.facts, newList(p, &memories), newList(p, &hooks), newList(p, &threads)}
	return p
}

// Title implements pane.Pane.
func (*memoryPane) Title() string { return "Memory" }

// Name implements pane.Pane.
func (*memoryPane) Name() string { return paneName }

// Views implements pane.Tabbed.
func (p *memoryPane) Views() ([]string, int) { return tabNames[:], p.at }

// ShowView implements pane.Tabbed.
func (p *memoryPane) ShowView(i int) tea.Cmd { return p.show(i) }

func (p *memoryPane) view() view { return p.views[p.at] }

func (p *memoryPane) list() *pane.GroupList { return p.view().group() }

// Move implements pane.Pane.
func (p *memoryPane) Move(n int) { p.list().Move(n) }

// Click implements pane.Pane: it chooses a tab, or a row.
func (p *memoryPane) Click(x, y int) tea.Cmd {
	if i, ok := p.tabs.Hit(x, y); ok {
		return p.show(i)
	}
	return p.view().Click(x, y)
}

// Draw implements pane.Pane.
func (p *memoryPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	if p.chat != "" {
		p.tabs.Draw(buf, area, tabNames[:], func(i int) string { return p.views[i].tab() }, p.at, p.Host.Styles())
		area.Min.Y = min(area.Min.Y+1, area.Max.Y)
	}
	p.view().Draw(buf, area, focused)
}

// key returns the key of an action of the pane.
func (p *memoryPane) key(act keys.Name) string { return p.Host.Keys().Key(act, keys.Pane) }

// whoseStory names the visible story in w cells: that of a character, of a series, or of this chat.
func (p *memoryPane) whoseStory(name string, w int) string {
	if p.as.Character != "" {
		return "Known to " + draw.Truncate(p.as.Name, 24)
	}
	if p.Host.Play().Chat().Chat.Play.Series == "" {
		return "This chat's story"
	}
	return "Story of “" + draw.Truncate(name, max(8, w-28)) + "”"
}

// Read implements pane.Pane. It reads again if another chat was opened; changes arrive as events. A
// pending message of that chat is shown.
func (p *memoryPane) Read() tea.Cmd {
	if p.chat == p.Host.Play().Chat().Chat.ID {
		return p.show(p.at)
	}
	c := p.Host.Play().Chat().Chat
	p.chat, p.whose, p.as, p.shown = c.ID, chats.ScopeOf(c), chats.CastView{}, [len(tabNames)]bool{}
	p.Clear()
	for _, v := range p.views {
		v.group().Reset(p.chat)
	}
	cmd, wish := p.show(p.at), p.wish
	p.wish.chat, p.wish.node = "", ""
	if wish.node != "" && wish.chat == p.chat {
		return tea.Batch(cmd, p.Host.Play().JumpTo(wish.node))
	}
	return cmd
}

// show shows a view.
func (p *memoryPane) show(i int) tea.Cmd {
	if i == factsView && p.at != factsView && p.facts.outdated {
		p.shown[i] = false
	}
	p.at = i
	if p.shown[i] || p.chat == "" {
		return nil
	}
	p.shown[i] = true
	return p.view().Read()
}

// event reads the visible view again if the event concerns it; the others are read when they are
// shown. Facts are as expensive as a prompt, so they are only marked as outdated.
func (p *memoryPane) event(ev event.Event) tea.Cmd {
	about := p.chat
	switch ev := ev.(type) {
	case memory.Changed:
		if ev.Scope != p.whose {
			return nil
		}
	case lore.Changed:
		return p.facts.changed()
	case play.ReplyEnded:
		about = ev.Chat
	case chats.ChatChanged:
		about = ev.Chat
	case scenes.Changed:
		about = ev.Chat
	case director.SeriesChanged:
	default:
		return nil
	}
	if about != p.chat {
		return nil
	}
	cmd := p.facts.changed()
	p.shown = [len(tabNames)]bool{factsView: p.shown[factsView]}
	return tea.Batch(cmd, p.show(p.at))
}

// withCast reads the cast off the screen's goroutine and passes it to do. If only one character
// plays, it shows a notice instead.
func (p *memoryPane) withCast(do func(list []chats.CastView) tea.Cmd) tea.Cmd {
	chat := p.Host.Play().Chat().Chat
	if chat.ID == "" {
		return nil
	}
	if !chats.IsGroup(chat) {
		return p.Host.Say(event.Info, "this chat has one character, who knows everything")
	}
	eng := p.Host.Engine()
	return p.Host.Do(func() func() tea.Cmd {
		cast, err := eng.Play.Cast(chat.ID)
		return func() tea.Cmd {
			if err != nil {
				return p.Host.Fail(err)
			}
			if p.chat != chat.ID {
				return nil // another one was opened meanwhile
			}
			return do(cast.List)
		}
	})
}

// nextWho shows the knowledge of the next character, and after the last one what all characters
// know.
func (p *memoryPane) nextWho() tea.Cmd {
	return p.withCast(func(list []chats.CastView) tea.Cmd {
		i := slices.IndexFunc(list, func(c chats.CastView) bool { return c.Character == p.as.Character })
		if p.as.Character == "" {
			i = -1
		}
		if p.as = (chats.CastView{}); i+1 < len(list) {
			p.as = list[i+1]
		}
		p.shown = [len(tabNames)]bool{}
		words := "what all characters know"
		if p.as.Character != "" {
			words = "what " + draw.Truncate(p.as.Name, 24) + " knows"
		}
		if p.at == threadsView {
			words += "; threads are not filtered by character"
		}
		return tea.Batch(p.show(p.at), p.Host.Say(event.Info, words))
	})
}

// noSource says that no source message is known.
const noSource = "no source message: not recorded, or written by you"

// goTo shows a source message. A message of another chat is shown once that is open.
func (p *memoryPane) goTo(chat storage.ChatID, node storage.NodeID) tea.Cmd {
	if node == "" {
		return p.Host.Say(event.Info, noSource)
	}
	if chat == "" || chat == p.Host.Play().Chat().Chat.ID {
		return p.Host.Play().JumpTo(node)
	}
	p.wish.chat, p.wish.node = chat, node
	return p.Host.Play().SwitchTo(chat)
}
