package chats

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MoveHead moves the head to the newest leaf under a node.
func (svc *Service) MoveHead(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	leaf, err := tx.Leaf(chat, node)
	if err != nil {
		return err
	}
	return svc.SetHead(tx, chat, leaf)
}

// SetHead sets the head of a chat to a message.
func (svc *Service) SetHead(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	from := c.Head
	c.Head, c.UpdatedAt = node, svc.core.Config.Now()
	if err := storage.Chats.Put(tx, chat, c); err != nil {
		return err
	}
	return svc.HeadMoved.Run(tx, HeadMove{c, from})
}

// Goto moves the head to the newest leaf under a message.
func (svc *Service) Goto(chat storage.ChatID, node storage.NodeID) error {
	return svc.Rewrite(chat, "go to message", func(tx *storage.Tx) error { return svc.MoveHead(tx, chat, node) })
}

// Branch moves the head to a message itself: the next message begins a branch. Undo moves it back
// if no message was added since.
func (svc *Service) Branch(chat storage.ChatID, node storage.NodeID) error {
	return svc.Rewrite(chat, "branch", func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		if _, err := tx.Node(chat, node); err != nil {
			return err
		}
		if c.Head == node {
			return failure.Refusef("this is already the end of the chat: your next message continues here")
		}
		if err := svc.note(tx, chat, storage.Change{Kind: storage.ChangeBranch, Nodes: []storage.NodeID{node},
			From: c.Head, To: node}); err != nil {
			return err
		}
		return svc.SetHead(tx, chat, node)
	})
}

// Rewrite changes a chat's tree in one transaction and emits ChatChanged. It returns ErrTurnRunning
// while a reply is being written.
func (svc *Service) Rewrite(chat storage.ChatID, op string, f func(tx *storage.Tx) error) error {
	svc.Turns.RetrySave(chat)
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		if svc.Turns.Running(chat) != nil { // inside the transaction, so that no turn begins before the change
			return failure.ErrTurnRunning
		}
		return f(tx)
	})
	if err != nil {
		return failure.Wrap(op, err)
	}
	svc.core.Emit(ChatChanged{chat})
	svc.Edited.Run(chat)
	return nil
}

// Edit replaces the text of a message. Undo restores the old text, and Restore can do so at any
// time later.
func (svc *Service) Edit(chat storage.ChatID, node storage.NodeID, text string) error {
	return svc.Rewrite(chat, "edit", func(tx *storage.Tx) error {
		n, err := tx.Node(chat, node)
		if err != nil {
			return err
		}
		if n.Role == storage.SceneCapture {
			return failure.Refusef("a picture has no text")
		}
		return svc.reword(tx, n, text, storage.ChangeEdit)
	})
}

// reword replaces the text of a message, and records that as a change of a kind.
func (svc *Service) reword(tx *storage.Tx, n storage.Node, text string, kind storage.ChangeKind) error {
	was := wordingOf(n)
	now := storage.TextState{Text: text, State: storage.Complete, EditedAt: svc.core.Config.Now()}
	if now.Text != was.Text || now.State != was.State || now.Fault != was.Fault {
		if err := svc.note(tx, n.Chat, storage.Change{Kind: kind, Nodes: []storage.NodeID{n.ID}, Was: &was,
			Now: &now}); err != nil {
			return err
		}
	}
	return svc.putWording(tx, n, now)
}

// Delete hides a message, or with below the message and everything under it on all branches.
// Nothing is removed from the store; Undo brings it back.
func (svc *Service) Delete(chat storage.ChatID, node storage.NodeID, below bool) error {
	return svc.Rewrite(chat, "delete", func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		n, err := tx.Node(chat, node)
		if err != nil {
			return err
		}
		step := storage.Change{Kind: storage.ChangeDelete, Nodes: []storage.NodeID{n.ID}, From: c.Head}
		if below {
			if n.Parent == "" {
				return failure.Refusef("nothing would be left: delete the chat instead")
			}
			if step.Nodes, err = subtree(tx, n); err != nil {
				return err
			}
		}
		if err := svc.show(tx, chat, step.Nodes, false); err != nil {
			return err
		}
		if slices.Contains(step.Nodes, c.Head) {
			if c.Head, err = replacementHead(tx, n); err != nil {
				return err
			}
		}
		step.To = c.Head
		if err := svc.note(tx, chat, step); err != nil {
			return err
		}
		return storage.Chats.Put(tx, chat, c)
	})
}

// DeleteSwipes hides a message and all other swipes of it. Undo brings them back.
func (svc *Service) DeleteSwipes(chat storage.ChatID, node storage.NodeID) error {
	return svc.Rewrite(chat, "delete", func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		n, err := tx.Node(chat, node)
		if err != nil {
			return err
		}
		if n.Parent == "" {
			return failure.Refusef("the start of the chat would be empty: delete the chat instead")
		}
		step := storage.Change{Kind: storage.ChangeDelete, From: c.Head}
		if step.Nodes, err = swipes(tx, n); err != nil {
			return err
		}
		if err := svc.show(tx, chat, step.Nodes, false); err != nil {
			return err
		}
		if slices.Contains(step.Nodes, c.Head) {
			c.Head = n.Parent
		}
		step.To = c.Head
		if err := svc.note(tx, chat, step); err != nil {
			return err
		}
		return storage.Chats.Put(tx, chat, c)
	})
}

// swipes returns the shown siblings of a message that have its role, including itself.
func swipes(tx *storage.Tx, n storage.Node) ([]storage.NodeID, error) {
	ids, _, err := tx.Siblings(n.Chat, n.ID)
	if err != nil {
		return nil, err
	}
	var out []storage.NodeID
	for _, id := range ids {
		p, err := tx.NodeInfo(n.Chat, id)
		if err != nil {
			return nil, err
		}
		if p.Role == n.Role {
			out = append(out, id)
		}
	}
	return out, nil
}

// AbandonedLeaf returns the end of the messages below the head from before a branch was begun
// there: the leaf that the user left, or else the newest one. It returns "" if the head is a leaf.
func AbandonedLeaf(tx *storage.Tx, c storage.Chat) (storage.NodeID, error) {
	leaf, err := tx.Leaf(c.ID, c.Head)
	if err != nil || leaf == c.Head || c.Head == "" {
		return "", err
	}
	from, err := leftFor(tx, c)
	if err != nil || from == "" {
		return leaf, err
	}
	if p, err := tx.NodeInfo(c.ID, from); err == nil && !p.Deleted {
		return from, nil
	}
	return leaf, nil
}

// replacementHead returns the new head after the head's message was deleted: another version of it,
// or its parent.
func replacementHead(tx *storage.Tx, n storage.Node) (storage.NodeID, error) {
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

// subtree returns a message and everything below it, without deleted messages.
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

// show undeletes messages, or deletes them if on is false.
func (svc *Service) show(tx *storage.Tx, chat storage.ChatID, ids []storage.NodeID, on bool) error {
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
	return svc.Rewritten.Run(tx, RewrittenMessages{Chat: chat, Nodes: ids})
}

// RewrittenMessages are messages of a chat whose text was changed, or that were deleted or
// restored.
type RewrittenMessages struct {
	Chat  storage.ChatID
	Nodes []storage.NodeID
	Was   string // old text of an edited message, "" otherwise
}
