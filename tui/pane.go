package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/storage"
	"ghostlight/tui/keys"
)

// pane is what stands beside the play, one at a time.
type pane interface {
	kind() paneKind
	title() string
	foot() string
	draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app)
	move(n int)
	click(row int)
	act(act keys.Action, a *app) tea.Cmd
	read(a *app) tea.Cmd // reads again what is shown
}

// pointed is a pane for which it matters where in a row a click is. It gets the
// click by its place on the screen.
type pointed interface {
	clickAt(x, y int, a *app) tea.Cmd
}

type paneKind int

const (
	paneCaptures paneKind = iota
	paneQueue
	panePrompt
	paneScenes
	paneRecap
	paneLore
	paneDirector
	paneMemory
)

func (a *app) togglePane(k paneKind) tea.Cmd {
	if a.pane != nil && a.pane.kind() == k {
		a.closePane()
		return nil
	}
	switch k {
	case paneCaptures:
		a.pane = &capturesPane{}
	case paneQueue:
		a.pane = &queuePane{paused: a.eng.QueuePaused}
	case panePrompt:
		a.pane = &promptPane{}
	case paneScenes:
		a.pane = newScenesPane(a)
	case paneRecap:
		a.pane = &recapPane{}
	case paneLore:
		a.pane = newLorePane(a)
	case paneDirector:
		a.pane = newDirectorPane(a)
	case paneMemory:
		a.pane = newMemoryPane(a)
	}
	a.mode = keys.Pane
	return a.pane.read(a)
}

func (a *app) closePane() {
	a.pane = nil
	if a.mode == keys.Pane {
		a.mode = keys.Write
	}
}

func (a *app) focusPane() tea.Cmd {
	switch {
	case a.pane == nil:
		return nil
	case a.mode == keys.Pane:
		return a.toBrowse()
	default:
		a.mode = keys.Pane
	}
	return nil
}

func (a *app) drawPane(buf uv.ScreenBuffer) {
	area := a.lay.pane
	if area.Dy() < 3 || area.Dx() < 6 {
		return
	}
	st := a.lk.border
	if a.mode == keys.Pane {
		st = a.lk.accent
	}
	if !a.lay.over {
		for y := area.Min.Y; y < area.Max.Y; y++ {
			put(buf, area.Min.X, y, 1, a.lk.border, "│")
		}
		area.Min.X++
	}
	away := "tab · alt+x"
	if k := a.pane.kind(); (k == paneLore || k == paneMemory) && a.mode == keys.Pane {
		away = "esc · alt+x" // tab is for its views
	}
	rule(buf, area.Min.X, area.Min.Y, area.Dx(), st, a.pane.title(), away, a.lk.title)
	foot := a.pane.foot()
	if a.mode != keys.Pane { // its keys mean something else in the play
		foot = a.keys.Key(keys.PaneClose, keys.Write) + " close"
		if k := a.keys.Key(keys.PaneFocus, keys.Browse); a.mode == keys.Browse && k != "" {
			foot = k + " go to this pane · " + foot
		}
	}
	put(buf, area.Min.X+1, area.Max.Y-1, area.Dx()-2, a.lk.dim, hints(foot, area.Dx()-2))
	a.pane.draw(buf, uv.Rect(area.Min.X+1, area.Min.Y+1, area.Dx()-2, area.Dy()-2), a)
}

// readPane reads again what the pane shows.
func (a *app) readPane() tea.Cmd {
	if a.pane == nil {
		return nil
	}
	return a.pane.read(a)
}

// list is the part that panes of rows share: which row is chosen and which are
// in view. Rows may take several lines.
type list struct {
	n, at, top int
	step       int // lines of a row
	rows       int // rows in view
}

func (l *list) move(n int) { l.at = max(0, min(l.at+n, l.n-1)) }
func (l *list) click(line int) {
	if l.step > 0 {
		l.move(l.top + (line-1)/l.step - l.at)
	}
}

// view fits the chosen row into h lines and says which rows to draw.
func (l *list) view(n, step, h int) (from, to int) {
	l.n, l.step = n, step
	l.rows = max(1, h/step)
	l.at = max(0, min(l.at, n-1))
	l.top = max(0, min(l.top, l.at, n-1), l.at-l.rows+1)
	return l.top, min(n, l.top+l.rows)
}

func (l *list) act(act keys.Action) bool {
	switch act {
	case keys.PaneUp:
		l.move(-1)
	case keys.PaneDown:
		l.move(1)
	case keys.PaneTop:
		l.move(-l.n)
	case keys.PaneBottom:
		l.move(l.n)
	default:
		return false
	}
	return true
}

// queuePane shows and steers the operations.
type queuePane struct {
	list
	ops    []storage.Operation
	paused func() bool
	fault  error
}

func (*queuePane) kind() paneKind { return paneQueue }
func (p *queuePane) title() string {
	if p.paused() {
		return "Queue (paused)"
	}
	return "Queue"
}
func (*queuePane) foot() string { return "enter details · r retry · R all · x cancel · p pause" }

func (p *queuePane) read(a *app) tea.Cmd {
	return a.do(func() answerFunc {
		ops, err := a.eng.Operations()
		return func(*app) tea.Cmd { p.ops, p.fault = ops, err; return nil }
	})
}

func (p *queuePane) draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	if p.fault != nil {
		putWrapped(buf, area, a.lk.failure, engine.Words(p.fault))
		return
	}
	if len(p.ops) == 0 {
		putWrapped(buf, area, a.lk.dim, "Nothing is queued. Work that goes on behind the play shows up here: capture a scene to see it.")
		return
	}
	from, to := p.view(len(p.ops), 2, area.Dy())
	for i := from; i < to; i++ {
		p.row(buf, area, area.Min.Y+(i-from)*2, i, a)
	}
}

func (p *queuePane) row(buf uv.ScreenBuffer, area uv.Rectangle, y, i int, a *app) {
	op := p.ops[i]
	mark, st := statusMark(op.Status, a.lk)
	base := a.lk.base
	if i == p.at && a.mode == keys.Pane {
		base = a.lk.selected
		fill(buf, uv.Rect(area.Min.X+2, y, area.Dx()-2, 1), base)
	}
	put(buf, area.Min.X, y, 2, st, mark)
	put(buf, area.Min.X+2, y, area.Dx()-2, base, operationWords(op.Type))
	putRight(buf, area.Min.X, y, area.Dx(), a.lk.dim, ago(now(), op.CreatedAt))
	words := strings.ReplaceAll(string(op.Status), "_", " ")
	if j := a.work.running[op.ID]; j != nil {
		words = elapsed(now().Sub(j.op.StartedAt)) + " " + progressWords(j)
	} else if op.Error != "" {
		words += ": " + op.Error
	}
	if y+1 < area.Max.Y {
		put(buf, area.Min.X+2, y+1, area.Dx()-2, a.lk.dim, words)
	}
}

func statusMark(s storage.OperationStatus, lk *look) (string, uv.Style) {
	switch s {
	case storage.InProgress:
		return "▶", lk.accent
	case storage.Completed:
		return "✓", lk.success
	case storage.Failed:
		return "✗", lk.failure
	case storage.Cancelled:
		return "–", lk.dim
	}
	return "·", lk.base
}

func (p *queuePane) act(act keys.Action, a *app) tea.Cmd {
	if p.list.act(act) {
		return nil
	}
	switch act {
	case keys.PaneAll:
		return a.try(func() error { _, err := a.eng.QueueRetryFailed(); return err })
	case keys.PanePause:
		a.eng.QueuePause(!p.paused())
		return nil
	}
	if p.at >= len(p.ops) {
		return nil
	}
	op := p.ops[p.at]
	open := op.Status == storage.Pending || op.Status == storage.InProgress
	switch {
	case act == keys.PaneCancel && !open:
		return a.say(engine.Info, "it has ended already")
	case act == keys.PaneRetry && op.Status != storage.Failed && op.Status != storage.Cancelled:
		return a.say(engine.Info, "only what failed or was cancelled can be tried again")
	}
	switch act {
	case keys.PaneRetry:
		return a.try(func() error { return a.eng.QueueRetry(op.ID) })
	case keys.PaneCancel:
		return a.try(func() error { return a.eng.QueueCancel(op.ID) })
	case keys.PaneEnter, keys.PaneEdit:
		a.dialogs.open(&reader{title: operationWords(op.Type), lines: plainLines(operationDetails(op))})
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
