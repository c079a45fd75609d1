package engine

import (
	"errors"
	"slices"

	"ghostlight/storage"
)

// Swipe goes to the sibling step places from a message and down from there to
// the newest leaf. Past the last sibling of the chat's last reply it asks for
// another one. It tells whether anything was done.
func (e *Engine) Swipe(chat storage.ChatID, node storage.NodeID, step int) (bool, error) {
	if e.Running(chat) {
		return false, fail("swipe", ErrTurnRunning)
	}
	var to storage.NodeID
	another := false
	err := e.store.View(func(tx *storage.Tx) error {
		ids, at, err := tx.Siblings(chat, node)
		if err != nil {
			return err
		}
		if i := at + step; i >= 0 && i < len(ids) {
			to = ids[i]
			return nil
		}
		n, err := tx.Node(chat, node)
		if err != nil {
			return err
		}
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		another = step > 0 && n.Role == storage.Assistant && n.Parent != "" && below(tx, c, node) == c.Head
		return nil
	})
	switch {
	case err != nil:
		return false, fail("swipe", err)
	case to != "":
		err = e.rewrite(chat, "swipe", func(tx *storage.Tx) error { return e.moveHead(tx, chat, to) })
	case another:
		err = e.Regenerate(chat, node)
	default:
		return false, nil
	}
	return err == nil, err
}

// moveHead puts the head on the newest leaf under a node.
func (e *Engine) moveHead(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	leaf, err := tx.Leaf(chat, node)
	if err != nil {
		return err
	}
	return e.setHead(tx, chat, leaf)
}

func (e *Engine) setHead(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	c.Head, c.UpdatedAt = node, e.cfg.Now()
	return storage.Chats.Put(tx, chat, c)
}

// Goto puts the head on the newest leaf under a message.
func (e *Engine) Goto(chat storage.ChatID, node storage.NodeID) error {
	return e.rewrite(chat, "go to message", func(tx *storage.Tx) error { return e.moveHead(tx, chat, node) })
}

// Branch puts the head on a message itself: what is said next begins a branch.
// Undo leads back for as long as nothing was said.
func (e *Engine) Branch(chat storage.ChatID, node storage.NodeID) error {
	return e.rewrite(chat, "branch", func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if _, err := tx.Node(chat, node); err != nil {
			return err
		}
		if c.Head == node {
			return refuse("this is the end of the chat already: what you say next goes on from here")
		}
		if err := tx.PutSetting(undoKey(chat), undoStep{From: c.Head, To: node}); err != nil {
			return err
		}
		return e.setHead(tx, chat, node)
	})
}

// rewrite changes a chat's tree in one transaction and tells of it. While a
// reply is being written the tree stands still.
func (e *Engine) rewrite(chat storage.ChatID, op string, f func(tx *storage.Tx) error) error {
	e.catchUp(chat)
	err := e.store.Update(func(tx *storage.Tx) error {
		if e.Running(chat) { // in here, so that no turn begins between this and the change
			return ErrTurnRunning
		}
		return f(tx)
	})
	if err != nil {
		return fail(op, err)
	}
	e.emit(ChatChanged{chat})
	e.tellStale()
	return nil
}

// Edit rewrites what a message says.
func (e *Engine) Edit(chat storage.ChatID, node storage.NodeID, text string) error {
	return e.rewrite(chat, "edit", func(tx *storage.Tx) error {
		n, err := tx.Node(chat, node)
		if err != nil {
			return err
		}
		if n.Role == storage.SceneCapture {
			return refuse("a picture has no text")
		}
		n.Content, n.EditedAt, n.State, n.Fault = text, e.cfg.Now(), storage.Complete, ""
		if err := tx.PutNode(n); err != nil {
			return err
		}
		return e.touchScenes(tx, chat, node)
	})
}

// undoStep is what brings the last deletion of a chat back, or leads out of a
// branch in which nothing was said.
type undoStep struct {
	Nodes []storage.NodeID `json:"nodes"` // to show again
	From  storage.NodeID   `json:"from"`  // where the head stood
	To    storage.NodeID   `json:"to"`    // where it was put
}

func undoKey(chat storage.ChatID) string { return "undo/" + string(chat) }

// Delete takes a message out of the chat, or with below the message and all
// that follows it, on all its branches. Nothing is removed from the store; Undo
// brings it back.
func (e *Engine) Delete(chat storage.ChatID, node storage.NodeID, below bool) error {
	return e.rewrite(chat, "delete", func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		n, err := tx.Node(chat, node)
		if err != nil {
			return err
		}
		step := undoStep{Nodes: []storage.NodeID{n.ID}, From: c.Head}
		if below {
			if n.Parent == "" {
				return refuse("nothing would be left: delete the chat instead")
			}
			if step.Nodes, err = subtree(tx, n); err != nil {
				return err
			}
		}
		if err := e.show(tx, chat, step.Nodes, false); err != nil {
			return err
		}
		if slices.Contains(step.Nodes, c.Head) {
			if c.Head, err = insteadOf(tx, n); err != nil {
				return err
			}
		}
		step.To = c.Head
		if err := tx.PutSetting(undoKey(chat), step); err != nil {
			return err
		}
		return storage.Chats.Put(tx, chat, c)
	})
}

// insteadOf is where the head goes when the message that it stood on is gone: to
// another version of it, or to what was said before.
func insteadOf(tx *storage.Tx, n storage.Node) (storage.NodeID, error) {
	kids, err := tx.Children(n.Chat, n.Parent)
	if err != nil {
		return "", err
	}
	for _, id := range slices.Backward(kids) {
		if other, err := tx.Node(n.Chat, id); err != nil {
			return "", err
		} else if !other.Deleted && other.Role == n.Role {
			return tx.Leaf(n.Chat, id)
		}
	}
	if n.Parent == "" {
		return n.ID, nil
	}
	return n.Parent, nil
}

// subtree lists a message and all that hang below it, as far as they are shown.
func subtree(tx *storage.Tx, n storage.Node) ([]storage.NodeID, error) {
	var out []storage.NodeID
	for open := []storage.NodeID{n.ID}; len(open) > 0; {
		id := open[len(open)-1]
		kids, err := tx.Children(n.Chat, id)
		if err != nil {
			return nil, err
		}
		open = append(open[:len(open)-1], kids...)
		if at, err := tx.Node(n.Chat, id); err != nil {
			return nil, err
		} else if !at.Deleted {
			out = append(out, id)
		}
	}
	return out, nil
}

// show takes messages out of the chat or puts them back in.
func (e *Engine) show(tx *storage.Tx, chat storage.ChatID, ids []storage.NodeID, on bool) error {
	for _, id := range ids {
		n, err := tx.Node(chat, id)
		if err != nil {
			return err
		}
		n.Deleted = !on
		if err := tx.PutNode(n); err != nil {
			return err
		}
	}
	return e.touchScenes(tx, chat, ids...)
}

// ErrNoUndo: nothing was done that could be undone.
var ErrNoUndo = errors.New("there is nothing to undo here")

// Undo brings back what the last Delete in a chat took out.
func (e *Engine) Undo(chat storage.ChatID) error {
	return e.rewrite(chat, "undo", func(tx *storage.Tx) error {
		var step undoStep
		if ok, err := tx.Setting(undoKey(chat), &step); err != nil {
			return err
		} else if !ok {
			return ErrNoUndo
		}
		if err := e.show(tx, chat, step.Nodes, true); err != nil {
			return err
		}
		if err := tx.PutSetting(undoKey(chat), nil); err != nil {
			return err
		}
		// What was said since stays where it is: the head goes back only if it
		// still stands where the deletion put it.
		c, err := storage.Chats.Get(tx, chat)
		if err != nil || c.Head != step.To {
			return err
		}
		c.Head = step.From
		return storage.Chats.Put(tx, chat, c)
	})
}
