package memory

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// WhyNotShare returns why a fact cannot be shared with anybody in the cast, "" if it can. cast is
// empty if only one character plays.
func (f *Fact) WhyNotShare(cast []Knower) string {
	switch {
	case len(cast) == 0:
		return "this chat has one character, who knows everything"
	case f.Everybody:
		return "all characters know it"
	}
	return ""
}

// Share lets a character know a fact as if it had been there: a memory gets another witness; any
// other fact becomes a memory that only this character knows.
func (svc *Service) Share(chat storage.ChatID, id string, who storage.CharacterID) (s Step, err error) {
	return svc.changeWitness("share a fact", chat, id, who, func(p *Paths, x *listedFact) (PreviousItem, error) {
		if x.knownTo(chats.Viewpoint{Speaker: who}) {
			return PreviousItem{}, failure.Refusef("this character already knows it")
		}
		if a, _ := addressOf(x.ID); a.kind == memoryHome {
			return p.changeWitness(storage.MemoryID(a.record), who, true)
		}
		if m, ok := p.findStatement(x.full); ok {
			return p.changeWitness(m.ID, who, true)
		}
		mention := storage.Mention{Chat: chat, Witnesses: []storage.CharacterID{who}, At: svc.core.Config.Now()}
		if n := len(x.Sources); n > 0 {
			mention.Node, mention.Depth = x.Sources[n-1].Message, x.Sources[n-1].Number-1
		}
		mention.Sources = newestOf(x.Sources)
		m, err := newFact(p.tx, p.scope, x.full, mention) // a separate memory: nobody else learns it by that
		return PreviousItem{Memory: &m, NewText: m.Content, Created: true}, err
	})
}

// Unshare revokes a character's knowledge of a fact that is a memory or was shared as one.
func (svc *Service) Unshare(chat storage.ChatID, id string, who storage.CharacterID) (s Step, err error) {
	return svc.changeWitness("stop sharing a fact", chat, id, who, func(p *Paths, x *listedFact) (PreviousItem, error) {
		a, _ := addressOf(x.ID)
		mem, knows := storage.MemoryID(a.record), x.knownTo(chats.Viewpoint{Speaker: who})
		if a.kind != memoryHome {
			m, ok := p.findStatement(x.full)
			if !ok {
				return PreviousItem{}, failure.Refusef(
					"it was not shared with this character: %s is known to those who were present", x.Home)
			}
			mem, knows = m.ID, m.Witnesses == nil || slices.Contains(m.Witnesses, who)
		}
		if !knows {
			return PreviousItem{}, failure.Refusef("this character does not know it")
		}
		return p.changeWitness(mem, who, false)
	})
}

// changeWitness changes who knows a fact in one transaction. change returns the memory that was
// changed or made, as it was.
func (svc *Service) changeWitness(op string, chat storage.ChatID, id string, who storage.CharacterID,
	change func(p *Paths, x *listedFact) (PreviousItem, error)) (s Step, err error) {
	scope, err := svc.chats.ScopeOf(chat)
	if err != nil {
		return s, failure.Wrap(op, err)
	}
	var was PreviousItem
	err = svc.changeStory(op, scope, func(tx *storage.Tx) error {
		g, err := svc.gatherFactsAt(tx, chat)
		if err != nil {
			return err
		}
		x, err := g.find(id)
		if err != nil {
			return err
		}
		if err := checkInCast(g.chat, who); err != nil {
			return err
		}
		if !chats.IsGroup(g.chat) {
			return failure.Refusef("this chat has one character, who knows everything")
		}
		s.Fact = x.Fact
		was, err = change(PathsOf(tx, scope, chat, g.chat.Head), x)
		return err
	})
	if err != nil {
		return s, err
	}
	return svc.step(s.Fact, op, scope, was), nil
}

// changeWitness adds a character to the witnesses of a memory's mentions on the paths, or removes
// it, and returns the memory as it was. A memory that the character knows to be over cannot be
// shared. A memory without witnesses is removed.
func (g *Paths) changeWitness(id storage.MemoryID, who storage.CharacterID, knows bool) (PreviousItem, error) {
	m, err := storage.Memories.Get(g.tx, g.scope, id)
	if err != nil {
		return PreviousItem{}, err
	}
	was := item{memory: &m}.previous()
	m.Mentions = slices.Clone(m.Mentions)
	left := false
	for i, at := range m.Mentions {
		if g.contains(at) {
			m.Mentions[i].Witnesses = g.witnessed(at, who, knows)
		}
		left = left || m.Mentions[i].Witnesses == nil || len(m.Mentions[i].Witnesses) > 0
	}
	m.Removed = m.Removed || !left
	now := g.memory(m)
	if len(now.Here) > 0 && knows && now.Witnesses != nil && !slices.Contains(now.Witnesses, who) {
		return was, failure.Refusef("this character knows that it is over")
	}
	return was, storage.Memories.Put(g.tx, g.scope, m)
}

// witnessed returns the witnesses of a mention with or without a character.
func (g *Paths) witnessed(at storage.Mention, who storage.CharacterID, knows bool) []storage.CharacterID {
	has := g.witnesses([]storage.Mention{at})
	switch {
	case knows && (has == nil || slices.Contains(has, who)):
		return has
	case knows:
		return append(slices.Clone(has), who)
	case has == nil:
		has = chats.Members(g.chatOf(storage.Mention{Chat: g.chat}))
	}
	return slices.DeleteFunc(slices.Clone(has), func(x storage.CharacterID) bool { return x == who })
}

// findStatement finds a memory that is known on the paths and has the text of a statement.
func (g *Paths) findStatement(statement string) (KnownMemory, bool) {
	for _, m := range g.Memories() {
		if text.Equal(m.Content, statement) {
			return m, true
		}
	}
	return KnownMemory{}, false
}

// newFact stores a fact with a mention as a memory.
func newFact(tx *storage.Tx, scope storage.ScopeID, content string, mention storage.Mention) (storage.Memory, error) {
	mention.Importance = plainImportance
	m := storage.Memory{ID: storage.MemoryID(storage.NewID()), Type: storage.FactMemory,
		Content:  failure.FirstRunes(strings.TrimSpace(content), maxMemory),
		Mentions: []storage.Mention{mention}, CreatedAt: mention.At, UpdatedAt: mention.At}
	if err := MemoryFields.Valid(&m); err != nil {
		return m, err
	}
	return m, storage.Memories.Put(tx, scope, m)
}

// add stores a fact with a mention unless there is such a memory. was undoes that.
func add(tx *storage.Tx, scope storage.ScopeID, content string,
	mention storage.Mention) (was PreviousItem, added bool, err error) {
	content = failure.FirstRunes(strings.TrimSpace(content), maxMemory)
	m, ok := sameMemory(tx, scope, storage.FactMemory, content)
	if !ok {
		m, err = newFact(tx, scope, content, mention)
		return PreviousItem{Memory: &m, NewText: m.Content, Created: true}, err == nil, err
	}
	mention.Importance = plainImportance
	was = item{memory: &m}.previous()
	was.NewText = content
	list, again := withMention(m.Mentions, mention)
	if !again && !m.Removed && len(m.Ends) == 0 && m.Content == content {
		return was, false, nil
	}
	m.Removed, m.Content, m.Mentions, m.UpdatedAt = false, content, list, mention.At
	markEnds(&m.Ends, true)
	return was, true, storage.Memories.Put(tx, scope, m)
}
