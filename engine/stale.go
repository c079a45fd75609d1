package engine

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// damaged tells whether a record was missing or could not be read, rather than
// not written.
func damaged(err error) bool {
	return errors.Is(err, storage.ErrCorrupt) || errors.Is(err, storage.ErrNotFound)
}

// touchScenes looks again at what the recaps were made of in whose scenes one of
// the messages lies, on all branches: messages or breaks there have changed.
func (e *Engine) touchScenes(tx *storage.Tx, chat storage.ChatID, nodes ...storage.NodeID) error {
	touched := map[storage.NodeID]bool{}
	least := -1
	for _, id := range nodes {
		p, err := tx.Place(chat, id)
		if err != nil {
			return err
		}
		if touched[id] = true; least < 0 || p.Depth < least {
			least = p.Depth
		}
	}
	for id, b := range storage.Breaks.All(tx, chat) {
		if b.Depth < least || len(b.Versions) == 0 || !holds(tx, chat, id, touched) {
			continue
		}
		was := b.Inputs
		err := e.putScene(tx, chat, b)
		if damaged(err) { // another message of the scene, say: not this change's fault
			e.log.Warn("a scene could not be looked at again", "chat", chat, "break", id, "err", err)
			continue
		}
		if err != nil {
			return err
		}
		if now, err := storage.Breaks.Get(tx, chat, id); err == nil && now.Inputs != was {
			e.changed.add(chat, id)
		}
	}
	return nil
}

// tellStale tells of recaps that were made of something else than is stored
// now, and offers to make them again.
func (e *Engine) tellStale() {
	names := []string{}
	told := map[Place]bool{}
	for _, at := range e.changed.take() {
		if told[at] {
			continue
		}
		told[at] = true
		err := e.store.View(func(tx *storage.Tx) error {
			b, err := theBreak(tx, at.Chat, at.Node)
			if err != nil {
				return err
			}
			r, err := storage.Recaps.Get(tx, at.Chat, b.Recap())
			if making, _ := e.working(tx, at.Chat); err == nil && staleFor(r, b.Inputs) && !making[at.Node] {
				names = append(names, b.Name)
			}
			return err
		})
		if err != nil {
			continue // it was not stored after all
		}
	}
	switch len(names) {
	case 0:
	case 1:
		e.emit(Notice{Info, fmt.Sprintf("the recap of the scene “%s” is out of date now; made again it fits what was said", names[0])})
	default:
		e.emit(Notice{Info, fmt.Sprintf("the recaps of %d scenes are out of date now; made again they fit what was said", len(names))})
	}
}

// places are messages to be told of once what happened there is stored. The zero
// value is ready; it is safe for concurrent use.
type places struct {
	mu   sync.Mutex
	list []Place
}

func (p *places) add(chat storage.ChatID, node storage.NodeID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.list = append(p.list, Place{chat, node})
}

// take hands all of them over.
func (p *places) take() []Place {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.list
	p.list = nil
	return out
}

// holds tells whether one of some messages lies in the scene that ends at brk,
// the break before that scene counted in.
func holds(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID, touched map[storage.NodeID]bool) bool {
	for p := range tx.Spine(chat, brk) {
		if touched[p.ID] {
			return true
		}
		if p.ID != brk && shownBreak(tx, chat, p.ID) {
			return false
		}
	}
	return false
}

// rehash brings a break's hashes in line with the messages of its scene and the
// text of its recap.
func (e *Engine) rehash(tx *storage.Tx, chat storage.ChatID, b *storage.Break) error {
	s, err := stretchAt(tx, chat, b.Node)
	if err != nil {
		return err
	}
	msgs, err := messagesIn(tx, chat, s)
	if err != nil {
		return err
	}
	b.Inputs, b.Text = scene.Inputs(e.told(msgs)), ""
	if id := b.Recap(); id != "" {
		r, err := storage.Recaps.Get(tx, chat, id)
		if err != nil && !damaged(err) {
			return err
		}
		if err == nil {
			b.Text = textHash(r.Text)
		}
	}
	return nil
}

// told are the messages that recaps are made of, by the setting.
func (e *Engine) told(msgs []scene.Message) []scene.Message {
	var only storage.Role
	switch e.cfg.Scenes.Types {
	case "user":
		only = storage.User
	case "character":
		only = storage.Assistant
	default:
		return msgs
	}
	return slices.DeleteFunc(slices.Clone(msgs), func(m scene.Message) bool { return m.Role != only })
}

func textHash(text string) string { return scene.Key("", []scene.Prompt{{Content: text}}, "") }

// touchReply is touchScenes for a reply that is finished.
func (e *Engine) touchReply(tx *storage.Tx, n *storage.Node) error {
	return e.touchScenes(tx, n.Chat, n.ID)
}

// touchRewritten is touchScenes for messages that were changed.
func (e *Engine) touchRewritten(tx *storage.Tx, r Rewrite) error {
	return e.touchScenes(tx, r.Chat, r.Nodes...)
}
