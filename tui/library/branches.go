package library

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The views of the map: branches only, or the swipes of replies too.
const (
	branchView = iota
	takeView
)

var branchTabs = [...]string{"Branches", "Swipes"}

// maxPreviewed is the number of messages of a branch that its preview reads.
const maxPreviewed = 4

// branchesName is the pane's name; its actions are declared under it.
const branchesName = "branches"

// branchesCompare opens two branches side by side.
const branchesCompare keys.Name = "branches-compare"

// branchPane is the map of the open chat: its branches and how they begin.
type branchPane struct {
	pane.UndoStack
	pane.List[chats.Segment]
	view        int // the view
	tabs        widget.Tabs
	more        int  // branches that are not listed
	sidePreview bool // the preview is beside the map

	preview map[storage.NodeID][]chats.Message
	reading storage.NodeID // that is being read for the preview
}

func newBranchPane(d pane.Host) *branchPane {
	p := &branchPane{UndoStack: pane.UndoStack{Host: d}, List: pane.NewList[chats.Segment](d, 2)}
	p.Source, p.ID, p.Marks = p.reader, func(l *chats.Segment) string { return string(l.First) }, true
	p.Row, p.Above, p.Detail = p.row, p.moreText, p.below
	p.Empty = func() string { return "No messages yet." }
	return p
}

// Title implements pane.Pane.
func (p *branchPane) Title() string { return "Branches" }

// Name implements pane.Pane.
func (*branchPane) Name() string { return branchesName }

// Views implements pane.Tabbed.
func (p *branchPane) Views() ([]string, int) { return []string{"Branches", "With swipes"}, p.view }

// ShowView implements pane.Tabbed.
func (p *branchPane) ShowView(i int) tea.Cmd { return p.show(i) }

// Read implements pane.Pane.
func (p *branchPane) Read() tea.Cmd {
	if p.List.Chat != p.Host.Play().Chat().Chat.ID {
		p.UndoStack.Clear()
		p.preview = nil
	}
	return p.List.Read()
}

// Move implements pane.Pane.
func (p *branchPane) Move(n int) { p.List.Move(n) }

// event follows new and changed messages.
func (p *branchPane) event(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case chats.MessageAdded:
		if ev.Chat == p.List.Chat {
			return p.Read()
		}
	case chats.ChatChanged:
		if ev.Chat == p.List.Chat {
			return p.Read()
		}
	}
	return nil
}

// reader reads the map and the beginning of the chosen branch: the same as before, at first the
// end of the shown branch.
func (p *branchPane) reader() func(storage.ChatID) ([]chats.Segment, func(), error) {
	eng, swipes, was := p.Host.Engine(), p.view == takeView, p.GroupList.Key()
	return func(chat storage.ChatID) ([]chats.Segment, func(), error) {
		tree, err := eng.Chats.Branches(chat, swipes)
		at := slices.IndexFunc(tree.Segments, func(l chats.Segment) bool { return string(l.First) == was })
		if at < 0 {
			at = slices.IndexFunc(tree.Segments, func(l chats.Segment) bool { return l.Shown && l.Ends })
		}
		preview := map[storage.NodeID][]chats.Message{}
		if at >= 0 && err == nil {
			l := tree.Segments[at]
			preview[l.First], err = eng.Chats.SegmentMessages(chat, l.First, l.Last, maxPreviewed)
		}
		return tree.Segments, func() {
			if at >= 0 && p.GroupList.Key() == was {
				p.PendingKey = string(tree.Segments[at].First)
			}
			p.more, p.preview = tree.More, preview
		}, err
	}
}

// loadPreview reads the beginning of the chosen branch, unless it is known.
func (p *branchPane) loadPreview() tea.Cmd {
	l := p.Item()
	if l == nil || p.reading == l.First {
		return nil
	}
	if _, known := p.preview[l.First]; known {
		return nil
	}
	p.reading = l.First
	eng, chat, first, last := p.Host.Engine(), p.List.Chat, l.First, l.Last
	return p.Host.Do(func() func() tea.Cmd {
		msgs, err := eng.Chats.SegmentMessages(chat, first, last, maxPreviewed)
		return func() tea.Cmd {
			if p.reading == first {
				p.reading = ""
			}
			if err == nil && chat == p.List.Chat && p.preview != nil {
				p.preview[first] = msgs
			}
			return p.loadPreview() // the selection may have changed meanwhile
		}
	})
}

// Click implements pane.Pane.
func (p *branchPane) Click(x, y int) tea.Cmd {
	if i, ok := p.tabs.Hit(x, y); ok {
		return p.show(i)
	}
	p.List.Click(x, y)
	return p.loadPreview()
}

// show selects a view.
func (p *branchPane) show(view int) tea.Cmd {
	if p.view == view {
		return nil
	}
	p.view = view
	return p.Read()
}

// Actions implements pane.Pane.
func (p *branchPane) Actions() []keys.Action {
	on := func(name keys.Name, words, hint string, do func(chats.Segment) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Text: words, Hint: hint, Unavailable: p.whyDisabled, Do: p.On(do)}
	}
	move := func(name keys.Name, words string, n func() int) keys.Action {
		return keys.Action{Name: name, Text: words, Do: func() tea.Cmd { p.Move(n()); return p.loadPreview() }}
	}
	compare := on(branchesCompare, "compare with the selected or the current branch", "compare", p.compare)
	compare.Group, compare.Keys, compare.OldNames = keys.PaneGroup, []string{"v"}, []keys.Name{"pane-beside"}
	return append([]keys.Action{
		move(keys.PaneUp, "", func() int { return -1 }),
		move(keys.PaneDown, "", func() int { return 1 }),
		move(keys.PaneTop, "", func() int { return -len(p.Lines) }),
		move(keys.PaneBottom, "", func() int { return len(p.Lines) }),
		move(keys.PageUp, "page up", func() int { return -max(1, p.Page/2-1) }),
		move(keys.PageDown, "page down", func() int { return max(1, p.Page/2-1) }),
		on(keys.PaneEnter, "go to the end of this branch", "go to", p.openBranch),
		on(keys.PaneMark, "select for comparison", "select",
			func(chats.Segment) tea.Cmd { p.Mark(); return p.loadPreview() }),
		compare,
		on(keys.PaneRename, "name this branch", "name", p.rename),
		on(keys.PaneDelete, "delete it and everything after it", "delete", p.askDelete),
	}, p.UndoActions()...)
}

// whyDisabled returns the reason why actions on branches are not available.
func (p *branchPane) whyDisabled() string {
	switch {
	case p.List.Chat == "":
		return "no chat is open"
	case !p.Has():
		return "there are no branches"
	}
	return ""
}

// openBranch goes to the newest message of a branch.
func (p *branchPane) openBranch(l chats.Segment) tea.Cmd {
	eng, chat := p.Host.Engine(), p.List.Chat
	if p.Host.Play().Replying() {
		return p.Host.Fail(failure.ErrTurnRunning)
	}
	return p.Host.Do(func() func() tea.Cmd {
		err := eng.Chats.Goto(chat, l.First)
		return func() tea.Cmd {
			if err != nil {
				return p.Host.Fail(err)
			}
			return tea.Batch(p.Host.Play().Reload(), p.Host.Play().JumpTo(l.First))
		}
	})
}

// compare opens the chosen branch beside a selected one, or else the shown branch, from where they
// part.
func (p *branchPane) compare(l chats.Segment) tea.Cmd {
	for _, is := range []func(x chats.Segment) bool{
		func(x chats.Segment) bool { return p.Marked[string(x.First)] },
		func(x chats.Segment) bool { return x.Above == l.Above && x.Shown },
		func(x chats.Segment) bool { return x.Above == l.Above },
	} {
		if i := slices.IndexFunc(p.Items, func(x chats.Segment) bool { return x.First != l.First && is(x) }); i >= 0 {
			return openComparison(p.Host, p.List.Chat, p.Items[i], l)
		}
	}
	mark := p.Host.Keys().Key(keys.PaneMark, keys.Pane)
	return p.Host.Say(event.Info, "nothing to compare with: select another branch first ("+mark+")")
}

func (p *branchPane) rename(l chats.Segment) tea.Cmd {
	f := &widget.Form{Title: "Name this branch",
		Fields: []*widget.Field{widget.LineField(p.Host.Styles(), "Name", l.Name, "empty: show its first words")}}
	eng, chat := p.Host.Engine(), p.List.Chat
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		name := f.Fields[0].Value()
		return p.Change("branch named", func() error { return eng.Chats.NameBranch(chat, l.First, name) },
			func() error { return eng.Chats.Undo(chat) }), nil
	}
	p.Host.Open(f.Start())
	return nil
}

func (p *branchPane) askDelete(l chats.Segment) tea.Cmd {
	if l.Depth == 0 && l.Above < 0 && p.isOnlyBranch(l) {
		return p.Host.Say(event.Info, "nothing would be left: delete the chat in the chat list instead")
	}
	eng, chat := p.Host.Engine(), p.List.Chat
	words := draw.Plural(l.Messages, "message")
	if !l.Ends {
		words += " and the branches that follow"
	}
	p.Host.Open(&widget.Confirm{Title: "Delete branch", Text: "Delete " + words + "? Undo with " +
		p.Host.Keys().Key(keys.PaneUndo, keys.Pane) + ".",
		Choices: []widget.Choice{{Key: "n", Words: "cancel"}, {Key: "y", Words: "delete", Do: func() tea.Cmd {
			return p.Change(strconv.Itoa(l.Messages)+" deleted",
				func() error { return eng.Chats.Delete(chat, l.First, true) },
				func() error { return eng.Chats.Undo(chat) })
		}}}})
	return nil
}

// isOnlyBranch reports whether no other branch begins at the same message.
func (p *branchPane) isOnlyBranch(l chats.Segment) bool {
	return !slices.ContainsFunc(p.Items, func(x chats.Segment) bool { return x.Above == l.Above && x.First != l.First })
}
