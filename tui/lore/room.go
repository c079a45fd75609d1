// Package lore is the room of the lorebooks: its pane with the books and their entries,
// why the model knows something, the inbox of changes that wait, and the checks; the
// forms, readers and sheets of entries, the test box, and taking back what a scene taught.
package lore

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Room is the room of the lorebooks.
type Room struct {
	desk    desk.Desk
	news    newsTold
	reviews widget.InOrder // decisions about what waits in the inbox
}

// New makes the room on its desk.
func New(d desk.Desk) *Room { return &Room{desk: d} }

// Actions implements desk.Room.
func (r *Room) Actions() []keys.Action {
	view := func(i int) func() tea.Cmd { return func() tea.Cmd { return r.show(i) } }
	plain := func(name keys.Name, words string, do func() tea.Cmd) keys.Action {
		return keys.Action{Name: name, Words: words, Group: keys.PlayGroup, Modes: keys.Any, Do: do}
	}
	all := []keys.Action{
		{Name: keys.PaneLore, Words: "lorebooks", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"alt+l"}, Do: r.toggle},
		plain(keys.LoreWhy, "active lorebook entries", view(whyTab)),
		plain(keys.LoreInbox, "lorebook changes to review", view(inboxTab)),
		plain(keys.LoreLint, "check lorebooks", view(lintTab)),
		plain(keys.LoreTest, "test which entries a text triggers", func() tea.Cmd { return openTest(r, "") }),
		plain(keys.LoreFill, "fill the chat's lorebook from its recaps", r.fill),
		plain(keys.LoreUndo, "undo the last accept or reject", r.undoReview),
		{Name: keys.PaneTakeBack, Words: "undo lorebook changes from a scene", Group: keys.PlayGroup, Modes: keys.Browse | keys.Pane, Keys: []string{"alt+b"}, Do: r.takeBack},
		plain(keys.LoreImport, "import a lorebook", r.openImport),
	}
	return desk.Unless(all, desk.NeedsChat(r.desk), keys.LoreFill, keys.PaneTakeBack)
}

// Panes implements desk.Paned.
func (r *Room) Panes() []desk.PaneActions {
	return []desk.PaneActions{{Name: paneName, System: keys.SystemLore, Actions: newPane(r).Actions()}}
}

// key is how the key of an action reads that panes have.
func (r *Room) key(act keys.Name) string { return r.desk.Keys().Key(act, keys.Pane) }

// viewKey is the key of a view in brackets, "" where it has none.
func (r *Room) viewKey(act keys.Name) string {
	if k := r.key(act); k != "" {
		return " (" + k + ")"
	}
	return ""
}

func (r *Room) toggle() tea.Cmd {
	return r.desk.Panes().Open(keys.PaneLore, func() desk.Pane { return newPane(r) })
}

// pane is the pane of the lorebooks, nil while it is not open.
func (r *Room) pane() *pane {
	p, _ := r.desk.Panes().Current().(*pane)
	return p
}

// shown is the pane of the lorebooks as a pane, for the lists of its views.
func (r *Room) shown() desk.Pane { return r.pane() }

// show shows a view of the pane.
func (r *Room) show(view int) tea.Cmd {
	p := r.pane()
	if p == nil {
		p = newPane(r)
		p.at = view
		return r.desk.Panes().Show(keys.PaneLore, p)
	}
	r.desk.Panes().Focus()
	p.at = view
	return p.Read()
}

// showEntry shows a view of the pane and an entry in it.
func (r *Room) showEntry(view int, book storage.LorebookID, entry storage.EntryID) tea.Cmd {
	cmd := r.show(view)
	if v, ok := r.pane().view().(chooser); ok {
		return tea.Batch(cmd, v.choose(book, entry))
	}
	return cmd
}

// OpenEntry opens the pane at an entry.
func (r *Room) OpenEntry(book storage.LorebookID, entry storage.EntryID) tea.Cmd {
	return r.showEntry(entriesTab, book, entry)
}

// Event implements desk.Listener: it follows what happens to the lorebooks.
func (r *Room) Event(ev event.Event) tea.Cmd {
	cmds := []tea.Cmd{r.tellNews(ev)}
	if p := r.pane(); p != nil {
		cmds = append(cmds, p.event(ev))
	}
	if _, ok := ev.(lore.Changed); ok {
		for _, d := range r.desk.Dialogs().All {
			if d, ok := d.(refresher); ok {
				cmds = append(cmds, d.refresh())
			}
		}
	}
	return tea.Batch(cmds...)
}

// refresher is a dialog about lorebooks that reads again what it shows.
type refresher interface{ refresh() tea.Cmd }
