package memory

import (
	"slices"

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
	return svc.witness("tell a fact", chat, id, who, func(p *Paths, x *held) (now storage.MemoryID, was storage.Memory, err error) {
		if x.knownTo(chats.Moment{Speaker: who}) {
			return "", was, failure.Refuse("this character knows it already")
		}
		if a, _ := addressOf(x.ID); a.kind == memoryHome {
			was, err = p.Tell(storage.MemoryID(a.record), who)
			return was.ID, was, err
		}
		if m, is := p.Says(x.full); is {
			was, err = p.Tell(m.ID, who)
			return was.ID, was, err
		}
		told := storage.Told{Chat: chat, Witnesses: []storage.CharacterID{who}, At: svc.core.Config.Now()}
		if n := len(x.Sources); n > 0 {
			told.Node, told.Depth = x.Sources[n-1].Message, x.Sources[n-1].Number-1
		}
		for _, from := range x.Sources {
			told.Sources = append(told.Sources, from.Message)
		}
		m, err := p.Add(x.full, told)
		return m.ID, was, err
	})
}

// Untell has somebody not know a fact, which is a memory or has been told to it as one.
func (svc *Service) Untell(chat storage.ChatID, id string, who storage.CharacterID) (s Step, err error) {
	return svc.witness("untell a fact", chat, id, who, func(p *Paths, x *held) (now storage.MemoryID, was storage.Memory, err error) {
		a, _ := addressOf(x.ID)
		mem := storage.MemoryID(a.record)
		if a.kind != memoryHome {
			m, is := p.Says(x.full)
			if !is {
				return "", was, failure.Refuse("it was not told to this character: what %s says is known to those who were there", x.Home)
			}
			x.Everybody, x.Knowers = m.Witnesses == nil, nil
			for _, k := range m.Witnesses {
				x.Knowers = append(x.Knowers, Knower{ID: k})
			}
			mem = m.ID
		}
		if !x.knownTo(chats.Moment{Speaker: who}) {
			return "", was, failure.Refuse("this character does not know it")
		}
		was, err = p.Untell(mem, who)
		return was.ID, was, err
	})
}

// witness changes who knows a fact in one transaction. change returns the memory that was
// changed or made, and how it was; that has no id where it was made.
func (svc *Service) witness(op string, chat storage.ChatID, id string, who storage.CharacterID, change func(p *Paths, x *held) (storage.MemoryID, storage.Memory, error)) (s Step, err error) {
	scope, err := svc.chats.ScopeOf(chat)
	if err != nil {
		return s, failure.Fail(op, err)
	}
	if s.Fact, err = svc.FindFact(chat, id); err != nil {
		return s, failure.Fail(op, err)
	}
	var now storage.MemoryID
	var was storage.Memory
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
		now, was, err = change(p, x)
		return err
	})
	s.Back = func() error {
		return svc.changeStory("take back who knows a fact", scope, func(tx *storage.Tx) error { return unwitness(tx, scope, now, was) })
	}
	return s, err
}

// unwitness puts the witnesses of a memory back to how they were; one that was made is
// removed.
func unwitness(tx *storage.Tx, scope storage.ScopeID, id storage.MemoryID, was storage.Memory) error {
	m, err := storage.Memories.Get(tx, scope, id)
	if err != nil {
		return err
	}
	if m.Removed = was.Removed; was.ID == "" {
		m.Removed = true
	}
	for i, at := range m.Told {
		same := func(o storage.Told) bool { return o.Chat == at.Chat && o.Node == at.Node && o.At.Equal(at.At) }
		if n := slices.IndexFunc(was.Told, same); n >= 0 {
			m.Told[i].Witnesses = was.Told[n].Witnesses
		}
	}
	return storage.Memories.Put(tx, scope, m)
}
