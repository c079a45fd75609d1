package lore

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// query is the input of an activation at the end of a history.
type query struct {
	key     string // of the stage
	chat    storage.ChatID
	books   []activeBook
	history []storage.Node // older to newer, to the message that it is asked at
	more    bool
	input   activation.Input
	rolls   storage.NodeID // the place that chance is drawn for
	snap    *prompt.Snapshot
	moment  chats.Viewpoint
	ended   *scenes.EndIndex // facts of its entries that have ended
	dedup   *deduplicator    // facts that the rest of the prompt states; nil without one
	dry     bool
}

// historyBeforeReply returns the history up to the message that a trailing reply answers: the
// newest message before it that is shown or took part in an activation.
func historyBeforeReply(tx *storage.Tx, chat storage.ChatID, history []storage.Node) []storage.Node {
	i := len(history) - 1
	for i >= 0 && !InPrompt(&history[i]) {
		i--
	}
	if i < 0 || history[i].Role == storage.User {
		return history // it is not answered
	}
	for i--; i > 0 && !InPrompt(&history[i]) && !storage.LoreTurns.Has(tx, chat, history[i].ID); i-- {
	}
	return history[:i+1]
}

// InPrompt reports whether a message is part of prompts.
func InPrompt(n *storage.Node) bool {
	return !n.Deleted && n.Content != "" && n.Role.InPrompt()
}

// message returns the message whose reply is asked for; its id is "" if it is not stored.
func (a *query) message() storage.Node {
	if len(a.history) == 0 {
		return storage.Node{}
	}
	return a.history[len(a.history)-1]
}

// PromptLore is the result of an activation, ready for a prompt.
type PromptLore struct {
	result   activation.Result
	standing []storedStanding
	items    []prompt.LoreItem
	hashes   map[storage.EntryID]string // of the contents of what triggered
	whole    map[string]string          // full texts of items of which the speaker gets only a part
	leftOut  []prompt.Part
	at       storage.NodeID // the message that it was asked at
	anchor   storage.NodeID // new entries are put before this message
	removed  []string       // ids of what is no longer in the history
	books    int
}

// storedStanding is an entry that triggered before and is still in the history.
type storedStanding struct {
	storage.TriggeredEntry
	at storage.NodeID
	// here reports that it triggered at the same message before: for another reply, or for the one
	// that the request continues.
	here bool
}

// readQuery reads everything that an activation needs. The history is the snapshot's; if the
// request follows an answered turn, it ends at the message that this turn answered, so that the
// same entries trigger.
func (svc *Service) readQuery(tx *storage.Tx, s *prompt.Snapshot, m chats.Viewpoint) (query, error) {
	a := query{key: m.Key(), chat: s.Chat, snap: s, moment: m, history: s.History, more: s.More}
	if m.FollowsReply {
		a.history = historyBeforeReply(tx, s.Chat, a.history)
	}
	var err error
	at := a.message()
	leaf := StoredLeaf(tx, s.Chat, a.history)
	if a.books, err = svc.BooksAt(tx, s.Chat, leaf); err != nil || len(a.books) == 0 {
		return a, err
	}
	if m.Chat.ID == s.Chat {
		a.ended = scenes.EndIndexAt(tx, m.Chat, leaf, m.MayKnow)
	}
	card := &s.Card
	a.rolls = rollPlace(&at)
	a.input = activation.Input{Length: at.Depth + 1, Trigger: s.Mode.String(), Character: card.Name,
		Tags: card.Tags, Context: s.Limits.Context,
		Count: s.Count, Expand: loreExpand(s),
		Fields: activation.Fields{Persona: s.Persona.Description, Description: card.Description,
			Personality: card.Personality,
			DepthPrompt: card.DepthPrompt, Scenario: card.Scenario, CreatorNotes: card.CreatorNotes}}
	if a.input.Effects, err = effectsBefore(tx, s.Chat, at); err != nil {
		return a, err
	}
	a.input.Greeting = greetingOf(tx, s.Chat, a.history, a.more)
	return a, nil
}

// StoredLeaf returns the newest message of a history that is stored.
func StoredLeaf(tx *storage.Tx, chat storage.ChatID, history []storage.Node) storage.NodeID {
	for _, n := range slices.Backward(history) {
		if _, err := tx.NodeInfo(chat, n.ID); err == nil {
			return n.ID
		}
	}
	return ""
}

// rollPlace returns the node for which chance is drawn: the one before the user's message, so that
// the preview while typing matches the result.
func rollPlace(at *storage.Node) storage.NodeID {
	if at.Role == storage.User {
		return at.Parent
	}
	return at.ID
}

// effectsBefore returns the timed effects in force above a message: the effects of the nearest turn
// on the path that has a lorebook record.
func effectsBefore(tx *storage.Tx, chat storage.ChatID, at storage.Node) ([]storage.LoreEffect, error) {
	if !storage.LoreTurns.Any(tx, chat) {
		return nil, nil
	}
	looked := 0
	for p := range tx.PathInfos(chat, at.Parent) {
		if looked++; looked > maxScanned {
			break
		}
		if storage.LoreTurns.Has(tx, chat, p.ID) {
			t, err := storage.LoreTurns.Get(tx, chat, p.ID)
			return t.Effects, err
		}
	}
	return nil, nil
}

// greetingOf returns the index of the greeting that begins a chat; 0 if its beginning is not in the
// history.
func greetingOf(tx *storage.Tx, chat storage.ChatID, history []storage.Node, more bool) int {
	if more || len(history) == 0 {
		return 0
	}
	roots, err := tx.Children(chat, "")
	if err != nil {
		return 0
	}
	return max(0, slices.Index(roots, history[0].ID))
}

// standingIn returns the entries that triggered in a history, up to the message until, and are
// still in it. gone are the ids that an earlier activation for until has removed.
func standingIn(tx *storage.Tx, chat storage.ChatID, history []storage.Node,
	until storage.NodeID) (out []storedStanding, gone []string, err error) {
	if !storage.LoreTurns.Any(tx, chat) {
		return nil, nil, nil
	}
	user := storage.NodeID("") // an entry that triggers at a reply is put before the message that it answers
	for i := range history {
		n, at := &history[i], user
		if user == "" || n.Role == storage.User {
			at = n.ID
		}
		if n.Role == storage.User && InPrompt(n) {
			user = n.ID
		}
		if !storage.LoreTurns.Has(tx, chat, n.ID) {
			continue
		}
		t, err := storage.LoreTurns.Get(tx, chat, n.ID)
		if err != nil {
			return nil, nil, err
		}
		out = slices.DeleteFunc(out, func(s storedStanding) bool {
			return slices.Contains(t.Gone, stayID(s.TriggeredEntry))
		})
		for _, f := range t.Triggered {
			if f.Text == "" {
				continue
			}
			// An entry that has moved counts at its new place.
			out = slices.DeleteFunc(out, func(s storedStanding) bool { return stayID(s.TriggeredEntry) == stayID(f) })
			out = append(out, storedStanding{TriggeredEntry: f, at: at, here: n.ID == until})
		}
		if n.ID == until {
			gone = t.Gone
		}
	}
	return out, gone, nil
}

// trigger runs the activation and places the entries that triggered.
func (svc *Service) trigger(tx *storage.Tx, a query) (PromptLore, error) {
	f := PromptLore{at: a.message().ID, anchor: chats.AnchorOf(a.history), books: len(a.books)}
	if len(a.books) == 0 {
		return f, nil
	}
	stage := svc.indexes.get(a.key)
	stage.mu.Lock()
	defer stage.mu.Unlock()
	stage.set(a.books, svc.loreSettings())
	var err error
	if a.input.Messages, err = svc.scanMessages(tx, a, stage.deepest); err != nil {
		return f, err
	}
	if a.snap != nil {
		if f.standing, f.removed, err = standingIn(tx, a.chat, a.history, f.at); err != nil {
			return f, err
		}
	}
	a.input.DryRun, a.input.Random = a.dry, randomFor(a.chat, a.rolls)
	f.result = stage.scan.Activate(a.input)
	if a.snap != nil {
		a.dedup = newDeduplicator(a.snap)
		f.place(tx, a, stage, svc.lorePlacement())
	}
	return f, nil
}

// scanMessages returns the messages to scan, newest first: the messages of the history, and older
// ones if an entry needs more.
func (svc *Service) scanMessages(tx *storage.Tx, a query, deepest int) ([]activation.Message, error) {
	var out []activation.Message
	take := func(n *storage.Node) {
		if n.Deleted || n.Content == "" || !n.Role.InPrompt() {
			return
		}
		name := n.Name
		if name == "" && a.snap != nil {
			if name = a.snap.Card.CharName(); n.Role == storage.User {
				name = a.snap.Persona.Name
			}
		}
		out = append(out, activation.Message{ID: n.ID, Name: name, Text: n.Content})
	}
	for i := len(a.history) - 1; i >= 0 && len(out) < deepest; i-- {
		take(&a.history[i])
	}
	for first := a.history; a.more && len(out) < deepest && len(first) > 0; {
		page, err := tx.PathBefore(a.chat, first[0].ID, deepest)
		if err != nil || len(page) == 0 {
			return out, err
		}
		a.moment.FilterHistory(page)
		for i := len(page) - 1; i >= 0 && len(out) < deepest; i-- {
			take(&page[i])
		}
		first = page
	}
	return out, nil
}

// ForPrompt returns the lorebooks' part of a snapshot's prompt.
func (svc *Service) ForPrompt(tx *storage.Tx, s *prompt.Snapshot, m chats.Viewpoint) (PromptLore, error) {
	a, err := svc.readQuery(tx, s, m)
	if err != nil {
		return PromptLore{}, err
	}
	f, err := svc.trigger(tx, a)
	s.Lore, s.LoreOut = f.items, f.leftOut
	return f, err
}
