package memory

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// read reads a story. may reports whether the next prompt, or that of Query.As if set, may contain
// something that these witnesses know; a whole series has no next prompt.
func (svc *Service) read(op string, ask Query,
	f func(a storyQuery, may func(witnesses []storage.CharacterID) bool)) error {
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		a, err := newStoryQuery(tx, ask)
		if err != nil {
			return err
		}
		m := chats.Viewpoint{Chat: a.story, Scope: a.scope}
		if chats.IsGroup(a.story) {
			if m.Speaker = ask.As; m.Speaker == "" {
				m.Speaker, _ = svc.speakers.NextSpeaker(tx, a.story, a.leaf)
			}
		}
		f(a, func(witnesses []storage.CharacterID) bool { return a.story.ID != "" && m.MayKnow(witnesses) })
		return nil
	})
	if err != nil {
		return failure.Wrap(op, err)
	}
	return nil
}
