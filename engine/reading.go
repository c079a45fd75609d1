package engine

import (
	"fmt"
	"slices"
	"strings"

	"ghostlight/storage"
)

// View reads a chat with its newest messages, all for 0. A reply that is being
// written is among them, as far as it has come: a View is never behind an event
// that was told of before it returns.
func (e *Engine) View(id storage.ChatID, last int) (View, error) {
	for {
		before := e.broker.moved(id)
		v, err := e.view(id, last)
		if err != nil {
			return View{}, fail("read chat", err)
		}
		if e.broker.moved(id) == before {
			return v, nil
		}
	}
}

func (e *Engine) view(id storage.ChatID, last int) (v View, err error) {
	live, growing, _ := e.unsaved(id)
	stored := false
	err = e.store.View(func(tx *storage.Tx) (err error) {
		if v.Chat, err = storage.Chats.Get(tx, id); err != nil {
			return err
		}
		v.Character, v.Persona = e.cast(tx, v.Chat)
		if v.Draft, err = tx.Text("draft", string(id)); err != nil {
			return err
		}
		leaf := v.Chat.Head
		if stored = has(tx, id, live.ID); growing && !stored {
			leaf = below(tx, v.Chat, live.Parent) // where it will stand
		}
		nodes, err := tx.Path(id, leaf, last)
		if err != nil {
			return err
		}
		v.More = len(nodes) > 0 && len(nodes) == last && nodes[0].Parent != ""
		v.Messages, err = messagesOf(tx, nodes)
		return err
	})
	if err != nil {
		return v, err
	}
	v.Model = e.modelOf(v.Chat)
	if live, still, running := e.unsaved(id); growing && still {
		if v.putLive(live, stored, last); running {
			v.Running = live.ID
		}
	}
	if n := len(v.Messages); n > 0 {
		v.Total = v.Messages[n-1].Depth + 1
	}
	return v, nil
}

// unsaved is the reply in a chat of which the store does not have all, if there
// is one: it is being written, or could not be stored in the end.
func (e *Engine) unsaved(chat storage.ChatID) (m Message, ok, running bool) {
	e.mu.Lock()
	t, running := e.turns[chat]
	if !running {
		t = e.ended[chat]
	}
	e.mu.Unlock()
	if t == nil {
		return m, false, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.msg, t.started && (running || t.owed != nil), running
}

func has(tx *storage.Tx, chat storage.ChatID, id storage.NodeID) bool {
	_, err := tx.Node(chat, id)
	return err == nil
}

// putLive puts a reply into a view as far as it has come: in its place, or at
// the end when the view was read before it was stored.
func (v *View) putLive(m Message, stored bool, last int) {
	for i := range v.Messages {
		if old := &v.Messages[i]; old.ID == m.ID {
			old.Content, old.Thinking, old.State, old.Fault = m.Content, m.Thinking, m.State, m.Fault
			return
		}
	}
	if stored {
		return // above the oldest message here
	}
	if n := len(v.Messages); n > 0 { // pictures may have come between
		m.Parent, m.Depth = v.Messages[n-1].ID, v.Messages[n-1].Depth+1
	}
	v.Messages = append(v.Messages, m)
	if last > 0 && len(v.Messages) > last {
		v.Messages, v.More = v.Messages[1:], true
	}
}

// cast is who plays in a chat. Somebody who was deleted is left empty.
func (e *Engine) cast(tx *storage.Tx, c storage.Chat) (storage.Character, storage.Persona) {
	who, err := storage.Characters.Get(tx, c.Character)
	if err != nil {
		who = storage.Character{}
	}
	p, err := storage.Personas.Get(tx, c.Persona)
	if err != nil {
		p = defaultPersona(tx)
	}
	return who, p
}

func defaultPersona(tx *storage.Tx) storage.Persona {
	for _, p := range storage.Personas.All(tx) {
		if p.Default {
			return p
		}
	}
	return storage.Persona{}
}

func messagesOf(tx *storage.Tx, nodes []storage.Node) ([]Message, error) {
	out := make([]Message, 0, len(nodes))
	for _, n := range nodes {
		m, err := messageOf(tx, n)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

func messageOf(tx *storage.Tx, n storage.Node) (Message, error) {
	ids, at, err := tx.Siblings(n.Chat, n.ID)
	if err != nil {
		return Message{}, err
	}
	m := Message{Node: n, Siblings: max(1, len(ids)), At: at}
	if n.Capture != "" {
		if c, err := storage.Captures.Get(tx, n.Capture); err == nil {
			m.Picture = &c
		}
	}
	return m, nil
}

// Before reads up to n messages of the path that ends just before a node.
func (e *Engine) Before(chat storage.ChatID, node storage.NodeID, n int) (msgs []Message, more bool, err error) {
	err = e.store.View(func(tx *storage.Tx) error {
		nodes, err := tx.PathBefore(chat, node, n)
		if err != nil {
			return err
		}
		more = len(nodes) == n && nodes[0].Parent != ""
		msgs, err = messagesOf(tx, nodes)
		return err
	})
	if err != nil {
		return nil, false, fail("read older messages", err)
	}
	return msgs, more, nil
}

// Path reads the head's path, the newest last messages of it, all for 0.
func (e *Engine) Path(chat storage.ChatID, last int) (c storage.Chat, msgs []Message, err error) {
	err = e.store.View(func(tx *storage.Tx) error {
		if c, err = storage.Chats.Get(tx, chat); err != nil {
			return err
		}
		nodes, err := tx.Path(chat, c.Head, last)
		if err != nil {
			return err
		}
		msgs, err = messagesOf(tx, nodes)
		return err
	})
	if err != nil {
		err = fail("read chat", err)
	}
	return c, msgs, err
}

// Tree reads every message of a chat on all its branches, in the order in which
// they were made; deleted ones are left out.
func (e *Engine) Tree(chat storage.ChatID) (c storage.Chat, msgs []Message, err error) {
	err = e.store.View(func(tx *storage.Tx) error {
		if c, err = storage.Chats.Get(tx, chat); err != nil {
			return err
		}
		var nodes []storage.Node
		for _, n := range tx.Nodes(chat) {
			if !n.Deleted {
				nodes = append(nodes, n)
			}
		}
		msgs, err = messagesOf(tx, nodes)
		return err
	})
	if err != nil {
		err = fail("read chat", err)
	}
	return c, msgs, err
}

// Chats lists the chats, the newest activity first.
func (e *Engine) Chats() ([]ChatInfo, error) {
	var out []ChatInfo
	err := e.store.View(func(tx *storage.Tx) error {
		names := map[storage.CharacterID]string{}
		for id, c := range storage.Characters.All(tx) {
			names[id] = c.Card.Name
		}
		for id, c := range storage.Chats.All(tx) {
			info := ChatInfo{Chat: c, CharacterName: names[c.Character]}
			if head, err := tx.Path(id, c.Head, 1); err == nil && len(head) > 0 {
				info.Messages, info.Preview = head[0].Depth+1, firstRunes(head[0].Content, 120)
			}
			out = append(out, info)
		}
		return nil
	})
	if err != nil {
		return nil, fail("list chats", err)
	}
	slices.SortStableFunc(out, func(a, b ChatInfo) int { return b.UpdatedAt.Compare(a.UpdatedAt) })
	return out, nil
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// LastChat is the chat to open at the start: the one that was open last, or the
// newest. There may be none.
func (e *Engine) LastChat() (id storage.ChatID, ok bool, err error) {
	err = e.store.View(func(tx *storage.Tx) error {
		var last storage.ChatID
		if _, err := tx.Setting(settingChat, &last); err != nil {
			return err
		}
		if last != "" {
			if _, err := storage.Chats.Get(tx, last); err == nil {
				id, ok = last, true
				return nil
			}
		}
		for k := range storage.Chats.Backward(tx) {
			id, ok = k, true
			break
		}
		return nil
	})
	if err != nil {
		err = fail("last chat", err)
	}
	return id, ok, err
}

// named is one of the things that a user may name in a command.
type named struct {
	id, name string
	short    string // another name, "" for none
}

// resolve finds what ref means: an id, a name (in any case), or the beginning
// of an id.
func resolve(kind, ref string, all []named) (string, error) {
	var byName, byPrefix []named
	for _, n := range all {
		switch {
		case strings.EqualFold(n.id, ref):
			return n.id, nil
		case ref != "" && strings.EqualFold(n.name, ref), n.short != "" && strings.EqualFold(n.short, ref):
			byName = append(byName, n)
		case ref != "" && len(ref) <= len(n.id) && strings.EqualFold(n.id[:len(ref)], ref):
			byPrefix = append(byPrefix, n)
		}
	}
	hits := byName
	if len(hits) == 0 {
		hits = byPrefix
	}
	switch len(hits) {
	case 1:
		return hits[0].id, nil
	case 0:
		return "", &missing{kind, ref}
	}
	var list []string
	for _, h := range hits[:min(5, len(hits))] {
		list = append(list, fmt.Sprintf("%s (%s)", h.id, h.name))
	}
	return "", &ambiguous{kind, ref, list}
}

// find resolves a reference among the records of a table.
func find[K ~string, V any](e *Engine, kind, ref string, t storage.Table[K, V], name func(V) (name, short string)) (V, error) {
	var v V
	err := e.store.View(func(tx *storage.Tx) error {
		var all []named
		for id, r := range t.All(tx) {
			long, short := name(r)
			all = append(all, named{string(id), long, short})
		}
		id, err := resolve(kind, ref, all)
		if err != nil {
			return err
		}
		v, err = t.Get(tx, K(id))
		return err
	})
	return v, err
}

// FindChat finds a chat by its id, a unique prefix of it, or its title.
func (e *Engine) FindChat(ref string) (storage.Chat, error) {
	return find(e, "chat", ref, storage.Chats, func(c storage.Chat) (string, string) { return c.Title, "" })
}

// FindCharacter finds a character by its id, a unique prefix of it, its name or
// its nickname.
func (e *Engine) FindCharacter(ref string) (storage.Character, error) {
	return find(e, "character", ref, storage.Characters, func(c storage.Character) (string, string) { return c.Card.Name, c.Card.Nickname })
}

// FindPersona finds a persona by its id, a unique prefix of it, or its name.
func (e *Engine) FindPersona(ref string) (storage.Persona, error) {
	return find(e, "persona", ref, storage.Personas, func(p storage.Persona) (string, string) { return p.Name, "" })
}

// FindCapture finds a capture by its id or a unique prefix of it.
func (e *Engine) FindCapture(ref string) (storage.Capture, error) {
	return find(e, "capture", ref, storage.Captures, func(c storage.Capture) (string, string) { return string(c.ID), "" })
}

// FindOperation finds an operation by its id or a unique prefix of it.
func (e *Engine) FindOperation(ref string) (storage.Operation, error) {
	return find(e, "operation", ref, storage.Operations, func(o storage.Operation) (string, string) { return string(o.ID), "" })
}

// all reads a whole table.
func all[K ~string, V any](e *Engine, what string, t storage.Table[K, V]) ([]V, error) {
	out := []V{}
	err := e.store.View(func(tx *storage.Tx) error {
		for _, v := range t.All(tx) {
			out = append(out, v)
		}
		return nil
	})
	if err != nil {
		return nil, fail("list "+what, err)
	}
	return out, nil
}

// Characters lists the characters by name.
func (e *Engine) Characters() ([]storage.Character, error) {
	out, err := all(e, "characters", storage.Characters)
	slices.SortStableFunc(out, func(a, b storage.Character) int {
		return strings.Compare(strings.ToLower(a.Card.Name), strings.ToLower(b.Card.Name))
	})
	return out, err
}

// Personas lists the personas, the default one first.
func (e *Engine) Personas() ([]storage.Persona, error) {
	out, err := all(e, "personas", storage.Personas)
	slices.SortStableFunc(out, func(a, b storage.Persona) int {
		if a.Default != b.Default {
			if a.Default {
				return -1
			}
			return 1
		}
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return out, err
}

// SentHistory is what the user sent in a chat, oldest first.
func (e *Engine) SentHistory(chat storage.ChatID) ([]string, error) {
	var sent []string
	err := e.store.View(func(tx *storage.Tx) error { _, err := tx.Setting(sentKey(chat), &sent); return err })
	if err != nil {
		return nil, fail("sent history", err)
	}
	return sent, nil
}

func sentKey(chat storage.ChatID) string { return "sent/" + string(chat) }

// Hit is a message that holds what was searched.
type Hit struct {
	Chat    storage.ChatID `json:"chat"`
	Title   string         `json:"title"`
	Node    storage.NodeID `json:"message"`
	Name    string         `json:"name"`
	Snippet string         `json:"snippet"`
}

// Search finds messages that hold a text, whatever its case, on all branches;
// the newest of each chat first, at most limit (0: all). An empty chat searches
// them all.
func (e *Engine) Search(chat storage.ChatID, text string, limit int) ([]Hit, error) {
	hits := []Hit{}
	want := strings.ToLower(text)
	if want == "" {
		return hits, nil
	}
	err := e.store.View(func(tx *storage.Tx) error {
		for id, c := range storage.Chats.Backward(tx) {
			if chat != "" && id != chat {
				continue
			}
			var found []Hit
			for _, n := range tx.Nodes(id) {
				if at := strings.Index(strings.ToLower(n.Content), want); at >= 0 && !n.Deleted {
					found = append(found, Hit{id, c.Title, n.ID, n.Name, snippet(n.Content, at, len(text))})
				}
			}
			slices.Reverse(found)
			if hits = append(hits, found...); limit > 0 && len(hits) >= limit {
				hits = hits[:limit]
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, fail("search", err)
	}
	return hits, nil
}

func snippet(s string, at, n int) string {
	from, to := max(0, min(at, len(s))-40), min(len(s), at+n+60)
	return strings.ToValidUTF8(strings.ReplaceAll(s[from:to], "\n", " "), "")
}
