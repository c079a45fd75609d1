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

// notice is a passing word in the status line.
type notice struct {
	level event.Level
	text  string
	id    int
	tip   bool // it goes with the next key, whatever that does
}

const noticeTime = 7 * time.Second

// Say implements pane.Host. What went wrong is not hidden by what is said after it: both
// are shown.
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
		return pane.Answer(func() tea.Cmd {
			a.Notices().Dismiss(id)
			return nil
		})
	})
}

// Fail implements pane.Host.
func (a *app) Fail(err error) tea.Cmd {
	a.opts.Log.Warn("shown to the user", "err", err)
	if a.gone.text != "" && errors.Is(err, storage.ErrGone) {
		return nil // that is on the screen for as long as it lasts
	}
	return a.Say(event.Error, failure.Words(err))
}

// notices are the words in the status line, as parts ask for them.
type notices struct{ *app }

// Last implements pane.Notices.
func (a notices) Last() (n int, shown bool) { return a.notice.id, a.notice.text != "" }

// Dismiss implements pane.Notices.
func (a notices) Dismiss(n int) {
	if a.notice.id == n {
		a.notice.text = ""
	}
}

// clearNotice takes away what was said before a key was pressed, unless the key had something
// said itself: it was about something else. What went wrong stays for its time, and so
// does all while the user only types on, who may not have seen it yet.
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

// fileWarning is what stands on the screen for as long as the data file is gone.
type fileWarning struct{ text string }

// update takes over whether the data file is there; way is how the user comes to a copy.
func (l *fileWarning) update(f backup.File, way string) {
	l.text = ""
	if f.Fault != nil {
		l.text = "CHANGES ARE NOT BEING SAVED: " + f.Fault.Error() +
			". Restore the file, or save a copy of everything elsewhere with " + way + "."
	}
}

// over returns what the status line says in place of what it tells else, and how much that
// matters, n being the passing words.
func (l *fileWarning) over(n notice) (event.Level, string) {
	switch {
	case l.text == "":
		return n.level, n.text
	case n.text == "":
		return event.Error, l.text
	}
	return event.Error, l.text + "\n" + n.text
}

// drawNotice shows such words in the status line, or, where they do not fit
// it, above the composer.
func (a *app) drawNotice(buf uv.ScreenBuffer, area uv.Rectangle, st uv.Style, text string) {
	lines := draw.Wrap(text, a.width-2)
	n := min(len(lines), a.lay.play.Dy())
	if len(lines) == 1 && ansi.StringWidth(safetext.Line(text)) <= area.Dx() || n == 0 {
		draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), st, text)
		return
	}
	draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), a.sty.Status, a.Play().Chat().Chat.Title)
	top := a.lay.composer.Min.Y - n
	if a.dialogs.Top() != nil { // it would hide what stands in the play
		top = area.Min.Y - n
	}
	draw.Fill(buf, uv.Rect(0, top, a.width, n), st)
	for i, l := range lines[:n] {
		draw.Put(buf, 1, top+i, a.width-2, st, l)
	}
}
