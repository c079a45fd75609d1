package engine

import (
	"errors"
	"fmt"
	"strings"

	"ghostlight/engine/script"
	"ghostlight/prompts"
	"ghostlight/storage"
)

// sentKept is how many sent texts a chat remembers for the composer.
const sentKept = 200

// change rewrites a chat's record and tells of it.
func (e *Engine) change(id storage.ChatID, f func(*storage.Chat)) error {
	err := e.store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, id)
		if err != nil {
			return err
		}
		f(&c)
		return storage.Chats.Put(tx, id, c)
	})
	if err != nil {
		return fmt.Errorf("change chat: %w", err)
	}
	e.emit(ChatChanged{id})
	e.emit(ChatsChanged{})
	return nil
}

// NewChat begins a chat with a character: the greeting and its alternates are
// the first message and its swipes. With an empty title the character's name
// serves.
func (e *Engine) NewChat(who storage.CharacterID, title string) (storage.Chat, error) {
	now := e.cfg.Now()
	c := storage.Chat{ID: storage.ChatID(storage.NewID()), Title: strings.TrimSpace(title), Character: who, CreatedAt: now, UpdatedAt: now}
	err := e.store.Update(func(tx *storage.Tx) error {
		ch, err := storage.Characters.Get(tx, who)
		if err != nil {
			return err
		}
		p := defaultPersona(tx)
		c.Persona = p.ID
		if c.Title == "" {
			c.Title = freeTitle(tx, ch.Card.Name)
		}
		if err := storage.Chats.Put(tx, c.ID, c); err != nil {
			return err
		}
		env := envOf(ch.Card, p)
		env.Now, env.Seed = now, string(c.ID)
		for i, g := range append([]string{ch.Card.FirstMessage}, ch.Card.AlternateGreetings...) {
			if strings.TrimSpace(g) == "" {
				continue
			}
			env.Place = fmt.Sprintf("greeting/%d", i)
			text, _ := prompts.Expand(g, env)
			n := storage.Node{Chat: c.ID, Role: storage.Assistant, Name: ch.Card.CharName(), Content: text, State: storage.Complete, CreatedAt: now}
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			if c.Head == "" {
				c.Head = n.ID
			}
		}
		return storage.Chats.Put(tx, c.ID, c)
	})
	if err != nil {
		return storage.Chat{}, fmt.Errorf("new chat: %w", err)
	}
	e.emit(ChatsChanged{})
	return c, nil
}

// freeTitle is a title that no other chat has: the name, or the name and a
// number.
func freeTitle(tx *storage.Tx, name string) string {
	taken := map[string]bool{}
	for _, c := range storage.Chats.All(tx) {
		taken[c.Title] = true
	}
	for n := 2; ; n++ {
		if !taken[name] {
			return name
		}
		if t := fmt.Sprintf("%s (%d)", name, n); !taken[t] {
			return t
		}
	}
}

func envOf(c storage.Card, p storage.Persona) prompts.Env {
	user := p.Name
	if user == "" {
		user = "You"
	}
	return prompts.Env{User: user, Char: c.CharName(), Persona: p.Description, Description: c.Description, Personality: c.Personality,
		Scenario: c.Scenario, Examples: c.MessageExample, CharPrompt: c.SystemPrompt, CharInstruction: c.PostHistoryInstructions,
		CharDepth: c.DepthPrompt, Greetings: append([]string{c.FirstMessage}, c.AlternateGreetings...),
		CharVersion: c.CharacterVersion, CreatorNotes: c.CreatorNotes}
}

// RenameChat gives a chat another title.
func (e *Engine) RenameChat(id storage.ChatID, title string) error {
	if title = strings.TrimSpace(title); title == "" {
		return fmt.Errorf("rename chat: %w: a title is needed", ErrNothing)
	}
	return e.change(id, func(c *storage.Chat) { c.Title = title })
}

// SetPersona chooses who the user plays in a chat.
func (e *Engine) SetPersona(id storage.ChatID, p storage.PersonaID) error {
	return e.change(id, func(c *storage.Chat) { c.Persona = p })
}

// SetAuthorNote sets what stands at the end of every prompt of a chat.
func (e *Engine) SetAuthorNote(id storage.ChatID, text string) error {
	return e.change(id, func(c *storage.Chat) { c.AuthorNote = text })
}

// DeleteChat removes a chat for good, after a backup of the whole store.
func (e *Engine) DeleteChat(id storage.ChatID) error {
	if e.Running(id) {
		return fmt.Errorf("delete chat: %w", ErrTurnRunning)
	}
	if _, err := e.Backup(); err != nil {
		return fmt.Errorf("delete chat: %w", err)
	}
	caps, err := e.Captures(id)
	if err != nil {
		return err
	}
	if err := e.store.Update(func(tx *storage.Tx) error { return tx.DeleteChat(id) }); err != nil {
		return fmt.Errorf("delete chat: %w", err)
	}
	for _, c := range caps {
		e.removeFiles(c)
	}
	e.emit(ChatsChanged{})
	return nil
}

// SaveDraft keeps what the user is writing in a chat.
func (e *Engine) SaveDraft(id storage.ChatID, text string) error {
	err := e.store.Update(func(tx *storage.Tx) error { return tx.PutText("draft", string(id), text) })
	if err != nil {
		return fmt.Errorf("save draft: %w", err)
	}
	return nil
}

// Send commits what the user says and then asks for the reply. When it returns
// the message is safe, whatever becomes of the reply.
func (e *Engine) Send(chat storage.ChatID, text string) (storage.NodeID, error) {
	if strings.TrimSpace(text) == "" {
		return "", fmt.Errorf("send: %w: the message is empty", ErrNothing)
	}
	t, err := e.reserve(chat)
	if err != nil {
		return "", err
	}
	m, err := e.commitUser(chat, text)
	if err != nil {
		e.release(chat, t)
		return "", fmt.Errorf("send: %w", err)
	}
	e.emit(MessageAdded{chat, m})
	e.begin(t, request{chat: chat, user: m.ID, parent: m.ID})
	return m.ID, nil
}

// commitUser stores the user's message, clears the draft that it was written in
// and remembers the text, all at once.
func (e *Engine) commitUser(chat storage.ChatID, text string) (m Message, err error) {
	err = e.store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		who, persona := e.cast(tx, c)
		env := envOf(who.Card, persona)
		env.Now, env.Seed, env.Place = e.cfg.Now(), string(chat), "user"
		content, _ := prompts.Expand(text, env)
		n := storage.Node{Chat: chat, Parent: c.Head, Role: storage.User, Name: env.User, Content: content,
			State: storage.Complete, CreatedAt: e.cfg.Now()}
		if err := tx.AppendNode(&n); err != nil {
			return err
		}
		c.Head, c.UpdatedAt = n.ID, e.cfg.Now()
		if err := storage.Chats.Put(tx, chat, c); err != nil {
			return err
		}
		if err := tx.PutText("draft", string(chat), ""); err != nil {
			return err
		}
		if err := remember(tx, chat, text); err != nil {
			return err
		}
		m, err = messageOf(tx, n)
		return err
	})
	return m, err
}

// remember adds to what was sent in a chat.
func remember(tx *storage.Tx, chat storage.ChatID, text string) error {
	var sent []string
	if _, err := tx.Setting(sentKey(chat), &sent); err != nil {
		return err
	}
	if n := len(sent); n > 0 && sent[n-1] == text {
		return nil
	}
	sent = append(sent, text)
	return tx.PutSetting(sentKey(chat), sent[max(0, len(sent)-sentKept):])
}

// start reserves a chat and begins what decide asks for, given the chat's path.
func (e *Engine) start(chat storage.ChatID, decide func(tx *storage.Tx, c storage.Chat) (request, error)) error {
	t, err := e.reserve(chat)
	if err != nil {
		return err
	}
	var r request
	err = e.store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		r, err = decide(tx, c)
		return err
	})
	if err != nil {
		e.release(chat, t)
		return err
	}
	r.chat = chat
	e.begin(t, r)
	return nil
}

// Regenerate asks for another reply beside a reply, or for a reply to a message
// of the user.
func (e *Engine) Regenerate(chat storage.ChatID, node storage.NodeID) error {
	return e.start(chat, func(tx *storage.Tx, c storage.Chat) (request, error) {
		n, err := tx.Node(chat, node)
		switch {
		case err != nil:
			return request{}, err
		case n.Role == storage.User:
			return request{parent: n.ID, mode: script.Regenerate}, nil
		case n.Role != storage.Assistant:
			return request{}, fmt.Errorf("another reply: %w: this is neither yours nor a reply", ErrNothing)
		case n.Parent == "":
			return request{}, fmt.Errorf("another reply: %w: the greeting comes from the card; ← and → show its alternatives", ErrNothing)
		}
		return request{parent: n.Parent, mode: script.Swipe}, nil
	})
}

// Continue asks for more of the reply that ends the chat.
func (e *Engine) Continue(chat storage.ChatID) error {
	return e.start(chat, func(tx *storage.Tx, c storage.Chat) (request, error) {
		path, err := tx.Path(chat, c.Head, 20)
		if err != nil {
			return request{}, err
		}
		for i := len(path) - 1; i >= 0; i-- {
			switch path[i].Role {
			case storage.Assistant:
				n := path[i]
				return request{parent: n.Parent, grow: &n, mode: script.Continue}, nil
			case storage.User:
				return request{parent: path[i].ID, mode: script.Normal}, nil
			}
		}
		return request{}, fmt.Errorf("continue: %w: there is no reply yet", ErrNothing)
	})
}

// Impersonate asks for the user's own next line; it comes as LineSuggested
// events and is not stored.
func (e *Engine) Impersonate(chat storage.ChatID) error {
	return e.start(chat, func(_ *storage.Tx, c storage.Chat) (request, error) {
		return request{parent: c.Head, mode: script.Impersonate}, nil
	})
}

// Swipe goes to the sibling step places from a message and down from there to
// the newest leaf. Past the last sibling of the chat's last reply it asks for
// another one. It tells whether anything was done.
func (e *Engine) Swipe(chat storage.ChatID, node storage.NodeID, step int) (bool, error) {
	if e.Running(chat) {
		return false, ErrTurnRunning
	}
	moved, another := false, false
	err := e.store.Update(func(tx *storage.Tx) error {
		ids, at, err := tx.Siblings(chat, node)
		if err != nil {
			return err
		}
		to := at + step
		if to < 0 || to >= len(ids) {
			n, err := tx.Node(chat, node)
			if err != nil {
				return err
			}
			c, err := storage.Chats.Get(tx, chat)
			if err != nil {
				return err
			}
			another = to >= len(ids) && n.Role == storage.Assistant && n.Parent != "" && below(tx, c, node) == c.Head
			return nil
		}
		moved = true
		return e.moveHead(tx, chat, ids[to])
	})
	if err != nil {
		return false, fmt.Errorf("swipe: %w", err)
	}
	if another {
		return true, e.Regenerate(chat, node)
	}
	if moved {
		e.emit(ChatChanged{chat})
	}
	return moved, nil
}

// moveHead puts the head on the newest leaf under a node.
func (e *Engine) moveHead(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	leaf, err := tx.Leaf(chat, node)
	if err != nil {
		return err
	}
	return e.setHead(tx, chat, leaf)
}

func (e *Engine) setHead(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	c.Head, c.UpdatedAt = node, e.cfg.Now()
	return storage.Chats.Put(tx, chat, c)
}

// Goto puts the head on the newest leaf under a message.
func (e *Engine) Goto(chat storage.ChatID, node storage.NodeID) error {
	return e.rewrite(chat, "go to message", func(tx *storage.Tx) error { return e.moveHead(tx, chat, node) })
}

// Branch puts the head on a message itself: what is said next begins a branch.
func (e *Engine) Branch(chat storage.ChatID, node storage.NodeID) error {
	return e.rewrite(chat, "branch", func(tx *storage.Tx) error {
		if _, err := tx.Node(chat, node); err != nil {
			return err
		}
		return e.setHead(tx, chat, node)
	})
}

// rewrite changes a chat's tree in one transaction and tells of it. While a
// reply is being written the tree stands still.
func (e *Engine) rewrite(chat storage.ChatID, op string, f func(tx *storage.Tx) error) error {
	if e.Running(chat) {
		return fmt.Errorf("%s: %w", op, ErrTurnRunning)
	}
	if err := e.store.Update(f); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	e.emit(ChatChanged{chat})
	return nil
}

// Edit rewrites what a message says.
func (e *Engine) Edit(chat storage.ChatID, node storage.NodeID, text string) error {
	return e.rewrite(chat, "edit", func(tx *storage.Tx) error {
		n, err := tx.Node(chat, node)
		if err != nil {
			return err
		}
		if n.Role == storage.SceneCapture {
			return fmt.Errorf("%w: a picture has no text", ErrNothing)
		}
		n.Content, n.EditedAt, n.State, n.Fault = text, e.cfg.Now(), storage.Complete, ""
		return tx.PutNode(n)
	})
}

// undoStep is what brings the last deletion of a chat back.
type undoStep struct {
	Node storage.NodeID `json:"node,omitempty"` // to show again
	Head storage.NodeID `json:"head"`
}

func undoKey(chat storage.ChatID) string { return "undo/" + string(chat) }

// Delete takes a message out of the chat, or with below the message and all
// that follows it. Nothing is removed from the store; Undo brings it back.
func (e *Engine) Delete(chat storage.ChatID, node storage.NodeID, below bool) error {
	return e.rewrite(chat, "delete", func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		n, err := tx.Node(chat, node)
		if err != nil {
			return err
		}
		step := undoStep{Head: c.Head}
		if below {
			if n.Parent == "" {
				return fmt.Errorf("%w left then: delete the chat instead", ErrNothing)
			}
			c.Head = n.Parent
		} else {
			step.Node = n.ID
			n.Deleted = true
			if err := tx.PutNode(n); err != nil {
				return err
			}
			if c.Head == n.ID && n.Parent != "" {
				c.Head = n.Parent
			}
		}
		if err := tx.PutSetting(undoKey(chat), step); err != nil {
			return err
		}
		return storage.Chats.Put(tx, chat, c)
	})
}

// ErrNoUndo: nothing was deleted that could be brought back.
var ErrNoUndo = errors.New("nothing was deleted here that could be brought back")

// Undo brings back what the last Delete in a chat took out.
func (e *Engine) Undo(chat storage.ChatID) error {
	return e.rewrite(chat, "undo", func(tx *storage.Tx) error {
		var step undoStep
		if ok, err := tx.Setting(undoKey(chat), &step); err != nil {
			return err
		} else if !ok || step == (undoStep{}) {
			return ErrNoUndo
		}
		if step.Node != "" {
			n, err := tx.Node(chat, step.Node)
			if err != nil {
				return err
			}
			n.Deleted = false
			if err := tx.PutNode(n); err != nil {
				return err
			}
		}
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		// What was said since stays where it is: the head goes back only if it
		// still stands where the deletion put it.
		if n, err := tx.Node(chat, step.Head); err == nil && (n.Parent == c.Head || step.Node == "") {
			c.Head = step.Head
		}
		if err := tx.PutSetting(undoKey(chat), undoStep{}); err != nil {
			return err
		}
		return storage.Chats.Put(tx, chat, c)
	})
}
