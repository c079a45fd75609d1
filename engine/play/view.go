package play

import (
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// View reads a chat with its newest messages: at most last, or all if last is 0. It includes a
// reply that is being written, as far as it has come. It is never behind an event that was emitted
// before it returns.
func (svc *Service) View(id storage.ChatID, last int) (chats.View, error) {
	for {
		before := svc.core.Events.ChangeCount(id)
		v, err := svc.view(id, last)
		if err != nil {
			return chats.View{}, failure.Wrap("read chat", err)
		}
		if svc.core.Events.ChangeCount(id) == before {
			return v, nil
		}
	}
}

func (svc *Service) view(id storage.ChatID, last int) (v chats.View, err error) {
	live, growing, _ := svc.unsaved(id)
	stored := false
	err = svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if v.Chat, err = storage.Chats.Get(tx, id); err != nil {
			return err
		}
		v.Character, v.Persona = svc.chats.Cast(tx, v.Chat)
		if v.Draft, err = tx.Text("draft", string(id)); err != nil {
			return err
		}
		onward, err := chats.AbandonedLeaf(tx, v.Chat)
		if err != nil {
			return err
		}
		v.Fork = onward != ""
		leaf := v.Chat.Head
		if stored = chats.Has(tx, id, live.ID); growing && !stored {
			leaf = chats.Below(tx, v.Chat, live.Parent) // the reply's parent once it is stored
		}
		nodes, err := tx.Path(id, leaf, last)
		if err != nil {
			return err
		}
		v.More = len(nodes) > 0 && len(nodes) == last && nodes[0].Parent != ""
		v.Messages, err = chats.MessagesOf(tx, nodes)
		return err
	})
	if err != nil {
		return v, err
	}
	v.Model = svc.models.ModelOf(v.Chat)
	v.Windowed = svc.chats.ApplyDisplayScripts(id, v.Messages)
	if live, still, running := svc.unsaved(id); growing && still {
		if v.PutLive(live, stored, last); running {
			v.Running = live.ID
		}
	}
	if n := len(v.Messages); n > 0 {
		v.Total = v.Messages[n-1].Depth + 1
	}
	return v, nil
}

// unsaved returns a chat's reply if the store does not hold all of it: it is being written, or it
// could not be stored at its end.
func (svc *Service) unsaved(chat storage.ChatID) (m chats.Message, ok, running bool) {
	t, running := svc.latest(chat)
	if t == nil {
		return m, false, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.msg, t.started && (running || t.unsaved != nil), running
}

// Cast returns the characters of a chat.
func (svc *Service) Cast(chat storage.ChatID) (out chats.CastList, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		out = chats.CastList{Chat: chat, Order: c.Play.Order}
		if out.Order == "" {
			out.Order = storage.OrderRoundRobin
		}
		out.List = append(out.List, chats.CastViewOf(tx, c.Character, true, c.Play.MainAway))
		for _, m := range c.Play.Cast {
			if !m.Left {
				out.List = append(out.List, chats.MemberViewOf(tx, m))
			}
		}
		out.Next, out.Why = svc.director.NextSpeaker(tx, c, c.Head)
		if out.Next == "" {
			out.Next, out.Why = c.Character, "no other characters"
		}
		for _, m := range out.List {
			if m.Character == out.Next {
				out.NextName = m.Name
			}
		}
		return nil
	})
	if err != nil {
		err = failure.Wrap("read cast", err)
	}
	return out, err
}
