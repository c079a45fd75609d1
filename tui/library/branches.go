package library

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The views of the map: branches alone, or each take of a reply too.
const (
	branchView = iota
	takeView
)

var branchTabs = [...]string{"Branches", "Swipes"}

// previewed is how many messages of a branch are read for its preview.
const previewed = 4

// branchesName is the name of the pane, under which its actions are declared.
const branchesName = "branches"

// branchesCompare opens two branches side by side.
const branchesCompare keys.Name = "branches-compare"

// branchPane is the map of the open chat: where its ways part, and how they begin.
type branchPane struct {
	desk.Undoing
	widget.List
	chat   storage.ChatID
	at     int // the view
	area   uv.Rectangle
	tabs   widget.Tabs
	tree   chats.Branches
	loaded bool
	busy   bool // it is being read
	again  bool // and must be read once more
	fault  error
	marked storage.NodeID // the branch that another is compared with, "" for none

	preview map[storage.NodeID][]chats.Message
	asked   storage.NodeID // that is being read for the preview
}

func newBranchPane(d desk.Desk) *branchPane {
	return &branchPane{Undoing: desk.Undoing{Desk: d}, chat: "\x00"}
}

// Title implements desk.Pane.
func (p *branchPane) Title() string { return "Branches" }

// Name implements desk.Pane.
func (*branchPane) Name() string { return branchesName }

// Views implements desk.Tabbed.
func (p *branchPane) Views() ([]string, int) { return []string{"Branches", "With swipes"}, p.at }

// ShowView implements desk.Tabbed.
func (p *branchPane) ShowView(i int) tea.Cmd { return p.show(i) }

// Read implements desk.Pane.
func (p *branchPane) Read() tea.Cmd {
	if chat := p.Desk.Chat().Chat.ID; p.chat != chat {
		p.chat, p.tree, p.loaded, p.fault, p.marked = chat, chats.Branches{}, false, nil, ""
		p.Forget()
		p.At, p.Top = 0, 0
	}
	return p.load()
}

// event follows what is said and changed.
func (p *branchPane) event(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case chats.MessageAdded:
		if ev.Chat == p.chat {
			return p.load()
		}
	case chats.ChatChanged:
		if ev.Chat == p.chat {
			return p.load()
		}
	}
	return nil
}

// load reads the map, away from the screen's goroutine.
func (p *branchPane) load() tea.Cmd {
	if p.chat == "" {
		return nil
	}
	if p.busy {
		p.again = true
		return nil
	}
	p.busy, p.again = true, false
	eng, chat, view := p.Desk.Engine(), p.chat, p.at
	return p.Desk.Do(func() func() tea.Cmd {
		tree, err := eng.Chats.Branches(chat, view == takeView)
		return func() tea.Cmd {
			p.busy = false
			if p.again || chat != p.chat || view != p.at {
				return p.load()
			}
			p.take(tree, err)
			return p.look()
		}
	})
}

// take shows what was read. The choice stays with its branch; at first it is the end of
// the way that is shown.
func (p *branchPane) take(tree chats.Branches, err error) {
	was, first := p.chosen().First, !p.loaded
	p.loaded, p.fault, p.preview = true, err, map[storage.NodeID][]chats.Message{}
	if err != nil {
		return
	}
	p.tree, p.N = tree, len(tree.Legs)
	find := func(is func(chats.Leg) bool) {
		if i := slices.IndexFunc(tree.Legs, is); i >= 0 {
			p.At = i
		}
	}
	if first {
		find(func(l chats.Leg) bool { return l.Shown && l.Ends })
	} else {
		find(func(l chats.Leg) bool { return l.First == was })
	}
	if !slices.ContainsFunc(tree.Legs, func(l chats.Leg) bool { return l.First == p.marked }) {
		p.marked = ""
	}
	p.At = max(0, min(p.At, p.N-1))
}

// chosen is the chosen branch, without messages where there is none.
func (p *branchPane) chosen() chats.Leg {
	if p.At < 0 || p.At >= len(p.tree.Legs) {
		return chats.Leg{}
	}
	return p.tree.Legs[p.At]
}

// look reads how the chosen branch begins, unless that is known.
func (p *branchPane) look() tea.Cmd {
	l := p.chosen()
	if _, known := p.preview[l.First]; known || l.First == "" || p.asked == l.First {
		return nil
	}
	p.asked = l.First
	eng, chat := p.Desk.Engine(), p.chat
	return p.Desk.Do(func() func() tea.Cmd {
		msgs, err := eng.Chats.Leg(chat, l.First, l.Last, previewed)
		return func() tea.Cmd {
			if p.asked == l.First {
				p.asked = ""
			}
			if err == nil && chat == p.chat && p.preview != nil {
				p.preview[l.First] = msgs
			}
			return p.look() // of what is chosen by now
		}
	})
}

// Move implements desk.Pane.
func (p *branchPane) Move(n int) { p.List.Move(n) }

// Click implements desk.Pane.
func (p *branchPane) Click(x, y int) tea.Cmd {
	if i, ok := p.tabs.Hit(x, y); ok {
		return p.show(i)
	}
	p.List.Click(y - p.area.Min.Y)
	return p.look()
}

// show goes to a view.
func (p *branchPane) show(view int) tea.Cmd {
	if p.at == view {
		return nil
	}
	p.at = view
	return p.load()
}

// Actions implements desk.Pane.
func (p *branchPane) Actions() []keys.Action {
	on := func(name keys.Name, words, hint string, do func(chats.Leg) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Words: words, Hint: hint, When: p.why, Do: func() tea.Cmd { return do(p.chosen()) }}
	}
	page := func(n int) func() tea.Cmd {
		return func() tea.Cmd { p.Move(n * max(1, p.Rows-1)); return p.look() }
	}
	compare := on(branchesCompare, "compare with the marked or the current branch", "compare", p.compare)
	compare.Group, compare.Keys, compare.Was = keys.PaneGroup, []string{"v"}, []keys.Name{"pane-beside"}
	return slices.Concat(keys.Moving(&p.List), []keys.Action{
		{Name: keys.PageUp, Words: "page up", Do: page(-1)},
		{Name: keys.PageDown, Words: "page down", Do: page(1)},
		on(keys.PaneEnter, "go to the end of this branch", "go to", p.enter),
		on(keys.PaneMark, "mark for comparison", "mark", p.mark),
		compare,
		on(keys.PaneRename, "name this branch", "name", p.rename),
		on(keys.PaneDelete, "delete it and everything after it", "delete", p.askDelete),
	}, p.UndoActions())
}

// why says why nothing can be done with a branch.
func (p *branchPane) why() string {
	switch {
	case p.chat == "":
		return "no chat is open"
	case p.N == 0:
		return "there are no branches"
	}
	return ""
}

// enter goes down a branch to the newest message.
func (p *branchPane) enter(l chats.Leg) tea.Cmd {
	eng, chat := p.Desk.Engine(), p.chat
	if p.Desk.Replying() {
		return p.Desk.Fail(failure.ErrTurnRunning)
	}
	return p.Desk.Do(func() func() tea.Cmd {
		err := eng.Chats.Goto(chat, l.First)
		return func() tea.Cmd {
			if err != nil {
				return p.Desk.Fail(err)
			}
			return tea.Batch(p.Desk.Reload(), p.Desk.JumpTo(l.First))
		}
	})
}

func (p *branchPane) mark(l chats.Leg) tea.Cmd {
	if p.marked == l.First {
		p.marked = ""
		return nil
	}
	p.marked = l.First
	return nil
}

// compare opens the chosen branch beside the marked one, or beside the way that is
// shown where they part.
func (p *branchPane) compare(l chats.Leg) tea.Cmd {
	with := slices.IndexFunc(p.tree.Legs, func(x chats.Leg) bool { return x.First == p.marked })
	if with < 0 {
		with = slices.IndexFunc(p.tree.Legs, func(x chats.Leg) bool { return x.Above == l.Above && x.Shown && x.First != l.First })
	}
	if with < 0 {
		with = slices.IndexFunc(p.tree.Legs, func(x chats.Leg) bool { return x.Above == l.Above && x.First != l.First })
	}
	if with < 0 || p.tree.Legs[with].First == l.First {
		return p.Desk.Say(event.Info, "nothing to compare with: mark another branch first ("+p.Desk.Keys().Key(keys.PaneMark, keys.Pane)+")")
	}
	return openComparison(p.Desk, p.chat, p.tree.Legs[with], l)
}

func (p *branchPane) rename(l chats.Leg) tea.Cmd {
	f := &widget.Form{Title: "Name this branch", Fields: []*widget.Field{widget.LineField(p.Desk.Look(), "Name", l.Name, "empty: show its first words")}}
	eng, chat := p.Desk.Engine(), p.chat
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		name := f.Fields[0].Value()
		return p.Change("branch named", func() error { return eng.Chats.NameBranch(chat, l.First, name) },
			func() error { return eng.Chats.Undo(chat) }), nil
	}
	p.Desk.Open(f.Start())
	return nil
}

func (p *branchPane) askDelete(l chats.Leg) tea.Cmd {
	if l.Depth == 0 && l.Above < 0 && p.alone(l) {
		return p.Desk.Say(event.Info, "nothing would be left: delete the chat in the chat list instead")
	}
	eng, chat := p.Desk.Engine(), p.chat
	words := look.Plural(l.Messages, "message")
	if !l.Ends {
		words += " and the branches that follow"
	}
	p.Desk.Open(&widget.Confirm{Title: "Delete branch", Text: "Delete " + words + "? Undo with " + p.Desk.Keys().Key(keys.PaneUndo, keys.Pane) + ".",
		Choices: []widget.Choice{{Key: "n", Words: "cancel"}, {Key: "y", Words: "delete", Do: func() tea.Cmd {
			return p.Change(strconv.Itoa(l.Messages)+" deleted", func() error { return eng.Chats.Delete(chat, l.First, true) },
				func() error { return eng.Chats.Undo(chat) })
		}}}})
	return nil
}

// alone tells whether no other way begins where a branch does.
func (p *branchPane) alone(l chats.Leg) bool {
	return !slices.ContainsFunc(p.tree.Legs, func(x chats.Leg) bool { return x.Above == l.Above && x.First != l.First })
}
