package play

import (
	"ghostlight/engine/failure"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
)

// Cast is who plays in a chat.
func (svc *Service) Cast(chat storage.ChatID) (out chats.CastList, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		out = chats.CastList{Order: c.Play.Order}
		if out.Order == "" {
			out.Order = storage.OrderRobin
		}
		out.List = append(out.List, chats.CastViewOf(tx, c.Character, true, c.Play.MainAway))
		for _, m := range c.Play.Cast {
			if !m.Left {
				out.List = append(out.List, chats.CastViewOf(tx, m.Character, false, m.Away))
			}
		}
		out.Next, out.Why = svc.director.NextSpeaker(tx, c, c.Head)
		if out.Next == "" {
			out.Next, out.Why = c.Character, "nobody else plays here"
		}
		return nil
	})
	if err != nil {
		err = failure.Fail("read cast", err)
	}
	return out, err
}
