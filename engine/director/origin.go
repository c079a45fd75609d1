package director

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/knowledge"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// findOrigins finds where each thing comes from that was found in an exchange. A model that
// sees the whole play also finds what was said long ago: that rests on the messages which
// said it, and is not kept again where something said since says otherwise. What messages
// say in so many words is known to all who have witnessed these, whatever else the model
// was shown.
func (svc *Service) findOrigins(p pass, a *passAnswer) error {
	var texts []string
	for _, m := range a.Memories {
		texts = append(texts, m.Content)
	}
	for _, h := range a.Hooks {
		texts = append(texts, h.Content)
	}
	if len(texts) == 0 {
		return nil
	}
	return svc.core.Store.View(func(tx *storage.Tx) error {
		c := p.chat
		known, err := memory.KnownMemories(tx, chats.ScopeOf(c), c.ID, p.leaf.ID)
		if err != nil {
			return err
		}
		names := append(svc.chats.NamesOf(tx, append([]storage.CharacterID{c.Character}, chats.CastOf(c)...)), p.in.Char, p.in.User)
		list, err := svc.knowledge.Origins(tx, chats.MomentOf(c, p.leaf.Speaker, false), p.leaf.ID, known, p.told.Sources, names, texts)
		if err != nil {
			return err
		}
		over := map[string]bool{}
		rests := map[string]rules.Rests{}
		for i, o := range list {
			over[texts[i]], rests[texts[i]] = o.Over, restsOf(tx, p, o)
		}
		a.Memories = slices.DeleteFunc(a.Memories, func(m rules.FoundMemory) bool { return over[m.Content] })
		a.Hooks = slices.DeleteFunc(a.Hooks, func(h rules.FoundHook) bool { return over[h.Content] })
		for i := range a.Memories {
			a.Memories[i].Rests = rests[a.Memories[i].Content]
		}
		for i := range a.Hooks {
			a.Hooks[i].Rests = rules.Rests{From: rests[a.Hooks[i].Content].From} // its opener may say more
		}
		return nil
	})
}

// restsOf is what an origin says of something that a pass has found.
func restsOf(tx *storage.Tx, p pass, o knowledge.Origin) rules.Rests {
	r := rules.Rests{From: o.Messages, Said: o.Said, Witnesses: p.ends.Witnesses}
	if !o.Said || len(o.Messages) == 0 {
		return r
	}
	var nodes []storage.Node
	for _, id := range o.Messages {
		n, err := tx.Node(p.chat.ID, id)
		if err != nil {
			return rules.Rests{From: o.Messages}
		}
		nodes = append(nodes, n)
	}
	r.Witnesses = chats.KnownTo(p.chat, nodes)
	return r
}
