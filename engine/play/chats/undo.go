package chats

import (
	"errors"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Limits of the changes that a chat remembers.
const (
	maxChanges     = 100
	maxChangeBytes = 1 << 20
)

// ErrNoUndo reports that nothing was done that could be undone.
var ErrNoUndo = errors.New("nothing to undo")

// ErrNoRedo reports that nothing was undone that could be done again, or something else was done since.
var ErrNoRedo = errors.New("nothing to redo")

// CorrectionUndo is a correction to be undone within the current transaction.
type CorrectionUndo struct {
	Chat storage.ChatID
	// Step identifies the correction, "" for the last one. The undo is refused if another
	// correction was made since.
	Step string
	// Taken is set if the correction was undone. Call After once the transaction is stored.
	Taken bool
	After func()
}

// Undo undoes the last change of a chat that is still in effect. Repeated calls go back through all
// changes that the chat remembers.
func (svc *Service) Undo(chat storage.ChatID) error {
	_, err := svc.StepBack(chat)
	return err
}

// StepBack is like Undo, and returns the change that was undone.
func (svc *Service) StepBack(chat storage.ChatID) (back Change, err error) {
	after := func() {}
	err = svc.Rewrite(chat, "undo", func(tx *storage.Tx) error {
		list, err := changesOf(tx, chat)
		if err != nil {
			return err
		}
		for _, c := range slices.Backward(list) {
			if c.Undone > 0 || c.Spent {
				continue
			}
			taken, tell, err := svc.undoChange(tx, chat, &c)
			if err != nil {
				return err
			}
			if taken {
				c.Undone, after = lastUndone(list)+1, tell
				back = changeOf(tx, chat, c)
				return storage.Changes.Put(tx, chat, c)
			}
			c.Spent = true
			if err := storage.Changes.Put(tx, chat, c); err != nil {
				return err
			}
		}
		return ErrNoUndo
	})
	if err != nil {
		return Change{}, err
	}
	after()
	return back, nil
}

// StepForward redoes the change of a chat that was undone last, and returns it. If the chat was
// changed since, it returns ErrNoRedo.
func (svc *Service) StepForward(chat storage.ChatID) (forth Change, err error) {
	err = svc.Rewrite(chat, "redo", func(tx *storage.Tx) error {
		list, err := changesOf(tx, chat)
		if err != nil {
			return err
		}
		at := redoable(list)
		if at < 0 {
			return ErrNoRedo
		}
		c := list[at]
		if err := svc.redoChange(tx, chat, &c); err != nil {
			return err
		}
		c.Undone = 0
		forth = changeOf(tx, chat, c)
		return storage.Changes.Put(tx, chat, c)
	})
	return forth, err
}

// redoable returns the index of the change that was undone last, -1 if there is none or another
// change was made since.
func redoable(list []storage.Change) int {
	at := -1
	for i, c := range list {
		switch {
		case c.Spent:
		case c.Undone == 0:
			at = -1
		case at < 0 || c.Undone > list[at].Undone:
			at = i
		}
	}
	return at
}

// lastUndone returns the highest Undone number of the changes.
func lastUndone(list []storage.Change) (n int) {
	for _, c := range list {
		n = max(n, c.Undone)
	}
	return n
}

// undoChange undoes one change and stores in it what redoing needs. It reports whether the change
// could still be undone.
func (svc *Service) undoChange(tx *storage.Tx, chat storage.ChatID,
	c *storage.Change) (taken bool, after func(), err error) {
	after = func() {}
	switch c.Kind {
	case storage.ChangeEdit, storage.ChangeRestore:
		taken, err = svc.swapWording(tx, chat, c, c.Was, &c.Now)
	case storage.ChangeDelete, storage.ChangeCombine:
		if err := svc.show(tx, chat, c.Nodes, c.Kind == storage.ChangeDelete); err != nil {
			return false, after, err
		}
		// Later messages stay where they are: the head moves back only if it is still where the
		// change put it.
		_, err = svc.restoreHead(tx, chat, c)
		taken = true
	case storage.ChangeBranch:
		taken, err = svc.restoreHead(tx, chat, c)
	case storage.ChangeName:
		taken, err = true, swapName(tx, chat, c, c.Was, &c.Now)
	case storage.ChangeSampling:
		taken, err = swapSampling(tx, chat, c)
	case storage.ChangeCorrect:
		u := CorrectionUndo{Chat: chat, Step: c.Step, After: after}
		err = svc.CorrectionUndone.Run(tx, &u)
		taken, after = u.Taken, u.After
	}
	return taken, after, err
}

// redoChange redoes a change that was undone.
func (svc *Service) redoChange(tx *storage.Tx, chat storage.ChatID, c *storage.Change) error {
	switch c.Kind {
	case storage.ChangeEdit, storage.ChangeRestore:
		if done, err := svc.swapWording(tx, chat, c, c.Now, &c.Was); err != nil || done {
			return err
		}
		return ErrNoRedo
	case storage.ChangeDelete:
		if err := svc.show(tx, chat, c.Nodes, false); err != nil {
			return err
		}
		at, err := storage.Chats.Get(tx, chat)
		if err != nil || !slices.Contains(c.Nodes, at.Head) {
			return err
		}
		return svc.SetHead(tx, chat, c.To)
	case storage.ChangeCombine:
		if err := svc.show(tx, chat, c.Nodes, true); err != nil {
			return err
		}
		return svc.SetHead(tx, chat, c.To)
	case storage.ChangeBranch:
		return svc.SetHead(tx, chat, c.To)
	case storage.ChangeName:
		return swapName(tx, chat, c, c.Now, &c.Was)
	case storage.ChangeSampling:
		_, err := swapSampling(tx, chat, c)
		return err
	}
	return failure.Refusef("a correction cannot be redone: correct the sentence again")
}

// restoreHead moves the head back to where it was before a change, unless it was moved since. It
// reports whether it was moved back.
func (svc *Service) restoreHead(tx *storage.Tx, chat storage.ChatID, c *storage.Change) (bool, error) {
	at, err := storage.Chats.Get(tx, chat)
	if err != nil || at.Head != c.To {
		return false, err
	}
	at.Head = c.From
	if err := storage.Chats.Put(tx, chat, at); err != nil {
		return false, err
	}
	return true, svc.HeadMoved.Run(tx, HeadMove{at, c.To})
}

// swapWording replaces the text of a change's message with put, and stores the old text in kept. It
// reports whether the message still exists.
func (svc *Service) swapWording(tx *storage.Tx, chat storage.ChatID, c *storage.Change, put *storage.TextState,
	kept **storage.TextState) (bool, error) {
	if put == nil || len(c.Nodes) == 0 {
		return false, nil
	}
	n, err := tx.Node(chat, c.Nodes[0])
	if errors.Is(err, storage.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	now := wordingOf(n)
	*kept = &now
	return true, svc.putWording(tx, n, *put)
}

// putWording replaces the text of a message and runs the hooks for that.
func (svc *Service) putWording(tx *storage.Tx, n storage.Node, w storage.TextState) error {
	was := n.Content
	n.Content, n.State, n.Fault, n.EditedAt = w.Text, w.State, w.Fault, w.EditedAt
	if err := tx.PutNode(n); err != nil {
		return err
	}
	return svc.Rewritten.Run(tx, RewrittenMessages{n.Chat, []storage.NodeID{n.ID}, was})
}

func wordingOf(n storage.Node) storage.TextState {
	return storage.TextState{Text: n.Content, State: n.State, Fault: n.Fault, EditedAt: n.EditedAt}
}

// swapName sets the name of a branch, and stores the old name in kept.
func swapName(tx *storage.Tx, chat storage.ChatID, c *storage.Change, put *storage.TextState,
	kept **storage.TextState) error {
	if put == nil || len(c.Nodes) == 0 {
		return nil
	}
	was, err := putName(tx, chat, c.Nodes[0], put.Text)
	*kept = &storage.TextState{Text: was}
	return err
}

// note adds a change to the list of its chat, and removes the oldest if there are too many.
func (svc *Service) note(tx *storage.Tx, chat storage.ChatID, c storage.Change) error {
	c.At = svc.core.Config.Now()
	return noteChange(tx, chat, c)
}

func noteChange(tx *storage.Tx, chat storage.ChatID, c storage.Change) error {
	if err := adopt(tx, chat); err != nil {
		return err
	}
	if err := tx.AddChange(chat, &c); err != nil {
		return err
	}
	return tx.TrimChanges(chat, maxChanges, maxChangeBytes)
}

// Correction is a correction as the list of changes has it.
type Correction struct {
	Step           string // identifies it
	Wrong, Instead string
	At             time.Time
}

// AddCorrection adds a correction to the list of a chat's changes.
func AddCorrection(tx *storage.Tx, chat storage.ChatID, m Correction) error {
	return noteChange(tx, chat, storage.Change{At: m.At, Kind: storage.ChangeCorrect, Step: m.Step,
		Was: &storage.TextState{Text: m.Wrong}, Now: &storage.TextState{Text: m.Instead}})
}

// MarkCorrectionUndone marks a correction as undone.
func MarkCorrectionUndone(tx *storage.Tx, chat storage.ChatID, step string) error {
	list, err := changesOf(tx, chat)
	if err != nil {
		return err
	}
	for _, named := range []string{step, ""} { // old corrections have no ID
		for _, c := range slices.Backward(list) {
			if c.Kind == storage.ChangeCorrect && c.Undone == 0 && c.Step == named {
				c.Undone = lastUndone(list) + 1
				return storage.Changes.Put(tx, chat, c)
			}
		}
	}
	return nil
}

// leftFor returns the head's position before Branch moved it to where it is now; "" if it was not
// moved by Branch.
func leftFor(tx *storage.Tx, c storage.Chat) (storage.NodeID, error) {
	for _, x := range storage.Changes.Backward(tx, c.ID) {
		if x.Kind == storage.ChangeBranch && x.Undone == 0 && x.To == c.Head {
			return x.From, nil
		}
	}
	old, err := oldChanges(tx, c.ID)
	for _, x := range slices.Backward(old) {
		if x.Kind == storage.ChangeBranch && x.To == c.Head {
			return x.From, err
		}
	}
	return "", err
}

// changesOf returns the changes of a chat, the newest last. It converts those of the old format
// first.
func changesOf(tx *storage.Tx, chat storage.ChatID) ([]storage.Change, error) {
	if err := adopt(tx, chat); err != nil {
		return nil, err
	}
	var list []storage.Change
	for _, c := range storage.Changes.All(tx, chat) {
		list = append(list, c)
	}
	return list, nil
}

// undoStep is the old format of a chat's undoable changes, from before the list of changes.
type undoStep struct {
	Nodes  []storage.NodeID `json:"nodes"`
	From   storage.NodeID   `json:"from"`
	To     storage.NodeID   `json:"to"`
	Mended bool             `json:"mended,omitempty"`
	Before *undoStep        `json:"before,omitempty"`
}

// UndoKey returns the setting that held a chat's undo steps in the old format.
func UndoKey(chat storage.ChatID) string { return "undo/" + string(chat) }

// oldChanges returns a chat's changes from the old format, the newest last.
func oldChanges(tx *storage.Tx, chat storage.ChatID) (list []storage.Change, err error) {
	var step undoStep
	ok, err := tx.Setting(UndoKey(chat), &step)
	if err != nil || !ok {
		return nil, err
	}
	for at := &step; at != nil; at = at.Before {
		c := storage.Change{Kind: storage.ChangeDelete, Nodes: at.Nodes, From: at.From, To: at.To}
		switch {
		case at.Mended:
			c.Kind = storage.ChangeCorrect
		case len(at.Nodes) == 0:
			c.Kind, c.Nodes = storage.ChangeBranch, []storage.NodeID{at.To}
		}
		list = append(list, c)
	}
	slices.Reverse(list)
	return list, nil
}

// adopt moves a chat's changes from the old format into the list.
func adopt(tx *storage.Tx, chat storage.ChatID) error {
	list, err := oldChanges(tx, chat)
	if err != nil || len(list) == 0 {
		return err
	}
	for _, c := range list {
		if err := tx.AddChange(chat, &c); err != nil {
			return err
		}
	}
	return tx.PutSetting(UndoKey(chat), nil)
}
