package chats

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MoveHead puts the head on the newest leaf under a node.
func (svc *Service) MoveHead(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	leaf, err := tx.Leaf(chat, node)
	if err != nil {
		return err
	}
	return svc.SetHead(tx, chat, leaf)
}

// SetHead puts the head of a chat on a message.
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

// Goto puts the head on the newest leaf under a message.
func (svc *Service) Goto(chat storage.ChatID, node storage.NodeID) error {
	return svc.Rewrite(chat, "go to message", func(tx *storage.Tx) error { return svc.MoveHead(tx, chat, node) })
}

// Branch puts the head on a message itself: what is said next begins a branch.
// Undo leads back for as long as nothing was said.
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
			return failure.Refuse("this is already the end of the chat: your next message continues here")
		}
		if err := svc.note(tx, chat, storage.Change{Kind: storage.ChangeBranch, Nodes: []storage.NodeID{node},
			From: c.Head, To: node}); err != nil {
			return err
		}
		return svc.SetHead(tx, chat, node)
	})
}

// Rewrite changes a chat's tree in one transaction and emits that it did. It is refused while a
// reply is being written.
func (svc *Service) Rewrite(chat storage.ChatID, op string, f func(tx *storage.Tx) error) error {
	svc.Turns.CatchUp(chat)
	err := svc.core.Store.Update(func(tx *storage.Tx) error {
		if svc.Turns.Running(chat) != nil { // in here, so that no turn begins between this and the change
			return failure.ErrTurnRunning
		}
		return f(tx)
	})
	if err != nil {
		return failure.Fail(op, err)
	}
	svc.core.Emit(ChatChanged{chat})
	svc.Edited.Run(chat)
	return nil
}

// Edit rewrites what a message says. Undo gives it back what it said, and so does Restore
// at any time later.
func (svc *Service) Edit(chat storage.ChatID, node storage.NodeID, text string) error {
	return svc.Rewrite(chat, "edit", func(tx *storage.Tx) error {
		n, err := tx.Node(chat, node)
		if err != nil {
			return err
		}
		if n.Role == storage.SceneCapture {
			return failure.Refuse("a picture has no text")
		}
		return svc.reword(tx, n, text, storage.ChangeEdit)
	})
}

// reword has a message say something else, and notes that as a change of a kind.
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

// Delete takes a message out of the chat, or with below the message and all
// that follows it, on all its branches. Nothing is removed from the store; Undo
// brings it back.
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
				return failure.Refuse("nothing would be left: delete the chat instead")
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

// DeleteTakes takes a message out of the chat with all other takes of it. Undo brings
// them back.
func (svc *Service) DeleteTakes(chat storage.ChatID, node storage.NodeID) error {
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
			return failure.Refuse("the start of the chat would be empty: delete the chat instead")
		}
		step := storage.Change{Kind: storage.ChangeDelete, From: c.Head}
		if step.Nodes, err = takes(tx, n); err != nil {
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

// takes returns the shown messages in the place of one, of those that are of its kind.
func takes(tx *storage.Tx, n storage.Node) ([]storage.NodeID, error) {
	ids, _, err := tx.Siblings(n.Chat, n.ID)
	if err != nil {
		return nil, err
	}
	var out []storage.NodeID
	for _, id := range ids {
		p, err := tx.Place(n.Chat, id)
		if err != nil {
			return nil, err
		}
		if p.Role == n.Role {
			out = append(out, id)
		}
	}
	return out, nil
}

// AbandonedLeaf returns the end of what was said below the head before a branch was begun there,
// "" where the head is an end itself: that which was left last, or else the newest.
func AbandonedLeaf(tx *storage.Tx, c storage.Chat) (storage.NodeID, error) {
	leaf, err := tx.Leaf(c.ID, c.Head)
	if err != nil || leaf == c.Head || c.Head == "" {
		return "", err
	}
	from, err := leftFor(tx, c)
	if err != nil || from == "" {
		return leaf, err
	}
	if p, err := tx.Place(c.ID, from); err == nil && !p.Deleted {
		return from, nil
	}
	return leaf, nil
}

// replacementHead returns where the head goes when the message that it stood on is gone: to
// another version of it, or to what was said before.
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

// RewrittenMessages are messages of a chat that say something else than before, or have been
// taken out or put back.
type RewrittenMessages struct {
	Chat  storage.ChatID
	Nodes []storage.NodeID
	Was   string // what the one message said that was edited, "" where none was
}
