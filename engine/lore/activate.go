package lore

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// loreAsk is what the lorebooks are asked for: what fires at the end of a
// history.
type loreAsk struct {
	key     string // of the stage
	chat    storage.ChatID
	books   []loreBook
	history []storage.Node // older to newer, to the message that it is asked at
	more    bool
	input   activation.Input
	rolls   storage.NodeID // the place that chance is drawn for
	snap    *script.Snapshot
	moment  chats.Moment
	over    *scenes.Over // what has ended of what it would tell
	once    *once        // what the rest of the prompt tells of it; nil where there is none
	dry     bool
}

// askedAt is a history up to where the turn was asked whose reply ends it: to the
// newest message before that reply that was said, or that lorebooks had a part in.
func askedAt(tx *storage.Tx, chat storage.ChatID, history []storage.Node) []storage.Node {
	i := len(history) - 1
	for i >= 0 && !Said(&history[i]) {
		i--
	}
	if i < 0 || history[i].Role == storage.User {
		return history // it is not answered
	}
	for i--; i > 0 && !Said(&history[i]) && !storage.LoreTurns.Has(tx, chat, history[i].ID); i-- {
	}
	return history[:i+1]
}

// Said reports whether a message is one that a model is shown.
func Said(n *storage.Node) bool {
	return !n.Deleted && n.Content != "" && n.Role.InPrompt()
}

// at is the message that is asked about, its id "" for one that is not stored.
func (a *loreAsk) at() storage.Node {
	if len(a.history) == 0 {
		return storage.Node{}
	}
	return a.history[len(a.history)-1]
}

// FiredLore is what an activation came to, ready for a prompt.
type FiredLore struct {
	result activation.Result
	stays  []storedStay
	items  []script.LoreItem
	hashes map[storage.EntryID]string // of the contents of what fired
	whole  map[string]string          // texts of items of which the speaker is told a part
	out    []script.Part
	at     storage.NodeID // the message that it was asked at
	anchor storage.NodeID // and the one before which what is new stands
	gone   []string       // what stands nowhere any more
	books  int
}

// storedStay is an entry that fired before and stands in the history.
type storedStay struct {
	storage.LoreFired
	at storage.NodeID
	// here tells that it has come up where it is asked now: by another reply, or by
	// the one that a request follows.
	here bool
}

// askLore reads what an activation needs. The history is that of the snapshot; where the request follows an answered turn it
// ends where that was asked, so that the answer's request finds what the turn's found.
func (svc *Service) askLore(tx *storage.Tx, s *script.Snapshot, m chats.Moment) (loreAsk, error) {
	a := loreAsk{key: m.Key(), chat: s.Chat, snap: s, moment: m, history: s.History, more: s.More}
	if m.FollowsReply {
		a.history = askedAt(tx, s.Chat, a.history)
	}
	var err error
	at := a.at()
	leaf := StoredLeaf(tx, s.Chat, a.history)
	if a.books, err = svc.BooksAt(tx, s.Chat, leaf); err != nil || len(a.books) == 0 {
		return a, err
	}
	if m.Chat.ID == s.Chat {
		a.over = scenes.OverAt(tx, m.Chat, leaf, m.May)
	}
	card := &s.Card
	a.rolls = rollPlace(&at)
	a.input = activation.Input{Length: at.Depth + 1, Trigger: s.Mode.String(), Character: card.Name, Tags: card.Tags, Context: s.Limits.Context,
		Count: s.Count, Expand: loreExpand(s),
		Fields: activation.Fields{Persona: s.Persona.Description, Description: card.Description, Personality: card.Personality,
			DepthPrompt: card.DepthPrompt, Scenario: card.Scenario, CreatorNotes: card.CreatorNotes}}
	if a.input.Effects, err = effectsBefore(tx, s.Chat, at); err != nil {
		return a, err
	}
	a.input.Greeting = greetingOf(tx, s.Chat, a.history, a.more)
	return a, nil
}

// StoredLeaf is the newest message of a history that the store knows.
func StoredLeaf(tx *storage.Tx, chat storage.ChatID, history []storage.Node) storage.NodeID {
	for _, n := range slices.Backward(history) {
		if _, err := tx.Place(chat, n.ID); err == nil {
			return n.ID
		}
	}
	return ""
}

// rollPlace is the place that chance is drawn for: that before the message of
// the user's, so that what is shown while it is being written is what comes.
func rollPlace(at *storage.Node) storage.NodeID {
	if at.Role == storage.User {
		return at.Parent
	}
	return at.ID
}

// effectsBefore are the timed effects in force above a message: those of the
// nearest turn on the path that lorebooks had a part in.
func effectsBefore(tx *storage.Tx, chat storage.ChatID, at storage.Node) ([]storage.LoreEffect, error) {
	if !storage.LoreTurns.Any(tx, chat) {
		return nil, nil
	}
	looked := 0
	for p := range tx.Spine(chat, at.Parent) {
		if looked++; looked > mostScanned {
			break
		}
		if storage.LoreTurns.Has(tx, chat, p.ID) {
			t, err := storage.LoreTurns.Get(tx, chat, p.ID)
			return t.Effects, err
		}
	}
	return nil, nil
}

// greetingOf tells which greeting a chat began with; 0 where its beginning is
// not at hand.
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

// staysIn are the entries that stand in a history since they fired, up to the
// message at which lorebooks are asked now, and what no longer stands anywhere
// since another reply to that.
func staysIn(tx *storage.Tx, chat storage.ChatID, history []storage.Node, until storage.NodeID) (out []storedStay, gone []string, err error) {
	if !storage.LoreTurns.Any(tx, chat) {
		return nil, nil, nil
	}
	user := storage.NodeID("") // what comes up at a reply stands before what that answers
	for i := range history {
		n, at := &history[i], user
		if user == "" || n.Role == storage.User {
			at = n.ID
		}
		if n.Role == storage.User && Said(n) {
			user = n.ID
		}
		if !storage.LoreTurns.Has(tx, chat, n.ID) {
			continue
		}
		t, err := storage.LoreTurns.Get(tx, chat, n.ID)
		if err != nil {
			return nil, nil, err
		}
		out = slices.DeleteFunc(out, func(s storedStay) bool { return slices.Contains(t.Gone, stayID(s.LoreFired)) })
		for _, f := range t.Fired {
			if f.Text == "" {
				continue
			}
			// What has moved stands where it moved to.
			out = slices.DeleteFunc(out, func(s storedStay) bool { return stayID(s.LoreFired) == stayID(f) })
			out = append(out, storedStay{LoreFired: f, at: at, here: n.ID == until})
		}
		if n.ID == until {
			gone = t.Gone
		}
	}
	return out, gone, nil
}

// fire activates and puts what fired in its places.
func (svc *Service) fire(tx *storage.Tx, a loreAsk) (FiredLore, error) {
	f := FiredLore{at: a.at().ID, anchor: chats.AnchorOf(a.history), books: len(a.books)}
	if len(a.books) == 0 {
		return f, nil
	}
	stage := svc.stages.get(a.key)
	stage.mu.Lock()
	defer stage.mu.Unlock()
	stage.set(a.books, svc.loreSettings())
	var err error
	if a.input.Messages, err = svc.scanned(tx, a, stage.deepest); err != nil {
		return f, err
	}
	if a.snap != nil {
		if f.stays, f.gone, err = staysIn(tx, a.chat, a.history, f.at); err != nil {
			return f, err
		}
	}
	a.input.DryRun, a.input.Random = a.dry, chance(a.chat, a.rolls)
	f.result = stage.scan.Activate(a.input)
	if a.snap != nil {
		a.once = newOnce(a.snap)
		f.place(tx, a, stage, svc.lorePlacement())
	}
	return f, nil
}

// scanned are the messages to scan, newest first: those of the history, and
// older ones where some entry wants more.
func (svc *Service) scanned(tx *storage.Tx, a loreAsk, deepest int) ([]activation.Message, error) {
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

// ForPrompt is what the lorebooks put into the prompt of a snapshot.
func (svc *Service) ForPrompt(tx *storage.Tx, s *script.Snapshot, m chats.Moment) (FiredLore, error) {
	a, err := svc.askLore(tx, s, m)
	if err != nil {
		return FiredLore{}, err
	}
	f, err := svc.fire(tx, a)
	s.Lore, s.LoreOut = f.items, f.out
	return f, err
}
