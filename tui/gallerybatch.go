package tui

import (
	"fmt"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/engine/pictures"
	"ghostlight/storage"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// batching is which batches of a chat are not done, the newest first. They are
// read once; events tell the rest.
type batching struct {
	chat   storage.ChatID
	open   []pictures.BatchView
	busy   bool // they are being read
	missed bool // one has changed meanwhile
}

// unfinished tells whether a batch has captures that are neither painted nor
// given up.
func unfinished(b pictures.BatchView) bool { return b.Prompting+b.Drafts+b.Painting > 0 }

// batches are those of the open chat that are not done.
func (a *app) batches() []pictures.BatchView {
	if a.work.batching.chat != a.view.Chat.ID {
		return nil
	}
	return a.work.batching.open
}

// readBatches reads the batches of the open chat where they are not known.
func (a *app) readBatches() tea.Cmd {
	b, chat := &a.work.batching, a.view.Chat.ID
	if chat == "" || b.chat == chat || b.busy {
		return nil
	}
	b.busy, b.missed = true, false
	return a.Do(func() func() tea.Cmd {
		all, err := a.eng.Pictures.Batches(chat)
		return func() tea.Cmd {
			b.busy = false
			if b.missed || chat != a.view.Chat.ID {
				b.chat = ""
				return a.readBatches()
			}
			if err != nil {
				a.opts.Log.Warn("batches were not read", "err", err)
			}
			b.chat, b.open = chat, slices.DeleteFunc(all, func(v pictures.BatchView) bool { return !unfinished(v) })
			return nil
		}
	})
}

// batchChanged takes over where a batch stands now.
func (a *app) batchChanged(v pictures.BatchView) {
	b := &a.work.batching
	b.missed = true
	if b.chat == "" || v.Chat != b.chat {
		return
	}
	i := slices.IndexFunc(b.open, func(o pictures.BatchView) bool { return o.ID == v.ID })
	switch {
	case i < 0 && unfinished(v):
		b.open = slices.Insert(b.open, 0, v)
	case i >= 0 && unfinished(v):
		b.open[i] = v
	case i >= 0:
		b.open = slices.Delete(b.open, i, i+1)
	}
}

// sendBatch sends all drafts of a batch.
func (a *app) sendBatch(b pictures.BatchView) tea.Cmd {
	if b.Drafts == 0 {
		return a.Say(event.Info, "this batch has no drafts to send")
	}
	a.dialogs.Open(&widget.Confirm{Title: "Send the batch", Text: "Have " + look.Plural(b.Drafts, "draft") + " of this batch painted? (" + batchStands(b) + ")", Choices: []widget.Choice{
		{Key: "y", Words: "send them", Do: func() tea.Cmd {
			return a.sending(func() (pictures.Sent, error) { return a.eng.Pictures.SendBatch(b.Chat, b.ID) })
		}},
		{Key: "n", Words: "not now", Do: nil}}})
	return nil
}

// cancelBatch stops the work on all captures of a batch.
func (a *app) cancelBatch(b pictures.BatchView) tea.Cmd {
	if b.Painting+b.Prompting == 0 {
		return a.Say(event.Info, "nothing of this batch is being worked on")
	}
	return a.Do(func() func() tea.Cmd {
		n, err := a.eng.Pictures.CancelBatch(b.Chat, b.ID)
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			return a.Say(event.Info, look.Plural(n, "capture")+" of the batch cancelled; what has a prompt stays as a draft")
		}
	})
}

// sending sends captures and says what came of it.
func (a *app) sending(send func() (pictures.Sent, error)) tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		sent, err := send()
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			words, level := look.Plural(len(sent.Captures), "capture")+" sent", event.Info
			if n := len(sent.Faults); n > 0 {
				level = event.Warning
				words += fmt.Sprintf("; %d not: %s", n, failure.Words(sent.Faults[slices.Min(slices.Collect(maps.Keys(sent.Faults)))]))
			}
			return tea.Batch(a.Say(level, words), a.Tick())
		}
	})
}
