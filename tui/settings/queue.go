package settings

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// queuePane is the pane that shows and controls the operations. Above them it shows the progress of
// work with several phases, and the unfinished batches.
type queuePane struct {
	pane.List[storage.Operation]
	batch Batches
}

// Batches reports the captures that are made in batches.
type Batches interface {
	// BatchLines describes the unfinished batches of the open chat.
	BatchLines() []string
	// ReadBatches reads them if they are not known.
	ReadBatches() tea.Cmd
}

// queueName is the pane's name; its actions are declared under it.
const queueName = "queue"

// queuePause pauses or resumes the queue.
const queuePause keys.Name = "queue-pause"

// newQueue makes the pane.
func newQueue(d pane.Host, b Batches) *queuePane {
	p := &queuePane{List: pane.NewList[storage.Operation](d, 2), batch: b}
	p.Everywhere = true
	p.Source = func() func(storage.ChatID) ([]storage.Operation, func(), error) {
		return func(storage.ChatID) ([]storage.Operation, func(), error) {
			ops, err := d.Engine().Queue.List()
			return ops, nil, err
		}
	}
	p.ID = func(op *storage.Operation) string { return string(op.ID) }
	p.Row, p.Above = p.row, p.now
	p.Empty = func() string { return "Nothing is queued. Background work is listed here." }
	return p
}

func (p *queuePane) paused() bool {
	eng := p.Host.Engine()
	return eng != nil && eng.Queue.Paused()
}

// Title implements pane.Pane.
func (p *queuePane) Title() string {
	if p.paused() {
		return "Queue (paused)"
	}
	return "Queue"
}

// Name implements pane.Pane.
func (*queuePane) Name() string { return queueName }

// Read implements pane.Pane.
func (p *queuePane) Read() tea.Cmd { return tea.Batch(p.batch.ReadBatches(), p.List.Read()) }

// now returns lines about the batches and the phases of running work.
func (p *queuePane) now(w, h int) (lines []string) {
	sty := p.Host.Styles()
	line := func(indent int, st uv.Style, text string) {
		lines = append(lines, strings.Repeat(" ", indent)+st.Styled(draw.Clip(text, w-indent)))
	}
	for _, words := range p.batch.BatchLines() {
		line(0, sty.Strong, "▤ "+words)
	}
	for _, j := range p.Host.Work().Running() {
		phases := j.Progress.Phases
		switch {
		case len(phases) == 0:
			continue
		case h/2-len(lines)-1 < len(phases)+1 || w < 30:
			line(0, sty.Base, phasesLine(phases))
			continue
		}
		for _, s := range phases {
			st := map[queue.PhaseState]uv.Style{queue.PhaseRunning: sty.Accent, queue.PhaseFailed: sty.Warning,
				queue.PhaseDone: sty.Base}[s.State]
			if st.IsZero() {
				st = sty.Dim
			}
			words := pane.PhaseMark(s.State) + " " + s.Name
			if s.Note != "" {
				words += ": " + s.Note
			}
			line(0, st, words)
			if s.State == queue.PhaseRunning {
				if words := pane.ProgressWords(j); words != s.Name {
					line(2, sty.Base, words)
				}
			}
		}
	}
	if n := len(lines); n > 0 && n < h/2 {
		lines = append(lines, sty.Border.Styled(strings.Repeat("─", w)))
	}
	return lines
}

// phasesLine returns all phases in one line; only the running one shows its name.
func phasesLine(phases []queue.Phase) string {
	var b strings.Builder
	for _, s := range phases {
		b.WriteString(pane.PhaseMark(s.State))
		if s.State == queue.PhaseRunning {
			b.WriteString(" " + s.Name + " ")
		}
	}
	return b.String()
}

func (p *queuePane) row(op *storage.Operation, _ int) pane.Row {
	r := pane.Row{Text: queue.TypeText(op.Type), Right: draw.Ago(time.Now(), op.CreatedAt), More: queued(*op)}
	r.Sign, r.SignStyle = statusMark(op.Status, p.Host.Styles())
	if j := p.running(op.ID); j != nil {
		r.More = draw.Elapsed(time.Since(j.Op.StartedAt)) + " " + pane.ProgressWords(j)
	}
	return r
}

// queued returns the state of an operation that does not run. Times are clock times: they stay true
// while the pane is not redrawn.
func queued(op storage.Operation) string {
	words := strings.ReplaceAll(string(op.Status), "_", " ")
	if op.Status == storage.Pending && op.NotBefore.After(time.Now()) {
		words = "starts at " + op.NotBefore.Local().Format("15:04:05")
		if !queue.IsPostponed(op, time.Now()) {
			words = "retries at " + op.NotBefore.Local().Format("15:04:05")
		}
	}
	if op.Error != "" {
		words += ": " + op.Error
	}
	return words
}

func statusMark(s storage.OperationStatus, sty *draw.Styles) (string, uv.Style) {
	switch s {
	case storage.InProgress:
		return "▶", sty.Accent
	case storage.Completed:
		return "✓", sty.Success
	case storage.Failed:
		return "✗", sty.Failure
	case storage.Cancelled:
		return "–", sty.Dim
	}
	return "·", sty.Base
}

// running returns the running operation with an id, nil for none.
func (p *queuePane) running(id storage.OperationID) *pane.Operation {
	for _, j := range p.Host.Work().Running() {
		if j.Op.ID == id {
			return j
		}
	}
	return nil
}

// Actions implements pane.Pane.
func (p *queuePane) Actions() []keys.Action {
	try := func(do func(q *queue.Queue, op storage.OperationID) error) func() tea.Cmd {
		return func() tea.Cmd {
			var id storage.OperationID
			if op := p.Item(); op != nil {
				id = op.ID
			}
			return pane.Try(p.Host, func() error { return do(p.Host.Engine().Queue, id) })
		}
	}
	only := func(words string, of ...storage.OperationStatus) func() string {
		return func() string {
			if op := p.Item(); !slices.Contains(of, op.Status) {
				return words
			}
			return ""
		}
	}
	return append(p.Moves(),
		keys.Action{Name: keys.PaneEnter, Text: "details", Hint: "details", Visible: p.Has, Do: p.On(p.openDetails)},
		keys.Action{Name: keys.PaneRegenerate, Text: "retry", Hint: "retry", Visible: p.Has,
			Do:          try((*queue.Queue).Retry),
			Unavailable: only("only failed or cancelled work can be retried", storage.Failed, storage.Cancelled)},
		keys.Action{Name: keys.PaneAll, Text: "retry all that failed", Hint: "retry all",
			Do: try(func(q *queue.Queue, _ storage.OperationID) error {
				_, err := q.RetryFailed()
				return err
			})},
		keys.Action{Name: keys.PaneStop, Text: "cancel", Hint: "cancel", Visible: p.Has, Do: try((*queue.Queue).Cancel),
			Unavailable: only("it has already ended", storage.Pending, storage.InProgress)},
		keys.Action{Name: queuePause, Text: "pause or resume the queue", Hint: "pause",
			Group: keys.PaneGroup, Keys: []string{"O"},
			OldNames: []keys.Name{"pane-pause"}, Do: p.pauseOrResume})
}

func (p *queuePane) pauseOrResume() tea.Cmd {
	if q := p.Host.Engine().Queue; p.paused() {
		q.Resume()
	} else {
		q.Pause()
	}
	return nil
}

func (p *queuePane) openDetails(op storage.Operation) tea.Cmd {
	p.Host.Open(&widget.Reader{Title: queue.TypeText(op.Type), Lines: widget.PlainLines(operationDetails(op))})
	return nil
}

func operationDetails(op storage.Operation) string {
	text := fmt.Sprintf("%s\n\nstatus: %s\nlane: %s\npriority: %d\nattempts: %d\ncreated: %s\n", op.ID, op.Status,
		op.Lane, op.Priority, op.Attempts, op.CreatedAt.Local().Format("2006-01-02 15:04:05"))
	if !op.StartedAt.IsZero() {
		text += "started: " + op.StartedAt.Local().Format("15:04:05") + "\n"
	}
	if !op.CompletedAt.IsZero() {
		text += "ended: " + op.CompletedAt.Local().Format("15:04:05") + "\n"
	}
	if op.Error != "" {
		text += "\n" + op.Error + "\n"
	}
	if len(op.Params) > 0 {
		text += "\nparameters: " + string(op.Params) + "\n"
	}
	if len(op.Result) > 0 {
		text += "\nresult: " + string(op.Result) + "\n"
	}
	return text
}
