package house

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// queuePane is the pane that shows and steers the operations. Above them stands how
// far the work has come that has several stages, and the batches that are not done.
type queuePane struct {
	widget.List
	ops   []storage.Operation
	fault error
	reads widget.Latest
	desk  desk.Desk
	batch Batches
	area  uv.Rectangle // of the last frame
	above int          // lines over the list there
}

// Batches is what tells of the captures that are made in batches.
type Batches interface {
	// BatchLines are the batches of the open chat that are not done, in words.
	BatchLines() []string
	// ReadBatches reads them where they are not known.
	ReadBatches() tea.Cmd
}

// queueName is the name of the pane, under which its actions are declared.
const queueName = "queue"

// queuePause pauses the queue, or has it go on.
const queuePause keys.Name = "queue-pause"

// newQueue makes the pane.
func newQueue(d desk.Desk, b Batches) *queuePane { return &queuePane{desk: d, batch: b} }

func (p *queuePane) paused() bool {
	eng := p.desk.Engine()
	return eng != nil && eng.House.QueuePaused()
}

// Title implements desk.Pane.
func (p *queuePane) Title() string {
	if p.paused() {
		return "Queue (paused)"
	}
	return "Queue"
}

// Name implements desk.Pane.
func (*queuePane) Name() string { return queueName }

// Click implements desk.Pane: it chooses a row.
func (p *queuePane) Click(_, y int) tea.Cmd {
	if line := y - p.area.Min.Y + 1; line > p.above {
		p.List.Click(line - p.above)
	}
	return nil
}

// Read implements desk.Pane.
func (p *queuePane) Read() tea.Cmd {
	newest := p.reads.Begin()
	return tea.Batch(p.batch.ReadBatches(), p.desk.Do(func() func() tea.Cmd {
		ops, err := p.desk.Engine().House.Operations()
		return func() tea.Cmd {
			if newest() {
				p.take(ops, err)
			}
			return nil
		}
	}))
}

// take shows what was read. The chosen operation stays chosen, wherever it is now.
func (p *queuePane) take(ops []storage.Operation, err error) {
	if p.fault = err; err != nil {
		return
	}
	if p.At > 0 && p.At < len(p.ops) {
		was := p.ops[p.At].ID
		if i := slices.IndexFunc(ops, func(op storage.Operation) bool { return op.ID == was }); i >= 0 {
			p.At = i
		}
	}
	p.ops = ops
}

// Draw implements desk.Pane.
func (p *queuePane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	p.area = area
	if p.fault != nil {
		look.PutWrapped(buf, area, p.desk.Look().Failure, failure.Words(p.fault))
		return
	}
	if len(p.ops) == 0 {
		look.PutWrapped(buf, area, p.desk.Look().Dim, "Nothing is queued. Background work is listed here.")
		return
	}
	p.above = p.drawNow(buf, area)
	area.Min.Y += p.above
	from, to := p.View(len(p.ops), 2, area.Dy())
	for i := from; i < to; i++ {
		p.row(buf, area, area.Min.Y+(i-from)*2, i, focused)
	}
}

// drawNow draws the batches and the stages of what runs, and says how many lines
// that took: at most the upper half.
func (p *queuePane) drawNow(buf uv.ScreenBuffer, area uv.Rectangle) int {
	most, y := area.Dy()/2, area.Min.Y
	line := func(x int, st uv.Style, text string) {
		if y-area.Min.Y < most {
			look.Put(buf, area.Min.X+x, y, area.Dx()-x, st, text)
			y++
		}
	}
	for _, words := range p.batch.BatchLines() {
		line(0, p.desk.Look().Strong, "▤ "+words)
	}
	for _, j := range p.desk.Jobs() {
		if len(j.Progress.Stages) == 0 {
			continue
		}
		stages := j.Progress.Stages
		if room := most - (y - area.Min.Y) - 1; room < len(stages)+1 || area.Dx() < 30 {
			line(0, p.desk.Look().Base, stagesLine(stages))
			continue
		}
		for _, s := range stages {
			st := p.desk.Look().Dim
			switch s.State {
			case queue.StageNow:
				st = p.desk.Look().Accent
			case queue.StageFailed:
				st = p.desk.Look().Warning
			case queue.StageDone:
				st = p.desk.Look().Base
			}
			words := desk.StageMark(s.State) + " " + s.Name
			if s.Note != "" {
				words += ": " + s.Note
			}
			line(0, st, words)
			if s.State == queue.StageNow {
				if words := desk.ProgressWords(j); words != s.Name {
					line(2, p.desk.Look().Base, words)
				}
			}
		}
	}
	if y == area.Min.Y {
		return 0
	}
	line(0, p.desk.Look().Border, strings.Repeat("─", area.Dx()))
	return y - area.Min.Y
}

// stagesLine is all stages in one line: only the one that runs has its name.
func stagesLine(stages []queue.Stage) string {
	var b strings.Builder
	for _, s := range stages {
		b.WriteString(desk.StageMark(s.State))
		if s.State == queue.StageNow {
			b.WriteString(" " + s.Name + " ")
		}
	}
	return b.String()
}

func (p *queuePane) row(buf uv.ScreenBuffer, area uv.Rectangle, y, i int, focused bool) {
	op := p.ops[i]
	mark, st := statusMark(op.Status, p.desk.Look())
	base := p.desk.Look().Base
	if i == p.At && focused {
		base = p.desk.Look().Selected
		look.Fill(buf, uv.Rect(area.Min.X+2, y, area.Dx()-2, 1), base)
	}
	look.Put(buf, area.Min.X, y, 2, st, mark)
	room := look.PutRight(buf, area.Min.X, y, area.Dx(), p.desk.Look().Dim, look.Ago(time.Now(), op.CreatedAt)) - area.Min.X - 1
	look.Put(buf, area.Min.X+2, y, room-2, base, desk.OperationWords(op.Type))
	var words string
	if j := p.job(op.ID); j != nil {
		words = look.Elapsed(time.Since(j.Op.StartedAt)) + " " + desk.ProgressWords(j)
	} else {
		words = queued(op)
	}
	if y+1 < area.Max.Y {
		look.Put(buf, area.Min.X+2, y+1, area.Dx()-2, p.desk.Look().Dim, words)
	}
}

// queued says how an operation stands that does not run. A time is that of the
// clock: it stays true while nothing has the pane drawn again.
func queued(op storage.Operation) string {
	words := strings.ReplaceAll(string(op.Status), "_", " ")
	if op.Status == storage.Pending && op.NotBefore.After(time.Now()) {
		words = "starts at " + op.NotBefore.Local().Format("15:04:05")
		if !queue.PutOff(op, time.Now()) {
			words = "retries at " + op.NotBefore.Local().Format("15:04:05")
		}
	}
	if op.Error != "" {
		words += ": " + op.Error
	}
	return words
}

func statusMark(s storage.OperationStatus, lk *look.Look) (string, uv.Style) {
	switch s {
	case storage.InProgress:
		return "▶", lk.Accent
	case storage.Completed:
		return "✓", lk.Success
	case storage.Failed:
		return "✗", lk.Failure
	case storage.Cancelled:
		return "–", lk.Dim
	}
	return "·", lk.Base
}

// job is the operation that runs by an id, nil for none.
func (p *queuePane) job(id storage.OperationID) *desk.Job {
	for _, j := range p.desk.Jobs() {
		if j.Op.ID == id {
			return j
		}
	}
	return nil
}

// Actions implements desk.Pane.
func (p *queuePane) Actions() []keys.Action {
	there := func() bool { _, ok := p.chosen(); return ok }
	try := func(do func(svc *house.Service, op storage.OperationID) error) func() tea.Cmd {
		return func() tea.Cmd {
			op, _ := p.chosen()
			return desk.Try(p.desk, func() error { return do(p.desk.Engine().House, op.ID) })
		}
	}
	only := func(words string, of ...storage.OperationStatus) func() string {
		return func() string {
			if op, _ := p.chosen(); !slices.Contains(of, op.Status) {
				return words
			}
			return ""
		}
	}
	return append(keys.Moving(&p.List),
		keys.Action{Name: keys.PaneEnter, Words: "details", Hint: "details", Here: there, Do: p.openDetails},
		keys.Action{Name: keys.PaneRegenerate, Words: "retry", Hint: "retry", Here: there, Do: try((*house.Service).QueueRetry),
			When: only("only failed or cancelled work can be retried", storage.Failed, storage.Cancelled)},
		keys.Action{Name: keys.PaneAll, Words: "retry all that failed", Hint: "retry all", Do: try(func(svc *house.Service, _ storage.OperationID) error {
			_, err := svc.QueueRetryFailed()
			return err
		})},
		keys.Action{Name: keys.PaneStop, Words: "cancel", Hint: "cancel", Here: there, Do: try((*house.Service).QueueCancel),
			When: only("it has already ended", storage.Pending, storage.InProgress)},
		keys.Action{Name: queuePause, Words: "pause or resume the queue", Hint: "pause", Group: keys.PaneGroup, Keys: []string{"O"},
			Was: []keys.Name{"pane-pause"}, Do: func() tea.Cmd { p.desk.Engine().House.QueuePause(!p.paused()); return nil }})
}

// chosen is the chosen operation; ok is false where there is none.
func (p *queuePane) chosen() (op storage.Operation, ok bool) {
	if p.At >= len(p.ops) {
		return op, false
	}
	return p.ops[p.At], true
}

func (p *queuePane) openDetails() tea.Cmd {
	op, _ := p.chosen()
	p.desk.Open(&widget.Reader{Title: desk.OperationWords(op.Type), Lines: widget.PlainLines(operationDetails(op))})
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
