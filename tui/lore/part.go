// Package lore is the lorebook part of the screen: the pane with books and entries, the explanation
// of what triggers, the inbox and the linter; the forms and readers of entries, the test box, and
// undoing a scene's changes.
package lore

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Part is the part of the screen for lorebooks.
type Part struct {
	host    pane.Host
	news    news
	reviews widget.Sequence // decisions about proposals in the inbox
}

// New returns the part for its host.
func New(d pane.Host) *Part { return &Part{host: d} }

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	view := func(i int) func() tea.Cmd { return func() tea.Cmd { return r.show(i) } }
	plain := func(name keys.Name, words string, do func() tea.Cmd) keys.Action {
		return keys.Action{Name: name, Text: words, Group: keys.PlayGroup, Modes: keys.Any, Do: do}
	}
	all := []keys.Action{
		{Name: keys.PaneLore, Text: "lorebooks", Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{"alt+l"},
			Do: r.toggle},
		plain(keys.LoreWhy, "active lorebook entries", view(whyTab)),
		plain(keys.LoreInbox, "lorebook changes to review", view(inboxTab)),
		plain(keys.LoreLint, "check lorebooks", view(lintTab)),
		plain(keys.LoreTest, "test which entries a text triggers", func() tea.Cmd { return openTest(r, "") }),
		plain(keys.LoreFill, "fill the chat's lorebook from its recaps", r.fill),
		plain(keys.LoreUndo, "undo the last accept or reject", r.undoReview),
		{Name: keys.PaneTakeBack, Text: "undo lorebook changes from a scene", Group: keys.PlayGroup,
			Modes: keys.Browse | keys.Pane, Keys: []string{"alt+b"}, Do: r.undoScene},
		plain(keys.LoreImport, "import a lorebook", r.openImport),
	}
	return pane.Unless(all, pane.NeedsChat(r.host), keys.LoreFill, keys.PaneTakeBack)
}

// Panes implements pane.PaneOwner.
func (r *Part) Panes() []pane.PaneActions {
	return []pane.PaneActions{{Name: paneName, System: keys.SystemLore, Actions: newPane(r).Actions()}}
}

// key returns the key of a pane's action as text.
func (r *Part) key(act keys.Name) string { return r.host.Keys().Key(act, keys.Pane) }

// viewKey returns the key of a view in brackets, "" if it has none.
func (r *Part) viewKey(act keys.Name) string {
	if k := r.key(act); k != "" {
		return " (" + k + ")"
	}
	return ""
}

func (r *Part) toggle() tea.Cmd {
	return r.host.Panes().Open(keys.PaneLore, func() pane.Pane { return newPane(r) })
}

// pane returns the pane of the lorebooks, nil while it is not open.
func (r *Part) pane() *lorePane {
	p, _ := r.host.Panes().Current().(*lorePane)
	return p
}

// shown returns the pane of the lorebooks as a pane, for the lists of its views.
func (r *Part) shown() pane.Pane { return r.pane() }

// show shows a view of the pane.
func (r *Part) show(view int) tea.Cmd {
	p := r.pane()
	if p == nil {
		p = newPane(r)
		p.at = view
		return r.host.Panes().Show(keys.PaneLore, p)
	}
	r.host.Panes().Focus()
	p.at = view
	return p.Read()
}

// showEntry shows a view of the pane and an entry in it.
func (r *Part) showEntry(view int, book storage.LorebookID, entry storage.EntryID) tea.Cmd {
	cmd := r.show(view)
	if v, ok := r.pane().view().(chooser); ok {
		return tea.Batch(cmd, v.choose(book, entry))
	}
	return cmd
}

// OpenEntry opens the pane at an entry.
func (r *Part) OpenEntry(book storage.LorebookID, entry storage.EntryID) tea.Cmd {
	return r.showEntry(entriesTab, book, entry)
}

// Event implements pane.Listener: it follows what happens to the lorebooks.
func (r *Part) Event(ev event.Event) tea.Cmd {
	cmds := []tea.Cmd{r.tellNews(ev)}
	if p := r.pane(); p != nil {
		cmds = append(cmds, p.event(ev))
	}
	if _, ok := ev.(lore.Changed); ok {
		for _, d := range r.host.Dialogs().All {
			if d, ok := d.(refresher); ok {
				cmds = append(cmds, d.refresh())
			}
		}
	}
	return tea.Batch(cmds...)
}

// refresher is a dialog about lorebooks that can read its data again.
type refresher interface{ refresh() tea.Cmd }
