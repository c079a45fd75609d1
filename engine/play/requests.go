package play

import (
	"errors"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// DeleteChat removes a chat permanently, after a backup of the whole store.
func (svc *Service) DeleteChat(id storage.ChatID) error {
	t, err := svc.reserve(id)
	if err != nil {
		return failure.Wrap("delete chat", err)
	}
	defer svc.abandon(id, t, storage.ErrNotFound)
	if _, err := svc.backup.Make(); err != nil {
		return failure.Wrap("delete chat", err)
	}
	caps, err := svc.pictures.Captures(id)
	if err != nil {
		return err
	}
	if err := svc.core.Store.Update(func(tx *storage.Tx) error {
		return errors.Join(tx.DeleteChat(id),
			tx.PutSetting(chats.SentKey(id), nil), tx.PutSetting(chats.UndoKey(id), nil),
			tx.PutSetting(scenes.DetectedKey(id), nil))
	}); err != nil {
		return failure.Wrap("delete chat", err)
	}
	svc.pictures.CancelWork(caps...) // their work is pointless now
	for _, c := range caps {
		svc.pictures.RemoveFiles(c.ID)
	}
	svc.core.Emit(chats.ChatsChanged{})
	return nil
}

// Line is a message of the user, with options for its audience and its reply.
type Line struct {
	Text string
	// Responder is the character to answer if several characters play; "" follows the turn order.
	Responder storage.CharacterID
	// WhisperTo are the characters that the line is whispered to; nil means everybody present.
	WhisperTo []storage.CharacterID
	// Steer holds what the user wants of the reply; nil keeps the chat's own. It is stored in the
	// chat with the line.
	Steer *storage.Steer
}

// Send stores the user's message and then asks for the reply. When it returns without an error, the
// message is stored, even if the reply fails.
func (svc *Service) Send(chat storage.ChatID, text string) (storage.NodeID, error) {
	return svc.SendLine(chat, Line{Text: text})
}

// SendLine is like Send, with the options of Line.
func (svc *Service) SendLine(chat storage.ChatID, l Line) (storage.NodeID, error) {
	if strings.TrimSpace(l.Text) == "" {
		return "", failure.Wrap("send", failure.Refusef("the message is empty"))
	}
	t, err := svc.reserve(chat)
	if err != nil {
		return "", err
	}
	m, err := svc.commitUser(chat, l)
	if err != nil {
		svc.abandon(chat, t, err)
		return "", failure.Wrap("send", err)
	}
	m = svc.applyDisplayScripts(m)
	svc.core.Emit(chats.MessageAdded{Chat: chat, Message: m})
	svc.startTurn(t, request{chat: chat, user: m.ID, parent: m.ID, speaker: l.Responder})
	return m.ID, nil
}

// presence returns who hears a line, nil for everybody present. It refuses a line that names
// somebody who cannot answer now, or whose answering character does not hear it.
func (l Line) presence(c storage.Chat) (*storage.Presence, error) {
	for _, id := range append([]storage.CharacterID{l.Responder}, l.WhisperTo...) {
		if err := chats.MayAnswer(c, id); err != nil {
			return nil, err
		}
	}
	if l.Responder != "" && len(l.WhisperTo) > 0 && !slices.Contains(l.WhisperTo, l.Responder) {
		return nil, failure.Refusef("the answering character has to hear it: whisper to that character too")
	}
	return chats.Presence(c, l.WhisperTo), nil
}

// expandUserText returns a text of the user with its macros expanded, and the user's name.
func (svc *Service) expandUserText(tx *storage.Tx, c storage.Chat, text string) (content, name string) {
	who, persona := svc.chats.Cast(tx, c)
	env := chats.EnvOf(who.Card, persona)
	env.Now, env.Seed, env.Place = svc.core.Config.Now(), string(c.ID), "user"
	env.Vars = prompts.VarsOf(c.Variables)
	content, _ = prompts.Expand(text, env)
	return content, env.User
}

// commitUser stores the user's message, clears the draft and remembers the text, in one
// transaction.
func (svc *Service) commitUser(chat storage.ChatID, l Line) (m chats.Message, err error) {
	err = svc.core.Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		content, name := svc.expandUserText(tx, c, l.Text)
		n := storage.Node{Chat: chat, Parent: c.Head, Role: storage.User, Name: name, Content: content,
			State: storage.Complete, CreatedAt: svc.core.Config.Now()}
		if n.Presence, err = l.presence(c); err != nil {
			return err
		}
		if err := tx.AppendNode(&n); err != nil {
			return err
		}
		from := c.Head
		c.Head, c.UpdatedAt = n.ID, svc.core.Config.Now()
		if l.Steer != nil {
			c.Steer = *l.Steer
		}
		if err := storage.Chats.Put(tx, chat, c); err != nil {
			return err
		}
		if err := svc.chats.HeadMoved.Run(tx, chats.HeadMove{Chat: c, From: from}); err != nil {
			return err
		}
		if err := svc.chats.UserMessageStored.Run(tx, chats.UserMessage{Chat: c, Node: n}); err != nil {
			return err
		}
		if err := tx.PutText("draft", string(chat), ""); err != nil {
			return err
		}
		if err := chats.Remember(tx, chat, l.Text); err != nil {
			return err
		}
		m, err = chats.MessageOf(tx, n)
		return err
	})
	return m, err
}

// start reserves a chat and starts the turn that decide returns a request for. decide runs in a
// read transaction and receives the chat.
func (svc *Service) start(chat storage.ChatID, decide func(tx *storage.Tx, c storage.Chat) (request, error)) error {
	t, err := svc.reserve(chat)
	if err != nil {
		return err
	}
	var r request
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		r, err = decide(tx, c)
		return err
	})
	if err != nil {
		svc.abandon(chat, t, err)
		return err
	}
	r.chat = chat
	svc.startTurn(t, r)
	return nil
}

// Regenerate asks for another reply beside the reply node, or for a reply to the user's message
// node.
func (svc *Service) Regenerate(chat storage.ChatID, node storage.NodeID) error {
	return svc.start(chat, func(tx *storage.Tx, _ storage.Chat) (request, error) {
		return retakeRequest(tx, chat, node)
	})
}

// retakeRequest returns the request for another reply beside the reply node, with that reply's
// steer, or for a reply to the user's message node.
func retakeRequest(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (request, error) {
	n, err := tx.Node(chat, node)
	switch {
	case err != nil:
		return request{}, err
	case n.Role == storage.User:
		return request{parent: n.ID, mode: prompt.Regenerate}, nil
	case n.Role != storage.Assistant:
		return request{}, failure.Wrap("another reply", failure.Refusef("this is neither your message nor a reply"))
	case n.Parent == "":
		return request{}, failure.Wrap("another reply",
			failure.Refusef("the greeting comes from the card; ← and → show other greetings"))
	}
	return request{parent: n.Parent, mode: prompt.Swipe, speaker: n.Speaker, steer: &n.Steer}, nil
}

// Continue asks for more of the reply that ends the chat.
func (svc *Service) Continue(chat storage.ChatID) error {
	return svc.start(chat, func(tx *storage.Tx, c storage.Chat) (request, error) {
		path, err := tx.Path(chat, c.Head, 20)
		if err != nil {
			return request{}, err
		}
		for i := len(path) - 1; i >= 0; i-- {
			switch path[i].Role {
			case storage.Assistant:
				n := path[i]
				return request{parent: n.Parent, continued: &n, mode: prompt.Continue, speaker: n.Speaker}, nil
			case storage.User:
				return request{parent: path[i].ID, mode: prompt.Normal}, nil
			}
		}
		return request{}, failure.Wrap("continue", failure.Refusef("there is no reply yet"))
	})
}

// Impersonate asks for the user's own next line. It arrives as LineSuggested events and is not
// stored. The outline says what the line contains; with "" the model decides. A nonempty outline is
// first added to the texts that the chat remembers as sent.
func (svc *Service) Impersonate(chat storage.ChatID, outline string) error {
	outline = strings.TrimSpace(outline)
	if len(outline) > maxNudge {
		return failure.Wrap("write your message", failure.Refusef("an outline may have at most %d bytes", maxNudge))
	}
	if outline != "" && !svc.Running(chat) {
		if err := svc.core.Store.Update(func(tx *storage.Tx) error {
			return chats.Remember(tx, chat, outline)
		}); err != nil {
			return failure.Wrap("write your message", err)
		}
	}
	return svc.start(chat, func(_ *storage.Tx, c storage.Chat) (request, error) {
		return request{parent: c.Head, mode: prompt.Impersonate, outline: outline}, nil
	})
}

// Swipe goes to the sibling that is step places from a message, and down from there to the newest
// leaf. Back from the chat's last message, if a branch was begun there and has no messages yet, it
// returns to the messages that followed before. Past the last sibling of the chat's last reply it
// asks for another reply. It reports whether anything was done.
func (svc *Service) Swipe(chat storage.ChatID, node storage.NodeID, step int) (bool, error) {
	if svc.Running(chat) {
		return false, failure.Wrap("swipe", failure.ErrTurnRunning)
	}
	var to storage.NodeID
	another := false
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if step < 0 && c.Head == node {
			if to, err = chats.AbandonedLeaf(tx, c); err != nil || to != "" {
				return err
			}
		}
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
		another = step > 0 && n.Role == storage.Assistant && n.Parent != "" && chats.Below(tx, c, node) == c.Head
		return nil
	})
	switch {
	case err != nil:
		return false, failure.Wrap("swipe", err)
	case to != "":
		err = svc.chats.Rewrite(chat, "swipe", func(tx *storage.Tx) error { return svc.chats.MoveHead(tx, chat, to) })
	case another:
		err = svc.Regenerate(chat, node)
	default:
		return false, nil
	}
	return err == nil, err
}
