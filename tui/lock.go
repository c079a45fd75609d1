package tui

import (
	"errors"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// idleLock measures how long the user has been idle, and locks the screen after that.
type idleLock struct {
	a     *app
	after time.Duration // idle time until the screen is locked; 0 means never
	since time.Time     // by the wall clock: one that stops while a laptop sleeps would not work
	asked int           // number of the current timer
}

// idleMsg is the timer's message to check the idle time.
type idleMsg struct{ asked int }

// reset notes activity of the user.
func (i *idleLock) reset() { i.since = time.Now().Round(0) }

// arm starts a timer for the next check.
func (i *idleLock) arm() tea.Cmd {
	i.asked++
	if i.after <= 0 {
		return nil
	}
	asked := i.asked
	return tea.Tick(max(i.after-time.Now().Round(0).Sub(i.since), time.Millisecond),
		func(time.Time) tea.Msg { return idleMsg{asked} })
}

// watch starts the idle timer, if there is a passphrase to ask for.
func (i *idleLock) watch(after time.Duration) tea.Cmd {
	i.after = after
	i.reset()
	if after > 0 && i.whyNoLock() != "" {
		i.after = 0
		return i.a.Say(event.Warning, "ui.lock_after has no effect: "+i.whyNoLock())
	}
	return i.arm()
}

// check locks the screen after enough idle time.
func (i *idleLock) check(m idleMsg) tea.Cmd {
	switch {
	case m.asked != i.asked || i.a.lock != nil:
		return nil
	case time.Now().Round(0).Sub(i.since) < i.after:
		return i.arm()
	}
	return i.lock()
}

func (i *idleLock) whyNoLock() string {
	if i.a.eng == nil || !i.a.eng.Backup.Encrypted() {
		return "your data is not encrypted, so there is no passphrase; ghostlight lock set encrypts it"
	}
	return ""
}

// lock hides everything until the passphrase is typed. Work behind it continues.
func (i *idleLock) lock() tea.Cmd {
	i.a.lock = &lock{a: i.a}
	return nil
}

func (i *idleLock) unlock() tea.Cmd {
	i.a.lock = nil
	i.reset()
	return i.arm()
}

// lock is the dialog for the passphrase of the data. It hides everything else.
type lock struct {
	a      *app
	typed  []rune
	asking bool   // the passphrase is being checked
	wrong  string // what was wrong with the last one
}

// maxPassphrase is the maximum length of the typed passphrase; none is that long.
const maxPassphrase = 4 << 10

func (l *lock) handle(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case tea.PasteMsg:
		l.write(m.Content)
	case tea.KeyPressMsg:
		return l.key(m)
	}
	return nil
}

func (l *lock) key(m tea.KeyPressMsg) tea.Cmd {
	if act, _ := l.a.keys.Match(keys.Write, m.Keystroke()); act == keys.Quit && l.a.gone.text == "" {
		return tea.Quit
	}
	leads := func(name keys.Name) bool { return l.a.keys.Leads(name, m.Keystroke(), true) }
	switch {
	case l.asking:
	case leads(keys.DialogEnter):
		return l.try()
	case m.Code == tea.KeyBackspace:
		l.typed = l.typed[:max(0, len(l.typed)-1)]
	case leads(keys.DialogClear), leads(keys.DialogClose):
		l.typed = nil
	default:
		l.write(m.Text)
	}
	return nil
}

func (l *lock) write(text string) {
	for _, r := range text {
		if !l.asking && !unicode.IsControl(r) && len(l.typed) < maxPassphrase {
			l.typed = append(l.typed, r)
		}
	}
}

// try checks the typed passphrase, which takes about a second.
func (l *lock) try() tea.Cmd {
	if len(l.typed) == 0 {
		return nil
	}
	passphrase := string(l.typed)
	clear(l.typed)
	l.typed, l.asking, l.wrong = nil, true, ""
	return l.a.Do(func() func() tea.Cmd {
		err := l.a.eng.Backup.CheckPassphrase(passphrase)
		return func() tea.Cmd {
			l.asking = false
			switch {
			case errors.Is(err, storage.ErrPassphrase):
				l.wrong = "Wrong passphrase."
			case err != nil:
				l.wrong = failure.Text(err)
			default:
				return l.a.idle.unlock()
			}
			return nil
		}
	})
}

func (l *lock) draw(buf uv.ScreenBuffer, sty *draw.Styles) *painter.Cursor {
	screen := uv.Rect(0, 0, buf.Width(), buf.Height())
	draw.Fill(buf, screen, sty.Base)
	area := draw.Centred(screen, min(screen.Dx(), 56), min(screen.Dy(), 8))
	in := draw.Frame(buf, area, sty, "Locked", widget.Hints(
		l.a.keys.DialogKey(keys.DialogEnter, true)+" unlock", l.a.keys.DialogKey(keys.DialogClear, true)+" clear",
		l.a.keys.AnyKey(keys.Quit)+" quit"))
	if in.Empty() {
		return nil
	}
	in = uv.Rect(in.Min.X, in.Min.Y+min(1, max(0, in.Dy()-3)), in.Dx(), in.Dy())
	const ask = "Passphrase: "
	draw.Put(buf, in.Min.X, in.Min.Y, in.Dx(), sty.Base, ask)
	shown := min(len(l.typed), max(0, in.Dx()-len(ask)-1))
	draw.Put(buf, in.Min.X+len(ask), in.Min.Y, in.Dx()-len(ask), sty.Base, strings.Repeat("•", shown))
	below := uv.Rect(in.Min.X, in.Min.Y+2, in.Dx(), max(0, area.Max.Y-1-in.Min.Y-2))
	switch {
	case l.asking:
		draw.PutWrapped(buf, below, sty.Dim, "Checking …")
		return nil
	case l.wrong != "":
		draw.PutWrapped(buf, below, sty.Warning, l.wrong)
	case l.a.Play().Replying():
		draw.PutWrapped(buf, below, sty.Dim, "A reply is being written and will be saved.")
	}
	return &painter.Cursor{X: in.Min.X + len(ask) + shown, Y: in.Min.Y}
}
