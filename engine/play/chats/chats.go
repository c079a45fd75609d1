package chats

import (
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// sentKept is the number of sent texts that a chat remembers for the composer.
const sentKept = 200

// Change updates a chat's record and emits ChatChanged and ChatsChanged.
func (svc *Service) Change(id storage.ChatID, f func(*storage.Chat)) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, id)
		if err != nil {
			return err
		}
		f(&c)
		return storage.Chats.Put(tx, id, c)
	})
	if err != nil {
		return failure.Wrap("change chat", err)
	}
	svc.core.Emit(ChatChanged{id})
	svc.core.Emit(ChatsChanged{})
	return nil
}

// New begins a chat with a character. The greeting and its alternates are the first message and its
// swipes. An empty title is replaced by the character's name. The others are in the chat from its
// beginning.
func (svc *Service) New(who storage.CharacterID, title string, others ...storage.CharacterID) (storage.Chat, error) {
	now := svc.core.Config.Now()
	c := storage.Chat{ID: storage.ChatID(storage.NewID()), Title: strings.TrimSpace(title), Character: who,
		CreatedAt: now, UpdatedAt: now}
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		ch, err := storage.Characters.Get(tx, who)
		if err != nil {
			return err
		}
		p := DefaultPersona(tx)
		c.Persona = p.ID
		if c.Title == "" {
			c.Title = FreeTitle(tx, ch.Card.Name)
		}
		for _, other := range others {
			if err := addToCast(tx, &c, other, 0); err != nil {
				return err
			}
		}
		if err := storage.Chats.Put(tx, c.ID, c); err != nil {
			return err
		}
		env := EnvOf(ch.Card, p)
		env.Now, env.Seed, env.Placeholders = now, string(c.ID), prompt.Placeholders("", "")
		for i, g := range append([]string{ch.Card.FirstMessage}, ch.Card.AlternateGreetings...) {
			if strings.TrimSpace(g) == "" {
				continue
			}
			env.Place = fmt.Sprintf("greeting/%d", i)
			text, _ := prompts.Expand(g, env)
			n := storage.Node{Chat: c.ID, Role: storage.Assistant, Name: ch.Card.CharName(), Content: text,
				State: storage.Complete, CreatedAt: now}
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
		return storage.Chat{}, failure.Wrap("new chat", err)
	}
	svc.core.Emit(ChatsChanged{})
	return c, nil
}

// FreeTitle returns a title that no other chat has: the name, or the name and a
// number.
func FreeTitle(tx *storage.Tx, name string) string {
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

// EnvOf returns the macro values of a card and a persona.
func EnvOf(c storage.Card, p storage.Persona) prompts.Env {
	user := p.Name
	if user == "" {
		user = "You"
	}
	return prompts.Env{User: user, Char: c.CharName(), Persona: p.Description,
		Description: c.Description, Personality: c.Personality,
		Scenario: c.Scenario, Examples: c.MessageExample, CharPrompt: c.SystemPrompt,
		CharInstruction: c.PostHistoryInstructions,
		CharDepth:       c.DepthPrompt, Greetings: append([]string{c.FirstMessage}, c.AlternateGreetings...),
		CharVersion: c.CharacterVersion, CreatorNotes: c.CreatorNotes}
}

// Rename gives a chat another title.
func (svc *Service) Rename(id storage.ChatID, title string) error {
	if title = strings.TrimSpace(title); title == "" {
		return failure.Wrap("rename chat", failure.Refusef("a title is needed"))
	}
	return svc.Change(id, func(c *storage.Chat) { c.Title = title })
}

// SetPersona sets the user's persona in a chat.
func (svc *Service) SetPersona(id storage.ChatID, p storage.PersonaID) error {
	return svc.Change(id, func(c *storage.Chat) { c.Persona = p })
}

// SetAuthorNote sets the author's note of a chat.
func (svc *Service) SetAuthorNote(id storage.ChatID, text string) error {
	return svc.Change(id, func(c *storage.Chat) { c.AuthorNote = text })
}

// maxOver is the longest text that replaces one of a card, in bytes.
const maxOver = 1 << 20

// SetOver sets texts of a chat that replace those of its cards; "" restores the card's.
func (svc *Service) SetOver(id storage.ChatID, o storage.CardOverrides) error {
	if max(len(o.Scenario), len(o.Examples), len(o.System)) > maxOver {
		return failure.Wrap("change chat",
			failure.Refusef("a text that replaces the card's may have at most %d bytes", maxOver))
	}
	return svc.Change(id, func(c *storage.Chat) { c.Overrides = o })
}

// Limits of an author's note's depth and interval, in messages.
const (
	maxNoteDepth = 10_000
	maxNoteEvery = 10_000
)

// SetNotePlan sets the place, role, depth and interval of a chat's author's note.
func (svc *Service) SetNotePlan(id storage.ChatID, p storage.NotePlan) error {
	const op = "place the author's note"
	switch p.Place {
	case storage.NoteDefault:
		p = storage.NotePlan{}
	case storage.NoteAtDepth, storage.NoteInPrompt, storage.NoteBeforePrompt:
	default:
		return failure.Wrap(op,
			failure.Refusef("the position of the author's note must be default, depth, prompt or before, not %q",
				failure.FirstRunes(string(p.Place), 40)))
	}
	switch p.Role {
	case "", storage.System, storage.User, storage.Assistant:
	default:
		return failure.Wrap(op,
			failure.Refusef("the role of the author's note must be system, user or assistant, not %q",
				failure.FirstRunes(string(p.Role), 40)))
	}
	if p.Depth < 0 || p.Depth > maxNoteDepth || p.Every < storage.NoteNever || p.Every > maxNoteEvery {
		return failure.Wrap(op,
			failure.Refusef("the depth of the author's note must be from 0 to %d, its interval from 1 to %d messages",
				maxNoteDepth, maxNoteEvery))
	}
	return svc.Change(id, func(c *storage.Chat) { c.Note = p })
}

// SaveDraft stores what the user is writing in a chat.
func (svc *Service) SaveDraft(id storage.ChatID, text string) error {
	err := svc.core.Store.Update(func(tx *storage.Tx) error { return tx.PutText("draft", string(id), text) })
	if err != nil {
		return failure.Wrap("save draft", err)
	}
	return nil
}

// Remember adds a text to those that the chat remembers as sent.
func Remember(tx *storage.Tx, chat storage.ChatID, text string) error {
	var sent []string
	if _, err := tx.Setting(SentKey(chat), &sent); err != nil {
		return err
	}
	if n := len(sent); n > 0 && sent[n-1] == text {
		return nil
	}
	sent = append(sent, text)
	return tx.PutSetting(SentKey(chat), sent[max(0, len(sent)-sentKept):])
}

const settingChat = "last_chat"

// Opened stores which chat is on the screen, to open it at the next start.
func (svc *Service) Opened(chat storage.ChatID) error {
	if chat != "" {
		svc.Visited.Run(chat)
	}
	return svc.core.Store.Update(func(tx *storage.Tx) error { return tx.PutSetting(settingChat, chat) })
}

// SetModel chooses a chat's own model, "" for the default one.
func (svc *Service) SetModel(chat storage.ChatID, name string) error {
	if svc.core.Config.Demo {
		return nil
	}
	return svc.Change(chat, func(c *storage.Chat) { c.Model = name })
}
