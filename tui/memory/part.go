// Package memory is the memory part of the screen: the pane with facts by subject, memories, hooks
// and threads, and who knows them; their forms, the sheets with sources, and the dialog that
// answers questions.
package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// Nudger requests a reply with an instruction.
type Nudger interface {
	// Nudge requests the next reply of the open chat with an instruction that is not stored.
	Nudge(text string) tea.Cmd
}

// Books opens the forms of lorebooks.
type Books interface {
	// EditEntry opens the form of an entry. saved is called once it is stored, with words for the
	// user and a function to undo it.
	EditEntry(book storage.LorebookID, entry storage.EntryID,
		saved func(words string, back func() error) tea.Cmd) tea.Cmd
}

// services are the services of other parts that this part uses.
type services struct {
	nudger Nudger
	books  Books
}

// Part is the memory part of the screen.
type Part struct {
	host pane.Host
	services
}

// New creates the part for its host. n is used to bring a hook up now, b to edit a fact of a
// lorebook.
func New(d pane.Host, n Nudger, b Books) *Part { return &Part{d, services{n, b}} }

// Actions implements pane.Part.
func (r *Part) Actions() []keys.Action {
	play := func(name keys.Name, words, key string, do func() tea.Cmd) keys.Action {
		return keys.Action{Name: name, Text: words, Group: keys.PlayGroup, Modes: keys.Any,
			Keys: []string{key}, Do: do}
	}
	all := []keys.Action{
		play(keys.PaneMemory, "memories, hooks and threads", "alt+m",
			func() tea.Cmd { return r.toggle(memoriesView, threadsView) }),
		play(keys.PaneKnowledge, "facts", "alt+f", func() tea.Cmd { return r.toggle(factsView, factsView) }),
		{Name: keys.AskPlay, Text: "ask about the story, out of character", Group: keys.PlayGroup, Modes: keys.Any,
			Do: r.openQuestion},
		{Name: keys.Correct, Text: "fix a fact everywhere", Group: keys.MessageGroup, Modes: keys.Browse,
			Unavailable: pane.NeedsMessage(r.host),
			Do:          pane.OfSelected(r.host, func(m chats.Message) tea.Cmd { return correctMessage(r.host, m) })},
	}
	return pane.Unless(all, pane.NeedsChat(r.host), keys.AskPlay)
}

// Panes implements pane.PaneOwner.
func (r *Part) Panes() []pane.PaneActions {
	return []pane.PaneActions{{Name: paneName, System: keys.SystemKnowledge,
		Actions: newPane(r.host, r.services).Actions()}}
}

// toggle opens the pane at the first of some of its views, or closes it if one of them is shown.
func (r *Part) toggle(from, to int) tea.Cmd {
	p, ok := r.host.Panes().Current().(*memoryPane)
	switch {
	case !ok:
		p = newPane(r.host, r.services)
		p.at = from
		return r.host.Panes().Show(keys.PaneKnowledge, p)
	case p.at >= from && p.at <= to:
		return r.host.Run(keys.PaneClose)
	}
	r.host.Panes().Focus()
	return p.show(from)
}

// OpenRecord opens the pane at a record, by its id or key.
func (r *Part) OpenRecord(of memory.HitKind, record string) tea.Cmd {
	at := map[memory.HitKind]int{memory.MemoryHit: memoriesView, memory.HookHit: hooksView,
		memory.ThreadHit: threadsView}[of]
	p, open := r.host.Panes().Current().(*memoryPane)
	if !open {
		p = newPane(r.host, r.services)
	}
	if p.as.Character != "" { // it may be another character's knowledge
		p.as, p.shown = chats.CastView{}, [len(tabNames)]bool{}
	}
	p.at = at
	cmd := r.host.Panes().Show(keys.PaneKnowledge, p)
	return tea.Batch(cmd, p.list().Reveal(record))
}

// Event implements pane.Listener: it passes events to the pane.
func (r *Part) Event(ev event.Event) tea.Cmd {
	if p, ok := r.host.Panes().Current().(*memoryPane); ok {
		return p.event(ev)
	}
	return nil
}
