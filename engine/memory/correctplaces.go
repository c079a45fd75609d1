package memory

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Wrong is a correction as the user asks for it: a sentence that is not so, and what is
// so in its place, "" for nothing.
type Wrong struct {
	Chat    storage.ChatID
	Wrong   string
	Instead string
	Message storage.NodeID // in which it was marked, "" for none
}

// Mending is what a correction would do.
type Mending struct {
	Chat    storage.ChatID `json:"chat"`
	Wrong   string         `json:"wrong"`
	Instead string         `json:"instead"`
	// Places are those that are surely meant first, messages after what was made of them.
	Places []Place `json:"places"`
	Left   int     `json:"left_out"` // places that were too many
	// Remembers says that what is so becomes a memory, where only the places are mended
	// that are chosen already: none of these tells it.
	Remembers bool `json:"remembers"`
}

// Place is somewhere where the wrong sentence stands, or may.
type Place struct {
	ID     string     `json:"id"`
	Number int        `json:"number"` // among the places, from 1
	Kind   facts.Kind `json:"kind"`
	Home   string     `json:"home"`  // in words
	Now    string     `json:"now"`   // what stands there
	After  string     `json:"after"` // and what will, "" for nothing
	Does   string     `json:"does"`  // what becomes of it, in words
	// Certain says that it says just what is wrong. Chosen are those that are mended where
	// the user says nothing else: played words never are.
	Certain bool           `json:"certain"`
	Chosen  bool           `json:"chosen"`
	Message storage.NodeID `json:"message"` // that it stands in or came from, "" for none

	at   address
	book storage.LorebookID // of an entry's
	told bool               // of a recap's: prompts tell that recap, no other in its place
}

// Mended is what a correction has done.
type Mended struct {
	Count    int    `json:"mended"`     // places
	Remember bool   `json:"remembered"` // what is so was kept as a memory
	Step     string `json:"-"`          // names it for Unmend
}

// What becomes of a place.
const (
	doesReword = "reworded"
	doesDrop   = "taken out"
	doesEnd    = "ends"
)

// Bounds of a correction.
const (
	longestWrong = 600 // runes
	mostCertain  = 80  // places
	mostUnsure   = 24
)

// Sentences are those of a message that a correction may be about.
func Sentences(text string) []string { return slices.Clone(sentences(text)) }

// Correcting finds the places that say what is wrong. It reads the whole play.
func (svc *Service) Correcting(ask Wrong) (m Mending, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		f, err := svc.findPlaces(tx, ask)
		if err != nil {
			return err
		}
		m = Mending{Chat: ask.Chat, Wrong: ask.Wrong, Instead: ask.Instead, Places: f.places, Left: f.left}
		f.once(func(p *Place) bool { return p.Chosen })
		m.Remembers = f.remembers(func(p *Place) bool { return p.Chosen })
		return nil
	})
	if err != nil {
		return m, failure.Fail("look for what is wrong", err)
	}
	return m, nil
}

// checked refuses what cannot be corrected.
func (ask Wrong) checked() (Wrong, error) {
	ask.Wrong, ask.Instead = strings.Join(strings.Fields(ask.Wrong), " "), strings.Join(strings.Fields(ask.Instead), " ")
	switch {
	case len(facts.WordsOf(ask.Wrong).All) == 0:
		return ask, failure.Refuse("enter the wrong sentence")
	case failure.FirstRunes(ask.Wrong, longestWrong) != ask.Wrong, failure.FirstRunes(ask.Instead, longestWrong) != ask.Instead:
		return ask, failure.Refuse("a sentence may have %d characters: correct one at a time", longestWrong)
	case ask.Wrong == ask.Instead:
		return ask, failure.Refuse("both sentences are the same")
	}
	return ask, nil
}

// Mend corrects the places that are named by their ids, all in one step that Unmend
// takes back. What is so instead is kept as a memory where none of them tells it.
func (svc *Service) Mend(ask Wrong, ids []string) (done Mended, err error) {
	var tell func()
	work := func(tx *storage.Tx) error {
		f, err := svc.findPlaces(tx, ask)
		if err != nil {
			return err
		}
		if done, err = f.mend(svc, ids); err != nil {
			return err
		}
		tell = svc.tellMended(f.chat)
		return nil
	}
	if err = svc.changing(ask.Chat, "correct", slices.ContainsFunc(ids, inMessage), work); err != nil {
		return Mended{}, err
	}
	tell()
	return done, nil
}

// changing does something in one transaction. Messages stand still while a reply is
// being written.
func (svc *Service) changing(chat storage.ChatID, op string, messages bool, f func(tx *storage.Tx) error) error {
	if messages {
		return svc.chats.Rewrite(chat, op, f)
	}
	if err := svc.core.Store.Update(f); err != nil {
		return failure.Fail(op, err)
	}
	return nil
}

// Unmend takes the last correction of a chat back, and tells what it was. It refuses where
// step names another one. What was changed since is left as it is, and counted.
func (svc *Service) Unmend(chat storage.ChatID, step string) (words string, left int, err error) {
	var tell func()
	err = svc.chats.Rewrite(chat, "undo the correction", func(tx *storage.Tx) (err error) {
		words, left, tell, err = svc.takeBack(tx, chat, step)
		return err
	})
	if err != nil {
		return "", 0, err
	}
	tell()
	return words, left, nil
}

// Uncorrect takes a correction back for the chat's undo, unless it is not kept any more.
func (svc *Service) Uncorrect(tx *storage.Tx, u *chats.CorrectionUndo) (err error) {
	steps := stepsOf(tx, u.Chat)
	if len(steps) == 0 || u.Step != "" && !slices.ContainsFunc(steps, func(s mendStep) bool { return s.ID == u.Step }) {
		return nil
	}
	_, _, u.After, err = svc.takeBack(tx, u.Chat, u.Step)
	u.Taken = err == nil
	return err
}

// tellMended gives the events that say what a correction has changed.
func (svc *Service) tellMended(c storage.Chat) func() {
	return func() {
		svc.core.Emit(scenes.Changed{Chat: c.ID})
		svc.core.Emit(Changed{Scope: chats.ScopeOf(c)})
		svc.core.Emit(lore.Changed{Chat: c.ID})
	}
}
