package pictures

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// frameInterval is the minimum time between two frames of a live preview: more cannot be
// distinguished, and each has to be decoded.
const frameInterval = 80 * time.Millisecond

// livePreview is the state of the live preview of a running job.
type livePreview struct {
	next  *queue.Progressed // the newest frame that was not shown
	busy  bool              // one is being decoded, or the interval has not passed
	last  time.Time
	shown int // frames so far
}

// progressed shows the preview of a picture that is painted, or the prompt that is written.
func (r *Part) progressed(ev queue.Progressed) tea.Cmd {
	if ev.Capture != "" && ev.Type == pictures.OpCapturePrompt {
		for _, d := range r.host.Dialogs().All {
			if p, ok := d.(*preview); ok && p.c.ID == ev.Capture {
				p.write(ev.Progress.Text)
			}
		}
	}
	if ev.Capture == "" || len(ev.Progress.Preview) == 0 || !r.running(ev.ID) {
		return nil
	}
	return r.showFrame(ev)
}

// running reports whether an operation runs.
func (r *Part) running(id storage.OperationID) bool {
	return slices.ContainsFunc(r.host.Work().Running(), func(j *pane.Operation) bool { return j.Op.ID == id })
}

// showFrame shows a frame of a live preview: the first one immediately, later ones at the frame
// interval, skipping to the newest.
func (r *Part) showFrame(ev queue.Progressed) tea.Cmd {
	p := r.live[ev.ID]
	if p == nil {
		p = &livePreview{}
		r.live[ev.ID] = p
	}
	if p.busy {
		p.next = &ev
		return nil
	}
	p.busy, p.next, p.last = true, nil, time.Now()
	decode := r.preview(ev)
	return func() tea.Msg {
		msg := decode()
		return pane.Callback(func() tea.Cmd {
			var cmd tea.Cmd
			if then, ok := msg.(pane.Callback); ok {
				p.shown++
				cmd = then()
			}
			return tea.Batch(cmd, r.nextFrame(ev.ID, p))
		})
	}
}

// nextFrame waits for the frame interval and shows the newest frame.
func (r *Part) nextFrame(id storage.OperationID, p *livePreview) tea.Cmd {
	then := func() tea.Cmd {
		p.busy = false
		if p.next == nil || r.live[id] != p {
			return nil
		}
		return r.showFrame(*p.next)
	}
	wait := frameInterval - time.Since(p.last)
	if wait <= 0 {
		return then()
	}
	return tea.Tick(wait, func(time.Time) tea.Msg { return pane.Callback(then) })
}

// preview shows an unfinished picture in place of the capture.
func (r *Part) preview(ev queue.Progressed) tea.Cmd {
	mode := r.display.mode
	return r.host.Do(func() func() tea.Cmd {
		d, err := decode(ev.Progress.Preview, mode)
		if err != nil {
			return nil // the next one will come
		}
		return func() tea.Cmd {
			if r.running(ev.ID) {
				p := r.display
				s := p.get(ev.Capture)
				p.replace(s, d)
				s.stale = true
			}
			return nil
		}
	})
}
