// Package memory is the room of what the play knows: its pane of facts by subject, of
// memories, hooks and threads, and of who knows them; their forms, the sheets that show
// where something was told, and the dialog in which the play is asked.
package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// Nudger asks for a reply with an instruction of its own.
type Nudger interface {
	// Nudge asks for the next reply of the open chat with an instruction that is kept
	// nowhere.
	Nudge(text string) tea.Cmd
}

// Books has the forms of lorebooks.
type Books interface {
	// EditEntry opens the form of an entry. saved is told once it is stored, with words
	// about it and what takes that back.
	EditEntry(book storage.LorebookID, entry storage.EntryID, saved func(words string, back func() error) tea.Cmd) tea.Cmd
}

// near is what the room needs of others.
type near struct {
	nudger Nudger
	books  Books
}

// Room is the room of what the play knows.
type Room struct {
	desk desk.Desk
	near
}

// New makes the room on its desk; n is asked where a hook is to be brought up now, b
// where a fact of a lorebook is edited.
func New(d desk.Desk, n Nudger, b Books) *Room { return &Room{d, near{n, b}} }

// Actions implements desk.Room.
func (r *Room) Actions() []keys.Action {
	play := func(name keys.Name, words, key string, do func() tea.Cmd) keys.Action {
		return keys.Action{Name: name, Words: words, Group: keys.PlayGroup, Modes: keys.Any, Keys: []string{key}, Do: do}
	}
	all := []keys.Action{
		play(keys.PaneMemory, "memories, hooks and threads", "alt+m", func() tea.Cmd { return r.toggle(memoriesView, threadsView) }),
		play(keys.PaneKnowledge, "facts", "alt+f", func() tea.Cmd { return r.toggle(factsView, factsView) }),
		{Name: keys.AskPlay, Words: "ask about the story, out of character", Group: keys.PlayGroup, Modes: keys.Any, Do: r.openQuestion},
		{Name: keys.Correct, Words: "fix a fact everywhere", Group: keys.MessageGroup, Modes: keys.Browse,
			When: desk.NeedsMessage(r.desk),
			Do:   desk.OfSelected(r.desk, func(m chats.Message) tea.Cmd { return correctMessage(r.desk, m) })},
	}
	return desk.Unless(all, desk.NeedsChat(r.desk), keys.AskPlay)
}

// Panes implements desk.Paned.
func (r *Room) Panes() []desk.PaneActions {
	return []desk.PaneActions{{Name: paneName, System: keys.SystemKnowledge, Actions: newPane(r.desk, r.near).Actions()}}
}

// toggle opens the pane at the first of some of its views, or closes it where one of
// them is shown.
func (r *Room) toggle(from, to int) tea.Cmd {
	p, ok := r.desk.Panes().Current().(*pane)
	switch {
	case !ok:
		p = newPane(r.desk, r.near)
		p.at = from
		return r.desk.Panes().Show(keys.PaneKnowledge, p)
	case p.at >= from && p.at <= to:
		return r.desk.Run(keys.PaneClose)
	}
	r.desk.Panes().Focus()
	return p.show(from)
}

// OpenRecord opens the pane at something that is remembered, by its id or key.
func (r *Room) OpenRecord(of memory.Sort, record string) tea.Cmd {
	at := map[memory.Sort]int{memory.OfMemory: memoriesView, memory.OfHook: hooksView, memory.OfThread: threadsView}[of]
	p, open := r.desk.Panes().Current().(*pane)
	if !open {
		p = newPane(r.desk, r.near)
	}
	if p.as.Character != "" { // it may be what others know
		p.as, p.shown = chats.CastView{}, [len(tabNames)]bool{}
	}
	p.at = at
	cmd := r.desk.Panes().Show(keys.PaneKnowledge, p)
	return tea.Batch(cmd, p.list().Reveal(record))
}

// Event implements desk.Listener: the pane follows what happens to what it shows.
func (r *Room) Event(ev event.Event) tea.Cmd {
	if p, ok := r.desk.Panes().Current().(*pane); ok {
		return p.event(ev)
	}
	return nil
}
