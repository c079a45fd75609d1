package memory

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Tell has a character know a memory on the paths, as if it had witnessed all that told
// of it there. It returns the memory as it was before; one that the character knows to be
// over cannot be told to it.
func (g *Paths) Tell(id storage.MemoryID, who storage.CharacterID) (was storage.Memory, err error) {
	return g.witness(id, func(has []storage.CharacterID) []storage.CharacterID {
		if has == nil || slices.Contains(has, who) {
			return has
		}
		return append(slices.Clone(has), who)
	}, func(now KnownMemory) error {
		if now.Witnesses != nil && !slices.Contains(now.Witnesses, who) {
			return failure.Refuse("this character knows that it is over")
		}
		return nil
	})
}

// Untell has a character not know a memory on the paths, as if it had witnessed nothing
// that told of it there. A memory that nobody is left to know is removed.
func (g *Paths) Untell(id storage.MemoryID, who storage.CharacterID) (was storage.Memory, err error) {
	return g.witness(id, func(has []storage.CharacterID) []storage.CharacterID {
		if has == nil {
			c := g.chatOf(storage.Told{Chat: g.chat})
			has = append([]storage.CharacterID{c.Character}, chats.CastOf(c)...)
		}
		return slices.DeleteFunc(slices.Clone(has), func(x storage.CharacterID) bool { return x == who })
	}, nil)
}

// witness changes who has witnessed the tellings of a memory on the paths, and stores it
// where check, which may be nil, has nothing against that.
func (g *Paths) witness(id storage.MemoryID, change func(has []storage.CharacterID) []storage.CharacterID, check func(now KnownMemory) error) (was storage.Memory, err error) {
	m, err := storage.Memories.Get(g.tx, g.scope, id)
	if err != nil {
		return m, err
	}
	was, m.Told = m, slices.Clone(m.Told)
	left := false
	for i, at := range m.Told {
		if g.holds(at) {
			m.Told[i].Witnesses = change(g.witnesses([]storage.Told{at}))
		}
		left = left || m.Told[i].Witnesses == nil || len(m.Told[i].Witnesses) > 0
	}
	m.Removed = m.Removed || !left
	if now, known := g.memory(m); known && check != nil {
		if err := check(now); err != nil {
			return was, err
		}
	}
	return was, storage.Memories.Put(g.tx, g.scope, m)
}

// Says finds a memory that is known on the paths and has the text of a statement.
func (g *Paths) Says(statement string) (KnownMemory, bool) {
	for _, m := range g.Memories() {
		if !m.Removed && text.Equal(m.Content, statement) {
			return m, true
		}
	}
	return KnownMemory{}, false
}

// Add remembers what was told so, as a fact. The text is not looked for among what is
// remembered.
func (g *Paths) Add(content string, told storage.Told) (storage.Memory, error) {
	told.Importance = plainImportance
	m := storage.Memory{ID: storage.MemoryID(storage.NewID()), Type: storage.FactMemory, Content: failure.FirstRunes(content, longestMemory),
		Told: []storage.Told{told}, CreatedAt: told.At, UpdatedAt: told.At}
	if err := checkMemory(m); err != nil {
		return m, err
	}
	return m, storage.Memories.Put(g.tx, g.scope, m)
}
