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

// frameInterval is the least time between two frames of a live preview: more cannot
// be told apart, and each has to be decoded.
const frameInterval = 80 * time.Millisecond

// livePreview is how the live preview of a running job is shown.
type livePreview struct {
	next  *queue.Progressed // the newest frame that was not shown
	busy  bool              // one is being decoded, or it is too early
	last  time.Time
	shown int // frames so far
}

// progressed shows what can be seen already of a picture that is painted, and of a prompt
// that is written.
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
	return slices.ContainsFunc(r.host.Work().Jobs(), func(j *pane.Job) bool { return j.Op.ID == id })
}

// showFrame shows a frame of a live preview: the first at once, later ones so
// often as they can be seen, and of those that come meanwhile the newest alone.
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
		return pane.Answer(func() tea.Cmd {
			var cmd tea.Cmd
			if then, ok := msg.(pane.Answer); ok {
				p.shown++
				cmd = then()
			}
			return tea.Batch(cmd, r.nextFrame(ev.ID, p))
		})
	}
}

// nextFrame waits until another frame may be shown, and shows the newest.
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
	return tea.Tick(wait, func(time.Time) tea.Msg { return pane.Answer(then) })
}

// preview shows a half-done picture where the capture will stand.
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
