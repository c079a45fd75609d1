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

// Correction is a correction that the user asks for: a wrong sentence, and the correct one in its
// place, "" for none.
type Correction struct {
	Chat    storage.ChatID
	Wrong   string
	Instead string
	Message storage.NodeID // the message that contains the marked text, "" for none
}

// CorrectionPlan describes what a correction would do.
type CorrectionPlan struct {
	Chat    storage.ChatID `json:"chat"`
	Wrong   string         `json:"wrong"`
	Instead string         `json:"instead"`
	// Places are sorted: certain ones first, messages after the records that were made of them.
	Places  []Place `json:"places"`
	LeftOut int     `json:"left_out"` // places that were too many
	// Remembers reports that the correct sentence becomes a memory if only the chosen places are
	// corrected, since none of these states it.
	Remembers bool `json:"remembers"`
}

// Place is a place that certainly or possibly contains the wrong sentence.
type Place struct {
	ID     string     `json:"id"`
	Number int        `json:"number"` // among the places, from 1
	Kind   facts.Kind `json:"kind"`
	Home   string     `json:"home"`  // in words
	Now    string     `json:"now"`   // the current text
	After  string     `json:"after"` // the text after the correction, "" for none
	Effect string     `json:"does"`  // the effect, in words
	// Certain reports that the place has exactly the wrong sentence. Chosen places are corrected by
	// default; messages are never chosen by default.
	Certain bool           `json:"certain"`
	Chosen  bool           `json:"chosen"`
	Message storage.NodeID `json:"message"` // that contains it or that it came from, "" for none

	at      address
	book    storage.LorebookID // of an entry's
	current bool               // of a recap's: prompts contain that recap, no other in its place
}

// CorrectionResult is the result of a correction.
type CorrectionResult struct {
	Count    int    `json:"mended"`     // places
	Remember bool   `json:"remembered"` // the correct sentence was stored as a memory
	Step     string `json:"-"`          // names it for Unmend
}

// The effects on a place.
const (
	effectReword = "reworded"
	effectDrop   = "removed"
	effectEnd    = "ends"
)

// Bounds of a correction.
const (
	maxWrong   = 600 // runes
	maxCertain = 80  // places
	maxUnsure  = 24
)

// Sentences returns the sentences of a message that a correction may be about.
func Sentences(text string) []string { return slices.Clone(sentences(text)) }

// PlanCorrection finds the places that contain a wrong sentence. It reads the whole play.
func (svc *Service) PlanCorrection(ask Correction) (m CorrectionPlan, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		f, err := svc.findPlaces(tx, ask)
		if err != nil {
			return err
		}
		m = CorrectionPlan{Chat: ask.Chat, Wrong: ask.Wrong, Instead: ask.Instead, Places: f.places, LeftOut: f.left}
		f.dropRepeated(func(p *Place) bool { return p.Chosen })
		m.Remembers = f.needsMemory(func(p *Place) bool { return p.Chosen })
		return nil
	})
	if err != nil {
		return m, failure.Wrap("find the wrong sentence", err)
	}
	return m, nil
}

// validate returns an error for a correction that is not possible.
func (ask Correction) validate() (Correction, error) {
	ask.Wrong, ask.Instead = strings.Join(strings.Fields(ask.Wrong), " "),
		strings.Join(strings.Fields(ask.Instead), " ")
	switch {
	case len(facts.WordsOf(ask.Wrong).All) == 0:
		return ask, failure.Refusef("enter the wrong sentence")
	case failure.FirstRunes(ask.Wrong, maxWrong) != ask.Wrong, failure.FirstRunes(ask.Instead, maxWrong) != ask.Instead:
		return ask, failure.Refusef("a sentence may have at most %d characters: correct one sentence at a time",
			maxWrong)
	case ask.Wrong == ask.Instead:
		return ask, failure.Refusef("both sentences are the same")
	}
	return ask, nil
}

// ApplyCorrection corrects the named places in one step, which UndoCorrection undoes. If none of
// them states the correct sentence, it is stored as a memory.
func (svc *Service) ApplyCorrection(ask Correction, ids []string) (done CorrectionResult, err error) {
	var tell func()
	work := func(tx *storage.Tx) error {
		f, err := svc.findPlaces(tx, ask)
		if err != nil {
			return err
		}
		if done, err = f.apply(svc, ids); err != nil {
			return err
		}
		tell = svc.emitCorrected(f.chat)
		return nil
	}
	if err = svc.update(ask.Chat, "correct", slices.ContainsFunc(ids, inMessage), work); err != nil {
		return CorrectionResult{}, err
	}
	tell()
	return done, nil
}

// update runs f in one transaction. If messages is true, it goes through Rewrite, which guards
// messages while a reply is being written.
func (svc *Service) update(chat storage.ChatID, op string, messages bool, f func(tx *storage.Tx) error) error {
	if messages {
		return svc.chats.Rewrite(chat, op, f)
	}
	if err := svc.core.Store.Update(f); err != nil {
		return failure.Wrap(op, err)
	}
	return nil
}

// UndoCorrection undoes the last correction of a chat and describes it. It fails if step names
// another one. Places that were changed since are left unchanged and counted.
func (svc *Service) UndoCorrection(chat storage.ChatID, step string) (words string, left int, err error) {
	var tell func()
	err = svc.chats.Rewrite(chat, "undo the correction", func(tx *storage.Tx) (err error) {
		words, left, tell, err = svc.undoStep(tx, chat, step)
		return err
	})
	if err != nil {
		return "", 0, err
	}
	tell()
	return words, left, nil
}

// RevertCorrection takes a correction back for the chat's undo, unless it is not kept any more.
func (svc *Service) RevertCorrection(tx *storage.Tx, u *chats.CorrectionUndo) (err error) {
	steps := stepsOf(tx, u.Chat)
	if len(steps) == 0 || u.Step != "" && !slices.ContainsFunc(steps,
		func(s correctionStep) bool { return s.ID == u.Step }) {
		return nil
	}
	_, _, u.After, err = svc.undoStep(tx, u.Chat, u.Step)
	u.Taken = err == nil
	return err
}

// emitCorrected returns a function that emits what a correction has changed.
func (svc *Service) emitCorrected(c storage.Chat) func() {
	return func() {
		svc.core.Emit(scenes.Changed{Chat: c.ID})
		svc.core.Emit(Changed{Scope: chats.ScopeOf(c)})
		svc.core.Emit(lore.Changed{Chat: c.ID})
	}
}
