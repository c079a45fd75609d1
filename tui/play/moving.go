package play

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/storage"
	"ghostlight/tui/keys"
)

// Browse gives the messages the keys; a whisper that was not sent it ends instead.
func (r *Room) Browse() tea.Cmd {
	if r.aloud() {
		return nil
	}
	from := r.desk.Mode()
	if from == keys.Pane {
		r.screen.Uncover()
	}
	r.screen.SetMode(keys.Browse)
	if r.list.Follow && from == keys.Write {
		r.list.Selected = len(r.list.Items) - 1
	}
	return nil
}

func (r *Room) write() tea.Cmd {
	r.screen.SetMode(keys.Write)
	return r.toLast()
}

func (r *Room) pageUp() tea.Cmd { return r.Scroll(max(1, r.list.Height-2)) }

func (r *Room) pageDown() tea.Cmd {
	r.list.Scroll(-max(1, r.list.Height-2))
	return nil
}

func (r *Room) above() tea.Cmd {
	r.list.Choose(r.list.Selected - 1)
	return r.older()
}

func (r *Room) below() tea.Cmd {
	r.list.Choose(r.list.Selected + 1)
	return nil
}

func (r *Room) toLast() tea.Cmd {
	r.list.Bottom()
	return nil
}

func (r *Room) toFirst() tea.Cmd {
	if !r.list.More {
		r.list.Choose(0)
		return nil
	}
	first := r.list.First()
	return r.loadOlder(1<<30, func() tea.Cmd {
		if r.list.More && r.list.First() != first {
			return r.toFirst() // others were being read just then
		}
		r.list.Choose(0)
		return nil
	})
}

// Scroll goes n rows up in the messages, down where n is negative.
func (r *Room) Scroll(n int) tea.Cmd {
	r.list.Scroll(n)
	return r.older()
}

// Click selects the message in a row of the play, and tells whether there is one.
func (r *Room) Click(row int) bool {
	if row < 0 || row >= len(r.list.Rows) {
		return false
	}
	// The rows are those of the last frame: the list may be shorter by now.
	i := r.list.Rows[row]
	if i < 0 || i >= len(r.list.Items) {
		return false
	}
	r.list.Selected = i
	return true
}

// JumpTo implements desk.Story: it shows a message at the top of the play and selects
// it. Older messages are read from the store until it is at hand.
func (r *Room) JumpTo(node storage.NodeID) tea.Cmd {
	return r.Find(node, func(found bool) tea.Cmd {
		if !found {
			return r.desk.Say(event.Info, "this message is not on the current branch")
		}
		r.screen.Uncover()
		r.screen.SetMode(keys.Browse)
		r.list.ToTop(r.list.Find(node))
		return r.older()
	})
}

// Find implements desk.Story.
func (r *Room) Find(node storage.NodeID, then func(found bool) tea.Cmd) tea.Cmd {
	if r.list.Find(node) >= 0 {
		return then(true)
	}
	if !r.list.More || node == "" {
		return then(false)
	}
	p, first, had := r.list, r.list.First(), len(r.list.Items)
	return r.loadOlder(searchStep, func() tea.Cmd {
		if r.list != p || len(p.Items) == had && p.First() == first {
			return nil
		}
		return r.Find(node, then)
	})
}

// older reads older messages from the store when the view comes near the first
// one at hand.
func (r *Room) older() tea.Cmd {
	if !r.list.NearTop() {
		return nil
	}
	return r.loadOlder(300, nil)
}

// loadOlder reads n messages before the first one at hand, then does what is
// asked. While others are being read already, it waits for those.
func (r *Room) loadOlder(n int, then func() tea.Cmd) tea.Cmd {
	p, first := r.list, r.list.First()
	if first == nil {
		return nil
	}
	if then != nil {
		p.Then = append(p.Then, then)
	}
	if p.Busy {
		return nil
	}
	p.Busy = true
	chat, node := r.view.Chat.ID, first.Msg.ID
	return r.desk.Do(func() func() tea.Cmd {
		msgs, more, err := r.desk.Engine().Chats.Before(chat, node, n)
		return func() tea.Cmd {
			p.Busy = false
			after := p.Then
			p.Then = nil
			if r.list != p {
				return nil // another chat is open by now
			}
			if err != nil {
				return r.desk.Fail(err)
			}
			if f := p.First(); f != nil && f.Msg.ID == node {
				p.Prepend(msgs, more)
				r.fadeCovered()
			}
			var cmds []tea.Cmd
			for _, f := range after {
				cmds = append(cmds, f())
			}
			return tea.Batch(cmds...)
		}
	})
}
