package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/engine/event"
	"ghostlight/engine/failure"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/safetext"
)

// notice is a passing word in the status line.
type notice struct {
	level event.Level
	text  string
	id    int
}

const noticeTime = 7 * time.Second

// Say implements desk.Desk.
func (a *app) Say(level event.Level, text string) tea.Cmd {
	a.notice = notice{level, text, a.notice.id + 1}
	id := a.notice.id
	long := time.Duration(len(text)/20) * time.Second // to read it
	return tea.Tick(noticeTime+long, func(time.Time) tea.Msg {
		return desk.Answer(func() tea.Cmd {
			a.Dismiss(id)
			return nil
		})
	})
}

// Fail implements desk.Desk.
func (a *app) Fail(err error) tea.Cmd {
	a.opts.Log.Warn("shown to the user", "err", err)
	return a.Say(event.Error, failure.Words(err))
}

// Notice implements desk.Desk.
func (a *app) Notice() (n int, shown bool) { return a.notice.id, a.notice.text != "" }

// Dismiss implements desk.Desk.
func (a *app) Dismiss(n int) {
	if a.notice.id == n {
		a.notice.text = ""
	}
}

// drawNotice shows passing words in the status line, or, where they do not fit
// it, above the composer.
func (a *app) drawNotice(buf uv.ScreenBuffer, area uv.Rectangle, st uv.Style) {
	lines := look.Wrap(a.notice.text, a.width-2)
	n := min(len(lines), a.lay.play.Dy())
	if ansi.StringWidth(safetext.Line(a.notice.text)) <= area.Dx() || n == 0 {
		look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), st, a.notice.text)
		return
	}
	look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), a.lk.Status, a.Chat().Chat.Title)
	a.grown.hidden = true
	top := a.lay.composer.Min.Y - n
	if a.dialogs.Top() != nil { // it would hide what stands in the play
		top = area.Min.Y - n
	}
	look.Fill(buf, uv.Rect(0, top, a.width, n), st)
	for i, l := range lines[:n] {
		look.Put(buf, 1, top+i, a.width-2, st, l)
	}
}
