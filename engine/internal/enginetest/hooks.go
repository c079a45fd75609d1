package enginetest

import (
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Hears has hooks found at a message of the open chat.
func (s *Harness) Hears(node storage.NodeID, found ...rules.FoundHook) (changed bool) {
	s.T.Helper()
	scope := s.ScopeNow()
	for i := range found {
		found[i].Mention = s.MentionAt(s.Chat, node)
	}
	Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) (err error) {
		changed, err = memory.StoreHooks(tx, scope, chats.TurnAt(tx, s.Chat, node), found)
		return err
	}))
	return changed
}

func (s *Harness) Hooks(ask memory.Query) memory.HookList {
	s.T.Helper()
	if ask.Chat == "" && ask.Series == "" {
		ask.Chat = s.Chat
	}
	list, err := s.Memory.Hooks(ask)
	Must(s.T, err)
	return list
}
