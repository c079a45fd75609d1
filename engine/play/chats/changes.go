package chats

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Change is one change of a chat, as shown in the list of changes.
type Change struct {
	// ID identifies it, "" for a change made before changes were kept in a list.
	ID     storage.ChangeID   `json:"id"`
	Number int                `json:"number"` // 1 is the newest
	At     time.Time          `json:"at"`     // the zero time if unknown
	Kind   storage.ChangeKind `json:"kind"`
	// Message is the message that was changed, and Position its number on its path, from 1; they
	// are "" and 0 if no message was changed. Name is the speaker of the message.
	Message  storage.NodeID `json:"message"`
	Position int            `json:"position"`
	Name     string         `json:"name"`
	Messages int            `json:"messages"` // number of messages that were changed
	// Was and Now are the texts before and after it. For a deletion, Was is the text of the chosen
	// message.
	Was string `json:"was"`
	Now string `json:"now"`
	// Undone reports that it was undone, Spent that it can no longer be undone. Next marks the
	// change that Undo undoes, Redo the one that would be redone.
	Undone bool `json:"undone"`
	Spent  bool `json:"spent"`
	Next   bool `json:"next"`
	Redo   bool `json:"redo"`
	// Restorable reports that Restore can give the message a text from it.
	Restorable bool `json:"restorable"`
}

// Lost returns the text that Restore puts back: the one that the message lost by the change, or by
// undoing it.
func (c Change) Lost() string {
	if c.Undone {
		return c.Now
	}
	return c.Was
}

// Changes returns the changes of a chat that it still remembers, the newest first. If message is
// not "", it returns only changes of that message's text.
func (svc *Service) Changes(chat storage.ChatID, message storage.NodeID) ([]Change, error) {
	out := []Change{}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		if _, err := storage.Chats.Get(tx, chat); err != nil {
			return err
		}
		list, err := oldChanges(tx, chat)
		if err != nil {
			return err
		}
		for _, c := range storage.Changes.All(tx, chat) {
			list = append(list, c)
		}
		redo, next := redoable(list), false
		for i, c := range slices.Backward(list) {
			v := changeOf(tx, chat, c)
			v.Number, v.Redo = len(list)-i, i == redo && c.Kind != storage.ChangeCorrect
			if !next && !c.Spent && c.Undone == 0 {
				v.Next, next = true, true
			}
			if message == "" || v.Restorable && v.Message == message {
				out = append(out, v)
			}
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("list changes", err)
	}
	return out, nil
}

// changeOf returns the view of a change.
func changeOf(tx *storage.Tx, chat storage.ChatID, c storage.Change) Change {
	v := Change{ID: c.ID, At: c.At, Kind: c.Kind, Messages: len(c.Nodes), Undone: c.Undone > 0, Spent: c.Spent}
	if len(c.Nodes) > 0 {
		v.Message = c.Nodes[0]
		if n, err := tx.Node(chat, v.Message); err == nil {
			v.Position, v.Name = n.Depth+1, n.Name
			if c.Kind == storage.ChangeDelete || c.Kind == storage.ChangeCombine {
				v.Was = n.Content
			}
		}
	}
	if c.Was != nil {
		v.Was = c.Was.Text
	}
	if c.Now != nil {
		v.Now = c.Now.Text
	}
	if c.Kind == storage.ChangeCombine {
		v.Was, v.Now = "", v.Was
	}
	v.Restorable = v.ID != "" && (c.Kind == storage.ChangeEdit || c.Kind == storage.ChangeRestore)
	return v
}

// FindChange finds a change by its number in the list or the beginning of its id.
func (svc *Service) FindChange(chat storage.ChatID, ref string) (Change, error) {
	list, err := svc.Changes(chat, "")
	if err != nil {
		return Change{}, err
	}
	n, _ := strconv.Atoi(ref)
	var found []Change
	for _, c := range list {
		if c.Number == n {
			return c, nil
		}
		if len(ref) > 3 && len(ref) <= len(c.ID) && strings.EqualFold(string(c.ID)[:len(ref)], ref) {
			found = append(found, c)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Change{}, &failure.Missing{Kind: "change", Ref: ref}
	}
	return Change{}, failure.Refusef("%d changes have ids that begin with %s: give more of the id", len(found),
		failure.FirstRunes(ref, 40))
}

// Restore gives a message the text back that a change took from it, whatever was done since. That
// is a change of its own, and can be undone.
func (svc *Service) Restore(chat storage.ChatID, change storage.ChangeID) error {
	return svc.Rewrite(chat, "restore", func(tx *storage.Tx) error {
		c, err := storage.Changes.Get(tx, chat, change)
		if err != nil {
			return err
		}
		text := c.Was
		if c.Undone > 0 {
			text = c.Now
		}
		if c.Kind != storage.ChangeEdit && c.Kind != storage.ChangeRestore || text == nil || len(c.Nodes) == 0 {
			return failure.Refusef("this change removed no text: use undo instead")
		}
		n, err := tx.Node(chat, c.Nodes[0])
		switch {
		case errors.Is(err, storage.ErrNotFound):
			return failure.Refusef("the message no longer exists")
		case err != nil:
			return err
		case n.Deleted:
			return failure.Refusef("the message was deleted: undo that first")
		case n.Content == text.Text:
			return failure.Refusef("the message already has this text")
		}
		return svc.reword(tx, n, text.Text, storage.ChangeRestore)
	})
}

// Text describes a change in a few words that begin in lower case.
func (c Change) Text() string {
	at := "a deleted message"
	if c.Position > 0 {
		at = "message " + strconv.Itoa(c.Position)
		if c.Name != "" {
			at += " of " + failure.FirstRunes(c.Name, 60)
		}
	}
	switch c.Kind {
	case storage.ChangeEdit:
		return "edited " + at
	case storage.ChangeRestore:
		return "restored an earlier text of " + at
	case storage.ChangeDelete:
		if n := c.Messages - 1; n == 1 {
			at += " and one more"
		} else if n > 1 {
			at += " and " + strconv.Itoa(n) + " more"
		}
		return "deleted " + at
	case storage.ChangeBranch:
		return "started a branch at " + at
	case storage.ChangeCombine:
		return "combined swipes of " + at
	case storage.ChangeName:
		return "named the branch of " + at
	case storage.ChangeSampling:
		return "changed the sampling settings"
	}
	return "corrected a sentence"
}

// State describes the state of a change in a few words, "" for none.
func (c Change) State() string {
	switch {
	case c.Redo:
		return "undone, can be redone"
	case c.Undone:
		return "undone"
	case c.Spent:
		return "can no longer be undone"
	case c.Next:
		return "can be undone"
	}
	return ""
}
