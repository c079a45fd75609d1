package pictures

import (
	"fmt"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// batchLoader has the unfinished batches of a chat, newest first. They are read once; events
// update them.
type batchLoader struct {
	chat     storage.ChatID
	open     []pictures.BatchView
	reading  bool // they are being read
	outdated bool // one has changed meanwhile
}

// batches returns the unfinished batches of the open chat.
func (r *Part) batches() []pictures.BatchView {
	if r.batching.chat != r.host.Play().Chat().Chat.ID {
		return nil
	}
	return r.batching.open
}

// BatchLines describes the unfinished batches of the open chat.
func (r *Part) BatchLines() []string {
	var out []string
	for _, b := range r.batches() {
		out = append(out, pane.BatchWords(b))
	}
	return out
}

// ReadBatches reads the batches of the open chat unless they are known.
func (r *Part) ReadBatches() tea.Cmd {
	b, chat := &r.batching, r.host.Play().Chat().Chat.ID
	if chat == "" || b.chat == chat || b.reading {
		return nil
	}
	b.reading, b.outdated = true, false
	return r.host.Do(func() func() tea.Cmd {
		all, err := r.host.Engine().Pictures.Batches(chat)
		return func() tea.Cmd {
			b.reading = false
			if b.outdated || chat != r.host.Play().Chat().Chat.ID {
				b.chat = ""
				return r.ReadBatches()
			}
			if err != nil {
				r.host.Log().Warn("batches were not read", "err", err)
			}
			b.chat, b.open = chat,
				slices.DeleteFunc(all, func(v pictures.BatchView) bool { return !pane.Unfinished(v) })
			return nil
		}
	})
}

// BatchChanged updates a batch.
func (r *Part) BatchChanged(v pictures.BatchView) {
	b := &r.batching
	b.outdated = true
	if b.chat == "" || v.Chat != b.chat {
		return
	}
	i := slices.IndexFunc(b.open, func(o pictures.BatchView) bool { return o.ID == v.ID })
	switch {
	case i < 0 && pane.Unfinished(v):
		b.open = slices.Insert(b.open, 0, v)
	case i >= 0 && pane.Unfinished(v):
		b.open[i] = v
	case i >= 0:
		b.open = slices.Delete(b.open, i, i+1)
	}
}

// sendBatch sends all drafts of a batch.
func (r *Part) sendBatch(b pictures.BatchView) tea.Cmd {
	if b.Drafts == 0 {
		return r.host.Say(event.Info, "this batch has no drafts to send")
	}
	r.host.Open(&widget.Confirm{Title: "Send the batch", Text: "Generate " + draw.Plural(b.Drafts, "draft") +
		" of this batch? (" + pane.BatchWords(b) + ")", Choices: []widget.Choice{
		{Key: "y", Words: "send", Do: func() tea.Cmd {
			return r.sending(func() (pictures.SendResult, error) {
				return r.host.Engine().Pictures.SendBatch(b.Chat, b.ID)
			})
		}},
		{Key: "n", Words: "not now", Do: nil}}})
	return nil
}

// CancelBatch stops the work on all captures of a batch.
func (r *Part) CancelBatch(b pictures.BatchView) tea.Cmd {
	if b.Painting+b.Prompting == 0 {
		return r.host.Say(event.Info, "nothing in this batch is in progress")
	}
	return r.host.Do(func() func() tea.Cmd {
		n, err := r.host.Engine().Pictures.CancelBatch(b.Chat, b.ID)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			return r.host.Say(event.Info, draw.Plural(n, "capture")+
				" of the batch cancelled; finished prompts are kept as drafts")
		}
	})
}

// sending sends captures and reports the result.
func (r *Part) sending(send func() (pictures.SendResult, error)) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		sent, err := send()
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			words, level := draw.Plural(len(sent.Captures), "capture")+" sent", event.Info
			if n := len(sent.Faults); n > 0 {
				level = event.Warning
				words += fmt.Sprintf("; %d not: %s", n,
					failure.Text(sent.Faults[slices.Min(slices.Collect(maps.Keys(sent.Faults)))]))
			}
			return tea.Batch(r.host.Say(level, words), r.host.Work().Tick())
		}
	})
}
