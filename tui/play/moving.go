package play

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// back goes from the composer to the messages, and from a pane to where it was opened.
func back(r *Part) tea.Cmd {
	if r.host.Mode() == keys.Pane {
		r.screen.LeavePane()
		return nil
	}
	return r.Browse()
}

// Browse gives the messages the focus. If the model writes the user's line, it restores the outline
// instead; if the next line is a whisper, it cancels the whisper instead.
func (r *Part) Browse() tea.Cmd {
	if cmd, ok := r.composer.outlineBack(); ok {
		return cmd
	}
	if r.aloud() {
		return nil
	}
	from := r.host.Mode()
	if from == keys.Pane {
		r.screen.Uncover()
	}
	r.screen.SetMode(keys.Browse)
	if r.list.Follow && from == keys.Write {
		r.list.Selected = len(r.list.Items) - 1
	}
	return nil
}

func (r *Part) write() tea.Cmd {
	r.list.Highlight(chats.Query{})
	r.screen.SetMode(keys.Write)
	return r.toLast()
}

func (r *Part) pageUp() tea.Cmd { return r.Scroll(max(1, r.list.Height-2)) }

func (r *Part) pageDown() tea.Cmd { return r.Scroll(-max(1, r.list.Height-2)) }

func (r *Part) moveUp() tea.Cmd {
	r.list.Choose(max(r.list.Selected-1, r.list.rangeStart(r.list.Selected)))
	return r.nearby()
}

func (r *Part) moveDown() tea.Cmd {
	r.list.Choose(min(r.list.Selected+1, r.list.rangeEnd(r.list.Selected)))
	return r.nearby()
}

func (r *Part) toLast() tea.Cmd {
	r.list.Bottom()
	return nil
}

func (r *Part) toFirst() tea.Cmd {
	if !r.list.More {
		r.list.Choose(0)
		return nil
	}
	return r.readAround("", func(bool) tea.Cmd {
		r.list.Choose(0)
		return nil
	})
}

// Scroll goes n rows up in the messages, or down if n is negative.
func (r *Part) Scroll(n int) tea.Cmd {
	r.list.Scroll(n)
	return r.nearby()
}

// Click selects the message in a row of the play, and reports whether there is one.
func (r *Part) Click(row int) bool {
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

// JumpTo implements pane.Play: it shows a message at the top of the play and selects it. A message
// that is not loaded is read from the store, with those around it.
func (r *Part) JumpTo(node storage.NodeID) tea.Cmd {
	return r.Find(node, func(found bool) tea.Cmd {
		if !found {
			return r.host.Say(event.Info, "this message is not on the current branch")
		}
		r.screen.Uncover()
		r.screen.SetMode(keys.Browse)
		r.list.ToTop(r.list.Find(node))
		return r.nearby()
	})
}

// Find implements pane.Play.
func (r *Part) Find(node storage.NodeID, then func(found bool) tea.Cmd) tea.Cmd {
	if r.list.Find(node) >= 0 {
		return then(true)
	}
	if !r.list.More && r.list.gap == 0 || node == "" {
		return then(false)
	}
	return r.readAround(node, then)
}

// readAround loads a message and scrolls to it, to the first message of the chat if node is "". It
// then calls then, unless another chat was opened or another message was jumped to meanwhile.
func (r *Part) readAround(node storage.NodeID, then func(found bool) tea.Cmd) tea.Cmd {
	chat := r.view.Chat.ID
	return jump(r, func() (chats.MessageRange, error) {
		return r.host.Engine().Chats.Around(chat, node, jumpRead)
	}, func(s chats.MessageRange) tea.Cmd {
		if len(s.Messages) == 0 {
			return then(false)
		}
		if p := r.list; p.Find(node) < 0 { // it was not read meanwhile
			p.goTo(s)
			p.ToTop(max(0, p.Find(node)))
		}
		return then(true)
	})
}

// jump finds a target in the store and goes there, unless another chat was opened or another
// message was jumped to meanwhile.
func jump[T any](r *Part, look func() (T, error), goTo func(T) tea.Cmd) tea.Cmd {
	p, newest := r.list, r.jumps.Begin()
	return r.host.Do(func() func() tea.Cmd {
		found, err := look()
		return func() tea.Cmd {
			switch {
			case r.list != p || !newest():
				return nil
			case err != nil:
				return r.host.Fail(err)
			}
			return goTo(found)
		}
	})
}

// nearby reads messages from the store when the view comes near the edge of the loaded ones.
func (r *Part) nearby() tea.Cmd {
	p, chat := r.list, r.view.Chat.ID
	up, edge := p.NearTop(), p.rangeStart(p.Anchor)
	if !up {
		edge = p.gap - 1
	}
	if !up && !p.nearGap() {
		return nil
	}
	p.Busy = true
	node := p.Items[edge].Msg.ID
	return r.host.Do(func() func() tea.Cmd {
		var msgs []chats.Message
		var more bool
		var err error
		if up {
			msgs, more, err = r.host.Engine().Chats.Before(chat, node, pageRead)
		} else {
			msgs, err = r.host.Engine().Chats.After(chat, node, pageRead)
		}
		return func() tea.Cmd {
			p.Busy = false
			switch {
			case r.list != p: // another chat was opened
			case failure.IgnoreMissing(err) != nil:
				return r.host.Fail(err)
			case err != nil: // another branch was opened, and is being read
			case up:
				p.older(node, msgs, more)
			default:
				p.newer(node, msgs)
			}
			return nil
		}
	})
}
