package director

import (
	"errors"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxSessionRecords is the maximum number of a session's records that are used: the newest.
const maxSessionRecords = 100

// idle returns the pause that ends a session.
func (svc *Service) idle() time.Duration {
	if svc.core.Settings().Stage.Idle > 0 {
		return svc.core.Settings().Stage.Idle
	}
	return config.DefaultIdle
}

// updateSession records a stored reply: a session begins or continues. One that has been idle, or
// that runs in another chat of the story, ends first.
func (svc *Service) updateSession(tx *storage.Tx, chat storage.Chat, node storage.NodeID) error {
	scope, now := chats.ScopeOf(chat), svc.core.Config.Now()
	en, err := storage.Engagements.Get(tx, scope)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		en = storage.Engagement{Scope: scope}
	case err != nil:
		return err
	}
	if en.FirstMet.IsZero() {
		en.FirstMet = firstMet(tx, chat, scope, node, now)
	}
	if s := en.Open; s != nil && (s.Chat != chat.ID || now.Sub(s.Heard) > svc.idle()) {
		en = svc.CloseSession(tx, en)
	}
	if s := en.Open; s == nil {
		en.Open = &storage.Session{Chat: chat.ID, First: node, Last: node, Began: now, Heard: now, Turns: 1}
	} else {
		if !sameTurn(tx, chat.ID, s.Last, node) {
			s.Turns++
		}
		s.Last, s.Heard = node, now
	}
	return storage.Engagements.Put(tx, scope, en)
}

// sameTurn reports whether two replies are variants of one: the same message, continued or
// regenerated.
func sameTurn(tx *storage.Tx, chat storage.ChatID, a, b storage.NodeID) bool {
	if a == b {
		return true
	}
	p, err := tx.NodeInfo(chat, a)
	q, other := tx.NodeInfo(chat, b)
	return err == nil && other == nil && p.Parent == q.Parent
}

// firstMet returns when user and characters met: at this first reply, or at the beginning of the
// story's oldest chat if that is earlier.
func firstMet(tx *storage.Tx, chat storage.Chat, scope storage.ScopeID, node storage.NodeID, now time.Time) time.Time {
	first := now
	for _, c := range storage.Chats.All(tx) {
		if chats.ScopeOf(c) != scope {
			continue
		}
		leaf := c.Head
		if c.ID == chat.ID {
			p, err := tx.NodeInfo(c.ID, node)
			if err != nil {
				continue
			}
			leaf = p.Parent
		}
		if chats.TurnAt(tx, c.ID, leaf) > 0 && !c.CreatedAt.IsZero() && c.CreatedAt.Before(first) {
			first = c.CreatedAt
		}
	}
	return first
}

// CloseSession returns the engagement after the open session has ended: now, or when it was last
// active if that is long ago.
func (svc *Service) CloseSession(tx *storage.Tx, en storage.Engagement) storage.Engagement {
	s := en.Open
	if s == nil {
		return en
	}
	if s.Turns <= 0 {
		en.Open = nil
		return en
	}
	end := svc.core.Config.Now()
	if end.Sub(s.Heard) > svc.idle() {
		end = s.Heard
	}
	return rules.EndSession(en, sessionRecords(tx, *s), end)
}

// sessionRecords returns the records of a session's path, oldest first. Records that part of the
// cast has not witnessed lose their words, since the result is shown to all of them.
func sessionRecords(tx *storage.Tx, s storage.Session) (out []storage.TurnRecord) {
	first, _ := tx.NodeInfo(s.Chat, s.First)
	last, err := tx.NodeInfo(s.Chat, s.Last)
	if err != nil {
		return nil
	}
	c, err := storage.Chats.Get(tx, s.Chat)
	if err != nil {
		return nil
	}
	for b := range recordsBefore(tx, s.Chat, s.Last, last.Depth-first.Depth+1) {
		if len(out) == maxSessionRecords {
			break
		}
		if b.Seen != nil && (!chats.KnownToAll(c, b.Witnesses) || !chats.OpenTo(tx, c, b.Node)) {
			seen := *b.Seen
			seen.Beat, seen.Tone = "", ""
			b.Seen = &seen
		}
		out = append(out, b)
	}
	slices.Reverse(out)
	return out
}

// EndSession ends the open session of a chat, if any.
func (svc *Service) EndSession(chat storage.ChatID) error {
	open := func(tx *storage.Tx) (storage.Engagement, bool, error) {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return storage.Engagement{}, false, err
		}
		en, err := storage.Engagements.Get(tx, chats.ScopeOf(c))
		if errors.Is(err, storage.ErrNotFound) {
			return en, false, nil
		}
		return en, err == nil && en.Open != nil && en.Open.Chat == chat, err
	}
	ok := false
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) { _, ok, err = open(tx); return err })
	if err == nil && ok { // mostly nothing is open, and then nothing has to be written
		err = svc.core.Store.Update(func(tx *storage.Tx) error {
			en, still, err := open(tx)
			if err != nil || !still {
				return err
			}
			return storage.Engagements.Put(tx, en.Scope, svc.CloseSession(tx, en))
		})
	}
	if err != nil {
		return failure.Wrap("end session", err)
	}
	if ok {
		svc.core.Emit(Changed{chat})
	}
	return nil
}

// moveStory copies what came up in a chat to another story when the chat joins or leaves a series:
// memories, hooks and lorebook facts, with the same ids, so that moving back adds nothing twice.
// The originals stay in case the chat comes back. From a series' story only what came up in the
// chat itself is copied.
func (svc *Service) moveStory(tx *storage.Tx, c storage.Chat, from, to storage.ScopeID) error {
	if err := errors.Join(svc.moveEngagement(tx, c, from, to),
		svc.StoryMoved.Run(tx, StoryMove{c, from, to})); err != nil {
		return err
	}
	return memory.CopyMentions(tx, c.ID, from, to)
}

// moveEngagement ends a chat's session in the story that it leaves. A new story without an
// engagement starts with the state of the chat.
func (svc *Service) moveEngagement(tx *storage.Tx, c storage.Chat, from, to storage.ScopeID) error {
	en, err := storage.Engagements.Get(tx, from)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if en.Open != nil && en.Open.Chat == c.ID {
		en = svc.CloseSession(tx, en)
		if err := storage.Engagements.Put(tx, from, en); err != nil {
			return err
		}
	}
	if _, err := storage.Engagements.Get(tx, to); !errors.Is(err, storage.ErrNotFound) ||
		from != storage.ScopeID(c.ID) {
		return nil
	}
	en.Scope, en.Open = to, nil
	return storage.Engagements.Put(tx, to, en)
}

// EndIdle ends a story's idle session before the user's message begins the next one. Prompts
// describe an earlier episode as of the end of its session.
func (svc *Service) EndIdle(tx *storage.Tx, said chats.UserMessage) error {
	chat := said.Chat
	en, err := storage.Engagements.Get(tx, chats.ScopeOf(chat))
	if err != nil || en.Open == nil {
		return nil //nolint:nilerr // there is none to end
	}
	if en.Open.Chat == chat.ID && svc.core.Config.Now().Sub(en.Open.Heard) <= svc.idle() {
		return nil
	}
	return storage.Engagements.Put(tx, chats.ScopeOf(chat), svc.CloseSession(tx, en))
}

// StoryMove is a chat that goes from one story to another.
type StoryMove struct {
	Chat     storage.Chat
	From, To storage.ScopeID
}
