package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/engine/queue"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// queuePane shows and steers the operations. Above them stands how far the work
// has come that has several stages, and the batches that are not done.
type queuePane struct {
	widget.List
	ops    []storage.Operation
	paused func() bool
	fault  error
	reads  widget.Latest
	above  int // lines over the list, in the last frame
}

func newQueuePane(a *app) *queuePane { return &queuePane{paused: a.eng.QueuePaused} }

func (*queuePane) kind() paneKind { return paneQueue }
func (p *queuePane) title() string {
	if p.paused() {
		return "Queue (paused)"
	}
	return "Queue"
}
func (*queuePane) foot() string { return "enter details · r retry · R all · x cancel · p pause" }

// click chooses a row, by the line of the pane.
func (p *queuePane) click(line int) {
	if line > p.above {
		p.List.Click(line - p.above)
	}
}

func (p *queuePane) read(a *app) tea.Cmd {
	newest := p.reads.Begin()
	return tea.Batch(a.readBatches(), a.Do(func() func() tea.Cmd {
		ops, err := a.eng.Operations()
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

func (p *queuePane) draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	if p.fault != nil {
		look.PutWrapped(buf, area, a.lk.Failure, engine.Words(p.fault))
		return
	}
	if len(p.ops) == 0 {
		look.PutWrapped(buf, area, a.lk.Dim, "Nothing is queued. Work that goes on behind the play shows up here: capture a scene to see it.")
		return
	}
	p.above = p.drawNow(buf, area, a)
	area.Min.Y += p.above
	from, to := p.View(len(p.ops), 2, area.Dy())
	for i := from; i < to; i++ {
		p.row(buf, area, area.Min.Y+(i-from)*2, i, a)
	}
}

// drawNow draws the batches and the stages of what runs, and says how many lines
// that took: at most the upper half.
func (p *queuePane) drawNow(buf uv.ScreenBuffer, area uv.Rectangle, a *app) int {
	most, y := area.Dy()/2, area.Min.Y
	line := func(x int, st uv.Style, text string) {
		if y-area.Min.Y < most {
			look.Put(buf, area.Min.X+x, y, area.Dx()-x, st, text)
			y++
		}
	}
	for _, b := range a.batches() {
		line(0, a.lk.Strong, "▤ "+batchStands(b))
	}
	for _, j := range a.work.staged() {
		stages := j.progress.Stages
		if room := most - (y - area.Min.Y) - 1; room < len(stages)+1 || area.Dx() < 30 {
			line(0, a.lk.Base, stagesLine(stages))
			continue
		}
		for _, s := range stages {
			st := a.lk.Dim
			switch s.State {
			case queue.StageNow:
				st = a.lk.Accent
			case queue.StageFailed:
				st = a.lk.Warning
			case queue.StageDone:
				st = a.lk.Base
			}
			words := stageMark(s.State) + " " + s.Name
			if s.Note != "" {
				words += ": " + s.Note
			}
			line(0, st, words)
			if s.State == queue.StageNow {
				if words := progressWords(&j.Job); words != s.Name {
					line(2, a.lk.Base, words)
				}
			}
		}
	}
	if y == area.Min.Y {
		return 0
	}
	line(0, a.lk.Border, strings.Repeat("─", area.Dx()))
	return y - area.Min.Y
}

// stagesLine is all stages in one line: only the one that runs has its name.
func stagesLine(stages []queue.Stage) string {
	var b strings.Builder
	for _, s := range stages {
		b.WriteString(stageMark(s.State))
		if s.State == queue.StageNow {
			b.WriteString(" " + s.Name + " ")
		}
	}
	return b.String()
}

// staged are the jobs that run and have told of stages, the oldest first.
func (w *work) staged() []*job {
	var out []*job
	for _, j := range w.running {
		if len(j.progress.Stages) > 0 {
			out = append(out, j)
		}
	}
	slices.SortFunc(out, func(x, y *job) int { return strings.Compare(string(x.op.ID), string(y.op.ID)) })
	return out
}

func (p *queuePane) row(buf uv.ScreenBuffer, area uv.Rectangle, y, i int, a *app) {
	op := p.ops[i]
	mark, st := statusMark(op.Status, a.lk)
	base := a.lk.Base
	if i == p.At && a.mode == keys.Pane {
		base = a.lk.Selected
		look.Fill(buf, uv.Rect(area.Min.X+2, y, area.Dx()-2, 1), base)
	}
	look.Put(buf, area.Min.X, y, 2, st, mark)
	look.Put(buf, area.Min.X+2, y, area.Dx()-2, base, operationWords(op.Type))
	look.PutRight(buf, area.Min.X, y, area.Dx(), a.lk.Dim, look.Ago(time.Now(), op.CreatedAt))
	var words string
	if j := a.work.running[op.ID]; j != nil {
		words = look.Elapsed(time.Now().Sub(j.op.StartedAt)) + " " + progressWords(&j.Job)
	} else {
		words = queued(op)
	}
	if y+1 < area.Max.Y {
		look.Put(buf, area.Min.X+2, y+1, area.Dx()-2, a.lk.Dim, words)
	}
}

// queued says how an operation stands that does not run. A time is that of the
// clock: it stays true while nothing has the pane drawn again.
func queued(op storage.Operation) string {
	words := strings.ReplaceAll(string(op.Status), "_", " ")
	if op.Status == storage.Pending && op.NotBefore.After(time.Now()) {
		words = "begins at " + op.NotBefore.Local().Format("15:04:05")
		if !queue.PutOff(op, time.Now()) {
			words = "tries again at " + op.NotBefore.Local().Format("15:04:05")
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

func (p *queuePane) act(act keys.Action, a *app) tea.Cmd {
	if p.List.Act(act) {
		return nil
	}
	switch act {
	case keys.PaneAll:
		return try(a, func() error { _, err := a.eng.QueueRetryFailed(); return err })
	case keys.PanePause:
		a.eng.QueuePause(!p.paused())
		return nil
	}
	if p.At >= len(p.ops) {
		return nil
	}
	op := p.ops[p.At]
	open := op.Status == storage.Pending || op.Status == storage.InProgress
	switch {
	case act == keys.PaneCancel && !open:
		return a.say(engine.Info, "it has ended already")
	case act == keys.PaneRetry && op.Status != storage.Failed && op.Status != storage.Cancelled:
		return a.say(engine.Info, "only what failed or was cancelled can be tried again")
	}
	switch act {
	case keys.PaneRetry:
		return try(a, func() error { return a.eng.QueueRetry(op.ID) })
	case keys.PaneCancel:
		return try(a, func() error { return a.eng.QueueCancel(op.ID) })
	case keys.PaneEnter, keys.PaneEdit:
		a.dialogs.Open(&widget.Reader{Title: operationWords(op.Type), Lines: widget.PlainLines(operationDetails(op))})
	}
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
