package memory

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// NoTell says why a fact cannot be told to any of those who play, "" where it can. cast
// are those who play where several do.
func (f *Fact) NoTell(cast []Knower) string {
	switch {
	case len(cast) == 0:
		return "this chat has one character, who knows everything"
	case f.Everybody:
		return "all characters know it"
	}
	return ""
}

// Tell has somebody who plays know a fact as if it had been there: a memory has one more
// witness; of a fact of another kind a memory is made that only this character has.
func (svc *Service) Tell(chat storage.ChatID, id string, who storage.CharacterID) (s Step, err error) {
	return svc.witness("tell a fact", chat, id, who, func(p *Paths, x *held) (Was, error) {
		if x.knownTo(chats.Moment{Speaker: who}) {
			return Was{}, failure.Refuse("this character knows it already")
		}
		if a, _ := addressOf(x.ID); a.kind == memoryHome {
			return p.witness(storage.MemoryID(a.record), who, true)
		}
		if m, is := p.says(x.full); is {
			return p.witness(m.ID, who, true)
		}
		told := storage.StoryPlace{Chat: chat, Witnesses: []storage.CharacterID{who}, At: svc.core.Config.Now()}
		if n := len(x.Sources); n > 0 {
			told.Node, told.Depth = x.Sources[n-1].Message, x.Sources[n-1].Number-1
		}
		told.Sources = newestOf(x.Sources)
		m, err := newFact(p.tx, p.scope, x.full, told) // one of its own: nobody else is told it by that
		return Was{Memory: &m, Now: m.Content, Created: true}, err
	})
}

// Untell has somebody not know a fact, which is a memory or has been told to it as one.
func (svc *Service) Untell(chat storage.ChatID, id string, who storage.CharacterID) (s Step, err error) {
	return svc.witness("untell a fact", chat, id, who, func(p *Paths, x *held) (Was, error) {
		a, _ := addressOf(x.ID)
		mem, knows := storage.MemoryID(a.record), x.knownTo(chats.Moment{Speaker: who})
		if a.kind != memoryHome {
			m, is := p.says(x.full)
			if !is {
				return Was{}, failure.Refuse(
					"it was not shared with this character: %s is known to those who were present", x.Home)
			}
			mem, knows = m.ID, m.Witnesses == nil || slices.Contains(m.Witnesses, who)
		}
		if !knows {
			return Was{}, failure.Refuse("this character does not know it")
		}
		return p.witness(mem, who, false)
	})
}

// witness changes who knows a fact in one transaction. change returns the memory that was
// changed or made, as it was.
func (svc *Service) witness(op string, chat storage.ChatID, id string, who storage.CharacterID,
	change func(p *Paths, x *held) (Was, error)) (s Step, err error) {
	scope, err := svc.chats.ScopeOf(chat)
	if err != nil {
		return s, failure.Fail(op, err)
	}
	var was Was
	err = svc.changeStory(op, scope, func(tx *storage.Tx) error {
		g, err := svc.gatherAt(tx, chat)
		if err != nil {
			return err
		}
		x, err := g.find(id)
		if err != nil {
			return err
		}
		if err := playsIn(g.chat, who); err != nil {
			return err
		}
		if !chats.Several(g.chat) {
			return failure.Refuse("this chat has one character, who knows everything")
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

// witness has a character know a memory on the paths, as if it had witnessed all that told of it
// there, or nothing of that. It returns the memory as it was before. One that the character knows to
// be over cannot be told to it, and one that nobody is left to know is removed.
func (g *Paths) witness(id storage.MemoryID, who storage.CharacterID, knows bool) (Was, error) {
	m, err := storage.Memories.Get(g.tx, g.scope, id)
	if err != nil {
		return Was{}, err
	}
	was := item{memory: &m}.was()
	m.Told = slices.Clone(m.Told)
	left := false
	for i, at := range m.Told {
		if g.holds(at) {
			m.Told[i].Witnesses = g.witnessed(at, who, knows)
		}
		left = left || m.Told[i].Witnesses == nil || len(m.Told[i].Witnesses) > 0
	}
	m.Removed = m.Removed || !left
	now := g.memory(m)
	if len(now.Here) > 0 && knows && now.Witnesses != nil && !slices.Contains(now.Witnesses, who) {
		return was, failure.Refuse("this character knows that it is over")
	}
	return was, storage.Memories.Put(g.tx, g.scope, m)
}

// witnessed are those who have witnessed a telling, with somebody among them or without.
func (g *Paths) witnessed(at storage.StoryPlace, who storage.CharacterID, knows bool) []storage.CharacterID {
	has := g.witnesses([]storage.StoryPlace{at})
	switch {
	case knows && (has == nil || slices.Contains(has, who)):
		return has
	case knows:
		return append(slices.Clone(has), who)
	case has == nil:
		has = chats.Company(g.chatOf(storage.StoryPlace{Chat: g.chat}))
	}
	return slices.DeleteFunc(slices.Clone(has), func(x storage.CharacterID) bool { return x == who })
}

// says finds a memory that is known on the paths and has the text of a statement.
func (g *Paths) says(statement string) (KnownMemory, bool) {
	for _, m := range g.Memories() {
		if text.Equal(m.Content, statement) {
			return m, true
		}
	}
	return KnownMemory{}, false
}

// newFact keeps a fact that was told so as a memory of its own.
func newFact(tx *storage.Tx, scope storage.ScopeID, content string, told storage.StoryPlace) (storage.Memory, error) {
	told.Importance = plainImportance
	m := storage.Memory{ID: storage.MemoryID(storage.NewID()), Type: storage.FactMemory,
		Content: failure.FirstRunes(strings.TrimSpace(content), longestMemory),
		Told:    []storage.StoryPlace{told}, CreatedAt: told.At, UpdatedAt: told.At}
	if err := MemoryFields.Valid(&m); err != nil {
		return m, err
	}
	return m, storage.Memories.Put(tx, scope, m)
}

// add keeps a fact that was told so, unless it is remembered already. was is what takes that back.
func add(tx *storage.Tx, scope storage.ScopeID, content string, told storage.StoryPlace) (was Was, added bool, err error) {
	content = failure.FirstRunes(strings.TrimSpace(content), longestMemory)
	m, ok := sameMemory(tx, scope, storage.FactMemory, content)
	if !ok {
		m, err = newFact(tx, scope, content, told)
		return Was{Memory: &m, Now: m.Content, Created: true}, err == nil, err
	}
	told.Importance = plainImportance
	was = item{memory: &m}.was()
	was.Now = content
	list, again := tellAgain(m.Told, told)
	if !again && !m.Removed && len(m.Ends) == 0 && m.Content == content {
		return was, false, nil
	}
	m.Removed, m.Content, m.Told, m.UpdatedAt = false, content, list, told.At
	markEnds(&m.Ends, true)
	return was, true, storage.Memories.Put(tx, scope, m)
}
