package scenes

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// witnessRecap notes who knows all that a scene's recap tells: those who have
// witnessed the whole scene. Where one character plays it is that one, for others
// may come.
func witnessRecap(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID, r *storage.Recap) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return err
	}
	if !chats.Several(c) {
		return witnessed(tx, c, nil, "", r)
	}
	s, err := StretchAt(tx, chat, brk)
	if err != nil {
		return err
	}
	nodes, err := nodesIn(tx, chat, s)
	if err != nil {
		return err
	}
	return witnessed(tx, c, nodes, s.after, r)
}

// witnessed is witnessRecap for messages of a scene that begins after a break.
func witnessed(tx *storage.Tx, c storage.Chat, nodes []storage.Node, after storage.NodeID, r *storage.Recap) error {
	if !chats.Several(c) {
		r.Witnesses = []storage.CharacterID{c.Character}
		return nil
	}
	r.Witnesses = chats.KnownTo(c, nodes)
	said := messagesOf(tx, nodes)
	secret, err := secretBefore(tx, c, after)
	if err != nil {
		return err
	}
	for _, id := range scene.Inferred(r, secret, said) {
		n, err := tx.Node(c.ID, id)
		if err != nil {
			return err
		}
		r.Witnesses = storage.WitnessesOfBoth(r.Witnesses, chats.KnownTo(c, []storage.Node{n}))
	}
	if !chats.KnownToAll(c, r.Witnesses) {
		var hidden []scene.Message
		names := []string{}
		for i := range nodes {
			names = append(names, nodes[i].Name)
			if !chats.KnownToAll(c, chats.KnownTo(c, nodes[i:i+1])) {
				hidden = append(hidden, MessageFor(nodes[i]))
			}
		}
		scene.Rest(r, hidden, names...)
	}
	return nil
}

// secretBefore is what the play remembers at a break, as far as not everybody knows it: a
// message for each such fact, with the id of one that somebody has not witnessed. It is
// shown to the model that recaps the scene after the break.
func secretBefore(tx *storage.Tx, c storage.Chat, brk storage.NodeID) ([]scene.Message, error) {
	if brk == "" {
		return nil, nil
	}
	running, _, err := RunningAt(tx, c.ID, brk)
	if err != nil && !failure.Damaged(err) {
		return nil, err
	}
	list := []storage.Recap{}
	if running != nil && err == nil {
		list = append(list, *running)
	}
	for range mostEarlier {
		if brk == "" {
			break
		}
		s, err := StretchAt(tx, c.ID, brk)
		if err != nil {
			break
		}
		if r, err := storage.Recaps.Get(tx, c.ID, s.Brk.Recap()); err == nil {
			list = append(list, r)
		}
		brk = s.after
	}
	open := map[storage.NodeID]bool{}
	var out []scene.Message
	for _, r := range list {
		for _, src := range r.Sources {
			for _, id := range src.Messages {
				known, ok := open[id]
				if !ok {
					n, err := tx.Node(c.ID, id)
					known = err == nil && chats.KnownToAll(c, chats.KnownTo(c, []storage.Node{n}))
					open[id] = known
				}
				if !known {
					out = append(out, scene.Message{ID: id, Text: src.Bullet})
					break
				}
			}
		}
	}
	return out, nil
}
