package engine

import (
	"errors"
	"fmt"
	"strings"

	"ghostlight/engine/play/script"
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
		return fail("change chat", err)
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
		env.Now, env.Seed, env.Placeholders = now, string(c.ID), script.Placeholders("", "")
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
		return storage.Chat{}, fail("new chat", err)
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
		return fail("rename chat", refuse("a title is needed"))
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
	t, err := e.reserve(id)
	if err != nil {
		return fail("delete chat", err)
	}
	defer e.abandon(id, t, storage.ErrNotFound)
	if _, err := e.Backup(); err != nil {
		return fail("delete chat", err)
	}
	caps, err := e.Captures(id)
	if err != nil {
		return err
	}
	if err := e.store.Update(func(tx *storage.Tx) error {
		return errors.Join(tx.DeleteChat(id), tx.PutSetting(sentKey(id), nil), tx.PutSetting(undoKey(id), nil), tx.PutSetting(detectedKey(id), nil))
	}); err != nil {
		return fail("delete chat", err)
	}
	e.cancelWork(caps...) // nothing would come of it now
	for _, c := range caps {
		e.removeFiles(c.ID)
	}
	e.emit(ChatsChanged{})
	return nil
}

// SaveDraft keeps what the user is writing in a chat.
func (e *Engine) SaveDraft(id storage.ChatID, text string) error {
	err := e.store.Update(func(tx *storage.Tx) error { return tx.PutText("draft", string(id), text) })
	if err != nil {
		return fail("save draft", err)
	}
	return nil
}

// Send commits what the user says and then asks for the reply. When it returns
// the message is safe, whatever becomes of the reply.
func (e *Engine) Send(chat storage.ChatID, text string) (storage.NodeID, error) {
	return e.SendTo(chat, text, "", nil)
}

// send is Send; cast says who is to answer and who hears it.
func (e *Engine) send(chat storage.ChatID, text string, cast func(storage.Chat) (storage.CharacterID, *storage.Presence, error)) (storage.NodeID, error) {
	if strings.TrimSpace(text) == "" {
		return "", fail("send", refuse("the message is empty"))
	}
	t, err := e.reserve(chat)
	if err != nil {
		return "", err
	}
	m, who, err := e.commitUser(chat, text, cast)
	if err != nil {
		e.abandon(chat, t, err)
		return "", fail("send", err)
	}
	e.emit(MessageAdded{chat, m})
	e.begin(t, request{chat: chat, user: m.ID, parent: m.ID, speaker: who})
	return m.ID, nil
}

// commitUser stores the user's message, clears the draft that it was written in
// and remembers the text, all at once.
func (e *Engine) commitUser(chat storage.ChatID, text string, cast func(storage.Chat) (storage.CharacterID, *storage.Presence, error)) (m Message, answers storage.CharacterID, err error) {
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
		if answers, n.Presence, err = cast(c); err != nil {
			return err
		}
		if err := tx.AppendNode(&n); err != nil {
			return err
		}
		c.Head, c.UpdatedAt = n.ID, e.cfg.Now()
		if err := storage.Chats.Put(tx, chat, c); err != nil {
			return err
		}
		if err := e.said.Run(tx, &n); err != nil {
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
	return m, answers, err
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
		e.abandon(chat, t, err)
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
			return request{}, fail("another reply", refuse("this is neither yours nor a reply"))
		case n.Parent == "":
			return request{}, fail("another reply", refuse("the greeting comes from the card; ← and → show its alternatives"))
		}
		return request{parent: n.Parent, mode: script.Swipe, speaker: n.Speaker}, nil
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
				return request{parent: n.Parent, grow: &n, mode: script.Continue, speaker: n.Speaker}, nil
			case storage.User:
				return request{parent: path[i].ID, mode: script.Normal}, nil
			}
		}
		return request{}, fail("continue", refuse("there is no reply yet"))
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
		return false, fail("swipe", ErrTurnRunning)
	}
	var to storage.NodeID
	another := false
	err := e.store.View(func(tx *storage.Tx) error {
		ids, at, err := tx.Siblings(chat, node)
		if err != nil {
			return err
		}
		if i := at + step; i >= 0 && i < len(ids) {
			to = ids[i]
			return nil
		}
		n, err := tx.Node(chat, node)
		if err != nil {
			return err
		}
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		another = step > 0 && n.Role == storage.Assistant && n.Parent != "" && below(tx, c, node) == c.Head
		return nil
	})
	switch {
	case err != nil:
		return false, fail("swipe", err)
	case to != "":
		err = e.rewrite(chat, "swipe", func(tx *storage.Tx) error { return e.moveHead(tx, chat, to) })
	case another:
		err = e.Regenerate(chat, node)
	default:
		return false, nil
	}
	return err == nil, err
}
