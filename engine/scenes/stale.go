package scenes

import (
	"fmt"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// touchScenes checks again the inputs of the recaps of all scenes, on all branches, that contain
// one of the messages: messages or breaks there have changed.
func (svc *Service) touchScenes(tx *storage.Tx, chat storage.ChatID, nodes ...storage.NodeID) error {
	touched := map[storage.NodeID]bool{}
	least := -1
	for _, id := range nodes {
		p, err := tx.NodeInfo(chat, id)
		if err != nil {
			return err
		}
		if touched[id] = true; least < 0 || p.Depth < least {
			least = p.Depth
		}
	}
	if err := touchInterims(tx, svc.core.Settings().Scenes.Types, chat, least); err != nil {
		return err
	}
	for id, b := range storage.Breaks.All(tx, chat) {
		if b.Depth < least || len(b.Versions) == 0 || !sceneContains(tx, chat, id, touched) {
			continue
		}
		was := b.InputsHash
		err := svc.putScene(tx, chat, b)
		if failure.Damaged(err) { // another message of the scene, say: not this change's fault
			svc.core.Log.Warn("a scene could not be looked at again", "chat", chat, "break", id, "err", err)
			continue
		}
		if err != nil {
			return err
		}
		if now, err := storage.Breaks.Get(tx, chat, id); err == nil && now.InputsHash != was {
			svc.changed.Add(chat, id)
		}
	}
	return nil
}

// EmitStale reports recaps whose messages have changed since, and offers to make them again.
func (svc *Service) EmitStale() {
	names := []string{}
	seen := map[core.MessageRef]bool{}
	for _, at := range svc.changed.Take() {
		if seen[at] {
			continue
		}
		seen[at] = true
		err := svc.core.Store.View(func(tx *storage.Tx) error {
			b, err := VisibleBreak(tx, at.Chat, at.Node)
			if err != nil {
				return err
			}
			r, err := storage.Recaps.Get(tx, at.Chat, b.Recap())
			if making, _ := svc.working(tx, at.Chat); err == nil && StaleFor(r, b.InputsHash) && !making[at.Node] {
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
		svc.core.Emit(event.Notice{Level: event.Info,
			Text: fmt.Sprintf("the recap of the scene “%s” is outdated: update it", names[0])})
	default:
		svc.core.Emit(event.Notice{Level: event.Info,
			Text: fmt.Sprintf("the recaps of %d scenes are outdated: update them", len(names))})
	}
}

// sceneContains reports whether one of some messages is in the scene that ends at brk, or is the
// break before that scene.
func sceneContains(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID, touched map[storage.NodeID]bool) bool {
	for p := range tx.PathInfos(chat, brk) {
		if touched[p.ID] {
			return true
		}
		if p.ID != brk && ShownBreak(tx, chat, p.ID) {
			return false
		}
	}
	return false
}

// Rehash brings a break's hashes in line with the messages of its scene and the
// text of its recap.
func (svc *Service) Rehash(tx *storage.Tx, chat storage.ChatID, b *storage.Break) error {
	s, err := SpanAt(tx, chat, b.Node)
	if err != nil {
		return err
	}
	msgs, err := MessagesIn(tx, chat, s)
	if err != nil {
		return err
	}
	b.InputsHash, b.TextHash = scene.HashMessages(recapMessages(svc.core.Settings().Scenes.Types, msgs)), ""
	if id := b.Recap(); id != "" {
		r, err := storage.Recaps.Get(tx, chat, id)
		if err != nil && !failure.Damaged(err) {
			return err
		}
		if err == nil {
			b.TextHash = TextHash(r.Text)
		}
	}
	return nil
}

// recapMessages returns the messages that recaps are made from, according to the setting.
func recapMessages(types string, msgs []scene.Message) []scene.Message {
	var only storage.Role
	switch types {
	case "user":
		only = storage.User
	case "character":
		only = storage.Assistant
	default:
		return msgs
	}
	return slices.DeleteFunc(slices.Clone(msgs), func(m scene.Message) bool { return m.Role != only })
}

// TextHash returns the hash of a text.
func TextHash(text string) string {
	return scene.HashRequest("", []prompts.Message{{Content: text}}, "")
}

// MarkStaleByReply is touchScenes for a reply that is finished.
func (svc *Service) MarkStaleByReply(tx *storage.Tx, n chats.FinishedReply) error {
	return svc.touchScenes(tx, n.Chat, n.ID)
}

// MarkStaleByEdit is touchScenes for messages that were changed.
func (svc *Service) MarkStaleByEdit(tx *storage.Tx, r chats.RewrittenMessages) error {
	return svc.touchScenes(tx, r.Chat, r.Nodes...)
}
