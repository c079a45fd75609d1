package tui

import (
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// notice is a temporary text in the status line.
type notice struct {
	level event.Level
	text  string
	id    int
	tip   bool // any key removes it
}

const noticeTime = 7 * time.Second

// Say implements pane.Host. A new notice does not hide an earlier, more severe one: both are shown.
func (a *app) Say(level event.Level, text string) tea.Cmd {
	was := a.notice
	if was.tip {
		a.tips.hidden()
	}
	a.notice = notice{level: level, text: text, id: was.id + 1}
	if was.text != "" && was.level > level && !strings.Contains(was.text, text) && len(was.text) < 400 {
		a.notice.level, a.notice.text = was.level, was.text+"\n"+text
	}
	id := a.notice.id
	long := time.Duration(len(text)/20) * time.Second // to read it
	return tea.Tick(noticeTime+long, func(time.Time) tea.Msg {
		return pane.Callback(func() tea.Cmd {
			a.Notices().Dismiss(id)
			return nil
		})
	})
}

// Fail implements pane.Host.
func (a *app) Fail(err error) tea.Cmd {
	a.opts.Log.Warn("shown to the user", "err", err)
	if a.gone.text != "" && errors.Is(err, storage.ErrGone) {
		return nil // the file warning is on the screen already
	}
	return a.Say(event.Error, failure.Text(err))
}

// notices implements pane.Notices.
type notices struct{ *app }

// Last implements pane.Notices.
func (a notices) Last() (n int, shown bool) { return a.notice.id, a.notice.text != "" }

// Dismiss implements pane.Notices.
func (a notices) Dismiss(n int) {
	if a.notice.id == n {
		a.notice.text = ""
	}
}

// clearNotice removes the notice that was there before a key was pressed, unless the key caused a
// new one. Warnings and errors stay for their time. All notices stay while the user only types, who
// may not have seen them yet; only tips go.
func (a *app) clearNotice(before int) {
	if a.notice.tip && a.notice.id == before {
		a.notice.text, a.notice.tip = "", false
		return
	}
	if a.notice.text == "" || a.notice.id != before || a.notice.level != event.Info || a.typed {
		return
	}
	a.notice.text = ""
}

// fileWarning is the warning on the screen while the data file is missing.
type fileWarning struct{ text string }

// update takes the state of the data file. way describes how the user can save a copy.
func (l *fileWarning) update(f backup.File, way string) {
	l.text = ""
	if f.Fault != nil {
		l.text = "CHANGES ARE NOT BEING SAVED: " + f.Fault.Error() +
			". Restore the file, or save a copy of everything elsewhere with " + way + "."
	}
}

// over returns the status line's text, and its level. n is the current notice; the warning, if
// there is one, comes before it.
func (l *fileWarning) over(n notice) (event.Level, string) {
	switch {
	case l.text == "":
		return n.level, n.text
	case n.text == "":
		return event.Error, l.text
	}
	return event.Error, l.text + "\n" + n.text
}

// drawNotice shows a notice in the status line, or above the composer if it does not fit there.
func (a *app) drawNotice(buf uv.ScreenBuffer, area uv.Rectangle, st uv.Style, text string) {
	lines := draw.Wrap(text, a.width-2)
	n := min(len(lines), a.lay.play.Dy())
	if len(lines) == 1 && ansi.StringWidth(safetext.Line(text)) <= area.Dx() || n == 0 {
		draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), st, text)
		return
	}
	draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), a.sty.Status, a.Play().Chat().Chat.Title)
	top := a.lay.composer.Min.Y - n
	if a.dialogs.Top() != nil { // it would hide text of the play
		top = area.Min.Y - n
	}
	draw.Fill(buf, uv.Rect(0, top, a.width, n), st)
	for i, l := range lines[:n] {
		draw.Put(buf, 1, top+i, a.width-2, st, l)
	}
}
