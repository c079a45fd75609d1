package memory

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// NoTell says why a fact cannot be told to any of those who play, "" where it can. cast
// are those who play where several do.
func (f *Fact) NoTell(cast []Knower) string {
	switch {
	case len(cast) == 0:
		return "one character plays here, and knows all of it"
	case f.Everybody:
		return "everybody who plays knows it"
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
			return changedMemory(p.Tell(storage.MemoryID(a.record), who))
		}
		if m, is := p.Says(x.full); is {
			return changedMemory(p.Tell(m.ID, who))
		}
		told := storage.Told{Chat: chat, Witnesses: []storage.CharacterID{who}, At: svc.core.Config.Now()}
		if n := len(x.Sources); n > 0 {
			told.Node, told.Depth = x.Sources[n-1].Message, x.Sources[n-1].Number-1
		}
		for _, from := range x.Sources {
			told.Sources = append(told.Sources, from.Message)
		}
		m, err := p.Add(x.full, told)
		return Was{Memory: &m, Now: m.Content, Created: true}, err
	})
}

// Untell has somebody not know a fact, which is a memory or has been told to it as one.
func (svc *Service) Untell(chat storage.ChatID, id string, who storage.CharacterID) (s Step, err error) {
	return svc.witness("untell a fact", chat, id, who, func(p *Paths, x *held) (Was, error) {
		a, _ := addressOf(x.ID)
		mem := storage.MemoryID(a.record)
		if a.kind != memoryHome {
			m, is := p.Says(x.full)
			if !is {
				return Was{}, failure.Refuse("it was not told to this character: what %s says is known to those who were there", x.Home)
			}
			x.Everybody, x.Knowers = m.Witnesses == nil, nil
			for _, k := range m.Witnesses {
				x.Knowers = append(x.Knowers, Knower{ID: k})
			}
			mem = m.ID
		}
		if !x.knownTo(chats.Moment{Speaker: who}) {
			return Was{}, failure.Refuse("this character does not know it")
		}
		return changedMemory(p.Untell(mem, who))
	})
}

// changedMemory is a memory as it was before its witnesses changed.
func changedMemory(was storage.Memory, err error) (Was, error) {
	return Was{Memory: &was, Now: was.Content}, err
}

// witness changes who knows a fact in one transaction. change returns the memory that was
// changed or made, as it was.
func (svc *Service) witness(op string, chat storage.ChatID, id string, who storage.CharacterID, change func(p *Paths, x *held) (Was, error)) (s Step, err error) {
	scope, err := svc.chats.ScopeOf(chat)
	if err != nil {
		return s, failure.Fail(op, err)
	}
	if s.Fact, err = svc.FindFact(chat, id); err != nil {
		return s, failure.Fail(op, err)
	}
	var was Was
	err = svc.changeStory(op, scope, func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if err := playsIn(c, who); err != nil {
			return err
		}
		if !chats.Several(c) {
			return failure.Refuse("one character plays here, and knows all of it")
		}
		p := PathsOf(tx, scope, c.ID, c.Head)
		g, err := svc.gather(tx, c, p.Memories(), p.Hooks())
		if err != nil {
			return err
		}
		x, err := g.at(s.Fact.ID)
		if err != nil {
			return err
		}
		was, err = change(p, x)
		return err
	})
	if err != nil {
		return s, err
	}
	return svc.step(s.Fact, op, scope, was), nil
}
