// Package tui is the terminal user interface: the play, the composer, the panes and the dialogs. It
// calls the engine's use cases and follows its events. It keeps no state that could not be read
// again from the store.
package tui

import (
	"context"
	"log/slog"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	enginesettings "github.com/ghostlight-theatre/ghostlight/engine/settings"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/clipboard"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	picturesroom "github.com/ghostlight-theatre/ghostlight/tui/pictures"
	"github.com/ghostlight-theatre/ghostlight/tui/play"
	"github.com/ghostlight-theatre/ghostlight/tui/settings"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Options configures the screen.
type Options struct {
	Theme  string // "" is the default one
	Dark   *bool  // nil asks the terminal
	Themes themes.Set
	Keys   map[string][]string // action name to keys, from the config file
	Images string              // auto, kitty, sixel, iterm, blocks or off
	Demo   bool                // shows that this is demo mode
	Chat   storage.ChatID      // to open; "" is the last open one
	Log    *slog.Logger
	// QuickReplies are the user's prepared texts; see CheckQuickReplies.
	QuickReplies []play.QuickReply
	Settings     settings.Settings // the config file; nil if there is none
	Name         string            // the user's name in the system; "" for none
	Warnings     []string          // shown when the screen starts
	// Pause is how long a letter waits while browsing, because more letters may follow and make it
	// a word; 0 means that it does not wait.
	Pause time.Duration
	Tips  bool // tips are shown
	// Copy copies a text to the clipboard by other means than the terminal; nil if there are none.
	Copy func(ctx context.Context, text string) clipboard.Result
	// LockAfter is the idle time after which the screen asks for the passphrase of encrypted data;
	// 0 means never.
	LockAfter time.Duration
}

// app is the one Bubble Tea model. Bubble Tea calls it from one goroutine.
type app struct {
	opts    Options
	ctx     context.Context // ends with the screen
	eng     *engine.Engine
	send    func(tea.Msg)
	term    *terminal
	painter *painter.Painter // of the terminal
	pace    frameLimiter
	keys    *keys.Map
	actions map[keys.Name]*keys.Action // as declared
	sty     *draw.Styles
	theme   themes.Theme
	width   int
	height  int
	mode    keys.Mode

	letters typedLetters // pressed while browsing
	dialogs widget.Stack
	display *picturesroom.Display
	pane    pane.Pane
	// beforePane is the mode from before the pane had the focus.
	beforePane  keys.Mode
	paneFor     keys.Name     // the action that opens it
	paneActions []keys.Action // as the pane declared them
	foot        paneFoot      // below it
	parts       parts
	workers     []pane.Activity // among them
	statusers   []pane.Status
	counters    []pane.Counter
	listeners   []pane.Listener
	afterPaint  []pane.AfterPaint
	counts      map[keys.Name]string       // as last counted
	kept        enginesettings.ScreenState // stored state of the screen
	keeping     widget.Sequence
	pending     int  // changes that are not stored yet
	leaving     bool // the program quits as soon as they are stored
	lay         layout
	typed       bool // the current key press changed the composer

	servers models.Servers
	work    runningWork // operations that run
	notice  notice
	gone    fileWarning
	tips    *tips
	unasked time.Duration // how long keys do nothing on a dialog that opened by itself
	twos    widget.Clicks
	ticking bool
	plain   bool   // the terminal has no colours
	clip    string // for the system's clipboard, with the next frame
	asks    string // for the terminal, with the next frame
	files   pane.Files
	outcome Outcome
	idle    idleLock
	lock    *lock // nil while the screen is unlocked
}

func newApp(ctx context.Context, eng *engine.Engine, t *terminal, o Options, send func(tea.Msg)) *app {
	km, errs := Keys(o.Keys)
	for _, err := range errs {
		o.Warnings = append(o.Warnings, err.Error())
	}
	o.Warnings = append(o.Warnings, km.Taken()...)
	a := &app{ctx: ctx, opts: o, eng: eng, term: t, painter: t.painter, keys: km, send: send, mode: keys.Write}
	a.dialogs.Keys = a.Keys
	a.pace.send = send
	a.idle.a = a
	a.unasked = dialogGrace
	a.parts = newParts(a, a)
	a.parts.settings.SetUp(o.Settings, o.Name)
	a.display = a.parts.pictures.Display()
	if eng != nil {
		a.kept = eng.Settings.Screen()
		a.gone.update(eng.Backup.File(), pane.PathTo(a, keys.CopyTo))
	}
	a.tips = newTips(a, a.declare())
	var ok bool
	if a.theme, ok = o.Themes.Find(o.Theme); !ok {
		a.theme = o.Themes[0]
	}
	dark := o.Dark == nil || *o.Dark
	a.sty = draw.New(a.theme, dark, 1)
	a.display.Force(o.Images)
	a.opts.Warnings = append(a.opts.Warnings, a.parts.play.SetUp(a.display, o.QuickReplies, o.Settings)...)
	return a
}

// query returns the sequences that ask the terminal for the capabilities that the screen needs.
func (a *app) query() string {
	q := ansi.RequestModeSynchronizedOutput + a.display.Query()
	if a.opts.Dark == nil {
		q += ansi.RequestBackgroundColor
	}
	return q
}

// Init implements tea.Model.
func (a *app) Init() tea.Cmd {
	cmds := []tea.Cmd{a.start(), a.idle.watch(a.opts.LockAfter)}
	for _, w := range a.opts.Warnings {
		cmds = append(cmds, a.Say(event.Warning, w))
	}
	return tea.Batch(cmds...)
}

// Update implements tea.Model. It paints as soon as the pace allows.
func (a *app) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	defer crash.Recover("the screen")
	cmd := a.update(msg)
	if a.pace.due(msg) {
		a.paint()
		if w := tea.Batch(a.display.Wanted(), a.painted()); w != nil {
			cmd = tea.Batch(cmd, w)
		}
	}
	return a, cmd
}

// View implements tea.Model. The painter paints, so there is nothing in it.
func (a *app) View() tea.View { return tea.View{} }

func (a *app) update(msg tea.Msg) tea.Cmd {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		msg = keys.OnUS(k)
	}
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		if a.lock != nil {
			return a.lock.handle(msg)
		}
		a.idle.reset()
	}
	switch m := msg.(type) {
	case tea.KeyPressMsg:
		before := a.notice.id
		a.typed = false
		cmd, waits := a.holdLetter(m)
		if !waits {
			cmd = tea.Batch(cmd, a.route(m))
		}
		a.clearNotice(before)
		return cmd
	case tea.PasteMsg:
		return a.paste(m)
	case tea.MouseMsg:
		before := a.notice.id
		cmd := a.mouse(m)
		if _, click := msg.(tea.MouseClickMsg); click && a.notice.tip {
			a.clearNotice(before)
		}
		return cmd
	case eventMsg:
		return a.event(m.event)
	case widget.CopyMsg:
		return a.Copy(string(m), "")
	case tea.WindowSizeMsg:
		if m.Width == 0 || m.Height == 0 {
			return nil // Bubble Tea does not handle it: its own renderer is off
		}
		a.width, a.height = m.Width, m.Height
		a.painter.Resize(m.Width, m.Height)
		a.display.Resized()
	case tea.ColorProfileMsg:
		if plain := m.Profile <= colorprofile.Ascii; plain != a.plain {
			a.plain = plain
			a.applyTheme(a.theme, a.sty.Dark)
		}
		a.painter.SetProfile(m.Profile)
		a.display.SetProfile(m.Profile)
	case tea.ModeReportMsg:
		if m.Mode == ansi.ModeSynchronizedOutput && m.Value == ansi.ModeReset {
			a.painter.SetSynchronized(true)
		}
	case tea.BackgroundColorMsg:
		if a.opts.Dark == nil && m.IsDark() != a.sty.Dark {
			a.applyTheme(a.theme, m.IsDark())
		}
	case uv.KittyGraphicsEvent, uv.CellSizeEvent, uv.PixelSizeEvent, uv.PrimaryDeviceAttributesEvent,
		tea.TerminalVersionMsg:
		return a.handleTerminalAnswer(msg)
	case pane.Callback:
		return a.answered(m)
	case tickMsg:
		return a.tick()
	case idleMsg:
		return a.idle.check(m)
	}
	return nil
}

// Do runs work away from the screen's goroutine. The function that it returns runs on the screen's
// goroutine; it may be nil.
func (a *app) Do(work func() func() tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		defer crash.Recover("a command")
		if f := work(); f != nil {
			return pane.Callback(f)
		}
		return nil
	}
}

// answered runs the result of some work.
func (a *app) answered(then pane.Callback) tea.Cmd {
	cmd := then()
	if a.canQuit() {
		return tea.Quit
	}
	return tea.Batch(cmd, a.tips.handle(nil))
}

// canQuit reports whether the user wants to leave and all changes are stored.
func (a *app) canQuit() bool { return a.leaving && a.pending == 0 }

// Pending implements widget.Counter.
func (a *app) Pending(n int) { a.pending += n }

func (a *app) applyTheme(t themes.Theme, dark bool) {
	a.theme = t
	a.sty = draw.New(t, dark, a.sty.Gen+1)
	if a.plain {
		a.sty.Uncolour()
	}
	a.parts.play.Restyle(a.sty)
}

// paint draws the whole screen; the painter writes only the changes.
func (a *app) paint() {
	f := painter.Frame{Draw: a.draw, Title: a.windowTitle(), Raw: a.outOfBand, Overlay: a.display.Overlay()}
	if err := a.painter.Paint(f); err != nil {
		a.opts.Log.Error("painting failed", "err", err)
	}
}

// outOfBand returns the sequences to write to the terminal before a frame.
func (a *app) outOfBand() string {
	raw := a.display.Flush() + a.asks
	a.asks = ""
	if a.clip != "" {
		raw += ansi.SetSystemClipboard(a.clip)
		a.clip = ""
	}
	return raw
}

func (a *app) draw(buf uv.ScreenBuffer) *painter.Cursor {
	if a.lock != nil {
		return a.lock.draw(buf, a.sty)
	}
	w, h := buf.Width(), buf.Height()
	story := a.parts.play
	playW := arrange(w, h, 1, a.pane != nil, a.paneSize()).play.Dx()
	a.lay = arrange(w, h, story.ComposerRows(playW, h), a.pane != nil, a.paneSize())
	l := a.lay
	story.Resize(l.text, l.play.Dy(), a.parts.pictures.Painting(l.text, l.play.Dy()))
	hidden := (l.over || l.zoomed) && a.pane != nil
	if !hidden {
		story.Draw(buf, l.play, a.mode == keys.Browse || a.pointing())
	}
	if a.pane != nil {
		a.drawPane(buf)
	}
	var cur *painter.Cursor
	if !l.zoomed {
		cur = story.DrawComposer(buf, l.composer)
	}
	if a.mode != keys.Write {
		cur = nil
	}
	a.drawStatus(buf, l.status)
	screen := uv.Rect(0, 0, w, h)
	for _, d := range a.dialogs.All {
		cur = d.Draw(buf, screen, a.sty)
	}
	return cur
}
